"""Columns of one predicate against sets of facts."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.materialize.bulk.columns import (
    NO_COLUMNS,
    ONE_TERM,
    columns_of,
    objects_of,
    pair_keys,
    starts_of,
    subjects_of,
)

rows = st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 4), st.integers(0, 3)), max_size=12)


def columns(given):
    facts = np.array([(7, s, o) for s, o, _ in given], np.int32).reshape(-1, 3)
    levels = np.array([level for *_, level in given], np.int32)
    return columns_of(facts, levels).get(7, NO_COLUMNS)


def newest(given):
    found = {}
    for s, o, level in given:
        found[s, o] = max(level, found.get((s, o), 0))
    return found


def as_dict(columns):
    terms = zip(subjects_of(columns.keys).tolist(), objects_of(columns.keys).tolist(), strict=True)
    return dict(zip(terms, columns.levels.tolist(), strict=True))


@given(rows)
def test_each_fact_is_there_once_at_its_highest_level_in_order(given):
    made = columns(given)
    assert as_dict(made) == newest(given)
    assert np.all(np.diff(made.keys) > 0)


@given(rows, rows)
def test_news_are_what_is_new_or_newer_and_with_them_it_is_the_whole(old, new):
    before = columns(old)
    added = columns(new)
    news = before.newer(added.keys, added.levels)
    known = newest(old)
    assert as_dict(news) == {f: level for f, level in newest(new).items() if level > known.get(f, -1)}
    assert as_dict(before.merged_with(news)) == newest([*old, *new])


@given(rows, st.lists(st.integers(0, 4), max_size=4))
def test_facts_are_found_from_either_end(given, terms):
    made, asked = columns(given), starts_of(np.array(terms, np.int32))
    facts = sorted(newest(given))
    found, places = made.forwards(asked, ONE_TERM)
    pairs = zip(found.tolist(), made.keys[places].tolist(), strict=True)
    assert sorted(pairs) == sorted(
        (i, int(pair_keys(s, o))) for i, term in enumerate(terms) for s, o in facts if s == term
    )
    assert made.count_backwards(asked, ONE_TERM) == sum(o == term for term in terms for _, o in facts)
