"""What whoever maps a table is advised to do: half sentences behind the message that says what is wrong."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from rdflib import XSD, URIRef

from pantarhei.io.mapping.mapping import NULLS
from pantarhei.model.messages import did_you_mean
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


def on_value(text: str, datatype: URIRef, decimal: str) -> str:
    """What to do about a text that a datatype has not.

    >>> on_value("1,5", XSD.decimal, ".")
    '; if , is the mark before decimals, the mapping has to say decimal: ","'
    >>> on_value("many", XSD.integer, ".")
    ', as the mapping says it is'
    """
    stripped = text.strip()
    if stripped.casefold() in NULLS or stripped.startswith("#"):
        nulls = json.dumps(["", text], ensure_ascii=False)
        return f"; if it stands for no value, the mapping has to say null: {nulls}"
    if datatype in _NUMBERS and (said := _on_number(stripped, datatype, decimal)):
        return said
    example = _EXAMPLES.get(datatype)
    return f"; expected {example}" if example else ", as the mapping says it is"


def _on_number(text: str, datatype: URIRef, decimal: str) -> str:
    other = "," if decimal == "." else "."
    is_whole = datatype in INTEGER_BOUNDS
    if (found := _THOUSANDS.fullmatch(text)) and (found[3] or found[2] or is_whole or found[1] not in ".,"):
        return "; thousands stand without a mark between them"
    if _DECIMALS.fullmatch(text):
        if is_whole:
            return "; a number with decimals is an xsd:decimal, and the mapping has to say so"
        return f'; if {other} is the mark before decimals, the mapping has to say decimal: "{other}"'
    if _EXPONENT.fullmatch(text):
        return "; a number with an exponent is an xsd:double, and the mapping has to say so"
    if found := _WITH_UNIT.fullmatch(text):
        return f"; a number stands alone in its cell: take {found[2]} out"
    return ""


def on_column(column: str, columns: Sequence[str], is_text: bool) -> str:
    """What to do about a column that a table has not.

    Args:
        columns: those that it has.
        is_text: whether the table is text, taken apart at a delimiter.

    >>> on_column("time", ["at;garage"], True)
    '; it looks as if cells were separated by ";": say delimiter: ";"'
    >>> on_column("id", ["time", " id"], True)
    '; the name " id" has spaces around it: write $( id)'
    """
    if any(each.startswith("__index_level_") for each in columns):
        return "; the frame's index has no name: frame.rename_axis(…) gives it one"
    spaced = next((each for each in columns if each != column and each.strip() == column.strip()), None)
    if spaced is not None:
        return f'; the name "{spaced}" has spaces around it: write {reference(spaced)}'
    if is_text and (said := _on_first_line(columns)):
        return said
    if inner := [each for each in columns if each.endswith(f".{column}")]:
        return f" (did you mean {reference(inner[0])}?)"
    if near := did_you_mean(column, columns):
        return near
    longer = [each for each in columns if each.casefold().startswith(f"{column.casefold()} ")]
    return f" (did you mean {reference(longer[0])}?)" if longer else ""


def _on_first_line(columns: Sequence[str]) -> str:
    """What to do where the first line has no names."""
    first = columns[0].lstrip()
    if first.startswith(("[", "{")):
        return '; it looks like JSON: JSON lines are read as format "jsonl", an object on each line'
    if len(columns) == 1:
        other = next((each for each in ";\t,|" if each in first), None)
        if other is not None:
            name = "tab" if other == "\t" else f'"{other}"'
            return f"; it looks as if cells were separated by {name}: say delimiter: {name}"
    if len(columns) == 1 or first.startswith(("#", "//")):
        return "; the first line has to have the names: take out what stands before it"
    if any(map(_HEADERLESS.fullmatch, columns)):
        return "; the first line looks like a row: write a line with the names of columns before it"
    return ""


def on_time(text: str, columns: Sequence[str]) -> str:
    """What to do about a text that is no time.

    Args:
        columns: those in which the time is.

    >>> on_time("10:00", ["clock"])
    'a time of day alone; where the day is in another column, the mapping has to say value: $(day)T$(clock)'
    """
    if text in columns:
        return "the names of columns a second time; take this line out"
    if re.fullmatch(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?", text):
        value = f"$(day)T{reference(columns[0])}"
        return (
            f"a time of day alone; where the day is in another column, the mapping has to say value: {value}"
        )
    form = "%Y-%m-%d %I:%M %p" if re.search(r"[AaPp]\.?[Mm]\.?$", text) else "%d.%m.%Y %H:%M"
    return (
        f"expected an ISO 8601 time such as 2026-01-31T10:00:00Z, or a format: in the mapping such as {form}"
    )


def reference(column: str) -> str:
    """How a mapping refers to a column.

    >>> reference("speed (km/h)")
    '$(speed \\\\(km/h\\\\))'
    """
    return "$(" + re.sub(r"([()\\])", r"\\\1", column) + ")"
