"""Class expressions in negation normal form, in which equivalent ways of writing an expression are unified.

Complements occur only before expressions without a dual. Cardinalities 0 and 1 become quantifiers where that
is equivalent. Intersections and unions are flat and have no duplicates, owl:Thing or owl:Nothing as operands.
The absence of values in a data range remains a cardinality restriction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from rdflib import OWL, RDFS, URIRef

from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import (
    NOTHING,
    THING,
    Axiom,
    Bound,
    Cardinality,
    ClassExpression,
    DataRange,
    Filler,
    parts,
    rewritten,
)

T = TypeVar("T")


def datatype_definitions(axioms: Iterable[Axiom]) -> dict[URIRef, DataRange]:
    """Return the definition of each defined datatype, in which defined datatypes are replaced by their
    definitions.

    If a datatype has several definitions, the first one is used. Cyclic definitions are omitted.

    >>> from rdflib import XSD
    >>> name, integer = owl.Datatype(URIRef("urn:x/count")), owl.Datatype(XSD.integer)
    >>> {str(n): str(r) for n, r in datatype_definitions([owl.DatatypeDefinition(name, integer)]).items()}
    {'urn:x/count': 'integer'}
    """
    written: dict[URIRef, DataRange] = {}
    for axiom in axioms:
        if isinstance(axiom, owl.DatatypeDefinition):
            written.setdefault(axiom.datatype.iri, axiom.range)
    resolved: dict[URIRef, DataRange] = {}
    for name in written:
        _resolve(name, written, resolved, ())
    return resolved


def _resolve(
    name: URIRef,
    written: Mapping[URIRef, DataRange],
    resolved: dict[URIRef, DataRange],
    above: tuple[URIRef, ...],
) -> bool:
    """Resolve `name` and the datatypes its definition uses; return False if the definition is cyclic."""
    if name in resolved or name not in written:
        return True
    if name in above:
        return False
    needed = [part.iri for part in parts(written[name]) if isinstance(part, owl.Datatype)]
    if not all(_resolve(other, written, resolved, (*above, name)) for other in needed):
        return False
    resolved[name] = inline_datatypes(written[name], resolved)
    return True


def data_ranges(value: object) -> Iterator[DataRange]:
    """Yield the outermost data ranges in an axiom or expression."""
    return (part for part in parts(value, whole=DataRange) if isinstance(part, DataRange))


def inline_datatypes(value: T, definitions: Mapping[URIRef, DataRange]) -> T:
    """Replace each defined datatype in an axiom or expression by its definition.

    In a datatype restriction, a defined datatype is replaced only if its definition is a datatype: OWL 2 does
    not define facets for other definitions (structural specification, section 9.4).
    """

    def inlined(part: object) -> object:
        match part:
            case owl.Datatype(iri):
                return definitions.get(iri, part)
            case owl.DatatypeRestriction(datatype):
                base = definitions.get(datatype.iri)
                return replace(part, datatype=base) if isinstance(base, owl.Datatype) else part
        return None

    return rewritten(value, inlined) if definitions else value


NO_LITERAL = owl.DataOneOf(())
TOP_PROPERTIES = frozenset({OWL.topObjectProperty, OWL.topDataProperty})
BOTTOM_PROPERTIES = frozenset({OWL.bottomObjectProperty, OWL.bottomDataProperty})


def simplify(expression: ClassExpression) -> ClassExpression:
    """Return an equivalent expression in negation normal form. Idempotent.

    >>> from rdflib import URIRef
    >>> a, b = owl.Class(URIRef("urn:x/A")), owl.Class(URIRef("urn:x/B"))
    >>> str(simplify(owl.ComplementOf(owl.UnionOf((a, owl.ComplementOf(b))))))
    'ObjectIntersectionOf(ObjectComplementOf(A) B)'
    """
    match expression:
        case owl.IntersectionOf(operands):
            return intersection(map(simplify, operands))
        case owl.UnionOf(operands):
            return union(map(simplify, operands))
        case owl.ComplementOf(operand):
            return _complement(simplify(operand))
        case owl.HasValue(on) | owl.HasSelf(on) if is_extreme(on):
            return NOTHING if is_bottom(on) else THING
        case owl.SomeValuesFrom(on, filler):
            return some(on, simple_filler(filler))
        case owl.AllValuesFrom(on, filler):
            return every(on, simple_filler(filler))
        case Cardinality():
            return _cardinality(expression)
        case owl.Class(RDFS.Resource):
            return THING
        case owl.OneOf(individuals):
            return owl.OneOf(tuple(dict.fromkeys(individuals))) if individuals else NOTHING
        case _:
            return expression


def intersection(operands: Iterable[ClassExpression]) -> ClassExpression:
    """Return the intersection of simplified expressions: flat, without owl:Thing and duplicates."""
    return _combine(_flat(operands, owl.IntersectionOf), owl.IntersectionOf, THING, NOTHING)


def union(operands: Iterable[ClassExpression]) -> ClassExpression:
    """Return the union of simplified expressions: flat, without owl:Nothing and duplicates."""
    return _combine(_flat(operands, owl.UnionOf), owl.UnionOf, NOTHING, THING)


def some(on: owl.PropertyExpression, filler: Filler) -> ClassExpression:
    """Return `∃R.C` for a simplified C: `∃R.{a}` becomes a value restriction, and `∃R.⊥` becomes ⊥."""
    if is_bottom(on) or (is_extreme(on) and filler in (THING, owl.ANY_LITERAL)):
        return NOTHING if is_bottom(on) else THING
    match filler:
        case owl.OneOf((value,)):
            return owl.HasValue(on, value)
        case owl.DataOneOf(values):
            return union(owl.HasValue(on, value) for value in values)
    return NOTHING if filler == NOTHING else owl.SomeValuesFrom(on, filler)


def every(on: owl.PropertyExpression, filler: Filler) -> ClassExpression:
    """Return `∀R.C` for a simplified C: `∀R.⊤` becomes ⊤."""
    if filler == NO_LITERAL:
        return Cardinality(Bound.MAX, 0, on, owl.ANY_LITERAL)
    return THING if is_bottom(on) or filler in (THING, owl.ANY_LITERAL) else owl.AllValuesFrom(on, filler)


def is_extreme(on: owl.PropertyExpression) -> bool:
    """True if the property, or its inverse, is universal or empty."""
    return named(on).iri in TOP_PROPERTIES | BOTTOM_PROPERTIES


def is_bottom(on: owl.PropertyExpression) -> bool:
    """True if the property is empty."""
    return named(on).iri in BOTTOM_PROPERTIES


def named(on: owl.PropertyExpression) -> owl.Property:
    """Return the property of a property expression, without its inversion."""
    return on.inverted if isinstance(on, owl.InverseOf) else on


def _flat(
    operands: Iterable[ClassExpression], constructor: type[owl.IntersectionOf | owl.UnionOf]
) -> Iterator[ClassExpression]:
    for operand in operands:
        yield from operand.operands if isinstance(operand, constructor) else (operand,)


def _combine(parts: Iterable[T], constructor: Callable[[tuple[T, ...]], T], neutral: T, absorbing: T) -> T:
    """Combine distinct parts, without the neutral one; if a part is absorbing, the result is that part."""
    kept = tuple(dict.fromkeys(part for part in parts if part != neutral))
    if absorbing in kept:
        return absorbing
    return constructor(kept) if len(kept) > 1 else kept[0] if kept else neutral


def simple_filler(filler: Filler) -> Filler:
    """Return a simplified class expression or data range."""
    return simplify_range(filler) if isinstance(filler, DataRange) else simplify(filler)


def simplify_range(range_: DataRange) -> DataRange:
    """Return an equivalent data range without double complements and without trivial unions or intersections.

    >>> str(simplify_range(owl.DataComplementOf(owl.DataComplementOf(owl.ANY_LITERAL))))
    'Literal'
    """
    match range_:
        case owl.DataComplementOf(operand):
            return _other_literals(simplify_range(operand))
        case owl.DataUnionOf(operands):
            return _combine(map(simplify_range, operands), owl.DataUnionOf, NO_LITERAL, owl.ANY_LITERAL)
        case owl.DataIntersectionOf(operands):
            return _combine(
                map(simplify_range, operands), owl.DataIntersectionOf, owl.ANY_LITERAL, NO_LITERAL
            )
        case owl.DataOneOf(literals):
            return owl.DataOneOf(tuple(dict.fromkeys(literals)))
        case owl.DatatypeRestriction(datatype, ()):
            return datatype
    return range_


def _other_literals(simple: DataRange) -> DataRange:
    match simple:
        case owl.DataComplementOf(operand):
            return operand
        case _ if simple == owl.ANY_LITERAL:
            return NO_LITERAL
        case _ if simple == NO_LITERAL:
            return owl.ANY_LITERAL
    return owl.DataComplementOf(simple)


def _cardinality(restriction: Cardinality) -> ClassExpression:
    bound, number, on, filler = (
        restriction.bound,
        restriction.number,
        restriction.property,
        restriction.filler,
    )
    if filler is None:
        filler = owl.ANY_LITERAL if on.kind is owl.PropertyKind.DATA else THING
    filler = simple_filler(filler)
    if bound is Bound.EXACT:
        parts = (Cardinality(b, number, on, filler) for b in (Bound.MIN, Bound.MAX))
        return intersection(map(_cardinality, parts))
    if filler in (NOTHING, NO_LITERAL) or is_bottom(on):
        return THING if bound is Bound.MAX or number == 0 else NOTHING
    match bound, number:
        case Bound.MIN, 0:
            return THING
        case Bound.MIN, 1:
            return some(on, filler)
        case Bound.MAX, 0:
            return _no_value(on, filler)
    return Cardinality(bound, number, on, filler)


def _no_value(on: owl.PropertyExpression, filler: Filler) -> ClassExpression:
    """Return `∀R.¬C`. For a data range, return the cardinality restriction with maximum 0, which a constraint
    can test directly.
    """
    if isinstance(filler, DataRange):
        return Cardinality(Bound.MAX, 0, on, filler)
    return every(on, _complement(filler))


def _complement(simple: ClassExpression) -> ClassExpression:
    """Return the complement of a simplified expression, with the negation pushed inwards."""
    match simple:
        case owl.ComplementOf(operand):
            return operand
        case owl.IntersectionOf(operands):
            return union(map(_complement, operands))
        case owl.UnionOf(operands):
            return intersection(map(_complement, operands))
        case owl.SomeValuesFrom(on, filler):
            return _no_value(on, filler)
        case owl.AllValuesFrom(on, filler):
            others = _other_literals(filler) if isinstance(filler, DataRange) else _complement(filler)
            return some(on, others)
        case Cardinality(Bound.MAX, number, on, filler):
            return _cardinality(Cardinality(Bound.MIN, number + 1, on, filler))
        case Cardinality(Bound.MIN, number, on, filler):
            return _cardinality(Cardinality(Bound.MAX, number - 1, on, filler))
    if simple in (THING, NOTHING):
        return NOTHING if simple == THING else THING
    return owl.ComplementOf(simple)
