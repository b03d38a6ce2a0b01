"""Columns in memory: every look-up finds what a loop over the facts finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.query.sources.relation import ColumnRelation, IndexedTriples, Lookup

SMALL = st.integers(0, 6)
FAR = st.sampled_from([0, 1, 2, 1 << 31, 1 << 40, (1 << 40) + 1])
columns = st.one_of(st.lists(SMALL, max_size=12), st.lists(FAR, max_size=12), st.lists(SMALL, unique=True))


def ids(numbers):
    return np.array(numbers, np.int64)


def pairs(rows, places):
    return sorted(zip(rows.tolist(), places.tolist(), strict=True))


@given(columns, st.lists(st.one_of(SMALL, FAR, st.just(-2)), max_size=8))
def test_numbers_are_found_at_all_their_places(column, asked):
    lookup = Lookup(ids(column))
    expected = [(i, j) for i, number in enumerate(asked) for j, other in enumerate(column) if number == other]
    assert pairs(*lookup.find(ids(asked))) == expected
    assert lookup.count(ids(asked)) == len(expected)


facts = st.lists(st.tuples(SMALL, SMALL, SMALL), unique=True, max_size=15)


@given(facts, st.lists(st.tuples(SMALL, SMALL), max_size=6))
def test_a_relation_is_asked_from_both_ends(triples, asked):
    subjects, _, objects = (
        (ids(column) for column in zip(*triples, strict=True)) if triples else (ids([]),) * 3
    )
    relation = ColumnRelation(subjects, objects)
    edges = [(s, o) for s, _, o in triples]
    starts, ends = ids([start for start, _ in asked]), ids([end for _, end in asked])
    rows, others, shown = relation.forward(starts)
    assert pairs(rows, others) == sorted((i, o) for i, (a, _) in enumerate(asked) for s, o in edges if s == a)
    assert shown is others
    rows, others, _ = relation.backward(ends)
    assert pairs(rows, others) == sorted((i, s) for i, (_, b) in enumerate(asked) for s, o in edges if o == b)
    assert relation.holds(starts, ends).tolist() == [pair in edges for pair in asked]
    assert len(relation) == len(triples)


@given(facts, st.lists(st.tuples(SMALL, SMALL, SMALL), max_size=5), st.sets(st.integers(0, 2), min_size=1))
def test_triples_agree_with_all_that_is_given(triples, asked, given_places):
    source = IndexedTriples(
        *(ids(column) for column in (zip(*triples, strict=True) if triples else [()] * 3))
    )
    wanted = [ids(column) for column in (zip(*asked, strict=True) if asked else [()] * 3)]
    found = source.matching(*(wanted[place] if place in given_places else None for place in range(3)))
    assert sorted(zip(*(column.tolist() for column in found[:4]), strict=True)) == sorted(
        (row, *triple)
        for row, question in enumerate(asked)
        for triple in triples
        if all(triple[place] == question[place] for place in given_places)
    )


def test_objects_are_found_by_value_and_shown_in_their_forms():
    relation = ColumnRelation(ids([1, 2]), ids([7, 7]), ids([70, 71]))
    assert relation.forward(ids([2])).form_ids.tolist() == [71]
    assert relation.backward(ids([7])).form_ids.tolist() == [70, 71]
    assert relation.holds(ids([1, 2]), ids([7, 70])).tolist() == [True, False]


def test_the_facts_of_a_predicate_and_the_nodes_of_a_graph():
    source = IndexedTriples(ids([1, 2, 1]), ids([5, 5, 6]), ids([2, 3, 3]), ids([2, 30, 31]))
    assert [column.tolist() for column in source.of_predicate(5).pairs()] == [[1, 2], [2, 3], [2, 30]]
    assert len(source.of_predicate(9)) == 0
    assert source.nodes.tolist() == [1, 2, 3]
    assert source.all().rows.tolist() == [0, 0, 0]


@pytest.mark.parametrize("far", [0, 1 << 40])
def test_a_column_of_any_width_takes_room_by_its_length(far):
    lookup = Lookup(ids([*range(1000), far]))
    kept = [value for value in vars(lookup).values() if isinstance(value, np.ndarray)]
    assert sum(array.nbytes for array in kept) < 1_000_000
