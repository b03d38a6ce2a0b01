"""Bags that change: what comes and goes, with copies and without."""

from hypothesis import given
from hypothesis import strategies as st

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.query.expressions import Context
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.operator import SharedState, set_delta
from pantarhei.query.incremental.persistent_terms import PersistentTermIds
from pantarhei.rules.compilation.program import compile_

bags = st.dictionaries(st.tuples(st.integers(0, 5)), st.integers(1, 3))


@given(bags, bags)
def test_a_bag_is_turned_into_another_by_the_change_that_is_told_and_back_by_the_journal(bag, now):
    journal, before = Journal(), dict(bag)
    terms = PersistentTermIds(Vocabulary(compile_(())), journal)
    shared, mark = SharedState(journal, terms, Context.__new__(Context)), journal.savepoint()
    change = shared.replace_bag(bag, now)
    assert bag == now and 0 not in change.values()
    assert all(before.get(row, 0) + n == now.get(row, 0) for row, n in change.items())
    journal.restore(mark)
    assert bag == before


@given(bags, bags)
def test_where_copies_do_not_count_rows_appear_and_disappear(before, now):
    changed = {**dict.fromkeys(now, 0), **before}
    came, went = now.keys() - before.keys(), before.keys() - now.keys()
    assert set_delta(changed, now) == {**dict.fromkeys(came, 1), **dict.fromkeys(went, -1)}
