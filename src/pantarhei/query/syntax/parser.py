"""rdflib's SPARQL parser, in an instance of its own that one thread at a time uses.

pyparsing completes a grammar while it is first used: it flattens nested expressions, and learns how many
arguments each action takes. Threads that do so at once break the grammar for the rest of the process. The
lock keeps the threads of this package apart; the instance of its own keeps it apart from whoever uses
rdflib's. Six things are mended in it: the inverse in `!(^p)`, which rdflib's loses; literals keep the form
that they are written in, tabs included; an escape `\\u` has four digits, whatever follows it; a group may
have more triples than Python nests calls; and parts that may be wrong though they are complete know their
`place`, in characters of the text without escapes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from importlib.util import find_spec, module_from_spec
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import rdflib
from pyparsing import Optional, ParseBaseException, ParserElement, ParseResults, Regex, Suppress, ZeroOrMore
from rdflib import Literal
from rdflib.plugins.sparql.parserutils import Comp, CompValue, Param, ParamList

from pantarhei.errors import QueryTimeoutError
from pantarhei.query.query_limits import NO_LIMITS, Guard


def parse_query(text: str, guard: Guard = NO_LIMITS) -> ParseResults:
    """Return the parse tree of a query.

    Args:
        guard: limits the time, waiting for other threads included.

    Raises:
        pyparsing.ParseBaseException: it is none.
        ValueError: it has half of a character, or an escape that is none.
        QueryTimeoutError: it takes too long.
    """
    written = without_escapes(text)
    if any("\ud800" <= character <= "\udfff" for character in written):
        raise ValueError("it has half of a character, a surrogate, which stands for none alone")
    with _parsing(guard):
        return cast(ParseResults, _parser.Query.parse_string(written, parse_all=True))


def parse_update(text: str) -> CompValue:
    """The parse tree of an update.

    Raises:
        pyparsing.ParseBaseException: it is none.
    """
    with _lock:
        return cast(CompValue, _parser.parseUpdate(text))


def without_mark(text: str) -> str:
    """The text without the byte order mark that some editors put in front of a file."""
    return text.removeprefix("\ufeff")


def without_escapes(text: str) -> str:
    """The text with a character for each escape `\\uXXXX` or `\\UXXXXXXXX`.

    Raises:
        ValueError: there is no such character.
    """
    return _ESCAPE.sub(_character, text)


def furthest_place(text: str, guard: Guard = NO_LIMITS) -> int:
    """Return how far into a malformed query its tokens can be part of one, in characters of the text as it is
    written.

    The parser's own errors are where the part began that it could not complete, which may be a GRAPH of many
    lines.
    """
    written = without_escapes(text)
    with _parsing(guard):
        parser, furthest = _watched()
        furthest.place = 0
        with suppress(ParseBaseException, RecursionError):
            parser.Query.parse_string(written, parse_all=True)
        place = furthest.place
    begun = _BEGUN.search(written, 0, place)
    return place_as_written(text, begun.start() if begun else place)


# What the parser has read in part: a word that is no keyword and has no colon, or an IRI that does not end.
_BEGUN = re.compile(r"(?<![\w?$:@^\"'.-])<?[A-Za-z_][\w.-]*\Z")


def place_as_written(text: str, place: int) -> int:
    """The place in a query's text that the parser, which sees characters for escapes, calls `place`."""
    for escape in _ESCAPE.finditer(text):
        if escape.start() >= place:
            break
        place += len(escape[0]) - 1
    return place


_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")


def _character(escape: re.Match[str]) -> str:
    """Raises: ValueError: there is no such character."""
    try:
        return chr(int(escape[1] or escape[2], 16))
    except (OverflowError, ValueError):
        raise ValueError(f"{escape[0]} is no character") from None


def _own_instance(name: str) -> ModuleType:
    """A module that is executed once more, and that nobody else finds."""
    spec = find_spec(name)
    assert spec is not None and spec.loader is not None, name
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _as_written(value: Any, **options: Any) -> Literal:
    return Literal(value, normalize=False, **options)


def _mended(parser: Any) -> Any:
    """The parser with its mends; the inverse in `!(^p)` is a `part`."""
    variable = lru_cache(maxsize=4096)(rdflib.term.Variable)  # one object each: those are compared fast
    terms = SimpleNamespace(**{**vars(rdflib.term), "Variable": variable})
    parser.rdflib = SimpleNamespace(**{**vars(rdflib), "Literal": _as_written, "term": terms})
    inverse = parser.PathOneInPropertySet.exprs[-1]
    sign, name = inverse.expr.exprs
    inverse.expr = sign + Param("part", name)
    for block, one in (
        (parser.TriplesBlock, ParamList("triples", parser.TriplesSameSubjectPath)),
        (parser.ConstructTriples, ParamList("template", parser.TriplesSameSubject)),
    ):
        block <<= one + ZeroOrMore(Suppress(".") + one) + Optional(Suppress("."))
    parser.Query.parse_with_tabs()
    for part in _elements(parser):
        if isinstance(part, Comp | Regex):
            part.add_parse_action(_check_time)
        if isinstance(part, Comp) and _HAS_PLACE.fullmatch(part.name):
            part.add_parse_action(_note_place)
    return parser


_HAS_PLACE = re.compile(
    r"\w+Query|SubSelect|vars|pname|Function|Bind|InlineData|ValuesClause|ServiceGraphPattern|Aggregate_\w+"
    r"|Builtin_(?:REGEX|REPLACE)"
)


def _check_time(text: str, start: int, found: ParseResults) -> None:
    _guards[-1].check()


def _note_place(text: str, start: int, found: ParseResults) -> None:
    begins = _BETWEEN.match(text, start)
    found[0].place = start if begins is None else begins.end()


_BETWEEN = re.compile(r"(?:\s|#[^\r\n]*)*")


def _elements(parser: Any) -> Iterator[ParserElement]:
    """What the grammar of queries is made of, each once."""
    pending, seen = [parser.Query], set[int]()
    while pending:
        part = pending.pop()
        if id(part) not in seen:
            seen.add(id(part))
            pending += _inside(part)
            yield part


def _inside(part: Any) -> list[Any]:
    return [*getattr(part, "exprs", ()), *filter(None, [getattr(part, "expr", None)])]


class _Furthest:
    """Notes the furthest place at which some token was expected and not found."""

    place = 0

    def __call__(self, text: str, start: int, token: Any, error: Exception) -> None:
        self.place = max(self.place, getattr(error, "loc", start))


@cache
def _watched() -> tuple[Any, _Furthest]:
    """A parser that is slower, and what it notes."""
    parser, furthest = _mended(_own_instance("rdflib.plugins.sparql.parser")), _Furthest()
    for part in _elements(parser):
        if not _inside(part):
            part.set_fail_action(furthest)
    return parser, furthest


@contextmanager
def _parsing(guard: Guard) -> Iterator[None]:
    """Keep other threads from parsing, within the limits of a query.

    Raises:
        QueryTimeoutError: the time is over.
    """
    while not _lock.acquire(timeout=min(guard.left, threading.TIMEOUT_MAX)):
        pass  # then `left` raises
    try:
        _guards.append(guard)
        yield
    except QueryTimeoutError as error:  # without hundreds of the parser's frames
        raise QueryTimeoutError(error.timeout) from None
    finally:
        _guards.pop()
        _lock.release()


_lock = threading.Lock()
# The limits of the query that is parsed, last.
_guards = [NO_LIMITS]
_parser = _mended(_own_instance("rdflib.plugins.sparql.parser"))
