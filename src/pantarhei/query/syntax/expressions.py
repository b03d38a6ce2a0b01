"""Expressions of a parse tree as those of the algebra."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pyparsing import ParseResults
from rdflib import RDF, Literal, URIRef, Variable

from pantarhei.errors import QueryError
from pantarhei.query.algebra.expressions import Aggregate, Call, Expression
from pantarhei.query.algebra.nodes import Node
from pantarhei.query.expressions import check_pattern, is_known_function
from pantarhei.query.syntax.names import Names, OwnFunction

Mark = tuple[Variable, Node]
"""A variable that is bound to whether a pattern exists."""


@dataclass
class ExpressionReader:
    """Reads expressions; what they need of patterns and groups beside is collected.

    Args:
        names: what names mean.
        read_group: reads the pattern of an EXISTS.
        marks: what was met of EXISTS; who reads an expression takes them over.
        aggregates: what was met of aggregates; None where none may stand.
        inner_marks: what was met of EXISTS inside of aggregates.
    """

    names: Names
    read_group: Callable[[Any], Node]
    marks: list[Mark] = field(default_factory=list)
    aggregates: list[Aggregate] | None = None
    inner_marks: list[Mark] = field(default_factory=list)

    def taken_marks(self) -> tuple[Mark, ...]:
        """The marks of what was read since the last call."""
        marks = tuple(self.marks)
        self.marks.clear()
        return marks

    def read(self, part: Any) -> Expression:
        """The expression that a part of the parse tree writes.

        Raises:
            QueryError: a function is unknown, an aggregate stands where none may, or a constant regular
                expression is malformed.
        """
        kind = getattr(part, "name", None)
        if kind is None or isinstance(part, Variable | URIRef | Literal):
            return part if isinstance(part, Variable) else self.names.term(part)
        if kind in ("pname", "literal"):
            return self.names.term(part)
        if kind in _CHAINS:
            return self._chain(part)
        if kind == "RelationalExpression":
            return self._relation(part)
        if kind in _SIGNS:
            operand = self.read(part.expr)
            return Call(_SIGNS[kind], (operand,))
        if kind in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            return self._exists(part, negated=kind == "Builtin_NOTEXISTS")
        if kind == "Function":
            return self._function(part)
        if kind.startswith("Aggregate_"):
            return self._aggregate(part)
        return self._builtin(part)

    def _chain(self, part: Any) -> Expression:
        """`a op b op c`, from the left; `&&` and `||` as one call."""
        first = self.read(part.expr)
        others = [self.read(other) for other in part.other or ()]
        if not others:
            return first
        logical = _CHAINS[part.name]
        if logical:
            return Call(logical, (first, *others))
        for operator, other in zip(part.op, others, strict=True):
            first = Call(operator, (first, other))
        return first

    def _relation(self, part: Any) -> Expression:
        left = self.read(part.expr)
        if part.op is None:
            return left
        if part.op in ("IN", "NOT IN"):
            among = Call("IN", (left, *map(self.read, _listed(part.other))))
            return among if part.op == "IN" else Call("!", (among,))
        return Call(part.op, (left, self.read(part.other)))

    def _exists(self, part: Any, negated: bool) -> Expression:
        outer, self.marks = self.marks, []
        aggregates, self.aggregates = self.aggregates, None
        with self.names.apart():
            pattern = self.read_group(part.graph)
        self.marks, self.aggregates = outer, aggregates
        variable = self.names.fresh("exists")
        self.marks.append((variable, pattern))
        return Call("!", (variable,)) if negated else variable

    def _function(self, part: Any) -> Expression:
        name = self.names.iri(part.iri)
        own = self.names.functions.get(str(name))
        if own is not None:
            return self._own(part, own, tuple(map(self.read, part.expr or ())))
        if not is_known_function(name):
            raise self.names.error(
                part,
                f"the function <{name}> is not known; those of your own are made known with rdflib's "
                "register_custom_function",
            )
        return Call(name, tuple(map(self.read, part.expr or ())))

    def _own(self, part: Any, function: OwnFunction, arguments: tuple[Expression, ...]) -> Expression:
        if len(arguments) != len(function.arguments):
            raise self.names.error(
                part,
                f"{function.name} has {len(arguments)} arguments; expected "
                f"{len(function.arguments)}: {', '.join(function.arguments)}",
            )
        return Call(function.name, arguments)

    def _builtin(self, part: Any) -> Expression:
        name = part.name.removeprefix("Builtin_").upper()
        arguments: list[Expression] = []
        for key, given in part.items():
            if key == "distinct":
                continue
            several = isinstance(given, list | ParseResults)
            if not several and given == RDF.nil and name in ("CONCAT", "COALESCE"):
                continue
            arguments.extend(map(self.read, given if several else (given,)))
        if name in ("REGEX", "REPLACE"):
            try:
                _check_constant_pattern(arguments, 2 if name == "REGEX" else 3)
            except QueryError as error:
                raise self.names.error(part, str(error)) from None
        name = {"URI": "IRI", "ISURI": "ISIRI"}.get(name, name)
        if name == "IRI" and self.names.base:
            arguments.append(URIRef(self.names.base))
        return Call(name, tuple(arguments))

    def _aggregate(self, part: Any) -> Expression:
        if self.aggregates is None:
            raise self.names.error(
                part,
                f"{_AGGREGATES[part.name]} stands where no rows are grouped; aggregates belong into SELECT, "
                "HAVING and ORDER BY, and never into each other",
            )
        collected, self.aggregates = self.aggregates, None
        outside, self.marks = self.marks, []
        argument = None if isinstance(part.vars, str) and part.vars == "*" else self.read(part.vars)
        self.inner_marks += self.marks
        self.aggregates, self.marks = collected, outside
        separator = " " if part.separator is None else str(part.separator)
        made = (_AGGREGATES[part.name], argument, bool(part.distinct), separator)
        for known in collected:
            if (known.function, known.argument, known.distinct, known.separator) == made:
                return known.variable
        collected.append(Aggregate(*made, self.names.fresh("aggregate")))
        return collected[-1].variable


_CHAINS = {
    "ConditionalOrExpression": "||",
    "ConditionalAndExpression": "&&",
    "AdditiveExpression": "",
    "MultiplicativeExpression": "",
}
_SIGNS = {"UnaryNot": "!", "UnaryMinus": "neg", "UnaryPlus": "+"}
_AGGREGATES = {
    "Aggregate_Count": "COUNT",
    "Aggregate_Sum": "SUM",
    "Aggregate_Min": "MIN",
    "Aggregate_Max": "MAX",
    "Aggregate_Avg": "AVG",
    "Aggregate_Sample": "SAMPLE",
    "Aggregate_GroupConcat": "GROUP_CONCAT",
}


def _listed(other: Any) -> list[Any]:
    """The expressions of a list; an empty one is written as rdf:nil."""
    return [] if isinstance(other, URIRef) and other == RDF.nil else list(other)


def _check_constant_pattern(arguments: list[Expression], flags_at: int) -> None:
    """Raises: QueryError: pattern and flags are constants, and malformed."""
    pattern = arguments[1]
    flags = arguments[flags_at] if len(arguments) > flags_at else Literal("")
    if isinstance(pattern, Literal) and isinstance(flags, Literal):
        check_pattern(str(pattern), str(flags))
