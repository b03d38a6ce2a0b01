"""Property paths of any length, and negated property sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.query.algebra.nodes import Closure, NegatedSet, Node, Place
from pantarhei.query.expressions import Context
from pantarhei.query.operators.pattern_joins import join, split_by_unbound
from pantarhei.query.solutions import UNIT, Ids, SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource, Lookup
from pantarhei.rdf.ntriples import write_term

Evaluate = Callable[[SolutionTable, Node], SolutionTable]

_BITS = np.int64(33)  # a term's number takes 33 bits
_MASK = np.int64((1 << 33) - 1)


class Ends(NamedTuple):
    """Ends of steps or paths.

    Args:
        rows: the place of each end's start among the given terms.
        values: the ends by value.
        shown: the ends by lexical form.
    """

    rows: Ids
    values: Ids
    shown: Ids


Step = Callable[[Ids], Ends]
"""Returns the ends one step from terms, which are given by lexical form."""


def join_closure(
    start: SolutionTable, node: Closure, source: FactSource, evaluate: Evaluate, context: Context
) -> SolutionTable:
    """Join rows with the pairs of `p*`, `p+` or `p?`.

    Steps are taken from all starts at once, and each pair is extended once. An end that is reached in several
    lexical forms is shown in the first one in N-Triples order.
    """
    closing = _Closing(node, source, evaluate, context)
    return SolutionTable.concat([closing.join(part) for part in split_by_unbound(start, node.variables)])


class _Closing:
    """Join of rows with the pairs of one path."""

    def __init__(self, node: Closure, source: FactSource, evaluate: Evaluate, context: Context) -> None:
        self._node, self._source, self._evaluate, self._context = node, source, evaluate, context

    def join(self, start: SolutionTable) -> SolutionTable:
        """Join with rows that all bind the same ends."""
        node, terms = self._node, self._context.terms
        subjects, objects = _values(start, node.subject, terms), _values(start, node.object, terms)
        if subjects is not None:
            return self._from(start, subjects, objects, node.subject, node.object)
        if objects is not None:
            return self._from(start, objects, None, node.object, node.subject)
        found = self._all_pairs()
        return found if start is UNIT else join(start, found, terms, self._context.limits)

    def _from(
        self, start: SolutionTable, given: Ids, wanted: Ids | None, here: Place, there: Place
    ) -> SolutionTable:
        """Join where `here` is bound to `given`, one value a row, and `there` to `wanted` if that is not
        None.
        """
        if self._node.may_be_empty and isinstance(here, Variable) and _is_given(here):
            # each lexical form of a literal is a separate seed: a path of length 0 preserves the form
            shown, codes = np.unique(start.columns[here], return_inverse=True)
            seeds = self._context.terms.values(shown)
        else:
            seeds, codes = np.unique(given, return_inverse=True)
            shown = self._shown_by(here, seeds)
        step = self._stepper(here == self._node.object and here != self._node.subject)
        found = self._reached(seeds, shown, step)
        if not _is_given(here) and self._node.may_be_empty:
            found = self._in_graph(found, seeds, there)
        rows, places = Lookup(found.rows).find(codes, self._context.limits)
        if wanted is not None or here == there:
            same = found.values[places] == (given if wanted is None else wanted)[rows]
            return start.take(rows[same])
        self._context.limits.check_room(len(rows), len(start.columns) + 1)
        table = start.take(rows)
        return table.with_column(there, found.shown[places]) if isinstance(there, Variable) else table

    def _shown_by(self, here: Place, seeds: Ids) -> Ids:
        """Return the form in which each seed is shown as its own end: as written, or as in the graph."""
        if not self._node.may_be_empty or (seeds < FIRST_LITERAL).all():
            return seeds
        if not isinstance(here, Variable):
            return np.full(len(seeds), self._context.terms.id_of(here))
        shown = seeds.copy()
        nodes, forms = self._nodes()
        known = np.isin(seeds, nodes)
        shown[known] = forms[np.searchsorted(nodes, seeds[known])]
        return shown

    def _in_graph(self, found: Ends, seeds: Ids, other: Place) -> Ends:
        """Drop each seed as its own end, unless it is a term of the graph or the given other end."""
        strange = ~np.isin(seeds, self._source.nodes())
        if not isinstance(other, Variable):
            strange &= seeds != self._context.terms.values(self._context.terms.ids_of([other]))[0]
        kept = np.flatnonzero((found.values != seeds[found.rows]) | ~strange[found.rows])
        return Ends(*(column[kept] for column in found))

    def _stepper(self, is_backwards: bool) -> Step:
        node, row = self._node, Variable("#from")
        here, there = (node.end, node.start) if is_backwards else (node.start, node.end)

        def step(terms: Ids) -> Ends:
            table = self._evaluate(
                SolutionTable({here: terms, row: np.arange(len(terms))}, len(terms)), node.step
            )
            shown = table.column(there)
            return Ends(table.column(row), self._context.terms.values(shown), shown)

        return step

    def _reached(self, seeds: Ids, shown: Ids, step: Step) -> Ends:
        """Return the ends reached from each seed."""
        numbers, limits = np.arange(len(seeds)), self._context.limits
        known = _keys(numbers, seeds) if self._node.is_reflexive else np.empty(0, np.int64)
        arrivals = [(known, shown[: len(known)])]
        rows, front = numbers, shown
        while len(front):
            limits.check()
            ends = step(front)
            keys = _keys(rows[ends.rows], ends.values)
            arrivals.append((keys, ends.shown))
            limits.check_room(sum(len(part) for part, _ in arrivals), 2)
            new, first = np.unique(keys, return_index=True)
            is_new = ~np.isin(new, known, assume_unique=True)
            new = new[is_new]
            limits.check_room(len(known) + len(new), 2)
            known = np.union1d(known, new)
            rows, front = new >> _BITS, ends.shown[first[is_new]]
            if not self._node.repeats:
                break
        return Ends(known >> _BITS, known & _MASK, _least(known, arrivals, self._context.terms))

    def _all_steps(self) -> Step:
        """Compute the steps of all terms at once."""
        node, terms = self._node, self._context.terms
        steps = self._evaluate(UNIT, node.step)
        starts, ends = (terms.values(steps.column(end)) for end in (node.start, node.end))
        shown_ends = steps.column(node.end)
        lookup = Lookup(starts)

        def step(front: Ids) -> Ends:
            rows, places = lookup.find(terms.values(front), self._context.limits)
            return Ends(rows, ends[places], shown_ends[places])

        return step

    def _all_pairs(self) -> SolutionTable:
        """Return all pairs, starting from each term of the graph."""
        node = self._node
        # where lexical forms differ, a step starts from the form in which its start was reached
        step = self._stepper(False) if self._source.has_forms else self._all_steps()
        seeds, shown = self._nodes()
        found = self._reached(seeds, shown, step)
        if node.subject == node.object:
            same = found.values == seeds[found.rows]
            columns = {node.subject: shown[found.rows][same]}
        else:
            columns = {node.subject: shown[found.rows], node.object: found.shown}
        bound = {place: column for place, column in columns.items() if isinstance(place, Variable)}
        return SolutionTable(bound, len(next(iter(bound.values()))))

    def _nodes(self) -> tuple[Ids, Ids]:
        """Return the terms of the graph by value, and by lexical form."""
        nodes = self._source.nodes()
        if not self._source.has_forms:
            return nodes, nodes
        found = self._source.triples().all()
        arrivals = [(found.subjects, found.subjects), (found.objects, found.shown)]
        return nodes, _least(nodes, arrivals, self._context.terms)


def _is_given(place: Place) -> bool:
    """Return whether an end is given: a constant, or an end of another path's steps."""
    return not isinstance(place, Variable) or str.startswith(place, ("#start", "#end"))


def _keys(rows: Ids, ends: Ids) -> Ids:
    """Encode pairs of a seed's place and a term as numbers."""
    return (rows << _BITS) | ends


def _least(keys: Ids, arrivals: list[tuple[Ids, Ids]], terms: TermSpace) -> Ids:
    """Return, for each key, the first of the terms that arrived there, in N-Triples order.

    Args:
        keys: sorted; their lower bits are values, the result where nothing else arrived.
        arrivals: pairs of keys and the terms that arrived there.
    """
    arrived = np.concatenate([part for part, _ in arrivals])
    shown = np.concatenate([part for _, part in arrivals])
    least = keys & _MASK
    varied = np.unique(arrived[shown != arrived & _MASK])
    if len(varied):
        among = np.isin(arrived, varied)
        arrived, shown = arrived[among], shown[among]
        forms, codes = np.unique(shown, return_inverse=True)
        texts = [write_term(terms.term(form)) for form in forms.tolist()]
        ranks = np.empty(len(forms), np.int64)
        ranks[sorted(range(len(forms)), key=texts.__getitem__)] = np.arange(len(forms))
        order = np.lexsort((ranks[codes], arrived))
        least[np.searchsorted(keys, varied)] = shown[order[np.searchsorted(arrived[order], varied)]]
    return least


def _values(start: SolutionTable, place: Place, terms: TermSpace) -> Ids | None:
    """Return the values of an end, one a row; None if it is not bound."""
    if not isinstance(place, Variable):
        return np.full(start.size, terms.values(terms.ids_of([place]))[0])
    column = start.columns.get(place)
    return None if column is None else terms.values(column)


def join_negated(
    start: SolutionTable, node: NegatedSet, source: FactSource, context: Context
) -> SolutionTable:
    """Join rows with the triples whose predicate is not in a set."""
    parts = [_join_negated(part, node, source, context) for part in split_by_unbound(start, node.variables)]
    return SolutionTable.concat(parts)


def _join_negated(
    start: SolutionTable, node: NegatedSet, source: FactSource, context: Context
) -> SolutionTable:
    """Join rows that all bind the same ends."""
    terms = context.terms
    subjects, objects = _values(start, node.subject, terms), _values(start, node.object, terms)
    is_open = subjects is None and objects is None
    triples = source.triples()
    found = triples.all() if is_open else triples.matching(subjects, None, objects, context.limits)
    numbers = [n for n in map(terms.find_value, node.predicates) if n is not None]
    agree = ~np.isin(found.predicates, np.array(numbers, np.int64))
    if node.subject == node.object:
        agree &= found.subjects == found.objects
    columns = {node.object: found.shown[agree], node.subject: found.subjects[agree]}
    bound = {place: column for place, column in columns.items() if isinstance(place, Variable)}
    if is_open:
        made = SolutionTable(bound, int(agree.sum()))
        return made if start is UNIT else join(start, made, terms, context.limits)
    table = start.take(found.rows[agree])
    return SolutionTable({**bound, **table.columns}, table.size)
