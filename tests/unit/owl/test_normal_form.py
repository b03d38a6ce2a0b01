"""Normal axioms: idempotence, and that nothing changes its meaning."""

from __future__ import annotations

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import URIRef

from counts import cases
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import NOTHING, THING, Bound, InverseOf, Property, SubClassOf, Trait
from pantarhei.owl.normal_form import PASSES, count_alternatives, normalize
from pantarhei.owl.simplify import simplify

CLASSES = [owl.Class(URIRef("urn:x/" + name)) for name in "AB"] + [THING, NOTHING]
PROPERTIES = [Property(URIRef("urn:x/p")), InverseOf(Property(URIRef("urn:x/q")))]
INDIVIDUALS = [URIRef("urn:x/i"), URIRef("urn:x/j")]
properties = st.sampled_from(PROPERTIES)
leaves = st.one_of(
    st.sampled_from(CLASSES),
    st.builds(owl.HasValue, properties, st.sampled_from(INDIVIDUALS)),
    st.builds(owl.HasSelf, properties),
    st.builds(owl.OneOf, st.lists(st.sampled_from(INDIVIDUALS), max_size=2).map(tuple)),
)


def grown(inner):
    operands = st.lists(inner, min_size=1, max_size=3).map(tuple)
    return st.one_of(
        st.builds(owl.IntersectionOf, operands),
        st.builds(owl.UnionOf, operands),
        st.builds(owl.ComplementOf, inner),
        st.builds(owl.SomeValuesFrom, properties, inner),
        st.builds(owl.AllValuesFrom, properties, inner),
        st.builds(owl.Cardinality, st.sampled_from(Bound), st.integers(0, 2), properties, st.none() | inner),
    )


expressions = st.recursive(leaves, grown, max_leaves=6)
axioms = st.one_of(
    st.builds(SubClassOf, expressions, expressions),
    st.builds(owl.EquivalentClasses, st.lists(expressions, min_size=2, max_size=3).map(tuple)),
    st.builds(owl.DisjointClasses, st.lists(expressions, min_size=2, max_size=3).map(tuple)),
    st.builds(
        owl.DisjointUnion, st.sampled_from(CLASSES), st.lists(expressions, min_size=2, max_size=3).map(tuple)
    ),
    st.builds(owl.PropertyDomain, properties, expressions),
    st.builds(owl.PropertyRange, properties, expressions),
    st.builds(owl.ClassAssertion, expressions, st.sampled_from(INDIVIDUALS)),
    st.builds(owl.SubPropertyOf, properties, properties),
    st.builds(owl.EquivalentProperties, st.tuples(properties, properties)),
    st.builds(owl.InverseProperties, properties, properties),
    st.builds(owl.SubPropertyChainOf, st.lists(properties, min_size=1, max_size=3).map(tuple), properties),
    st.builds(owl.Characteristic, st.sampled_from(Trait), properties),
    st.builds(owl.NegativePropertyAssertion, properties, *[st.sampled_from(INDIVIDUALS)] * 2),
)


@given(st.lists(axioms, max_size=3).map(tuple))
@settings(max_examples=cases(50, 300), deadline=None)
def test_normalizing_twice_changes_nothing(given_axioms):
    once = normalize(given_axioms)
    assert normalize(once) == once


@given(expressions)
@settings(max_examples=cases(50, 300), deadline=None)
def test_simplifying_twice_changes_nothing(expression):
    assert simplify(simplify(expression)) == simplify(expression)


# --- Meaning, in small interpretations: two elements, named i and j ---

DOMAIN = (0, 1)


def extension(expression, world):
    """The elements in `expression`: the direct semantics of OWL 2, table 4."""
    classes, values = world

    def successors(on, x):
        pairs = values[Property(on.inverted.iri) if isinstance(on, InverseOf) else on]
        return (
            {b for a, b in pairs if a == x}
            if not isinstance(on, InverseOf)
            else {a for a, b in pairs if b == x}
        )

    match expression:
        case owl.Class():
            return (
                set(DOMAIN)
                if expression == THING
                else set()
                if expression == NOTHING
                else classes[expression]
            )
        case owl.IntersectionOf(operands):
            return set(DOMAIN).intersection(*(extension(o, world) for o in operands))
        case owl.UnionOf(operands):
            return set().union(*(extension(o, world) for o in operands))
        case owl.ComplementOf(operand):
            return set(DOMAIN) - extension(operand, world)
        case owl.OneOf(individuals):
            return {INDIVIDUALS.index(i) for i in individuals}
        case owl.HasValue(on, value):
            return {x for x in DOMAIN if INDIVIDUALS.index(value) in successors(on, x)}
        case owl.HasSelf(on):
            return {x for x in DOMAIN if x in successors(on, x)}
        case owl.SomeValuesFrom(on, filler):
            return {x for x in DOMAIN if successors(on, x) & extension(filler, world)}
        case owl.AllValuesFrom(on, filler):
            return {x for x in DOMAIN if successors(on, x) <= extension(filler, world)}
        case owl.Cardinality(bound, number, on, filler):
            counts = {x: len(successors(on, x) & extension(filler or THING, world)) for x in DOMAIN}
            test = {Bound.MIN: int.__ge__, Bound.MAX: int.__le__, Bound.EXACT: int.__eq__}[bound]
            return {x for x in DOMAIN if test(counts[x], number)}
    raise AssertionError(expression)


def worlds():
    pairs = list(product(DOMAIN, DOMAIN))
    subsets = st.sets(st.sampled_from(DOMAIN))
    relations = st.sets(st.sampled_from(pairs))
    return st.tuples(
        st.fixed_dictionaries(dict.fromkeys(CLASSES[:2], subsets)),
        st.fixed_dictionaries(
            {Property(URIRef("urn:x/p")): relations, Property(URIRef("urn:x/q")): relations}
        ),
    )


@given(expressions, worlds())
@settings(max_examples=cases(80, 500), deadline=None)
def test_a_simplified_expression_means_the_same(expression, world):
    assert extension(simplify(expression), world) == extension(expression, world)


@given(expressions, expressions, worlds())
@settings(max_examples=cases(80, 500), deadline=None)
def test_normal_inclusions_mean_the_same(sub, super_, world):
    normal = normalize((SubClassOf(sub, super_),))
    holds = [
        not isinstance(axiom, owl.SameIndividual)  # different names are different in these worlds
        and extension(axiom.sub, world) <= extension(axiom.super, world)
        for axiom in normal
    ]
    assert all(holds) == (extension(sub, world) <= extension(super_, world))


@given(expressions)
@settings(max_examples=cases(30, 200), deadline=None)
def test_as_many_inclusions_come_out_as_were_counted(expression):
    simple = simplify(expression)
    normal = normalize((SubClassOf(simple, CLASSES[0]),))
    assert len(normal) <= max(1, count_alternatives(simple))


def test_passes_are_named_for_what_they_do():
    assert len({run.__name__ for run in PASSES}) == len(PASSES)
