"""XPath's regular expressions, as used by REGEX and REPLACE.

They are translated to the syntax of the package `regex`, whose searches can be interrupted. Its extensions of
XPath's syntax (lookahead, named groups) are accepted.

Source: XQuery and XPath Functions and Operators, section 7.6; XML Schema part 2, appendix F.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

import regex

from pantarhei.errors import QueryError, QueryTimeoutError
from pantarhei.query.expressions.scalars import ExpressionError
from pantarhei.query.solutions import QueryLimits, size_of
from pantarhei.values.value import NAME_CHARACTER, NAME_START

LONGEST_MATCH: Final = 5.0  # seconds for one text, unless the query's limit is shorter

_TEXTS_BETWEEN_CHECKS = 64
_LONGEST_FAST_TEXT = 1000
_DIGITS: Final = frozenset("0123456789")
_FLAGS: Final = {"i": regex.IGNORECASE, "s": regex.DOTALL, "m": regex.MULTILINE, "x": 0, "q": 0}
# Members of the classes of characters that begin an XML name, or that occur in one.
_CLASSES: Final = {"i": NAME_START.expression[1:-1], "c": NAME_CHARACTER.expression[1:-1]}


class RegexError(ValueError):
    """Malformed regular expression; the message gives the reason and the position."""


def check_pattern(text: str, flags: str = "") -> None:
    """Check that a text is a regular expression.

    Raises:
        QueryError: the regular expression is malformed; the message gives the reason and the position.

    >>> check_pattern("a(b")
    Traceback (most recent call last):
    pantarhei.errors.QueryError: the regular expression 'a(b' is malformed: missing ) at 3
    """
    try:
        compiled(text, flags)
    except RegexError as error:
        raise QueryError(str(error)) from None


@lru_cache(maxsize=512)
def compiled(text: str, flags: str) -> regex.Pattern[str]:
    """Compile a regular expression.

    Raises:
        RegexError: the regular expression is malformed, or a flag is unknown.
    """
    unknown = [flag for flag in flags if flag not in _FLAGS]
    if unknown:
        raise RegexError(
            f"the regular expression {_quoted(text)} has the unknown flag {unknown[0]!r}; "
            f"expected some of {', '.join(_FLAGS)}"
        )
    pattern = regex.escape(text) if "q" in flags else _translate(text, flags)
    options = regex.VERSION0
    for flag in flags:
        options |= _FLAGS[flag]
    try:
        return regex.compile(pattern, options)
    except regex.error as error:
        # the position is exact if nothing before it has been translated
        position = "" if error.pos is None else f" at {min(error.pos, len(text))}"
        raise RegexError(
            f"the regular expression {_quoted(text)} is malformed: {error.msg}{position}"
        ) from None
    except (RecursionError, OverflowError):
        raise RegexError(
            f"the regular expression {_quoted(text)} is nested too deeply or too large"
        ) from None


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 200 else text[:200] + "…")


def matches(texts: Sequence[str], pattern: regex.Pattern[str], limits: QueryLimits) -> list[bool]:
    """Return for each text whether the pattern matches a part of it.

    Patterns that may backtrack for long are searched with a time limit, which costs two microseconds more for
    each text.

    Raises:
        QueryTimeoutError: the search takes too long.
    """
    found: list[bool] = []
    is_fast = _is_fast(pattern)
    for start in range(0, len(texts), _TEXTS_BETWEEN_CHECKS):
        limit = min(limits.left, LONGEST_MATCH)
        chunk = texts[start : start + _TEXTS_BETWEEN_CHECKS]
        is_quick = is_fast and max(map(len, chunk)) <= _LONGEST_FAST_TEXT
        try:
            if is_quick:
                found += [pattern.search(text) is not None for text in chunk]
            else:
                for text in chunk:
                    limit = min(limits.left, LONGEST_MATCH)
                    found.append(pattern.search(text, timeout=limit) is not None)
        except TimeoutError:
            raise _too_long(limits, limit) from None
    return found


def _is_fast(pattern: regex.Pattern[str]) -> bool:
    """Return whether the search time is at most quadratic in the length of the text, since at most one
    character class is repeated.
    """
    return "(" not in pattern.pattern and sum(map(pattern.pattern.count, "*+{")) <= 1


_PLAIN = regex.compile("a", regex.VERSION0)


def _is_text(pattern: regex.Pattern[str]) -> bool:
    """Return whether a pattern is a nonempty text without special characters, which matches only itself."""
    text = pattern.pattern
    return pattern.flags == _PLAIN.flags and bool(text) and not _SPECIAL.intersection(text)


# Characters that are special in patterns.
_SPECIAL = frozenset(r".^$*+?{}[]\|()")


def replace_matches(text: str, pattern: regex.Pattern[str], replacement: str, limits: QueryLimits) -> str:
    """Replace all matches in a text; `$1` in the replacement denotes a group.

    Raises:
        ExpressionError: the pattern matches the empty text, or the replacement has an invalid `$` or
        backslash.
        QueryTimeoutError: the search takes too long.
    """
    parts = _parts_of(replacement, pattern.groups)
    if _is_text(pattern):
        whole = pattern.pattern  # the content of group 0
        inserted = "".join(part if isinstance(part, str) else whole for part in parts)
        limits.check_text(size_of(text) + text.count(whole) * size_of(inserted))
        return text.replace(whole, inserted)
    if matches([""], pattern, limits) == [True]:
        raise ExpressionError
    limit = min(limits.left, LONGEST_MATCH)
    try:
        result: str = pattern.sub(_replacer(parts, size_of(text), limits), text, timeout=limit)
    except TimeoutError:
        raise _too_long(limits, limit) from None
    return result


def _replacer(
    parts: Sequence[str | int], size: int, limits: QueryLimits
) -> Callable[[regex.Match[str]], str]:
    """Return a function that builds the replacement of a match, and checks the size of the result.

    Args:
        size: bytes of the text in which matches are replaced.
    """
    constant = None if any(isinstance(part, int) for part in parts) else "".join(map(str, parts))
    made, checked = size, size

    def replace(match: regex.Match[str]) -> str:
        nonlocal made, checked
        found = constant
        if found is None:
            found = "".join(part if isinstance(part, str) else match[part] or "" for part in parts)
            made += _STRING_OVERHEAD
        made += size_of(found)
        if made - checked > _BETWEEN_CHECKS:
            checked = made
            limits.check_text(made)
        return found

    return replace


# Bytes of a string object without its characters; and bytes of results between two checks.
_STRING_OVERHEAD, _BETWEEN_CHECKS = 64, 1 << 12


def _too_long(limits: QueryLimits, limit: float) -> QueryTimeoutError:
    if limit == LONGEST_MATCH:
        return QueryTimeoutError(limits.timeout, LONGEST_MATCH)
    return QueryTimeoutError(limits.timeout)


def _parts_of(replacement: str, groups: int) -> list[str | int]:
    """Split a replacement into texts and group numbers. A group number has as many digits after the `$` as
    denote an existing group.
    """
    parts: list[str | int] = []
    position = 0
    while position < len(replacement):
        character = replacement[position]
        following = replacement[position + 1 : position + 2]
        position += 1
        if character == "\\":
            if following not in ("\\", "$"):
                raise ExpressionError
            parts.append(following)
            position += 1
        elif character == "$":
            if following not in _DIGITS:
                raise ExpressionError
            number, position = int(following), position + 1
            while (digit := replacement[position : position + 1]) in _DIGITS and 10 * number + int(
                digit
            ) <= groups:
                number, position = 10 * number + int(digit), position + 1
            parts.append(number if number <= groups else "")
        else:
            parts.append(character)
    return parts


# -- translation ---------------------------------------------------------------------------------------


def _translate(text: str, flags: str) -> str:
    r"""Translate a pattern to the syntax of `regex`.

    `$` matches only at the very end, not before a final line break; a dot does not match line breaks of any
    kind; `\\i` and `\\c` are the characters of XML names; subtracted classes become negative lookaheads; the
    flag `x` drops white space.
    """
    replaced = {"$": r"\Z"} if "m" not in flags else {}
    if "s" not in flags:
        replaced["."] = r"[^\n\r]"
    if "x" in flags:
        replaced |= dict.fromkeys(" \t\n\r", "")
    parts: list[str] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character == "\\":
            parts.append(_escape(text[position : position + 2], inside=False))
            position += 2
        elif character == "[":
            part, position = _class(text, position)
            parts.append(part)
        else:
            parts.append(replaced.get(character, character))
            position += 1
    return "".join(parts)


def _escape(escape: str, inside: bool) -> str:
    letter = escape[1:]
    members = _CLASSES.get(letter.lower())
    if members is None:
        return escape
    if inside and letter.isupper():
        raise RegexError(f"{escape} inside a class is not supported")
    return members if inside else f"[{'^' if letter.isupper() else ''}{members}]"


def _class(text: str, start: int) -> tuple[str, int]:
    """Translate the character class that begins at position `start`; also returns the position after it."""
    position = start + 1
    parts = ["["]
    if text.startswith("^", position):
        parts.append("^")
        position += 1
    first = position
    while position < len(text):
        character = text[position]
        if character == "\\":
            parts.append(_escape(text[position : position + 2], inside=True))
            position += 2
        elif character == "]" and position > first:
            return "".join(parts) + "]", position + 1
        elif text.startswith("-[", position) and position > first:
            subtracted, end = _class(text, position + 1)
            if not text.startswith("]", end):
                raise RegexError(f"the regular expression {_quoted(text)} has text after a subtracted class")
            return f"(?:(?!{subtracted}){''.join(parts)}])", end + 1
        else:
            parts.append(
                "\\[" if character == "[" and text[position + 1 : position + 2] != ":" else character
            )
            position += 1
    return text[start:], len(text)  # the class is not closed, which `regex` reports
