"""Constraints from normal axioms: rules without a head, whose body must never hold.

W3C: OWL 2 Profiles, section 4.3, the rules that derive `false`. Under unique names the rules that would
    derive `owl:sameAs` (prp-fp, prp-ifp, cls-maxc2, cls-maxqc3) deny different values instead.
"""

from __future__ import annotations

from itertools import combinations

from rdflib import Variable

from pantarhei.language.rule import Rule
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import NOTHING, THING, Axiom, Bound, ClassExpression, DataRange, PropertyKind, Trait
from pantarhei.rules.body import (
    BOTTOM_PROPERTIES,
    Body,
    Inclusion,
    NotARuleError,
    X,
    Y,
    Z,
    open_inclusion,
    property_atom,
)


def is_denial(conclusion: ClassExpression | DataRange) -> bool:
    """Whether a right side says what must not be: ⊥, a complement, at most none or one, nothing but these."""
    return (
        conclusion == NOTHING
        or isinstance(conclusion, owl.ComplementOf | owl.OneOf)
        or (isinstance(conclusion, DataRange) and conclusion != owl.ANY_LITERAL)
        or (
            isinstance(conclusion, owl.Cardinality)
            and conclusion.bound is Bound.MAX
            and conclusion.number < 2
        )
    )


def constraints_of(axiom: Axiom, origin: str) -> tuple[Rule, ...]:
    """The constraints that a normal axiom makes; none where it is a rule or says nothing.

    A constraint without a body is a contradiction.

    Raises:
        NotARuleError: what is denied is no finite body.
        NeverError: what is denied is empty.

    >>> from rdflib import URIRef
    >>> a, b = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B"))
    >>> print(*constraints_of(owl.DisjointClasses((a, b)), ""))
    ⊥ :- A(?x), B(?x).
    """
    match axiom:
        case owl.SubClassOf() | owl.PropertyDomain() | owl.PropertyRange():
            inclusion = open_inclusion(axiom)
            return (_denial(inclusion, origin),) if is_denial(inclusion.conclusion) else ()
        case owl.DisjointClasses(operands):
            name = "cax-dw" if len(operands) == 2 else "cax-adc"
            return tuple(_disjoint_classes(name, a, b, origin) for a, b in combinations(operands, 2))
        case owl.DisjointProperties(properties):
            name = "prp-pdw" if len(properties) == 2 else "prp-adp"
            return tuple(_disjoint_properties(name, p, q, origin) for p, q in combinations(properties, 2))
        case owl.SubPropertyOf(sub, owl.Property(iri)) if iri in BOTTOM_PROPERTIES:
            return (Body([property_atom(sub, X, Y)]).rule("pr-empty", None, origin),)
        case owl.Characteristic():
            return _characteristic(axiom, origin)
        case owl.NegativePropertyAssertion(on, subject, object_):
            name = "prp-npa2" if on.kind is PropertyKind.DATA else "prp-npa1"
            return (Body([property_atom(on, subject, object_)]).rule(name, None, origin),)
        case owl.DifferentIndividuals(individuals) if len(set(individuals)) < len(individuals):
            return (Body().rule("eq-diff1", None, origin),)
        case owl.HasKey(keyed, properties):
            return (_key(keyed, properties, origin),)
    return ()


def _denial(inclusion: Inclusion, origin: str) -> Rule:
    body, term, conclusion = inclusion.body, inclusion.term, inclusion.conclusion
    match conclusion:
        case owl.ComplementOf(operand):
            body.require(operand, term)
            return body.rule("cls-maxqc1" if inclusion.below_all else "cls-com", None, origin)
        case owl.Cardinality(Bound.MAX, 0, on, filler):
            body.require(owl.SomeValuesFrom(on, filler or THING), term)
            return body.rule("cls-maxc1", None, origin)
        case owl.Cardinality(Bound.MAX, 1, on, filler):
            return _at_most_one(inclusion, on, filler or THING, origin)
        case owl.OneOf(individuals):
            if not body.atoms and not isinstance(body.resolved(term), Variable):
                raise NotARuleError(f"to be one of {conclusion} is a choice, which is outside OWL 2 RL")
            return body.rule("pr-oneof", None, origin, *((term, individual) for individual in individuals))
        case _ if isinstance(conclusion, DataRange):
            body.test(conclusion, term, inside=False)
            return body.rule(inclusion.name, None, origin)
    return body.rule("cls-maxc1" if inclusion.below_all else "cls-nothing2", None, origin)


def _at_most_one(
    inclusion: Inclusion, on: owl.PropertyExpression, filler: ClassExpression | DataRange, origin: str
) -> Rule:
    """`⊥ :- C(x), R(x, y), D(y), R(x, z), D(z), y ≠ z`."""
    body = inclusion.body
    values = body.fresh(), body.fresh()
    for value in values:
        body.atoms.append(property_atom(on, inclusion.term, value))
        body.require(filler, value)
    name = "cls-maxc2" if filler in (THING, owl.ANY_LITERAL) else "cls-maxqc3"
    return body.rule(name, None, origin, values)


def _key(keyed: ClassExpression, properties: tuple[owl.PropertyExpression, ...], origin: str) -> Rule:
    """`⊥ :- C(x), C(y), R(x, z), R(y, z), …, x ≠ y`."""
    if not properties:
        raise NotARuleError(
            "a key without properties says that there is one instance, which is outside OWL 2 RL"
        )
    body = Body()
    for instance in (X, Y):
        body.require(keyed, instance)
    for on in properties:
        value = body.fresh()
        body.atoms += (property_atom(on, X, value), property_atom(on, Y, value))
    return body.rule("prp-key", None, origin, (X, Y))


def _disjoint_classes(name: str, first: ClassExpression, second: ClassExpression, origin: str) -> Rule:
    body = Body()
    body.require(first, X)
    body.require(second, X)
    return body.rule(name, None, origin)


def _disjoint_properties(
    name: str, first: owl.PropertyExpression, second: owl.PropertyExpression, origin: str
) -> Rule:
    return Body([property_atom(first, X, Y), property_atom(second, X, Y)]).rule(name, None, origin)


def _characteristic(axiom: owl.Characteristic, origin: str) -> tuple[Rule, ...]:
    on = axiom.property
    match axiom.trait:
        case Trait.FUNCTIONAL:
            body = Body([property_atom(on, X, Y), property_atom(on, X, Z)])
            return (body.rule("prp-fp", None, origin, (Y, Z)),)
        case Trait.INVERSE_FUNCTIONAL:
            body = Body([property_atom(on, X, Z), property_atom(on, Y, Z)])
            return (body.rule("prp-ifp", None, origin, (X, Y)),)
        case Trait.IRREFLEXIVE:
            return (Body([property_atom(on, X, X)]).rule("prp-irp", None, origin),)
        case Trait.ASYMMETRIC:
            return (Body([property_atom(on, X, Y), property_atom(on, Y, X)]).rule("prp-asyp", None, origin),)
    return ()
