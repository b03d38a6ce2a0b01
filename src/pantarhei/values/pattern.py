r"""XML Schema's regular expressions, matched in time linear in the length of the text.

A pattern is compiled to an automaton without backtracking. Its *positions* are the occurrences of character
classes in the pattern; a set of positions is an integer with a bit for each (Glushkov, *The abstract theory
of automata*, 1961). So matching is fast for every pattern and text.

Source: XML Schema 1.1 part 2, appendix G. Unicode blocks `\\p{Is…}` are not supported, nor are patterns with
more than `MAX_POSITIONS` positions after counts are expanded.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pantarhei.values.value import LONGEST_PARSED_LITERAL, NAME_CHARACTER, NAME_START

MAX_POSITIONS: Final = 1000
_MAX_DEPTH = 50
_MAX_CACHED_STEPS = 10_000

Class = Callable[[str], bool]


class PatternError(ValueError):
    """The pattern is malformed or not supported; the message gives the reason."""


@lru_cache(maxsize=256)
def compile_pattern(text: str) -> Pattern:
    """Compile a pattern.

    Raises:
        PatternError: the pattern is malformed or not supported.

    >>> compile_pattern("[A-Z]{2}-\\\\d+").matches("AB-12")
    True
    >>> compile_pattern("(a+)+b").matches("a" * 5000)
    False
    """
    if len(text) > LONGEST_PARSED_LITERAL:
        raise PatternError(f"a pattern has {len(text)} characters, more than {LONGEST_PARSED_LITERAL}")
    parser = _Parser(text)
    part = parser.choice(0)
    if parser.at < len(text):
        raise parser.error(f"an unexpected {text[parser.at]!r}")
    return Pattern(tuple(parser.classes), part, tuple(parser.follow))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Part of a pattern: whether it matches the empty text, and its possible first and last positions, as
    bits.
    """

    is_nullable: bool
    first: int
    last: int


_EMPTY = _Piece(True, 0, 0)


class Pattern:
    """Compiled pattern, which is matched to whole texts."""

    def __init__(self, classes: tuple[Class, ...], part: _Piece, follow: tuple[int, ...]) -> None:
        self._classes, self._part, self._follow = classes, part, follow
        self._members: dict[str, int] = {}
        self._steps: dict[tuple[int, str], int] = {}

    def matches(self, text: str) -> bool:
        """Return whether the pattern matches a whole text; False for a text longer than
        `LONGEST_PARSED_LITERAL`.
        """
        if not text:
            return self._part.is_nullable
        if len(text) > LONGEST_PARSED_LITERAL:
            return False
        positions = self._part.first & self._positions_of(text[0])
        for character in text[1:]:
            if not positions:
                return False
            positions = self._step(positions, character)
        return bool(positions & self._part.last)

    def _step(self, positions: int, character: str) -> int:
        known = self._steps.get((positions, character))
        if known is None:
            following = 0
            for position in _bits(positions):
                following |= self._follow[position]
            known = following & self._positions_of(character)
            if len(self._steps) >= _MAX_CACHED_STEPS:
                self._steps.clear()
            self._steps[positions, character] = known
        return known

    def _positions_of(self, character: str) -> int:
        known = self._members.get(character)
        if known is None:
            known = sum(1 << position for position, has in enumerate(self._classes) if has(character))
            if len(self._members) >= _MAX_CACHED_STEPS:
                self._members.clear()
            self._members[character] = known
        return known


def _bits(positions: int) -> list[int]:
    found = []
    while positions:
        lowest = positions & -positions
        found.append(lowest.bit_length() - 1)
        positions ^= lowest
    return found


class _Parser:
    """Recursive-descent parser, which computes the positions of a pattern and the positions that can follow
    each.
    """

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.classes: list[Class] = []
        self.follow: list[int] = []

    def error(self, found: str) -> PatternError:
        return PatternError(f"the pattern {self.text[:200]!r} has {found} at {self.at}")

    def _next(self) -> str:
        return self.text[self.at] if self.at < len(self.text) else ""

    def _take(self) -> str:
        taken = self._next()
        if not taken:
            raise self.error("an unexpected end")
        self.at += 1
        return taken

    def _skip(self, expected: str) -> bool:
        found = self.text.startswith(expected, self.at)
        self.at += len(expected) if found else 0
        return found

    # parts

    def choice(self, depth: int) -> _Piece:
        """Parse `branch ('|' branch)*`."""
        if depth > _MAX_DEPTH:
            raise self.error("too many parentheses")
        part = self._branch(depth)
        while self._skip("|"):
            other = self._branch(depth)
            first, last = part.first | other.first, part.last | other.last
            part = _Piece(part.is_nullable or other.is_nullable, first, last)
        return part

    def _branch(self, depth: int) -> _Piece:
        """Parse `piece*`."""
        part = _EMPTY
        while self._next() not in ("", "|", ")"):
            part = self._concat(part, self._piece(depth))
        return part

    def _concat(self, left: _Piece, right: _Piece) -> _Piece:
        for position in _bits(left.last):
            self.follow[position] |= right.first
        return _Piece(
            left.is_nullable and right.is_nullable,
            left.first | (right.first if left.is_nullable else 0),
            right.last | (left.last if right.is_nullable else 0),
        )

    def _piece(self, depth: int) -> _Piece:
        """Parse `atom quantifier?`; a count is expanded: `a{2,4}` is `aa(a(a)?)?`."""
        start = self.at
        part = self._atom(depth)
        end = self.at
        least, most = self._quantifier()
        end_of_piece, self.at = self.at, start
        part = self._repeat(part, least, most, lambda: self._parse_again(start, end, depth))
        self.at = end_of_piece
        return part

    def _parse_again(self, start: int, end: int, depth: int) -> _Piece:
        self.at = start
        part = self._atom(depth)
        assert self.at == end
        return part

    def _repeat(self, part: _Piece, least: int, most: int | None, again: Callable[[], _Piece]) -> _Piece:
        if most == 0 or not part.first:  # matches only the empty text
            return _EMPTY
        copies = max(least, 1) if most is None else most
        if copies > MAX_POSITIONS:
            raise self.error(f"a count above {MAX_POSITIONS}")
        parts = [part, *(again() for _ in range(copies - 1))]
        if most is None:
            self._link_loop(parts[-1])
        optional = _EMPTY
        for each in reversed(parts[least:]):
            joined = self._concat(each, optional)
            optional = _Piece(True, joined.first, joined.last)
        whole = _EMPTY
        for each in parts[:least]:
            whole = self._concat(whole, each)
        return self._concat(whole, optional)

    def _link_loop(self, part: _Piece) -> None:
        for position in _bits(part.last):
            self.follow[position] |= part.first

    def _quantifier(self) -> tuple[int, int | None]:
        for sign, counts in (("?", (0, 1)), ("*", (0, None)), ("+", (1, None))):
            if self._skip(sign):
                return counts
        if not self._skip("{"):
            return (1, 1)
        least = self._count()
        most = least if self._next() == "}" else None
        if most is None:
            if not self._skip(","):
                raise self.error("an unexpected character in a count")
            most = None if self._next() == "}" else self._count()
        if not self._skip("}") or (most is not None and most < least):
            raise self.error("an invalid count")
        return least, most

    def _count(self) -> int:
        start = self.at
        while self._next() in tuple("0123456789"):
            self.at += 1
        if not 0 < self.at - start < 10:
            raise self.error("an invalid count")
        return int(self.text[start : self.at])

    def _atom(self, depth: int) -> _Piece:
        if self._skip("("):
            part = self.choice(depth + 1)
            if not self._skip(")"):
                raise self.error("a parenthesis that is not closed")
            return part
        if len(self.classes) >= MAX_POSITIONS:
            raise self.error(f"more than {MAX_POSITIONS} positions")
        self.classes.append(self._class())
        self.follow.append(0)
        bit = 1 << (len(self.classes) - 1)
        return _Piece(False, bit, bit)

    # character classes

    def _class(self) -> Class:
        character = self._take()
        if character == "[":
            return self._bracket(0)
        if character == "\\":
            return self._escape()
        if character == ".":
            return lambda given: given not in "\n\r"
        if character in "?*+{}]":
            self.at -= 1
            raise self.error(f"an unexpected {character!r}")
        return character.__eq__

    def _bracket(self, depth: int) -> Class:
        """Parse a character class after its `[`, including the `]`: `^`, characters, ranges, escapes,
        `-[…]`.
        """
        if depth > _MAX_DEPTH:
            raise self.error("too many brackets")
        negative = self._skip("^")
        members: list[Class] = []
        subtracted: Class | None = None
        while not self._skip("]"):
            if members and self._skip("-["):
                subtracted = self._bracket(depth + 1)
                if self._next() != "]":
                    raise self.error("characters after a subtracted class")
            else:
                members.append(self._member(is_first=not members))
        if not members:
            raise self.error("a class without characters")

        def has(character: str) -> bool:
            inside = any(member(character) for member in members) != negative
            return inside and not (subtracted is not None and subtracted(character))

        return has

    def _member(self, is_first: bool) -> Class:
        first = self._take()
        if first == "\\":
            escaped = self._escape()
            low = self.text[self.at - 1] if _is_single(self.text[self.at - 2 : self.at]) else None
            if low is None or self.text.startswith("-[", self.at) or self._next() != "-":
                return escaped
            first = _CONTROL.get(low, low)
        elif first == "[" or (first == "-" and not (is_first or self._next() in ("]", "-"))):
            self.at -= 1
            raise self.error(f"an unexpected {first!r}")
        if self.text.startswith("-[", self.at) or self.text.startswith("-]", self.at) or self._next() != "-":
            return first.__eq__
        self._take()
        last = self._take()
        if last == "\\":
            escape = self._take()
            if not _is_single("\\" + escape):
                raise self.error("a range that ends with a class")
            last = _CONTROL.get(escape, escape)
        elif last == "[":
            raise self.error("a range that ends with a class")
        if last < first:
            raise self.error("a range without characters")
        return lambda character: first <= character <= last

    def _escape(self) -> Class:
        """Parse an escape after its backslash."""
        letter = self._take()
        if _is_single("\\" + letter):
            return _CONTROL.get(letter, letter).__eq__
        if letter in "pP":
            return self._category(negative=letter == "P")
        found = _CLASSES.get(letter.lower())
        if found is None:
            raise self.error(f"an unknown escape \\{letter}")
        return found if letter.islower() else lambda character: not found(character)

    def _category(self, negative: bool) -> Class:
        end = self.text.find("}", self.at)
        if not self._skip("{") or end < 0:
            raise self.error("a category without braces")
        name, self.at = self.text[self.at : end], end + 1
        if name.startswith("Is"):
            raise self.error(f"the Unicode block {name}, which is not supported,")
        if name not in _CATEGORIES:
            raise self.error(f"an unknown category {name!r}")
        return lambda character: unicodedata.category(character).startswith(name) != negative


_CONTROL = {"n": "\n", "r": "\r", "t": "\t"}
_KINDS = {"L": "ultmo", "M": "nce", "N": "dlo", "P": "cdseifo", "Z": "slp", "S": "mcko", "C": "cfon"}
_CATEGORIES = frozenset(letter + kind for letter, kinds in _KINDS.items() for kind in ("", *kinds))
_CLASSES: dict[str, Class] = {
    "s": lambda character: character in " \t\n\r",
    "i": lambda character: NAME_START.match(character) is not None,
    "c": lambda character: NAME_CHARACTER.match(character) is not None,
    "d": lambda character: unicodedata.category(character) == "Nd",
    "w": lambda character: unicodedata.category(character)[0] not in "PZC",
}


def _is_single(escape: str) -> bool:
    """Return whether an escape denotes a single character."""
    return len(escape) == 2 and escape[0] == "\\" and escape[1] in "nrt\\|.?*+(){}-[]^$"
