"""The solutions of patterns: bags of rows, by the definitions of SPARQL 1.1, section 18.

Rows are joined if the terms of the variables that both have bound agree in their values; the joined row shows
the terms of the left one, which stands before in the text. Everything is computed in full before it is
joined.

EXISTS puts the terms of a row in the place of its variables, in triple patterns, paths, GRAPH and expressions
alike, but not inside of a nested SELECT that does not select them, where they are other variables. Where the
pattern binds such a variable itself (BIND, VALUES, a nested SELECT), its value must be that of the row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

from rdflib import URIRef, Variable

from oracle.answers.aggregates import aggregated
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
    """The solutions of a pattern, as often as they are ones."""
    match pattern:
        case Basic(patterns):
            return _basic(patterns, context)
        case Table(variables, rows):
            found: Rows = [
                {variable: term for variable, term in zip(variables, row, strict=True) if term is not None}
                for row in rows
            ]
            return _agreeing(found, context)
        case Join(left, right):
            return joined(rows_of(left, context), rows_of(right, context))
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
            return _agreeing(extended, context)
        case InGraph(name, inner):
            return _in_graphs(name, inner, context)
        case Group(inner, keys, aggregates):
            return _grouped(rows_of(inner, context), keys, aggregates, context)
        case Select():
            return _selected(pattern, context)


def has_solution(pattern: Pattern, row: Row, context: Context) -> bool:
    """Whether a pattern has a solution with the terms of a row in the place of its variables."""
    return bool(rows_of(pattern, replace(context, given={**context.given, **row})))


def _at(row: Row, context: Context) -> Expressions:
    return Expressions(row, context, has_solution)


# -- joins -----------------------------------------------------------------------------------------


def are_compatible(left: Row, right: Row) -> bool:
    """Whether the terms of all variables that both rows have bound agree in their values."""
    return all(value(term) == value(right[variable]) for variable, term in left.items() if variable in right)


def joined(left: Rows, right: Rows) -> Rows:
    """All compatible pairs."""
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
        pairs = joined([row], right)
        found += [pair for pair in pairs if condition is None or _at(pair, context).holds(condition)] or [row]
    return found


def _without(rows: Rows, removed: Rows) -> Rows:
    """The rows that share no variable with a removed one, or differ from it in one."""
    return [
        row
        for row in rows
        if not any(not row.keys().isdisjoint(other) and are_compatible(row, other) for other in removed)
    ]


def _agreeing(rows: Rows, context: Context) -> Rows:
    """The rows that do not contradict what is given from outside."""
    return [row for row in rows if are_compatible(row, context.given)]


# -- triple patterns and graphs --------------------------------------------------------------------


def _basic(patterns: Sequence[TriplePattern], context: Context) -> Rows:
    start: Rows = [{}]
    found = reduce(joined, (_matches(pattern, context) for pattern in patterns), start)
    return [{v: term for v, term in row.items() if not v.startswith("_:")} for row in found]


def _matches(pattern: TriplePattern, context: Context) -> Rows:
    """The rows for which a triple pattern is in the graph; a variable that is given shows the term given."""
    subject, predicate, object_ = pattern.subject, pattern.predicate, pattern.object
    places: tuple[Node, ...] = (subject, object_)
    triples: Iterable[Sequence[Term]]
    if isinstance(predicate, Variable):
        triples, places = context.graph.triples, (subject, predicate, object_)
    else:
        triples = context.graph.pairs(predicate, _constant(subject, context), _constant(object_, context))
    return [row for triple in triples if (row := _bound(places, triple, context)) is not None]


def _constant(place: Node, context: Context) -> Term | None:
    return context.given.get(place) if isinstance(place, Variable) else place


def _bound(places: Sequence[Node], triple: Sequence[Term], context: Context) -> Row | None:
    """The row that puts terms in the places of a pattern, None if there is none."""
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
        found += joined([{name: each}], rows_of(inner, replace(context, graph=graph)))
    return _agreeing(found, context)


# -- expressions and groups ------------------------------------------------------------------------


def _extended(row: Row, assignments: Iterable[tuple[Variable, Expression]], context: Context) -> Row:
    """The row with the values of some expressions, one after the other; errors leave a variable unbound."""
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
                result[variable] = aggregated(aggregate, _values_in(members, aggregate, context))
            except ExpressionError:
                continue
        found.append(result)
    return found


def _values_in(rows: Rows, aggregate: Aggregate, context: Context) -> list[Term | None]:
    """What the argument of an aggregate is for each row; the row itself stands for `*`."""
    if aggregate.argument is None:
        distinct = {frozenset(row.items()) for row in rows} if aggregate.is_distinct else rows
        return [URIRef(f"urn:row:{number}") for number, _ in enumerate(distinct)]
    return [_at(row, context).value_or_none(aggregate.argument) for row in rows]


# -- ORDER BY, DISTINCT, LIMIT ---------------------------------------------------------------------


class Ranked(NamedTuple):
    """A solution with its place in the order: rows of equal rank may come in any order."""

    row: Row
    rank: int


def ranked(select: Select, context: Context) -> list[Ranked]:
    """The solutions of a SELECT before OFFSET and LIMIT, in an order that ORDER BY allows."""
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


def _selected(select: Select, context: Context) -> Rows:
    """The solutions of a nested SELECT; it sees of what is given only what it selects, and what is fixed."""
    given = {v: term for v, term in context.given.items() if v in select.variables or v in context.fixed}
    solutions = ranked(select, replace(context, given=given))
    end = len(solutions) if select.limit is None else select.offset + select.limit
    if is_open(solutions, select.offset) or is_open(solutions, end):
        context.notes.is_determined = False
    return _agreeing([row for row, _ in solutions[select.offset : end]], context)


def is_open(solutions: Sequence[Ranked], cut: int) -> bool:
    """Whether it is left open which rows stand before a cut."""
    if not 0 < cut < len(solutions) or solutions[cut - 1].rank != solutions[cut].rank:
        return False
    alike = [row for row, rank in solutions if rank == solutions[cut].rank]
    return any(row != alike[0] for row in alike)
