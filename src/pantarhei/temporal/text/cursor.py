"""Tokens of a text, their positions, and syntax errors."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

from pantarhei.errors import TemporalTextError
from pantarhei.model.message_text import TextPosition, did_you_mean


class Token(NamedTuple):
    """Token of a text of rules.

    Args:
        kind: "iri", "string", "quoted", "variable", "duration", "number", "prefixed", "arrow", "relation",
            "name", "sign", or "end" for the end of the text.
        text: the token as written.
        start: offset of the token in the text, in characters.
    """

    kind: str
    text: str
    start: int

    @property
    def shown(self) -> str:
        """The token in an error text."""
        if self.kind == "end":
            return "the end of the text"
        return self.text if len(self.text) <= _MOST_SHOWN else f"{self.text[:_MOST_SHOWN]}…"


WORDS = frozenset(
    ("not", "and", "in", "at", "always", "asserted", "remember", "diamond", "box", "time_win", "tuple_win")
)
"""Reserved words: a predicate with such a name needs quotation marks or a prefix."""

_MOST_SHOWN = 60
# No alternative can match in two ways or looks ahead without limit, so tokenizing costs linear time.
_TOKEN = re.compile(
    r"""
    (?P<skip>\s+|(?:%(?!\*)|//)[^\n]*)
    |(?P<block>%\*|/\*)
    |(?P<iri><[^\s<>"{}|^`\\]*>)
    |(?P<string>"(?:[^"\\\n]|\\.)*"(?:@[A-Za-z]+(?:-[A-Za-z0-9]+)*)?)
    |(?P<quoted>'[^'\n]*')
    |(?P<variable>\?\w+)
    |(?P<duration>(?<=\[)P[0-9A-Z.]+)
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)
    |(?P<prefixed>(?:[^\W\d_][\w\-]{0,250})?:(?!-)(?:\w[\w\-]*)?)
    |(?P<arrow>:-|<-|←)
    |(?P<relation>!=|<=|>=|≤|≥|≠|[=<>])
    |(?P<name>[^\W\d]\w*)
    |(?P<sign>\^\^|[@()\[\],.⊞□◇∧¬#+\-*/^])
    """,
    re.VERBOSE,
)


def tokens(text: str, source: str | None = None) -> list[Token]:
    """Split a text into tokens, without comments; the last token marks the end of the text.

    Args:
        source: name of the file, for errors.

    Raises:
        TemporalTextError: a part of the text is not a token.
    """
    if half := re.search("[\ud800-\udfff]", text):
        problem = "an unpaired surrogate is not a character"
        raise _error_at(text, source, half.start(), problem, "whole characters")
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            unexpected = f"unexpected {text[place]!r}", "rules such as alarm(X) :- hot(X)."
            raise _error_at(text, source, place, *_UNFINISHED.get(text[place], unexpected))
        kind, start, place = str(match.lastgroup), place, match.end()
        if kind == "block":
            place = text.find(_CLOSES[match[0]], place) + 2
            if place < 2:
                expected = f"a closing {_CLOSES[match[0]]}"
                raise _error_at(text, source, start, "this comment is not closed", expected)
        elif kind != "skip":
            found.append(Token(kind, match[0], start))
    return [*found, Token("end", "", len(text.rstrip()))]


_CLOSES = {"%*": "*%", "/*": "*/"}
_UNFINISHED = {
    '"': ("this string is not closed on its line", 'a closing "; \\n stands for the end of a line'),
    "'": ("this quoted name is not closed on its line", "a closing '"),
    "?": ("the name of a variable is missing", "a letter after the question mark"),
    **{
        sign: (f"unexpected {sign!r}", "a comma between conditions, and a full stop after a rule")
        for sign in ";&"
    },
    "|": ("unexpected '|'", "a second rule with the same head, for an alternative"),
}
_INSTEAD = {
    "for": "always in [5 min]",
    "during": "always in [5 min]",
    "throughout": "always in [5 min]",
    "within": "in [5 min]",
    "or": "a second rule with the same head",
    "if": ":-",
    "when": ":-",
    "unless": "a comma and not",
    "#": "%, with which a comment begins",
    "==": "one = alone",
    "=<": "<=",
    "=>": ">=",
}
"""Suggestions for words and signs of other rule languages."""


def _error_at(text: str, source: str | None, place: int, problem: str, expected: str) -> TemporalTextError:
    return TemporalTextError(problem, expected, *_LineIndex(text, source).written(place))


class _LineIndex:
    """Index from offsets in a text to lines."""

    def __init__(self, text: str, source: str | None) -> None:
        self._lines, self._source = text.split("\n"), source
        self._starts = [0, *accumulate(len(line) + 1 for line in self._lines)]

    def written(self, place: int) -> TextPosition:
        """Return the line and column of an offset in characters. Costs a binary search."""
        line = bisect_right(self._starts, place) - 1
        column = place - self._starts[line] + 1
        return TextPosition(line + 1, column, self._lines[line].rstrip("\r"), self._source)


class TokenCursor:
    """Cursor over the tokens of a text."""

    def __init__(self, text: str, source: str | None = None) -> None:
        self._tokens = tokens(text, source)
        self._lines = _LineIndex(text, source)
        self._next = 0

    @property
    def names(self) -> frozenset[str]:
        """All names and variables in the text."""
        return frozenset(
            token.text.lstrip("?") for token in self._tokens if token.kind in ("name", "variable")
        )

    def peek(self, further: int = 0) -> Token:
        """Return the next token, or the token `further` positions after it."""
        return self._tokens[min(self._next + further, len(self._tokens) - 1)]

    @property
    def starts_line(self) -> bool:
        """Test whether the next token is on a later line than the previous token."""
        before = self._tokens[max(self._next - 1, 0)]
        return self.written(before).line < self.written(self.peek()).line

    def is_at(self, *words: str, further: int = 0) -> bool:
        """Test whether the next token, or the token `further` positions after it, is one of some words or
        signs.
        """
        token = self.peek(further)
        return token.text in words and token.kind in ("name", "sign", "arrow")

    def take(self) -> Token:
        """Consume and return the next token."""
        token = self.peek()
        self._next += 1
        return token

    @property
    def place(self) -> int:
        """Number of consumed tokens."""
        return self._next

    def taken_since(self, place: int) -> list[Token]:
        """Return the tokens consumed since the cursor was at a `place`."""
        return self._tokens[place : self._next]

    def accept(self, *words: str) -> Token | None:
        """Consume the next token if it is one of some words or signs; return None otherwise."""
        return self.take() if self.is_at(*words) else None

    def need(self, word: str, expected: str | None = None) -> Token:
        """Consume the next token, which must be a given word or sign.

        Raises:
            TemporalTextError: the next token is not the given one.
        """
        if not self.is_at(word):
            raise self.unexpected(expected or f"{word!r}")
        return self.take()

    def unexpected(self, expected: str) -> TemporalTextError:
        """Return the error that the next token is not expected."""
        token = self.peek()
        problem = "unexpected end of the text" if token.kind == "end" else f"unexpected {token.shown}"
        return self.error(token, problem + (self._suggestion(0) or self._suggestion(-1)), expected)

    def _suggestion(self, further: int) -> str:
        """Return a hint for a misspelled word or a sign of another language; empty if there is none.

        A name before another name or a number is likely a misspelled word, since no valid text has it there.
        """
        token, following = self.peek(further), self.peek(further + 1)
        is_next = further == 0 and token.kind in ("name", "sign")
        if is_next and token.text in _INSTEAD and (token.text != "#" or self.starts_line):
            return f" (did you mean {_INSTEAD[token.text]}?)"
        if further == 0 and (instead := _INSTEAD.get(self.peek(-1).text + token.text)):
            return f" (did you mean {instead}?)"
        is_word = token.kind == "name" and token.text not in WORDS
        leads_on = following.kind in ("name", "iri", "prefixed", "quoted", "number") or following.text == "["
        meant = did_you_mean(token.text, WORDS) if is_word and leads_on else ""
        return "" if f" {self.peek().text}?" in meant else meant  # the suggestion is the next word itself

    def error(self, token: Token, problem: str, expected: str) -> TemporalTextError:
        """Return an error at the position of a token."""
        return TemporalTextError(problem, expected, *self.written(token))

    def written(self, token: Token) -> TextPosition:
        """Return the position of a token."""
        return self._lines.written(token.start)
