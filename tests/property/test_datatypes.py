"""Conditions on literals: engine and reference side by side.

Data ranges, comparisons and computations in rules and constraints, values in many forms, ill-typed literals.
"""

import math
from collections import Counter
from contextlib import contextmanager
from decimal import Decimal
from itertools import product
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal, Variable

from counts import cases, of_many
from oracle import materialization
from oracle.canonical_literals import canonical_facts, canonical_literal
from oracle.materialization import closure, is_consistent
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding import vocabulary
from pantarhei.model.data_range import (
    ILL_TYPED,
    DataComplementOf,
    DataOneOf,
    Datatype,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.model.rule import Builtin, Different, Member, Rule
from pantarhei.values.by_value import exact_rule
from pantarhei.values.membership import range_problem
from pantarhei.values.scalar_functions import SWRLB, compute
from pantarhei.values.value import is_ill_typed, unpacked, value_of
from ranges import RANGES
from ranges import literal as written
from strategies import EX, ONE, ONE_POINT_ZERO, TWO, A, B, C, D, R, V, a, b, is_a, member, related, x, y, z
from worlds import SideBySide, arrivals, at_once, windows

STEPS = Counter()
W, RESULT, COPY = EX.W, EX.result, EX.copy
u, v = Variable("u"), Variable("v")


def literal(text, datatype=XSD.integer, lang=None):
    return written(text, None if lang else datatype, lang)


def restricted(datatype, facet, text):
    return DatatypeRestriction(Datatype(datatype), ((facet, literal(text, datatype)),))


VALUES = [
    *(literal(text) for text in ("1", "01", "2", "0", "-0", "00")),
    *(literal(text, XSD.decimal) for text in ("1.0", "1.50", "2.", "0.0")),
    *(literal(text, XSD.double) for text in ("1", "1.0E0", "0", "-0", "NaN", "INF", "1.5")),
    *(literal(text, XSD.boolean) for text in ("true", "1", "0")),
    *(
        literal(f"2026-01-01T{text}", XSD.dateTime)
        for text in ("00:00:00Z", "01:00:00+01:00", "00:00:00", "00:00:00.0Z", "24:00:00Z")
    ),
    literal("a", XSD.string), literal("a", lang="en"), literal("a", lang="EN"), literal("a", EX.own),
    b,
]  # fmt: skip
ILL = [literal("x"), literal("1.5"), literal("1.5.", XSD.decimal), literal("maybe", XSD.boolean)]
SOME_RANGES = [
    restricted(XSD.decimal, XSD.minInclusive, "1.5"),
    restricted(XSD.integer, XSD.maxExclusive, "2"),
    restricted(XSD.double, XSD.minExclusive, "-0"),
    restricted(XSD.dateTime, XSD.minExclusive, "2026-01-01T00:00:00Z"),
    DataOneOf((literal("01"), literal("NaN", XSD.double), literal("a", lang="en"))),
    DataComplementOf(Datatype(XSD.integer)),
    DataComplementOf(DataOneOf((ONE,))),
    DataUnionOf((Datatype(XSD.boolean), Datatype(XSD.dateTime))),
    Datatype(XSD.integer),
    Datatype(EX.own),
]
ranges = st.sampled_from(SOME_RANGES) | RANGES.filter(lambda drawn: range_problem(drawn) is None)


def rules_over(range_, other):
    """Rules and constraints that ask whether literals are in two data ranges."""
    value = (related(V, x, y),)
    return [
        Rule("cls-svf1", value, is_a(A, x), tests=(Member(y, range_),)),
        Rule("cls-svf1", value, is_a(B, x), tests=(Member(y, other),)),
        Rule("cls-svf1", value, is_a(C, x), tests=(Member(y, range_, inside=False),)),
        Rule("cls-svf1", value, is_a(D, x), tests=(Member(y, range_), Member(y, other, inside=False))),
        Rule("cls-svf1", (*value, related(W, x, z)), is_a(A, x), tests=(Member(y, range_), Member(z, other))),
        Rule("prp-rng", value, None, tests=(Member(y, range_, inside=False),)),
        Rule("cls-avf", (is_a(A, x), related(W, x, y)), None, tests=(Member(y, other, inside=False),)),
    ]


def computed(name, *arguments):
    return Builtin(SWRLB[name], arguments)


# Nothing is computed from results, so that there is an end.
OVER_VALUES = [
    Rule("prp-fp", (related(V, x, y), related(V, x, z)), None, (Different(y, z),)),
    Rule("prp-fp", (related(RESULT, x, y), related(RESULT, x, z)), None, (Different(y, z),)),
    Rule("prp-ifp", (related(W, x, z), related(W, y, z)), None, (Different(x, y),)),
    Rule("prp-spo1", (related(V, x, y),), related(COPY, x, y)),
    Rule("prp-spo1", (related(W, x, y),), related(RESULT, x, y)),
    Rule("prp-spo2", (related(R, x, y), related(V, y, z)), related(W, x, z)),
    Rule("cls-hv1", (is_a(B, x),), related(V, x, ONE_POINT_ZERO)),
    Rule("cls-hv1", (is_a(C, x),), related(COPY, x, ILL[0])),
    Rule("cls-hv2", (related(V, x, ONE),), is_a(A, x)),
    Rule("prp-npa2", (related(RESULT, a, literal("2.0", XSD.decimal)),), None),
    Rule("cax-dw", (is_a(A, x), is_a(C, x)), None),
    Rule("cls-com", (is_a(D, x), related(COPY, x, y)), None),
    Rule("prp-dom", (related(V, x, y),), is_a(C, x)),
    *(
        Rule("pr-swrl", (related(V, x, y), related(W, x, z)), is_a(D, x), tests=(computed(name, y, z),))
        for name in ("lessThan", "equal", "notEqual", "greaterThanOrEqual")
    ),
    Rule(
        "pr-swrl",
        (related(V, x, y), related(R, x, z), related(W, z, u)),
        related(R, z, x),
        tests=(computed("equal", y, u),),
    ),
    Rule("pr-swrl", (related(V, x, y), related(W, x, z)), None, tests=(computed("greaterThan", y, z),)),
    Rule("pr-swrl", (related(V, x, y),), related(RESULT, x, u), tests=(computed("add", u, y, ONE),)),
    Rule("pr-swrl", (related(V, x, y),), related(RESULT, x, u), tests=(computed("multiply", u, y, y),)),
    Rule("pr-swrl", (related(V, x, y),), related(RESULT, x, u), tests=(computed("unaryMinus", u, y),)),
    Rule("pr-swrl", (related(W, x, y),), related(RESULT, x, u), tests=(computed("abs", u, y),)),
    Rule(
        "pr-swrl",
        (related(V, x, y), related(W, x, z)),
        related(RESULT, x, v),
        tests=(computed("subtract", u, y, z), computed("divide", v, u, TWO)),
    ),
    Rule(
        "pr-swrl",
        (related(V, x, y), related(W, x, z)),
        related(RESULT, x, u),
        (Different(u, z),),
        tests=(computed("add", u, y, z), computed("lessThan", u, TWO)),
    ),
    Rule(
        "pr-swrl",
        (related(V, x, y), related(W, x, z)),
        is_a(B, x),
        tests=(computed("add", z, y, ONE), Member(z, Datatype(XSD.integer))),
    ),
    Rule(
        "pr-swrl", (related(V, x, y),), None,
        tests=(computed("divide", u, ONE, y), Member(u, Datatype(XSD.integer), inside=False)),
    ),
]  # fmt: skip

# What the standard says of ill-typed literals, for each property.
NO_ILL_TYPED = tuple(
    Rule("dt-not-type", (related(P, x, y),), None, tests=(Member(y, ILL_TYPED),))
    for P in (V, W, RESULT, COPY, R)
)

CLASS_FACTS = [member(class_, name) for name, class_ in product((a, b), (A, B, C, D))]
NEAR = [  # equal as numbers, and different things
    [literal("1"), literal("01"), literal("1", XSD.double), literal("2"), literal("0", XSD.decimal)],
    [
        literal("0", XSD.double),
        literal("-0", XSD.double),
        literal("0"),
        literal("1"),
        literal("NaN", XSD.double),
    ],
    [literal("2.0", XSD.decimal), literal("1"), literal("1.0E0", XSD.double), literal("3")],
]


def facts(values):
    return st.one_of(
        st.tuples(st.sampled_from((a, a, a, b)), st.sampled_from((V, V, W)), st.sampled_from(values)),
        st.tuples(st.sampled_from((a, a, b)), st.sampled_from((V, W, RESULT)), st.sampled_from(values)),
        st.sampled_from([*CLASS_FACTS, (a, R, b), (b, R, a)]),
    )


@st.composite
def worlds(draw, over_ranges):
    """Rules, a background that is consistent with them and well-typed, and a pool of facts."""
    sizes = draw(st.sampled_from(((3, 2), (5, 0), (0, 6), (2, 4))))
    drawn = draw(st.lists(st.sampled_from(over_ranges), max_size=sizes[0]))
    drawn += draw(st.lists(st.sampled_from(OVER_VALUES), max_size=sizes[1]))
    drawn += draw(st.lists(st.sampled_from([rule for rule in OVER_VALUES if not rule.head]), max_size=2))
    rules = tuple(dict.fromkeys(drawn))
    any_values = st.lists(st.sampled_from(VALUES), min_size=2, max_size=4)
    fact = facts(draw(st.one_of(st.sampled_from(NEAR), any_values)))
    background = draw(st.one_of(st.just([]), st.lists(fact, max_size=2)))
    while not is_consistent(rules + NO_ILL_TYPED, background):
        background.pop()
    ill = st.tuples(st.sampled_from((a, b)), st.sampled_from((V, W, R)), st.sampled_from(ILL))
    return rules, background, [*(draw(fact) for _ in range(7)), draw(st.one_of(fact, ill))]


@pytest.mark.parametrize("keep", ["newest", "every"])
@given(data=st.data(), range_=ranges, other=ranges, window=windows, arrivals=arrivals)
@settings(max_examples=cases(20, 400), deadline=None)
def test_conditions_on_literals_hold_of_their_values(keep, data, range_, other, window, arrivals):
    rules, background, pool = data.draw(worlds(rules_over(range_, other)))
    # without inequalities names and equality make no difference
    unique_names = any(rule.different for rule in rules) or data.draw(st.booleans())
    ontology = Ontology.from_rules(rules)
    with at_once(data.draw(st.booleans())):
        reasoner = StreamReasoner(ontology, Window(*window), background, keep=keep, unique_names=unique_names)
        both = SideBySide(reasoner, rules + NO_ILL_TYPED, background)
        both.follow(pool, arrivals)
    STEPS[keep] += both.steps


# -- numbers by value ------------------------------------------------------------------------------


def exactly(term):
    """A literal with the exact decimal of a double or float in its place; another one that is equal to it."""
    if not isinstance(term, Literal):
        return term
    if term.datatype in (XSD.double, XSD.float) and not is_ill_typed(value_of(term)):
        number = unpacked(value_of(term)[1])
        if math.isfinite(number):
            return canonical_literal(Literal(format(Decimal(number), "f"), datatype=XSD.decimal))
    return canonical_literal(term)


def exact_triples(triples):
    return {tuple(map(exactly, triple)) for triple in triples}


@contextmanager
def computed_exactly():
    """Results are exact too: 1 / INF is a double where it is computed, which by value is the decimal 0."""

    def exact_result(name, *operands):
        return None if (result := compute(name, *operands)) is None else exactly(result)

    with (
        mock.patch.object(vocabulary, "compute", exact_result),
        mock.patch.object(materialization, "compute", exact_result),
    ):
        yield


MORE_NEAR = [literal("1", XSD.float), literal("0.5", XSD.double), literal("0.50"), literal("2", XSD.float)]
MORE_NEAR += [
    literal("INF", XSD.double),
    literal("-0.0", XSD.float),
    literal("0.1", XSD.double),
    literal("0.1"),
]


@pytest.mark.parametrize("keep", ["newest", "every"])
@given(data=st.data(), range_=ranges, other=ranges, window=windows)
@settings(max_examples=cases(10, 200, long=400), deadline=None)
def test_numbers_by_value_are_the_decimals_that_they_denote(keep, data, range_, other, window):
    rules, background, pool = data.draw(worlds(rules_over(range_, other)))
    pool += data.draw(st.lists(facts(MORE_NEAR), max_size=5))
    told = tuple(exact_rule(rule).with_arguments(exactly) for rule in rules)
    with computed_exactly():
        while not is_consistent(told + NO_ILL_TYPED, exact_triples(background)):
            background.pop()
    options = {"keep": keep, "derive": data.draw(st.sampled_from(("all", "needed")))}
    by_value = StreamReasoner(
        Ontology.from_rules(rules), Window(*window), background, numbers="by_value", **options
    )
    with computed_exactly():
        reference = StreamReasoner(
            Ontology.from_rules(told), Window(*window), exact_triples(background), **options
        )
    for at in range(1, 6):
        abox = data.draw(st.lists(st.sampled_from(pool), max_size=4))
        found = told_of(by_value, at, abox)
        with computed_exactly():
            assert found == told_of(reference, at, list(exact_triples(abox)))


def told_of(reasoner, at, abox):
    """What an ABox makes a reasoner cut and conclude, with exact numbers."""
    cut = {(when, tuple(map(exactly, triple))) for when, triple in reasoner.push(at, abox).repair.removed}
    return cut, exact_triples(reasoner.materialization())


def test_what_is_computed_of_an_infinity_is_a_decimal_by_value():
    rules = [rule for rule in OVER_VALUES if rule.tests and rule.tests[0] == computed("divide", u, ONE, y)]
    infinite = (a, V, literal("INF", XSD.double))  # 1 / INF = 0, which is whole if it is a decimal
    for numbers, cut in (("by_datatype", {(1, infinite)}), ("by_value", set())):
        reasoner = StreamReasoner(Ontology.from_rules(rules), Window(1), numbers=numbers)
        assert {*reasoner.push(1, [infinite]).repair.removed} == cut


@pytest.mark.parametrize("numbers", ["by_datatype", "by_value"])
def test_why_not_knows_a_result_that_is_there_as_another_number_of_its_value(numbers):
    values = related(V, x, y), related(W, x, z), is_a(B, x)
    rule = Rule("pr-swrl", values, is_a(A, x), tests=(computed("divide", z, ONE, y),))
    reasoner = StreamReasoner(Ontology.from_rules([rule]), Window(1), numbers=numbers)
    reasoner.push(1, [(a, V, literal("INF", XSD.double)), (a, W, literal("0"))])
    assert "missing: a is in class B" in str(reasoner.why_not(member(A, a)))


@of_many
def test_there_were_enough_steps():
    if len(STEPS) < 2:
        pytest.skip("conditions were not tested both ways")
    assert sum(STEPS.values()) >= 1500


# -- a computed head is explained by the very value that was computed -------------------------------

PLUS_ONE = (computed("add", u, y, ONE),)
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


@both_ways
def test_what_equals_a_result_as_a_number_does_not_follow_from_it(keep):
    one = literal("1", XSD.double)
    rules = [
        Rule("pr-swrl", (related(V, x, y),), related(RESULT, x, u), tests=PLUS_ONE),
        Rule("cls-com", (related(RESULT, x, one), is_a(A, x)), None),
    ]
    both = SideBySide(StreamReasoner(Ontology.from_rules(rules), Window(10), keep=keep), rules)
    both.push(1, [(a, RESULT, one), (a, V, literal("0"))])
    both.push(1, [member(A, a)])
    both.check_laws()


@both_ways
@pytest.mark.parametrize("value", [literal("NaN", XSD.double), literal("-0", XSD.double)])
def test_a_result_that_does_not_equal_itself_has_support(keep, value):
    rules = [
        Rule("pr-swrl", (related(V, x, y),), related(RESULT, x, u), tests=PLUS_ONE),
        Rule("pr-swrl", (related(W, x, y),), related(RESULT, x, u), tests=PLUS_ONE),
        Rule("cls-com", (related(V, x, y), is_a(A, x)), None),
    ]
    both = SideBySide(StreamReasoner(Ontology.from_rules(rules), Window(10), keep=keep), rules)
    both.push(1, [(a, V, value), (a, W, value)])
    both.push(1, [member(A, a)])
    both.check_laws()


# -- what the reference says ------------------------------------------------------------------------


def test_membership_of_a_data_range_is_asked_of_literals_only():
    whole = Datatype(XSD.integer)
    inside = Rule("prp-rng", (related(V, x, y),), is_a(A, x), tests=(Member(y, whole),))
    outside = Rule("prp-rng", (related(V, x, y),), is_a(B, x), tests=(Member(y, whole, inside=False),))
    half, none = literal("0.5", XSD.decimal), literal("x", XSD.decimal)
    for value, classes in [(ONE_POINT_ZERO, {A}), (half, {B}), (none, {B}), (b, set())]:
        found = closure([inside, outside], {(a, V, value)})
        assert found == canonical_facts({(a, V, value), *((a, RDF.type, class_) for class_ in classes)})


def test_computations_bind_in_order_and_what_they_give_is_tested():
    tests = computed("multiply", u, y, TWO), computed("add", v, u, ONE), computed("lessThan", v, literal("5"))
    rule = Rule("pr-swrl", (related(V, x, y),), related(R, x, v), tests=tests)
    given = {(a, V, ONE), (b, V, TWO)}
    assert closure([rule], given) == canonical_facts({*given, (a, R, literal("3"))})


def test_a_result_that_is_bound_already_must_equal_what_is_computed():
    square = (computed("multiply", z, y, y),)
    rule = Rule("pr-swrl", (related(V, x, y), related(R, x, z)), is_a(A, x), tests=square)
    four = literal("4.0E0", XSD.double)
    assert member(A, a) in closure([rule], {(a, V, TWO), (a, R, four)})
    assert member(A, a) not in closure([rule], {(a, V, TWO), (a, R, literal("5"))})


def test_what_cannot_be_computed_derives_nothing():
    rule = Rule("pr-swrl", (related(V, x, y),), related(R, x, z), tests=(computed("divide", z, ONE, y),))
    given = canonical_facts({(a, V, literal("0")), (a, V, b)})
    assert closure([rule], given) == given
