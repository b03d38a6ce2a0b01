"""Each marked state can be come back to, whichever others have been gone to in between."""

import random

import pytest

from pantarhei.query.incremental.journal import Journal


class Owner:
    value = 1


def note(journal, table, key, value):
    journal.record(table, key)
    if value is None:
        table.pop(key, None)
    else:
        table[key] = value


def test_a_mark_is_gone_back_to_and_then_forward():
    journal, table = Journal(), {}
    before = journal.savepoint()
    note(journal, table, "a", 1)
    between = journal.savepoint()
    note(journal, table, "a", 2)
    note(journal, table, "b", 3)
    after = journal.savepoint()
    journal.restore(before)
    assert table == {}
    journal.restore(after)
    assert table == {"a": 2, "b": 3}
    journal.restore(between)
    assert table == {"a": 1}


def test_marks_of_one_state_are_one():
    journal = Journal()
    assert journal.savepoint() is journal.savepoint()


def test_a_mark_that_is_gone_back_to_may_be_left_another_way():
    journal, table = Journal(), {"a": 1}
    start = journal.savepoint()
    note(journal, table, "a", 2)
    one = journal.savepoint()
    journal.restore(start)
    note(journal, table, "b", 5)
    other = journal.savepoint()
    journal.restore(one)
    assert table == {"a": 2}
    journal.restore(other)
    assert table == {"a": 1, "b": 5}


def test_a_dictionary_and_an_attribute_are_replaced_and_come_back():
    journal, table, owner = Journal(), {"a": 1, "b": 2}, Owner()
    mark = journal.savepoint()
    journal.replace(table, {"b": 3, "c": 4})
    journal.set(owner, "value", 7)
    assert (table, owner.value) == ({"b": 3, "c": 4}, 7)
    journal.restore(mark)
    assert (table, owner.value) == ({"a": 1, "b": 2}, 1)


@pytest.mark.parametrize("seed", range(20))
def test_any_of_many_marks_leads_to_its_state(seed):
    rng, journal, tables = random.Random(seed), Journal(), [{}, {}]
    marks = []
    for _ in range(200):
        kind = rng.random()
        if kind < 0.6:
            note(journal, rng.choice(tables), rng.randint(0, 5), rng.choice((None, 1, 2, 3)))
        elif kind < 0.8 or not marks:
            marks.append((journal.savepoint(), [dict(table) for table in tables]))
        else:
            mark, states = rng.choice(marks)
            journal.restore(mark)
            assert tables == states
