"""Options of the sources of files: any case, checked once, paths made absolute."""

from __future__ import annotations

import pytest

from pantarhei.errors import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.spark.sources.source_options import SPLIT_SIZE, FileOptions


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
