"""Helpers for tests of typical mistakes: a table with its mapping, and the resulting error messages."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import pantarhei as pr
from pantarhei.cli.commands import app

TABLE = "time,id,free\n2026-01-01 10:00,a,1\n"
MAPPING = """\
prefixes: {ex: http://example.org/}
time: {column: time, zone: UTC}
mappings:
  garage:
    s: ex:$(id)
    po:
      - [ex:free, $(free), xsd:integer]
"""
DECIMAL = MAPPING.replace("xsd:integer", "xsd:decimal")


def at_least_twenty(mistakes: Mapping[str, Any]) -> list[str]:
    """Return the names of an entry point's mistakes, at least twenty."""
    assert len(mistakes) >= 20
    return list(mistakes)


def message_of(work: Callable[[], object]) -> str:
    """Return the message of the typed error that `work` raises, in one line; it has a few sentences."""
    with pytest.raises(pr.PantarheiError) as caught:
        work()
    text = on_one_line(caught.value)
    assert len(text) < 800 and " object at 0x" not in text
    return text


def on_one_line(message: object) -> str:
    """Return a message without line breaks."""
    return re.sub(r"\s*\n\s*", " ", str(message))


def message_for_table(content: Any, mapping: str, format: str | None = None) -> str:
    """Return the error message for a table: a text, bytes, or an Arrow object."""
    if isinstance(content, str):
        content = content.encode()
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    return message_of(lambda: list(pr.read_records(source, mapping, format=format)))


def message_for_stream(content: str | bytes, format: str, **options: Any) -> str:
    """Return the error message for a stream."""
    file = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    return message_of(lambda: list(pr.read_stream(file, format=format, **options)))


def message_for_command(*typed: str) -> str:
    """Return the command line's error message, without its frame and the usage."""
    done = CliRunner().invoke(app, list(typed))
    assert done.exit_code in (1, 2) and "Traceback" not in done.output
    text = " ".join(re.sub("[│╭╮╰╯─]+", " ", done.stderr).split())
    return text.partition(" Error ")[2] or text


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files, in subfolders if their names contain them."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
