"""Normal form of axioms, from which they are translated to rules one by one.

An axiom in normal form is one of the following: a class inclusion without a union on its left side and
without an intersection on its right side; an inclusion of properties or of a property chain; a disjointness;
a characteristic of a property; an axiom about individuals. `normalize` applies `PASSES` in order. Each pass
is pure, preserves the meaning, and rewrites every axiom independently of the others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from itertools import combinations, permutations, product
from math import prod

from rdflib import OWL

from pantarhei.owl import axiom as owl
from pantarhei.owl.simplify import every, intersection, is_bottom, is_extreme, simplify, some

Axioms = tuple[owl.Axiom, ...]
Pass = Callable[[Axioms], Axioms]

# Largest number of inclusions into which one inclusion is split; one with more alternatives is reported as
# lost.
MOST_ALTERNATIVES = 10_000


def _pass(rewrite: Callable[[owl.Axiom], Iterator[owl.Axiom]]) -> Pass:
    """Make a pass over axioms from a function that rewrites one axiom."""

    @wraps(rewrite)
    def apply(axioms: Axioms) -> Axioms:
        return tuple(dict.fromkeys(new for axiom in axioms for new in rewrite(axiom)))

    return apply


@_pass
def expand_equivalences(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace an equivalence by inclusions in both directions between all pairs of operands (cax-eqc1,
    cax-eqc2, prp-eqp1, prp-eqp2).

    >>> from rdflib import URIRef
    >>> a, b = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B"))
    >>> [str(axiom) for axiom in expand_equivalences((owl.EquivalentClasses((a, b)),))]
    ['SubClassOf(A B)', 'SubClassOf(B A)']
    """
    match axiom:
        case owl.EquivalentClasses(operands):
            yield from (owl.SubClassOf(a, b) for a, b in permutations(operands, 2))
        case owl.EquivalentProperties(properties):
            yield from (owl.SubPropertyOf(p, q) for p, q in permutations(properties, 2))
        case _:
            yield axiom


@_pass
def expand_disjoint_unions(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace a disjoint union by inclusions, disjointness, and the covering axiom, which is outside OWL 2
    RL.

    >>> from rdflib import URIRef
    >>> a, b, c = (owl.Class(URIRef("urn:x/" + name)) for name in "ABC")
    >>> for axiom in expand_disjoint_unions((owl.DisjointUnion(a, (b, c)),)):
    ...     print(axiom)
    SubClassOf(B A)
    SubClassOf(C A)
    DisjointClasses(B C)
    SubClassOf(A ObjectUnionOf(B C))
    """
    if not isinstance(axiom, owl.DisjointUnion):
        yield axiom
        return
    yield from (owl.SubClassOf(operand, axiom.union) for operand in axiom.operands)
    yield owl.DisjointClasses(axiom.operands)
    yield owl.SubClassOf(axiom.union, owl.UnionOf(axiom.operands))


@_pass
def inclusions_from_assertions(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace membership of an individual in a class expression by the inclusion of its nominal.

    >>> from rdflib import URIRef
    >>> a = owl.Class(URIRef("urn:x/A"))
    >>> [str(axiom) for axiom in inclusions_from_assertions((owl.ClassAssertion(a, URIRef("urn:x/i")),))]
    ['SubClassOf(ObjectOneOf(i) A)']
    """
    match axiom:
        case owl.ClassAssertion(type_, individual):
            yield owl.SubClassOf(owl.OneOf((individual,)), type_)
        case _:
            yield axiom


@_pass
def eliminate_inverses(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Eliminate inverses: an axiom about `P⁻` becomes an axiom about P with exchanged sides. Axioms about
    universal or empty properties are simplified too.

    >>> from rdflib import URIRef
    >>> p = owl.Property(URIRef("urn:x/p"))
    >>> functional = owl.Characteristic(owl.Trait.FUNCTIONAL, owl.InverseOf(p))
    >>> [str(axiom) for axiom in eliminate_inverses((functional,))]
    ['InverseFunctionalObjectProperty(p)']
    """
    match axiom:
        case owl.Characteristic(trait, owl.InverseOf(inner)):
            yield owl.Characteristic(_INVERTED_TRAIT.get(trait, trait), inner)
        case owl.PropertyDomain(owl.InverseOf(inner), domain):
            yield owl.PropertyRange(inner, domain)
        case owl.PropertyRange(owl.InverseOf(inner), range_) if not isinstance(range_, owl.DataRange):
            yield owl.PropertyDomain(inner, range_)
        case owl.InverseProperties(first, second) if is_bottom(first) or is_bottom(second):
            yield from (owl.SubPropertyOf(first, second), owl.SubPropertyOf(second, first))
        case owl.InverseProperties(first, second) if owl.InverseOf in (type(first), type(second)):
            yield from (owl.SubPropertyOf(first, inverse(second)), owl.SubPropertyOf(inverse(second), first))
        case owl.NegativePropertyAssertion(owl.InverseOf(inner), subject, object_):
            yield owl.NegativePropertyAssertion(inner, object_, subject)
        case owl.Characteristic(owl.Trait.REFLEXIVE, on) if is_bottom(on):
            yield owl.SubClassOf(owl.THING, owl.NOTHING)
        case owl.SubPropertyOf(sub, super_) if _is_top(sub) and is_bottom(super_):
            yield owl.SubClassOf(owl.THING, owl.NOTHING)
        case owl.PropertyDomain(on, domain) if _is_top(on):
            yield owl.SubClassOf(owl.THING, domain)
        case owl.PropertyRange(on, range_) if _is_top(on) and not isinstance(range_, owl.DataRange):
            yield owl.SubClassOf(owl.THING, range_)
        case owl.NegativePropertyAssertion(on) if _is_top(on):
            yield owl.SubClassOf(owl.THING, owl.NOTHING)
        case owl.DisjointProperties(properties) if any(map(_is_top, properties)):
            bottom = owl.Property(OWL.bottomObjectProperty)
            top = next(filter(_is_top, properties))
            others = list(properties)
            others.remove(top)
            yield from (owl.SubPropertyOf(other, bottom) for other in others)
        case owl.SubPropertyChainOf((single,), super_):
            yield owl.SubPropertyOf(single, super_)
        case owl.SubPropertyChainOf(chain, owl.InverseOf(inner)):
            yield owl.SubPropertyChainOf(tuple(map(inverse, reversed(chain))), inner)
        case _:
            yield axiom


@_pass
def move_inverse_left(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace `P⁻ ⊑ Q⁻` by `P ⊑ Q`, and `P ⊑ Q⁻` by `P⁻ ⊑ Q`."""
    if isinstance(axiom, owl.SubPropertyOf) and isinstance(axiom.super, owl.InverseOf):
        yield owl.SubPropertyOf(inverse(axiom.sub), axiom.super.inverted)
    else:
        yield axiom


@_pass
def simplify_expressions(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Put class expressions into negation normal form.

    >>> from rdflib import URIRef
    >>> a, p = owl.Class(URIRef("urn:x/A")), owl.Property(URIRef("urn:x/p"))
    >>> none = owl.Cardinality(owl.Bound.MAX, 0, p)
    >>> [str(axiom) for axiom in simplify_expressions((owl.SubClassOf(a, none),))]
    ['SubClassOf(A ObjectAllValuesFrom(p owl:Nothing))']
    """
    match axiom:
        case owl.SubClassOf(sub, super_):
            yield owl.SubClassOf(simplify(sub), simplify(super_))
        case owl.DisjointClasses(operands):
            yield owl.DisjointClasses(tuple(map(simplify, operands)))
        case owl.PropertyDomain(on, domain):
            yield owl.PropertyDomain(on, simplify(domain))
        case owl.PropertyRange(on, range_) if not isinstance(range_, owl.DataRange):
            yield owl.PropertyRange(on, simplify(range_))
        case _:
            yield axiom


@_pass
def pair_disjoint_expressions(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace disjointness with an unnamed class expression by an empty intersection for each pair; the named
    classes remain in one axiom.

    >>> from rdflib import URIRef
    >>> a, b, c = (owl.Class(URIRef("urn:x/" + name)) for name in "ABC")
    >>> for axiom in pair_disjoint_expressions((owl.DisjointClasses((a, b, owl.UnionOf((b, c)))),)):
    ...     print(axiom)
    DisjointClasses(A B)
    SubClassOf(ObjectIntersectionOf(A ObjectUnionOf(B C)) owl:Nothing)
    SubClassOf(ObjectIntersectionOf(B ObjectUnionOf(B C)) owl:Nothing)
    """
    if not isinstance(axiom, owl.DisjointClasses) or all(isinstance(o, owl.Class) for o in axiom.operands):
        yield axiom
        return
    named = tuple(operand for operand in axiom.operands if isinstance(operand, owl.Class))
    if len(named) > 1:
        yield owl.DisjointClasses(named)
    for first, second in combinations(axiom.operands, 2):
        if not (isinstance(first, owl.Class) and isinstance(second, owl.Class)):
            yield owl.SubClassOf(intersection((first, second)), owl.NOTHING)


@_pass
def split_right(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Split an inclusion into one for each conjunct on the right side, also below `∀R`. Complements in a
    union on the right side are moved to the left side.

    >>> from rdflib import URIRef
    >>> a, b, c = (owl.Class(URIRef("urn:x/" + name)) for name in "ABC")
    >>> [str(axiom) for axiom in split_right((owl.SubClassOf(a, owl.IntersectionOf((b, c))),))]
    ['SubClassOf(A B)', 'SubClassOf(A C)']
    >>> [str(axiom) for axiom in split_right((owl.SubClassOf(a, owl.UnionOf((owl.ComplementOf(b), c))),))]
    ['SubClassOf(ObjectIntersectionOf(A B) C)']
    """
    match axiom:
        case owl.SubClassOf(sub, super_):
            for part in _conjuncts(super_):
                inclusion = _without_complements(sub, part)
                yield from (inclusion,) if inclusion.super == part else split_right((inclusion,))
        case owl.PropertyDomain(on, domain):
            yield from (owl.PropertyDomain(on, part) for part in _conjuncts(domain))
        case owl.PropertyRange(on, range_) if not isinstance(range_, owl.DataRange):
            yield from (owl.PropertyRange(on, part) for part in _conjuncts(range_))
        case _:
            yield axiom


@_pass
def split_left(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Split an inclusion into one for each alternative on the left side, also below `∃R` and `⊓` (cls-uni).

    >>> from rdflib import URIRef
    >>> a, b, c = (owl.Class(URIRef("urn:x/" + name)) for name in "ABC")
    >>> [str(axiom) for axiom in split_left((owl.SubClassOf(owl.UnionOf((a, b)), c),))]
    ['SubClassOf(A C)', 'SubClassOf(B C)']
    """
    if isinstance(axiom, owl.SubClassOf) and _is_splittable(axiom.sub):
        yield from (owl.SubClassOf(sub, axiom.super) for sub in _alternatives(axiom.sub))
    else:
        yield axiom


@_pass
def unwrap_nominals(axiom: owl.Axiom) -> Iterator[owl.Axiom]:
    """Replace the inclusion of a nominal in another one by equality, and omit the tautological inclusion of a
    nominal in an enumeration that contains its name.

    >>> from rdflib import URIRef
    >>> i, j = (owl.OneOf((URIRef("urn:x/" + name),)) for name in "ij")
    >>> [str(axiom) for axiom in unwrap_nominals((owl.SubClassOf(i, j), owl.SubClassOf(i, i)))]
    ['SameIndividual(i j)']
    """
    match axiom:
        case owl.SubClassOf(owl.OneOf((individual,)), owl.OneOf(others)) if individual in others:
            return
        case owl.SubClassOf(owl.OneOf((individual,)), owl.OneOf((other,))):
            yield owl.SameIndividual((individual, other))
        case _:
            yield axiom


PASSES: tuple[Pass, ...] = (  # order matters
    expand_equivalences,
    expand_disjoint_unions,
    inclusions_from_assertions,
    eliminate_inverses,
    move_inverse_left,
    simplify_expressions,
    pair_disjoint_expressions,
    split_right,
    split_left,
    unwrap_nominals,
)


def normalize(axioms: Axioms) -> Axioms:
    """Return the distinct axioms in normal form. Idempotent."""
    for apply in PASSES:
        axioms = apply(axioms)
    return axioms


# --- Properties ---


def inverse(expression: owl.PropertyExpression) -> owl.PropertyExpression:
    """Return the inverse of a property expression, without double inversion."""
    return expression.inverted if isinstance(expression, owl.InverseOf) else owl.InverseOf(expression)


_INVERTED_TRAIT = {
    owl.Trait.FUNCTIONAL: owl.Trait.INVERSE_FUNCTIONAL,
    owl.Trait.INVERSE_FUNCTIONAL: owl.Trait.FUNCTIONAL,
}


def _is_top(expression: owl.PropertyExpression) -> bool:
    return is_extreme(expression) and not is_bottom(expression)


# --- Classes ---


def _conjuncts(expression: owl.ClassExpression) -> Iterator[owl.ClassExpression]:
    match expression:
        case owl.IntersectionOf(operands):
            for operand in operands:
                yield from _conjuncts(operand)
        case owl.AllValuesFrom(on, filler) if not isinstance(filler, owl.DataRange):
            yield from (every(on, part) for part in _conjuncts(filler))
        case _:
            yield expression


def _without_complements(sub: owl.ClassExpression, super_: owl.ClassExpression) -> owl.SubClassOf:
    """Rewrite `A ⊑ ¬B ⊔ C` as `A ⊓ B ⊑ C` if at most one disjunct remains on the right side."""
    if isinstance(super_, owl.UnionOf):
        denied = [part.operand for part in super_.operands if isinstance(part, owl.ComplementOf)]
        kept = [part for part in super_.operands if not isinstance(part, owl.ComplementOf)]
        if len(kept) <= 1:
            return owl.SubClassOf(intersection((sub, *denied)), kept[0] if kept else owl.NOTHING)
    return owl.SubClassOf(sub, super_)


def _is_splittable(sub: owl.ClassExpression) -> bool:
    """True if the alternatives are few, or not more than are written."""
    return count_alternatives(sub) <= max(MOST_ALTERNATIVES, _count_leaves(sub))


def _count_leaves(expression: owl.Filler) -> int:
    match expression:
        case owl.UnionOf(operands) | owl.IntersectionOf(operands):
            return sum(map(_count_leaves, operands))
        case owl.SomeValuesFrom(_, filler):
            return _count_leaves(filler)
        case owl.OneOf(individuals):
            return len(individuals)
    return 1


def count_alternatives(expression: owl.ClassExpression) -> int:
    """Return the number of expressions without a union into which `alternatives` would split
    the expression.
    """
    match expression:
        case owl.UnionOf(operands):
            return sum(map(count_alternatives, operands))
        case owl.IntersectionOf(operands):
            return prod(map(count_alternatives, operands))
        case owl.SomeValuesFrom(_, filler) if not isinstance(filler, owl.DataRange):
            return count_alternatives(filler)
        case owl.OneOf(individuals):
            return len(individuals)
        case _:
            return 1


def alternatives(expression: owl.Filler) -> tuple[owl.Filler, ...]:
    """Split an expression on a left side into expressions without a union; return it unsplit if there would
    be too many.
    """
    if isinstance(expression, owl.DataRange) or not _is_splittable(expression):
        return (expression,)
    return tuple(_alternatives(expression))


def _alternatives(expression: owl.ClassExpression) -> Iterator[owl.ClassExpression]:
    match expression:
        case owl.UnionOf(operands):
            for operand in operands:
                yield from _alternatives(operand)
        case owl.IntersectionOf(operands):
            yield from map(intersection, product(*(tuple(_alternatives(o)) for o in operands)))
        case owl.SomeValuesFrom(on, filler) if not isinstance(filler, owl.DataRange):
            yield from (some(on, part) for part in _alternatives(filler))
        case owl.OneOf(individuals):
            yield from (owl.OneOf((individual,)) for individual in individuals)
        case _:
            yield expression
