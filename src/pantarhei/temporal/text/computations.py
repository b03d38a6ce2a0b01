"""Comparisons and arithmetic of temporal rules, as SWRL's built-ins."""

from __future__ import annotations

from dataclasses import replace

from rdflib import Literal, Variable

from pantarhei.model.messages import did_you_mean
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import RELATIONS, SIGNS
from pantarhei.temporal.text.cursor import WORDS, Cursor, Token
from pantarhei.temporal.text.terms import TermReader, is_variable
from pantarhei.values.builtin import SWRLB

_RELATION_NAMES = {sign: name for name, sign in RELATIONS.items()} | {
    "≠": "notEqual",
    "≤": "lessThanOrEqual",
    "≥": "greaterThanOrEqual",
}
_SIGN_NAMES = {sign: name for name, sign in SIGNS.items()}
_A_RELATION = "a comparison: =, !=, <, <=, > or >="
_SUMS, _PRODUCTS = ("+", "-"), ("*", "/", "mod", "^")


class ComputationReader:
    """Reads comparisons and arithmetic at a cursor.

    What is computed on the way gets variables of its own.
    """

    def __init__(self, cursor: Cursor, terms: TermReader) -> None:
        self._cursor, self._terms = cursor, terms

    def is_next(self) -> bool:
        """Whether a comparison begins here, and no formula."""
        token, behind = self._cursor.peek(), self._cursor.peek(1)
        if token.kind in ("number", "string") or self._cursor.is_at("-") or self._terms.is_builtin():
            return True
        if is_variable(token):
            return not self._cursor.is_at("(", further=1) or token.text in ("COMP", "MATH")
        if token.kind == "name" and token.text in WORDS:
            return False
        return token.kind in ("name", "quoted", "iri", "prefixed") and (
            behind.kind == "relation" or self._cursor.is_at(*_SUMS, *_PRODUCTS, further=1)
        )

    def tests(self) -> list[Builtin]:
        """A comparison, `COMP(<, X, Y)` or `MATH(+, R, X, Y)`, and what must be computed before it."""
        if self._cursor.is_at("COMP", "MATH") and self._cursor.is_at("(", further=1):
            return [self._prefix_form()]
        token = self._cursor.peek()
        written = self._cursor.written(token)
        if self._terms.is_builtin():
            return [Builtin(self._terms.predicate(), self._terms.arguments(), written)]
        left, before = self.expression()
        if is_variable(token) and not before and self._cursor.peek().kind != "relation":
            problem = f"{token.shown} is read as a variable, by its first letter"
            raise self._cursor.error(
                token, problem, f"{_A_RELATION} behind it, or a predicate such as hot(X)"
            )
        relation = self._relation()
        right, more = self.expression()
        if relation == "equal" and (before or more):
            # the side that is computed, the right one of two, gets the other's name for its result
            computed, result, first = (more, left, before) if more else (before, right, more)
            last = computed[-1]
            arguments = (result, *last.arguments[1:])
            return [*first, *computed[:-1], replace(last, arguments=arguments, written=written)]
        return [*before, *more, Builtin(SWRLB[relation], (left, right), written)]

    def expression(self) -> tuple[Argument, list[Builtin]]:
        """Products and sums from left to right; what has their result, and how it is computed."""
        made: list[Builtin] = []
        start = self._cursor.peek()
        left = self._product(made)
        while self._cursor.is_at(*_SUMS):
            sign = self._cursor.take()
            left = self._made(start, sign.text, left, self._product(made), made)
        return left, made

    def time(self) -> tuple[Argument, list[Builtin]]:
        """A tick: a variable, a literal, or a variable plus or minus a number."""
        token = self._cursor.peek()
        found, made = self.expression()
        return self.checked_time(token, found), made

    def checked_time(self, token: Token, found: Argument) -> Argument:
        """What is read at a token.

        Raises:
            TemporalTextError: it is a name, which no tick has.
        """
        if not isinstance(found, Variable | Literal):
            problem = f"{token.shown} is no time{did_you_mean(token.text, ('least',))}"
            raise self._cursor.error(token, problem, "a variable, a number, or T + 1")
        return found

    def _product(self, made: list[Builtin]) -> Argument:
        start = self._cursor.peek()
        left = self._terms.term()
        while self._cursor.is_at(*_PRODUCTS):
            sign = self._cursor.take()
            left = self._made(start, sign.text, left, self._terms.term(), made)
        return left

    def _made(
        self, start: Token, sign: str, left: Argument, right: Argument, made: list[Builtin]
    ) -> Variable:
        result, written = self._terms.fresh(), self._cursor.written(start)
        made.append(Builtin(SWRLB[_SIGN_NAMES[sign]], (result, left, right), written))
        return result

    def _relation(self) -> str:
        token = self._cursor.peek()
        if token.kind != "relation":
            raise self._cursor.unexpected(_A_RELATION)
        return _RELATION_NAMES[self._cursor.take().text]

    def _prefix_form(self) -> Builtin:
        """Laser's form: the sign, then for MATH the result, then two operands."""
        word = self._cursor.take()
        self._cursor.need("(")
        name = self._relation() if word.text == "COMP" else self._sign()
        arguments: list[Argument] = []
        for _ in range(2 if word.text == "COMP" else 3):
            self._cursor.need(",", self._prefix_arguments(word))
            arguments.append(self._terms.term())
        self._cursor.need(")", self._prefix_arguments(word))
        return Builtin(SWRLB[name], tuple(arguments), self._cursor.written(word))

    def _sign(self) -> str:
        if not self._cursor.is_at(*_SIGN_NAMES):
            raise self._cursor.unexpected("a sign: +, -, *, /, mod or ^")
        return _SIGN_NAMES[self._cursor.take().text]

    @staticmethod
    def _prefix_arguments(word: Token) -> str:
        return "COMP(<, X, Y)" if word.text == "COMP" else "MATH(+, result, X, Y)"
