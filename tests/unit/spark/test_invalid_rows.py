"""Rows that are no timestamped triples: which they are, and how it is said."""

import pyarrow as pa
import pytest

from pantarhei.io.mapping.mapped_rows import InvalidRow
from pantarhei.spark.frame import COLUMNS
from pantarhei.spark.invalid_rows import drop_rows, find_invalid_rows, row_error
from spark_streams import table_of

A, TYPE = "<urn:a>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
ESCAPED = r"<http://www.w3.org/1999/02/22-rdf-syntax-ns#typ\u0065>"


@pytest.mark.parametrize(
    ("row", "column", "reason"),
    [
        ((None, A, A, A), "timestamp", "it is null"),
        ((1, None, A, A), "subject", "it is null"),
        ((1, A, A, None), "object", "it is null"),
        ((1, "urn:a", A, A), "subject", "not a term in N-Triples syntax"),
        ((1, '"text"', A, A), "subject", "the subject must be an IRI or a blank node"),
        ((1, A, "_:b", A), "predicate", "the predicate must be an IRI"),
        ((1, A, A, '"text'), "object", "not a term in N-Triples syntax"),
        ((1, A, A, "<urn:a> <urn:b>"), "object", "not a term in N-Triples syntax"),
        ((1, A, TYPE, '"text"'), "object", "the object of rdf:type must be a class, not a literal"),
        ((1, A, ESCAPED, '"text"@en'), "object", "the object of rdf:type must be a class, not a literal"),
        ((1, "x", "y", "z"), "subject", "not a term in N-Triples syntax"),
    ],
)
def test_what_is_wrong_with_a_row_is_found_and_said(row, column, reason):
    good = (1, A, A, '"x"')
    table = table_of([good, row, good], pa.int64())
    (problem,) = find_invalid_rows(table)
    assert (problem.row, problem.column) == (1, column)
    assert problem.reason.startswith(reason)
    error = row_error(table, problem)
    assert error.column == column and error.reason == problem.reason
    assert f"column {column} of the row (timestamp={'null' if row[0] is None else 1}" in str(error)
    assert drop_rows(table, [problem]).to_pylist() == table_of([good, good]).to_pylist()


def test_times_that_are_no_number_are_problems_of_their_rows():
    rows = [(float(at), A, A, A) for at in ("nan", "1", "-inf", "inf", "-0.0")]
    assert [(p.row, p.column, p.reason) for p in find_invalid_rows(table_of(rows))] == [
        (row, "timestamp", "it is not a finite number") for row in (0, 2, 3)
    ]


def test_all_is_well_with_terms_of_every_kind_in_chunks():
    rows = [(1, "_:b", A, f'"{n}"^^<http://www.w3.org/2001/XMLSchema#integer>') for n in range(3)]
    rows += [(1, A, TYPE, "_:class"), (1, A, ESCAPED, A), (1, A, A, '"a \\"b\\"\\n\tc"@en-GB')]
    table = table_of(rows)
    assert not find_invalid_rows(table)
    assert not find_invalid_rows(pa.concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2)]))
    assert not find_invalid_rows(table.slice(0, 0))


def test_rows_in_chunks_are_counted_through_and_long_values_are_cut():
    table = pa.concat_tables([table_of([(1, A, A, A)]), table_of([(2, A, A, "x" * 500)])])
    (problem,) = find_invalid_rows(table)
    assert problem.row == 1
    assert "x" * 200 + "…" in str(row_error(table, problem))
    assert "x" * 201 not in str(row_error(table, problem))


def test_each_of_many_different_malformed_terms_is_found():
    table = table_of([(at, A, A, f"bad {at}" if at % 2 else A) for at in range(40_000)])
    found = find_invalid_rows(table)
    assert [problem.row for problem in found] == list(range(1, 40_000, 2))
    assert found[0] == InvalidRow(1, "object", found[0].reason)


@pytest.mark.parametrize(
    ("time", "far"),
    [(pa.int64(), 2**62 + 1), (pa.int64(), -(2**62) - 1), (pa.float64(), 1e300), (pa.float64(), -5e9)],
)
def test_times_that_no_tick_can_tell_are_problems_of_their_rows(time, far):
    table = pa.table({"timestamp": pa.array([1, far], time), **{name: [A, A] for name in COLUMNS[1:]}})
    assert [(problem.row, problem.column) for problem in find_invalid_rows(table)] == [(1, "timestamp")]


def test_years_beyond_9999_are_problems_of_their_rows():
    times = pa.array([0, 400_000_000_000_000_000], pa.timestamp("us", "UTC"))
    table = pa.table({"timestamp": times, **{name: [A, A] for name in COLUMNS[1:]}})
    (problem,) = find_invalid_rows(table)
    assert (problem.row, problem.column) == (1, "timestamp")
    assert "9999" in problem.reason


def test_text_that_is_not_utf_8_is_a_problem_of_its_row_and_can_be_told():
    bad = pa.array([b"<urn:a>", b'"\xff"'], pa.binary()).view(pa.string())
    table = pa.table({"timestamp": [1, 2], "subject": [A, A], "predicate": [A, A], "object": bad})
    (problem,) = find_invalid_rows(table)
    assert (problem.row, problem.column, problem.reason) == (1, "object", "it is not UTF-8")
    assert 'object="\ufffd"' in str(row_error(table, problem))
