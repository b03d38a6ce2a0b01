"""SPARQL's functions on strings, hashes and regular expressions (SPARQL 1.1, sections 17.4.3 and 17.4.6).

A string is a literal without a datatype, of xsd:string, or in a language. Two strings are compatible if the
second has no language or the language of the first.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Final
from urllib.parse import quote

from rdflib import Literal

from oracle.answers.numbers import INTEGER, Number, number, to_literal
from oracle.answers.terms import ExpressionError, boolean, is_string, literal, string
from pantarhei.model.term import Term


def _string(term: Term) -> Literal:
    """Return the term, which must be a string, with or without a language."""
    if not isinstance(term, Literal) or not (is_string(term) or term.language):
        raise ExpressionError
    return term


def _in_language_of(term: Literal, text: str) -> Literal:
    """Return a literal of `text` in the language of `term`."""
    return literal(text, language=term.language)


def _pair(left: Term, right: Term) -> tuple[Literal, str]:
    one, other = _string(left), _string(right)
    if other.language and (one.language or "").lower() != other.language.lower():
        raise ExpressionError
    return one, str(other)


def _compared(holds: Callable[[str, str], bool]) -> Callable[[Term, Term], Term]:
    def compute(left: Term, right: Term) -> Term:
        one, other = _pair(left, right)
        return boolean(holds(str(one), other))

    return compute


def _integer(term: Term) -> int:
    kind, given = number(term)
    if kind != INTEGER:
        raise ExpressionError
    return int(given)


def _substring(source: Term, start: Term, length: Term | None = None) -> Term:
    """SUBSTR: the characters from `start`, counted from 1."""
    text, first = _string(source), _integer(start)
    end = len(text) + 1 if length is None else first + _integer(length)
    return _in_language_of(text, "".join(c for at, c in enumerate(str(text), 1) if first <= at < end))


def _before(source: Term, part: Term) -> Term:
    text, searched = _pair(source, part)
    before, _, _ = str(text).partition(searched) if searched else ("", "", "")
    return _in_language_of(text, before) if searched in text else literal("")


def _after(source: Term, part: Term) -> Term:
    text, searched = _pair(source, part)
    _, _, after = str(text).partition(searched) if searched else ("", "", str(text))
    return _in_language_of(text, after) if searched in text else literal("")


def _concatenated(*terms: Term) -> Term:
    texts = [_string(term) for term in terms]
    languages = {(text.language or "").lower() for text in texts}
    language = texts[0].language if len(languages) == 1 else None
    return literal("".join(texts), language=language)


def _language_matches(language: Term, range_: Term) -> Term:
    """Basic filtering of RFC 4647."""
    tag, wanted = string(language).lower(), string(range_).lower()
    if wanted == "*":
        return boolean(tag != "")
    return boolean(tag == wanted or (wanted != "" and tag.startswith(wanted + "-")))


# -- regular expressions ---------------------------------------------------------------------------


def compiled(pattern: str, flags: str) -> re.Pattern[str]:
    r"""Convert an XPath regular expression to a Python one.

    Not supported, and an error: `\p{…}`, `\i` and `\c`, and subtraction of character classes.
    """
    if not set(flags) <= set("smixq"):
        raise ExpressionError
    text = re.escape(pattern) if "q" in flags else "".join(_pieces(pattern, flags))
    given = (re.S * ("s" in flags)) | (re.M * ("m" in flags)) | (re.I * ("i" in flags))
    try:
        return re.compile(text, given)
    except (re.error, OverflowError, RecursionError):
        raise ExpressionError from None


_PIECE = re.compile(r"\\.|\(\?|.", re.S)
_ESCAPES = frozenset("\\" + escape for escape in "nrt\\|.?*+(){}-[]^$dDsSwW0123456789")


def _pieces(pattern: str, flags: str) -> Iterator[str]:
    """Yield the parts of a pattern; parts that Python interprets differently are rewritten."""
    in_class = False
    for piece in _PIECE.findall(pattern):
        if piece == "(?" and not in_class:
            raise ExpressionError
        if (piece[0] == "\\" and piece not in _ESCAPES) or (piece == "[" and in_class):
            raise ExpressionError
        if piece == "$" and not in_class:
            yield r"(?=\n|\Z)" if "m" in flags else r"\Z"
        elif piece == "." and not in_class and "s" not in flags:
            yield r"[^\n\r]"
        elif not ("x" in flags and piece.isspace() and not in_class):
            yield piece
        in_class = piece == "[" or (in_class and piece != "]")


def _matches(text: Term, pattern: Term, flags: Term | None = None) -> Term:
    given = "" if flags is None else string(flags)
    return boolean(compiled(string(pattern), given).search(_string(text)) is not None)


def _replace(text: Term, pattern: Term, replacement: Term, flags: Term | None = None) -> Term:
    r"""REPLACE; a pattern that matches the empty text, and an unescaped `$` or `\`, are errors."""
    source, by, given = _string(text), string(replacement), "" if flags is None else string(flags)
    expression = compiled(string(pattern), given)
    if expression.search(""):
        raise ExpressionError
    if "q" in given:
        return _in_language_of(source, expression.sub(lambda _: by, source))
    if not re.fullmatch(r"([^\\$]|\\[\\$]|\$\d)*", by, re.S):
        raise ExpressionError
    return _in_language_of(source, expression.sub(lambda match: _expand_replacement(by, match), source))


def _expand_replacement(replacement: str, match: re.Match[str]) -> str:
    """Insert the groups' matches into a replacement; `$12` is group 1 followed by 2 if there are fewer than
    12 groups.
    """

    def fill(found: re.Match[str]) -> str:
        if found[0][0] == "\\":
            return found[0][1]
        digits, rest = found[0][1:], ""
        while len(digits) > 1 and int(digits) > match.re.groups:
            digits, rest = digits[:-1], digits[-1] + rest
        return (match[int(digits)] or "" if int(digits) <= match.re.groups else "") + rest

    return re.sub(r"\\[\\$]|\$\d+", fill, replacement, flags=re.ASCII)


def _hashed(algorithm: str) -> Callable[[Term], Term]:
    return lambda term: literal(hashlib.new(algorithm, string(term).encode()).hexdigest())


FUNCTIONS: Final[dict[str, Callable[..., Term]]] = {
    "STRLEN": lambda text: to_literal(Number(INTEGER, len(_string(text)))),
    "SUBSTR": _substring,
    "UCASE": lambda text: _in_language_of(_string(text), str(text).upper()),
    "LCASE": lambda text: _in_language_of(_string(text), str(text).lower()),
    "STRSTARTS": _compared(str.startswith),
    "STRENDS": _compared(str.endswith),
    "CONTAINS": _compared(str.__contains__),
    "STRBEFORE": _before,
    "STRAFTER": _after,
    "ENCODE_FOR_URI": lambda text: literal(quote(str(_string(text)), safe="~")),
    "CONCAT": _concatenated,
    "LANGMATCHES": _language_matches,
    "REGEX": _matches,
    "REPLACE": _replace,
    "MD5": _hashed("md5"),
    "SHA1": _hashed("sha1"),
    "SHA256": _hashed("sha256"),
    "SHA384": _hashed("sha384"),
    "SHA512": _hashed("sha512"),
}
