"""Translation of one axiom to rules, constraints and facts, with the parts of the axiom that have no effect
and the reasons.

Each rule is named after the W3C rule it instantiates: OWL 2 Profiles, section 4.3, tables 5 to 7. The name of
an inclusion is determined by its conclusion (`cls-avf`, `cls-hv1`), or, if the conclusion is a named class,
by the outermost constructor on its left side (`cls-int1`, `cls-svf1`, `cax-sco`). One rule of this project
can replace several W3C rules, since a nested expression becomes one body without auxiliary class names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, pairwise

from rdflib import OWL, URIRef

from pantarhei.model.rule import Atom, Origin, Predicate, Rule
from pantarhei.model.term import Triple
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    THING,
    Axiom,
    Bound,
    DataRange,
    Filler,
    PropertyExpression,
    PropertyKind,
    SwrlRule,
    Trait,
)
from pantarhei.owl.background_axioms import AXIOM_PREDICATES
from pantarhei.owl.expression_mapping import prefixed
from pantarhei.owl.name_kinds import DECLARED_TYPES, is_defined, is_reserved
from pantarhei.owl.normal_form import inverse, normalize
from pantarhei.owl.simplify import inline_datatypes, is_extreme
from pantarhei.rules.translation.body import (
    Body,
    Inclusion,
    NeverError,
    NotARuleError,
    X,
    Y,
    chain_body,
    open_inclusion,
    property_atom,
)
from pantarhei.rules.translation.constraint import constraints_of, is_denial
from pantarhei.rules.translation.demand import by_class, gives_literal_class
from pantarhei.rules.translation.swrl_rules import rules_of_swrl
from pantarhei.values.membership import range_problem


def rules_of(axiom: Axiom, origin: Origin) -> tuple[Rule, ...]:
    """Return the rules of an axiom in normal form, and the rules and constraints of a SWRL rule; () if the
    axiom yields constraints only, or is a tautology.

    A rule without a body is a fact; a nominal on the left side yields one.

    Raises:
        NotARuleError: the axiom has consequences that no rule derives.
        NeverError: the left side of the axiom is empty, so the axiom is a tautology.

    >>> from rdflib import URIRef
    >>> p = owl.Property(URIRef("urn:x/isIn"))
    >>> print(*rules_of(owl.Characteristic(Trait.TRANSITIVE, p), Origin("isIn goes on")))
    isIn(?x, ?z) :- isIn(?x, ?y), isIn(?y, ?z).
    """
    match axiom:
        case owl.SubClassOf() | owl.PropertyDomain() | owl.PropertyRange():
            return _inclusion(axiom, origin)
        case owl.SubPropertyOf(sub, super_):
            return () if is_extreme(super_) else (_path("prp-spo1", (sub,), super_, origin),)
        case owl.SubPropertyChainOf(chain, super_):
            return () if is_extreme(super_) else (_path("prp-spo2", chain, super_, origin),)
        case owl.InverseProperties(first, second):
            return (
                _path("prp-inv1", (first,), inverse(second), origin),
                _path("prp-inv2", (second,), inverse(first), origin),
            )
        case owl.Characteristic(Trait.SYMMETRIC, on):
            return (Body([property_atom(on, X, Y)]).rule("prp-symp", property_atom(on, Y, X), origin),)
        case owl.Characteristic(Trait.TRANSITIVE, on):
            return (_path("prp-trp", (on, on), on, origin),)
        case owl.Characteristic(Trait.REFLEXIVE, on):
            return (Body().rule("pr-reflexive", property_atom(on, X, X), origin),)
        case owl.SameIndividual(individuals):
            pairs = pairwise(dict.fromkeys(individuals))
            return tuple(Rule("eq-same", (), Atom(OWL.sameAs, pair), origin=origin) for pair in pairs)
        case owl.DatatypeDefinition() if reason := range_problem(axiom.range):
            raise NotARuleError(reason)
        case SwrlRule():
            return rules_of_swrl(axiom, origin)
    return ()


def differences(axiom: Axiom) -> list[Triple]:
    """Return the facts `owl:differentFrom` of an axiom about different individuals, one for each pair. The
    normal form limits the pairs to half a million.
    """
    if not isinstance(axiom, owl.DifferentIndividuals):
        return []
    different = OWL.differentFrom
    return [(one, different, other) for one, other in combinations(axiom.individuals, 2)]


def _inclusion(
    axiom: owl.SubClassOf | owl.PropertyDomain | owl.PropertyRange, origin: Origin
) -> tuple[Rule, ...]:
    inclusion = open_inclusion(axiom)
    conclusion = inclusion.conclusion
    if is_denial(conclusion) or conclusion in (THING, owl.ANY_LITERAL):
        return ()
    name, head = _head(inclusion)
    return (inclusion.body.rule(name, head, origin),)


def _head(inclusion: Inclusion) -> tuple[str, Atom]:
    term = inclusion.term
    match inclusion.conclusion:
        case owl.Class(iri):
            return inclusion.name, Atom(iri, (term,))
        case owl.HasValue(on, value):
            return "cls-hv1", property_atom(on, term, value)
        case owl.HasSelf(on):
            return "pr-self", property_atom(on, term, term)
    raise NotARuleError(_why_not_on_the_right(inclusion.conclusion))


def _path(
    name: str, chain: tuple[PropertyExpression, ...], super_: PropertyExpression, origin: Origin
) -> Rule:
    """Return `super(x0, xn) :- chain[0](x0, x1), …`."""
    body, end = chain_body(chain)
    return body.rule(name, property_atom(super_, X, end), origin)


def is_tautology(rule: Rule) -> bool:
    """True if the head is one of the body atoms."""
    return rule.head is not None and rule.head in rule.body


def without_duplicates(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Remove rules that differ from an earlier rule only in name and origin."""
    first: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        is_body = (
            rule.head is None and not rule.different and not rule.tests
        )  # the constraint consists of its body
        key = rule.body if is_body else (rule.body, rule.head, rule.different, rule.tests)
        first.setdefault(key, rule)
    return tuple(first.values())


# --- What is not supported ---


def _why_not_on_the_right(conclusion: Filler) -> str:
    match conclusion:
        case owl.SomeValuesFrom(on) | owl.Cardinality(Bound.MIN, _, on):
            required = (
                "values that are not given" if on.kind is PropertyKind.DATA else "individuals without a name"
            )
            return f"{conclusion} on the right requires {required}, which is outside OWL 2 RL"
        case owl.UnionOf():
            return f"{conclusion} on the right is a choice, which is outside OWL 2 RL"
        case owl.Cardinality():
            return f"{conclusion} on the right: more than one value allowed is outside OWL 2 RL"
        case owl.NaryDataRestriction():
            return f"{conclusion} is a restriction over several data properties, which is outside OWL 2 RL"
    raise AssertionError(f"{conclusion} can be a conclusion")


_NO_DEFINITIONS: Mapping[URIRef, DataRange] = {}


@dataclass(frozen=True, slots=True)
class Loss:
    """Part of an axiom that has no effect, and the reason; `stated` is the part as an axiom, if it is one."""

    part: str
    reason: str
    stated: Axiom | None = None


@dataclass(frozen=True, slots=True)
class Translation:
    """Axiom with the rules, constraints and facts it is translated to.

    Args:
        origin: the axiom as text, and its position in the file.
        losses: the parts of the axiom that have no effect.
        contradictions: constraints without a body: they are violated without any assertion.
        annotation: True if the axiom is about annotation properties, which have no logical consequences in
            OWL 2.
        parts: the axioms of the normal form that have an effect.
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
    """Translate an axiom to rules, constraints and facts; list the parts of the axiom that have no effect.

    Args:
        definitions: the datatypes defined by the ontology.
        origin: position of the axiom; None if it is unknown.

    >>> from rdflib import URIRef
    >>> a, b, p = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B")), owl.Property(URIRef("urn:x/p"))
    >>> translation = translate(owl.EquivalentClasses((a, owl.SomeValuesFrom(p, b))))
    >>> print(*translation.rules)
    A(?x) :- p(?x, ?y), B(?y).
    >>> [loss.part for loss in translation.losses]
    ['SubClassOf(A ObjectSomeValuesFrom(p B))']
    """
    origin = origin or Origin(str(axiom), stated=axiom)
    if reason := _why_ill_formed(axiom, definitions):
        return Translation(origin, losses=(Loss(origin.axiom, reason, axiom),))
    if _is_about_annotations(axiom):
        return Translation(origin, annotation=True)
    made: list[Rule] = []
    facts: list[Triple] = []
    losses: list[Loss] = []
    parts: list[Axiom] = []
    for part in normalize((inline_datatypes(axiom, definitions),)):
        if _is_without_effect(part):
            continue
        try:
            translated = map(by_class, (*rules_of(part, origin), *constraints_of(part, origin)))
            of_part = [rule for rule in translated if not is_tautology(rule)]
            _refuse_terms_of_axioms(of_part)
        except NotARuleError as error:
            losses.append(Loss(str(part), error.reason, part))
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


@lru_cache(maxsize=65536)
def _is_axiom_predicate(name: Predicate) -> bool:
    """True if triples with this predicate are parts of axioms: a term of RDFS or OWL about classes or
    properties.
    """
    if name in AXIOM_PREDICATES:
        return True
    is_of_owl = str(name).startswith(str(OWL)) and is_reserved(name) and is_defined(name)
    return is_of_owl and name not in (OWL.sameAs, OWL.differentFrom)


def _refuse_terms_of_axioms(rules: Iterable[Rule]) -> None:
    """Raise `NotARuleError` for a rule with a property whose triples are axioms, and for a rule whose head is
    a class membership with a literal as class.
    """
    for rule in rules:
        for atom in rule.atoms:
            if len(atom.arguments) == 2 and _is_axiom_predicate(atom.predicate):
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


def _is_without_effect(axiom: Axiom) -> bool:
    """True if the axiom is a tautology for the stream: its right side is owl:Thing or rdfs:Literal, or it is
    a domain or range in RDFS or OWL of a property whose triples are axioms.
    """
    match axiom:
        case owl.PropertyDomain(owl.Property(iri), owl.Class(class_)) | owl.PropertyRange(
            owl.Property(iri), owl.Class(class_)
        ) if iri in AXIOM_PREDICATES and class_ in DECLARED_TYPES:
            return True
        case owl.SubClassOf(_, super_) | owl.PropertyDomain(_, super_) | owl.PropertyRange(_, super_):
            return super_ in (owl.THING, owl.ANY_LITERAL)
    return False
