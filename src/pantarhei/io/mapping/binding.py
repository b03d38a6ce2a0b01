"""A mapping for a table whose columns are known: melted columns are taken one by one, and all are there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from urllib.parse import quote

from pantarhei.errors import MappingError
from pantarhei.io.mapping.advice import on_column
from pantarhei.io.mapping.iri import iri
from pantarhei.io.mapping.mapping import (
    ROW,
    Kind,
    Melt,
    RecordMapping,
    RowTime,
    Template,
    TermPattern,
    TriplePattern,
)

_MOST_SHOWN = 30


@dataclass(frozen=True, slots=True)
class BoundMapping:
    """What is made of a row of a certain table.

    Args:
        time: where its time is.
        patterns: its triples, in their order.
        columns: the table's columns that play a part, and the lines on which the mapping refers to them.
        nulls: the texts of cells that have no value.
        decimal: the mark before decimals.
    """

    time: RowTime
    patterns: tuple[TriplePattern, ...]
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
    """Fit the mapping to a table with these columns.

    Args:
        table: what errors call it.
        is_text: whether it is text, taken apart at a delimiter.
        elsewhere: other columns, without values here; None for any, where each row has columns of its own.

    Raises:
        MappingError: a column that it refers to is missing, or there twice.
    """
    melted = list(_melted(mapping, columns, table, elsewhere))
    patterns = tuple(pattern for group in mapping.groups for pattern in _patterns(group, mapping, melted))
    melt = mapping.melt
    if melted and melt is not None and not any(pattern.needs for pattern in patterns):
        expected = f"a mapping that refers to $({melt.value}), the value of a melted column"
        raise MappingError(
            mapping.source, melt.line, "columns are melted, and nothing is made of them", expected
        )
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
    shown = ", ".join(columns[:_MOST_SHOWN]) + (", …" if len(columns) > _MOST_SHOWN else "")
    if found:
        problem = f"{table} has {found} columns {column}"
        raise MappingError(
            mapping.source,
            line,
            problem,
            "one of that name, since the mapping refers to it; rename the others",
        )
    if not columns:
        raise MappingError(mapping.source, line, f"{table} has no columns", f"a column {column}")
    hint = on_column(column, columns, is_text)
    raise MappingError(mapping.source, line, f"{table} has no column {column}", f"one of {shown}{hint}")


@dataclass(frozen=True, slots=True)
class _Melted:
    """A melted column with what is known of it: texts by the names of columns that there seem to be."""

    column: str
    data: dict[str, str]


def _melted(
    mapping: RecordMapping, columns: Sequence[str], table: str, elsewhere: Collection[str] | None
) -> Iterator[_Melted]:
    """The melted columns, each once, with the first that is said of it."""
    melt, seen = mapping.melt, set[str]()
    for name, data in ({} if melt is None else melt.columns).items():
        found = _matching(name, columns)
        if not found and elsewhere is not None and not _matching(name, elsewhere):
            shown = ", ".join(columns[:_MOST_SHOWN])
            problem = f"{table} has no column like {name}"
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
    group: tuple[TriplePattern, ...], mapping: RecordMapping, melted: Sequence[_Melted]
) -> Iterator[TriplePattern]:
    """The patterns of a group: those of melted rows once for each melted column, in the table's order."""
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
                yield TriplePattern(subject, predicate, object_, (each.column,))


def _of_melted(term: TermPattern, melted: _Melted, mapping: RecordMapping, melt: Melt) -> TermPattern:
    """A term of a melted row as one of the row that there is."""

    def fill(name: str) -> Template:
        if name == melt.value:
            return Template(("", ""), (melted.column,))
        text = melted.column if name == melt.variable else melted.data.get(name)
        if text is None:
            return Template(("", ""), (name,))
        return Template((quote(text, safe="~") if term.kind is Kind.IRI else text,))

    template = term.template.filled(fill)
    if term.kind is Kind.WHOLE_IRI and not template.columns:
        text = iri(template.texts[0], mapping.prefixes, mapping.source, term.line)
        return replace(term, template=Template((text,)), kind=Kind.IRI)
    return replace(term, template=template)
