"""Names, literals and variables of temporal rules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count

from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef, Variable

from pantarhei.errors import OptionError, TemporalTextError, check_type
from pantarhei.model.rule import Argument
from pantarhei.model.term import respelled
from pantarhei.temporal.text.cursor import WORDS, Cursor, Token
from pantarhei.values.builtin import SWRLB
from pantarhei.values.numeric import MOST_DIGITS

USUAL_PREFIXES = {
    "owl": str(OWL),
    "rdf": str(RDF),
    "rdfs": str(RDFS),
    "swrlb": str(SWRLB),
    "xsd": str(XSD),
}
# An absolute IRI, although its scheme could be a prefix.
_WHOLE_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|tag|did|mailto|file|data):")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NO_IRI = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def is_variable(token: Token) -> bool:
    """Whether a token is a variable: `X`, `_x`, `_` or `?x`."""
    return token.kind == "variable" or (
        token.kind == "name" and (token.text[0].isupper() or token.text[0] == "_")
    )


def is_absolute(iri: str) -> bool:
    """Whether it is an IRI with its scheme, as a prefix stands for."""
    return _ABSOLUTE.match(iri) is not None and _NO_IRI.search(iri) is None


def check_prefixes(prefixes: Mapping[str, str]) -> None:
    """Nothing, if each prefix stands for an IRI.

    Raises:
        OptionError: one does not, or they are no mapping.
    """
    expected = "prefixes with the IRIs that they stand for, such as {'ex': 'http://example.org/'}"
    check_type("prefixes", prefixes, Mapping, expected)
    for prefix, iri in prefixes.items():
        if not (isinstance(prefix, str) and isinstance(iri, str) and is_absolute(iri)):
            raise OptionError("prefixes", repr({prefix: iri})[:200], expected)


class TermReader:
    """Reads terms at a cursor.

    Args:
        prefixes: those that need no declaration; `prefixes` has the declared ones too.
    """

    def __init__(self, cursor: Cursor, prefixes: Mapping[str, str]) -> None:
        self._cursor = cursor
        self._taken = cursor.names
        self._fresh = count(1)
        self.prefixes = {**USUAL_PREFIXES, **prefixes}

    def declaration(self) -> None:
        """`ex: <…>`, behind `@prefix`."""
        token = self._cursor.peek()
        if token.kind != "prefixed" or not token.text.endswith(":"):
            raise self._cursor.unexpected("a prefix such as ex: or :")
        self._cursor.take()
        if self._cursor.peek().kind != "iri":
            raise self._cursor.unexpected("an IRI such as <http://example.org/>")
        self.prefixes[token.text[:-1]] = self._absolute(self._cursor.take())

    def term(self) -> Argument:
        """A variable, name or literal."""
        token = self._cursor.peek()
        if self._cursor.is_at("-") and self._cursor.peek(1).kind == "number":
            self._cursor.take()
            return self._number(self._cursor.take(), "-")
        if is_variable(token):
            self._cursor.take()
            return self.fresh() if token.text == "_" else Variable(token.text.lstrip("?"))
        match token.kind:
            case "number":
                return self._number(self._cursor.take())
            case "string":
                return self._string()
            case "name" | "quoted" | "iri" | "prefixed":
                return self._iri(self._cursor.take())
        raise self._cursor.unexpected("a variable such as X, a name, a number or a string")

    def predicate(self) -> URIRef:
        """The name of a class, a property, or a conclusion."""
        token = self._cursor.peek()
        if is_variable(token):
            problem = f"{token.shown} is read as a variable, by its first letter"
            name = token.text.lstrip("?_") or "p"
            instead = f"a predicate: {name[0].lower()}{name[1:]}, :{name}, '{name}' or an IRI"
            raise self._cursor.error(token, problem, instead)
        if token.kind == "name" and token.text in WORDS:
            problem = f"{token.text} is a word of the language"
            raise self._cursor.error(
                token, problem, f"a predicate; one of that name is written '{token.text}'"
            )
        if token.kind not in ("name", "quoted", "iri", "prefixed"):
            raise self._cursor.unexpected(
                "a predicate, such as hot, ex:Hot, 'hot' or <http://example.org/Hot>"
            )
        return self._iri(self._cursor.take())

    def is_builtin(self) -> bool:
        """Whether the next token is the name of a built-in of SWRL."""
        token = self._cursor.peek()
        if token.kind == "prefixed":
            return self.prefixes.get(token.text.partition(":")[0]) == str(SWRLB)
        return token.kind == "iri" and token.text.startswith(f"<{SWRLB}")

    def arguments(self) -> tuple[Argument, ...]:
        """Terms in parentheses; none where no parenthesis opens."""
        if not self._cursor.accept("(") or self._cursor.accept(")"):
            return ()
        found = [self.term()]
        while self._cursor.accept(","):
            found.append(self.term())
        self._cursor.need(")", "a comma and another argument, or ')'")
        return tuple(found)

    def subscript(self, text: str) -> Argument:
        """What stands below an @ in a paper: a tick or a variable."""
        return Literal(int(text)) if text.isdecimal() and len(text) <= MOST_DIGITS else Variable(text)

    def begin_rule(self) -> None:
        """Count variables of its own from 1 again."""
        self._fresh = count(1)

    def fresh(self) -> Variable:
        """A variable that the text does not have, and the rule not yet."""
        return Variable(next(name for n in self._fresh if (name := f"_{n}") not in self._taken))

    # -- what a token stands for -----------------------------------------------------------------------

    def _iri(self, token: Token) -> URIRef:
        match token.kind:
            case "iri":
                return URIRef(self._absolute(token))
            case "prefixed":
                prefix, _, local = token.text.partition(":")
            case "quoted" if ":" in token.text:
                prefix, _, local = token.text.strip("'").partition(":")
            case _:
                prefix, local = "", token.text.strip("'")
        start = self.prefixes.get(prefix)
        if start is None and token.kind == "quoted" and _WHOLE_IRI.match(token.text, 1):
            start, local = "", token.text.strip("'")  # as Laser writes predicates
        if start is None:
            raise self._unknown_prefix(token, prefix)
        if _NO_IRI.search(local):
            raise self._cursor.error(
                token, f"{token.shown} is not part of an IRI", 'a name without spaces or <>"{}|\\^`'
            )
        return URIRef(start + local)

    def _unknown_prefix(self, token: Token, prefix: str) -> TemporalTextError:
        if prefix:
            problem, written = f"the prefix {prefix}: is not declared", f"{prefix}:"
        else:
            problem, written = f"{token.shown} has no prefix, and the text no default one", ":"
        expected = f"a line @prefix {written} <http://…#> . above, or prefixes={{{prefix!r}: 'http://…#'}}"
        return self._cursor.error(token, problem, expected)

    def _absolute(self, token: Token) -> str:
        if not _ABSOLUTE.match(token.text, 1):
            raise self._cursor.error(
                token, f"{token.shown} is relative", "an IRI with its scheme, such as <http://…>"
            )
        return token.text[1:-1]

    def _number(self, token: Token, sign: str = "") -> Literal:
        text = token.text
        if len(text) > MOST_DIGITS:
            raise self._cursor.error(token, f"a number of {len(text)} digits", f"at most {MOST_DIGITS}")
        if not set(text).isdisjoint("eE"):
            return Literal(sign + text, datatype=XSD.double, normalize=False)
        if "." in text:
            return Literal(sign + text, datatype=XSD.decimal, normalize=False)
        return Literal(int(sign + text))

    def _string(self) -> Literal:
        token = self._cursor.take()
        body, _, language = token.text[1:].rpartition('"')
        text = _ESCAPE.sub(lambda escape: self._character(token, escape), body)
        if self._cursor.accept("^^"):
            of_type = self._cursor.peek()
            if of_type.kind not in ("iri", "prefixed", "name", "quoted"):
                raise self._cursor.unexpected("a datatype such as xsd:date")
            datatype = self._iri(self._cursor.take())
            return respelled(Literal(text, datatype=datatype, normalize=False))
        return Literal(text, lang=language[1:] or None)

    def _character(self, token: Token, escape: re.Match[str]) -> str:
        four, eight, plain = escape.groups()
        code = int(four or eight or "0", 16)
        if plain in _PLAIN_ESCAPES:
            return _PLAIN_ESCAPES[plain]
        if plain is not None or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise self._cursor.error(
                token, f"{escape[0]} stands for no character", r"\", \\, \n, \t, \r or \u00E9"
            )
        return chr(code)
