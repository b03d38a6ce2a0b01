"""Columns of each Arrow type as literals: well-formed, and of the same value."""

import io
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo, available_timezones

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Graph, Literal, Namespace

import pantarhei as pr
from counts import cases
from pantarhei.values.value import is_well_typed, value_of

EX = Namespace("http://example.org/")
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
ZONES = sorted(available_timezones() - {"localtime"})


def objects(column, datatype=None, source=pa.table):
    """The objects that rows of a column have."""
    pattern = ["ex:seen", "$(v)", *([datatype] if datatype else [])]
    mapping = {
        "prefixes": {"ex": str(EX)},
        "time": {"column": "at", "unit": "number"},
        "mappings": {"m": {"s": "ex:s", "po": [pattern]}},
    }
    given = source({"at": list(range(len(column))), "v": column})
    return [object_ for abox in pr.read_records(given, mapping) for _, _, object_ in abox.triples]


def in_parquet(columns):
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return pq.read_table(io.BytesIO(file.getvalue()))


def lexical(number, unit):
    """A number since 1970 as a decimal literal of seconds: exact in any unit."""
    seconds, rest = divmod(number, PER_SECOND[unit])
    fraction = f".{rest:0{len(str(PER_SECOND[unit])) - 1}}" if unit != "s" else ""
    return (EPOCH + timedelta(seconds=seconds)).strftime("%4Y-%m-%dT%H:%M:%S") + fraction + "Z"


@given(
    st.sampled_from(list(PER_SECOND)),
    st.sampled_from([*ZONES[::7], "Europe/Berlin", "UTC", "+02:00", "-05:30", "+00:00"]),
    st.lists(st.integers(-(2**62) // 10**9, 2**62 // 10**9), min_size=1, max_size=5),
    st.integers(0, 10**9 - 1),
    st.booleans(),
)
@settings(max_examples=cases(30, 500, 20_000), deadline=None)
def test_a_zoned_timestamp_is_an_instant_with_the_offset_of_its_zone(unit, zone, seconds, rest, as_said):
    numbers = [each * PER_SECOND[unit] + rest * PER_SECOND[unit] // 10**9 for each in seconds]
    found = objects(pa.array(numbers, pa.timestamp(unit, zone)), "xsd:dateTime" if as_said else None)
    assert all(map(is_well_typed, found))
    wanted = [Literal(lexical(number, unit), datatype=XSD.dateTime, normalize=False) for number in numbers]
    instants = [[value_of(each)[2:] for each in literals] for literals in (found, wanted)]
    assert instants[0] == instants[1]
    assert {literal.datatype for literal in found} == {XSD.dateTime}
    for literal, second in zip(found, seconds, strict=True):
        if zone in ZONES:
            offset = (EPOCH + timedelta(seconds=second)).astimezone(ZoneInfo(zone)).utcoffset()
            shown = datetime.fromisoformat(
                str(literal)[:19] + str(literal)[19:].lstrip(".0123456789")
            ).utcoffset()
            assert shown == (timedelta(0) if offset % timedelta(minutes=1) else offset)


TYPES = {
    "s": pa.array([1], pa.timestamp("s")),
    "us": pa.array([1], pa.timestamp("us")),
    "ns": pa.array([1], pa.timestamp("ns")),
    "after the year 9999": pa.array([10**12], pa.timestamp("s", "Europe/Berlin")),
    "before the year 1": pa.array([-(10**11)], pa.timestamp("s")),
    "after the year 9999 without a zone": pa.array([10**12], pa.timestamp("s")),
    "before railways": pa.array([-(10**10)], pa.timestamp("s", "Europe/Berlin")),
    "dictionary": pa.array([0], pa.timestamp("ms", "Asia/Kolkata")).dictionary_encode(),
    "runs": pa.RunEndEncodedArray.from_arrays([1], pa.array([0], pa.timestamp("ms", "Asia/Kolkata"))),
    "date32": pa.array([-1], pa.date32()),
    "far date32": pa.array([10**7], pa.date32()),
    "date64": pa.array([86400 * 1000], pa.date64()),
    "time32": pa.array([86399], pa.time32("s")),
    "time64": pa.array([86399 * 10**9 + 1], pa.time64("ns")),
    "decimal128": pa.array([Decimal("1.50")], pa.decimal128(5, 2)),
    "decimal256": pa.array([Decimal("1e40")], pa.decimal256(50, 2)),
    "decimal of thousands": pa.array([Decimal("12000")], pa.decimal128(5, -3)),
    "uint64": pa.array([2**64 - 1], pa.uint64()),
    "float16": pa.array([1.5], pa.float16()) if hasattr(pa, "float16") else None,
    "float32": pa.array([float("inf")], pa.float32()),
    "double": pa.array([float("nan")]),
    "boolean": pa.array([True]),
    "large text": pa.array(["a"], pa.large_string()),
    "text view": pa.array(["a"], pa.string_view()),
}


@pytest.mark.parametrize("name", TYPES)
def test_a_value_of_each_type_is_a_well_formed_literal(name):
    for column in (TYPES[name], pa.chunked_array([TYPES[name]])):
        (found,) = objects(column)
        assert is_well_typed(found)


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "Etc/GMT+5", None])
def test_parquet_and_frames_have_the_values_of_arrow(zone):
    stamps = pa.array([0, 1_751_364_000_123_456], pa.timestamp("us", zone))
    wanted = objects(stamps)
    assert objects(stamps, source=in_parquet) == wanted
    frame = objects(stamps, source=lambda columns: pa.table(columns).to_pandas())
    assert list(map(value_of, frame)) == list(map(value_of, wanted))
    assert isinstance(pa.table({"v": stamps}).to_pandas(), pd.DataFrame)


def test_a_time_of_day_that_there_is_not_is_an_error():
    with pytest.raises(pr.MalformedInputError):
        objects(pa.array([86400], pa.time32("s")))


@pytest.mark.parametrize("datatype", [None, "xsd:dateTime"])
def test_no_repair_removes_what_has_a_zone(datatype):
    ontology = "<http://example.org/seen> a <http://www.w3.org/2002/07/owl#DatatypeProperty> ."
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=ontology)), pr.Window(5))
    column = pa.array([0, 10**10], pa.timestamp("us", "America/St_Johns"))
    facts = [(EX.s, EX.seen, each) for each in objects(column, datatype)]
    assert reasoner.push(1, facts).repair.removed == frozenset()
    assert [str(each[2])[-6:] for each in facts] == ["-03:30", "-03:30"]
