"""Mapping of table rows to triples and times, column by column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import NamedTuple
from urllib.parse import quote

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import XSD, URIRef

from pantarhei.io.mapping.binding import BoundMapping, value_hint
from pantarhei.io.mapping.cell_columns import (
    CellColumn,
    ColumnValues,
    Flags,
    Places,
    column_values,
    combinations,
    flags,
    joined,
)
from pantarhei.io.mapping.record_mapping import ROW, TermKind, TermTemplate, TextTemplate, TripleTemplate
from pantarhei.io.mapping.row_times import RowTimes, times_of
from pantarhei.io.mapping.text_times import RowOrder
from pantarhei.model.term import short
from pantarhei.model.time import TimeKind
from pantarhei.rdf.triple_table import Codes, TermColumn, TripleColumns
from pantarhei.values.value import INTEGER_BOUNDS, STRING_FORMS, is_ill_typed, value_key

_DIGITS = r"([0-9]+(\.[0-9]*)?|\.[0-9]+)"
FORMS = {
    XSD.integer: r"^[+-]?[0-9]+$",
    XSD.decimal: rf"^[+-]?{_DIGITS}$",
    XSD.double: rf"^([+-]?{_DIGITS}([eE][+-]?[0-9]+)?|NaN|[+-]?INF)$",
}
FORMS[XSD.float] = FORMS[XSD.double]
NUMBERS = frozenset({*INTEGER_BOUNDS, *FORMS})
_ZONE = r"(Z|[+-][0-9]{2}:[0-9]{2})?$"
_MONTH = "^-?[0-9]{4,}-(0[1-9]|1[0-2])"
FORMS |= {  # datatypes whose values `values.value` does not interpret
    XSD.date: rf"{_MONTH}-(0[1-9]|[12][0-9]|3[01]){_ZONE}",
    XSD.time: rf"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?{_ZONE}",
    XSD.gYear: rf"^-?[0-9]{{4,}}{_ZONE}",
    XSD.gYearMonth: rf"{_MONTH}{_ZONE}",
}
TEXTS = frozenset({None, XSD.string, *STRING_FORMS})
IRI = r"""^[A-Za-z][A-Za-z0-9+.\-]*:[^\x00-\x20<>"{}|^`\\]*$"""
# Characters that RFC 3987 calls iunreserved are not percent-encoded in templates (RML, section on templates).
_SAFE = r"^[A-Za-z0-9\-._~]*$"
_UNSAFE = re.compile(
    r"[^A-Za-z0-9\-._~\u00a0-\ud7ff\uf900-\ufdcf\ufdf0-\uffef"
    + "".join(f"{chr(plane << 16)}-{chr((plane << 16) + 0xFFFD)}" for plane in range(1, 14))
    + "\U000e1000-\U000efffd]"
)
_WITH_FRACTIONS = (XSD.double, XSD.decimal)
MOST_DIGITS = 1_000
"""Limit of digits before or after the point when a number with an exponent is rewritten without exponent."""
_UNTYPED = TermTemplate(TextTemplate(("", ""), ("value",)), TermKind.LITERAL)
ESCAPES = (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n"), ("\r", "\\r"))


class MappedTerms(NamedTuple):
    """Dictionary-encoded terms of one template.

    Args:
        codes: indices in `texts`, in row order; -1 for no term.
        texts: the distinct terms in N-Triples syntax.
        wrong: for each of `texts`, whether the term is invalid; None if all are valid.
        reason: returns the error of an invalid term, by its index in `texts`.
        ends: as `ColumnValues.ends`, if a row can have several terms; None if row i has the term `codes[i]`.
    """

    codes: Codes
    texts: pa.StringArray
    wrong: Flags | None = None
    reason: Callable[[int], str] = str
    ends: Places | None = None


def map_terms(
    pattern: TermTemplate, columns: Mapping[str, ColumnValues], height: int, decimal: str
) -> MappedTerms:
    """Instantiate a term template for each row of a table of `height` rows; `decimal` is the decimal mark."""
    if not pattern.template.columns:
        codes, text = np.zeros(height, np.int32), pa.array([pattern.template.texts[0]], pa.string())
        return _written(pattern, ColumnValues(codes, text), decimal)
    if pattern.kind is TermKind.IRI:
        columns = {name: _encoded(columns[name]) for name in pattern.template.columns}
        cells = joined(pattern.template, columns)
        texts = pc.binary_join_element_wise("<", cells.values, ">", "")
        return MappedTerms(cells.codes, texts, ends=cells.ends)
    cells = joined(pattern.template, columns)
    return _written(pattern, cells, decimal)._replace(ends=cells.ends)


def _encoded(cells: ColumnValues) -> ColumnValues:
    """Percent-encode the characters of the column's values that are not iunreserved."""
    if not len(cells.values) or pc.all(pc.match_substring_regex(cells.values, _SAFE)).as_py():
        return cells
    return cells._replace(values=pa.array(map(encoded, cells.values.to_pylist()), pa.string()))


def encoded(text: str) -> str:
    """Percent-encode the characters of a text that are not iunreserved (RFC 3987), for use in an IRI."""
    return _UNSAFE.sub(lambda found: quote(found[0], safe=""), text)


def _written(pattern: TermTemplate, cells: ColumnValues, decimal: str) -> MappedTerms:
    if pattern.kind is not TermKind.LITERAL:
        texts = pc.binary_join_element_wise("<", cells.values, ">", "")
        wrong = _any(~flags(pc.match_substring_regex(cells.values, IRI)))
        return MappedTerms(cells.codes, texts, wrong, lambda place: _no_iri(cells, place))
    if pattern.language is not None:
        return MappedTerms(cells.codes, _quoted(cells.values, f"@{pattern.language}"))
    if pattern.datatype is None and cells.datatypes is not None:
        return _of_several_datatypes(cells, decimal)
    datatype = pattern.datatype or cells.datatype
    values = cells.values if datatype in TEXTS else _lexical(cells, datatype, decimal)
    is_sure = pattern.datatype is None and datatype not in (XSD.decimal, XSD.time)
    wrong = None if is_sure else _ill_typed(values, datatype)
    return MappedTerms(
        cells.codes,
        _quoted(values, suffix_of(datatype)),
        wrong,
        lambda place: _no_literal(cells, place, datatype, decimal),
    )


def _of_several_datatypes(cells: ColumnValues, decimal: str) -> MappedTerms:
    """Return a column of literals, each with its value's own datatype."""
    assert cells.datatypes is not None
    texts, wrong = np.empty(len(cells.values), object), np.zeros(len(cells.values), bool)
    for datatype in dict.fromkeys(cells.datatypes):
        places = np.flatnonzero(cells.with_((datatype,)))
        values = cells.values.take(pa.array(places))
        part = ColumnValues(places.astype(np.int32), values, datatype)
        made = _written(_UNTYPED, part, decimal)
        texts[places] = made.texts.to_pylist()
        wrong[places] = False if made.wrong is None else made.wrong
    return MappedTerms(
        cells.codes,
        pa.array(texts.tolist(), pa.string()),
        _any(wrong),
        lambda place: _no_literal(cells, place, cells.datatypes[place], decimal),  # type: ignore[index]
    )


def suffix_of(datatype: URIRef | None) -> str:
    """Return the datatype suffix `^^<…>` of a literal in N-Triples syntax; empty for a string."""
    return "" if datatype in (None, XSD.string) else f"^^<{datatype}>"


def _quoted(values: pa.StringArray, suffix: str) -> pa.StringArray:
    if pc.any(pc.match_substring_regex(values, r'[\\"\n\r]')).as_py():
        for plain, escape in ESCAPES:
            values = pc.replace_substring(values, plain, escape)
    return pc.binary_join_element_wise('"', values, f'"{suffix}', "")


def _lexical(cells: ColumnValues, datatype: URIRef | None, decimal: str) -> pa.StringArray:
    """Convert a column's distinct texts to lexical forms of a datatype, without surrounding spaces."""
    values = pc.utf8_trim_whitespace(cells.values)
    if datatype == XSD.boolean:
        return pc.utf8_lower(values)
    if datatype not in NUMBERS:
        return values
    if decimal != "." and (is_text := cells.with_((None,))).any():
        without_points = pc.replace_substring(values, ".", "·")  # makes a number with a point ill-typed
        with_points = pc.replace_substring(without_points, decimal, ".")
        values = pc.if_else(pa.array(is_text), with_points, values)
    if datatype not in (XSD.double, XSD.float) and (is_number := cells.with_(_WITH_FRACTIONS)).any():
        plain = r"^-?[0-9]+$" if datatype in INTEGER_BOUNDS else r"^[^eE]*$"
        unusual = np.flatnonzero(is_number & ~flags(pc.match_substring_regex(values, plain)))
        if len(unusual):
            texts = np.array(values.to_pylist(), object)
            texts[unusual] = [plain_number(text) for text in texts[unusual].tolist()]
            return pa.array(texts.tolist(), pa.string())
    return values


def plain_number(text: str) -> str:
    """Rewrite a number without exponent and trailing zeros.

    Returns the given text if it is not a finite number, or if it would have more than about `MOST_DIGITS`
    digits.

    >>> plain_number("1e-7"), plain_number("21.50"), plain_number("1e999999")
    ('0.0000001', '21.5', '1e999999')
    """
    try:
        number = Decimal(text)
        if not number.is_finite() or abs(number.adjusted()) > MOST_DIGITS:
            return text
        written = format(number, "f")
    except InvalidOperation:
        return text
    return written.rstrip("0").rstrip(".") if "." in written else written


def _ill_typed(values: pa.StringArray, datatype: URIRef | None) -> Flags | None:
    """Return for each text whether it is outside the lexical space of a datatype; None if none is."""
    if datatype in (None, XSD.string):
        return None
    form = FORMS.get(XSD.integer if datatype in INTEGER_BOUNDS else datatype)
    if form is None or INTEGER_BOUNDS.get(datatype, (None, None)) != (None, None):
        keys = (value_key(text, datatype) for text in values.to_pylist())
        wrong = np.fromiter(map(is_ill_typed, keys), bool, len(values))
    else:
        wrong = ~flags(pc.match_substring_regex(values, form))
    return _any(wrong)


def _any(wrong: Flags) -> Flags | None:
    return wrong if wrong.any() else None


def _no_iri(cells: ColumnValues, place: int) -> str:
    text = cells.values[place].as_py()
    expected = "a full IRI, or a template such as ex:$(column) in the mapping"
    return f"{_shown(text)} is not an IRI; expected {expected}"


def _no_literal(cells: ColumnValues, place: int, datatype: URIRef | None, decimal: str) -> str:
    text = cells.values[place].as_py()
    assert datatype is not None
    name = f"xsd:{datatype.removeprefix(str(XSD))}" if datatype.startswith(str(XSD)) else short(datatype)
    return f"{_shown(text)} is not of type {name}{value_hint(text, datatype, decimal)}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:100] + "…")


class InvalidRow(NamedTuple):
    """Invalid row: its index in the table, its first invalid column or columns, and the error."""

    row: int
    column: str
    reason: str


class MappedRows(NamedTuple):
    """Result of mapping the rows of a table.

    Args:
        kind: the kind of the times.
        ticks: the time of each valid row, in ticks.
        triples: the triples of all valid rows, in row order.
        ends: for each valid row, the end (excluded) of its triples in `triples`.
        bad: the invalid rows, in order.
        cut: for each valid row, whether its time was cut to microseconds; None if none was.
    """

    kind: TimeKind
    ticks: npt.NDArray[np.int64]
    triples: TripleColumns
    ends: Places
    bad: Sequence[InvalidRow]
    cut: Flags | None = None

    @property
    def times_cut(self) -> int:
        """Number of rows whose time was cut to microseconds."""
        return 0 if self.cut is None else int(self.cut.sum())

    def first(self, rows: int) -> MappedRows:
        """Return the result for the first `rows` rows of the table, which must all be valid."""
        end = int(self.ends[rows - 1]) if rows else 0
        cut = None if self.cut is None else self.cut[:rows]
        return MappedRows(self.kind, self.ticks[:rows], self.triples.slice(0, end), self.ends[:rows], (), cut)


def map_rows(
    bound: BoundMapping,
    arrays: Mapping[str, pa.Array | CellColumn],
    height: int,
    first_row: int,
    mapping: str,
    kind: TimeKind | None = None,
    order: RowOrder | None = None,
) -> MappedRows:
    """Map the rows of a table to times and triples, column by column.

    Args:
        arrays: the table's columns by name, at least those used by the mapping.
        height: number of rows.
        first_row: the number of the first row, for the column `_row`.
        mapping: the mapping's name in errors.
        kind: the required kind of times; None for the kind that fits all rows.
        order: instants of the previous rows, for the mapping option `ambiguous: infer`.

    Raises:
        MappingError: a column's type does not fit the mapping.
    """
    cells: dict[str, ColumnValues] = {}

    def column(name: str) -> ColumnValues:
        if name not in cells:
            if name == ROW and ROW not in arrays:
                cells[name] = column_values(pa.array(np.arange(first_row, first_row + height)), bound.nulls)
            else:
                cells[name] = column_values(arrays[name], bound.nulls)
        return cells[name]

    times = times_of(bound.time, arrays, column, mapping, kind, order)
    for pattern in bound.patterns:
        for name, _ in pattern.columns:
            column(name)
    terms: dict[TermTemplate, MappedTerms] = {
        term: map_terms(term, cells, height, bound.decimal)
        for pattern in bound.patterns
        for term in pattern.terms
    }
    bad = _bad_rows(bound, times, terms, cells)
    good = np.ones(height, bool)
    good[[each.row for each in bad]] = False
    triples, rows = _triples(bound.patterns, terms, cells, good)
    kept = np.flatnonzero(good)
    places = kept if times.codes is None else times.codes[kept]
    ends = np.searchsorted(rows, kept, "right")
    cut = None if times.cut is None else times.cut[places]
    return MappedRows(times.kind, times.ticks[places], triples, ends, bad, cut)


def _bad_rows(
    bound: BoundMapping,
    times: RowTimes,
    terms: Mapping[TermTemplate, MappedTerms],
    cells: Mapping[str, ColumnValues],
) -> list[InvalidRow]:
    bad: dict[int, InvalidRow] = {}
    time = ", ".join(bound.time.template.columns)
    for row, reason in times.refused.items():
        bad[row] = InvalidRow(row, time, reason)
    for place, reason in times.reasons.items():
        rows = [place] if times.codes is None else np.flatnonzero(times.codes == place).tolist()
        for row in rows:
            bad.setdefault(row, InvalidRow(row, time, reason))
    for name, each in cells.items():
        for row, reason in each.refused.items():
            bad.setdefault(row, InvalidRow(row, name, reason))
    for pattern, made in terms.items():
        if made.wrong is None or not len(made.codes):
            continue
        name = ", ".join(pattern.template.columns) or "(none)"
        for at in np.flatnonzero(made.wrong[made.codes] & (made.codes >= 0)).tolist():
            row = at if made.ends is None else int(np.searchsorted(made.ends, at, "right"))
            if row not in bad:
                bad[row] = InvalidRow(row, name, made.reason(int(made.codes[at])))
    return sorted(bad.values())


def _triples(
    patterns: Sequence[TripleTemplate],
    terms: Mapping[TermTemplate, MappedTerms],
    cells: Mapping[str, ColumnValues],
    good: Flags,
) -> tuple[TripleColumns, Places]:
    """Return the triples in row order, and the row of each triple."""
    found = [_matches(pattern, terms, cells, good) for pattern in patterns]
    together = np.concatenate([rows for rows, _ in found])
    order = np.argsort(together, kind="stable")
    columns = []
    for place in range(3):
        made = [terms[pattern.terms[place]] for pattern in patterns]
        columns.append(_column(made, [places[place] for _, places in found], order))
    return TripleColumns(*columns), together[order]


def _matches(
    pattern: TripleTemplate,
    terms: Mapping[TermTemplate, MappedTerms],
    cells: Mapping[str, ColumnValues],
    good: Flags,
) -> tuple[Places, list[Places]]:
    """Instantiate a triple template.

    Returns the row of each triple, and for subject, predicate and object the indices in the terms' `codes`.
    """
    made = [terms[term] for term in pattern.terms]
    present = good.copy()
    for column in pattern.needs:
        present &= _has_value(cells[column])
    if all(each.ends is None for each in made):
        for each, term in zip(made, pattern.terms, strict=True):
            if term.template.columns:
                present &= each.codes >= 0
        rows = np.flatnonzero(present)
        return rows, [rows] * 3
    rows, places = combinations([each.ends for each in made], len(good))
    kept = present[rows]
    for each, at in zip(made, places, strict=True):
        kept &= each.codes[at] >= 0
    return rows[kept], [at[kept] for at in places]


def _has_value(cells: ColumnValues) -> Flags:
    """Return for each row whether it has a value."""
    if cells.ends is None:
        return cells.codes >= 0
    counts = np.concatenate([[0], np.cumsum(cells.codes >= 0)])[np.concatenate([[0], cells.ends])]
    return np.asarray(np.diff(counts) > 0)


def _column(made: Sequence[MappedTerms], places: Sequence[Places], order: Places) -> TermColumn:
    """Concatenate the terms of several templates to one column of terms.

    Args:
        made: the terms of each template.
        places: for each template, the indices in its `codes` of the terms to take.
        order: permutation of the concatenated terms.
    """
    begins: dict[int, int] = {}
    different: list[MappedTerms] = []
    length = 0
    for each in made:
        if id(each) not in begins:
            begins[id(each)] = length
            different.append(each)
            length += len(each.texts)
    codes = [
        each.codes[chosen] + np.int32(begins[id(each)]) for each, chosen in zip(made, places, strict=True)
    ]
    distinct = np.empty(length, object)
    distinct[:] = [text for each in different for text in each.texts.to_pylist()]
    return TermColumn(np.concatenate(codes)[order], distinct)


def runs(ticks: npt.NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield the begin and the end (excluded) of each run of equal ticks.

    >>> list(runs(np.array([7, 7, 8], np.int64)))
    [(0, 2), (2, 3)]
    """
    if len(ticks):
        bounds = [0, *(np.flatnonzero(np.diff(ticks)) + 1).tolist(), len(ticks)]
        yield from pairwise(bounds)
