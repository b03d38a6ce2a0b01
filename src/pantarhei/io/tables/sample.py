"""The first rows of a table, for whoever guesses what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from rdflib import XSD

from pantarhei.io.mapping.cells import Cells, cells_of, is_readable
from pantarhei.io.mapping.guess import Sample
from pantarhei.io.mapping.json_cells import JSONColumns
from pantarhei.io.tables.csv_table import CSVTable
from pantarhei.io.tables.opening import sources_of

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
    with sources.opened(sources.begin()[0], None) as table:
        names = [
            each for each in table.names if table.names.count(each) == 1 and is_readable(table.type_of(each))
        ]
        columns = {each: Sample([]) for each in names}
        for block in table.blocks(names):
            arrays = block.columns
            if isinstance(arrays, JSONColumns):
                arrays = arrays.with_found(arrays.members())
            for column, array in arrays.items():
                columns[column] = _sample(cells_of(array, frozenset()), block.height)
            if block.height:
                break
    return FirstRows(name, columns, table.delimiter if isinstance(table, CSVTable) else ",")


def _sample(cells: Cells, height: int) -> Sample:
    rows = range(min(height, ROWS) if cells.ends is None else len(cells.codes))
    texts = cells._replace(codes=cells.codes[: len(rows)]).dense().to_pylist()
    datatypes = {cells.datatype} if cells.datatypes is None else set(cells.datatypes)
    if datatypes == {XSD.integer, XSD.decimal}:
        datatypes = {XSD.decimal}
    return Sample([text or "" for text in texts], datatypes.pop() if len(datatypes) == 1 else None)
