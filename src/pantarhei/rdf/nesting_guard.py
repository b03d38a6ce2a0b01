"""Documents nested so deep that a parser would run out of stack, which ends the process, or out of time.

pyoxigraph's parser of JSON-LD needs about three kilobytes of stack for each object inside another, its triple
terms are freed one inside the other, and its parser of RDF/XML takes time that grows with the square of the
depth. That one also takes a document that is cut off for a whole one; where elements are counted it is seen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.parsers import expat

import numpy as np

from pantarhei.errors import MalformedInputError

DEEPEST_EXPRESSION = 100
DEEPEST_OBJECT = DEEPEST_EXPRESSION + 20
DEEPEST_TRIPLE_TERM = 100
DEEPEST_ELEMENT = 5_000

_AT_THE_END = frozenset(
    expat.errors.codes[text]
    for text in (expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN)
)
_JSON_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_STRING = re.compile(rb"""\"(?:[^"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'""")
_TRIPLE_TERM = re.compile(rb"<<\(|\)>>")


def refuse_deep_nesting(content: bytes, format: str, source: str) -> None:
    """Refuse a document that is nested deeper than its parser can take. Costs one pass.

    Raises:
        MalformedInputError: it is.

    >>> refuse_deep_nesting(b'{"a": ' * 1000, "json-ld", "a.jsonld")
    Traceback (most recent call last):
    ...
    pantarhei.errors.MalformedInputError: a.jsonld: objects nested deeper than 120 levels
    """
    if format == "json-ld":
        _refuse(_json_depth(content), DEEPEST_OBJECT, "objects", source)
    elif format == "xml":
        _refuse_deep_elements(content, source)
    elif b"<<(" in content:
        found = _TRIPLE_TERM.finditer(without_strings(content))
        tokens = (1 if token[0] == b"<<(" else -1 for token in found)
        _refuse(_deepest(tokens), DEEPEST_TRIPLE_TERM, "triple terms", source)


def without_strings(content: bytes) -> bytes:
    """`content` without the strings that end on the line they begin on."""
    return _STRING.sub(b"", content)


def _refuse(depth: int, deepest: int, what: str, source: str) -> None:
    if depth > deepest:
        raise MalformedInputError(source, None, f"{what} nested deeper than {deepest} levels")


def _json_depth(content: bytes) -> int:
    """How many objects stand inside one another at most; braces in strings do not count."""
    text = np.frombuffer(_JSON_STRING.sub(b"", content), np.uint8)
    text = text[(text == ord("{")) | (text == ord("}"))]
    return int(np.cumsum(np.where(text == ord("{"), 1, -1)).max(initial=0))


def _deepest(steps: Iterable[int]) -> int:
    depth = deepest = 0
    for step in steps:
        depth += step
        deepest = max(deepest, depth)
    return deepest


def _refuse_deep_elements(content: bytes, source: str) -> None:
    depth = 0

    def enter(name: str, attributes: object) -> None:
        nonlocal depth
        depth += 1
        _refuse(depth, DEEPEST_ELEMENT, "elements", source)

    def leave(name: str) -> None:
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = enter, leave
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if depth and error.code in _AT_THE_END:  # pyoxigraph reads what is there, and says nothing
            raise MalformedInputError(source, error.lineno, "the document ends inside an element") from error
        return  # the parser that follows says what is wrong, or knows better
