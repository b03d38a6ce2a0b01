"""Mapping compiled to Python functions that map one record at a time: a fast path for well-formed records.

For each record that it accepts, the fast path returns the result of `map_rows` for a table of this one row.
For the others it returns None, and the caller uses `map_rows`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timezone
from decimal import Decimal
from itertools import product
from typing import Any, TypeAlias

from rdflib import XSD, URIRef

from pantarhei.io.mapping.binding import BoundMapping
from pantarhei.io.mapping.cell_columns import NOT_FINITE
from pantarhei.io.mapping.json_cells import is_unicode, member
from pantarhei.io.mapping.mapped_rows import (
    ESCAPES,
    FORMS,
    IRI,
    NUMBERS,
    TEXTS,
    encoded,
    plain_number,
    suffix_of,
)
from pantarhei.io.mapping.record_mapping import ROW, UNITS, RowTime, TermKind, TermTemplate
from pantarhei.model.datetimes import EPOCH, MICROSECOND, read_iso, zone_named
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimeKind, TimePoint
from pantarhei.rdf.ntriples import parse_term
from pantarhei.values.value import INTEGER_BOUNDS, is_ill_typed, value_key

TEXT, INTEGER, DECIMAL, DOUBLE, BOOLEAN = range(5)
"""Kinds of JSON values; numbers with a fraction or an exponent are decimals, NaN and INF doubles."""

Value: TypeAlias = tuple[str, int]
"""Text and kind of a JSON value."""
Values: TypeAlias = Sequence[Value]
"""Values of one member of a record: none if it is absent or null, several if it is an array, else one."""
Record: TypeAlias = Mapping[str, Any]

_DATATYPES = (None, XSD.integer, XSD.decimal, XSD.double, XSD.boolean)
_KEPT = 1 << 16  # cached terms for each template
_FORM = {datatype: re.compile(form) for datatype, form in FORMS.items()}
_WHOLE_IRI = re.compile(IRI)
_INTEGER = re.compile(r"-?[0-9]+")
_AMOUNT = re.compile(r"-?[0-9]{1,18}(\.[0-9]{1,12})?")
_SURE = range(1970, 2100)  # years whose times are read here; others are left to `map_rows`
_ESCAPES = str.maketrans(dict(ESCAPES))


class CompiledMapping:
    """Compiled mapping from records to times and triples.

    Args:
        bound: the mapping, bound to the members of the records.
        value: returns the text and the kind of a member's value; None for values that are not scalars.
    """

    def __init__(self, bound: BoundMapping, value: Callable[[object], Value | None]) -> None:
        self.time = bound.time
        names = [*bound.time.template.columns, *(name for name in bound.columns if name != ROW)]
        self._members = [(name, _reader(name, bound.nulls, value)) for name in dict.fromkeys(names)]
        patterns = list(dict.fromkeys(term for pattern in bound.patterns for term in pattern.terms))
        self._terms = [_maker(pattern, bound.decimal) for pattern in patterns]
        place = patterns.index
        self._triples = [
            (place(each.subject), place(each.predicate), place(each.object), each.needs)
            for each in bound.patterns
        ]
        self._time = _time_reader(bound.time)

    def read(self, record: Record, row: int, kind: TimeKind | None) -> tuple[TimePoint, list[Triple]] | None:
        """Return the time and the triples of a record; None if the fast path does not support the record.

        Args:
            row: the number of the record.
            kind: the required kind of the time; None for any kind.
        """
        cells: dict[str, Values] = {ROW: ((str(row), INTEGER),)}
        for name, read in self._members:
            values = read(record)
            if values is None:
                return None
            cells[name] = values
        at = self._time(cells, kind)
        if at is None:
            return None
        made: list[Sequence[Term]] = []
        for make in self._terms:
            terms = make(cells)
            if terms is None:
                return None
            made.append(terms)
        triples: list[Triple] = []
        for subject, predicate, object_, needs in self._triples:
            if needs and not all(cells[name] for name in needs):
                continue
            subjects, predicates, objects = made[subject], made[predicate], made[object_]
            if len(subjects) == len(predicates) == len(objects) == 1:
                triples.append((subjects[0], predicates[0], objects[0]))
            else:
                triples += product(subjects, predicates, objects)
        return at, triples


# values


def _reader(
    name: str, nulls: frozenset[str], value_of: Callable[[object], Value | None]
) -> Callable[[Record], Values | None]:
    """Compile the reading of a member: a function from a record to the member's values.

    The function returns None for values that `map_rows` may refuse.
    """
    inner = member(name) if "." in name else None

    def read(record: Record) -> Values | None:
        value = record.get(name) if inner is None else inner((record,))[0]  # type: ignore[arg-type]
        if type(value) is str and value.isascii():
            return () if value in nulls else ((value, TEXT),)
        if value is None:
            return ()
        if isinstance(value, list | tuple):
            found = [value_of(each) for each in value if each is not None]
            return None if None in found else [each for each in found if each and each[0] not in nulls]
        one = value_of(value)
        if one is None:
            return None
        return () if one[0] in nulls else (one,)

    return read


def value_in_text(value: object) -> Value | None:
    """Return the text and kind of a value decoded by `DECODER`; None for an object or array."""
    return _number(value.decode()) if isinstance(value, bytes) else value_of(value)


def value_of(value: object) -> Value | None:
    """Return the text of a Python value and its kind in JSON; None if JSON has no scalar for its type.

    >>> value_of(21.5), value_of(True), value_of([1])
    (('21.5', 2), ('true', 4), None)
    """
    kind = type(value)
    if kind is str:
        text = str(value)
        return (text, TEXT) if is_unicode(text) else None
    if kind is float:
        return _number(repr(value))
    if kind is bool:
        return ("true" if value else "false"), BOOLEAN
    if isinstance(value, int) and kind is int:
        # Python limits str() of an int to some thousand digits, but not str() of a Decimal.
        return str(value if value.bit_length() < _MOST_BITS else Decimal(value)), INTEGER
    return _number(str(value)) if kind is Decimal else None


_MOST_BITS = 2_000


def _number(text: str) -> Value:
    if _INTEGER.fullmatch(text):
        return text, INTEGER
    if text[-1].isdigit():
        return text, DECIMAL
    return NOT_FINITE.get(text, text), DOUBLE


# terms


def _maker(pattern: TermTemplate, decimal: str) -> Callable[[Mapping[str, Values]], Sequence[Term] | None]:
    """Compile a term template: a function from a record's values to the terms of the template.

    The function returns None if `map_rows` may refuse one of the terms.
    """
    texts, columns = pattern.template.texts, pattern.template.columns
    literal = _literals(pattern, decimal)
    write: Callable[[str, int], Term | None] = literal if pattern.kind is TermKind.LITERAL else _iris(pattern)
    if not columns:
        constant = write(texts[0], TEXT)
        return lambda cells: None if constant is None else (constant,)
    if pattern.template.is_whole:
        (name,) = columns

        def whole(cells: Mapping[str, Values]) -> Sequence[Term] | None:
            values = cells[name]
            if len(values) == 1:
                term = write(*values[0])
                return None if term is None else (term,)
            terms = [write(*value) for value in values]
            return None if None in terms else terms  # type: ignore[return-value]

        return whole
    encode: Callable[[str], str] = encoded if pattern.kind is TermKind.IRI else str
    distinct = tuple(dict.fromkeys(columns))
    places = [distinct.index(column) for column in columns]

    known: dict[tuple[Value, ...], Term | None] = {}

    def one(values: tuple[Value, ...]) -> Term | None:
        if values not in known:
            if len(known) > _KEPT:
                known.clear()
            pieces = [texts[0]]
            for place, text in zip(places, texts[1:], strict=True):
                pieces += (encode(values[place][0]), text)
            known[values] = write("".join(pieces), TEXT)
        return known[values]

    def joined(cells: Mapping[str, Values]) -> Sequence[Term] | None:
        terms = [one(values) for values in product(*[cells[name] for name in distinct])]
        return None if None in terms else terms  # type: ignore[return-value]

    return joined


def _iris(pattern: TermTemplate) -> Callable[[str, int], Term | None]:
    known: dict[str, Term] = {}
    is_whole = pattern.kind is TermKind.WHOLE_IRI
    is_encoded = pattern.template.is_whole and pattern.kind is TermKind.IRI

    def write(text: str, kind: int) -> Term | None:
        term = known.get(text)
        if term is None:
            if is_whole and not _WHOLE_IRI.fullmatch(text):
                return None
            if len(known) > _KEPT:
                known.clear()
            term = known[text] = parse_term(f"<{encoded(text) if is_encoded else text}>")
        return term

    return write


def _literals(pattern: TermTemplate, decimal: str) -> Callable[[str, int], Term | None]:
    known: list[dict[str, Term]] = [{} for _ in _DATATYPES]

    def write(text: str, kind: int) -> Term | None:
        term = known[kind].get(text)
        if term is None:
            written = _written(pattern, text, kind, decimal)
            if written is None:
                return None
            if len(known[kind]) > _KEPT:
                known[kind].clear()
            term = known[kind][text] = parse_term(written)
        return term

    return write


def _written(pattern: TermTemplate, text: str, kind: int, decimal: str) -> str | None:
    """Return a literal in N-Triples syntax; None if the literal may be ill-typed."""
    if pattern.language is not None:
        return f'"{text.translate(_ESCAPES)}"@{pattern.language}'
    datatype = pattern.datatype or _DATATYPES[kind]
    if datatype in TEXTS:
        if datatype not in (None, XSD.string) and is_ill_typed(value_key(text, datatype)):
            return None
    else:
        assert datatype is not None
        lexical = _lexical(datatype, text, kind, decimal)
        if lexical is None or not _is_well_typed(lexical, datatype):
            return None
        text = lexical
    return f'"{text.translate(_ESCAPES)}"{suffix_of(datatype)}'


def _lexical(datatype: URIRef, text: str, kind: int, decimal: str) -> str | None:
    if not text.isascii() or text != text.strip() or (kind == TEXT and decimal != "."):
        return None
    if datatype not in NUMBERS:
        return text.lower() if datatype == XSD.boolean else text
    if kind in (DECIMAL, DOUBLE) and datatype not in (XSD.double, XSD.float):
        is_plain = _INTEGER.fullmatch(text) if datatype in INTEGER_BOUNDS else "e" not in text.lower()
        return text if is_plain else plain_number(text)
    return text


def _is_well_typed(text: str, datatype: URIRef) -> bool:
    form = _FORM.get(XSD.integer if datatype in INTEGER_BOUNDS else datatype)
    if form is None or INTEGER_BOUNDS.get(datatype, (None, None)) != (None, None):
        return not is_ill_typed(value_key(text, datatype))
    return form.fullmatch(text) is not None


# times


def _time_reader(time: RowTime) -> Callable[[Mapping[str, Values], TimeKind | None], TimePoint | None]:
    """Compile the reading of a record's time; the function returns None for times that `map_rows` must
    read.
    """
    texts, columns = time.template.texts, time.template.columns
    read = _instants(time) if time.unit is None else _amounts(time)

    def at(cells: Mapping[str, Values], kind: TimeKind | None) -> TimePoint | None:
        pieces = [texts[0]]
        for column, text in zip(columns, texts[1:], strict=True):
            values = cells[column]
            if len(values) != 1:
                return None
            pieces += (values[0][0], text)
        return read("".join(pieces), kind)

    return at


def _instants(time: RowTime) -> Callable[[str, TimeKind | None], TimePoint | None]:
    zone = None if time.zone is None else zone_named(time.zone)

    def read(text: str, kind: TimeKind | None) -> TimePoint | None:
        try:
            if time.format is None:
                at, is_cut = read_iso(text)
            else:
                at, is_cut = datetime.strptime(text, time.format), False
        except (ValueError, OverflowError):
            return None
        if is_cut or at.year not in _SURE:
            return None
        if at.tzinfo is None:
            if zone is None:
                return None
            at = at.replace(tzinfo=zone)
            offset = at.utcoffset()
            if offset is None or offset != at.replace(fold=1).utcoffset():
                return None
            return at.replace(tzinfo=timezone(offset))
        if zone is None:
            return at.astimezone(UTC)
        shown = at.astimezone(zone)
        offset = shown.utcoffset()
        return None if offset is None else shown.replace(tzinfo=timezone(offset), fold=0)

    return read


def _amounts(time: RowTime) -> Callable[[str, TimeKind | None], TimePoint | None]:
    assert time.unit is not None
    per_second, zone = UNITS[time.unit], time.zone

    def read(text: str, kind: TimeKind | None) -> TimePoint | None:
        if not _AMOUNT.fullmatch(text) or zone is not None:
            return None
        if time.unit in ("number", "float"):
            if time.unit == "float" or kind is TimeKind.FLOAT or not _INTEGER.fullmatch(text):
                return None
            return int(text)
        whole, _, fraction = text.partition(".")
        amount, scale = int(whole + fraction) * 10**6, per_second * 10 ** len(fraction)
        if amount % scale:
            return None
        at = amount // scale
        return EPOCH + at * MICROSECOND if 0 <= at < _LATEST else None

    return read


_LATEST = 4 * 10**15  # microseconds since 1970
