"""Expressions as values: what is in them, and others in the places of variables."""

import pytest
from rdflib import Literal, Variable

from pantarhei.query.algebra.expressions import Call, is_volatile, parts_of, replaced, variables_of

A, B, ONE = Variable("a"), Variable("b"), Literal(1)
SUM = Call("+", (A, ONE))
TEST = Call("&&", (Call("<", (SUM, B)), Call("BOUND", (A,))))


def test_parts_come_from_the_outside_in_their_order():
    assert list(parts_of(TEST)) == [TEST, Call("<", (SUM, B)), SUM, A, ONE, B, Call("BOUND", (A,)), A]


def test_the_variables_of_an_expression_are_those_at_its_leaves():
    assert variables_of(TEST) == {A, B}
    assert variables_of(ONE) == frozenset()


def test_other_expressions_stand_in_the_places_of_variables():
    assert replaced(TEST, {B: SUM}) == Call("&&", (Call("<", (SUM, SUM)), Call("BOUND", (A,))))
    assert replaced(ONE, {A: B}) == ONE
    assert replaced(TEST, {}) == TEST


@pytest.mark.parametrize("name", ["RAND", "UUID", "STRUUID", "BNODE"])
def test_what_has_another_value_each_time_is_known_wherever_it_stands(name):
    assert is_volatile(Call("+", (ONE, Call(name, ()))))
    assert not is_volatile(TEST) and not is_volatile(Call("NOW", ()))


def test_deep_expressions_are_looked_through():
    deep = ONE
    for _ in range(100_000):
        deep = Call("!", (deep,))
    assert sum(1 for _ in parts_of(deep)) == 100_001
