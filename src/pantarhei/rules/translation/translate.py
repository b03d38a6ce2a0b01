"""What becomes of one axiom: its rules, constraints and facts, and what is lost of it with the reason."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rdflib import OWL, URIRef

from pantarhei.model.rule import Origin, Predicate, Rule
from pantarhei.model.term import Triple
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Axiom, DataRange, PropertyKind
from pantarhei.owl.background_axioms import AXIOM_PREDICATES
from pantarhei.owl.definition import inline_datatypes
from pantarhei.owl.expression_mapping import prefixed
from pantarhei.owl.name_kinds import DECLARED_TYPES, is_defined, is_reserved
from pantarhei.owl.normal_form import normalize
from pantarhei.owl.swrl import SwrlRule
from pantarhei.rules.translation.body import NeverError, NotARuleError
from pantarhei.rules.translation.class_variables import by_class, gives_literal_class
from pantarhei.rules.translation.constraint import constraints_of
from pantarhei.rules.translation.owl2rl import differences, is_tautology, rules_of, without_duplicates
from pantarhei.rules.translation.swrl_rules import rules_of_swrl

_NO_DEFINITIONS: Mapping[URIRef, DataRange] = {}


@dataclass(frozen=True, slots=True)
class Loss:
    """A part of an axiom that has no effect, and why."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True)
class Translation:
    """One axiom and what it makes.

    Args:
        origin: the axiom as text, and where it is written.
        annotation: the axiom is about annotation properties, which have no consequences in OWL 2.
        contradictions: constraints that are violated without any assertion.
        parts: the parts of the axiom's normal form that make something.
    """

    origin: Origin
    rules: tuple[Rule, ...] = ()
    constraints: tuple[Rule, ...] = ()
    facts: tuple[Triple, ...] = ()
    losses: tuple[Loss, ...] = ()
    contradictions: tuple[Rule, ...] = ()
    annotation: bool = False
    parts: tuple[Axiom, ...] = ()


def translate(
    axiom: Axiom, definitions: Mapping[URIRef, DataRange] = _NO_DEFINITIONS, origin: Origin | None = None
) -> Translation:
    """The rules, constraints and facts that `axiom` makes, and what is lost.

    Args:
        definitions: what the datatypes are that the ontology defines.
        origin: where the axiom is written; None if that is not known.

    >>> from rdflib import URIRef
    >>> a, b, p = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B")), owl.Property(URIRef("urn:x/p"))
    >>> translation = translate(owl.EquivalentClasses((a, owl.SomeValuesFrom(p, b))))
    >>> print(*translation.rules)
    A(?x) :- p(?x, ?y), B(?y).
    >>> [loss.part for loss in translation.losses]
    ['SubClassOf(A ObjectSomeValuesFrom(p B))']
    """
    origin = origin or Origin(str(axiom))
    if reason := _why_ill_formed(axiom, definitions):
        return Translation(origin, losses=(Loss(origin.axiom, reason),))
    if _is_about_annotations(axiom):
        return Translation(origin, annotation=True)
    made: list[Rule] = []
    facts: list[Triple] = []
    losses: list[Loss] = []
    parts: list[Axiom] = []
    for part in normalize((inline_datatypes(axiom, definitions),)):
        if _says_nothing(part):
            continue
        try:
            of_part = [rule for rule in map(by_class, _made_of(part, origin)) if not is_tautology(rule)]
            _refuse_terms_of_axioms(of_part)
        except NotARuleError as error:
            losses.append(Loss(str(part), error.reason))
            continue
        except NeverError:
            continue
        stated = differences(part)
        made += of_part
        facts += stated
        if stated or any(rule.head is not None or rule.body for rule in of_part):
            parts.append(part)
    rules = without_duplicates(tuple(made))
    facts += (rule.head.ground({}) for rule in rules if rule.head is not None and not rule.body)
    return Translation(
        origin,
        rules=tuple(r for r in rules if r.head is not None and r.body),
        constraints=tuple(r for r in rules if r.head is None and r.body),
        facts=tuple(dict.fromkeys(facts)),
        losses=tuple(losses),
        contradictions=tuple(r for r in rules if r.head is None and not r.body),
        parts=tuple(parts),
    )


def _made_of(part: Axiom, origin: Origin) -> Iterable[Rule]:
    if isinstance(part, SwrlRule):
        return rules_of_swrl(part, origin)
    return (*rules_of(part, origin), *constraints_of(part, origin))


@lru_cache(maxsize=65536)
def _writes_axioms(name: Predicate) -> bool:
    """Test whether the triples of a property are parts of axioms: a term of RDFS or OWL about classes."""
    if name in AXIOM_PREDICATES:
        return True
    is_of_owl = str(name).startswith(str(OWL)) and is_reserved(name) and is_defined(name)
    return is_of_owl and name not in (OWL.sameAs, OWL.differentFrom)


def _refuse_terms_of_axioms(rules: Iterable[Rule]) -> None:
    """Refuse rules over properties whose facts are axioms, and rules that give a literal as class."""
    for rule in rules:
        for atom in rule.atoms:
            if len(atom.arguments) == 2 and _writes_axioms(atom.predicate):
                raise NotARuleError(
                    f"{prefixed(atom.predicate)} as a property: its triples are axioms, which are read from "
                    "the ontology and not derived or matched as facts"
                )
        if gives_literal_class(rule):
            raise NotARuleError(f"{rule.head} has a literal as class, and a class is an IRI or a blank node")


def _why_ill_formed(axiom: Axiom, definitions: Mapping[URIRef, DataRange]) -> str | None:
    match axiom:
        case owl.DatatypeDefinition(datatype, range_):
            if datatype.iri not in definitions:
                return f"the definition of {datatype} leads back to itself"
            if definitions[datatype.iri] != inline_datatypes(range_, definitions):
                return f"{datatype} has another definition, which is the one that counts"
        case owl.SubPropertyOf(sub, super_) if (sub.kind is PropertyKind.ANNOTATION) is not (
            super_.kind is PropertyKind.ANNOTATION
        ):
            return "one is an annotation property, which has no meaning, and the other is not"
    return None


def _is_about_annotations(axiom: Axiom) -> bool:
    match axiom:
        case owl.SubPropertyOf(sub, super_):
            return PropertyKind.ANNOTATION in (sub.kind, super_.kind)
        case owl.PropertyDomain(on, _) | owl.PropertyRange(on, _):
            return on.kind is PropertyKind.ANNOTATION
    return False


def _says_nothing(axiom: Axiom) -> bool:
    """Test whether the axiom is an inclusion in everything, or a domain or range that RDFS and OWL give to a
    term of axioms: its subjects or objects are classes, properties, or anything.
    """
    match axiom:
        case owl.PropertyDomain(owl.Property(iri), owl.Class(class_)) | owl.PropertyRange(
            owl.Property(iri), owl.Class(class_)
        ) if iri in AXIOM_PREDICATES and class_ in DECLARED_TYPES:
            return True
        case owl.SubClassOf(_, super_) | owl.PropertyDomain(_, super_) | owl.PropertyRange(_, super_):
            return super_ in (owl.THING, owl.ANY_LITERAL)
    return False
