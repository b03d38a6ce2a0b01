"""The first rows of a table, for whoever guesses what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from pantarhei.mapping.cells import cells_of, is_readable
from pantarhei.mapping.guess import Sample
from pantarhei.streams.tables.csv_table import CSVTable
from pantarhei.streams.tables.opening import sources_of

ROWS = 1_000


class FirstRows(NamedTuple):
    """What a table begins with.

    Args:
        name: what it is called, without folder and suffixes.
        columns: by name, up to `ROWS` values of each that has plain ones.
        delimiter: what is between cells, where it is text.
    """

    name: str
    columns: dict[str, Sample]
    delimiter: str


def first_rows(source: str, format: str | None) -> FirstRows:
    """The first rows of a table, of several the first one's.

    Raises:
        OptionError: the source is none.
        InputError: it cannot be read.
    """
    sources = sources_of(source, format)
    name = "table" if source == "-" else Path(sources.first).name.partition(".")[0]
    tables = sources.tables(None)  # each is open as long as this is there
    table = next(tables)
    names = [
        each for each in table.names if table.names.count(each) == 1 and is_readable(table.type_of(each))
    ]
    columns = {each: Sample([]) for each in names}
    for block in table.blocks(names):
        for column, array in block.columns.items():
            cells = cells_of(array.slice(0, ROWS), frozenset())
            columns[column] = Sample([text or "" for text in cells.dense().to_pylist()], cells.datatype)
        if block.height:
            break
    return FirstRows(name, columns, table.delimiter if isinstance(table, CSVTable) else ",")
