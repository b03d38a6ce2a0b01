"""Local times in the order of rows: `ambiguous: infer` gives back the instants that clocks were read at."""

import io
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pantarhei as pr
from counts import cases

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/St_Johns", "Asia/Tehran"]
TWICE = datetime(2026, 10, 25, 0, tzinfo=UTC)  # when it is 2 o'clock in Berlin for the first time


def mapping(zone="Europe/Berlin", **time):
    return {
        "prefixes": {"ex": "http://example.org/"},
        "time": {"column": "at", "zone": zone, "ambiguous": "infer", **time},
        "mappings": {"m": {"s": "ex:s", "po": [["ex:v", "$(v)"]]}},
    }


def read(table, zone="Europe/Berlin", **how):
    reader = pr.read_records(table, mapping(zone), on_error="skip", **how)
    aboxes = list(reader)
    return [abox.at for abox in aboxes for _ in abox.triples], reader.skipped_count


def local(instants, zone):
    return [at.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0) for at in instants]


def tables(instants, zone):
    """The same rows as texts, as timestamps, and as texts with a format."""
    clocks, values = local(instants, zone), [f"v{place}" for place in range(len(instants))]
    yield pa.table({"at": [str(each) for each in clocks], "v": values})
    yield pa.table({"at": pa.array(clocks, pa.timestamp("us")), "v": values})
    yield pa.table({"at": pa.array(clocks, pa.timestamp("ns")), "v": values})


def changes(zone, year):
    """The instants in a year at which clocks of a zone are put back."""
    hours = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(hours=each) for each in range(366 * 24)]
    shown = [(at, at.astimezone(ZoneInfo(zone)).utcoffset()) for at in hours]
    return [(at, before - after) for (_, before), (at, after) in pairwise(shown) if after < before]


@given(
    st.sampled_from(ZONES),
    st.integers(1975, 2045),
    st.lists(st.integers(1, 29), min_size=1, max_size=12),
    st.integers(-180, 0),
    st.integers(1, 3),
)
@settings(max_examples=cases(20, 150, 20_000), deadline=None)
def test_steps_shorter_than_the_repeated_time_are_inferred(zone, year, steps, begin, rows):
    for change, repeated in changes(zone, year)[:1]:
        # rows come at least every 29 minutes, from before the repeated time until after it
        at, instants, place = change - repeated + timedelta(minutes=begin), [], 0
        while at < change + 2 * repeated:
            instants += [at] * rows
            at += timedelta(minutes=steps[place % len(steps)])
            place += 1
        for table in tables(instants, zone):
            assert read(table, zone) == (instants, 0)


@given(
    st.sampled_from(ZONES), st.integers(1975, 2045), st.integers(0, 59), st.integers(1, 3), st.integers(3, 9)
)
@settings(max_examples=cases(20, 150, 20_000), deadline=None)
def test_hours_are_inferred_where_each_has_as_many_rows(zone, year, minute, rows, before):
    for change, repeated in changes(zone, year)[:1]:
        if repeated != timedelta(hours=1):
            continue
        first = change - timedelta(hours=before) + timedelta(minutes=minute)
        instants = [first + timedelta(hours=hour) for hour in range(before + 3) for _ in range(rows)]
        for table in tables(instants, zone):
            assert read(table, zone) == (instants, 0)


def rows_of(*instants):
    return pa.table(
        {"at": [str(at) for at in local(instants, "Europe/Berlin")], "v": [f"v{at}" for at in instants]}
    )


def minutes(*numbers):
    return [TWICE + timedelta(minutes=each) for each in numbers]


def test_the_order_is_that_of_all_blocks_and_files(tmp_path):
    instants = minutes(-30, 0, 30, 60, 90, 120)
    lines = [f"{at},v{place}\n" for place, at in enumerate(local(instants, "Europe/Berlin"))]
    for place, line in enumerate(lines):
        (tmp_path / f"{place}.csv").write_text("at,v\n" + line)
    assert read(tmp_path) == (instants, 0)
    assert read(io.BytesIO(("at,v\n" + "".join(lines)).encode()), format="csv") == (instants, 0)
    reader = pa.RecordBatchReader.from_batches(
        rows_of(*instants).schema, [rows_of(at).to_batches()[0] for at in instants]
    )
    assert read(reader) == (instants, 0)


def test_a_reader_that_is_read_again_begins_anew(tmp_path):
    path = tmp_path / "a.csv"
    instants = minutes(0, 30, 60, 90)
    path.write_text("at,v\n" + "".join(f"{at},v\n" for at in local(instants, "Europe/Berlin")))
    reader = pr.read_records(path, mapping())
    assert [abox.at for abox in reader] == [abox.at for abox in reader] == instants


def test_times_with_an_offset_say_what_is_so_far():
    table = pa.table({"at": ["2026-10-25T02:45:00+01:00", "2026-10-25T02:50:00"], "v": ["a", "b"]})
    assert read(table) == (minutes(105, 110), 0)


def test_one_hour_with_other_numbers_of_rows_is_an_error_and_not_a_guess():
    instants = minutes(-120, -60, -60, 0, 0)
    found, skipped = read(rows_of(*instants))
    assert (found, skipped) == (instants[:4], 1)


def test_the_first_rows_of_a_stream_are_the_first_hour():
    assert read(rows_of(*minutes(60, 60, 60))) == (minutes(0, 0, 0), 0)


@pytest.mark.parametrize("way", ["earlier", "later"])
def test_both_hours_are_one_only_if_the_mapping_says_so(way):
    table = rows_of(*minutes(0, 60))
    chosen = {"earlier": 0, "later": 60}[way]
    found = pr.read_records(table, mapping(ambiguous=way))
    assert [abox.at for abox in found] == minutes(chosen)


def test_the_error_advises_what_keeps_both_hours():
    with pytest.raises(pr.InvalidCellError, match="ambiguous: infer in the mapping if"):
        list(pr.read_records(rows_of(*minutes(0)), mapping(ambiguous="error")))


def test_a_time_that_clocks_skip_is_an_error_whatever_the_way():
    table = pa.table({"at": ["2026-03-29 02:30:00", "2026-03-29 03:30:00"], "v": ["a", "b"]})
    for way in ("error", "infer", "earlier", "later"):
        reader = pr.read_records(table, mapping(ambiguous=way), on_error="skip")
        assert [abox.at.hour for abox in reader] == [3]
        assert "does not exist in Europe/Berlin" in reader.skipped[0].reason
