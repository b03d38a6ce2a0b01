"""Translation of normal-form axioms to constraints: rules without a head, whose body must never hold.

W3C: OWL 2 Profiles, section 4.3, the rules that derive `false`. Under unique names, the rules whose W3C head
is `owl:sameAs` (prp-fp, prp-ifp, cls-maxc2, cls-maxqc3) become constraints against two different values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations, combinations_with_replacement, product
from typing import TypeVar

from rdflib import Variable

from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.model.term import Term
from pantarhei.owl import axiom as owl
from pantarhei.owl.normal_form import alternatives
from pantarhei.owl.simplify import BOTTOM_PROPERTIES, is_extreme, simplify
from pantarhei.rules.translation.body import (
    Body,
    Inclusion,
    NeverError,
    NotARuleError,
    X,
    Y,
    Z,
    chain_body,
    open_inclusion,
    property_atom,
)

E = TypeVar("E")


def is_denial(conclusion: owl.Filler) -> bool:
    """True if the right side of an inclusion yields constraints instead of facts: ⊥, a complement, a maximal
    cardinality of 0 or 1, an enumeration, a data range.
    """
    return (
        conclusion == owl.NOTHING
        or isinstance(conclusion, owl.ComplementOf | owl.OneOf)
        or (isinstance(conclusion, owl.DataRange) and conclusion != owl.ANY_LITERAL)
        or (
            isinstance(conclusion, owl.Cardinality)
            and conclusion.bound is owl.Bound.MAX
            and conclusion.number < 2
        )
    )


def constraints_of(axiom: owl.Axiom, origin: Origin) -> tuple[Rule, ...]:
    """Return the constraints of an axiom in normal form; () if it yields rules only, or is a tautology.

    A constraint without a body is a contradiction.

    Raises:
        NotARuleError: the denied expression is not equivalent to a finite conjunction of atoms.
        NeverError: the denied expression is empty, so the axiom is a tautology.

    >>> from rdflib import URIRef
    >>> a, b = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B"))
    >>> print(*constraints_of(owl.DisjointClasses((a, b)), ""))
    ⊥ :- A(?x), B(?x).
    """
    match axiom:
        case owl.SubClassOf() | owl.PropertyDomain() | owl.PropertyRange():
            conclusion = open_inclusion(axiom).conclusion
            return tuple(_denials(axiom, conclusion, origin)) if is_denial(conclusion) else ()
        case owl.DisjointClasses(operands):
            name = "cax-dw" if len(operands) == 2 else "cax-adc"
            return tuple(_pairwise(name, operands, lambda body, each: body.require(each, X), origin))
        case owl.DisjointProperties(properties):
            name = "prp-pdw" if len(properties) == 2 else "prp-adp"
            return tuple(_pairwise(name, properties, _require_property, origin))
        case owl.SubPropertyOf(sub, owl.Property(iri)) if iri in BOTTOM_PROPERTIES:
            return (Body([property_atom(sub, X, Y)]).rule("pr-empty", None, origin),)
        case owl.SubPropertyChainOf(chain, owl.Property(iri)) if iri in BOTTOM_PROPERTIES:
            return (chain_body(chain)[0].rule("pr-empty", None, origin),)
        case owl.Characteristic():
            return _characteristic(axiom, origin)
        case owl.NegativePropertyAssertion(on, subject, object_):
            name = "prp-npa2" if on.kind is owl.PropertyKind.DATA else "prp-npa1"
            return (Body([property_atom(on, subject, object_)]).rule(name, None, origin),)
        case owl.HasKey(keyed, properties):
            ways = alternatives(simplify(keyed))
            return tuple(_key(pair, properties, origin) for pair in product(ways, ways))
    return ()


def _denials(
    axiom: owl.SubClassOf | owl.PropertyDomain | owl.PropertyRange, conclusion: owl.Filler, origin: Origin
) -> Iterator[Rule]:
    """Yield the constraints of an inclusion whose right side is a denial. A denied union yields a constraint
    for each operand.

    Each constraint extends a body of its own, so the inclusion is opened again for each.
    """
    match conclusion:
        case owl.ComplementOf(operand):
            for way in alternatives(operand):
                inclusion = open_inclusion(axiom)
                inclusion.body.require(way, inclusion.term)
                yield inclusion.body.rule("cls-maxqc1" if inclusion.below_all else "cls-com", None, origin)
        case owl.Cardinality(owl.Bound.MAX, 0, on, filler):
            for way in alternatives(owl.THING if filler is None else filler):
                inclusion = open_inclusion(axiom)
                inclusion.body.require(owl.SomeValuesFrom(on, way), inclusion.term)
                yield inclusion.body.rule("cls-maxc1", None, origin)
        case owl.Cardinality(owl.Bound.MAX, 1, on, filler):
            ways = alternatives(owl.THING if filler is None else filler)
            for pair in combinations_with_replacement(ways, 2):
                yield _at_most_one(open_inclusion(axiom), origin, on, pair)
        case owl.OneOf(individuals):
            yield _nothing_but(open_inclusion(axiom), origin, individuals)
        case _ if isinstance(conclusion, owl.DataRange):
            inclusion = open_inclusion(axiom)
            inclusion.body.test(conclusion, inclusion.term, inside=False)
            yield inclusion.body.rule(inclusion.name, None, origin)
        case _:
            inclusion = open_inclusion(axiom)
            name = "cls-maxc1" if inclusion.below_all else "cls-nothing2"
            yield inclusion.body.rule(name, None, origin)


def _nothing_but(inclusion: Inclusion, origin: Origin, individuals: tuple[Term, ...]) -> Rule:
    """Return the constraint of an enumeration {a, b}: `⊥ :- C(x), x ≠ a, x ≠ b`."""
    body, term = inclusion.body, inclusion.term
    if not body.atoms and not isinstance(body.resolved(term), Variable):
        raise NotARuleError(f"to be one of {inclusion.conclusion} is a choice, which is outside OWL 2 RL")
    return body.rule("pr-oneof", None, origin, *((term, individual) for individual in individuals))


def _at_most_one(
    inclusion: Inclusion,
    origin: Origin,
    on: owl.PropertyExpression,
    fillers: tuple[owl.Filler, ...],
) -> Rule:
    """Return a constraint of `≤ 1 R.(D ⊔ E)`: `⊥ :- C(x), R(x, y), D(y), R(x, z), E(z), y ≠ z`."""
    body = inclusion.body
    values = body.fresh(), body.fresh()
    for value, filler in zip(values, fillers, strict=True):
        body.atoms.append(property_atom(on, inclusion.term, value))
        body.require(filler, value)
    plain = all(filler in (owl.THING, owl.ANY_LITERAL) for filler in fillers)
    return body.rule("cls-maxc2" if plain else "cls-maxqc3", None, origin, values)


def _key(
    keyed: tuple[owl.Filler, ...], properties: tuple[owl.PropertyExpression, ...], origin: Origin
) -> Rule:
    """Return a constraint of a key R, …: `⊥ :- C(x), D(y), R(x, z), R(y, z), …, x ≠ y`."""
    if not properties:
        raise NotARuleError("a key without properties allows one instance, which is outside OWL 2 RL")
    body = Body()
    for instance, class_ in zip((X, Y), keyed, strict=True):
        body.require(class_, instance)
    for on in properties:
        value = body.fresh()
        body.atoms += (property_atom(on, X, value), property_atom(on, Y, value))
    return body.rule("prp-key", None, origin, (X, Y))


def _pairwise(
    name: str,
    operands: Sequence[E],
    require: Callable[[Body, E], None],
    origin: Origin,
) -> Iterator[Rule]:
    """Yield a constraint for each pair of `operands`; pairs with an empty operand yield none.

    Args:
        require: adds the conditions of membership in an operand to a body.

    A pair of names skips `canonical`: its two atoms have the same arguments, so they only have to be sorted
    by predicate. A thousand disjoint classes have half a million pairs.
    """
    atoms = list(map(_atom_of_name, operands))
    predicates = sorted({str(atom.predicate) for atom in atoms if atom is not None})
    ranks = {predicate: rank for rank, predicate in enumerate(predicates)}
    ranked = [
        (operand, atom, -1 if atom is None else ranks[str(atom.predicate)])
        for operand, atom in zip(operands, atoms, strict=True)
    ]
    for (first, one, low), (second, other, high) in combinations(ranked, 2):
        if one is not None and other is not None and low != high:
            yield Rule(name, (one, other) if low < high else (other, one), None, (), origin)
            continue
        with suppress(NeverError):
            body = Body()
            require(body, first)
            require(body, second)
            yield body.rule(name, None, origin)


def _require_property(body: Body, on: owl.PropertyExpression) -> None:
    body.atoms.append(property_atom(on, X, Y))


def _atom_of_name(operand: object) -> Atom | None:
    """Return `A(x)` or `P(x, y)` for a name that is neither universal nor empty; None for expressions."""
    if isinstance(operand, owl.Class) and operand not in (owl.THING, owl.NOTHING):
        return Atom(operand.iri, (X,))
    if isinstance(operand, owl.Property) and not is_extreme(operand):
        return Atom(operand.iri, (X, Y))
    return None


def _characteristic(axiom: owl.Characteristic, origin: Origin) -> tuple[Rule, ...]:
    on = axiom.property
    match axiom.trait:
        case owl.Trait.FUNCTIONAL:
            body = Body([property_atom(on, X, Y), property_atom(on, X, Z)])
            return (body.rule("prp-fp", None, origin, (Y, Z)),)
        case owl.Trait.INVERSE_FUNCTIONAL:
            body = Body([property_atom(on, X, Z), property_atom(on, Y, Z)])
            return (body.rule("prp-ifp", None, origin, (X, Y)),)
        case owl.Trait.IRREFLEXIVE:
            return (Body([property_atom(on, X, X)]).rule("prp-irp", None, origin),)
        case owl.Trait.ASYMMETRIC:
            return (Body([property_atom(on, X, Y), property_atom(on, Y, X)]).rule("prp-asyp", None, origin),)
    return ()
