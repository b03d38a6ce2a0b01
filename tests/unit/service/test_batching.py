"""Time of batches: newest time or watermark; it never goes back."""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from pantarhei.service.batching import Batcher, Received
from pantarhei.service.changes import ChangeCounter, changes_of
from pantarhei.service.decoding import MessageDecoder
from pantarhei.service.journal_driver import JournalDriver, read_knowledge
from pantarhei.service.message_journal import NEVER, Message
from service_tools import site

NOW = datetime(2024, 1, 1, 12, tzinfo=UTC)
SOURCES = "{a: {http: {m: m.yaml}}, b: {http: {m: m.yaml}}}"


def second(number):
    return NOW + timedelta(seconds=number)


def message(at, source="a", name="s", value=1, number=0):
    fields = {"at": second(at).isoformat(), "id": name, "v": value, "n": number}
    return Received(Message(source, "m", json.dumps(fields).encode()))


@pytest.fixture(scope="module")
def make(tmp_path_factory):
    def made(clock, sources=SOURCES, rules="", **more):
        folder = tmp_path_factory.mktemp("site")
        (folder / "rules.lars").write_text(rules)
        sections = f"clock: {clock}\n" + "rules: rules.lars" * bool(rules)
        config = site(folder, sources, sections, **more)
        return config, Batcher(config, MessageDecoder(config))

    return made


ARRIVAL = "{allowed_lateness: 5s, max_ahead: 5s, idle: 2s}"
EVENT = "{order: event, allowed_lateness: 3s, max_ahead: 5s, idle: 2s}"


def test_time_begins_with_the_first_message(make):
    _, batcher = make(ARRIVAL)
    position = Received(Message("a", "", b""), position={"x": 1}, is_position=True)
    (record,) = batcher.batches([position], 0, None, NOW)
    assert (record.at, record.positions, record.messages) == (NEVER, {"a": {"x": 1}}, ())
    assert batcher.tick(1, None, second(9)) is None
    (record,) = batcher.batches([message(-9999)], 1, None, NOW)
    assert record.at == second(-9999)


@pytest.mark.parametrize("seed", range(8))
def test_by_arrival_time_never_goes_back_and_late_and_early_messages_are_dead_letters(make, seed):
    _, batcher = make(ARRIVAL)
    chance, now, number = random.Random(seed), NOW, 0
    last = None
    for serial in range(25):
        at, now = chance.randint(-20, 20), now + timedelta(seconds=chance.randint(0, 2))
        is_ahead = second(at) > now + timedelta(seconds=5)
        is_late = not is_ahead and last is not None and second(at) < last - timedelta(seconds=5)
        (record,) = batcher.batches([message(at, number=serial)], number, last, now)
        assert [dead.reason for dead in record.dead] == ["ahead"] * is_ahead + ["late"] * is_late
        assert len(record.messages) == (not (is_ahead or is_late))
        assert last is None or record.at >= last
        number, last = record.number, None if record.at == NEVER else record.at


def test_messages_of_the_past_are_not_put_into_one_step(make):
    _, batcher = make(ARRIVAL)
    given = [message(at, name=str(at)) for at in range(-100, -90)]
    given = [each._replace(position={"f": place}) for place, each in enumerate(given)]
    found = batcher.batches(given, 0, None, NOW)
    assert [record.at for record in found] == [second(at) for at in range(-100, -90)]
    assert [record.positions for record in found] == [{"a": {"f": place}} for place in range(10)]


def test_messages_that_arrive_together_are_one_step_unless_their_values_differ(make):
    _, batcher = make(ARRIVAL)
    given = [message(0, name="s"), message(0, name="t"), message(0, name="s", value=2)]
    assert [len(record.messages) for record in batcher.batches(given, 0, None, NOW)] == [2, 1]


def test_the_watermark_is_the_least_newest_time_of_the_sources_that_are_not_idle(make):
    _, batcher = make(EVENT)
    for source in "ab":
        batcher.expect(source, NOW)
    (first,) = batcher.batches([message(0, "a")], 0, None, NOW)
    assert first.at == NEVER  # b may deliver an older one
    (record,) = batcher.batches([message(-1, "b")], 1, None, NOW)
    assert record.at == second(-4)
    (record,) = batcher.batches([message(4, "a")], 2, record.at, second(1))
    assert record.at == second(-4)
    (record,) = batcher.batches([message(5, "a")], 3, record.at, second(2.5))
    assert record.at == second(2)  # b is idle
    assert batcher.tick(4, record.at, second(3)) is None
    assert batcher.tick(4, record.at, second(10)).at == second(10 - 2 - 3)


def test_a_source_that_has_ended_does_not_hold_the_watermark(make):
    _, batcher = make("{order: event, allowed_lateness: 3s, idle: null}")
    for source in "ab":
        batcher.expect(source, NOW)
    batcher.batches([message(0, "a")], 0, None, NOW)
    batcher.ended.add("b")
    assert batcher.tick(1, None, NOW).at == second(-3)
    batcher.ended.add("a")
    assert batcher.tick(2, second(-3), NOW).at == second(0)


@pytest.mark.parametrize("clock", [ARRIVAL, EVENT])
def test_time_does_not_go_back_with_the_machines_clock(make, clock):
    _, batcher = make(clock)
    (record,) = batcher.batches([message(0)], 0, None, NOW)
    last = batcher.tick(1, record.at, second(100)).at
    assert batcher.tick(2, last, second(-3600)) is None
    for later in batcher.batches([message(-3600)], 2, last, second(-3600)):
        assert later.at >= last


ENDS = [
    *(
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:02Z",
        "0001-01-01T00:00:00+14:00",
        "0001-01-02T00:00:00-14:00",
    ),
    *("0000-01-01T00:00:00Z", "-0001-01-01T00:00:00Z", "0100-02-28T00:00:00Z", "1899-12-31T23:59:59.999999Z"),
    *(
        "1900-01-01T00:00:00+00:01",
        "2199-12-31T23:59:00-00:01",
        "2200-01-01T00:00:00Z",
        "99999-01-01T00:00:00Z",
    ),
    *(
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59-14:00",
        "9999-12-31T24:00:00Z",
        "9999-01-01T00:00:00Z",
    ),
]
"""Times that are refused."""
VALID = ["1900-01-01T00:00:00Z", "1970-01-01T00:00:00Z", NOW.isoformat(), "2199-12-31T23:59:59.999999Z"]
AS_RDF = {
    "m": '{"id": "s", "v": %d, "at": "%s"}',
    "ld": '{"@id": "http://e/s", "http://example.org/value": %d, "http://www.w3.org/ns/prov#generatedAtTime":'
    ' {"@type": "http://www.w3.org/2001/XMLSchema#dateTime", "@value": "%s"}}',
    "ngsi": '{"id": "urn:s", "type": "S", "v": {"type": "Property", "value": %d, "observedAt": "%s"}}',
}
TOPICS = "{m: m.yaml, ld: jsonld, ngsi: ngsi-ld}"
LONGEST = "9999d"
RULES = """
remember heard.
heard(S) :- :value(S, V).
silent(S) :- heard(S) in [10 min], not heard(S) in [5 sec].
"""


@pytest.mark.parametrize("topic", AS_RDF)
def test_times_at_the_ends_of_the_calendar_are_malformed(make, topic):
    _, batcher = make("{max_ahead: null}", sources=f"{{a: {{http: {TOPICS}}}}}")
    for number, at in enumerate(ENDS + VALID):
        given = Received(Message("a", topic, (AS_RDF[topic] % (number, at)).encode()))
        (record,) = batcher.batches([given], 0, None, NOW)
        assert [dead.reason for dead in record.dead] == ["malformed"] * (at in ENDS), at
        assert (record.at == NEVER) is (at in ENDS)


@pytest.mark.parametrize("time", ["message", "arrival"])
@pytest.mark.parametrize("order", ["arrival", "event"])
@pytest.mark.parametrize("ahead", ["null", "5s", LONGEST])
@pytest.mark.parametrize(
    "more",
    [
        "",
        pytest.param("idle: null, ", marks=pytest.mark.long),
        pytest.param(f"idle: {LONGEST}, batch: {LONGEST}, ", marks=pytest.mark.long),
    ],
)
def test_no_time_of_a_message_ends_the_writer(make, time, order, ahead, more):
    chance = random.Random(f"{time} {order} {ahead} {more}")
    lateness = chance.choice(["0s", "5s", LONGEST])
    config, batcher = make(
        f"{{time: {time}, order: {order}, max_ahead: {ahead}, {more}allowed_lateness: {lateness}}}",
        sources=f"{{a: {{http: {TOPICS}}}, b: {{http: {TOPICS}}}}}",
        rules=RULES,
        window=chance.choice(["{range: 1m, slide: 1s}", f"{{range: {LONGEST}, slide: {LONGEST}}}"]),
    )
    driver = JournalDriver.fresh(read_knowledge(config))
    now, reasons, times = NOW, Counter(), ENDS + VALID
    for serial in range(20):
        drawn = (chance.choice([*AS_RDF.items()]) for _ in range(chance.randint(0, 2)))
        given = [
            Received(Message(chance.choice("ab"), topic, (text % (serial, chance.choice(times))).encode()))
            for topic, text in drawn
        ]
        now += timedelta(seconds=chance.choice([0, 1, 10]))
        records = batcher.batches(given, driver.number, driver.at, now)
        if not records and (tick := batcher.tick(driver.number, driver.at, now)):
            records = [tick]
        for record in records:
            before = driver.at
            reasons.update(dead.reason for dead in driver.apply(record).dead)
            assert before is None or driver.at >= before
    assert reasons["malformed"]
    assert not reasons["refused"]


@pytest.mark.parametrize("clock", [ARRIVAL, EVENT])
@pytest.mark.parametrize("seed", range(4))
def test_jumps_of_the_machines_clock_end_nothing_and_right_times_are_processed_in_the_end(make, clock, seed):
    config, batcher = make(clock, window="{range: 1m, slide: 1s}")
    driver, chance = JournalDriver.fresh(read_knowledge(config)), random.Random(seed)
    jump, reasons = timedelta(0), set()
    for at in range(300):
        if at < 150 and chance.random() < 0.1:
            jump = timedelta(seconds=chance.choice([-3600, -60, -1, 0, 1, 60, 100]))
        now = second(at) + (jump if at < 150 else timedelta(0))
        given = [] if chance.random() < 0.3 else [message(at, name=chance.choice("st"), number=at)]
        tick = batcher.tick(driver.number, driver.at, now)
        records = batcher.batches(given, driver.number, driver.at, now) or [tick] * (tick is not None)
        for record in records:
            before = driver.at
            emitted = driver.apply(record)
            assert before is None or driver.at >= before
            reasons.update(dead.reason for dead in emitted.dead)
            assert at < 260 or not emitted.dead
    assert reasons <= {"late", "ahead"}
    assert driver.at > second(290)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 40))]
)
def test_by_event_the_answers_are_those_of_the_sorted_stream(make, seed):
    clock = "{order: event, allowed_lateness: 4s, max_ahead: null, idle: null}"
    config, batcher = make(clock, window="{range: 5s}")
    decoder, knowledge = MessageDecoder(config), read_knowledge(config)
    driver, chance, count = JournalDriver.fresh(knowledge), random.Random(seed), 30
    given = [
        message(at, chance.choice("ab"), chance.choice("stu"), chance.choice([1, 40]), at)
        for at in range(count)
    ]
    delays = [at + chance.randint(0, 3) for at in range(count)]
    arrivals = [given[at] for at in sorted(range(count), key=lambda at: delays[at])]
    for source in "ab":
        batcher.expect(source, NOW)
    changes = []
    while arrivals:
        size = chance.randint(1, 8)
        batches = batcher.batches(arrivals[:size], driver.number, driver.at, NOW)
        arrivals = arrivals[size:]
        for batch in batches:
            assert not batch.dead and batch.contents
            changes += driver.apply(chance.choice([batch, replace(batch, contents=())])).changes
        if chance.random() < 0.2:
            driver.captured()(path := config.path("checkpoint-1"))
            driver = JournalDriver.restored(path, knowledge)
    for source in "ab":
        batcher.ended.add(source)
    changes += driver.apply(batcher.tick(driver.number, driver.at, NOW)).changes

    sorted_stream = JournalDriver.fresh(knowledge).reasoner
    expected, counter = [], ChangeCounter(0)
    for each in given:
        ((at, triples),) = decoder.decode(each.message, NOW)
        update = sorted_stream.push(at, triples)
        expected += changes_of(update, sorted_stream.queries, counter, False)
        assert state(changes, at) == state(expected, at)
    assert expected


def state(changes, at):
    """Rows that are present at a time."""
    copies = Counter()
    for change in changes:
        if change.at <= at:
            copies[json.dumps(change.row)] += 1 if change.sign == "+" else -1
    assert all(number in (0, 1) for number in copies.values())
    return {row for row, number in copies.items() if number}


MQTT = '{p: {mqtt: "mqtt://b", topics: {m: m.yaml}}, q: {mqtt: "mqtt://b", topics: {m: m.yaml}}}'


@pytest.mark.parametrize("seed", range(6))
def test_only_messages_with_the_content_of_the_last_one_of_their_packet_are_redeliveries(tmp_path, seed):
    """Messages repeat values and ids of packets; some were received before, also before a restart."""
    config, chance = site(tmp_path, MQTT, "clock: {time: arrival}"), random.Random(seed)
    given, batcher, last = [], Batcher(config, MessageDecoder(config)), {}
    expected, repeated, taken = 0, Counter(p=0, q=0), 0
    for _ in range(300):
        source, packet = chance.choice("pq"), str(chance.randint(1, 4))
        content = json.dumps({"at": NOW.isoformat(), "id": "s", "v": chance.randint(1, 2)}).encode()
        received = Message(source, "m", content, packet)
        has_flag = chance.random() < 0.5
        is_redelivery = has_flag and last.get((source, packet)) == content
        repeated[source] += is_redelivery
        expected += not is_redelivery
        last[source, packet] = content
        given.append(received)
        records = batcher.batches([Received(received, has_flag)], 0, None, NOW)
        taken += sum(len([*record.all_messages]) for record in records)
        if chance.random() < 0.02:
            assert batcher.repeated == repeated
            batcher = Batcher(config, MessageDecoder(config))
            repeated.clear()
            for each in given:
                batcher.remember(each)
    assert taken == expected < 300


def test_messages_with_an_id_of_their_own_are_known_by_it_and_those_without_are_new(make):
    _, batcher = make(ARRIVAL)
    first, other = (message(0, number=number).message for number in range(2))
    known = [first._replace(id="x"), other._replace(id="x"), first._replace(id="y"), first, first]
    records = [batcher.batches([Received(each)], 0, None, NOW) for each in known]
    assert [bool(each) for each in records] == [True, False, True, True, True]
    assert batcher.repeated == {"a": 1, "b": 0}
