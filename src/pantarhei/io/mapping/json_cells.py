"""Members of JSON objects as columns; the datatype of a value depends on its JSON type alone, not on other
rows.

A whole number is an xsd:integer, any other number an xsd:decimal, with the digits of the JSON text. An array
stands for several values, as in RML; an object is not a value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from rdflib import XSD, URIRef

from pantarhei.io.mapping.cell_columns import NOT_FINITE, ColumnValues

JSONObject: TypeAlias = dict[str, Any]
"""JSON object decoded by `DECODER`: numbers are bytes, with the digits of the JSON text."""

_SCALARS = frozenset({str, bytes, bool, type(None)})
_SURROGATES = re.compile("[\ud800-\udfff]")
HALF_A_PAIR = "half of a pair of surrogates (\\ud800 to \\udfff), which is not a character"

DECODER = json.JSONDecoder(
    parse_int=str.encode, parse_float=str.encode, parse_constant=lambda text: NOT_FINITE[text].encode()
)
"""JSON decoder that returns numbers as bytes, with the digits of the JSON text."""


class JSONColumn(Sequence[Any]):
    """Column of the values of one member of JSON objects; None for an object without the member.

    Args:
        name: the name of the member; the path `outer.inner` for a member of an inner object.
        rows: the objects.
        is_matched: whether the mapping refers to the member by a `*` only; its values that are objects are
            then ignored instead of refused.
    """

    def __init__(self, name: str, rows: Sequence[JSONObject], is_matched: bool = False) -> None:
        self.name = name
        self._values = member(name)(rows)
        if is_matched:
            self._values = [None if isinstance(each, dict | _Refused) else each for each in self._values]

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, row: Any) -> Any:
        return self._values[row]

    def shown(self, row: int) -> object:
        """Return the value of a row for error messages."""
        return _shown(self._values[row])

    @property
    def has_values(self) -> bool:
        """True if any object has a value for the member."""
        return any(value is not None for value in self._values)

    def cells(self, nulls: frozenset[str]) -> ColumnValues:
        """Dictionary-encode the column; a text in `nulls` stands for no value."""
        values, ends, refused = self._values, None, dict[int, str]()
        if not set(map(type, values)) <= _SCALARS:
            found = [_scalars(value, self.name) for value in values]
            refused = {row: each for row, each in enumerate(found) if isinstance(each, str)}
            lists = [[] if isinstance(each, str) else each for each in found]
            values = [value for each in lists for value in each]
            ends = np.fromiter(accumulate(map(len, lists)), np.intp, len(lists))
        distinct = [value for value in dict.fromkeys(values) if value is not None]
        texts = [text_of(value) for value in distinct]
        places = {
            value: -1 if text in nulls else place
            for place, (value, text) in enumerate(zip(distinct, texts, strict=True))
        }
        places[None] = -1
        codes = np.fromiter(map(places.__getitem__, values), np.int32, len(values))
        datatypes = tuple(map(datatype_of, distinct))
        cells = ColumnValues(codes, pa.array(texts, pa.string()), ends=ends, refused=refused)
        if len(set(datatypes)) > 1:
            return cells._replace(datatypes=datatypes)
        return cells._replace(datatype=datatypes[0] if datatypes else None)


class JSONColumns(Mapping[str, JSONColumn]):
    """Columns of JSON objects by member; a member of an inner object has the name `outer.inner`.

    Args:
        rows: the objects.
        names: the members that the mapping uses.
        matched: the members among `names` that the mapping refers to by a `*` only.
    """

    def __init__(
        self, rows: Sequence[JSONObject], names: Sequence[str], matched: Container[str] = ()
    ) -> None:
        self._rows, self._names, self._matched = rows, names, matched
        self._columns: dict[str, JSONColumn] = {}

    def __getitem__(self, name: str) -> JSONColumn:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._columns:
            self._columns[name] = JSONColumn(name, self._rows, name in self._matched)
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def members(self) -> list[str]:
        """Return the names of all members of all objects, sorted."""
        return sorted({name for row in self._rows for name in _names(row)})

    def with_matched(self, names: Sequence[str]) -> JSONColumns:
        """Return the columns `names`, of which those without a column here are marked as matched by a `*`."""
        matched = frozenset(names) - frozenset(self._names)
        return JSONColumns(self._rows, names, matched)


def _names(row: JSONObject) -> Iterator[str]:
    inside = list(row.items())
    while inside:
        name, value = inside.pop()
        if isinstance(value, dict):
            inside += [(f"{name}.{inner}", each) for inner, each in value.items()]
        else:
            yield name


def member(name: str) -> Callable[[Sequence[JSONObject]], list[Any]]:
    """Return a function that reads one member of each of several objects.

    A name with dots is a member of that name or, if there is none, a path into inner objects.

    >>> member("a.b")([{"a": {"b": b"1"}}, {"a.b": "x"}, {}])
    [b'1', 'x', None]
    """
    if "." not in name:
        return lambda rows: [row.get(name) for row in rows]
    return lambda rows: [_inner(row, name) for row in rows]


def _inner(row: JSONObject, name: str) -> Any:
    if name in row:
        return row[name]
    outer, dot, rest = name.partition(".")
    while dot:
        value = row.get(outer)
        if isinstance(value, dict) and (found := _inner(value, rest)) is not None:
            return found
        if isinstance(value, list) and any(isinstance(each, dict) for each in value):
            return _Refused(f"{outer} is an array of objects, and its members are not columns{_ONE_EACH}")
        inner, dot, rest = rest.partition(".")
        outer = f"{outer}.{inner}"
    return None


def _shown(value: Any) -> Any:
    """Convert the numbers inside a decoded value from bytes to texts."""
    if isinstance(value, list):
        return [_shown(each) for each in value]
    if isinstance(value, dict):
        return {name: _shown(each) for name, each in value.items()}
    return value.decode() if isinstance(value, bytes) else value


class _Refused(str):
    """Error text in the place of a member's value that cannot be read."""


_ONE_EACH = "; write each object of an array on its own line"


def _scalars(value: Any, name: str) -> Sequence[Any] | str:
    """Return the scalar values of a member, or an error text if it is an object or contains one."""
    if isinstance(value, _Refused):
        return str(value)
    if isinstance(value, dict):
        inner = next(iter(value), "member")
        return f"an object is not a value; refer to a member of it: $({name}.{inner})"
    if not isinstance(value, list):
        return (value,)
    for each in value:
        if isinstance(each, dict | list):
            what = "an object" if isinstance(each, dict) else "an array"
            return f"{what} in an array is not a value; expected texts, numbers and booleans{_ONE_EACH}"
    return value


def is_unicode(text: str) -> bool:
    """Return whether a text has no lone surrogate, which texts of JSON and Python may contain.

    >>> is_unicode("\\U0001d11e"), is_unicode("\\ud834")
    (True, False)
    """
    return text.isascii() or _SURROGATES.search(text) is None


def text_of(value: str | bytes | bool) -> str:
    """Return the text of a decoded scalar; for a number, the digits of the JSON text."""
    if isinstance(value, str):
        return value
    return value.decode() if isinstance(value, bytes) else "true" if value else "false"


def datatype_of(value: str | bytes | bool) -> URIRef | None:
    """Return the datatype of a decoded scalar; None for texts.

    >>> [datatype_of(each) for each in (b"21", b"1e-7", "21", True)] == [
    ...     XSD.integer, XSD.decimal, None, XSD.boolean
    ... ]
    True
    """
    if isinstance(value, str):
        return None
    if isinstance(value, bool):
        return _BOOLEAN
    if value[-1:].isdigit():
        return _INTEGER if value.removeprefix(b"-").isdigit() else _DECIMAL
    return _DOUBLE


_INTEGER, _DECIMAL, _DOUBLE, _BOOLEAN = XSD.integer, XSD.decimal, XSD.double, XSD.boolean
