"""Parser of names, literals, variables, comparisons and arithmetic in temporal rules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import count

from rdflib import OWL, RDF, RDFS, XSD, Literal, URIRef, Variable

from pantarhei.errors import OptionError, TemporalTextError, check_type
from pantarhei.errors.base import parameter
from pantarhei.model.message_text import DisplayNames, did_you_mean
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import RELATIONS, SIGNS
from pantarhei.model.term import respelled
from pantarhei.temporal.text.cursor import WORDS, Token, TokenCursor
from pantarhei.values.numeric import MAX_DIGITS
from pantarhei.values.scalar_functions import SWRLB

USUAL_PREFIXES = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "swrlb": str(SWRLB), "xsd": str(XSD)}
# Begins an absolute IRI, even if its scheme is also a declared prefix.
_WHOLE_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|(?:urn|tag|did|mailto|file|data):")
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:")
_NO_IRI = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", '"': '"', "'": "'", "\\": "\\"}


def is_variable(token: Token) -> bool:
    """Test whether a token is a variable: `X`, `_x`, `_` or `?x`."""
    return token.kind == "variable" or (
        token.kind == "name" and (token.text[0].isupper() or token.text[0] == "_")
    )


def is_absolute(iri: str) -> bool:
    """Test whether a text is an IRI with a scheme."""
    return _ABSOLUTE.match(iri) is not None and _NO_IRI.search(iri) is None


def check_prefixes(prefixes: Mapping[str, str]) -> None:
    """Check that prefixes are mapped to absolute IRIs.

    Raises:
        OptionError: `prefixes` is not a mapping, or a prefix is mapped to another value.
    """
    expected = "prefixes with the IRIs that they stand for, such as {'ex': 'http://example.org/'}"
    check_type("prefixes", prefixes, Mapping, expected)
    for prefix, iri in prefixes.items():
        if not (isinstance(prefix, str) and isinstance(iri, str) and is_absolute(iri)):
            raise OptionError("prefixes", repr({prefix: iri})[:200], expected)


class RuleTermReader(TokenCursor):
    """Parser of terms.

    Args:
        text: the text of rules.
        prefixes: prefixes that need no declaration.
        source: name of the file, for errors.

    Attributes:
        prefixes: all known prefixes, including those declared so far.
    """

    def __init__(self, text: str, prefixes: Mapping[str, str], source: str | None = None) -> None:
        super().__init__(text, source)
        self._used, self._fresh = self.names, count(1)
        self.prefixes = {**USUAL_PREFIXES, **prefixes}

    def declaration(self) -> None:
        """Parse `ex: <…>`, after `@prefix`."""
        token = self.peek()
        if token.kind != "prefixed" or not token.text.endswith(":"):
            raise self.unexpected("a prefix such as ex: or :")
        self.take()
        if self.peek().kind != "iri":
            raise self.unexpected("an IRI such as <http://example.org/>")
        self.prefixes[token.text[:-1]] = self._absolute(self.take())

    def term(self) -> Argument:
        """Parse a variable, name or literal."""
        token = self.peek()
        if self.is_at("-") and self.peek(1).kind == "number":
            self.take()
            return self._number(self.take(), "-")
        if is_variable(token):
            self.take()
            return self.fresh() if token.text == "_" else Variable(token.text.lstrip("?"))
        match token.kind:
            case "number":
                return self._number(self.take())
            case "string":
                return self._string()
            case "name" | "quoted" | "iri" | "prefixed":
                return self._iri(self.take())
        raise self.unexpected("a variable such as X, a name, a number or a string")

    def predicate(self) -> URIRef:
        """Parse the name of a class, a property, or a conclusion."""
        token = self.peek()
        if is_variable(token):
            problem = f"{token.shown} is read as a variable, by its first letter"
            name = token.text.lstrip("?_") or "p"
            instead = f"a predicate: {name[0].lower()}{name[1:]}, :{name}, '{name}' or an IRI"
            raise self.error(token, problem, instead)
        if token.kind == "name" and token.text in WORDS:
            problem = f"{token.text} is a reserved word"
            raise self.error(token, problem, f"a predicate; '{token.text}' in quotation marks is one")
        if token.kind not in ("name", "quoted", "iri", "prefixed"):
            raise self.unexpected("a predicate, such as hot, ex:Hot, 'hot' or <http://example.org/Hot>")
        return self._iri(self.take())

    def is_builtin(self) -> bool:
        """Test whether the next token is the name of a SWRL built-in."""
        token = self.peek()
        if token.kind == "prefixed":
            return self.prefixes.get(token.text.partition(":")[0]) == str(SWRLB)
        return token.kind == "iri" and token.text.startswith(f"<{SWRLB}")

    def arguments(self) -> tuple[Argument, ...]:
        """Parse terms in parentheses; return none if there are no parentheses."""
        if not self.accept("(") or self.accept(")"):
            return ()
        found = [self.term()]
        while self.accept(","):
            found.append(self.term())
        self.need(")", "a comma and another argument, or ')'")
        return tuple(found)

    def subscript(self, text: str) -> Argument:
        """Return the term of a subscript of @: a tick or a variable."""
        return Literal(int(text)) if text.isdecimal() and len(text) <= MAX_DIGITS else Variable(text)

    def fresh(self) -> Variable:
        """Return a variable that occurs neither in the text nor in the rule."""
        return Variable(next(name for n in self._fresh if (name := f"_{n}") not in self._used))

    # -- tokens --------------------------------------------------------------------------------------

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
            start, local = "", token.text.strip("'")  # a full IRI in quotation marks, as in Laser's notation
        if start is None:
            raise self._unknown_prefix(token, prefix)
        if _NO_IRI.search(local):
            raise self.error(
                token, f"{token.shown} is not part of an IRI", 'a name without spaces or <>"{}|\\^`'
            )
        return URIRef(start + local)

    def _unknown_prefix(self, token: Token, prefix: str) -> TemporalTextError:
        if prefix:
            problem, written = f"the prefix {prefix}: is not declared", f"{prefix}:"
        else:
            problem, written = f"{token.shown} has no prefix, and the text no default one", ":"
        expected = f"a line @prefix {written} <http://…#> . above"
        if argument := parameter("rules.prefixes", f"{{{prefix!r}: 'http://…#'}}"):
            expected += f", or {argument}"
        return self.error(token, problem, expected)

    def _absolute(self, token: Token) -> str:
        if not _ABSOLUTE.match(token.text, 1):
            raise self.error(
                token, f"{token.shown} is relative", "an IRI with its scheme, such as <http://…>"
            )
        return token.text[1:-1]

    def _number(self, token: Token, sign: str = "") -> Literal:
        text = token.text
        if len(text) > MAX_DIGITS:
            raise self.error(token, f"a number of {len(text)} digits", f"at most {MAX_DIGITS}")
        if not set(text).isdisjoint("eE"):
            return Literal(sign + text, datatype=XSD.double, normalize=False)
        if "." in text:
            return Literal(sign + text, datatype=XSD.decimal, normalize=False)
        return Literal(int(sign + text))

    def _string(self) -> Literal:
        token = self.take()
        body, _, language = token.text[1:].rpartition('"')
        text = _ESCAPE.sub(lambda escape: self._character(token, escape), body)
        if self.accept("^^"):
            of_type = self.peek()
            if of_type.kind not in ("iri", "prefixed", "name", "quoted"):
                raise self.unexpected("a datatype such as xsd:date")
            datatype = self._iri(self.take())
            return respelled(Literal(text, datatype=datatype, normalize=False))
        return Literal(text, lang=language[1:] or None)

    def _character(self, token: Token, escape: re.Match[str]) -> str:
        four, eight, plain = escape.groups()
        code = int(four or eight or "0", 16)
        if plain in _PLAIN_ESCAPES:
            return _PLAIN_ESCAPES[plain]
        if plain is not None or code > 0x10FFFF or 0xD800 <= code < 0xE000:
            raise self.error(token, f"{escape[0]} is not a valid escape", r"\", \\, \n, \t, \r or \u00E9")
        return chr(code)


_RELATION_NAMES = {sign: name for name, sign in RELATIONS.items()} | {
    "≠": "notEqual",
    "≤": "lessThanOrEqual",
    "≥": "greaterThanOrEqual",
}
_SIGN_NAMES = {sign: name for name, sign in SIGNS.items()}
_A_RELATION = "a comparison: =, !=, <, <=, > or >="
_SUMS, _PRODUCTS = ("+", "-"), ("*", "/", "mod", "^")


class ArithmeticReader(RuleTermReader):
    """Parser of comparisons and arithmetic; the results are SWRL built-ins.

    Intermediate results are generated variables.
    """

    def is_comparison(self) -> bool:
        """Test whether the next tokens begin a comparison, not a formula."""
        token, following = self.peek(), self.peek(1)
        if token.kind in ("number", "string") or self.is_at("-") or self.is_builtin():
            return True
        if is_variable(token):
            return not self.is_at("(", further=1) or token.text in ("COMP", "MATH")
        if token.kind == "name" and token.text in WORDS:
            return False
        return token.kind in ("name", "quoted", "iri", "prefixed") and (
            following.kind == "relation" or self.is_at(*_SUMS, *_PRODUCTS, further=1)
        )

    def tests(self) -> list[Builtin]:
        """Parse a comparison, `COMP(<, X, Y)` or `MATH(+, R, X, Y)`; return it after the computations that it
        needs.
        """
        if self.is_at("COMP", "MATH") and self.is_at("(", further=1):
            return [self._prefix_form()]
        token = self.peek()
        written = self.written(token)
        if self.is_builtin():
            return [Builtin(self.predicate(), self.arguments(), written)]
        left, of_left = self.expression()
        if is_variable(token) and not of_left and self.peek().kind != "relation":
            problem = f"{token.shown} is read as a variable, by its first letter"
            raise self.error(token, problem, f"{_A_RELATION} after it, or a predicate such as hot(X)")
        relation = self._relation()
        right, of_right = self.expression()
        if relation == "equal" and (of_left or of_right):
            # `X = Y + 1`: the last computation of the right side, or of the left one, binds the other side
            computed, result, first = (of_right, left, of_left) if of_right else (of_left, right, of_right)
            last = computed[-1]
            arguments = (result, *last.arguments[1:])
            return [*first, *computed[:-1], replace(last, arguments=arguments, written=written)]
        return [*of_left, *of_right, Builtin(SWRLB[relation], (left, right), written)]

    def expression(self) -> tuple[Argument, list[Builtin]]:
        """Parse sums and products, left-associative; return the result and its computations."""
        made: list[Builtin] = []
        start = self.peek()
        left = self._product(made)
        while self.is_at(*_SUMS):
            sign = self.take()
            left = self._made(start, sign.text, left, self._product(made), made)
        return left, made

    def time_term(self) -> tuple[Argument, list[Builtin]]:
        """Parse the time of a tick, which may be an expression; return its term and computations."""
        token = self.peek()
        found, made = self.expression()
        return self.checked_time(token, found), made

    def checked_time(self, token: Token, found: Argument) -> Argument:
        """Check that a term is a variable or a literal, since a name does not denote a time.

        Raises:
            TemporalTextError: the term is a name.
        """
        if not isinstance(found, Variable | Literal):
            problem = f"{token.shown} is not a time{did_you_mean(token.text, ('least',))}"
            raise self.error(token, problem, "a variable, a number, or T + 1")
        return found

    def _product(self, made: list[Builtin]) -> Argument:
        start = self.peek()
        left = self.term()
        while self.is_at(*_PRODUCTS):
            sign = self.take()
            left = self._made(start, sign.text, left, self.term(), made)
        return left

    def _made(
        self, start: Token, sign: str, left: Argument, right: Argument, made: list[Builtin]
    ) -> Variable:
        result, written = self.fresh(), self.written(start)
        made.append(Builtin(SWRLB[_SIGN_NAMES[sign]], (result, left, right), written))
        return result

    def _relation(self) -> str:
        token = self.peek()
        if token.kind != "relation":
            raise self.unexpected(_A_RELATION)
        return _RELATION_NAMES[self.take().text]

    def _prefix_form(self) -> Builtin:
        """Parse Laser's notation: the sign, for MATH the result, then two operands."""
        word = self.take()
        self.need("(")
        name = self._relation() if word.text == "COMP" else self._sign()
        arguments: list[Argument] = []
        for _ in range(2 if word.text == "COMP" else 3):
            self.need(",", self._prefix_arguments(word))
            arguments.append(self.term())
        self.need(")", self._prefix_arguments(word))
        return Builtin(SWRLB[name], tuple(arguments), self.written(word))

    def _sign(self) -> str:
        if not self.is_at(*_SIGN_NAMES):
            raise self.unexpected("a sign: +, -, *, /, mod or ^")
        return _SIGN_NAMES[self.take().text]

    @staticmethod
    def _prefix_arguments(word: Token) -> str:
        return "COMP(<, X, Y)" if word.text == "COMP" else "MATH(+, result, X, Y)"


_PREFIX = re.compile(r"(?:[^\W\d_][\w\-]{0,250})?")
_LOCAL = re.compile(r"\w[\w\-]*")
_BARE = re.compile(r"[^\W\d_]\w*")


def names_in_text(iris: Iterable[URIRef], prefixes: Mapping[str, str]) -> DisplayNames:
    """Return how IRIs are written in a text: bare, with a prefix, or in full."""
    known = {
        prefix: start
        for prefix, start in (USUAL_PREFIXES | {**prefixes}).items()
        if _PREFIX.fullmatch(prefix)
    }
    return DisplayNames(known, {iri: _written(iri, known) for iri in iris})


def declarations(names: DisplayNames) -> list[str]:
    """Return the lines that declare the used prefixes, except the predefined ones."""
    used = {text.partition(":")[0] for text in names.longer.values() if ":" in text and text[0] != "<"}
    if any(":" not in text for text in names.longer.values()):
        used.add("")
    return [
        f"@prefix {prefix}: <{names.prefixes[prefix]}> ."
        for prefix in sorted(used)
        if names.prefixes[prefix] != USUAL_PREFIXES.get(prefix)
    ]


def _written(iri: URIRef, prefixes: Mapping[str, str]) -> str:
    fitting = [
        (len(start), prefix)
        for prefix, start in prefixes.items()
        if iri.startswith(start) and _LOCAL.fullmatch(iri[len(start) :])
    ]
    if not fitting:
        return f"<{iri}>"
    length, prefix = max(fitting)
    local = iri[length:]
    is_bare = not prefix and _BARE.fullmatch(local) and not local[0].isupper() and local not in WORDS
    return local if is_bare else f"{prefix}:{local}"
