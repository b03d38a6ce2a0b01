"""The join machine: what a body matches, and the conditions that are looked at when it does."""

from __future__ import annotations

import pytest
from rdflib import XSD, Literal

from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Builtin, Different, Member, Rule
from pantarhei.values.scalar_functions import SWRLB
from rule_models import RuleModel
from strategies import A, B, R, S, V, a, b, c, is_a, member, related, x, y, z

FACTS = [(a, R, b), (b, R, b), (b, R, c), (b, S, c), (c, S, a), member(A, b), member(A, c)]


def matches(body, head, *facts, **conditions):
    """What a rule derives, beside the facts."""
    model = RuleModel(Rule("r", body, head, **conditions))
    model.add(0, *facts)
    return model.facts - set(facts)


@pytest.mark.parametrize("facts", [FACTS, FACTS[::-1]])
@pytest.mark.parametrize(
    ("body", "head", "derived"),
    [
        ((related(R, x, y), is_a(A, y)), is_a(B, x), {member(B, a), member(B, b)}),  # a look-up
        ((related(R, x, y), related(S, y, z)), related(V, x, z), {(a, V, c), (b, V, c), (b, V, a)}),
        ((related(S, y, z), related(R, x, y)), related(V, z, x), {(c, V, a), (c, V, b), (a, V, b)}),
        ((related(R, x, x),), is_a(B, x), {member(B, b)}),
        ((related(R, x, b), is_a(A, x)), is_a(B, x), {member(B, b)}),
        ((related(R, b, x),), is_a(B, x), {member(B, b), member(B, c)}),
        ((related(R, x, y), related(R, y, x)), is_a(B, x), {member(B, b)}),
    ],
)
def test_a_body_matches_whatever_order_its_facts_come_in(body, head, derived, facts):
    assert matches(body, head, *facts) == derived


ONE, FIVE, TEXT = (a, V, Literal(1)), (a, V, Literal(5)), (a, V, Literal("x"))


@pytest.mark.parametrize(
    ("conditions", "values"),
    [
        ({"tests": (Member(y, Datatype(XSD.integer)),)}, {1, 5}),
        ({"tests": (Member(y, Datatype(XSD.integer), inside=False),)}, {"x"}),  # a name is neither
        ({"tests": (Builtin(SWRLB.lessThan, (y, Literal(3))),)}, {1}),
        ({"different": (Different(y, Literal(1)), Different(y, b))}, {5, "x"}),
    ],
)
def test_a_match_counts_only_where_it_meets_the_conditions(conditions, values):
    facts = [ONE, FIVE, TEXT, (a, V, b)]
    found = matches((related(V, x, y),), related(R, x, y), *facts, **conditions)
    assert {end.toPython() for _, _, end in found} == values


def test_what_is_computed_stands_in_the_head_and_where_nothing_comes_of_it_nothing_is_derived():
    sum_ = Builtin(SWRLB.add, (z, y, Literal(1)))
    found = matches((related(V, x, y),), related(R, x, z), ONE, TEXT, tests=(sum_,))
    assert found == {(a, R, Literal(2))}


def test_the_level_of_a_match_is_the_lowest_of_its_facts():
    model = RuleModel(Rule("r", (related(R, x, y), related(S, y, z), is_a(A, z)), is_a(B, x)))
    for level, fact in enumerate([(b, S, c), member(A, c), (a, R, b)], start=3):
        model.add(level, fact)
    assert model.levels[member(B, a)] == 3
