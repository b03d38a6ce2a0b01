"""What Python asks of the rows: chains, columns, changes, and the terms in them."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.materialize.kernel_values import contiguous
from rule_models import RuleModel

LITERAL = FIRST_LITERAL + 1
FACTS = [(0, 1, 2), (0, 1, LITERAL), (0, 3, 2), (2, 1, NONE)]


def array(*facts):
    return np.array(facts, np.int32).reshape(-1, 3)


@pytest.fixture
def model():
    model = RuleModel()
    model.model.add(array(*FACTS), 5)
    return model


def selected(store, *wanted):
    return set(map(tuple, store.facts(contiguous(store.select(*wanted))).tolist()))


def test_a_predicate_indexed_late_has_the_chains_of_all_its_rows(model):
    store = model.kernel.store
    store.index(0, True, True)
    assert selected(store, 0, 1, NONE, 0) == {(0, 1, 2), (0, 1, LITERAL)}
    assert selected(store, 0, NONE, 2, 1) == {(0, 1, 2), (0, 3, 2)}
    model.model.cut(array((0, 1, 2)))
    model.model.add(array((0, 1, 7)), 5)
    assert selected(store, 0, 1, NONE, 0) == {(0, 1, LITERAL), (0, 1, 7)}
    assert selected(store, 0, NONE, 2, 1) == {(0, 3, 2)}


def test_the_facts_of_some_predicates_are_found(model):
    def found(*wanted):
        return sorted(map(tuple, model.kernel.store.facts_of(np.array(wanted, np.uint8)).tolist()))

    assert found(1, 1, 1) == sorted(FACTS) and found(0, 0, 1) == FACTS[3:] and found(1) == sorted(FACTS[:3])
    model.model.cut(array(FACTS[3]))
    assert found(0, 0, 1) == found() == []


def test_columns_have_the_named_fields_of_all_rows_and_mark_the_free_ones(model):
    model.model.cut(array((0, 3, 2)))
    names = "predicate", "subject", "object", "level", "assertion_level"
    rows = list(zip(*(column.tolist() for column in model.kernel.store.columns(*names)), strict=True))
    assert sorted(row for row in rows if row[0] >= 0) == sorted((*f, 5, 5) for f in FACTS if f != (0, 3, 2))
    assert len(rows) == len(FACTS) == model.kernel.store.used


def test_changes_are_handed_over_once_what_went_first_and_what_came_and_went_not_at_all(model):
    store = model.kernel.store
    assert sorted(store.take_changes().tolist()) == sorted([*fact, 1] for fact in FACTS)
    model.model.cut(array((0, 1, 2), (0, 3, 2)))
    model.model.add(array((0, 1, 2), (0, 9, 9)), 5)
    model.model.cut(array((0, 9, 9)))
    for _ in range(2):
        model.model.add(array((0, 8, 8)), 5)
        model.model.cut(array((0, 8, 8)))
    model.model.add(array((0, 8, 8)), 5)
    assert store.take_changes().tolist() == [[0, 1, 2, -1], [0, 3, 2, -1], [0, 1, 2, 1], [0, 8, 8, 1]]
    assert store.take_changes().tolist() == []


def test_changes_of_predicates_that_are_left_unnoted_are_none():
    model = RuleModel()
    store = model.kernel.store
    store.stop_recording(2)
    model.model.add(array(*FACTS), 5)
    assert sorted(store.take_changes().tolist()) == sorted([*fact, 1] for fact in FACTS if fact[0] == 0)
    model.model.cut(array(*FACTS))
    model.model.add(array((2, 8, NONE), (0, 9, 9)), 5)  # in the rows of others that went
    changes = sorted(store.take_changes().tolist())
    assert changes == sorted([[0, 9, 9, 1], *([*fact, -1] for fact in FACTS if fact[0] == 0)])


def test_the_terms_of_rows_are_marked_and_others_are_not(model):
    flags = [np.zeros(4, np.uint8) for _ in range(3)]
    model.kernel.store.mark_terms(*flags)
    assert [np.flatnonzero(flag).tolist() for flag in flags] == [[0, 2], [1, 2, 3], [1]]


def test_in_other_numbers_rows_are_found_by_these_with_their_chains(model):
    store = model.kernel.store
    store.index(0, True, False)
    names, literals = np.array([NONE, 2, 0, 1], np.int32), np.array([NONE, FIRST_LITERAL], np.int32)
    predicates = np.array([0, NONE, 1], np.int32)
    store.renumber_terms(*map(contiguous, (predicates, names, literals)))
    store.check_invariants()
    assert set(map(tuple, model.model.facts().tolist())) == {
        (0, 2, 0),
        (0, 2, FIRST_LITERAL),
        (0, 1, 0),
        (1, 2, NONE),
    }
    assert selected(store, 0, 2, NONE, 0) == {(0, 2, 0), (0, 2, FIRST_LITERAL)}
    assert store.row_of(0, 3, 2) < 0


def test_what_moved_is_told_with_the_level_at_which_it_stood_lowered_with_the_others(model):
    model.kernel.store.take_changes()  # of what has just come there is no level before
    model.kernel.record_levels(True)
    model.model.cut(array((0, 3, 2)))
    model.kernel.store.lower_level_changes(2)
    assert model.kernel.store.take_level_changes().tolist() == [[0, 3, 2, 3]]
    assert model.kernel.store.take_level_changes().tolist() == []
