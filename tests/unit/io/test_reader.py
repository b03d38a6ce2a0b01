"""Formats by names, and live files: a silence completes what waits for further input, and ticks follow."""

import os
import threading
from datetime import UTC, datetime, timedelta

import pytest

from pantarhei import read_records, read_stream
from pantarhei.errors import OptionError
from pantarhei.io.reader import LiveFile, Silence, format_of

SILENCE = Silence(timedelta(milliseconds=60), timedelta(milliseconds=20))
MAPPING = {
    "time": {"column": "at"},
    "mappings": {"m": {"s": "urn:$(id)~iri", "po": [["urn:v", "$(v)"]]}},
}
FORMS = {
    "jsonl": ("", '{{"at": "{at}", "id": "{id}", "v": 1}}\n'),
    "csv": ("at,id,v\n", "{at},{id},1\n"),
    "nquads": ("", '<urn:{id}> <urn:v> "1" <urn:at:{at}> .\n'),
    "trig": ("@prefix : <urn:> .\n", '<urn:at:{at}> {{ :{id} :v "1" }}\n'),
    "jsonld": ("", '{{"@id": "urn:at:{at}", "@graph": [{{"@id": "urn:{id}", "urn:v": "1"}}]}}\n'),
}


@pytest.mark.parametrize(
    ("name", "format"),
    [("a.csv", "csv"), ("a.CSV.GZ", "csv"), ("a.b.jsonl.zst", "jsonl"), ("a.pq", "parquet"), ("a.nq", None)],
)
def test_a_files_name_tells_its_format(name, format):
    assert format_of(name) == format


@pytest.fixture
def pipe(tmp_path):
    path = str(tmp_path / "pipe")
    os.mkfifo(path)
    return path


def opened(pipe, form, head=""):
    """A reader of the pipe, and the other end of it."""
    ends = []

    def write():
        ends.append(open(pipe, "w", buffering=1))  # noqa: SIM115, closed by the test
        ends[0].write(head)

    writing = threading.Thread(target=write)
    writing.start()
    live = LiveFile(pipe, SILENCE)
    writing.join()
    table = form in ("jsonl", "csv")
    reader = read_records(live, MAPPING, format=form) if table else read_stream(live, format=form)
    reader.live = live
    return reader, ends[0]


def now():
    return datetime.now(UTC).isoformat().replace("+00:00", "Z")


@pytest.mark.parametrize("form", FORMS)
def test_a_silence_completes_the_abox_and_is_followed_by_ticks(pipe, form):
    head, text = FORMS[form]
    reader, end = opened(pipe, form, head)
    aboxes, times = iter(reader), []
    for name in ("a", "b"):
        end.write(text.format(at=now(), id=name))
        abox = next(each for each in aboxes if each.triples)
        assert [str(triple[0]) for triple in abox.triples] == [f"urn:{name}"]
        times.append(abox.at)
        for tick in (next(aboxes), next(aboxes)):
            assert not tick.triples
            assert tick.at <= datetime.now(UTC) - SILENCE.idle
            times.append(tick.at)
    assert times == sorted(times)
    end.close()
    assert [each for each in aboxes if each.triples] == []
    assert reader.skipped_count == 0


def test_there_are_no_ticks_before_the_first_message_and_none_in_its_past(pipe):
    reader, end = opened(pipe, "nquads")
    timer = threading.Timer(0.2, end.write, ['<urn:a> <urn:v> "1" <urn:at:2999-01-01T00:00:00Z> .\n'])
    closing = threading.Timer(0.5, end.close)
    timer.start()
    closing.start()
    assert [(each.at.year, len(each.triples)) for each in reader] == [(2999, 1)]


def test_a_stream_of_numbers_has_no_ticks_of_the_clock(pipe):
    reader, end = opened(pipe, "nquads")
    end.write('<urn:a> <urn:v> "1" <urn:at:5> .\n')
    with pytest.raises(OptionError, match=r"idle.*a stream with dates and times; this one has 5"):
        list(reader)
    end.close()


def test_times_of_ticks_are_in_the_zone_of_the_stream(pipe):
    reader, end = opened(pipe, "nquads")
    end.write('<urn:a> <urn:v> "1" <urn:at:2026-01-01T00:00:00+03:00> .\n')
    aboxes = iter(reader)
    assert [next(aboxes).at.utcoffset() for _ in range(3)] == [timedelta(hours=3)] * 3
    end.close()


def test_an_error_of_the_input_is_raised(pipe):
    reader, end = opened(pipe, "jsonl")
    end.write("no JSON\n")
    with pytest.raises(Exception, match="line 1"):
        list(reader)
    end.close()


def test_messages_that_come_quickly_are_all_read(pipe):
    reader, end = opened(pipe, "nquads")
    lines = [
        f'<urn:a{n}> <urn:v> "1" <urn:at:2026-01-01T00:{n // 60:02}:{n % 60:02}Z> .\n' for n in range(600)
    ]
    writing = threading.Thread(target=lambda: (end.writelines(lines), end.close()))
    writing.start()
    found = [str(triple[0]) for each in reader for triple in each.triples]
    assert found == [f"urn:a{n}" for n in range(600)]
    writing.join()
