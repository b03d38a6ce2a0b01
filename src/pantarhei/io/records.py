"""Streams of timestamped ABoxes from tables, by a mapping."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pantarhei.errors import OptionError
from pantarhei.io.mapping.mapping import RecordMapping
from pantarhei.io.mapping.read import read_mapping
from pantarhei.model.time import Precision, check_precision

if TYPE_CHECKING:
    from pantarhei.io.tables.opening import Source
    from pantarhei.io.tables.reader import RecordReader


def read_records(
    source: Source,
    mapping: str | os.PathLike[str] | Mapping[str, Any] | RecordMapping,
    *,
    format: str | None = None,
    on_error: str = "raise",
    precision: Precision | None = None,
) -> RecordReader:
    """Return a reader of a table's rows as timestamped ABoxes; errors in the table come while it is iterated.

    Rows that follow one another with the same time are one ABox. They are read in the table's order, several
    files in the order of their names, and a block at a time: memory does not grow with the table.

    Args:
        source: a path, a folder or a glob, or several of these; "-" for standard input, or a binary file; a
            pyarrow Table or RecordBatchReader, or a frame of pandas, Polars or another library that speaks
            Arrow's interface. Text may be compressed with gzip or zstd.
        mapping: how triples are made of rows: a path, a text in YAML, a dictionary, or what `read_mapping`
            gives. docs/tables.md says what can stand in it.
        format: "csv", "tsv", "jsonl", "json" or "parquet"; by default the path's suffix tells.
        on_error: "raise", or "skip" to leave rows out that are not as the mapping says, count them and keep
            them in `skipped`.
        precision: "microseconds" cuts finer fractions of a second, warns once (`TimesCutWarning`) and counts
            the rows in `times_cut`; "exact" makes them errors. By default as the mapping says.

    Raises:
        OptionError: source or option is none of those above.
        MissingFileError: a file is not there.
        MappingError: the mapping cannot be read; says where in it, and what is known instead.

    While iterating, `MappingError` if the table lacks a column or it is of another type, `InvalidCellError`
    with file, line and column, `MalformedInputError` with file and line.

    >>> import io
    >>> table = io.BytesIO(b"at,garage,free\\n7,north,12\\n")
    >>> mapping = {
    ...     "prefixes": {"ex": "http://example.org/"},
    ...     "time": {"column": "at", "unit": "number"},
    ...     "mappings": {"garage": {"s": "ex:$(garage)", "po": [["ex:free", "$(free)", "xsd:integer"]]}},
    ... }
    >>> [(abox.at, len(abox.triples)) for abox in read_records(table, mapping, format="csv")]
    [(7, 1)]
    """
    if on_error not in ("raise", "skip"):
        raise OptionError("on_error", repr(on_error), '"raise" or "skip"')
    from pantarhei.io.tables.opening import sources_of  # Arrow, which takes a while to be there
    from pantarhei.io.tables.reader import RecordReader

    read = with_precision(read_mapping(mapping), precision)
    return RecordReader(sources_of(source, format), read, on_error == "skip")


def with_precision(mapping: RecordMapping, precision: Precision | None) -> RecordMapping:
    """Return a mapping with another precision of times; None keeps its own.

    Raises:
        OptionError: there is no such precision.
    """
    if precision is None:
        return mapping
    check_precision(precision)
    return replace(mapping, time=replace(mapping.time, precision=precision))
