"""Functions of strings, of IRIs and of literals.

Source: SPARQL 1.1, sections 17.4.2 to 17.4.4; XQuery and XPath Functions and Operators, section 7.
"""

from __future__ import annotations

import hashlib
import operator
import re
from collections.abc import Callable
from string import ascii_letters, digits
from typing import Final
from urllib.parse import quote

from rdflib import RDF, BNode, Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions.context import Context
from pantarhei.query.expressions.regular_expressions import compiled, matches, replace_matches
from pantarhei.query.expressions.scalars import ExpressionError, number_of
from pantarhei.query.solutions import size_of
from pantarhei.rdf.ntriples import typed_literal
from pantarhei.values import canonical
from pantarhei.values.value import STRING


def string(term: Term) -> Literal:
    """Return a term that is a string, with or without a language tag.

    Raises:
        ExpressionError: the term is not a string.
    """
    if isinstance(term, Literal) and (term.language is not None or term.datatype in (None, STRING)):
        return term
    raise ExpressionError


def simple(term: Term) -> str:
    """Return the text of a string without a language tag.

    Raises:
        ExpressionError: the term is not such a string.
    """
    literal = string(term)
    if literal.language is not None:
        raise ExpressionError
    return str(literal)


def str_(term: Term) -> Literal:
    """Return the text of a literal or an IRI."""
    if isinstance(term, BNode):
        raise ExpressionError
    return canonical.simple_literal(str(term))


def strlen(term: Term) -> int:
    return len(string(term))


def substr(term: Term, start: Term, length: Term | None = None) -> Literal:
    """Return the characters from position `start` on, where the first character has position 1.

    >>> str(substr(Literal("motor car"), Literal(0), Literal(3)))
    'mo'
    """
    text = string(term)
    first = _integer(start)
    end = len(text) + 1 if length is None else first + _integer(length)
    return canonical.with_language_of(str(text)[max(first, 1) - 1 : max(end, 1) - 1], text)


def _integer(term: Term) -> int:
    value = number_of(term).value
    if not isinstance(value, int):
        raise ExpressionError
    return value


def map_text(function: Callable[[str], str], term: Term) -> Literal:
    """Apply a function to the text of a string; the result has the string's language tag."""
    return canonical.with_language_of(function(str(string(term))), string(term))


def _compatible(one: Term, other: Term) -> tuple[Literal, str]:
    """Return two compatible arguments (section 17.4.3.1.2): the second has no language tag, or the first
    one's tag.

    Raises:
        ExpressionError: the arguments are not compatible.
    """
    first, second = string(one), string(other)
    if second.language is not None and _language(first) != _language(second):
        raise ExpressionError
    return first, str(second)


def _language(literal: Literal) -> str | None:
    return None if literal.language is None else literal.language.lower()


TEXT_TESTS: Final[dict[str, Callable[[str, str], bool]]] = {
    "CONTAINS": operator.contains,
    "STRSTARTS": str.startswith,
    "STRENDS": str.endswith,
}


def text_test(name: str, term: Term, other: Term) -> bool:
    """Evaluate a test of `TEXT_TESTS` on two strings."""
    text, part = _compatible(term, other)
    return TEXT_TESTS[name](str(text), part)


def strbefore(term: Term, other: Term) -> Literal:
    text, part = _compatible(term, other)
    before, found, _ = (str(text).partition(part)) if part else ("", True, "")
    return canonical.with_language_of(before, text) if found else Literal("")


def strafter(term: Term, other: Term) -> Literal:
    text, part = _compatible(term, other)
    _, found, after = str(text).partition(part) if part else ("", True, str(text))
    return canonical.with_language_of(after, text) if found else Literal("")


def encode_for_uri(context: Context, term: Term) -> Literal:
    text = str(string(term))
    octets = text.encode()
    context.limits.check_text(len(octets) + 2 * len(octets.translate(None, _UNRESERVED)))
    return Literal(quote(octets, safe=_UNRESERVED))


# Characters of an IRI that need no escape (RFC 3986, section 2.3).
_UNRESERVED: Final = b"-_.~" + f"{ascii_letters}{digits}".encode()


def concat(context: Context, *terms: Term) -> Literal:
    """Concatenate strings; the result has their language tag if all have the same one."""
    texts = [string(term) for term in terms]
    context.limits.check_text(sum(map(size_of, texts)))
    text = "".join(texts)
    languages = {_language(literal) for literal in texts}
    return canonical.with_language_of(text, texts[0]) if len(languages) == 1 else Literal(text)


def lang(term: Term) -> Literal:
    if not isinstance(term, Literal):
        raise ExpressionError
    return Literal(term.language or "")


def langmatches(tag: Term, language_range: Term) -> bool:
    """Match a language tag by basic filtering (RFC 4647, section 3.3.1).

    >>> langmatches(Literal("de-Latn-DE"), Literal("de"))
    True
    """
    text, wanted = simple(tag).lower(), simple(language_range).lower()
    if wanted == "*":
        return text != ""
    return text == wanted or (bool(wanted) and text.startswith(f"{wanted}-"))


def _hashed(algorithm: str) -> Callable[[Term], Literal]:
    def digest(term: Term) -> Literal:
        return Literal(hashlib.new(algorithm, simple(term).encode(), usedforsecurity=False).hexdigest())

    return digest


HASHES: Final = {name: _hashed(name.lower()) for name in ("MD5", "SHA1", "SHA256", "SHA384", "SHA512")}


def regex(context: Context, term: Term, pattern: Term, flags: Term | None = None) -> bool:
    expression = compiled(simple(pattern), "" if flags is None else simple(flags))
    return matches([str(string(term))], expression, context.limits)[0]


def replace(
    context: Context, term: Term, pattern: Term, replacement: Term, flags: Term | None = None
) -> Literal:
    text, how = string(term), "" if flags is None else simple(flags)
    expression = compiled(simple(pattern), how)
    inserted = simple(replacement)
    if "q" in how:
        inserted = inserted.replace("\\", "\\\\").replace("$", "\\$")
    return canonical.with_language_of(replace_matches(str(text), expression, inserted, context.limits), text)


_LANGUAGE = re.compile(r"[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")
_NOT_IN_IRIS = re.compile(r'[\x00-\x20<>"{}|^`\\]')
LANG_STRING: Final = RDF.langString


def is_iri(term: Term) -> bool:
    return isinstance(term, URIRef)


def is_blank(term: Term) -> bool:
    return isinstance(term, BNode)


def datatype(term: Term) -> URIRef:
    if not isinstance(term, Literal):
        raise ExpressionError
    return LANG_STRING if term.language is not None else term.datatype or STRING


def iri(term: Term, base: Term | None = None) -> URIRef:
    """Convert a simple string to an IRI, resolved against a base."""
    if isinstance(term, URIRef):
        return term
    text = simple(term)
    if _NOT_IN_IRIS.search(text):
        raise ExpressionError
    return URIRef(text) if base is None else URIRef(text, base=str(base))


def strdt(text: Term, name: Term) -> Literal:
    if not isinstance(name, URIRef):
        raise ExpressionError
    return Literal(simple(text)) if name == STRING else typed_literal(simple(text), name)


def strlang(text: Term, tag: Term) -> Literal:
    language = simple(tag)
    if not _LANGUAGE.fullmatch(language):
        raise ExpressionError
    return Literal(simple(text), lang=language)
