from datetime import UTC, datetime

import pyarrow as pa
import pytest

from pantarhei import MappingError
from pantarhei.io.mapping.cell_columns import column_values
from pantarhei.io.mapping.record_mapping import RowTime, TextTemplate
from pantarhei.io.mapping.row_times import shown_times, times_of
from pantarhei.model.time import TimeKind

AT = TextTemplate(("", ""), ("at",))


def read(values, **how):
    """The times of rows, or why one is none."""
    array = pa.array(values) if isinstance(values, list) else values
    time = RowTime(how.pop("template", AT), **how)
    found = times_of(time, {"at": array}, lambda name: column_values(array, frozenset({""})), "m.yaml")
    codes = range(len(array)) if found.codes is None else found.codes.tolist()
    shown = shown_times(found.ticks, found.kind, time)
    return [found.reasons.get(code) or shown[code] for code in codes]


SEVEN = datetime(2026, 3, 2, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("values", "how"),
    [
        (["2026-03-02T07:00:00Z", "2026-03-02 08:00:00+01:00"], {}),
        (["2026-03-02T08:00", "2026-03-02 08:00:00"], {"zone": "Europe/Copenhagen"}),
        (["2026-03-02T08:00", "2026-03-02T07:00Z"], {"zone": "+01:00"}),
        (["02.03.2026 08:00"], {"format": "%d.%m.%Y %H:%M", "zone": "Europe/Copenhagen"}),
        (["2 March 2026 08h +0100"], {"format": "%d %B %Y %Hh %z"}),
        (["1772434800", " 1772434800.0"], {"unit": "s"}),
        ([1772434800000], {"unit": "ms"}),
        ([1772434800.0], {"unit": "s"}),
        ([1772434800000000999], {"unit": "ns"}),
        (pa.array([1772434800], pa.uint64()), {"unit": "s"}),
        ([SEVEN], {}),
        (pa.array([SEVEN], pa.timestamp("ns", "Asia/Tokyo")), {}),
        (pa.array([datetime(2026, 3, 2, 8)]), {"zone": "Europe/Copenhagen"}),
        (pa.array(["2026-03-02T07:00:00Z"]).dictionary_encode(), {}),
    ],
)
def test_a_time_is_read_as_the_mapping_says(values, how):
    assert read(values, **how) == [SEVEN] * len(values)


def test_numbers_are_the_times_if_that_is_said():
    assert read([7, 8], unit="number") == [7, 8]
    assert read(["7", "8"], unit="number") == [7, 8]
    assert read([0.5], unit="number") == [0.5]
    assert read(["7", "0.5"], unit="number") == [7.0, 0.5]


def test_a_time_may_be_made_of_several_columns():
    arrays = {"day": pa.array(["2026-03-02"]), "clock": pa.array(["07:00"])}
    time = RowTime(TextTemplate(("", "T", "Z"), ("day", "clock")))
    found = times_of(time, arrays, lambda name: column_values(arrays[name], frozenset()), "m.yaml")
    assert shown_times(found.ticks, found.kind, time) == [SEVEN]
    assert found.kind is TimeKind.DATETIME


def test_a_wrong_time_is_one_rows_matter():
    first, second, third = read(["2026-03-02T07:00Z", "soon", ""])
    assert first == SEVEN
    assert "'soon' is not a time" in second
    assert "there is no time" in third
    assert "there is no time" in read([7, None], unit="number")[1]


@pytest.mark.parametrize(
    "values", [["9" * 30], [2**63 - 1], [float("nan")], [float("inf")], ["1e400"], ["NaN"], ["-"]]
)
def test_a_number_that_is_no_time_is_said(values):
    (said,) = read(values, unit="s")
    assert isinstance(said, str)


@pytest.mark.parametrize("unit", ["s", "ms", "number"])
@pytest.mark.parametrize("text", ["1_000", "1_000.5", "\u0661", "\u0663.5", "Infinity", "nan", "0x1F"])
def test_what_python_alone_takes_for_a_number_is_none(text, unit):
    assert read([text, "1000"], unit=unit)[0] == f"{text!r} is not a number, but the mapping has unit: {unit}"


def test_what_is_no_number_leaves_whole_numbers_whole():
    seven, _, nine = read(["7", "soon", "9"], unit="number")
    assert (type(seven), seven, nine) == (int, 7, 9)
    assert [type(at) for at in read(["7", "8.5"], unit="number")] == [float, float]


@pytest.mark.parametrize(
    ("unit", "said"), [("s", "is not a time from the year 1"), ("number", "does not fit")]
)
def test_a_number_beyond_what_decimals_hold_is_one_rows_matter(unit, said):
    reason, five = read(["1e999999", "5"], unit=unit)
    assert said in reason and not isinstance(five, str)


def test_a_local_time_that_comes_twice_is_the_one_that_is_said():
    twice, zone = ["2025-10-26 02:30"], "Europe/Copenhagen"
    assert "occurred twice" in read(twice, zone=zone)[0]
    (earlier,), (later,) = (read(twice, zone=zone, ambiguous=way) for way in ("earlier", "later"))
    assert (later - earlier).total_seconds() == 3600
    stamps = pa.array([datetime(2025, 10, 26, 2, 30)])
    assert read(stamps, zone=zone, ambiguous="later") == [later]
    assert "occurred twice" in read(stamps, zone=zone)[0]


def test_clocks_are_put_forward_in_far_years_too():
    far = ["2040-07-01T08:00"]
    assert read(far, zone="Europe/Copenhagen") == [datetime(2040, 7, 1, 6, tzinfo=UTC)]
    assert read(pa.array([datetime(2040, 7, 1, 8)]), zone="Europe/Copenhagen") == read(
        far, zone="Europe/Copenhagen"
    )


@pytest.mark.parametrize(
    ("values", "how", "said"),
    [
        ([7], {}, "the times in column at are numbers; expected unit: s, ms"),
        (pa.array([SEVEN]), {"unit": "s"}, "expected no unit and no format"),
        (pa.array([datetime(2026, 3, 2)]), {}, "are local times without a zone; expected zone: "),
    ],
)
def test_a_column_of_another_type_than_the_mapping_says_is_said(values, how, said):
    with pytest.raises(MappingError, match=said):
        read(values, **how)
