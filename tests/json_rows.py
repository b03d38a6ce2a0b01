"""Random lines of JSON, and the triples to which a mapping converts a line, by its definition."""

import json
import re
from decimal import Decimal
from itertools import product

from hypothesis import strategies as st
from rdflib import XSD, Literal, Namespace, URIRef

EX = Namespace("http://example.org/")
MAPPING = {
    "prefixes": {"ex": str(EX)},
    "time": {"column": "t", "unit": "number"},
    "mappings": {
        "m": {
            "s": "ex:$(id)",
            "po": [
                ["ex:v", "$(v)"],
                ["ex:in", "$(o.in)"],
                ["ex:both", "$(v)/$(w)"],
                ["ex:d", "$(w)", "xsd:double"],
                ["ex:$(v)", "ex:$(w)~iri"],
            ],
        }
    },
}
"""One reference or two in each place of a term, with and without a datatype."""

_DIGITS = st.integers(0, 10**30).map(str)
NUMBERS = st.one_of(
    st.integers(-(2**70), 2**70).map(str),
    st.sampled_from(["0", "-0", "0.50", "26.5", "-0.0", "1e-7", "1E5", "1.50e3", "5e-324", "1e400", "7.0"]),
    st.builds("{}.{}".format, st.integers(-999, 999), _DIGITS),
    st.builds("{}.{}e{}".format, st.integers(-9, 9), st.integers(0, 99), st.integers(-20, 20)),
)
TEXTS = st.one_of(
    st.sampled_from(
        ['""', '"unavailable"', '"21"', '"true"', '"a b"', '"\\u00e9\\n"', '"\\ud83d\\ude00"', '"/"']
    ),
    st.text(max_size=4).map(json.dumps),
)
SCALARS = st.one_of(NUMBERS, TEXTS, st.sampled_from(["true", "false", "null"]))
ARRAYS = st.lists(SCALARS, max_size=3).map(lambda each: f"[{', '.join(each)}]")
VALUES = st.one_of(
    SCALARS, SCALARS, ARRAYS, st.sampled_from(['{"a": 1}', "{}", "[[1]]", '[{"in": 1}]', '{"in": 2}'])
)
INNER = st.one_of(
    SCALARS, SCALARS.map('{{"in": {}}}'.format), st.just('{"in": {"deep": 1}}'), st.just('[{"in": 1}]')
)


def _line(members):
    return "{" + ", ".join(f'"{name}": {value}' for name, value in members if value is not None) + "}"


TIMES = st.one_of(
    st.integers(0, 3).map(str), st.sampled_from(["2.0", '"2"', "[2]", "[1, 2]", "null", "{}", "1.5", '"x"'])
)
OBJECTS = st.builds(
    lambda t, id, v, w, o: _line([("t", t), ("id", id), ("v", v), ("w", w), ("o", o)]),
    TIMES,
    st.sampled_from(["1", '"a"', '"a b"', '["a", "b"]', None]),
    st.one_of(VALUES, st.none()),
    st.one_of(VALUES, st.none()),
    st.one_of(INNER, st.none()),
)
BROKEN = st.sampled_from(
    [
        b'{"t"',
        b"\xff\xfe",
        b"[1]",
        b"7",
        b'{"t": 1, "id": "\xff"}',
        b'{"t": 1} {"t": 2}',
        b'{"v": "\\ud800"}',
        b" ",
    ]
)
LINES = st.one_of(OBJECTS.map(str.encode), OBJECTS.map(str.encode), OBJECTS.map(str.encode), BROKEN)


class Bad(Exception):
    """The row is skipped."""


class _Number(str):
    """Number in its lexical form."""


def expected(line, mapping=MAPPING):
    """Return the triples of a line with its time, or None if it is skipped."""
    try:
        row = json.loads(line.decode(), parse_int=_Number, parse_float=_Number)
        json.dumps(row, ensure_ascii=False).encode()
        if not isinstance(row, dict):
            return None
        (at,) = _values(row, "t") or [None]
        if not re.fullmatch(r"[0-9]+(\.0)?", str(at)) or isinstance(at, bool):
            return None
        triples = []
        for predicate, object_, *datatype in mapping["mappings"]["m"]["po"]:
            triples += product(
                _iris(row, "ex:$(id)"), _iris(row, predicate), _objects(row, object_, *datatype)
            )
        for name in ("v", "w", "o.in"):
            _values(row, name)
        return int(float(at)), triples
    except (Bad, ValueError):
        return None


def _values(row, name):
    value = row
    for part in name.split("."):
        if isinstance(value, list) and any(isinstance(each, dict) for each in value) and value is not row:
            raise Bad
        value = value.get(part) if isinstance(value, dict) else None
    values = value if isinstance(value, list) else [value]
    if any(isinstance(each, dict | list) for each in values):
        raise Bad
    return [each for each in values if each is not None and each != ""]


def _text(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def _texts(row, template):
    pieces = re.split(r"\$\((.*?)\)", template)
    names = list(dict.fromkeys(pieces[1::2]))
    for values in product(*(_values(row, name) for name in names)):
        yield pieces[::2], [values[names.index(name)] for name in pieces[1::2]]


def _joined(pieces, texts):
    return pieces[0] + "".join(text + piece for text, piece in zip(texts, pieces[1:], strict=True))


def _iris(row, template):
    from pantarhei.io.mapping.mapped_rows import encoded

    for pieces, values in _texts(row, template.removesuffix("~iri")):
        texts = [encoded(_text(each)) for each in values]
        yield URIRef(_joined(pieces, texts).replace("ex:", str(EX), 1))


def _objects(row, template, datatype=None):
    if template.endswith("~iri"):
        yield from _iris(row, template)
        return
    for pieces, values in _texts(row, template):
        if datatype is not None:
            yield _double(values[0])
        elif pieces != ["", ""]:
            yield Literal(_joined(pieces, map(_text, values)))
        else:
            yield _as_in_json(values[0])


def _as_in_json(value):
    if isinstance(value, bool):
        return Literal(_text(value), datatype=XSD.boolean, normalize=False)
    if not isinstance(value, _Number):
        return Literal(value)
    if re.fullmatch("-?[0-9]+", value):
        return Literal(str(value), datatype=XSD.integer, normalize=False)
    if "e" not in value.lower():
        return Literal(str(value), datatype=XSD.decimal, normalize=False)
    plain = format(Decimal(value), "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return Literal(plain, datatype=XSD.decimal, normalize=False)


def _double(value):
    text = _text(value).strip()
    if not re.fullmatch(r"([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?|NaN|[+-]?INF)", text):
        raise Bad
    return Literal(text, datatype=XSD.double, normalize=False)
