"""Files that grow: each message once, whatever happens between two readings."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import os
import sys
import time
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pantarhei.errors import MissingFileError, OptionError
from pantarhei.io.records import read_records
from pantarhei.service.decoding import MessageDecoder
from pantarhei.service.message_journal import update_positions
from pantarhei.service.sources import files
from pantarhei.service.sources.files import FileMessages, StdinMessages
from service_tools import site

ROWS = [{"at": f"2024-01-01T00:00:{second:02}Z", "id": "s", "v": str(second)} for second in range(8)]
LINES = [json.dumps(row) + "\n" for row in ROWS]


@pytest.fixture
def make(tmp_path):
    def made(files="*.jsonl", mapping="m.yaml", follow="true", positions=None):
        section = f'{{f: {{files: "{files}", mapping: {mapping}, follow: {follow}}}}}'
        config = site(tmp_path, section)
        source = FileMessages("f", config, config.sources["f"])
        source.positions = dict(positions or {})
        source.decoder = MessageDecoder(config)
        return source

    return made


def read(source):
    """Messages up to the end; notes the positions, as the thread of the source does."""
    found = []
    for received in source.receive():
        if received is None:
            break
        update_positions(source.positions, received.position)
        if not received.is_position:
            found.append(received.message.payload)
    return found


def values(payloads):
    return [json.loads(payload)["v"] for payload in payloads]


def expected(*places):
    return [str(place) for place in places]


@settings(max_examples=30, deadline=None)  # writes files
@given(st.data())
def test_each_line_is_read_once_whenever_the_source_is_stopped(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    config = site(folder, '{f: {files: "*.jsonl", mapping: m.yaml}}')
    text, found, positions = "".join(LINES).encode(), [], {}
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=4)))
    for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        with (folder / "a.jsonl").open("ab") as file:
            file.write(text[begin:end])
        source = FileMessages("f", config, config.sources["f"])
        source.positions = json.loads(json.dumps(positions))
        found += read(source)
        positions = source.positions
    assert values(found) == expected(*range(8))


def test_a_renamed_file_is_read_on_and_its_successor_from_the_beginning(make, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES[:3]))
    source = make("a.jsonl*")
    assert values(read(source)) == expected(0, 1, 2)
    log.write_text("".join(LINES[:4]))
    log.rename(tmp_path / "a.jsonl.1")
    log.write_text("".join(LINES[4:7]))
    assert sorted(values(read(make("a.jsonl*", positions=source.positions)))) == expected(3, 4, 5, 6)


def test_the_rest_of_a_file_is_read_before_the_one_that_replaces_it(make, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES[:2]))
    source, found = make("a.jsonl"), []
    for received in source.receive():
        if received is not None:
            source.positions.update(received.position)
            found.append(received.message.payload)
        elif len(found) == 2:
            with log.open("a") as file:
                file.write(LINES[2])
            log.rename(tmp_path / "old")
            log.write_text(LINES[3])
        else:
            break
    assert values(found) == expected(0, 1, 2, 3)


def test_a_truncated_file_is_read_from_the_beginning(make, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES[:3]))
    source = make()
    read(source)
    os.truncate(log, 0)
    log.write_text(LINES[5])
    assert values(read(make(positions=source.positions))) == expected(5)


def test_a_file_that_is_written_again_with_more_rows_is_read_on(make, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES[:3]))
    source = make()
    read(source)
    (tmp_path / "new").write_text("".join(LINES[:5]))
    (tmp_path / "new").replace(log)
    assert values(read(make(positions=source.positions))) == expected(3, 4)


@settings(max_examples=25, deadline=None)  # writes files
@given(st.integers(0, 1_500), st.integers(1, 6), st.integers(1, 6), st.booleans(), st.booleans())
def test_a_file_that_is_replaced_by_another_one_is_read_from_the_beginning(
    tmp_path_factory, wide, size, more, in_place, is_restarted
):
    """The exports have the same header, and the second one is longer."""
    folder = tmp_path_factory.mktemp("files")
    config, path = site(folder, "{f: {files: a.csv, mapping: m.yaml}}"), folder / "a.csv"
    head = f"id,v,at,{'x' * wide}\n"
    path.write_text(head + "".join(f"s,{place},2024-01-01T00:00:00Z,\n" for place in range(size)))
    source = FileMessages("f", config, config.sources["f"])
    assert values(read(source)) == expected(*range(size))
    new = path if in_place else folder / "new"
    new.write_text(head + "".join(f"s,{place + 100},2024-01-01T00:00:00Z,\n" for place in range(size + more)))
    new.replace(path)
    if is_restarted:
        positions, source = source.positions, FileMessages("f", config, config.sources["f"])
        source.positions = json.loads(json.dumps(positions))
    assert values(read(source)) == expected(*range(100, 100 + size + more))


def test_positions_without_the_last_checksum_are_read(make, tmp_path):
    log = tmp_path / "a.jsonl"
    log.write_text("".join(LINES[:3]))
    source = make()
    read(source)
    [(inode, position)] = source.positions.items()
    log.write_text("".join(LINES[:5]))
    assert values(read(make(positions={inode: position[:3]}))) == expected(3, 4)


@pytest.mark.parametrize("is_unmounted", [False, True])
def test_positions_of_files_that_are_gone_for_long_are_deleted(make, tmp_path, monkeypatch, is_unmounted):
    folder, away = tmp_path / "in", tmp_path / "away"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.jsonl").write_text(LINES[0])
    source, now = make("in"), time.monotonic()
    assert len(read(source)) == 3
    if is_unmounted:
        folder.rename(away)
    else:
        away.write_text(LINES[0])  # no row is new
        away.replace(folder / "b.jsonl")
        (folder / "a.jsonl").unlink()
    counts, passes = [], source.receive()
    for hours in (0, 0.9, 2):
        monkeypatch.setattr(files.time, "monotonic", lambda: now + 3600 * hours)  # noqa: B023
        for received in iter(lambda: next(passes), None):
            update_positions(source.positions, received.position)
        counts.append(len(source.positions))
    assert counts == ([3, 3, 3] if is_unmounted else [4, 4, 2])
    if is_unmounted:
        away.rename(folder)
    with (folder / "b.jsonl").open("a") as file:
        file.write(LINES[1])
    assert values(read(source)) == expected(1)


def test_only_files_that_have_changed_are_opened(make, tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / f"{name}.jsonl").write_text(LINES[0])
    source, found, rounds, opened = make(), [], 0, []
    open_file = source._opened
    monkeypatch.setattr(source, "_opened", lambda path: opened.append(path[-7]) or open_file(path))
    for received in source.receive():
        if received is not None:
            source.positions.update(received.position)
            found.append(
                (os.path.basename(received.message.topic), json.loads(received.message.payload)["v"])
            )
            continue
        rounds += 1
        if rounds == 2:
            break
        opened.clear()
        with (tmp_path / "c.jsonl").open("a") as file:
            file.write(LINES[1])
    assert found == [("a.jsonl", "0"), ("b.jsonl", "0"), ("c.jsonl", "0"), ("c.jsonl", "1")]
    assert set(opened) == {"c"}


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6)


@settings(max_examples=20, deadline=None)  # writes files
@given(st.lists(st.tuples(st.sampled_from(["s1", "s2", ""]), CELLS), min_size=1, max_size=6), st.booleans())
def test_rows_of_csv_have_the_triples_that_read_records_gives_them(tmp_path_factory, rows, ends):
    folder = tmp_path_factory.mktemp("csv")
    config = site(folder, '{f: {files: "*.csv", mapping: text.yaml, follow: false}}')
    (folder / "text.yaml").write_text(
        'prefixes: {ex: "http://example.org/"}\ntime: {column: at}\n'
        'mappings: {sensor: {s: "ex:$(id)", po: [[ex:text, "$(text)"]]}}\n'
    )
    quoted = [(at, name, text.replace('"', '""')) for at, (name, text) in enumerate(rows)]
    lines = ["at,id,text", *(f'2024-01-01T00:00:0{at}Z,"{name}","{text}"' for at, name, text in quoted)]
    table = ("\n".join(lines) + "\n" * ends).encode()
    (folder / "a.csv").write_bytes(table)
    source, decoder = FileMessages("f", config, config.sources["f"]), MessageDecoder(config)
    messages = [each.message for each in source.receive()]
    found = [content for message in messages for content in decoder.decode(message, None)]
    reader = read_records(io.BytesIO(table), folder / "text.yaml", format="csv")
    wanted = {each.at: set(each.triples) for each in reader if each.triples}
    assert {each.at: set(each.triples) for each in found if each.triples} == wanted


def test_consecutive_lines_of_a_graph_are_one_message(make, tmp_path):
    graph, other = "<urn:at:2024-01-01T00:00:00Z>", "<urn:at:2024-01-01T00:00:01Z>"
    lines = [f"<urn:s> <urn:p> <urn:o{place}> {graph} .\n" for place in range(2)]
    (tmp_path / "a.nq").write_text("".join([*lines, f'_:b <urn:p> "a > b" {other} .\n']))
    source = make("a.nq", "nquads", "false")
    first, second = read(source)
    assert first.decode() == "".join(lines) and other.encode() in second


def test_the_last_graph_of_a_growing_file_waits_for_its_next_line(make, tmp_path):
    line = "<urn:s> <urn:p> <urn:o> <urn:at:2024-01-01T00:00:00Z> .\n"
    log = tmp_path / "a.nq"
    log.write_text(line)
    source = make("a.nq", "nquads")
    assert read(source) == []
    with log.open("a") as file:
        file.write(line)
    os.utime(log, (0, 0))
    assert read(source) == [2 * line.encode()]


def test_a_row_with_other_cells_than_the_header_is_handed_on_as_it_is(make, tmp_path):
    (tmp_path / "a.csv").write_text("at,id,v\n2024-01-01T00:00:00Z,s\n")
    assert read(make("a.csv")) == [b"2024-01-01T00:00:00Z,s"]


@pytest.mark.parametrize("name", ["a.parquet", "a.csv.gz", "a.json"])
def test_other_formats_are_refused(make, tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    with pytest.raises(OptionError, match="files of lines"):
        make(name).check()


TABLE = "id,v,at\n" + "".join(f"s,{place},2024-01-01T00:00:0{place}Z\n" for place in range(3))
UNREADABLE = {
    "gz": gzip.compress(TABLE.encode()),
    "parquet": b"PAR1",
    "csv": TABLE.encode("utf-16"),
    "csv.1": bz2.compress(TABLE.encode()),
    "swp": b"b0VIM 9.0\0\0",
    "tsv": b"\n\n",
    "denied": b"",
    "folder": None,
}


@settings(max_examples=15, deadline=None)  # writes files
@given(st.dictionaries(st.integers(0, 9), st.sampled_from(sorted(UNREADABLE)), min_size=1, max_size=5))
def test_files_that_cannot_be_read_do_not_stop_the_others(tmp_path_factory, places):
    folder = tmp_path_factory.mktemp("files")
    config, watched = site(folder, "{f: {files: in, mapping: m.yaml}}"), folder / "in"
    watched.mkdir()
    for place, kind in places.items():
        path = watched / f"{place}.{kind}"
        path.mkdir() if UNREADABLE[kind] is None else path.write_bytes(UNREADABLE[kind])
    for place in ("4x", "9x"):
        (watched / f"{place}.csv").write_text(TABLE)
    source, found = FileMessages("f", config, config.sources["f"]), []
    failed, opened = [], open
    source.failed = failed.append

    def restricted(path, *options):
        if str(path).endswith("denied"):
            raise PermissionError(13, "Permission denied", path)
        return opened(path, *options)

    with mock.patch("builtins.open", restricted):
        source.check()
        for received in source.receive():
            if received is None and not source.status.reads_history:
                break
            if received is not None:
                source.positions.update(received.position)
                found.append(json.loads(received.message.payload)["v"])
        read(source)
    skipped = [f"{place}.{kind}" for place, kind in places.items() if kind != "folder"]
    assert found == expected(0, 1, 2) * 2
    assert len(failed) == len(skipped) and all(any(name in text for text in failed) for name in skipped)


def test_a_skipped_file_is_read_when_it_can_be(make, tmp_path):
    (tmp_path / "a.csv").write_bytes(gzip.compress(TABLE.encode()))
    source = make("a.csv")
    assert read(source) == [] and "a.csv" in source.status.problem
    (tmp_path / "a.csv").write_text(TABLE)
    assert values(read(source)) == expected(0, 1, 2) and source.status.problem == ""


def test_a_row_with_a_cell_that_is_too_long_is_handed_on_as_it_is(make, tmp_path):
    row = f"s,1,{'x' * 200_000}"
    (tmp_path / "a.csv").write_text(f"id,v,at\n{row}\ns,2,z\n")
    first, second = read(make("a.csv"))
    assert first == row.encode() and json.loads(second)["v"] == "2"


def test_missing_files_are_named_by_the_check(make):
    with pytest.raises(MissingFileError, match="no file matches"):
        make("absent/*").check()


def test_standard_input_ends_with_its_last_line(tmp_path, monkeypatch):
    config = site(tmp_path, "{in: {stdin: m.yaml}}")
    source = StdinMessages("in", config, config.sources["in"])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a\n\nb")))
    assert [each.message.payload for each in source.receive()] == [b"a", b"b"]
