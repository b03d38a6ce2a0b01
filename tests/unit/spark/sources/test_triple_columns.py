"""Triples that grow at their end, whatever they came as."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei.rdf.triple_table import NAMES
from pantarhei.spark.sources.triple_columns import GrowingColumns

triples = st.lists(st.tuples(*[st.sampled_from("abc")] * 3), max_size=4)
ways = st.lists(st.tuples(st.sampled_from(["one by one", "by column", "as a batch", "as another"]), triples))


def grown(parts):
    made = GrowingColumns()
    for how, some in parts:
        columns = [[triple[i] for triple in some] for i in range(3)]
        if how == "one by one":
            for triple in some:
                made.append(triple)
        elif how == "by column":
            made.append_columns(*columns)
        elif how == "as a batch":
            made.append_part(
                pa.record_batch([pa.array(column, pa.string()) for column in columns], list(NAMES))
            )
        else:
            other = GrowingColumns()
            other.append_columns(*columns)
            made.extend(other)
    return made


@given(ways, st.integers(1, 5))
def test_all_are_there_in_their_order_in_whole_and_in_pieces(parts, size):
    made, expected = grown(parts), [triple for _, some in parts for triple in some]
    assert len(made) == len(expected) and list(made) == expected
    pieces = list(made.pieces(size))
    assert [triple for piece in pieces for triple in piece] == expected
    assert all(len(piece) <= size for piece in pieces)


def test_what_another_took_over_is_not_shared():
    one, other = grown([("one by one", [("a", "b", "c")])]), GrowingColumns()
    other.extend(one)
    other.append(("x", "y", "z"))
    assert list(one) == [("a", "b", "c")]


@pytest.mark.parametrize("size", [1, 3])
def test_nothing_is_three_empty_columns(size):
    assert [len(column) for column in GrowingColumns().arrays()] == [0, 0, 0]
    assert [len(piece) for piece in GrowingColumns().pieces(size)] == [0]
