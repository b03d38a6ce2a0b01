"""Options of the sources of files: any case, checked once, paths made absolute."""

from __future__ import annotations

import pytest

from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.spark.sources.source_options import SPLIT_SIZE, FileOptions, SkipLog, skipping


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
    with pytest.raises(OptionError, match="path=nothing"):
        FileOptions.of({})


def test_all_are_counted_and_the_first_reasons_kept():
    log = SkipLog()
    for line in range(20):
        log(line, "why", "text", 2)
    assert log.count == 40
    assert str(log).count("why") == SkipLog.SHOWN and str(log).endswith("; …")


def test_it_is_said_once_at_the_end_also_of_work_that_fails(caplog):
    with pytest.raises(RuntimeError), skipping("a.nq", True) as log:
        log(2, "why", "text")
        log(None, "because", "text")
        assert not caplog.records
        raise RuntimeError
    assert [record.getMessage() for record in caplog.records] == ["a.nq: 2 skipped: line 2: why; because"]


@pytest.mark.parametrize("skips", [True, False])
def test_where_nothing_was_left_out_nothing_is_said(caplog, skips):
    with skipping("a.nq", skips) as log:
        assert (log is not None) is skips
    assert not caplog.records
