"""Entries of a Redis stream as rows; no server is needed."""

from __future__ import annotations

import sys

import pytest

from pantarhei.errors import (
    MalformedInputError,
    MissingPackageError,
    MissingTimestampError,
    OptionError,
    TimestampError,
)
from pantarhei.io.redis_stream import RedisStream
from pantarhei.model.time import TimeKind
from pantarhei.spark.sources.redis_source import RedisOptions, entry_rows
from pantarhei.spark.sources.source_options import WorkerCounts

NQUADS = '_:o <urn:p> "1" <urn:at:7> .\n_:o <urn:p> "2" <urn:at:7> .\n'


def assertion(at, object_="<urn:c>"):
    return {"timestamp": str(at), "subject": f"<urn:s{at}>", "predicate": "<urn:p>", "object": object_}


def rows_of_entry(fields, kind=TimeKind.INTEGER, skipped=None, id_="5-0"):
    encoded = {name.encode(): value.encode() for name, value in fields.items()}
    options = RedisOptions("", "readings", skip_errors=skipped is not None)
    found = entry_rows((id_, encoded), options, skipped or WorkerCounts(), kind)
    return [(at, *row) for at, rows in found for row in rows]


def test_an_entry_is_one_assertion_or_a_piece_of_nquads_with_its_own_blank_nodes():
    assert rows_of_entry(assertion(7, r'"a << b # \"é\" <<( "@en')) == [
        (7, "<urn:s7>", "<urn:p>", r'"a << b # \"é\" <<( "@en')
    ]
    first, second = rows_of_entry({"data": NQUADS})
    assert (first[0], first[1], first[3], second[3]) == (7, second[1], '"1"', '"2"')
    assert first[1].startswith("_:") and first[1] != rows_of_entry({"data": NQUADS}, id_="6-0")[0][1]
    assert rows_of_entry({"data": NQUADS}) == [first, second]
    blank = {**assertion(7, "_:x"), "subject": "_:x"}
    ((_, subject, _, object_),) = rows_of_entry(blank)
    assert subject == object_ != rows_of_entry(blank, id_="6-0")[0][1]


@pytest.mark.parametrize(
    ("fields", "error", "message"),
    [
        (
            {"at": "7", "fact": "x"},
            MalformedInputError,
            "entry 5-0: the fields are at, fact; expected timestamp",
        ),
        ({**assertion(7), "unit": "x"}, MalformedInputError, "the fields are .*unit"),
        (assertion("noon"), TimestampError, "entry 5-0: the timestamp 'noon'"),
        (assertion("7.5"), TimestampError, "entry 5-0: the timestamp 7.5 .*timestampType"),
        (assertion(7, "oops"), MalformedInputError, "not three terms"),
        (assertion(7, "<urn:c> <urn:g> .\n<urn:a> <urn:b> <urn:c>"), MalformedInputError, "not three terms"),
        (assertion(7, "<<( " * 100_000), MalformedInputError, "not three terms"),
        (assertion(7, '"x"@en--ltr'), MalformedInputError, "directions"),
        ({"data": NQUADS + "oops"}, MalformedInputError, "entry 5-0, line 3"),
        (
            {"data": NQUADS.replace("at:7", "g")},
            MissingTimestampError,
            "entry 5-0, line 1: graph <urn:g> has no time",
        ),
    ],
)
def test_a_bad_entry_is_an_error_that_names_it_or_is_skipped(fields, error, message):
    with pytest.raises(error, match=message):
        rows_of_entry(fields)
    counts = WorkerCounts()
    assert len(rows_of_entry(fields, skipped=counts)) == (2 if fields.get("data", "").endswith("oops") else 0)
    assert counts.skipped_count >= 1 and "entry 5-0" in counts.skipped[0].reason


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({}, "path"),
        ({"path": "s", "startingId": "yesterday"}, "startingId"),
        ({"path": "s", "host": "h"}, "host"),
    ],
)
def test_an_impossible_option_is_an_error_that_names_it(given, option):
    with pytest.raises(OptionError) as raised:
        RedisOptions.of(given)
    assert raised.value.option == option


def test_without_redis_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)
    text = r"a Redis stream needs an optional package \(.*redis.*\); install it: .*'pantarhei\[redis\]'$"
    with pytest.raises(MissingPackageError, match=text) as raised:
        RedisStream("redis://127.0.0.1:6379/0", "readings")
    assert raised.value.package == "redis"
