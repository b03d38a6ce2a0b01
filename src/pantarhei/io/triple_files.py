"""Reader of RDF files as Arrow tables, for `push` and `background`, without a Python object per triple."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np
import pyoxigraph as ox

from pantarhei.errors import MalformedInputError, MissingFileError, OptionError, UnknownFormatError
from pantarhei.io.stream_reader import BLOCK
from pantarhei.owl.document import FORMATS, SUFFIXES
from pantarhei.rdf.decompression import Readable, plain_text, refuse_null, refuse_unreadable, unreadable
from pantarhei.rdf.parse import document_parser, refuse_deep_nesting
from pantarhei.rdf.statements import ByteFeed, Statement, UnparsedLines, line_blocks, parse_lines
from pantarhei.rdf.triple_table import NAMES, TermColumn, TripleColumns
from pantarhei.rdf.xml_guard import in_utf_8, refuse_entity_expansion

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.rdf.plain_quads import PlainRun

_BY_LINE = ("nt", "nquads")
_WITH_GRAPHS = ("nquads", "trig")
_KNOWN = tuple(name for name, syntax in FORMATS.items() if syntax is not None and name != "json-ld")


def read_table(source: str | os.PathLike[str], *, format: str | None = None) -> pa.Table:
    """Read the triples of a file into a table of terms in N-Triples syntax, in file order.

    The columns `subject`, `predicate` and `object` are dictionary-encoded strings; for N-Quads and TriG there
    is also `graph`, null for the default graph. Blank nodes keep their labels in N-Triples and N-Quads, and
    are numbered in other formats. `push` accepts the table as an ABox, `StreamReasoner` as `background`.

    Costs about 2 µs per triple for N-Triples or N-Quads with single spaces between terms, several times as
    much for other text.

    Args:
        source: a path.
        format: "nt", "nquads", "turtle", "trig" or "xml"; by default by the path's suffix.

    Raises:
        OptionError: the format or the suffix is unknown, or the source is not a path.
        MissingFileError: the file cannot be read.
        MalformedInputError: the file is malformed or compressed; the error has the line if it is known.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "belts.ttl"
    ...     _ = path.write_text("@prefix : <urn:> . :belt :speed 0.5 .")
    ...     read_table(path).to_pylist()
    [{'subject': '<urn:belt>', 'predicate': '<urn:speed>', 'object': '"0.5"^^<http://www.w3.org/2001/XMLSchema#decimal>'}]
    """
    if not isinstance(source, str | os.PathLike):
        raise OptionError("source", repr(source), "a path; read_stream also reads open files")
    path = Path(source)
    refuse_null(path)
    name = _format_of(path, format)
    try:
        if name in _BY_LINE:
            with path.open("rb") as file:
                return _table(_parts(_lines(file, str(path), name), str(path)), name)
        return _table(_numbered(_converted_parts(path, name)), name)
    except OSError as error:
        if isinstance(error, MissingFileError):
            raise
        raise unreadable(path, error) from error


def _format_of(path: Path, format: str | None) -> str:
    name = format or SUFFIXES.get(path.suffix.lower())
    if name in _KNOWN:
        return name
    if format is not None:
        raise OptionError("format", repr(format), "one of " + ", ".join(_KNOWN))
    refuse_unreadable(path)
    suffixes = tuple(suffix for suffix, known in SUFFIXES.items() if known in _KNOWN)
    raise UnknownFormatError("format", str(path), suffixes, _KNOWN)


def _converted_parts(path: Path, name: str) -> Iterator[_TablePart]:
    """Yield the parts of a file that is not line-based, by converting it; errors then have no line."""
    content = BytesIO(_as_lines(path, name))
    try:
        yield from _parts(_lines(content, str(path), "nquads" if name in _WITH_GRAPHS else "nt"), str(path))
    except MalformedInputError as error:
        raise MalformedInputError(error.source, None, error.reason) from None


def _as_lines(path: Path, name: str) -> bytes:
    """Convert a file to canonical N-Triples, or to N-Quads if its syntax has graphs."""
    content = plain_text(path.read_bytes(), str(path))
    if name == "xml":
        content = in_utf_8(content, str(path))
        refuse_entity_expansion(content, str(path))
    refuse_deep_nesting(content, name, str(path))
    written = ox.RdfFormat.N_QUADS if name in _WITH_GRAPHS else ox.RdfFormat.N_TRIPLES
    with document_parser(content, FORMATS[name], str(path), path.resolve().as_uri()) as quads:
        return cast(bytes, ox.serialize(quads, format=written))


def _lines(file: Readable, source: str, name: str) -> Iterator[Statement | PlainRun]:
    from pantarhei.rdf.plain_quads import PlainQuadsReader

    plain, syntax = PlainQuadsReader((), graphs=name != "nt"), cast(ox.RdfFormat, FORMATS[name])
    for first, block in line_blocks(ByteFeed(file), source, size=BLOCK):
        for found in plain.read(first, block):
            if isinstance(found, UnparsedLines):
                yield from parse_lines(*found, source, None, syntax)
            else:
                yield found


class _TablePart(NamedTuple):
    """Triples by column, and the graph of each triple; None is the default graph."""

    triples: TripleColumns
    graphs: list[str | None]


def _table(parts: Iterable[_TablePart], name: str) -> pa.Table:
    import pyarrow as pa

    columns = (*NAMES, *(["graph"] if name in _WITH_GRAPHS else []))
    chunks: dict[str, list[pa.Array]] = {column: [] for column in columns}
    for part in parts:
        for column, terms in zip(columns, part.triples, strict=False):
            chunks[column].append(
                pa.DictionaryArray.from_arrays(terms.codes, pa.array(terms.distinct, pa.string()))
            )
        if "graph" in chunks:
            chunks["graph"].append(pa.array(part.graphs, pa.string()).dictionary_encode())
    kind = pa.dictionary(pa.int32(), pa.string())
    table = pa.table([pa.chunked_array(parts, kind) for parts in chunks.values()], list(columns))
    return table.unify_dictionaries().combine_chunks()


def _parts(found: Iterable[Statement | PlainRun], source: str) -> Iterator[_TablePart]:
    """Group consecutive triples to parts: adjacent runs of plain lines of one block, and parsed
    statements.
    """
    run: PlainRun | None = None
    graphs: list[str | None] = []
    rows: list[tuple[str, ...]] = []
    for item in found:
        if rows and not isinstance(item, Statement):
            yield _of_rows(rows, graphs)
            rows, graphs = [], []
        if run is not None and (
            isinstance(item, Statement) or run.block is not item.block or run.end != item.begin
        ):
            yield _TablePart(_triples(run), graphs)
            run, graphs = None, []
        if isinstance(item, Statement):
            rows.append(_texts(item, source))
            graph = item.quad.graph_name
            graphs.append(None if isinstance(graph, ox.DefaultGraph) else str(graph))
        else:
            run = item if run is None else run._replace(end=item.end)
            graphs += [str(item.name)] * (item.end - item.begin)
    if run is not None:
        yield _TablePart(_triples(run), graphs)
    elif rows:
        yield _of_rows(rows, graphs)


def _triples(run: PlainRun) -> TripleColumns:
    """Return the triples of a run of plain lines; the columns hold only terms that occur in the run."""
    return TripleColumns(*(column.occurring() for column in run.block.columns.slice(run.begin, run.end)))


def _numbered(parts: Iterable[_TablePart]) -> Iterator[_TablePart]:
    """Relabel blank nodes as `_:b0`, `_:b1` and so on, since the parser assigns random labels."""
    names: dict[str, str] = {}

    def named(text: str) -> str:
        return names.setdefault(text, f"_:b{len(names)}") if text[0] == "_" else text

    for (subject, predicate, object_), graphs in parts:
        numbered = TripleColumns(subject.mapped(named), predicate, object_.mapped(named))
        yield _TablePart(numbered, [graph and named(graph) for graph in graphs])


def _of_rows(rows: list[tuple[str, ...]], graphs: list[str | None]) -> _TablePart:
    return _TablePart(TripleColumns(*map(_column, zip(*rows, strict=True))), graphs)


def _column(texts: Iterable[str]) -> TermColumn:
    places: dict[str, int] = {}
    codes = [places.setdefault(text, len(places)) for text in texts]
    return TermColumn(np.array(codes, np.int32), np.array(list(places), object))


def _texts(statement: Statement, source: str) -> tuple[str, ...]:
    quad = statement.quad
    terms = quad.subject, quad.predicate, quad.object
    for term in terms:
        if isinstance(term, ox.Triple) or (isinstance(term, ox.Literal) and term.direction is not None):
            reason = f"{term}: triple terms and directions (RDF 1.2) are not supported"
            raise MalformedInputError(source, statement.line, reason)
    return tuple(map(str, terms))
