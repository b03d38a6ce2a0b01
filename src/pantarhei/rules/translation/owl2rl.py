"""Derivation rules from normal axioms, named after the W3C rules of which they are instances.

W3C: OWL 2 Profiles, section 4.3, tables 5 to 7. An inclusion takes its name from what concludes (`cls-avf`,
    `cls-hv1`), or else from the outermost constructor on its left (`cls-int1`, `cls-svf1`, `cax-sco`): one of
    our rules can do the work of several of the W3C's, since a nested expression is one body and needs no name
    of its own.
"""

from __future__ import annotations

from itertools import combinations, pairwise

from rdflib import OWL

from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.model.term import Triple
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import THING, Axiom, Bound, Filler, PropertyExpression, PropertyKind, Trait
from pantarhei.owl.normal_form import inverse
from pantarhei.owl.simplify import is_extreme
from pantarhei.rules.translation.body import (
    Body,
    Inclusion,
    NotARuleError,
    X,
    Y,
    chain_body,
    open_inclusion,
    property_atom,
)
from pantarhei.rules.translation.constraint import is_denial
from pantarhei.values.membership import check_range


def rules_of(axiom: Axiom, origin: Origin) -> tuple[Rule, ...]:
    """The rules that a normal axiom makes; none where it is a constraint or says nothing.

    A rule without a body is a fact: it comes from a nominal on the left.

    Raises:
        NotARuleError: the axiom has consequences that no rule derives.
        NeverError: its left side is empty.

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
        case owl.DatatypeDefinition() if reason := check_range(axiom.range):
            raise NotARuleError(reason)
    return ()


def differences(axiom: Axiom) -> list[Triple]:
    """What an axiom says of different individuals: a fact for each pair, as there can be half a million."""
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
    """`super(x0, xn) :- chain[0](x0, x1), …`"""
    body, end = chain_body(chain)
    return body.rule(name, property_atom(super_, X, end), origin)


def is_tautology(rule: Rule) -> bool:
    """Whether the head stands in the body."""
    return rule.head is not None and rule.head in rule.body


def without_duplicates(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """The rules that differ in more than name and origin, each with its first name and origin."""
    first: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        is_body = rule.head is None and not rule.different and not rule.tests  # then that is all it says
        key = rule.body if is_body else (rule.body, rule.head, rule.different, rule.tests)
        first.setdefault(key, rule)
    return tuple(first.values())


# --- What is not supported ---


def _why_not_on_the_right(conclusion: Filler) -> str:
    match conclusion:
        case owl.SomeValuesFrom(on) | owl.Cardinality(Bound.MIN, _, on):
            asked = (
                "values that are not given" if on.kind is PropertyKind.DATA else "individuals without a name"
            )
            return f"{conclusion} on the right asks for {asked}, which is outside OWL 2 RL"
        case owl.UnionOf():
            return f"{conclusion} on the right is a choice, which is outside OWL 2 RL"
        case owl.Cardinality():
            return f"{conclusion} on the right: more than one value allowed is outside OWL 2 RL"
        case owl.NaryDataRestriction():
            return f"{conclusion} is a restriction over several data properties, which is outside OWL 2 RL"
    raise AssertionError(f"{conclusion} can be a conclusion")
