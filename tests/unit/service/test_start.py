"""Start after power loss, failed writes, and changes of the configuration."""

from __future__ import annotations

import errno
import json
import os
import pickle
import random
import shutil
import sqlite3
from datetime import UTC, datetime, timedelta

import pytest

from pantarhei.errors import JournalError, UpgradeError
from pantarhei.service.batching import Received
from pantarhei.service.config import LONGEST, read_config
from pantarhei.service.decoding import EARLIEST, END
from pantarhei.service.journal_driver import JournalDriver, memory_of, read_knowledge
from pantarhei.service.message_journal import (
    JournalTail,
    Message,
    MessageJournal,
    Record,
    read_journal,
    segments,
)
from pantarhei.service.start import (
    checkpoint_number,
    checkpoint_path,
    checkpoints,
    read_written,
    start_driver,
    write_knowledge,
)
from pantarhei.service.writer import Writer
from service_tools import site, wait_until, write_site

RULES = """
@prefix : <http://example.org/> .
alarm(S) :- :Hot(S) always in [2 sec].
serious(S) :- alarm(S) at least 2 times in [4 sec].
remember alarm.
"""
NEW_RULE = "warned(S) :- :Hot(S) in [3 sec].\n"
SOURCES = "{push: {http: {readings: m.yaml}}}"
MORE = """
rules: rules.lars
clock: {allowed_lateness: 1m, max_ahead: 1d, idle: null}
sinks: {store: {sql: "sqlite:///alarms.db"}}
state: {folder: state, keep: 1h}
"""
WINDOW = "{range: 5s, slide: 1s}"
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "rules.lars").write_text(RULES)
    return write_site(tmp_path, SOURCES, MORE, WINDOW)


@pytest.fixture(autouse=True)
def without_sync(monkeypatch):
    """Save the time of waiting for the disk: no test here loses power."""
    monkeypatch.setattr(os, "fdatasync", lambda file: None)
    monkeypatch.setattr(os, "fsync", lambda file: None)
    connect = sqlite3.connect

    class Unsynced(sqlite3.Connection):
        def execute(self, text, *arguments):
            return super().execute(text.replace("synchronous=full", "synchronous=off"), *arguments)

    monkeypatch.setattr(
        sqlite3, "connect", lambda *given, **options: connect(*given, factory=Unsynced, **options)
    )


def reading(second, sensor, value):
    at = (BEGAN + timedelta(seconds=second)).isoformat()
    content = {"id": f"s{sensor}", "v": value, "at": at}
    return Received(Message("push", "readings", json.dumps(content).encode()))


def readings(seed, count, first=0):
    """Draw readings of three sensors, one or two a second."""
    drawn = random.Random(seed)
    for second in range(first, first + count):
        for sensor in drawn.sample(range(3), drawn.choice((1, 2))):
            yield [reading(second, sensor, drawn.choice((20, 29, 30, 31, 40)))]


def run(path, batches, saves=(), rotates=()):
    """Start a writer, let it process batches, and end it; return it."""
    writer = Writer(read_config(path))
    writer.start()
    for place, batch in enumerate(batches):
        writer.step(batch)
        if place in saves:
            writer.driver.captured()(checkpoint_path(writer.folder, writer.driver.number))
        if place in rotates:
            writer.journal.rotate()
    writer.stop()
    return writer


def stored(path):
    """Return the changes in the database by id."""
    database = sqlite3.connect(path.parent / "alarms.db")
    rows = database.execute('select id, "at", name, change, "row" from changes').fetchall()
    database.close()
    return {row[0]: row[1:] for row in rows}


def uninterrupted(path, folder=None):
    """Return the changes, by id, of a driver that processes a whole journal."""
    config = read_config(path)
    driver = JournalDriver.fresh(read_knowledge(config))
    changes = [
        change
        for record in read_journal(folder or path.parent / "state")
        for change in driver.apply(record).changes
    ]
    return {change.id: change for change in changes}


# power loss


def records(first, last):
    return [
        Record(n, BEGAN + timedelta(n), BEGAN + timedelta(n), (Message("a", "b", b"c\n\x00\xff" * n),))
        for n in range(first, last + 1)
    ]


@pytest.mark.parametrize("rotates", [False, True])
def test_an_append_that_is_torn_at_any_byte_is_cut_to_complete_records(tmp_path, rotates):
    whole = tmp_path / "whole"
    journal = MessageJournal(whole)
    journal.append(records(1, 2))
    if rotates:
        journal.rotate()
    before = segments(whole)[-1].stat().st_size
    journal.append(records(3, 5))
    journal.close()
    *_, last = segments(whole)
    content, complete = last.read_bytes(), 2 * rotates
    # the header of a segment that is not the first one, or the records, at every byte
    in_header, in_records = (1, 20) if rotates else (20, 1)
    for size in (*range(0, before, in_header), *range(before - 2, len(content), in_records)):
        torn = tmp_path / f"torn{size}"
        shutil.copytree(whole, torn)
        (torn / last.name).write_bytes(content[:size])
        journal = MessageJournal(torn)
        kept = complete + max(content[:size].count(b"\n") - 1, 0)
        assert journal.number == kept
        assert size < before or kept >= 2
        journal.append(records(kept + 1, 6))
        journal.close()
        assert list(read_journal(torn)) == records(1, kept) + records(kept + 1, 6)
        shutil.rmtree(torn)


@pytest.mark.parametrize("lost", [1, 2, 3, 4, 5])
def test_lost_parts_are_cut_in_the_last_append_only(tmp_path, lost):
    journal = MessageJournal(tmp_path)
    journal.append(records(1, 2))
    journal.append(records(3, 5))
    journal.close()
    lines = segments(tmp_path)[0].read_bytes().splitlines(keepends=True)
    lines[lost] = bytes(len(lines[lost]))  # the disk has written later parts, and not this one
    segments(tmp_path)[0].write_bytes(b"".join(lines))
    if lost < 3:
        with pytest.raises(JournalError, match=f"record {lost} is damaged"):
            MessageJournal(tmp_path)
    else:
        journal = MessageJournal(tmp_path)
        assert journal.number == lost - 1
        journal.close()


@pytest.mark.parametrize("cannot_cut", [False, True])
@pytest.mark.parametrize("written", [0, 1, 60, 150])
def test_a_failed_append_leaves_nothing_behind(tmp_path, monkeypatch, written, cannot_cut):
    journal = MessageJournal(tmp_path)
    journal.append(records(1, 1))
    tail = JournalTail(tmp_path, 0)
    write, truncate, left = os.write, os.ftruncate, [written]

    def full(file, data):
        if not left[0]:
            raise OSError(errno.ENOSPC, "no space")
        count = write(file, data[: left[0]])
        left[0] -= count
        return count

    def refuse(file, size):
        raise OSError(errno.EIO, "broken")

    assert tail.read() == records(1, 1)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        if cannot_cut:
            patched.setattr(os, "ftruncate", refuse)
        with pytest.raises(OSError, match="no space"):
            journal.append(records(2, 3))
        seen = tail.read()
        assert seen == records(2, 3)[: len(seen)]
    assert os.ftruncate is truncate
    journal.append(records(2, 4))
    assert list(read_journal(tmp_path)) == records(1, 1) + records(2, 4)
    assert seen + tail.read() == records(2, 4)
    journal.close()


@pytest.mark.parametrize(("function", "call"), [("fsync", 1), ("fsync", 2), ("replace", 1)])
def test_a_rotation_that_fails_is_tried_again(tmp_path, monkeypatch, function, call):
    journal = MessageJournal(tmp_path)
    journal.append(records(1, 1))
    called, do = [], getattr(os, function)

    def fail(*given):
        called.append(given)
        if len(called) == call:
            raise OSError(errno.ENOSPC, "no space")
        return do(*given)

    with monkeypatch.context() as patched:
        patched.setattr(os, function, fail)
        with pytest.raises(OSError, match="no space"):
            journal.rotate()
    journal.append(records(2, 2))
    journal.rotate()
    journal.append(records(3, 3))
    journal.close()
    assert [record.number for record in read_journal(tmp_path)] == [1, 2, 3]
    assert {path.name for path in tmp_path.iterdir()} == {"lock", "journal-1", "journal-3"}
    assert {path.stat().st_mode & 0o777 for path in tmp_path.iterdir()} == {0o600}


def test_a_reader_reports_records_that_were_deleted(tmp_path):
    journal = MessageJournal(tmp_path)
    for number in (1, 2, 3):
        journal.append(records(number, number))
        journal.rotate()
    segments(tmp_path)[0].unlink()
    assert [record.number for record in JournalTail(tmp_path, 1).read()] == [2, 3]
    with pytest.raises(JournalError, match="were deleted before they were read"):
        JournalTail(tmp_path, 0).read()
    journal.close()


@pytest.mark.parametrize("cuts", [3, pytest.param(200, marks=pytest.mark.long)])
def test_a_damaged_checkpoint_is_replaced_by_an_older_one(path, cuts):
    batches = list(readings(1, 20))
    writer = run(path, batches[:20], saves=(5, 12))
    newest = checkpoints(writer.folder)[-1]
    content, older = newest.read_bytes(), checkpoint_number(checkpoints(writer.folder)[-2])
    for size in (*random.Random(cuts).sample(range(len(content)), cuts), len(content) - 1, 0):
        newest.write_bytes(content[:size])
        assert start_driver(writer.knowledge).number == older, size
    newest.unlink()
    assert start_driver(writer.knowledge).number == older
    run(path, batches[20:])
    assert stored(path).keys() == uninterrupted(path).keys()
    assert len(stored(path)) > 10


@pytest.mark.parametrize("step", [60, pytest.param(1, marks=pytest.mark.long)])
def test_a_power_loss_at_each_byte_of_the_last_record_leaves_no_trace(path, tmp_path_factory, step):
    """The last record is torn: it was not acknowledged, and sinks and checkpoints do not have it."""
    batches, saved = list(readings(12, 12)), tmp_path_factory.mktemp("saved")
    *first, last, late = batches
    writer = Writer(read_config(path))
    writer.start()
    for batch in first:
        writer.step(batch)
    writer.driver.captured()(checkpoint_path(writer.folder, writer.driver.number))
    wait_until(lambda: writer.sinks[0].status.position == writer.driver.number)
    shutil.copytree(path.parent, saved, dirs_exist_ok=True)
    [segment] = segments(writer.folder)
    before = segment.stat().st_size
    writer.step(last)
    content = segment.read_bytes()
    writer.step(late)
    writer.stop()
    expected = stored(path)
    assert len(content) > before and len(expected) > 10
    for size in range(before, len(content), step):
        shutil.rmtree(path.parent)
        shutil.copytree(saved, path.parent)
        segment.write_bytes(content[:size])
        run(path, [last, late])  # the last message comes again
        assert stored(path) == expected, size


def test_a_torn_beginning_is_decided_again(path):
    writer = run(path, list(readings(13, 5)))
    for checkpoint in checkpoints(writer.folder):
        checkpoint.unlink()
    journal, beginning = MessageJournal(writer.folder), writer.folder / "beginning"
    whole = beginning.read_bytes()
    for size in range(0, len(whole), 30):
        beginning.write_bytes(whole[:size])
        assert start_driver(writer.knowledge).number == 0  # a reader, which changes nothing
        assert beginning.read_bytes() == whole[:size]
        assert start_driver(writer.knowledge, journal).number == 0
        assert beginning.read_bytes() == whole
    journal.close()


def test_a_checkpoint_newer_than_the_journal_is_removed(path):
    """A reader may have seen a record that the disk then lost."""
    batches = list(readings(2, 20))
    writer = run(path, batches[:10], saves=(4,))
    lost = list(read_journal(writer.folder))[-1]
    segment = segments(writer.folder)[0]
    segment.write_bytes(b"".join(segment.read_bytes().splitlines(keepends=True)[:-1]))
    database = sqlite3.connect(path.parent / "alarms.db")
    with database:  # the sink is behind the journal, as always
        database.execute("update pantarhei_positions set record = ?", (lost.number - 1,))
        database.execute("delete from changes where record = ?", (lost.number,))
    database.close()
    run(path, [*batches[9:]])  # the last message comes again, since it was not acknowledged
    assert stored(path).keys() == uninterrupted(path).keys()


def test_an_empty_journal_continues_the_numbers_of_its_sinks(path):
    batches = list(readings(3, 20))
    writer = run(path, batches[:10])
    earlier = stored(path)
    shutil.rmtree(writer.folder)
    again = run(path, batches[10:])
    assert again.driver.number > writer.driver.number
    assert stored(path).keys() > earlier.keys()
    first = next(read_journal(writer.folder))
    assert first.number == writer.driver.number + 1


def test_a_journal_that_is_older_than_its_sinks_is_refused(path):
    writer = run(path, list(readings(4, 10)))
    segment = segments(writer.folder)[0]
    segment.write_bytes(b"".join(segment.read_bytes().splitlines(keepends=True)[:5]))
    with pytest.raises(JournalError, match="but a sink has record"):
        run(path, [])


# changes of the configuration


def change_rules(path):
    (path.parent / "rules.lars").write_text(RULES + NEW_RULE)


def change_ontology(path):
    site = path.parent / "site.ttl"
    site.write_text(site.read_text().replace("minInclusive 30", "minInclusive 31"))


def change_mapping(path):
    mapping = path.parent / "m.yaml"
    mapping.write_text(mapping.read_text().replace("ex:$(id)", "ex:sensor-$(id)"))


def change_window(path):
    path.write_text(path.read_text().replace("range: 5s", "range: 7s"))


def change_query(path):
    path.write_text(
        path.read_text().replace("?s a :Hot ; :value ?v", "?s a :Hot ; :value ?v FILTER(?v > 30)")
    )


CHANGES = [change_rules, change_ontology, change_mapping, change_window]
SOME, REST = [(change_rules, 0)], [(change, seed) for change in CHANGES for seed in (1, 2, 3)]
DRAWN = [*SOME, *(pytest.param(*each, marks=pytest.mark.long) for each in REST)]


@pytest.mark.parametrize(("change", "seed"), DRAWN)
def test_an_upgrade_over_the_whole_journal_adds_what_is_new_and_repeats_nothing(path, change, seed):
    batches = list(readings(seed, 40))
    run(path, batches[:40], saves=(10, 20))
    earlier = stored(path)
    change(path)
    run(path, batches[40:])
    assert stored(path).keys() == earlier.keys() | uninterrupted(path).keys()


@pytest.mark.parametrize(("change", "seed"), DRAWN)
def test_an_upgrade_holds_back_changes_of_an_incomplete_window(path, tmp_path, change, seed):
    batches = list(readings(seed, 60))
    writer = run(path, batches[:80], saves=(10, 20), rotates=(9, 15))
    whole = tmp_path / "whole"
    shutil.copytree(writer.folder, whole)
    (whole / "lock").unlink()
    segments(writer.folder)[0].unlink()
    earlier = stored(path)
    change(path)
    run(path, batches[80:])
    until = next(read_journal(writer.folder)).at + memory_of(read_knowledge(read_config(path)))
    for segment in segments(writer.folder)[1:]:
        shutil.copy(segment, whole)
    expected = uninterrupted(path, whole)
    due = {id_ for id_, each in expected.items() if each.at >= until}
    assert len(due) > 20
    assert stored(path).keys() == earlier.keys() | due


def test_a_replay_that_is_interrupted_begins_at_the_same_record(path):
    batches = list(readings(5, 60))
    writer = run(path, batches[:60], saves=(10, 20), rotates=(9, 15))
    segments(writer.folder)[0].unlink()
    change_rules(path)
    interrupted = Writer(read_config(path))
    interrupted.open()
    begin = (writer.folder / "beginning").read_text()
    interrupted.stopping.set()
    interrupted.replay()
    interrupted.journal.close()
    run(path, batches[60:])
    assert (writer.folder / "beginning").read_text() == begin


def test_a_fresh_upgrade_takes_no_earlier_record_into_the_window(path):
    batches = list(readings(6, 40))
    writer = run(path, batches[:40], saves=(10, 20))
    earlier = stored(path)
    change_rules(path)
    path.write_text(path.read_text() + "upgrade: fresh\n")
    config = read_config(path)
    opened = Writer(config)
    opened.open()
    assert not list(opened.driver.reasoner.query("SELECT ?s { ?s ?p ?o . FILTER(STRSTARTS(STR(?s), 'x:')) }"))
    assert (opened.driver.number, opened.driver.at) == (writer.driver.number, writer.driver.at)
    assert not opened.driver.reasoner.timestamps
    opened.stop()
    run(path, batches[40:])
    later = {id_: row for id_, row in stored(path).items() if id_ not in earlier}
    assert later
    assert all(int(id_.partition("-")[0]) > writer.driver.number for id_ in later)
    run(path, [])
    assert stored(path).keys() == earlier.keys() | later.keys()


@pytest.mark.parametrize("change", CHANGES)
def test_an_upgrade_can_be_refused(path, change):
    run(path, list(readings(7, 10)), saves=(5,))
    change(path)
    path.write_text(path.read_text() + "upgrade: refuse\n")
    with pytest.raises(UpgradeError, match="upgrade: refuse does not permit that") as raised:
        run(path, [])
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


FILES = {
    "parts/a.ttl": "<urn:a> <http://www.w3.org/2002/07/owl#imports> <urn:i> .",
    "parts/b.ttl": "",
    "parts/imports/i.ttl": "",
    "facts.ttl": "",
}
CATALOG = """<catalog xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
<uri name="urn:i" uri="imports/i.ttl"/></catalog>"""


@pytest.mark.parametrize("file", FILES)
def test_a_change_of_any_file_of_the_ontology_is_noticed(path, file):
    folder = path.parent
    (folder / "parts" / "imports").mkdir(parents=True)
    (folder / "parts" / "catalog-v001.xml").write_text(CATALOG)
    for number, (name, text) in enumerate(FILES.items()):
        (folder / name).write_text(f"{text} <urn:x{number}> a <urn:C> .")
    sources = "ontology: [site.ttl, parts]\nbackground: facts.ttl"
    path.write_text(path.read_text().replace("ontology: site.ttl", sources))
    before = read_knowledge(read_config(path)).fingerprint
    assert read_knowledge(read_config(path)).fingerprint == before
    (folder / file).write_text((folder / file).read_text().replace("urn:C", "urn:D"))
    changed = read_knowledge(read_config(path)).fingerprint
    assert [part for part in before if before[part] != changed[part]] == ["ontology"]


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(1, 6))])
@pytest.mark.parametrize("edit", ["removed", "malformed", "changed"])
def test_a_restarted_reader_has_the_files_of_the_writer(path, edit, seed):
    chosen = random.Random(seed)
    expected = run(path, readings(seed, 12), saves=(5,)).knowledge.fingerprint
    changes = uninterrupted(path)
    writer = Writer(read_config(path))
    written = write_knowledge(writer.knowledge, writer.folder)
    files = ["site.yaml", "site.ttl", "m.yaml", "rules.lars"]
    for file in chosen.sample(files, chosen.randint(1, len(files))):
        if edit == "removed":
            (path.parent / file).unlink()
        elif edit == "malformed":
            (path.parent / file).write_text("a: [")
        else:
            (path.parent / file).write_text((path.parent / file).read_text().replace("2", "1") + "\n")
    for most in (10, None):
        reader = start_driver(read_written(written), most=most)
        begin = reader.number
        records = read_journal(writer.folder, begin)
        found = {each.id for record in records for each in reader.apply(record).changes}
        assert found == {id_ for id_ in changes if int(id_.partition("-")[0]) > begin}
        assert reader.knowledge.fingerprint == expected
    os.close(written)
    writer.journal.close()


def test_a_changed_query_begins_anew_without_a_replay(path):
    batches = list(readings(8, 40))
    writer = run(path, batches[:30], saves=(10,))
    earlier = stored(path)
    change_query(path)
    path.write_text(path.read_text() + "upgrade: refuse\n")
    again = run(path, batches[30:])
    assert "FILTER" in again.driver.reasoner.queries["hot"].text
    later = [(name, row) for id_, (_, name, _, row) in stored(path).items() if id_ not in earlier]
    assert any(name == "hot" for name, _ in later)
    assert all(float(json.loads(row)["v"]) > 30 for name, row in later if name == "hot")
    assert writer.driver.number < again.driver.number


def test_queries_of_requests_survive_an_upgrade_and_are_not_those_of_the_configuration(path):
    config = read_config(path)
    writer = Writer(config)
    writer.start()
    text = "SELECT ?s { ?s <http://example.org/value> ?v }"
    request = {"register": "all", "query": text}
    for batch in readings(9, 4):
        writer.step(batch)
    writer.driver.prepare_request(request)
    record = Record(writer.driver.number + 1, writer.driver.at, writer.driver.at, request=request)
    writer.journal.append([record])
    writer.driver.apply(record)
    for wrong in ({"register": "hot", "query": text}, {"deregister": "hot"}):
        with pytest.raises(ValueError, match="name"):
            writer.driver.prepare_request(wrong)
    writer.stop()
    change_rules(path)
    path.write_text(path.read_text() + "upgrade: fresh\n")
    assert set(run(path, []).driver.reasoner.queries) == {"all", "hot"}


# retention


def test_memory_is_the_window_and_the_longest_chain_of_rules(path):
    config = read_config(path)
    # range, slide, and the windows of serious over alarm
    assert memory_of(read_knowledge(config)) == timedelta(seconds=5 + 1 + 4 + 2)
    in_order = path.read_text().replace("clock: {", "clock: {order: event, ")
    path.write_text(in_order.replace("max_ahead: 1d", "max_ahead: 2s"))
    config = read_config(path)
    assert memory_of(read_knowledge(config)) == timedelta(seconds=5 + 1 + 4 + 2 + 60 + 2)


def test_the_journal_is_kept_for_the_memory_and_two_checkpoints(path):
    path.write_text(path.read_text().replace("keep: 1h", "keep: 1s"))
    writer = Writer(read_config(path))
    writer.start()
    for place, batch in enumerate(readings(10, 60)):
        writer.step(batch)
        writer.journal.rotate()
        if place % 10 == 9:
            while writer.sinks[0].status.position < writer.driver.number:
                pass
            writer.save(always=True)
    assert len(checkpoints(writer.folder)) == 2
    first = next(read_journal(writer.folder))
    kept = memory_of(writer.knowledge)
    assert writer.driver.at - first.at >= kept
    assert writer.driver.at - first.at <= kept + timedelta(seconds=12)
    writer.stop()


@pytest.mark.parametrize("order", ["arrival", "event"])
def test_the_memory_of_rules_can_be_added_to_each_valid_time(tmp_path, order):
    count, size = 40, "50000000 d"
    rules = [f"a{number + 1}(S) :- a{number}(S) in [{size}]." for number in range(count)]
    (tmp_path / "rules.lars").write_text("\n".join(["a0(S) :- :value(S, V).", *rules]))
    more = f"rules: rules.lars\nclock: {{order: {order}, max_ahead: 10000d, allowed_lateness: 10000d}}"
    config = site(tmp_path, "{push: {http: {a: m.yaml}}}", more, "{range: 10000d, slide: 10000d}")
    memory = memory_of(read_knowledge(config))
    assert memory > LONGEST
    assert END + memory > EARLIEST - memory  # neither overflows
