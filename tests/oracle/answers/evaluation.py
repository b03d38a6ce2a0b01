"""Solutions of patterns: bags of rows, by the definitions of SPARQL 1.1, section 18.

Two rows are compatible if the variables that both bind have equal values; the joined row has the terms of the
left row, which precedes in the text. Every operand is computed completely before it is joined.

EXISTS replaces variables by the terms of a row, in triple patterns, paths, GRAPH and expressions, but not
inside a nested SELECT that does not project them, where they are different variables. If the pattern itself
binds such a variable (BIND, VALUES, a nested SELECT), its value must be that of the row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from rdflib import URIRef, Variable

from oracle.answers.aggregates import aggregate_values
from oracle.answers.algebra import (
    Aggregate,
    Basic,
    Expression,
    Extend,
    Filter,
    Group,
    InGraph,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderCondition,
    Pattern,
    Select,
    Table,
    TriplePattern,
    Union,
)
from oracle.answers.comparing import order_key
from oracle.answers.context import Context, Row
from oracle.answers.expressions import Expressions
from oracle.answers.terms import ExpressionError, value
from pantarhei.model.term import Term

Rows = list[Row]


def rows_of(pattern: Pattern, context: Context) -> Rows:
    """Return the bag of solutions of a pattern."""
    match pattern:
        case Basic(patterns):
            return _basic(patterns, context)
        case Table(variables, rows):
            found: Rows = [
                {variable: term for variable, term in zip(variables, row, strict=True) if term is not None}
                for row in rows
            ]
            return _with_external_bindings(found, context)
        case Join(left, right):
            return join(rows_of(left, context), rows_of(right, context))
        case LeftJoin(left, right, condition):
            return _left_joined(rows_of(left, context), rows_of(right, context), condition, context)
        case Union(left, right):
            return rows_of(left, context) + rows_of(right, context)
        case Minus(left, right):
            return _without(rows_of(left, context), rows_of(right, context))
        case Filter(condition, inner):
            return [row for row in rows_of(inner, context) if _at(row, context).holds(condition)]
        case Extend(inner, assignments):
            extended = [_extended(row, assignments, context) for row in rows_of(inner, context)]
            return _with_external_bindings(extended, context)
        case InGraph(name, inner):
            return _in_graphs(name, inner, context)
        case Group(inner, keys, aggregates):
            return _grouped(rows_of(inner, context), keys, aggregates, context)
        case Select():
            return _nested_select(pattern, context)


def has_solution(pattern: Pattern, row: Row, context: Context) -> bool:
    """True if a pattern has a solution after its variables have been replaced by the terms of a row."""
    return bool(rows_of(pattern, replace(context, given={**context.given, **row})))


def _at(row: Row, context: Context) -> Expressions:
    return Expressions(row, context, has_solution)


# -- joins -----------------------------------------------------------------------------------------


def are_compatible(left: Row, right: Row) -> bool:
    """True if the variables that both rows bind have equal values."""
    return all(value(term) == value(right[variable]) for variable, term in left.items() if variable in right)


def join(left: Rows, right: Rows) -> Rows:
    """Return the join of all compatible pairs."""
    shared = [v for v in set().union(*left[:1]) if all(v in row for row in (*left, *right))]
    matches: dict[tuple[Hashable, ...], Rows] = defaultdict(list)
    for row in right:
        matches[_values(row, shared)].append(row)
    return [
        {**other, **row}
        for row in left
        for other in matches.get(_values(row, shared), ())
        if are_compatible(row, other)
    ]


def _values(row: Row, variables: Iterable[Variable]) -> tuple[Hashable, ...]:
    return tuple(value(row[variable]) for variable in variables)


def _left_joined(left: Rows, right: Rows, condition: Expression | None, context: Context) -> Rows:
    found: Rows = []
    for row in left:
        pairs = join([row], right)
        found += [pair for pair in pairs if condition is None or _at(pair, context).holds(condition)] or [row]
    return found


def _without(rows: Rows, removed: Rows) -> Rows:
    """Return the rows that have no compatible row in `removed` with a common variable."""
    return [
        row
        for row in rows
        if not any(not row.keys().isdisjoint(other) and are_compatible(row, other) for other in removed)
    ]


def _with_external_bindings(rows: Rows, context: Context) -> Rows:
    """Return the rows that are compatible with the external bindings."""
    return [row for row in rows if are_compatible(row, context.given)]


# -- triple patterns and graphs --------------------------------------------------------------------


def _basic(patterns: Sequence[TriplePattern], context: Context) -> Rows:
    start: Rows = [{}]
    found = reduce(join, (_matches(pattern, context) for pattern in patterns), start)
    return [{v: term for v, term in row.items() if not v.startswith("_:")} for row in found]


def _matches(pattern: TriplePattern, context: Context) -> Rows:
    """Return the rows with which a triple pattern is in the graph; externally bound variables have the given
    term.
    """
    subject, predicate, object_ = pattern.subject, pattern.predicate, pattern.object
    places: tuple[Node, ...] = (subject, object_)
    triples: Iterable[Sequence[Term]]
    if isinstance(predicate, Variable):
        triples, places = context.graph.triples, (subject, predicate, object_)
    else:
        triples = context.graph.pairs(predicate, _constant(subject, context), _constant(object_, context))
    return [row for triple in triples if (row := _bind(places, triple, context)) is not None]


def _constant(place: Node, context: Context) -> Term | None:
    return context.given.get(place) if isinstance(place, Variable) else place


def _bind(places: Sequence[Node], triple: Sequence[Term], context: Context) -> Row | None:
    """Return the row that maps a pattern to the triple, or None if there is none."""
    variables = (place for place in places if isinstance(place, Variable))
    row = {variable: context.given[variable] for variable in variables if variable in context.given}
    for place, term in zip(places, triple, strict=True):
        expected = row.setdefault(place, term) if isinstance(place, Variable) else place
        if value(expected) != value(term):
            return None
    return row


def _in_graphs(name: Variable | URIRef, inner: Pattern, context: Context) -> Rows:
    if isinstance(name, URIRef):
        graph = context.named.get(name)
        return [] if graph is None else rows_of(inner, replace(context, graph=graph))
    found: Rows = []
    for each, graph in context.named.items():
        found += join([{name: each}], rows_of(inner, replace(context, graph=graph)))
    return _with_external_bindings(found, context)


# -- expressions and groups ------------------------------------------------------------------------


def _extended(row: Row, assignments: Iterable[tuple[Variable, Expression]], context: Context) -> Row:
    """Extend the row by the values of expressions, in order; a variable whose expression is an error stays
    unbound.
    """
    expressions = _at(row, context)
    for variable, expression in assignments:
        found = expressions.value_or_none(expression)
        if found is not None:
            expressions.row[variable] = found
    return expressions.row


def _grouped(
    rows: Rows, keys: Sequence[Variable], aggregates: Iterable[tuple[Variable, Aggregate]], context: Context
) -> Rows:
    groups: dict[tuple[Term | None, ...], Rows] = defaultdict(list)
    if not keys:
        groups[()] = []
    for row in rows:
        groups[tuple(row.get(key, context.given.get(key)) for key in keys)].append(row)
    found: Rows = []
    for terms, members in groups.items():
        result = {key: term for key, term in zip(keys, terms, strict=True) if term is not None}
        for variable, aggregate in aggregates:
            try:
                result[variable] = aggregate_values(aggregate, _values_in(members, aggregate, context))
            except ExpressionError:
                continue
        found.append(result)
    return found


def _values_in(rows: Rows, aggregate: Aggregate, context: Context) -> list[Term | None]:
    """Return the value of an aggregate's argument for each row; `*` yields the row itself."""
    if aggregate.argument is None:
        distinct = {frozenset(row.items()) for row in rows} if aggregate.is_distinct else rows
        return [URIRef(f"urn:row:{number}") for number, _ in enumerate(distinct)]
    return [_at(row, context).value_or_none(aggregate.argument) for row in rows]


# -- ORDER BY, DISTINCT, LIMIT -------------------------------------------------------------------------


class Ranked(NamedTuple):
    """Solution with its rank in the order; rows of equal rank can be in any order."""

    row: Row
    rank: int


def ranked_solutions(select: Select, context: Context) -> list[Ranked]:
    """Return the solutions of a SELECT before OFFSET and LIMIT, in an order that ORDER BY allows."""
    rows = rows_of(select.pattern, context)
    keys = [_sort_keys(row, select.order, context) for row in rows]
    order = list(range(len(rows)))
    for place in reversed(range(len(select.order))):
        order.sort(key=lambda i: keys[i][place], reverse=select.order[place].is_descending)
    found: list[Ranked] = []
    rank = 0
    for before, at in zip([None, *order], order, strict=False):
        rank += before is not None and keys[before] != keys[at]
        row = {variable: rows[at][variable] for variable in select.variables if variable in rows[at]}
        found.append(Ranked(row, rank))
    if select.is_distinct:
        first: dict[frozenset[tuple[Variable, Term]], Ranked] = {}
        for each in found:
            first.setdefault(frozenset(each.row.items()), each)
        found = list(first.values())
    return found


def _sort_keys(row: Row, order: Iterable[OrderCondition], context: Context) -> list[tuple[object, ...]]:
    expressions = _at(row, context)
    return [order_key(expressions.value_or_none(condition.expression)) for condition in order]


def _nested_select(select: Select, context: Context) -> Rows:
    """Return the solutions of a nested SELECT; external bindings are visible only if projected or fixed."""
    given = {v: term for v, term in context.given.items() if v in select.variables or v in context.fixed}
    solutions = ranked_solutions(select, replace(context, given=given))
    end = len(solutions) if select.limit is None else select.offset + select.limit
    if is_open(solutions, select.offset) or is_open(solutions, end):
        context.notes.is_determined = False
    return _with_external_bindings([row for row, _ in solutions[select.offset : end]], context)


def is_open(solutions: Sequence[Ranked], cut: int) -> bool:
    """True if the rows before the position `cut` are not determined by the order."""
    if not 0 < cut < len(solutions) or solutions[cut - 1].rank != solutions[cut].rank:
        return False
    alike = [row for row, rank in solutions if rank == solutions[cut].rank]
    return any(row != alike[0] for row in alike)
