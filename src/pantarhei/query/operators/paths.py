"""Paths of any length, and those over all but some predicates."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rdflib import Variable

from pantarhei.query.algebra.nodes import Closure, NegatedSet, Node, Place
from pantarhei.query.expressions import Context
from pantarhei.query.operators.tables import join, split_by_unbound
from pantarhei.query.sources.columns import ColumnRelation
from pantarhei.query.sources.relation import Source
from pantarhei.query.table import UNIT, Ids, Table

Evaluate = Callable[[Table, Node], Table]


def join_closure(start: Table, node: Closure, source: Source, evaluate: Evaluate, context: Context) -> Table:
    """Rows joined with the pairs of `p*`, `p+` or `p?`.

    Each end that is reached costs one step, once for each start; steps from all of them are taken at once.
    """
    parts = [
        _join_part(part, node, source, evaluate, context) for part in split_by_unbound(start, node.variables)
    ]
    return Table.together(parts)


def _join_part(start: Table, node: Closure, source: Source, evaluate: Evaluate, context: Context) -> Table:
    """The same where each variable is bound in all rows or in none."""
    subjects, objects = _values(start, node.subject, context), _values(start, node.object, context)
    backwards = subjects is None and objects is not None
    given = objects if backwards else subjects
    other = node.subject if backwards else node.object
    here, there = (node.end, node.start) if backwards else (node.start, node.end)
    if given is None:
        pairs, seeds = _all_pairs(node, source, evaluate, context)
    else:
        seeds = np.unique(given)
        step = _stepper(node, here, there, evaluate, context)
        pairs = _reached(seeds, step, node, context)
        if node.is_reflexive and isinstance(node.object if backwards else node.subject, Variable):
            pairs = _in_graph(pairs, seeds, other, source, context)
    origins, ends = pairs
    wanted = objects if not backwards else None
    if given is None:
        columns = {node.subject: origins, node.object: ends}
        if node.subject == node.object:
            same = origins == ends
            columns = {node.subject: origins[same]}
        found = Table(
            {v: c for v, c in columns.items() if isinstance(v, Variable)}, len(next(iter(columns.values())))
        )
        return found if start is UNIT else join(start, found, context.terms, context.guard)
    rows, places = _places_of(origins, given)
    if other == (node.object if backwards else node.subject):  # one variable at both ends
        same = ends[places] == given[rows]
        return start.taken(rows[same])
    if wanted is not None:
        same = ends[places] == wanted[rows]
        return start.taken(rows[same])
    context.guard.check_room(len(rows), len(start.columns) + 1)
    table = start.taken(rows)
    return table.with_column(other, ends[places]) if isinstance(other, Variable) else table


def _in_graph(
    pairs: tuple[Ids, Ids], seeds: Ids, other: Place, source: Source, context: Context
) -> tuple[Ids, Ids]:
    """The pairs without those of a term and itself where the term is none of the graph's, nor the given end."""
    origins, ends = pairs
    strange = np.setdiff1d(seeds, source.nodes(), assume_unique=True)
    if not isinstance(other, Variable):
        strange = strange[strange != context.terms.values(context.terms.ids_of([other]))[0]]
    kept = (origins != ends) | ~np.isin(origins, strange)
    return origins[kept], ends[kept]


def _values(start: Table, place: Place, context: Context) -> Ids | None:
    """The values of an end, a row each; None where it is not bound."""
    if not isinstance(place, Variable):
        return np.full(start.size, context.terms.values(np.array([context.terms.id_of(place)], np.int64))[0])
    column = start.columns.get(place)
    return None if column is None else context.terms.values(column)


def _places_of(origins: Ids, given: Ids) -> tuple[Ids, Ids]:
    return ColumnRelation(origins, np.arange(len(origins))).forward(given)[:2]


Step = Callable[[Ids], tuple[Ids, Ids]]


def _stepper(node: Closure, here: Variable, there: Variable, evaluate: Evaluate, context: Context) -> Step:
    """Gives for terms the places among them, and the terms one step further."""

    def step(terms: Ids) -> tuple[Ids, Ids]:
        row = Variable(f"#from {here}")
        table = evaluate(Table({here: terms, row: np.arange(len(terms))}, len(terms)), node.step)
        return table.column(row), context.terms.values(table.column(there))

    return step


def _reached(seeds: Ids, step: Step, node: Closure, context: Context) -> tuple[Ids, Ids]:
    """Pairs of each seed and what is reached from it."""
    numbers = np.arange(len(seeds))
    found_from, found = (numbers, seeds) if node.is_reflexive else (numbers[:0], seeds[:0])
    front_from, front = numbers, seeds
    known = _keys(found_from, found)
    while len(front):
        context.guard.check()
        rows, ends = step(front)
        keys = np.unique(_keys(front_from[rows], ends))
        keys = keys[~np.isin(keys, known, assume_unique=True)]
        context.guard.check_room(len(known) + len(keys), 2)
        known = np.union1d(known, keys)
        front_from, front = keys >> _BITS, keys & _MASK
        if not node.repeats:
            break
    return seeds[known >> _BITS], known & _MASK


_BITS = np.int64(33)  # a term's number takes 33 bits
_MASK = np.int64((1 << 33) - 1)


def _keys(origins: Ids, ends: Ids) -> Ids:
    """A pair as one number, from the place of a seed and a term."""
    return (origins << _BITS) | ends


def _all_pairs(
    node: Closure, source: Source, evaluate: Evaluate, context: Context
) -> tuple[tuple[Ids, Ids], Ids]:
    """All pairs: the steps are found at once, and followed from each of their starts."""
    steps = evaluate(UNIT, node.step)
    values = context.terms.values
    relation = ColumnRelation(values(steps.column(node.start)), values(steps.column(node.end)))
    starts = source.nodes() if node.is_reflexive else np.unique(relation.pairs()[0])

    def step(terms: Ids) -> tuple[Ids, Ids]:
        return relation.forward(terms)[:2]

    return _reached(starts, step, node, context), starts


def join_negated(start: Table, node: NegatedSet, source: Source, context: Context) -> Table:
    """Rows joined with the triples whose predicate is none of some."""
    parts = [_join_negated(part, node, source, context) for part in split_by_unbound(start, node.variables)]
    return Table.together(parts)


def _join_negated(start: Table, node: NegatedSet, source: Source, context: Context) -> Table:
    subjects, objects = _values(start, node.subject, context), _values(start, node.object, context)
    if subjects is None and objects is None:
        found = source.triples().all()
    else:
        found = source.triples().matching(subjects, None, objects)
    numbers = [n for n in map(context.terms.find_value, node.predicates) if n is not None]
    agree = ~np.isin(found.predicates, np.array(numbers, np.int64))
    if node.subject == node.object:
        agree &= found.subjects == found.objects
    columns = {node.object: found.shown[agree], node.subject: found.subjects[agree]}
    if subjects is None and objects is None:
        made = Table({v: c for v, c in columns.items() if isinstance(v, Variable)}, int(agree.sum()))
        return made if start is UNIT else join(start, made, context.terms, context.guard)
    table = start.taken(found.rows[agree])
    for place, column in columns.items():
        if isinstance(place, Variable) and place not in table.columns:
            table = table.with_column(place, column)
    return table
