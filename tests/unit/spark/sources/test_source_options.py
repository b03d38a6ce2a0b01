"""Options of the sources of files: any case, checked once, paths made absolute."""

from __future__ import annotations

import pytest

from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.spark.sources.source_options import SPLIT_SIZE, FileOptions, logged_counts


@pytest.mark.parametrize(
    ("given", "option"),
    [
        ({"tine": "graph"}, "tine"),
        ({"time": "prov"}, "time"),
        ({"on_error": "ignore"}, "on_error"),
        ({"timestampType": "int"}, "timestampType"),
        ({"splitSize": "big"}, "splitSize"),
        ({"maxFilesPerTrigger": "0"}, "maxFilesPerTrigger"),
        ({"path": "s3://bucket/stream.nq"}, "path"),
    ],
)
def test_an_impossible_option_is_an_error_that_names_it(given, option):
    with pytest.raises(OptionError) as raised:
        FileOptions.of({"path": "stream.nq", **given})
    assert raised.value.option == option


def test_options_have_any_case_and_paths_become_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = FileOptions.of(
        {"PATH": "a.nq", "TIMESTAMPTYPE": "Long", "splitsize": "2k", "MaxFilesPerTrigger": "3"}
    )
    assert options == FileOptions(
        (str(tmp_path / "a.nq"),), kind=TimeKind.INTEGER, split_size=2048, max_files=3
    )
    assert FileOptions.of({"paths": '["file:/a.nq", "file:///b.nq"]'}).paths == ("/a.nq", "/b.nq")
    assert FileOptions.of({"path": "a"}).split_size == SPLIT_SIZE
    with pytest.raises(OptionError, match=r"load\(\) needs a file, a folder or a glob. Pass it: path="):
        FileOptions.of({})


def test_all_are_counted_and_the_first_reasons_kept(caplog):
    with logged_counts("a.nq") as counts:
        for line in range(20):
            counts.skip(line, "why", "text", 2)
    assert counts.skipped_count == 40
    (message,) = (record.getMessage() for record in caplog.records)
    assert message.startswith("a.nq: 40 skipped: line 0: why; line 1: why")
    assert message.count("why") == counts.SKIPS_KEPT and message.endswith("; …")


def test_it_is_said_once_at_the_end_also_of_work_that_fails(caplog):
    with pytest.raises(RuntimeError), logged_counts("a.nq") as counts:
        counts.skip(2, "why", "text")
        counts.skip(None, "because", "text")
        assert not caplog.records
        raise RuntimeError
    assert [record.getMessage() for record in caplog.records] == ["a.nq: 2 skipped: line 2: why; because"]


def test_cut_times_are_counted_with_the_first_of_them(caplog):
    with logged_counts("a.nq") as counts:
        counts.cut("12:00:00.0000001")
        counts.cut("13:00:00.0000001")
    (record,) = caplog.records
    assert record.getMessage() == "a.nq: 2 times cut to microseconds, the first 12:00:00.0000001"


def test_where_nothing_was_left_out_nothing_is_said(caplog):
    with logged_counts("a.nq"):
        pass
    assert not caplog.records
