"""The formats of tables, as options and the names of files say them."""

from __future__ import annotations

from pathlib import Path

from pantarhei.rdf.unpacking import without_packing

FORMATS = ("csv", "tsv", "jsonl", "parquet", "json")
SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
}


def format_of(name: str) -> str | None:
    """The format that a file's name tells, None if it does not.

    >>> format_of("readings.csv.gz"), format_of("readings.nq")
    ('csv', None)
    """
    return SUFFIXES.get(Path(without_packing(name)).suffix.lower())
