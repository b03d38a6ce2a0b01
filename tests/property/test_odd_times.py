"""One range and one precision at every door: what a time is, whether it is cut, and whether it is refused."""

import io
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Namespace

import pantarhei as pr
from counts import cases
from pantarhei.model.time import TimeKind, parse_timestamp, ticks_of

EX = Namespace("http://example.org/")
XSD = "http://www.w3.org/2001/XMLSchema#"
LAST = (date.max.toordinal() - date(1970, 1, 1).toordinal() + 1) * 86400 * 10**6 - 1
FIRST = -(date(1970, 1, 1).toordinal() - 1) * 86400 * 10**6
_WRITTEN = re.compile(
    r"(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(\.\d+)?(?:Z|([+-])(\d\d):(\d\d))", re.ASCII
)


@dataclass(frozen=True)
class Meant:
    """A time by its definition: its tick, and whether it is cut; None if it is refused."""

    tick: int
    is_cut: bool


def meant(text: str) -> Meant | None:
    """The tick of an `xsd:dateTime` with a zone: midnight may be 24:00:00, finer fractions are cut."""
    year, month, day, hour, minute, second, decimals, sign, hours, minutes = _WRITTEN.fullmatch(text).groups(
        "0"
    )
    shift = 400 if int(year) < 1 else -400 if int(year) > 9999 else 0  # the calendar repeats after 400 years
    try:
        days = date(int(year) + shift, int(month), int(day)).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None
    days -= shift // 400 * 146_097
    clock = Fraction(int(hour) * 3600 + int(minute) * 60 + int(second)) + Fraction(decimals)
    if int(minute) > 59 or int(second) > 59 or clock > 86400:
        return None
    offset = (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1)
    exact = (days * 86400 + clock - offset) * 10**6
    tick = exact.numerator // exact.denominator
    return Meant(tick, tick != exact) if FIRST <= tick <= LAST else None


ODD = [
    "2024-02-29T23:59:59.999999Z",
    "2024-01-01T00:00:00.123456100Z",
    "2024-01-01T00:00:00.123456900Z",
    "2024-01-01T00:00:00.1234560Z",
    "1969-12-31T23:59:59.9999999Z",
    "2016-12-31T24:00:00Z",
    "2016-12-31T24:00:00.000+01:00",
    "2016-12-31T24:00:00.0000001Z",
    "2016-12-31T24:00:01Z",
    "2016-12-31T23:59:60Z",
    "2016-12-31T23:60:00Z",
    "2024-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "0000-06-15T12:00:00Z",
    "-0001-06-15T12:00:00Z",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+00:01",
    "0001-01-01T11:59:59.9999999+12:00",
    "0001-01-01T12:00:00+12:00",
    "9999-12-31T23:59:59.999999Z",
    "9999-12-31T23:59:59.9999999Z",
    "9999-12-31T23:59:59-05:00",
    "9999-12-31T24:00:00Z",
    "9999-12-31T24:00:00+01:00",
    "10000-01-01T00:00:00Z",
    "10000-01-01T00:00:00+14:00",
    "10000-01-01T13:59:59.9999999+14:00",
    "0000-12-31T23:00:00-05:00",
    "0000-12-31T24:00:00Z",
    "2024-01-01T00:00:00-14:00",
]


@dataclass(frozen=True)
class Read:
    """What a door makes of a stream: its ticks, how many times were cut, how many messages were left out."""

    ticks: tuple[int, ...]
    cut: int
    skipped: int


Door = Callable[[list[str], str], object]  # a reader of messages with these times


def nquads(times: list[str], precision: str) -> object:
    lines = [
        f'<urn:a> <urn:p{place}> "1" <http://example.org/{place}/{at}> .\n' for place, at in enumerate(times)
    ]
    source = io.BytesIO("".join(lines).encode())
    return pr.read_stream(source, format="nquads", on_error="skip", precision=precision)


def stated(times: list[str], precision: str) -> object:
    name = "http://www.w3.org/ns/prov#generatedAtTime"
    lines = [
        f'<urn:g{place}> <{name}> "{at}"^^<{XSD}dateTime> <urn:g{place}> .\n'
        f'<urn:a> <urn:p> "1" <urn:g{place}> .\n'
        for place, at in enumerate(times)
    ]
    source = io.BytesIO("".join(lines).encode())
    # the statement is left out, and so is the graph without a time
    return pr.read_stream(source, format="nquads", time=name, on_error="skip", precision=precision)


def trig(times: list[str], precision: str) -> object:
    graphs = [
        f'<http://example.org/x{place}={at}> {{ <urn:a> <urn:p> "{place}" . }}\n'
        for place, at in enumerate(times)
    ]
    source = io.BytesIO("".join(graphs).encode())
    return pr.read_stream(source, format="trig", time="graph", on_error="skip", precision=precision)


def log(times: list[str], precision: str) -> object:
    messages = [
        f'<urn:r{place}> <http://www.w3.org/ns/sosa/resultTime> "{at}"^^<{XSD}dateTime> .'
        for place, at in enumerate(times)
    ]
    source = io.BytesIO(('VERSION "1.2-messages"\n' + "\nMESSAGE\n".join(messages)).encode())
    return pr.read_stream(source, format="turtle", on_error="skip", precision=precision)


def jsonld(times: list[str], precision: str) -> object:
    context = '{"@vocab": "urn:", "at": "http://www.w3.org/ns/prov#generatedAtTime"}'
    lines = [
        f'{{"@context": {context}, "@id": "urn:r{place}", "at": "{at}"}}\n' for place, at in enumerate(times)
    ]
    source = io.BytesIO("".join(lines).encode())
    return pr.read_stream(source, format="jsonld", on_error="skip", precision=precision)


def ngsi_ld(times: list[str], precision: str) -> object:
    attributes = [f'{{"value": {place}, "observedAt": "{at}"}}' for place, at in enumerate(times)]
    lines = [f'{{"id": "urn:r", "type": "R", "v": {each}}}\n' for each in attributes]
    source = io.BytesIO("".join(lines).encode())
    return pr.read_stream(source, format="ngsi-ld", on_error="skip", precision=precision)


class Records:
    """Records mapped one by one, with the counts of a reader."""

    def __init__(self, times: list[str], precision: str) -> None:
        self.mapping = pr.Mapping.load(
            {
                "prefixes": {"ex": str(EX)},
                "time": {"column": "at", "precision": precision},
                "mappings": {"m": {"s": "ex:s", "po": [["ex:v", "$(v)"]]}},
            }
        )
        self.records = [{"at": at, "v": place} for place, at in enumerate(times)]
        self.skipped_count = 0

    @property
    def times_cut(self) -> int:
        return self.mapping.times_cut

    def __iter__(self) -> Iterator[pr.TimestampedABox]:
        def skip(record: object, error: pr.MalformedInputError) -> None:
            self.skipped_count += 1

        return iter(self.mapping.aboxes(self.records, skip))


def mapped(source: object, precision: str, suffix: str | None = None, **time: str) -> object:
    mapping = {
        "prefixes": {"ex": str(EX)},
        "time": time or {"column": "at"},
        "mappings": {"m": {"s": "ex:s", "po": [["ex:v", "$(v)"]]}},
    }
    return pr.read_records(source, mapping, format=suffix, on_error="skip", precision=precision)


def csv(times: list[str], precision: str) -> object:
    rows = "".join(f"{at},{place}\n" for place, at in enumerate(times))
    return mapped(io.BytesIO(f"at,v\n{rows}".encode()), precision, "csv")


def csv_in_two_columns(times: list[str], precision: str) -> object:
    rows = "".join(f"{at.replace('T', ',', 1)},{place}\n" for place, at in enumerate(times))
    return mapped(io.BytesIO(f"day,clock,v\n{rows}".encode()), precision, "csv", value="$(day)T$(clock)")


def csv_with_a_format(times: list[str], precision: str) -> object:
    def written(at: str) -> str:
        whole = at if "." in at else re.sub(r"(Z|[+-]\d\d:\d\d)$", r".0\1", at)
        year, rest = re.fullmatch(r"(-?\d+)-(.*)", whole).groups()
        return f"{rest[:5]} {year} {rest[6:]}"

    rows = "".join(f"{written(at)},{place}\n" for place, at in enumerate(times))
    return mapped(
        io.BytesIO(f"at,v\n{rows}".encode()), precision, "csv", column="at", format="%m-%d %Y %H:%M:%S.%f%z"
    )


def json_lines(times: list[str], precision: str) -> object:
    rows = "".join(f'{{"at": " {at}", "v": "x{place}"}}\n' for place, at in enumerate(times))
    return mapped(io.BytesIO(rows.encode()), precision, "jsonl")


def arrow(times: list[str], precision: str, kind: pa.DataType) -> object:
    return mapped(pa.table({"at": pa.array(times).cast(kind), "v": list(range(len(times)))}), precision)


def parquet(times: list[str], precision: str) -> object:
    file = io.BytesIO()
    pq.write_table(pa.table({"at": times, "v": list(range(len(times)))}), file)
    return mapped(io.BytesIO(file.getvalue()), precision, "parquet")


DOORS: dict[str, Door] = {
    "N-Quads": nquads,
    "a property": stated,
    "TriG": trig,
    "a message log": log,
    "JSON-LD": jsonld,
    "NGSI-LD": ngsi_ld,
    "records": Records,
    "CSV": csv,
    "CSV in two columns": csv_in_two_columns,
    "CSV with a format": csv_with_a_format,
    "JSON lines": json_lines,
    "Arrow texts": lambda times, precision: arrow(times, precision, pa.large_string()),
    "Arrow dictionaries": lambda times, precision: arrow(
        times, precision, pa.dictionary(pa.int32(), pa.string())
    ),
    "Parquet": parquet,
}


def read(reader: object) -> Read:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        aboxes = list(reader)
    found = [each.message for each in caught if isinstance(each.message, pr.TimesCutWarning)]
    assert len(found) == (reader.times_cut > 0)
    return Read(
        tuple(ticks_of(abox.at, TimeKind.DATETIME) for abox in aboxes), reader.times_cut, reader.skipped_count
    )


def expected(times: Iterable[str], precision: str) -> Read:
    known = [meant(at) for at in times]
    kept = [each for each in known if each is not None and (precision != "exact" or not each.is_cut)]
    ticks = [each.tick for each in kept]
    merged = [tick for place, tick in enumerate(ticks) if place == 0 or ticks[place - 1] != tick]
    return Read(tuple(merged), sum(each.is_cut for each in kept), len(known) - len(kept))


def check(door: str, times: list[str], precision: str) -> None:
    if door == "CSV with a format":
        times = [at for at in times if re.match(r"(?!0000)\d{4}-", at)]  # which `%Y` reads
    found, wanted = read(DOORS[door](times, precision)), expected(times, precision)
    if door in ("a property", "NGSI-LD"):  # two statements of each message are left out
        found = Read(found.ticks, found.cut, found.skipped // 2)
    assert found == wanted, door


@pytest.mark.parametrize("precision", ["microseconds", "exact"])
@pytest.mark.parametrize("door", DOORS)
def test_odd_times_are_the_same_at_each_door_alone_and_together(door, precision):
    for at in ODD:
        check(door, [at], precision)
        check(door, ["2024-01-01T00:00:00Z", at, "2024-01-02T00:00:00.5Z"], precision)
    check(door, ODD, precision)


@st.composite
def xsd_times(draw: st.DrawFn) -> str:
    years = st.sampled_from([0, 1, 1582, 1677, 1969, 1970, 2024, 2038, 2262, 9998, 9999, 10000])
    day = f"{draw(years):04}-{draw(st.integers(1, 12)):02}-{draw(st.sampled_from([1, 2, 28, 29, 30, 31])):02}"
    if draw(st.integers(0, 5)) == 0:
        day = draw(st.sampled_from(["0001-01-01", "9999-12-31", "1970-01-01"]))
    hour, minute = draw(st.sampled_from([0, 1, 12, 23, 24])), draw(st.sampled_from([0, 30, 59]))
    second = draw(st.sampled_from([0, 1, 59, 60]))
    if hour == 24 and draw(st.booleans()):
        minute = second = 0
    digits = draw(
        st.sampled_from(["", ".0", ".5", ".123456", ".999999", ".0000000", ".9999999", ".000000001"])
    )
    zone = draw(st.sampled_from(["Z", "+00:00", "+01:00", "-05:30", "+14:00", "-14:00"]))
    return f"{day}T{hour:02}:{minute:02}:{second:02}{digits}{zone}"


@given(st.lists(xsd_times(), min_size=1, max_size=4), st.sampled_from(["microseconds", "exact"]))
@settings(max_examples=cases(15, 300, 20_000), deadline=None)
def test_all_doors_agree_on_random_times(times, precision):
    for door in DOORS:
        check(door, times, precision)


# columns and Python objects have instants, not texts

NANOSECONDS = [
    0,
    1,
    999,
    1_000,
    -1,
    -1_000,
    1_704_067_200_123_456_100,
    1_704_067_200_123_456_000,
    -(2**63) + 1,
    2**63 - 1,
]


@pytest.mark.parametrize("precision", ["microseconds", "exact"])
@pytest.mark.parametrize("number", NANOSECONDS)
def test_nanoseconds_are_cut_the_same_in_columns_of_each_type(number, precision):
    tick, is_cut = number // 1000, number % 1000 != 0
    refused = is_cut and precision == "exact"
    wanted = Read(() if refused else (tick,), int(is_cut and not refused), int(refused))
    stamps = pa.array([number], pa.timestamp("ns", "Europe/Berlin"))
    local = pa.array([number], pa.timestamp("ns"))
    texts = pa.array([f"{Fraction(number, 10**9).__floor__()}.{number % 10**9:09}"])
    for column, time in (
        (stamps, {}),
        (stamps.dictionary_encode(), {}),
        (local, {"zone": "UTC"}),
        (pa.array([number]), {"unit": "ns"}),
        (pa.array([str(number)]), {"unit": "ns"}),
        (texts if number >= 0 else None, {"unit": "s"}),
        (texts.cast(pa.decimal128(28, 9)) if number >= 0 else None, {"unit": "s"}),
    ):
        if column is not None:
            table = pa.table({"at": column, "v": ["x"]})
            assert read(mapped(table, precision, column="at", **time)) == wanted, column.type
    frame = pd.DataFrame({"at": pd.to_datetime([number], utc=True), "v": ["x"]})
    assert read(mapped(frame, precision)) == wanted


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "+14:00", None])
def test_timestamps_out_of_range_are_left_out_and_counted(unit, zone):
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    known = [FIRST, LAST, FIRST - 10**6, LAST + 1, 2**62, -(2**62), 0]
    numbers = [number for tick in known if abs(number := tick * per_second // 10**6) < 2**63]
    for number in numbers:
        table = pa.table({"at": pa.array([number], pa.timestamp(unit, zone)), "v": ["x"]})
        tick = number * 10**6 // per_second
        wanted = Read((tick,), 0, 0) if FIRST <= tick <= LAST else Read((), 0, 1)
        found = read(mapped(table, "microseconds", column="at", **({} if zone else {"zone": "UTC"})))
        assert (found.ticks, found.skipped) == (wanted.ticks, wanted.skipped)
        numbered = pa.table({"at": [number], "v": ["x"]})
        assert read(mapped(numbered, "microseconds", column="at", unit=unit)) == found


@pytest.mark.parametrize("at", ODD)
def test_a_pushed_datetime_is_an_instant_in_range(at):
    instant = meant(at)
    try:
        given = datetime.fromisoformat(at)
    except ValueError:
        return
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT5M", slide="PT1M"))
    if instant is None:
        for refused in (reasoner.push, lambda at, _: reasoner.advance(at)):
            with pytest.raises(pr.TimestampError, match="years 1 to 9999 in UTC"):
                refused(given, [])
        for refused in (
            lambda: pr.Window("PT5M", origin=given),
            lambda: pr.load_rules("p(X) :- :q(X).", given, prefixes={"": str(EX)}),
            lambda: parse_timestamp(at),
        ):
            with pytest.raises(pr.TimestampError):
                refused()
        assert reasoner.timestamps == ()
        return
    reasoner.push(given, [(EX.a, RDF.type, EX.B)])
    assert [ticks_of(each, TimeKind.DATETIME) for each in reasoner.timestamps] == [instant.tick]
    restored = pr.StreamReasoner.restore(reasoner.snapshot(), pr.load_ontology(Graph()))
    assert restored.timestamps == reasoner.timestamps
    assert len(reasoner.query("SELECT ?g { GRAPH ?g { ?s a ?c } }").rows) == 1


def test_nanoseconds_of_pushed_timestamps_are_cut_and_counted_or_refused():
    at = pd.Timestamp("2024-01-01T00:00:00.123456789Z")
    fact = (EX.a, RDF.type, EX.B)
    for precision in ("microseconds", "exact"):
        reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT5M"), precision=precision)
        doors = {
            "push": lambda reasoner=reasoner: reasoner.push(at, [fact]),
            "run": lambda reasoner=reasoner: list(reasoner.run([(at, [fact])])),
            "late": lambda reasoner=reasoner: list(reasoner.run([(at, [fact])], "PT1M")),
        }
        for count, door in enumerate(doors.values(), 1):
            if precision == "exact":
                with pytest.raises(pr.TimestampError, match="six decimals"):
                    door()
                assert reasoner.stats().times_cut == 0
                continue
            with pytest.warns(pr.TimesCutWarning, match="cut to microseconds"):
                door()
            assert reasoner.timestamps == (datetime(2024, 1, 1, 0, 0, 0, 123456, UTC),)
            assert reasoner.stats().times_cut == count
        restored = pr.StreamReasoner.restore(reasoner.snapshot(), pr.load_ontology(Graph()))
        assert restored.options.precision == precision
        assert restored.stats().times_cut == reasoner.stats().times_cut


@pytest.mark.parametrize("door", ["N-Quads", "CSV"])
def test_what_a_reader_has_cut_is_counted_by_the_reasoner(door):
    times = ["2024-01-01T00:00:00.123456100Z", "2024-01-01T00:00:01Z", "2024-01-01T00:00:02.1234567Z"]
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("PT5M"))
    reader = DOORS[door](times, "microseconds")
    with pytest.warns(pr.TimesCutWarning) as caught:
        assert len(list(reasoner.run(reader))) == 3
    assert len(caught) == 1
    assert reader.times_cut == reasoner.stats().times_cut == 2
    assert "2 times cut to microseconds" in str(reasoner.stats())


@pytest.mark.parametrize("at", [at for at in ODD if meant(at) is None or meant(at).is_cut])
def test_a_rule_names_a_time_that_a_stream_can_have(at):
    text = f'hit(X) :- :B(X) at "{at}"^^<{XSD}dateTime>.'
    with pytest.raises(pr.TemporalRuleError):
        pr.load_rules(text, prefixes={"": str(EX)})


def test_a_rule_may_name_the_end_of_a_day():
    rules = pr.load_rules(
        f'hit(X) :- :B(X) at "2016-12-31T24:00:00Z"^^<{XSD}dateTime>.', prefixes={"": str(EX)}
    )
    window = pr.Window("PT5M", slide="PT1S")
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), window, temporal=rules)
    reasoner.push(datetime(2017, 1, 1, tzinfo=UTC), [(EX.a, RDF.type, EX.B)])
    assert len(reasoner.atoms()) == 1


@given(xsd_times())
@settings(max_examples=cases(25, 500, 20_000), deadline=None)
def test_an_option_of_the_command_line_is_a_time_or_an_error(at):
    instant = meant(at)
    if instant is None or instant.is_cut:
        with pytest.raises(pr.TimestampError):
            parse_timestamp(at)
    else:
        assert ticks_of(parse_timestamp(at), TimeKind.DATETIME) == instant.tick


def test_a_format_without_a_day_is_an_error_of_the_mapping():
    for form in ("%H:%M", "%d.%m. %H:%M", "%Y %H:%M", "%m-%d", "%Y-%m %H", "%Y-%m-%d %Z"):
        with pytest.raises(pr.MappingError):
            mapped(io.BytesIO(b"at,v\n"), "microseconds", "csv", column="at", format=form, zone="UTC")
    for form in ("%Y", "%Y-%m", "%Y-%j %H:%M", "%d %b %y", "%G-W%V-%u", "%c"):
        mapped(io.BytesIO(b"at,v\n"), "microseconds", "csv", column="at", format=form, zone="UTC")


@pytest.mark.parametrize(
    "text", ["24-02-03 10:00:00", "2024-02-30 10:00:00", "2024-02-03 23:59:60", "2024-04-31 00:00:00"]
)
def test_what_c_makes_another_time_of_is_an_error_beside_good_rows_too(text):
    for rows in ([text], ["2024-02-03 10:00:00", text], [text, "2024-2-3 1:00:00"]):
        table = pa.table({"at": rows, "v": ["x"] * len(rows)})
        found = mapped(table, "microseconds", column="at", format="%Y-%m-%d %H:%M:%S", zone="UTC")
        assert read(found).skipped == 1


def test_the_newest_wins_where_times_differ_in_microseconds():
    stamps = [datetime(2024, 1, 1, tzinfo=UTC) + timedelta(microseconds=place) for place in range(2)]
    functional = "a owl:FunctionalProperty, owl:DatatypeProperty"
    owl = "http://www.w3.org/2002/07/owl#"
    axiom = f"@prefix : <{EX}> . @prefix owl: <{owl}> . :v {functional} ."
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=axiom)), pr.Window("PT1S"))
    table = pa.table({"at": stamps, "v": ["1", "2"]})
    updates = list(reasoner.run(mapped(table, "exact")))
    assert [len(update.repair.removed) for update in updates] == [0, 1]
