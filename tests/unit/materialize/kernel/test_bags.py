"""Signed bags of rows, and how those who read matches of bodies get theirs."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE
from pantarhei.materialize.kernel.bags import (
    Reader,
    Readers,
    add_logged,
    group_by_suffix,
    project,
    put,
    true_rows,
)
from pantarhei.rules.compilation.body_plans import FactPattern
from rule_models import RuleModel
from strategies import R, S, a, b, c, related, x, y

ABSENT = object()


@pytest.mark.parametrize(
    ("there", "weight", "expected"),
    [({}, 2, {(1,): 2}), ({(1,): 1}, 2, {(1,): 3}), ({(1,): 2}, -2, {}), ({(1,): 1}, -2, {(1,): -1})],
)
def test_what_adds_up_to_nothing_is_not_in_the_bag(there, weight, expected):
    put(there, (1,), weight)
    assert there == expected


def test_what_stood_in_a_bag_is_noted_before_each_change():
    entries, bag = [], {(1,): 1, (2,): 5}
    add_logged(entries, [(bag, {(1,): -1, (2,): 1}), (bag, {(1,): 3})], ABSENT)
    assert bag == {(1,): 3, (2,): 6}
    assert entries == [(bag, (1,), 1), (bag, (2,), 5), (bag, (1,), ABSENT)]


def test_rows_are_told_apart_by_their_last_numbers():
    change = {(1, 2, 7, 8): 1, (3, 4, 7, 8): -1, (1, 2, 7, 9): 2}
    assert group_by_suffix(change, 2) == {(7, 8): {(1, 2): 1, (3, 4): -1}, (7, 9): {(1, 2): 2}}
    assert group_by_suffix({(7,): 1}, 1) == {(7,): {(): 1}}


def rows_of(readers, shown=None, facts=((a, R, b), (c, R, b), (a, S, c))):
    """The rows of leaves when these facts have come."""
    model = RuleModel()
    model.add(0, *facts)
    plans = model.model.plan_bodies([FactPattern((related(R, x, y),)), FactPattern((related(S, x, y),))])
    noted = np.array([(*fact, 1) for fact in model.rows(facts)], np.int32)
    read = model.model.rows_reading(plans, readers)
    number = model.vocabulary.find
    return read(noted, NO_FACTS, shown), number


def test_each_match_is_read_by_all_readers_of_its_body():
    ends = Reader("ends", [2, 3], ())
    objects, subjects = Reader("objects", [3], ()), Reader("subjects", [2], ())
    found, number = rows_of([Readers([ends, objects], {}, 0), Readers([subjects], {}, 0)])
    one, two, three = map(number, (a, b, c))
    assert found == {
        "ends": {(one, two): 1, (three, two): 1},
        "objects": {(two,): 2},
        "subjects": {(one,): 1},
    }


def test_some_read_what_the_first_variables_are_bound_to_and_they_want():
    model_of, number = rows_of([Readers([], {}, 0), Readers([], {}, 0)])
    assert model_of == {}
    wanted = {(number(a),): [Reader("of a", [3], ())], (number(b),): [Reader("of b", [3], ())]}
    found, _ = rows_of([Readers([], wanted, 1), Readers([], wanted, 1)])
    assert found == {"of a": {(number(b),): 1, (number(c),): 1}}


def test_a_literal_is_shown_as_its_fact_shows_it():
    seen = []

    def shown(fact, sign):
        seen.append((fact, sign))
        return 77

    from rdflib import Literal

    reader = Readers([Reader("all", [2, 3], [(1, 5, 2, 3)])], {}, 0)
    facts = ((a, R, Literal(1)), (a, R, b))
    found, number = rows_of([reader, Readers([], {}, 0)], shown, facts)
    ((fact, sign),) = seen
    assert fact[:2] == (5, number(a)) and fact[2] >= FIRST_LITERAL and sign == 1
    assert found == {"all": {(number(a), 77): 1, (number(a), number(b)): 1}}


@pytest.mark.parametrize("shown", [None, lambda fact, sign: None])
def test_no_row_is_made_of_a_match_that_does_not_pass_the_test(shown):
    learned = []

    def learn(row):
        learned.append(row)
        return len(learned) == 1

    ends = Reader("ends", [3, 2], (), (1, {}, learn))
    found, number = rows_of([Readers([ends], {}, 0), Readers([], {}, 0)], shown)
    rows = [(number(b), number(a)), (number(b), number(c))]
    assert sorted(learned) == sorted(rows)
    assert found == {"ends": {learned[0]: 1}}
    known = {number(a): True, number(c): False}
    ends = Reader("ends", [3, 2], (), (1, known, None))
    found, _ = rows_of([Readers([ends], {}, 0), Readers([], {}, 0)], shown)
    assert found == {"ends": {rows[0]: 1}}
    nothing = Reader("ends", [3, 2], (), (1, dict.fromkeys(known, None), None))
    assert rows_of([Readers([nothing], {}, 0), Readers([], {}, 0)], shown)[0] == {}


def test_true_rows_are_found_where_all_is_known():
    change = {(1, 7): 2, (2, 8): -1, (3, 9): 1}
    assert true_rows(change, 1, {7: True, 8: False, 9: None}) == {(1, 7): 2}
    assert true_rows(change, 1, {7: True, 8: True}) is None
    assert true_rows({}, 1, {}) == {}


def test_rows_that_are_one_after_projection_add_up():
    change = {(1, 7): 2, (2, 7): -1, (3, 8): 1, (4, 8): -1}
    assert project(change, [1]) == {(7,): 1}
    assert project({(1, 7): 2}, [1, -1, 0]) == {(7, NONE, 1): 2}
    assert project(change, []) == {(): 1}
