"""Small random programs, backgrounds and facts, many of which can be sharded by a subject or by a background
property.
"""

from itertools import chain

from hypothesis import strategies as st
from rdflib import OWL

from pantarhei.model.rule import Different, Rule
from strategies import (
    CLASS_FACTS,
    CLASSES,
    CONSTRAINTS,
    DERIVING_RULES,
    DISJOINT_CLASSES,
    DISJOINT_PROPERTIES,
    EX,
    FUNCTIONAL,
    INDIVIDUALS,
    INTERSECTION,
    LITERAL_FACTS,
    LITERALS,
    OVER_LITERALS,
    PROPERTIES,
    PROPERTY_FACTS,
    A,
    B,
    C,
    D,
    R,
    S,
    V,
    a,
    b,
    class_variables,
    is_a,
    member,
    related,
    x,
    y,
    z,
)

# Background properties: a key whose values are names, one whose values are literals, and one between names.
IN, ZONE, NEAR = EX.inBuilding, EX.zone, EX.near
HOUSES = (EX.h1, EX.h2)
NAMES = (*INDIVIDUALS, EX.d, *HOUSES)


def rule(head, *body, different=()):
    return Rule("r", body, head, different)


WITH_BACKGROUND = [
    rule(is_a(C, x), is_a(A, x), related(IN, x, y), is_a(B, y)),
    rule(is_a(B, y), is_a(A, x), related(IN, x, y)),
    rule(is_a(D, x), is_a(B, y), related(IN, x, y)),
    rule(is_a(C, y), is_a(A, x), related(IN, x, y), related(IN, z, y), is_a(B, z)),
    rule(None, is_a(A, x), related(IN, x, y), related(IN, z, y), is_a(B, z)),
    rule(related(S, y, x), related(R, x, y), related(IN, x, z), related(IN, y, z)),
    rule(None, is_a(A, x), related(ZONE, x, y), related(ZONE, z, y), is_a(B, z)),
    rule(related(V, x, y), is_a(A, x), related(ZONE, x, y)),
    rule(is_a(C, x), is_a(A, x), related(NEAR, x, y), is_a(B, y)),
    rule(is_a(B, y), is_a(A, x), related(NEAR, x, y)),
    rule(None, is_a(C, x), related(NEAR, y, x), is_a(D, y)),
    rule(related(R, x, y), related(NEAR, x, y)),
    rule(related(NEAR, x, y), related(IN, x, y)),
]
WITH_CONSTANTS = [
    rule(is_a(C, a), related(R, x, a)),
    rule(is_a(C, a), is_a(A, a), is_a(B, b)),
    rule(None, is_a(A, a), is_a(B, b)),
    rule(None, related(R, x, a), is_a(B, a)),
    rule(is_a(D, x), related(IN, x, EX.h1), is_a(A, x), is_a(B, EX.h1)),
]
OTHERS = [
    rule(is_a(D, x), is_a(OWL.Thing, x), is_a(A, x)),
    rule(is_a(B, x), is_a(OWL.Thing, x)),
    rule(related(R, x, x), is_a(B, x)),
    rule(is_a(A, x), related(R, x, x)),
    rule(is_a(A, x), related(R, x, y), related(S, x, y)),
    rule(is_a(B, y), related(R, x, y), related(S, y, x)),
    rule(is_a(A, z), related(V, x, y), related(V, z, y), is_a(A, x)),
    rule(None, is_a(A, x), is_a(B, y), related(R, x, y), different=(Different(x, y),)),
    rule(is_a(B, y), related(OWL.sameAs, x, y), is_a(A, x)),
]
OVER_LINKS = [
    rule(is_a(C, x), is_a(A, x), related(R, x, y), is_a(B, y)),
    rule(None, is_a(A, x), related(S, x, y), is_a(C, y)),
    rule(related(S, x, z), related(R, x, y), related(R, y, z)),
    rule(related(R, x, z), related(R, x, y), related(R, y, z)),
    rule(related(R, y, x), related(R, x, y)),
    rule(related(R, x, y), related(S, x, z), related(NEAR, z, y)),
    rule(None, related(R, x, y), related(R, z, y), different=(Different(x, z),)),
    rule(is_a(A, y), related(R, x, y), is_a(D, x)),
    rule(related(OWL.sameAs, y, z), related(S, x, y), related(S, x, z)),
]
ON_SUBJECT = [*INTERSECTION, *DISJOINT_PROPERTIES, *FUNCTIONAL, *DISJOINT_CLASSES]
PLAIN = [*DERIVING_RULES, *CONSTRAINTS, *OVER_LITERALS]
STREAMED = [
    *CLASS_FACTS,
    *PROPERTY_FACTS,
    *LITERAL_FACTS,
    *(member(class_, name) for class_ in CLASSES for name in (EX.d, *HOUSES)),
    *((name, P, other) for P in PROPERTIES for name in INDIVIDUALS for other in HOUSES),
    *((house, P, a) for P in PROPERTIES for house in HOUSES),
    (a, OWL.sameAs, b),
    member(OWL.Thing, a),
]


def some(elements, most):
    """Lists whose lengths are spread evenly."""
    of = st.sampled_from(elements)
    return st.sampled_from(range(most + 1)).flatmap(lambda n: st.lists(of, min_size=n, max_size=n))


programs = st.tuples(
    some(DISJOINT_CLASSES, 2),
    some(ON_SUBJECT, 2),
    some(PLAIN, 2),
    some(WITH_BACKGROUND, 2),
    some([*WITH_CONSTANTS, *OTHERS], 1),
    some(OVER_LINKS, 2),
    class_variables(),
).map(lambda drawn: tuple(dict.fromkeys(chain(*drawn))))

OFTEN = [*(member(class_, name) for class_ in CLASSES for name in (a, b)), *((a, P, b) for P in PROPERTIES)]
pools = st.tuples(some(OFTEN, 6), st.lists(st.sampled_from(STREAMED), min_size=8, max_size=8)).map(
    lambda drawn: [*drawn[0], *drawn[1]]
)
streams = st.lists(some(range(14), 7), min_size=4, max_size=7)


@st.composite
def backgrounds(draw):
    """Mostly two houses with names in them, values, and a few links, most of them inside a house."""
    houses = draw(st.tuples(*[st.sampled_from((*HOUSES, None))] * 4))
    house = dict(zip(NAMES, houses, strict=False))
    facts = [(name, IN, at) for name, at in house.items() if at]
    facts += [(name, ZONE, draw(st.sampled_from(LITERALS))) for name in draw(some(INDIVIDUALS, 2))]
    for one, other in draw(st.lists(st.tuples(*[st.sampled_from(NAMES)] * 2), max_size=3)):
        if house.get(one, one) == house.get(other, other) or draw(st.integers(0, 4)) == 0:
            facts.append((one, NEAR, other))
    odd = [(a, IN, b), (a, OWL.sameAs, b), member(A, a), member(B, EX.h1)]
    return [*facts, *(draw(some(odd, 1)) if draw(st.booleans()) else ())]


declarations = st.none() | st.lists(
    st.sampled_from((*CLASSES, *PROPERTIES, V, OWL.Thing)), min_size=2, max_size=6
)
