"""Group graph patterns of a parse tree as algebra (SPARQL 1.1, section 18.2.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pyparsing import ParseResults
from rdflib import Variable

from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Call, Expression
from pantarhei.query.algebra.nodes import (
    BGP,
    UNIT,
    Extend,
    Filter,
    Graph,
    LeftJoin,
    Mark,
    Minus,
    Node,
    Project,
    TriplePattern,
    Union,
    Values,
    is_hidden,
)
from pantarhei.query.syntax.expressions import ExpressionReader
from pantarhei.query.syntax.expressions import Mark as MarkOf
from pantarhei.query.syntax.names import Names
from pantarhei.query.syntax.paths import joined, plain_predicate, read_path


class PatternReader:
    """Reads group graph patterns.

    Args:
        names: what names mean.
        read_subselect: reads a nested SELECT.
    """

    def __init__(self, names: Names, read_subselect: Callable[[Any], Node]) -> None:
        self.names, self._read_subselect = names, read_subselect
        self._patterns = 0  # how many basic graph patterns were met

    def expressions(self) -> ExpressionReader:
        """A reader for expressions that may have EXISTS, and no aggregates."""
        return ExpressionReader(self.names, self.group)

    def group(self, part: Any) -> Node:
        """The pattern in braces.

        Raises:
            QueryError: it breaks a rule of SPARQL's scopes, or asks a server.
        """
        if part.name == "SubSelect":
            return self._read_subselect(part)
        node: Node = UNIT
        filters: list[Any] = []
        self._patterns += 1
        for member in part.part or ():
            if member.name == "Filter":
                filters.append(member.expr)
                continue
            if member.name != "TriplesBlock":
                self._patterns += 1
            node = self._with_member(node, member)
        for condition in filters:
            node = self._filtered(node, condition)
        return node

    def _with_member(self, node: Node, member: Any) -> Node:
        kind = member.name
        if kind == "TriplesBlock":
            for path in self.triples(member.triples):
                node = joined(node, path)
            return node
        if kind == "OptionalGraphPattern":
            return self._optional(node, member)
        if kind == "MinusGraphPattern":
            with self.names.apart():
                return Minus(node, self.group(member.graph))
        if kind == "GroupOrUnionGraphPattern":
            union = self.group(member.graph[0])
            for branch in member.graph[1:]:
                union = Union(union, self.group(branch))
            return joined(node, union)
        if kind == "GraphGraphPattern":
            name = self.names.place(member.term, self._patterns)
            return joined(node, Graph(self.group(member.graph), name))
        if kind == "InlineData":
            return joined(node, self.values(member))
        if kind == "Bind":
            return self._bound(node, member)
        raise self.names.error(
            member, "SERVICE is refused: it would ask a server on the network; query what is local only"
        )

    def triples(self, blocks: Sequence[Any]) -> list[Node]:
        """The nodes of triples, in the order of the text: those between paths are one pattern."""
        nodes: list[Node] = []
        for block in blocks:
            for at in range(0, len(block), 3):
                subject, path, object_ = block[at : at + 3]
                start, verb = self.names.place(subject, self._patterns), plain_predicate(path)
                middle = None if verb is None else self.names.place(verb, self._patterns)
                end = self.names.place(object_, self._patterns)
                if middle is None:
                    nodes.append(read_path(start, path, end, self.names))
                else:
                    nodes.append(BGP((TriplePattern(start, middle, end),)))
        return nodes

    def _optional(self, node: Node, member: Any) -> Node:
        """LeftJoin with the filters of the optional group itself as its condition."""
        part = member.graph
        if part.name == "SubSelect":
            return LeftJoin(node, self.group(part))
        conditions = [inner.expr for inner in part.part or () if inner.name == "Filter"]
        rest = [inner for inner in part.part or () if inner.name != "Filter"]
        right: Node = UNIT
        self._patterns += 1
        for inner in rest:
            if inner.name != "TriplesBlock":
                self._patterns += 1
            right = self._with_member(right, inner)
        reader = self.expressions()
        condition = all_of([reader.read(expression) for expression in conditions])
        return LeftJoin(node, right, condition, reader.taken_marks())

    def _filtered(self, node: Node, condition: Any) -> Node:
        reader = self.expressions()
        expression = reader.read(condition)
        marks = reader.taken_marks()
        return visible(Filter(marked(node, marks), expression), node.variables, marks)

    def _bound(self, node: Node, member: Any) -> Node:
        if member.var in node.variables:
            raise self.names.error(
                member,
                f"BIND … AS ?{member.var} in a group where ?{member.var} has a value already; "
                "choose another name",
            )
        reader = self.expressions()
        expression = reader.read(member.expr)
        marks = reader.taken_marks()
        extended = Extend(marked(node, marks), self.names.met(member.var), expression)
        return visible(extended, (*node.variables, member.var), marks)

    def values(self, part: Any) -> Values:
        """The rows of VALUES."""
        names = tuple(map(self.names.met, part.var or ()))
        if len(set(names)) < len(names):
            raise self.names.error(part, "VALUES names a variable twice")
        rows = [list(row) if isinstance(row, ParseResults) else [row] for row in part.value or ()]
        for row in rows:
            if len(row) != len(names):
                problem = f"VALUES has {len(names)} variables and a row of {len(row)} values"
                raise self.names.error(part, problem)
        return Values(names, tuple(tuple(map(self._value, row)) for row in rows))

    def _value(self, part: Any) -> Term | None:
        is_undefined = type(part) is str and part == "UNDEF"
        return None if is_undefined else self.names.term(part)


def all_of(conditions: Sequence[Expression]) -> Expression | None:
    """The conjunction of conditions, None of none."""
    if len(conditions) > 1:
        return Call("&&", tuple(conditions))
    return conditions[0] if conditions else None


def marked(node: Node, marks: Sequence[MarkOf]) -> Node:
    """The node with a column for each EXISTS."""
    for variable, pattern in marks:
        node = Mark(node, pattern, variable)
    return node


def visible(node: Node, variables: Sequence[Variable], marks: Sequence[MarkOf]) -> Node:
    """The node without the columns that `marked` added."""
    return Project(node, tuple(variables)) if marks else node


def shown(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Those that were written in the query."""
    return tuple(variable for variable in variables if not is_hidden(variable))
