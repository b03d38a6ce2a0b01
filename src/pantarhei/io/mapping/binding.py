"""Binding of a mapping to the columns of a table, and hints for errors in columns and values.

Templates that refer to melted columns are expanded to one template for each melted column.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from urllib.parse import quote

from rdflib import XSD, URIRef

from pantarhei.errors import MappingError
from pantarhei.io.mapping.record_mapping import (
    NULLS,
    ROW,
    Melt,
    RecordMapping,
    RowTime,
    TermKind,
    TermTemplate,
    TextTemplate,
    TripleTemplate,
    iri,
)
from pantarhei.model.message_text import did_you_mean, one_line
from pantarhei.values.value import INTEGER_BOUNDS

_DECIMALS = re.compile(r"[+-]?\d+[.,]\d+")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}([.,' \u00a0\u202f])\d{3}(\1\d{3})*([.,]\d+)?")
_EXPONENT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)[eE][+-]?\d+")
_WITH_UNIT = re.compile(r"[+-]?\d+([.,]\d+)?\s*([^\d\s.,+-]\S{0,9})")
_EXAMPLES = {
    XSD.date: "2026-01-31",
    XSD.time: "10:00:00",
    XSD.dateTime: "2026-01-31T10:00:00Z",
    XSD.dateTimeStamp: "2026-01-31T10:00:00Z",
    XSD.gYear: "2026",
    XSD.gYearMonth: "2026-01",
    XSD.boolean: "true, false, 1 or 0",
}
_NUMBERS = frozenset({*INTEGER_BOUNDS, XSD.decimal, XSD.double, XSD.float})
_HEADERLESS = re.compile(r"\s*[+-]?\d+([.,:/ T-]+\d+)*Z?\s*")


def value_hint(text: str, datatype: URIRef, decimal: str) -> str:
    """Return a hint for a text outside the lexical space of a datatype.

    Args:
        decimal: the decimal mark of the mapping.

    >>> value_hint("1,5", XSD.decimal, ".")
    '; if , is the decimal mark, set decimal: "," in the mapping'
    >>> value_hint("many", XSD.integer, ".")
    ', the datatype in the mapping'
    """
    stripped = text.strip()
    if stripped.casefold() in NULLS or stripped.startswith("#"):
        nulls = json.dumps(["", text], ensure_ascii=False)
        return f"; if it means no value, set null: {nulls} in the mapping"
    if datatype in _NUMBERS and (hint := _number_hint(stripped, datatype, decimal)):
        return hint
    example = _EXAMPLES.get(datatype)
    return f"; expected {example}" if example else ", the datatype in the mapping"


def _number_hint(text: str, datatype: URIRef, decimal: str) -> str:
    other = "," if decimal == "." else "."
    is_whole = datatype in INTEGER_BOUNDS
    if (found := _THOUSANDS.fullmatch(text)) and (found[3] or found[2] or is_whole or found[1] not in ".,"):
        return "; remove the thousands separators"
    if _DECIMALS.fullmatch(text):
        if is_whole:
            return "; for a number with decimals, use the datatype xsd:decimal in the mapping"
        return f'; if {other} is the decimal mark, set decimal: "{other}" in the mapping'
    if _EXPONENT.fullmatch(text):
        return "; for a number with an exponent, use the datatype xsd:double in the mapping"
    if found := _WITH_UNIT.fullmatch(text):
        return f"; the cell must contain only the number: remove {found[2]}"
    return ""


def column_hint(column: str, columns: Sequence[str], is_text: bool) -> str:
    """Return a hint for a column that a mapping refers to and a table lacks.

    Args:
        columns: the columns of the table.
        is_text: whether the table is delimited text (CSV or TSV).

    >>> column_hint("time", ["at;garage"], True)
    '; the delimiter seems to be ";": set delimiter: ";"'
    >>> column_hint("id", ["time", " id"], True)
    '; the name " id" has spaces around it: write $( id)'
    """
    if any(each.startswith("__index_level_") for each in columns):
        return "; the frame's index has no name: frame.rename_axis(…) gives it one"
    spaced = next((each for each in columns if each != column and each.strip() == column.strip()), None)
    if spaced is not None:
        return f'; the name "{spaced}" has spaces around it: write {column_reference(spaced)}'
    if is_text and (hint := _first_line_hint(columns)):
        return hint
    if inner := [each for each in columns if each.endswith(f".{column}")]:
        return f" (did you mean {column_reference(inner[0])}?)"
    if near := did_you_mean(column, columns):
        return near
    longer = [each for each in columns if each.casefold().startswith(f"{column.casefold()} ")]
    return f" (did you mean {column_reference(longer[0])}?)" if longer else ""


def _first_line_hint(columns: Sequence[str]) -> str:
    """Return a hint for delimited text whose first line does not seem to be a header."""
    first = columns[0].lstrip()
    if first.startswith(("[", "{")):
        return '; it looks like JSON: JSON lines are read as format "jsonl", an object on each line'
    if len(columns) == 1:
        other = next((each for each in ";\t,|" if each in first), None)
        if other is not None:
            name = "tab" if other == "\t" else f'"{other}"'
            return f"; the delimiter seems to be {name}: set delimiter: {name}"
    if len(columns) == 1 or first.startswith(("#", "//")):
        return "; the first line must have the names: remove the lines before it"
    if any(map(_HEADERLESS.fullmatch, columns)):
        return "; the first line looks like a row: insert a line with the names of columns before it"
    return ""


def time_hint(text: str, columns: Sequence[str]) -> str:
    """Return a hint for a text that is not a time.

    Args:
        columns: the columns that the mapping composes the time from.

    >>> time_hint("10:00", ["clock"])
    'a time of day alone; if the day is in another column, set value: $(day)T$(clock) in the mapping'
    """
    if text in columns:
        return "the names of columns a second time; remove this line"
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?", text):
        value = f"$(day)T{column_reference(columns[0])}"
        return f"a time of day alone; if the day is in another column, set value: {value} in the mapping"
    form = "%Y-%m-%d %I:%M %p" if re.search(r"[AaPp]\.?[Mm]\.?$", text) else "%d.%m.%Y %H:%M"
    return (
        f"expected an ISO 8601 time such as 2026-01-31T10:00:00Z, or a format: in the mapping such as {form}"
    )


def column_reference(column: str) -> str:
    """Return the reference to a column as it is written in a mapping.

    >>> column_reference("speed (km/h)")
    '$(speed \\\\(km/h\\\\))'
    """
    return "$(" + re.sub(r"([()\\])", r"\\\1", column) + ")"


_MOST_SHOWN = 30


@dataclass(frozen=True, slots=True)
class BoundMapping:
    """Mapping of the rows of one table, whose columns are known.

    Args:
        time: columns and form of a row's time.
        patterns: templates of a row's triples, in order.
        columns: the columns used by the mapping, each with the line of its first reference.
        nulls: texts of cells that stand for no value.
        decimal: the decimal mark.
    """

    time: RowTime
    patterns: tuple[TripleTemplate, ...]
    columns: Mapping[str, int | None]
    nulls: frozenset[str]
    decimal: str


def bind(
    mapping: RecordMapping,
    columns: Sequence[str],
    table: str,
    is_text: bool = False,
    elsewhere: Collection[str] | None = (),
) -> BoundMapping:
    """Bind the mapping to a table with these columns.

    Args:
        table: the table's name in errors.
        is_text: whether the table is delimited text (CSV or TSV).
        elsewhere: columns of other tables of the same source, which are empty in this table; None to accept
            any column, for JSON objects, of which each has its own members.

    Raises:
        MappingError: a referenced column is missing or ambiguous.
    """
    melted = list(_melted(mapping, columns, table, elsewhere))
    patterns = tuple(pattern for group in mapping.groups for pattern in _patterns(group, mapping, melted))
    melt = mapping.melt
    if melted and melt is not None and not any(pattern.needs for pattern in patterns):
        expected = f"a reference to $({melt.value}), the value of a melted column"
        raise MappingError(mapping.source, melt.line, "no mapping uses the melted columns", expected)
    needed: dict[str, int | None] = dict.fromkeys(mapping.time.template.columns, mapping.time.line)
    for pattern in patterns:
        for column, line in pattern.columns:
            needed.setdefault(column, line)
    for column, line in needed.items():
        is_elsewhere = column not in columns and (elsewhere is None or column in elsewhere)
        if not is_elsewhere and (column != ROW or ROW in columns):
            _check_column(mapping, column, columns, table, line, is_text)
    used = {column: line for column, line in needed.items() if column != ROW or ROW in columns}
    return BoundMapping(mapping.time, patterns, used, mapping.nulls, mapping.decimal)


def _check_column(
    mapping: RecordMapping, column: str, columns: Sequence[str], table: str, line: int | None, is_text: bool
) -> None:
    found = Counter(columns)[column]
    if found == 1:
        return
    names = ", ".join(map(_printable, columns[:_MOST_SHOWN]))
    shown = f"one of {names}{', …' if len(columns) > _MOST_SHOWN else ''}"
    if found:
        problem = f"{table} has {found} columns with the name {column}"
        raise MappingError(
            mapping.source,
            line,
            problem,
            "one, since the mapping refers to it; rename the others",
        )
    if not columns:
        raise MappingError(mapping.source, line, f"{table} has no columns", f"a column {column}")
    hint = column_hint(column, columns, is_text)
    raise MappingError(mapping.source, line, f"{table} has no column {column}", f"{shown}{hint}")


def _printable(name: str) -> str:
    return name if name.isprintable() else one_line(name)


@dataclass(frozen=True, slots=True)
class _Melted:
    """Melted column, with the mapping's constants for it by the name of their virtual column."""

    column: str
    data: dict[str, str]


def _melted(
    mapping: RecordMapping, columns: Sequence[str], table: str, elsewhere: Collection[str] | None
) -> Iterator[_Melted]:
    """Yield each melted column once; if several entries of `melt` match it, the first one has its
    constants.
    """
    melt, seen = mapping.melt, set[str]()
    for name, data in ({} if melt is None else melt.columns).items():
        found = _matching(name, columns)
        if not found and elsewhere is not None and not _matching(name, elsewhere):
            shown = ", ".join(map(_printable, columns[:_MOST_SHOWN]))
            problem = f"{table} has no column that matches {name}"
            raise MappingError(
                mapping.source, None if melt is None else melt.line, problem, f"some of {shown}"
            )
        for column in found:
            if column not in seen:
                seen.add(column)
                yield _Melted(column, dict(data))


def _matching(name: str, columns: Collection[str]) -> list[str]:
    return [column for column in columns if fnmatchcase(column, name)] if "*" in name else [name]


def _patterns(
    group: tuple[TripleTemplate, ...], mapping: RecordMapping, melted: Sequence[_Melted]
) -> Iterator[TripleTemplate]:
    """Yield the templates of one group of a mapping, bound to columns of the table.

    Templates without virtual columns come first; the others follow once for each melted column, in table
    order.
    """
    melt = mapping.melt
    if melt is None:
        yield from group
        return
    special = {melt.variable, melt.value, *(name for each in melted for name in each.data)}
    of_melted = [any(column in special for column, _ in pattern.columns) for pattern in group]
    yield from (pattern for pattern, is_melted in zip(group, of_melted, strict=True) if not is_melted)
    for each in melted:
        for pattern, is_melted in zip(group, of_melted, strict=True):
            if is_melted:
                subject, predicate, object_ = (
                    _of_melted(term, each, mapping, melt) for term in pattern.terms
                )
                yield TripleTemplate(subject, predicate, object_, (each.column,))


def _of_melted(term: TermTemplate, melted: _Melted, mapping: RecordMapping, melt: Melt) -> TermTemplate:
    """Replace the virtual columns in a template by the melted column, its name and its constants."""

    def fill(name: str) -> TextTemplate:
        if name == melt.value:
            return TextTemplate(("", ""), (melted.column,))
        text = melted.column if name == melt.variable else melted.data.get(name)
        if text is None:
            return TextTemplate(("", ""), (name,))
        return TextTemplate((quote(text, safe="~") if term.kind is TermKind.IRI else text,))

    template = term.template.filled(fill)
    if term.kind is TermKind.WHOLE_IRI and not template.columns:
        text = iri(template.texts[0], mapping.prefixes, mapping.source, term.line)
        return replace(term, template=TextTemplate((text,)), kind=TermKind.IRI)
    return replace(term, template=template)
