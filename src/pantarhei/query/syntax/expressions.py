"""Expressions of a parse tree as expressions of the algebra."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lark import Token
from rdflib import Literal, URIRef, Variable

from pantarhei.errors import QueryError
from pantarhei.query.algebra.nodes import TIMESTAMP, Aggregate, Call, Expression, Node
from pantarhei.query.expressions import check_pattern, is_known_function
from pantarhei.query.syntax.grammar import ARITIES, ParseTree, Part, stream_word, tokens
from pantarhei.query.syntax.names import NameScope, number, string_content, variable

Existence = tuple[Variable, Node]
"""A variable with the pattern of an EXISTS; a row binds the variable to whether the pattern has a match."""

_TIMESTAMP_IRI = URIRef("http://larkc.eu/csparql/sparql/jena/ext#timestamp")


@dataclass
class QueryExpressionReader:
    """Reads expressions, and collects their EXISTS patterns and aggregates.

    Args:
        names: scope of the names.
        read_group: reads the pattern of an EXISTS.
        has_streams: whether C-SPARQL's `timestamp` may be called.
        exists: EXISTS patterns that were read.
        aggregates: aggregates that were read; None where aggregates are invalid.
        exists_in_aggregates: EXISTS patterns inside of aggregates.
    """

    names: NameScope
    read_group: Callable[[ParseTree], Node]
    has_streams: bool = False
    exists: list[Existence] = field(default_factory=list)
    aggregates: list[Aggregate] | None = None
    exists_in_aggregates: list[Existence] = field(default_factory=list)

    def take_exists(self) -> tuple[Existence, ...]:
        """Return the EXISTS patterns that were read since the last call."""
        taken = tuple(self.exists)
        self.exists.clear()
        return taken

    def read(self, part: Part) -> Expression:
        """Return the expression of a part of the parse tree.

        Raises:
            QueryTextError: a function is unknown or has another number of arguments, an aggregate is in an
                invalid place, or a constant regular expression is malformed.
        """
        if isinstance(part, Token):
            if part.type == "SIGNED":
                return Call(_SIGNS[part[0]], (number(part[1:]),))
            return variable(part) if part.type == "VAR" else self.names.term(part)
        children = part.children
        match part.data:
            case "or" | "and":
                return Call("||" if part.data == "or" else "&&", tuple(map(self.read, children)))
            case "sum" | "product":
                return self._operations(self.read(children[0]), children[1:])
            case "compare":
                left, operator, right = children
                return Call(str(operator), (self.read(left), self.read(right)))
            case "in" | "not_in":
                left, listed = children
                assert not isinstance(listed, Token)
                among = Call("IN", (self.read(left), *map(self.read, listed.children)))
                return among if part.data == "in" else Call("!", (among,))
            case "not" | "negative" | "positive":
                return Call(_SIGNS[part.data], (self.read(children[0]),))
            case "exists" | "not_exists":
                return self._exists(part)
            case "builtin":
                return self._builtin(part)
            case "call":
                return self._call(part)
            case "aggregate":
                return self._aggregate(part)
        return self.names.term(part)

    def _operations(self, result: Expression, rest: Sequence[Part]) -> Expression:
        """Return `result op a op b`, from the left; `?x -1` has the sign in the number."""
        parts = iter(rest)
        for part in parts:
            if isinstance(part, Token):
                result = Call(str(part), (result, self.read(next(parts))))
            else:
                signed, *factors = part.children
                assert isinstance(signed, Token)
                factor = number(signed[1:])
                result = Call(signed[0], (result, self._operations(factor, factors)))
        return result

    def _exists(self, part: ParseTree) -> Expression:
        outer, self.exists = self.exists, []
        aggregates, self.aggregates = self.aggregates, None
        (group,) = part.children
        assert not isinstance(group, Token)
        with self.names.nested():
            pattern = self.read_group(group)
        self.exists, self.aggregates = outer, aggregates
        result = self.names.fresh("exists")
        self.exists.append((result, pattern))
        return Call("!", (result,)) if part.data == "not_exists" else result

    def _call(self, part: ParseTree) -> Expression:
        """Return a call of a function that has an IRI."""
        written, arguments = part.children
        name = self.names.iri(written)
        if name == _TIMESTAMP_IRI and self.has_streams:
            return self._checked_call(part, TIMESTAMP, self._arguments(arguments))
        if not is_known_function(name):
            raise self.names.error(
                part,
                f"the function <{name}> is not known; register functions of your own by rdflib's "
                "register_custom_function",
            )
        return Call(name, self._arguments(arguments))

    def _arguments(self, part: Part) -> tuple[Expression, ...]:
        assert not isinstance(part, Token)
        is_distinct = bool(tokens(part, "DISTINCT"))
        return tuple(map(self.read, part.children[is_distinct:]))

    def _builtin(self, part: ParseTree) -> Expression:
        word, written = part.children
        name = str(word).upper()
        if name == TIMESTAMP and not self.has_streams:
            raise stream_word(self.names.text, part)
        return self._checked_call(part, name, self._arguments(written))

    def _checked_call(self, part: ParseTree, name: str, arguments: tuple[Expression, ...]) -> Expression:
        least, most = ARITIES[name]
        if len(arguments) < least or (most is not None and len(arguments) > most):
            expected = str(least) if least == most else f"{least} to {most}"
            expected += ": the subject, the predicate, the object of a triple" if name == TIMESTAMP else ""
            raise self.names.error(part, f"{name} has {len(arguments)} arguments", expected)
        if name == "BOUND" and not isinstance(arguments[0], Variable):
            raise self.names.error(part, "the argument of BOUND is not a variable", "a variable such as ?x")
        if name in ("REGEX", "REPLACE"):
            try:
                _check_constant_pattern(arguments, 2 if name == "REGEX" else 3)
            except QueryError as error:
                raise self.names.error(part, str(error)) from None
        name = {"URI": "IRI", "ISURI": "ISIRI"}.get(name, name)
        if name == "IRI" and self.names.base:
            arguments = (*arguments, URIRef(self.names.base))
        return Call(name, arguments)

    def _aggregate(self, part: ParseTree) -> Expression:
        word, *rest = part.children
        name = str(word).upper()
        if self.aggregates is None:
            raise self.names.error(
                part,
                f"{name} outside of SELECT, HAVING and ORDER BY, or inside of an aggregate: no rows are "
                "grouped there",
            )
        is_distinct, separators = bool(tokens(part, "DISTINCT")), tokens(part, "STRING")[-1:]
        given = rest[is_distinct]
        is_star = isinstance(given, Token) and given.type == "STAR"
        has_separator = len(rest) - is_distinct > 1
        if (is_star and name != "COUNT") or (has_separator and name != "GROUP_CONCAT"):
            valid = "COUNT(*)" if is_star else "GROUP_CONCAT(…; SEPARATOR = …)"
            raise self.names.error(part, f"{name} with {'*' if is_star else 'a separator'}", valid)
        collected, self.aggregates = self.aggregates, None
        outside, self.exists = self.exists, []
        argument = None if is_star else self.read(given)
        self.exists_in_aggregates += self.exists
        self.aggregates, self.exists = collected, outside
        made = (name, argument, is_distinct, string_content(separators[0]) if has_separator else " ")
        for known in collected:
            if (known.function, known.argument, known.distinct, known.separator) == made:
                return known.variable
        collected.append(Aggregate(*made, self.names.fresh("aggregate")))
        return collected[-1].variable


_SIGNS = {"not": "!", "negative": "neg", "positive": "+", "-": "neg", "+": "+"}


def _check_constant_pattern(arguments: tuple[Expression, ...], flags_at: int) -> None:
    """Raises: QueryError: pattern and flags are constants, and malformed."""
    pattern = arguments[1]
    flags = arguments[flags_at] if len(arguments) > flags_at else Literal("")
    if isinstance(pattern, Literal) and isinstance(flags, Literal):
        check_pattern(str(pattern), str(flags))
