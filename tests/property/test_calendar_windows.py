"""Windows in calendar days of a zone, against their definition: day by day, as clocks of the zone show it."""

import pickle
from calendar import monthrange
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Namespace

import pantarhei as pr
from counts import cases
from pantarhei.model.time import TimeKind, ticks_of, time_of

EX = Namespace("http://example.org/")
KIND = TimeKind.DATETIME
ZONES = [
    "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Havana", "Africa/Cairo", "Asia/Beirut",
    "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Asia/Kolkata", "UTC", "+05:30", "Asia/Amman",
]  # fmt: skip
LENGTHS = ["P1D", "P2D", "P1W", "P1M", "P3M", "P1Y"]
STEPS = ["P1D", "P2D", "P7D", "P1M", "P2M"]


@cache
def zone_of(name):
    return ZoneInfo(name) if name in available_timezones() else UTC if name == "UTC" else pr_zone(name)


def pr_zone(name):
    return datetime.strptime(name, "%z").tzinfo


@cache
def start_of(zone, day):
    """The first instant whose local date is that day or later: by minutes, then by seconds.

    Clocks that are put back after midnight return to the day before: steps of hours end three hours before.
    """
    at = datetime.combine(day, datetime.min.time(), UTC) - timedelta(hours=40)
    hour, minute, second = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=1)
    for step, ahead in ((hour, 3 * hour), (minute, minute), (second, second)):
        while (at + ahead).astimezone(zone_of(zone)).date() < day:
            at += step
    return at + timedelta(seconds=1)


def parts(length):
    number, unit = int(length[1:-1]), length[-1]
    return {"D": (0, number), "W": (0, 7 * number), "M": (number, 0), "Y": (12 * number, 0)}[unit]


def moved(day, months, days):
    month = day.year * 12 + day.month - 1 + months
    year, month = divmod(month, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1])) + timedelta(days)


@cache
def boundaries(zone, slide, first, last):
    """The local days at which windows end, with their starts."""
    months, days = parts(slide)
    day = date(1970, 1, 1) if months else date(1970, 1, 5)
    found, number = [], 0
    while (each := moved(day, months * number, days * number)) <= last:
        if each >= first:
            found.append((each, start_of(zone, each)))
        number += 1
    return found


def defined(zone, range_, slide, closed, at):
    """The window at a time: the first and the last instant inside, in microseconds, and its end."""
    day = at.astimezone(zone_of(zone)).date()
    known = boundaries(zone, slide, date(day.year - 1, 1, 1), date(day.year + 1, 12, 31))
    later = (each for each in known if (each[1] > at if closed == "left" else each[1] >= at))
    end_day, end = next(later)
    months, days = parts(range_)
    start = start_of(zone, moved(end_day, -months, -days))
    tick = timedelta(microseconds=1)
    return start + tick * (closed == "right"), end - tick * (closed == "left"), end


def shown(tick):
    return time_of(tick, KIND)


@given(
    st.sampled_from(ZONES),
    st.sampled_from(LENGTHS),
    st.sampled_from(STEPS),
    st.sampled_from(["both", "right", "left"]),
    st.integers(1975, 2035),
    st.integers(0, 366 * 24 * 60 - 1),
)
@settings(max_examples=cases(24, 250, 20_000), deadline=None)
def test_a_window_is_as_defined(zone, range_, slide, closed, year, minute):
    window = pr.Window(range_, slide, closed=closed, zone=zone)
    now = datetime(year, 1, 1, tzinfo=UTC) + timedelta(minutes=minute)
    for at in (now, start_of(zone, now.date()), start_of(zone, now.date()) + timedelta(microseconds=1)):
        first, last, end = defined(zone, range_, slide, closed, at)
        step = window.step_at(KIND, ticks_of(at, KIND))
        assert shown(step.end) == end
        assert shown(step.first) == first
        assert tuple(map(shown, window.content_at(KIND, step.end))) == (first, last)


@given(st.sampled_from(ZONES), st.sampled_from(STEPS), st.integers(1975, 2035), st.integers(1, 400))
@settings(max_examples=cases(16, 150, 5_000), deadline=None)
def test_all_boundaries_close_once_and_in_order(zone, slide, year, days):
    begin = datetime(year, 1, 1, 12, tzinfo=UTC)
    until = begin + timedelta(days=days)
    window = pr.Window("P1Y", slide, closed="right", zone=zone)
    before, found = ticks_of(begin, KIND), []
    for stop in (*window.stops(KIND, before, ticks_of(until, KIND)), ticks_of(until, KIND)):
        found += window.closings(KIND, before, stop)
        before = stop
    known = boundaries(zone, slide, date(year - 1, 12, 1), date(year + 3, 1, 1))
    assert list(map(shown, found)) == list(dict.fromkeys(at for _, at in known if begin <= at < until))


@given(st.sampled_from(ZONES), st.sampled_from(LENGTHS), st.sampled_from(STEPS), st.integers(0, 20_000))
@settings(max_examples=cases(16, 150, 5_000), deadline=None)
def test_what_a_window_has_left_is_not_in_it(zone, range_, slide, hours):
    window = pr.Window(range_, slide, zone=zone)
    at = ticks_of(datetime(2005, 1, 1, 5, tzinfo=UTC) + timedelta(hours=hours), KIND)
    left = window.leaving_at(KIND, at)
    assert window.step_at(KIND, left).first > at >= window.step_at(KIND, left - 1).first


def readings(zone, days):
    begin = start_of(zone, days[0])
    return [
        (begin + timedelta(hours=hour), [(EX[f"h{hour}"], RDF.type, EX.Reading)])
        for hour in range(24 * len(days))
    ]


@pytest.mark.parametrize(("year", "month", "hours"), [(2026, 3, 23), (2026, 10, 25), (2026, 5, 24)])
def test_a_day_of_a_query_has_the_hours_of_the_local_day(year, month, hours):
    last = max(day for day in range(25, 32) if date(year, month, day).weekday() == 6)  # a last Sunday
    days = [date(year, month, last) + timedelta(each) for each in range(-1, 2)]
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("P3D", zone="Europe/Berlin"))
    window = pr.Window("P1D", closed="left", zone="Europe/Berlin")
    query = reasoner.register(
        "SELECT (COUNT(?x) AS ?n) { ?x a ?c }", window=window, on="close", emit="rstream"
    )
    counts = {}
    for at, abox in readings("Europe/Berlin", days):
        update = reasoner.push(at, abox)
        if query in update.answers:
            for report in update.answers[query].reports:
                (row,) = report.added
                counts[report.at] = int(row[0])
    assert counts[start_of("Europe/Berlin", days[2])] == hours


def test_each_day_of_a_gap_in_time_is_reported():
    zone, window = "Europe/Berlin", pr.Window("P1D", closed="right", zone="Europe/Berlin")
    days = [date(2026, 10, 24) + timedelta(each) for each in range(6)]
    stream = [
        (start_of(zone, day) + timedelta(hours=1), [(EX.a, RDF.type, EX.B)]) for day in (days[0], days[4])
    ]
    count = "SELECT (COUNT(?x) AS ?n) { ?x a ?c }"
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("P3D", zone=zone))
    query, found = reasoner.register(count, window=window, on="close", emit="rstream"), []
    for at, abox in stream:
        update = reasoner.push(at, abox)
        reports = update.answers[query].reports if query in update.answers else ()
        found += [(report.at, [int(row[0]) for row in report.added]) for report in reports]
    wanted = [(start_of(zone, day), [int(day == days[1])]) for day in days[1:5]]
    assert found == wanted


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/Havana"])
def test_a_reasoner_tumbles_by_local_days_and_goes_on_from_a_checkpoint(zone):
    days = [date(2026, 10, 24) + timedelta(each) for each in range(3)]
    window = pr.Window("P1D", "P1D", closed="right", zone=zone)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), window)
    for at, abox in readings(zone, days):
        reasoner.push(at, abox)
        first, last, _ = defined(zone, "P1D", "P1D", "right", at)
        assert all(first <= each <= last for each in reasoner.timestamps)
        reasoner = pr.StreamReasoner.restore(reasoner.snapshot(), pr.load_ontology(Graph()))
        assert reasoner.window == window and reasoner.window.zone == zone
    assert pickle.loads(pickle.dumps(window)) == window


def test_a_day_that_a_zone_skips_leaves_the_day_before_in_its_window():
    window = pr.Window("P1D", closed="right", zone="Pacific/Apia")
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), window)
    midnight = start_of("Pacific/Apia", date(2011, 12, 29))
    for hour in range(1, 50):  # local days 29 and 31, which follow one another
        at = midnight + timedelta(hours=hour)
        reasoner.push(at, [(EX[f"h{hour}"], RDF.type, EX.Reading)])
        assert len(reasoner.timestamps) == (hour - 1) % 24 + 1


@pytest.mark.parametrize(
    "options",
    [
        {"range": "PT24H"}, {"range": "P1DT1H"}, {"range": 5}, {"range": "P1D", "slide": "PT1H"},
        {"range": "P0D"}, {"range": "P1D", "slide": "P0D"}, {"range": "P1M", "slide": "P1M1D"},
        {"range": "P1D", "zone": "Europe/Nowhere"},
        {"range": "P1D", "origin": datetime(2026, 1, 1, tzinfo=UTC)},
        {"range": "P1D", "origin": 7}, {"range": timedelta(hours=5)}, {"range": "P99999999D"},
    ],
)  # fmt: skip
def test_what_is_no_window_in_days_is_an_error_at_once(options):
    with pytest.raises((pr.OptionError, pr.TimestampError)):
        pr.Window(**{"zone": "Europe/Berlin", **options})


def test_windows_hold_one_another_where_their_days_do():
    def registers(held, asked):
        reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), held)
        try:
            reasoner.register("SELECT * { ?x a ?c }", window=asked)
        except pr.OptionError:
            return False
        return True

    berlin = {"zone": "Europe/Berlin"}
    day, week = pr.Window("P1D", **berlin), pr.Window("P7D", **berlin)
    assert registers(week, day) and registers(day, pr.Window("P1D", closed="right", **berlin))
    assert not registers(day, week)
    assert registers(pr.Window("PT25H"), day) and not registers(pr.Window("PT24H"), day)
    assert registers(week, pr.Window("PT24H")) and not registers(day, pr.Window("PT24H"))
    with pytest.raises(pr.OptionError):
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("P1D", "P1W", **berlin))


def test_temporal_rules_refuse_steps_of_different_lengths():
    rules = pr.load_rules("p(X) :- :q(X) in [1 d].", prefixes={"": str(EX)})
    with pytest.raises(
        pr.TemporalRuleError,
        match="ticks of temporal rules must have equal lengths, but days of Europe/Berlin differ",
    ):
        pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window("P1D", zone="Europe/Berlin"), temporal=rules)


def test_the_ends_of_the_calendar_are_days_too():
    window = pr.Window("P1M", "P1M", closed="right", zone="Asia/Tokyo")
    for at in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, 999999, UTC)):
        reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), window)
        reasoner.push(at, [(EX.a, RDF.type, EX.B)])
        assert reasoner.timestamps == (at,)
