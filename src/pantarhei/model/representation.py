"""Representations of values: one short line for consoles, and HTML for notebooks.

`short_repr` is the `__repr__`, and `html_of` the `_repr_html_`, of public values. A line computes and decodes
nothing, and has the first three members of a collection. A table has the first ten rows, and decodes the
parts of the value. Both have the number of all members. The HTML has neither scripts nor colours and loads
nothing, so that the theme of the page applies. All texts are escaped.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set, Sized
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from html import escape
from itertools import islice
from typing import Any, TypeGuard, cast

from rdflib import XSD, BNode, Literal, URIRef, Variable

from pantarhei.model.labels import NO_LABELS, LabelledNames, Labels
from pantarhei.model.message_text import counted, disambiguate, one_line
from pantarhei.model.term import Term, Triple, in_order, short
from pantarhei.model.time import TimePoint, show_time

WIDTH = 120
"""Number of characters of a short representation, if no single part is longer."""
ROWS = 10
"""Number of rows of a table in HTML."""
_MEMBERS, _PART, _CELL, _LINES, _OPEN = 3, 40, 300, 40, 5
# Sizes of the largest sets that are sorted; larger ones are shown in their own order.
_SORTED, _SORTED_IN_HTML = 100, 10_000
_TERMS = (URIRef, BNode, Literal)
_SCALARS = (*_TERMS, Variable, str, int, float, Decimal, date, timedelta, Enum, type(None))


def short_repr(value: Any) -> str:
    """Return a line with the type and the public fields of a dataclass or named tuple.

    Fields that are empty by default are left out, and further ones once the line is full.
    """
    return call_text(value, (f"{name}={in_short(part)}" for name, part in _shown_fields(value).items()))


def text_repr(value: object) -> str:
    """Return a line with the type and the text of a value."""
    return call_text(value, [one_line(str(value), WIDTH)])


def call_text(value: object, parts: Iterable[str]) -> str:
    """Return `Type(part, part, …)`, cut to a line.

    >>> call_text(3, ["first", "second " * 30, "third"])
    'int(first, …)'
    """
    text = ""
    for part in parts:
        further = f"{text}, {part}" if text else part
        if text and len(further) > WIDTH:
            text += ", …"
            break
        text = further
    return f"{type(value).__name__}({text})"


def in_short(value: Any) -> str:
    """Return a value in a few words: terms by their last parts, three members of a collection.

    >>> in_short(URIRef("http://example.org/Hall")), in_short(["a", "b", "c", "d", "e"])
    ('Hall', "['a', 'b', 'c', … 5 in all]")
    """
    if type(value).__module__.startswith("pantarhei.") and not isinstance(value, Enum):
        return one_line(repr(value), WIDTH // 2)
    match value:
        case URIRef() | BNode() | Literal() | Variable():
            return term_in_short(value)
        case str():
            return repr(value if len(value) <= _PART else f"{value[:_PART]}…")
        case datetime() | int():
            return show_time(value)
        case Enum():
            return value.name
        case tuple() if is_triple(value):
            return " ".join(map(term_in_short, value))
        case tuple() if is_assertion(value):
            return f"{in_short(value[1])} ({in_short(value[0])})"
        case Mapping() | Sequence() | Set():
            begin, end = _BRACKETS.get(type(value), ("{", "}"))
            return f"{begin}{members_in_short(value)}{end}"
    if isinstance(value, _SCALARS):
        return repr(value)
    size = f" of {len(value):,}" if isinstance(value, Sized) else ""
    return f"<{getattr(value, '__name__', type(value).__name__)}{size}>"


_BRACKETS: Mapping[type, tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]")}


def members_in_short(given: Collection[Any]) -> str:
    """Return the first members of a collection that fit, and the number of all; the number alone for members
    other than terms, triples and scalars.
    """
    first = first_members(given, _MEMBERS, _SORTED)
    values = [given[key] for key in first] if isinstance(given, Mapping) else []
    if not all(map(_is_short, (*first, *values))):
        return f"{len(given):,} {type((values or first)[0]).__name__}"
    texts = list(map(in_short, first))
    if values:
        texts = [f"{key}: {in_short(each)}" for key, each in zip(texts, values, strict=True)]
    while len(texts) > 1 and sum(map(len, texts)) > _MEMBERS * _PART / 2:
        texts.pop()
    if len(texts) < len(given):
        texts.append(f"… {len(given):,} in all")
    return ", ".join(texts) + "," * (type(given) is tuple and len(given) == 1)


def _is_short(value: object) -> bool:
    return isinstance(value, _SCALARS) or is_triple(value) or is_assertion(value)


def first_members(given: Collection[Any], most: int, longest: int = _SORTED_IN_HTML) -> list[Any]:
    """Return the first members of a collection; a set that is not large is sorted by its texts first."""
    if isinstance(given, Set) and len(given) <= longest:
        members = list(given)
        return (in_order(members) if all(map(is_triple, members)) else sorted(members, key=str))[:most]
    return list(islice(given, most))


def is_triple(value: object) -> TypeGuard[Triple]:
    """Return whether a value is a tuple of three RDF terms."""
    return type(value) is tuple and len(value) == 3 and all(isinstance(each, _TERMS) for each in value)


def is_assertion(value: object) -> TypeGuard[tuple[TimePoint, Triple]]:
    """Return whether a value is a pair of a timestamp and a triple."""
    return type(value) is tuple and len(value) == 2 and is_triple(value[1])


def term_in_short(term: Term | Variable) -> str:
    """Return the last part of an IRI, the value of a number or time, and other literals in quotes.

    >>> term_in_short(Literal("21.50", datatype=XSD.decimal)), term_in_short(Literal("a wall", lang="en"))
    ('21.50', '"a wall"@en')
    """
    if not isinstance(term, Literal):
        return one_line(short(term), _PART)
    text = one_line(term, _PART)
    if term.language is not None:
        return f'"{text}"@{term.language}'
    return f'"{text}"' if term.datatype in (None, XSD.string) else text


# -- HTML ------------------------------------------------------------------------------------------


def html_of(value: Any, labels: Callable[[], Labels] | None = None) -> str:
    """Return a value as HTML: its type, its text if that is a line, and its parts.

    The parts are the fields of a dataclass or named tuple, or the result of the method `_shown_parts`.

    Args:
        labels: returns the names shown for IRIs; by default the value's attribute `labels`, if it has one.
    """
    write: Callable[[], Mapping[str, object]] | None = getattr(value, "_shown_parts", None)
    parts = _shown_fields(value) if write is None else write()
    has_fields = cast(object, type(value).__repr__) is short_repr or hasattr(value, "_fields")
    heading = type(value).__name__ if has_fields else repr(value)
    text = str(value) if write is None and _has_text(type(value)) else ""

    def written() -> str:
        sentence = f"<div>{escape(one_line(text, _CELL))}</div>" if text and "\n" not in text else ""
        return panel(heading, sentence, _parts_in_html(parts))

    def known() -> Labels:
        return getattr(value, "labels", NO_LABELS) if labels is None else labels()

    return disambiguate(written, LabelledNames(labels=known))


def panel(heading: str, *contents: str) -> str:
    """Return a block with a heading (a text) above contents (HTML)."""
    name, bracket, further = heading.partition("(")
    title = f"<strong>{escape(name)}</strong>{escape(bracket + further)}"
    return f"{_PANEL}<div>{title}</div>{''.join(contents)}</div>"


def folded(summary: str, content: str, is_open: bool = False) -> str:
    """Return HTML that is shown when its summary (a text) is clicked."""
    return f"<details{' open' * is_open}><summary>{escape(summary)}</summary>{content}</details>"


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], count: int, most: int = ROWS, noun: str = "row"
) -> str:
    """Return the first rows as an HTML table, and the number of the others.

    Args:
        columns: the texts of the header; empty for a table without a header.
        rows: the values of each row; only the first `most` rows are read.
        count: the number of all rows.
        most: the number of rows shown.
        noun: a row, in words.
    """
    head = "".join(f"<th {_LEFT}>{escape(one_line(column))}</th>" for column in columns)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in islice(rows, most))
    more = f"<div><em>and {count - most:,} more of {counted(count, noun)}</em></div>" if count > most else ""
    header = f"<thead><tr>{head}</tr></thead>" if columns else ""
    return f"<table {_UNMOVED}>{header}<tbody>{body}</tbody></table>{more}"


def _cell(value: object) -> str:
    number = value.value if isinstance(value, Literal) else value
    is_number = isinstance(number, int | float | Decimal) and not isinstance(number, bool)
    return f"<td {_RIGHT if is_number else _LEFT}>{_in_html(value)}</td>"


def _in_html(value: Any) -> str:
    """Return a value as HTML for a line of text."""
    if isinstance(value, _TERMS):
        shown, details = term_in_short(value), str(value)
        if isinstance(value, Literal):
            shown, details = one_line(value, _CELL), value.language or value.datatype or "a string"
        return f'<span title="{escape(one_line(details, _CELL))}">{escape(shown)}</span>'
    if is_triple(value):
        return " ".join(map(_in_html, value))
    if is_assertion(value):
        return f"{_in_html(value[1])} ({_in_html(value[0])})"
    if _is_collection(value):
        first = first_members(value, _MEMBERS)
        texts = list(map(_in_html, first))
        if isinstance(value, Mapping):
            texts = [f"{text}: {_in_html(value[key])}" for text, key in zip(texts, first, strict=True)]
        if len(value) > len(first):
            texts.append(f"and {len(value) - len(first):,} more")
        return ("<br>" if any(map(is_triple, first)) else ", ").join(texts) or "none"
    if isinstance(value, str | timedelta) or _has_text(type(value)):
        text = str(value)
        if "\n" in text and hasattr(value, "_repr_html_"):
            return folded(one_line(text.partition("\n")[0], WIDTH), _without_heading(value))
        return escape(one_line(text, _CELL))
    return "" if value is None else escape(in_short(value))


def _is_collection(value: object) -> TypeGuard[Collection[Any]]:
    """Return whether a value is a collection without a representation of its own."""
    has_own = isinstance(value, str | bytes) or hasattr(value, "_fields") or hasattr(value, "_repr_html_")
    return isinstance(value, Mapping | Sequence | Set) and not has_own


def _has_text(type_: type) -> bool:
    """Return whether a type of this package has a text of its own."""
    general: tuple[object, ...] = (object.__str__, Enum.__str__)
    return type_.__module__.startswith("pantarhei.") and type_.__str__ not in general


def members_table(given: Collection[Any]) -> str:
    """Return the first members of a collection as a table: triples, texts, or a column for each field."""
    first = first_members(given, ROWS)
    rows: Iterable[Sequence[object]] = ([each] for each in first)
    columns: Sequence[str] = ()
    kinds = {type(each) for each in first}
    if isinstance(given, Mapping):
        rows = [(key, given[key]) for key in first]
    elif all(map(is_triple, first)):
        columns, rows = _TRIPLE, first
    elif all(map(is_assertion, first)):
        columns, rows = (*_TRIPLE, "at"), [(*triple, at) for at, triple in first]
    elif kinds == {tuple} and len(set(map(len, first))) == 1:
        rows = first
    elif len(kinds) == 1 and not _has_text(kind := kinds.pop()) and (names := field_names(kind)):
        columns, rows = names, ([getattr(each, name) for name in names] for each in first)
    return table([column.replace("_", " ") for column in columns], rows, len(given))


_UNMOVED = 'style="margin-left:0"'  # notebooks move tables to the middle
_LEFT, _RIGHT = 'style="text-align:left"', 'style="text-align:right"'
_TRIPLE = ("subject", "predicate", "object")


def _parts_in_html(parts: Mapping[str, object]) -> str:
    """Return a table of the parts of one line, and below it all others, folded."""
    lines, others = [], []
    for name, part in parts.items():
        words = name.replace("_", " ")
        content = _content(part)
        if content is None:
            lines.append(f"<tr><th {_LEFT}>{escape(words)}</th><td {_LEFT}>{_in_html(part)}</td></tr>")
        elif _is_collection(part):
            others.append(folded(f"{words}: {len(part):,}", content, len(part) <= _OPEN))
        else:
            size = counted(part.count("\n") + 1, "line") if isinstance(part, str) else repr(part)
            others.append(folded(f"{words}: {size}", content, isinstance(part, str)))
    return (f"<table {_UNMOVED}><tbody>{''.join(lines)}</tbody></table>" if lines else "") + "".join(others)


def _content(part: Any) -> str | None:
    """Return the HTML of a part of more than one line; None if it has one line."""
    if isinstance(part, str) and "\n" in part:
        lines = part.split("\n")
        more = f"\nand {len(lines) - _LINES:,} more lines" * (len(lines) > _LINES)
        return f"<pre>{escape(chr(10).join(lines[:_LINES]) + more)}</pre>"
    if hasattr(part, "_repr_html_"):
        return _without_heading(part)
    if _is_collection(part) and not _is_short(part):
        members = (*part, *part.values()) if isinstance(part, Mapping) else part
        return members_table(part) if len(part) > 1 or not all(map(_is_short, members)) else None
    return None


def _without_heading(value: Any) -> str:
    """Return the HTML of a value below a summary, which has its heading already."""
    html = cast("str", value._repr_html_())
    return f"{_PANEL}{html.partition('</div>')[2]}" if html.startswith(f"{_PANEL}<div>") else html


_PANEL = '<div class="pantarhei">'


def field_names(type_: type) -> tuple[str, ...]:
    """Return the names of the public fields of a dataclass or named tuple; empty for other types."""
    if is_dataclass(type_):
        return tuple(each.name for each in fields(type_) if not each.name.startswith("_"))
    return getattr(type_, "_fields", ())


def _shown_fields(value: Any) -> dict[str, object]:
    """Return the shown fields of a value: all that are required, and the others that are not empty."""
    if is_dataclass(value):
        own = [each for each in fields(value) if each.repr and not each.name.startswith("_")]
        names = [each.name for each in own]
        required = {each.name for each in own if each.default is each.default_factory is MISSING}
    else:
        names, required = value._fields, set(value._fields) - set(value._field_defaults)
    found = {name: getattr(value, name) for name in names}
    return {name: part for name, part in found.items() if name in required or not _is_empty(part)}


def _is_empty(part: object) -> bool:
    return part is None or (isinstance(part, int | str | tuple | frozenset | dict) and not part)
