"""What tests of typical mistakes share: a table with its mapping, and what is said of what is wrong."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import pantarhei as pr

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


def twenty(mistakes: Mapping[str, Any]) -> list[str]:
    """The names of a door's mistakes, of which there are twenty at least."""
    assert len(mistakes) >= 20
    return list(mistakes)


def said(work: Callable[[], object]) -> str:
    """What the typed error says that work ends in: one sentence or two, on one line."""
    with pytest.raises(pr.PantarheiError) as caught:
        work()
    text = str(caught.value)
    assert "\n" not in text and len(text) < 600 and " object at 0x" not in text
    return text


def said_of_table(content: Any, mapping: str, format: str | None = None) -> str:
    """What is said of a table: a text, bytes, or what speaks Arrow."""
    if isinstance(content, str):
        content = content.encode()
    source = io.BytesIO(content) if isinstance(content, bytes) else content
    return said(lambda: list(pr.read_records(source, mapping, format=format)))


def said_of_stream(content: str | bytes, format: str, **options: Any) -> str:
    """What is said of a stream."""
    file = io.BytesIO(content if isinstance(content, bytes) else content.encode())
    return said(lambda: list(pr.read_stream(file, format=format, **options)))
