"""Places, names and lengths of a text that registers a query."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from types import SimpleNamespace

from lark import Token, Tree
from rdflib import URIRef

from pantarhei.errors import QueryError, QueryTextError, TimestampError
from pantarhei.model.time import measured, parse_duration, parse_length
from pantarhei.query.languages.grammar import ParseTree
from pantarhei.query.syntax.names import Names
from pantarhei.query.syntax.parser import without_escapes

Part = ParseTree | Token
Length = int | float | timedelta


class Written:
    """A text and what its names mean.

    Args:
        text: as it was given.
        tree: its parse tree, with the declarations of prefixes and base.
        prefixes: those that need no declaration.
        base: what relative IRIs are resolved against until BASE says otherwise.
    """

    def __init__(self, text: str, tree: ParseTree, prefixes: Mapping[str, str], base: str | None) -> None:
        self.text = text
        self._names = Names((), prefixes, base)
        for part in subtrees(tree, "prefix", "base"):
            *name, iri = tokens(part)
            meaning = str(self._absolute(iri))
            if name:
                self._names.prefixes[self._decoded(name[0])[:-1]] = meaning
            else:
                self._names.base = meaning

    def error(self, part: Part, problem: str, expected: str | None = None) -> QueryTextError:
        """What is wrong with a part."""
        return QueryTextError.at(self.text, span(part)[0], problem, expected)

    def of(self, part: Part) -> str:
        """A part as it is written."""
        start, end = span(part)
        return self.text[start:end]

    def iri(self, part: ParseTree) -> URIRef:
        """The IRI that a part writes, maybe relative, or as a prefixed name.

        Raises:
            QueryTextError: the prefix is not declared, or it is no name, or that of a blank node.
        """
        (token,) = tokens(part)
        if token.type == "IRI":
            return self._absolute(token)
        prefix, _, local = self._decoded(token).partition(":")
        if prefix == "_":
            raise self.error(token, f"{token} is a blank node", "an IRI")
        try:
            return self._names.iri(SimpleNamespace(prefix=prefix, localname=local))
        except QueryError as error:
            raise self.error(token, str(error).removeprefix("malformed query: ")) from None

    def _decoded(self, name: Token) -> str:
        """A prefixed name with a character for each escape `\\uXXXX` (SPARQL 1.1, section 19.2).

        Raises:
            QueryTextError: it is none with these characters.
        """
        try:
            decoded = without_escapes(name)
        except ValueError as error:
            raise self.error(name, str(error)) from None
        if not _PREFIXED_NAME.fullmatch(decoded):
            problem = f"{name} has an escape for a character that no prefixed name has"
            raise self.error(name, problem, "an IRI between < and >")
        return decoded

    def _absolute(self, iri: Token) -> URIRef:
        try:
            return self._names.iri(URIRef(without_escapes(iri[1:-1])))
        except ValueError as error:
            raise self.error(iri, str(error)) from None

    def length(self, part: ParseTree) -> Length:
        """The length that a part writes: a number, or a duration.

        Raises:
            QueryTextError: it is none that there is.
        """
        first, *others = tokens(part)
        try:
            if first.type == "DURATION":
                return parse_duration(first.upper())
            if others:
                written = [first, *others]
                return measured((str(n), _unit(u)) for n, u in zip(written[::2], written[1::2], strict=True))
            return parse_length(first)  # type: ignore[return-value]
        except TimestampError as error:
            raise self.error(part, f"{error.given} is not valid here", error.expected) from None

    def count(self, token: Token) -> int:
        """How many elements a number says.

        Raises:
            QueryTextError: it is no number above 0, or no whole one.
        """
        if not token.isdigit() or len(token) > _MOST_DIGITS or not int(token):
            raise self.error(token, f"{token} elements", f"a whole number above 0, below 10^{_MOST_DIGITS}")
        return int(token)


_PREFIXED_NAME = re.compile(r"[\w.\-\u00b7]*:(?:[\w\-.:\u00b7]|%[0-9A-Fa-f]{2}|\\.)*")
_UNITS = frozenset(("ns", "ms", "s", "m", "h", "d"))
_MOST_DIGITS = 18


def _unit(written: str) -> str:
    """`ms` for milliseconds, else the first letter.

    >>> [_unit(each) for each in ("ms", "Milliseconds", "min", "H", "ns", "days")]
    ['ms', 'ms', 'm', 'h', 'ns', 'd']
    """
    unit = written.lower()
    if unit in _UNITS:
        return unit
    return "ms" if unit.startswith("milli") else unit[0]


def span(part: Part) -> tuple[int, int]:
    """Where a part begins and ends, in characters from 0."""
    place = part.meta if isinstance(part, Tree) else part
    start, end = place.start_pos, place.end_pos
    assert start is not None and end is not None
    return start, end


def tokens(part: ParseTree) -> list[Token]:
    """The tokens that a part is made of, without those of its parts."""
    return [child for child in part.children if isinstance(child, Token)]


def subtrees(part: ParseTree, *kinds: str) -> list[ParseTree]:
    """The parts of some kinds that a part is made of, without theirs."""
    return [child for child in part.children if isinstance(child, Tree) and child.data in kinds]


def all_subtrees(part: ParseTree, *kinds: str) -> list[ParseTree]:
    """The parts of some kinds anywhere in a part, in the order of the text."""
    found = [each for each in part.iter_subtrees() if each.data in kinds]
    return sorted(found, key=span)
