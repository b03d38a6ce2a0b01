"""Draft of a mapping, guessed from the first rows of a table."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from rdflib import XSD, URIRef

from pantarhei.io.mapping.binding import column_reference
from pantarhei.io.mapping.cell_columns import ColumnValues, column_values, is_readable
from pantarhei.io.mapping.json_cells import JSONColumns
from pantarhei.io.mapping.record_mapping import NULLS
from pantarhei.io.tables.csv_table import CSVTable
from pantarhei.io.tables.table_sources import sources_of
from pantarhei.model.datetimes import read_iso

_WHOLE, _REAL = re.compile(r"[+-]?\d+"), re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}([.,' \u00a0\u202f])\d{3}(\1\d{3})*")
_IRI = re.compile(r"(https?|urn):\S+")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?")
_TIME_NAMES = re.compile(r"time|date|zeit|datum|fecha|heure|\bts\b|^at$", re.IGNORECASE)
_NUMBER_NAMES = re.compile("at|ts|time|timestamp", re.IGNORECASE)
_ID_NAMES = re.compile(
    r"(^|[_\W])(id|key|code|nr|no|number|name|sensor|device|station|machine|node|room|garage|site|tag"
    r"|point|asset|meter|zone|bed|tank|pump|vehicle|user|person|patient|thing)s?$"
    r"|[a-z]I[Dd]$",
    re.IGNORECASE,
)
_FORMATS = tuple(
    f"{day} {clock}"
    for day in ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%d.%m.%y", "%d/%m/%y")
    for clock in ("%H:%M:%S", "%H:%M")
)
_OTHER = {",": ".", ".": ","}
_NUMBERS = (XSD.integer, XSD.decimal, XSD.double)
_WIDE = 4  # number of numeric columns that suggests one column per sensor
_SINCE_1970 = {"s": 10**9, "ms": 10**12, "us": 10**15, "ns": 10**18}
_UNITS = {
    "c": "°C", "degc": "°C", "celsius": "°C", "f": "°F", "k": "K", "kmh": "km/h", "mph": "mph",
    "kg": "kg", "g": "g", "kwh": "kWh", "wh": "Wh", "kw": "kW", "w": "W", "v": "V", "mv": "mV", "a": "A",
    "ma": "mA", "hpa": "hPa", "pa": "Pa", "bar": "bar", "ppm": "ppm", "ppb": "ppb", "mm": "mm", "cm": "cm",
    "m": "m", "km": "km", "pct": "%", "percent": "%", "lux": "lx", "lx": "lx", "hz": "Hz", "rpm": "rpm",
    "s": "s", "sec": "s", "ms": "ms", "min": "min",
}  # fmt: skip
_UNIT_IN_CELL = re.compile(rf"(?:\s+(?:{'|'.join(set(_UNITS.values()))})|\s*(?:°C|°F|%))$")


class Sample(NamedTuple):
    """First values of a column, and the datatype of the column's type; None for texts."""

    texts: Sequence[str]
    datatype: URIRef | None = None


class _Time(NamedTuple):
    lines: list[str]
    columns: tuple[str, ...]


class _DecimalMark(NamedTuple):
    """Decimal mark of a table; `doubtful` is a number that decided it, but may have thousands separators."""

    mark: str
    doubtful: str | None = None


def guess(name: str, columns: Mapping[str, Sample], delimiter: str = ",") -> str:
    """Return a mapping in YAML for a table, with comments on the guesses.

    Args:
        name: the table's name, without folder and suffix.
        columns: samples of the table's columns by name.
        delimiter: the delimiter of a CSV table; "," for other tables.

    >>> print(guess("garages", {"at": Sample(["2026-03-02T07:00:00Z"]), "free": Sample(["12"])}))
    # First draft of a mapping, guessed from the first rows of garages. Check each line, then run:
    #   pantarhei run --mapping THIS_FILE --stream TABLE --ontology ONTOLOGY --range PT5M
    prefixes:
      ex: http://example.org/garages#  # or your ontology's namespace, with its names below
    time:
      column: at
    mappings:
      garages:
        s: ex:garages  # a single thing: no column looks like an identifier
        po:
          # - [a, ex:Garages]  # its class, if it has one
          - [ex:free, $(free), xsd:integer]
    """
    present = {
        column: [text for text in sample.texts if text.strip().lower() not in NULLS]
        for column, sample in columns.items()
    }
    time = _time(columns, present)
    rest = [column for column in columns if column not in time.columns]
    texts_of = {column: present[column] for column in rest if columns[column].datatype is None}
    decimal = _decimal_mark(texts_of.values(), delimiter)
    advice = {}
    for column, texts in texts_of.items():
        if (plain := _plain_numbers(texts, decimal.mark)) is not None:
            present[column], advice[column] = plain, _advice(texts, plain, decimal.mark)
    ids = _ids(rest, columns, present)
    local = _local(name) or "table"
    lines = [
        f"# First draft of a mapping, guessed from the first rows of {name}. Check each line, then run:",
        "#   pantarhei run --mapping THIS_FILE --stream TABLE --ontology ONTOLOGY --range PT5M",
        "prefixes:",
        f"  ex: http://example.org/{local}#  # or your ontology's namespace, with its names below",
        *time.lines,
        *_dialect(columns, delimiter, decimal),
        "mappings:",
        f"  {local}:",
        *_subject(local, ids),
        "    po:",
    ]
    mapped = [column for column in rest if column not in ids[:1] or len(rest) == 1]
    mark = "# " if mapped else ""
    lines.append(f"      {mark}- [a, ex:{local[0].upper()}{local[1:]}]  # its class, if it has one")
    lines += [
        f"      - {_statement(column, columns[column], present[column], advice.get(column))}"
        for column in mapped
    ]
    numbers = [column for column in mapped if _datatype(columns[column], present[column]) in _NUMBERS]
    if len(numbers) >= _WIDE:
        melted = ", ".join(map(_plain, numbers))
        lines += [
            "# If each of these columns is a sensor, each cell can be a separate reading:",
            f"# melt: {{columns: [{melted}]}}",
            "#   and in po: [ex:$(variable), $(value), xsd:decimal]",
        ]
    return "\n".join(lines)


def _all(form: re.Pattern[str]) -> Callable[[Sequence[str]], bool]:
    return lambda texts: bool(texts) and all(form.fullmatch(text.strip()) for text in texts)


# numbers


def _decimal_mark(columns: Iterable[Sequence[str]], delimiter: str) -> _DecimalMark:
    """Choose the decimal mark that most numbers need; if that is undecided, the one the delimiter suggests.

    `1,5` and `1.234,5` need a comma; `1,234` can also have a thousands separator.
    """
    needed, doubtful = Counter[str](), dict[str, str]()
    for texts in columns:
        readings = [(text, _number(text, ","), _number(text, ".")) for text in texts]
        if not all(with_comma or with_point for _, with_comma, with_point in readings):
            continue
        for text, with_comma, with_point in readings:
            if with_comma is None or with_point is None:
                needed["," if with_comma else "."] += 1
            elif with_comma != with_point:
                doubtful.setdefault("," if "," in text else ".", text.strip())
    if needed[","] != needed["."]:
        return _DecimalMark(max(needed, key=needed.__getitem__))
    if delimiter != "," and (needed or "," in doubtful):
        return _DecimalMark(",", None if needed else doubtful[","])
    return _DecimalMark(".", doubtful.get(".") if delimiter == ";" else None)


def _number(text: str, mark: str) -> str | None:
    """Rewrite a number with a decimal point, without thousands separators and unit; None for other texts.

    >>> _number("1.234,5 °C", ","), _number("1,234", ","), _number("1,234", "."), _number("1.5", ",")
    ('1234.5', '1.234', '1234', None)
    """
    whole, point, fraction = _UNIT_IN_CELL.sub("", text.strip()).partition(mark)
    if found := _GROUPS.fullmatch(whole):
        whole = whole.replace(found[1], "")
    number = f"{whole}.{fraction}" if point else whole
    return number if "." not in whole + fraction and _REAL.fullmatch(number) else None


def _plain_numbers(texts: Sequence[str], mark: str) -> list[str] | None:
    """Rewrite numbers with either decimal mark; None if a text is not a number."""
    numbers = [_number(text, mark) or _number(text, _OTHER[mark]) for text in texts]
    return [each for each in numbers if each] if all(numbers) else None


def _advice(texts: Sequence[str], numbers: Sequence[str], mark: str) -> str | None:
    """Return how to rewrite the first number that the mapping will refuse; None if all are valid."""
    for text, number in zip(texts, numbers, strict=True):
        if text.strip() != (written := number.replace(".", mark)):
            return f"Write {text.strip()} as {written} in the table"
    return None


# time


def _time(columns: Mapping[str, Sample], present: Mapping[str, Sequence[str]]) -> _Time:
    """Find the column, or two columns, with the time of a row.

    Columns with a name that suggests a time are tried first; texts are tried before numbers.
    """
    by_name = sorted(columns, key=lambda column: not _TIME_NAMES.search(column))
    for lines_of in (_written, _numbered):
        for column in by_name:
            lines = lines_of(column, columns[column], present[column])
            if lines is not None:
                return _Time(["time:", f"  column: {_plain(column)}", *lines], (column,))
    days = [
        column
        for column in by_name
        if present[column] and all(_has_format(text, "%Y-%m-%d") for text in present[column])
    ]
    clocks = [column for column in by_name if _all(_CLOCK)(present[column])]
    if days:
        columns_of_time = (days[0], *clocks[:1])
        value = "T".join(column_reference(column) for column in columns_of_time)
        return _Time(["time:", f"  value: {_plain(value)}", _ZONE], columns_of_time)
    return _Time(["time:", "  column: WHICH  # no column of times was found; name it"], ())


_ZONE = "  zone: UTC  # the times have no zone; name it, such as Europe/Copenhagen"


def _written(column: str, sample: Sample, texts: Sequence[str]) -> list[str] | None:
    """Return the mapping's lines below `column:` for a column of dates with times; None for other columns."""
    if not texts or sample.datatype not in (None, XSD.dateTime):
        return None
    zoned = [_zone_in(text) for text in texts]
    if all(each is not None for each in zoned):
        return [] if all(zoned) else [_ZONE]
    fitting = [form for form in _FORMATS if all(_has_format(text, form) for text in texts)]
    if not fitting:
        return None
    doubt = f"  # or {fitting[1]}: both fit these rows" if fitting[1:] else ""
    return [f"  format: {_plain(fitting[0])}{doubt}", _ZONE]


def _numbered(column: str, sample: Sample, texts: Sequence[str]) -> list[str] | None:
    """Return the mapping's lines below `column:` for a column of numeric times; None for other columns."""
    if not (_TIME_NAMES.search(column) and _all(_REAL)(texts)):
        return None
    newest = max(map(float, texts))
    for unit, begin in reversed(_SINCE_1970.items()):
        if begin <= newest < 5 * begin:
            return [f"  unit: {unit}  # since 1970"]
    if _NUMBER_NAMES.fullmatch(column):
        return ["  unit: number  # too small for a time since 1970: the numbers are the times"]
    return None


def _zone_in(text: str) -> bool | None:
    """Return whether an ISO 8601 time has a zone; None if the text is not an ISO 8601 time."""
    if ":" not in text or not text[:1].isdigit():
        return None
    try:
        return read_iso(text.strip()).at.tzinfo is not None
    except (ValueError, OverflowError):
        return None


def _has_format(text: str, form: str) -> bool:
    try:
        return bool(datetime.strptime(text.strip(), form))
    except ValueError:
        return False


# subjects and objects


def _ids(
    rest: Sequence[str], columns: Mapping[str, Sample], present: Mapping[str, Sequence[str]]
) -> list[str]:
    """Return the columns that may identify the subject of a row, the most likely first."""

    def is_one(column: str) -> bool:
        texts = present[column]
        return len(texts) == len(columns[column].texts) > 0 and (
            _all(_WHOLE)(texts) or not _all(_REAL)(texts)
        )

    named = [column for column in rest if _ID_NAMES.search(column) and is_one(column)]
    # A column of distinct values may be a row number rather than the identifier of a subject.
    named.sort(key=lambda column: len(set(present[column])) == len(present[column]) > 1)
    texts = [
        column
        for column in rest
        if column not in named and is_one(column) and not _all(_WHOLE)(present[column])
        and 1 < len(set(present[column])) < len(present[column])
    ]  # fmt: skip
    return named + texts


def _subject(local: str, ids: Sequence[str]) -> list[str]:
    if not ids:
        return [f"    s: ex:{local}  # a single thing: no column looks like an identifier"]
    others = f"  # or {', '.join(column_reference(each) for each in ids[1:4])}" if ids[1:] else ""
    return [f"    s: {_plain(f'ex:{column_reference(ids[0])}')}{others}"]


def _dialect(columns: Mapping[str, Sample], delimiter: str, decimal: _DecimalMark) -> list[str]:
    lines = []
    if delimiter not in (",", "\t"):
        lines.append(f"delimiter: {json.dumps(delimiter)}")
    doubt = ""
    if decimal.doubtful:
        whole = re.sub(r"[^\d+-]", "", decimal.doubtful)
        doubt = f"  # a guess: if {decimal.doubtful} means {whole}, write it as {whole} in the table"
    if decimal.mark == "," or decimal.doubtful:
        lines.append(f'decimal: "{decimal.mark}"{doubt}')
    found = {text for sample in columns.values() for text in sample.texts if text.strip().lower() in NULLS}
    if found - {""}:
        nulls = json.dumps(["", *sorted(found - {""})], ensure_ascii=False)
        lines.append(f"null: {nulls}  # cells without a value")
    return lines


def _statement(column: str, sample: Sample, texts: Sequence[str], advice: str | None) -> str:
    prop, value = f"ex:{_local(column) or 'value'}", column_reference(column)
    unit = _unit(column)
    remarks = " ".join(filter(None, (unit and f"{unit}?", advice)))
    comment = f"  # {remarks}" if remarks else ""
    if not texts and sample.datatype is None:
        return f"[{prop}, {_plain(value)}]  # no value in the first rows: add a datatype for numbers"
    datatype = _datatype(sample, texts)
    if datatype is not None:
        return f"[{prop}, {_plain(value)}, xsd:{datatype.removeprefix(str(XSD))}]{comment}"
    return f"[{prop}, {_plain(value + '~iri' if _all(_IRI)(texts) else value)}]{comment}"


def _datatype(sample: Sample, texts: Sequence[str]) -> URIRef | None:
    if sample.datatype == XSD.double:
        return XSD.decimal  # since thresholds in ontologies are mostly decimals
    if sample.datatype is not None:
        return sample.datatype
    if _all(_WHOLE)(texts):
        return XSD.integer
    if _all(_REAL)(texts):
        return XSD.double if any("e" in text.lower() for text in texts) else XSD.decimal
    return XSD.boolean if {text.strip().lower() for text in texts} <= {"true", "false"} else None


def _unit(column: str) -> str | None:
    """Return the unit in the name of a column, such as `speed [km/h]` or `temp_c`; None if there is none."""
    if bracketed := re.search(r"[\[(]\s*([^\])]{1,12}?)\s*[\])]\s*$", column):
        return bracketed[1]
    last = re.split(r"[_\s.]+", column)[-1]
    return _UNITS.get(last.lower()) if last != column else None


def _local(name: str) -> str:
    """Convert a name to the local name of an IRI; a unit in brackets at its end is dropped."""
    without_unit = re.sub(r"\s*[\[(].*[\])]\s*$", "", name) or name
    return re.sub(r"\W+", "_", without_unit).strip("_")


def _plain(text: str) -> str:
    """Return a text as a YAML scalar, quoted if necessary."""
    is_plain = re.fullmatch(r"[A-Za-z_$][\w$()./:~-]*", text, re.ASCII) and text[-1] != ":"
    return text if is_plain else json.dumps(text, ensure_ascii=False)


ROWS = 1_000


class FirstRows(NamedTuple):
    """First rows of a table.

    Args:
        name: the table's name, without folder and suffixes.
        columns: by name, up to `ROWS` values of each column whose values have lexical forms.
        delimiter: the delimiter of a CSV table; "," for other tables.
    """

    name: str
    columns: dict[str, Sample]
    delimiter: str


def first_rows(source: str, format: str | None) -> FirstRows:
    """Read the first rows of a table; if the source has several tables, of the first table.

    Raises:
        OptionError: the source is invalid.
        InputError: the table cannot be read.
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
                arrays = arrays.with_matched(arrays.members())
            for column, array in arrays.items():
                columns[column] = _sample(column_values(array, frozenset()), block.height)
            if block.height:
                break
    return FirstRows(name, columns, table.delimiter if isinstance(table, CSVTable) else ",")


def _sample(cells: ColumnValues, height: int) -> Sample:
    rows = range(min(height, ROWS) if cells.ends is None else len(cells.codes))
    texts = cells._replace(codes=cells.codes[: len(rows)]).dense().to_pylist()
    datatypes = {cells.datatype} if cells.datatypes is None else set(cells.datatypes)
    if datatypes == {XSD.integer, XSD.decimal}:
        datatypes = {XSD.decimal}
    return Sample([text or "" for text in texts], datatypes.pop() if len(datatypes) == 1 else None)
