"""The journal: what is written is read, for good; one writer; a tail has each record once."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.errors import JournalError
from pantarhei.service.message_journal import (
    NEVER,
    REASONS,
    DeadLetter,
    JournalTail,
    Message,
    MessageJournal,
    Record,
    merge_positions,
    read_journal,
)

AT = datetime(2024, 1, 1, tzinfo=UTC)
texts = st.text(st.characters(codec="utf-8"), max_size=8)
messages = st.builds(Message, texts, texts, st.binary(max_size=20), texts)
times = st.datetimes(timezones=st.just(UTC))
positions = st.dictionaries(texts, st.dictionaries(texts, st.integers() | texts, max_size=2), max_size=2)
records = st.builds(
    Record,
    st.integers(1, 10**12),
    times,
    times,
    st.lists(messages, max_size=3).map(tuple),
    st.lists(st.builds(DeadLetter, messages, st.sampled_from(REASONS), texts), max_size=2).map(tuple),
    positions,
    st.none() | st.fixed_dictionaries({"register": texts, "query": texts}),
)


@given(records)
def test_a_record_is_read_as_it_was_written(record):
    line = record.to_line()
    assert line.count(b"\n") == 1 and Record.from_line(line) == record


@given(records, st.data())
def test_a_line_with_a_changed_byte_is_not_a_record(record, data):
    line = bytearray(record.to_line())
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= data.draw(st.integers(1, 255))
    found = Record.from_line(bytes(line))
    assert found is None or (place < 8 and found == record)  # the checksum in other digits


def test_a_journal_of_format_1_is_read_for_good(tmp_path):
    folder = Path(__file__).parents[2] / "data" / "journal_format_1"
    message = Message("plant", "site/a/temp", b'{"v": 1}', "7")
    second, request = timedelta(seconds=1), {"register": "hot", "query": "SELECT * {?s ?p ?o}"}
    expected = [
        Record(1, NEVER, AT, positions={"line": {"readings/0": 4}}),
        Record(
            2,
            AT,
            AT + second,
            (message, Message("push", "r", b"\xff\x00\xc3\xa9\n")),
            positions={"line": {"readings/1": 2}},
        ),
        Record(
            3,
            AT + timedelta(microseconds=1),
            AT + second,
            (Message("line", "readings", "é".encode()),),
            (DeadLetter(message, "late", "too old"),),
            {"line": {"readings/0": 5}},
        ),
        Record(4, AT + 2 * second, AT + 2 * second),
        Record(5, AT + 2 * second, AT + 3 * second, request=request),
    ]
    assert list(read_journal(folder)) == expected
    assert JournalTail(folder, 0).read() == expected
    shutil.copytree(folder, tmp_path / "state")
    journal = MessageJournal(tmp_path / "state")
    assert journal.number == 5
    journal.close()


def test_an_empty_folder_is_an_empty_journal(tmp_path):
    assert list(read_journal(tmp_path)) == [] == JournalTail(tmp_path, 0).read()


def test_a_folder_that_is_a_file_is_an_error(tmp_path):
    (tmp_path / "state").write_text("")
    with pytest.raises(JournalError, match="state: it is a file; name a folder that can be written"):
        MessageJournal(tmp_path / "state")


def test_a_second_writer_is_refused_until_the_first_one_ends(tmp_path):
    first = MessageJournal(tmp_path)
    with pytest.raises(JournalError, match="another service writes this journal"):
        MessageJournal(tmp_path)
    first.close()
    MessageJournal(tmp_path).close()


def test_missing_records_are_reported(tmp_path):
    journal = MessageJournal(tmp_path)
    for number in range(1, 7):
        journal.append([Record(number, AT, AT)])
        journal.rotate()
    journal.close()
    (tmp_path / "journal-3").unlink()
    with pytest.raises(JournalError, match="record 3 is damaged or missing"):
        list(read_journal(tmp_path))


@given(st.lists(st.integers(1, 5), min_size=1, max_size=3), st.integers(0, 2))
def test_records_that_do_not_follow_the_last_one_are_refused(tmp_path_factory, numbers, known):
    folder = tmp_path_factory.mktemp("journal")
    journal, expected = MessageJournal(folder), [Record(each, AT, AT) for each in range(1, known + 1)]
    for record in expected:
        journal.append([record])
    new = [Record(number, AT, AT) for number in numbers]
    if numbers == list(range(known + 1, known + 1 + len(numbers))):
        journal.append(new)
        expected += new
    else:
        with pytest.raises(JournalError, match="does not follow"):
            journal.append(new)
    assert list(read_journal(folder)) == expected and journal.number == len(expected)
    journal.close()


@pytest.mark.parametrize("rest", [b"", b"0123", b"0123\n", b"0123\n4567\n89"])
def test_the_rest_of_a_failed_append_does_not_hide_the_next_segment(tmp_path, rest):
    journal = MessageJournal(tmp_path)
    journal.append([Record(1, AT, AT)])
    journal.rotate()
    journal.append([Record(2, AT, AT)])
    journal.close()
    with (tmp_path / "journal-1").open("ab") as file:
        file.write(rest)
    expected = [Record(1, AT, AT), Record(2, AT, AT)]
    assert list(read_journal(tmp_path)) == expected == JournalTail(tmp_path, 0).read()


@settings(max_examples=30, deadline=None)  # waits for the disk
@given(st.lists(st.sampled_from(["append", "rotate", "read"]), max_size=20), st.integers(1, 3))
def test_a_tail_has_each_record_once_in_order(tmp_path_factory, actions, most):
    folder = tmp_path_factory.mktemp("journal")
    journal, tail, found = MessageJournal(folder), JournalTail(folder, 0), []
    for action in actions:
        if action == "append":
            numbers = range(journal.number + 1, journal.number + 3)
            journal.append([Record(number, AT, AT) for number in numbers])
        elif action == "rotate":
            journal.rotate()
        else:
            found += tail.read(most)
    while more := tail.read(most):
        found += more
    assert [record.number for record in found] == list(range(1, journal.number + 1))
    assert found == list(read_journal(folder))
    journal.close()


def test_positions_are_merged_by_source_and_part():
    known = {"a": {"x": 1, "y": 1}}
    merge_positions(known, {"a": {"x": 2, "gone": None}, "b": {"z": 3}})
    assert known == {"a": {"x": 2, "y": 1}, "b": {"z": 3}}
