"""Property paths of arbitrary length, and negated property sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.query.algebra.nodes import Closure, NegatedSet, Node, PatternTerm
from pantarhei.query.expressions import Context
from pantarhei.query.operators.pattern_joins import join, split_by_unbound
from pantarhei.query.solutions import UNIT, Ids, SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource, Lookup
from pantarhei.rdf.ntriples import write_term

Evaluate = Callable[[SolutionTable, Node], SolutionTable]

_TERM_BITS = np.int64(33)  # a term's number takes 33 bits
_MASK = np.int64((1 << 33) - 1)


class Ends(NamedTuple):
    """Ends of steps or paths that begin at several start terms.

    Args:
        rows: index of the start term of each end.
        values: value numbers of the ends.
        form_ids: term numbers of the ends, in their literal forms.
    """

    rows: Ids
    values: Ids
    form_ids: Ids


Step = Callable[[Ids], Ends]
"""Returns the ends that are one step from the given term numbers."""


def join_closure(
    start: SolutionTable, node: Closure, source: FactSource, evaluate: Evaluate, context: Context
) -> SolutionTable:
    """Join rows with the pairs of `p*`, `p+` or `p?`.

    Steps are taken from all start terms at once; each pair is extended once. An end that is reached in
    several literal forms has the first form in N-Triples order.
    """
    closing = _PathJoin(node, source, evaluate, context)
    return SolutionTable.concat([closing.join(part) for part in split_by_unbound(start, node.variables)])


class _PathJoin:
    """Join of rows with the pairs of one path."""

    def __init__(self, node: Closure, source: FactSource, evaluate: Evaluate, context: Context) -> None:
        self._node, self._source, self._evaluate, self._context = node, source, evaluate, context

    def join(self, start: SolutionTable) -> SolutionTable:
        """Join with rows that all bind the same ends of the path."""
        node, terms = self._node, self._context.terms
        subjects, objects = _values(start, node.subject, terms), _values(start, node.object, terms)
        if subjects is not None:
            return self._join_from(start, subjects, objects, node.subject, node.object)
        if objects is not None:
            return self._join_from(start, objects, None, node.object, node.subject)
        return join(start, self._all_pairs(), terms, self._context.limits)

    def _join_from(
        self,
        start: SolutionTable,
        bound_values: Ids,
        other_values: Ids | None,
        bound_end: PatternTerm,
        other_end: PatternTerm,
    ) -> SolutionTable:
        """Join rows that bind one end of the path.

        Args:
            bound_values: value numbers of the bound end, one for each row.
            other_values: value numbers of the other end; None if it is not bound.
            bound_end: the end that the rows bind.
            other_end: the other end of the path.
        """
        if self._node.may_be_empty and isinstance(bound_end, Variable) and _is_given(bound_end):
            # each lexical form of a literal is a separate seed: a path of length 0 preserves the form
            form_ids, codes = np.unique(start.columns[bound_end], return_inverse=True)
            seeds = self._context.terms.values(form_ids)
        else:
            seeds, codes = np.unique(bound_values, return_inverse=True)
            form_ids = self._seed_forms(bound_end, seeds)
        step = self._step_function(bound_end == self._node.object and bound_end != self._node.subject)
        found = self._reached(seeds, form_ids, step)
        if not _is_given(bound_end) and self._node.may_be_empty:
            found = self._drop_foreign_loops(found, seeds, other_end)
        rows, indexes = Lookup(found.rows).find(codes, self._context.limits)
        if other_values is not None or bound_end == other_end:
            same = found.values[indexes] == (bound_values if other_values is None else other_values)[rows]
            return start.take(rows[same])
        self._context.limits.check_room(len(rows), len(start.columns) + 1)
        table = start.take(rows)
        if isinstance(other_end, Variable):
            table = table.with_column(other_end, found.form_ids[indexes])
        return table

    def _seed_forms(self, bound_end: PatternTerm, seeds: Ids) -> Ids:
        """Return the literal form of each seed as an end of its own path of length zero: the form in the
        query, or in the graph.
        """
        if not self._node.may_be_empty or (seeds < FIRST_LITERAL).all():
            return seeds
        if not isinstance(bound_end, Variable):
            return np.full(len(seeds), self._context.terms.id_of(bound_end))
        form_ids = seeds.copy()
        nodes, forms = self._graph_terms()
        known = np.isin(seeds, nodes)
        form_ids[known] = forms[np.searchsorted(nodes, seeds[known])]
        return form_ids

    def _drop_foreign_loops(self, found: Ends, seeds: Ids, other: PatternTerm) -> Ends:
        """Drop paths of length zero, except those from a term of the graph, or from a seed equal to the
        constant other end.
        """
        foreign = ~np.isin(seeds, self._source.triples.nodes)
        if not isinstance(other, Variable):
            foreign &= seeds != self._context.terms.values(self._context.terms.ids_of([other]))[0]
        kept = np.flatnonzero((found.values != seeds[found.rows]) | ~foreign[found.rows])
        return Ends(*(column[kept] for column in found))

    def _step_function(self, is_inverse: bool) -> Step:
        node, row = self._node, Variable("#from")
        source, target = (node.end, node.start) if is_inverse else (node.start, node.end)

        def step(terms: Ids) -> Ends:
            sources = SolutionTable({source: terms, row: np.arange(len(terms))}, len(terms))
            table = self._evaluate(sources, node.step)
            form_ids = table.column(target)
            return Ends(table.column(row), self._context.terms.values(form_ids), form_ids)

        return step

    def _reached(self, seeds: Ids, form_ids: Ids, step: Step) -> Ends:
        """Return the ends that are reached from each seed.

        Args:
            seeds: value numbers of the seeds.
            form_ids: term numbers of the seeds.
        """
        numbers, limits = np.arange(len(seeds)), self._context.limits
        known = _keys(numbers, seeds) if self._node.is_reflexive else np.empty(0, np.int64)
        arrivals = [(known, form_ids[: len(known)])]
        rows, frontier = numbers, form_ids
        while len(frontier):
            limits.check()
            ends = step(frontier)
            keys = _keys(rows[ends.rows], ends.values)
            arrivals.append((keys, ends.form_ids))
            limits.check_room(sum(len(part) for part, _ in arrivals), 2)
            new, first = np.unique(keys, return_index=True)
            is_new = ~np.isin(new, known, assume_unique=True)
            new = new[is_new]
            limits.check_room(len(known) + len(new), 2)
            known = np.union1d(known, new)
            rows, frontier = new >> _TERM_BITS, ends.form_ids[first[is_new]]
            if not self._node.repeats:
                break
        return Ends(known >> _TERM_BITS, known & _MASK, _least(known, arrivals, self._context.terms))

    def _precomputed_steps(self) -> Step:
        """Return a function that finds steps in the set of all pairs of `p`, which is computed once."""
        node, terms = self._node, self._context.terms
        steps = self._evaluate(UNIT, node.step)
        starts, ends = (terms.values(steps.column(end)) for end in (node.start, node.end))
        end_forms = steps.column(node.end)
        lookup = Lookup(starts)

        def step(frontier: Ids) -> Ends:
            rows, indexes = lookup.find(terms.values(frontier), self._context.limits)
            return Ends(rows, ends[indexes], end_forms[indexes])

        return step

    def _all_pairs(self) -> SolutionTable:
        """Return all pairs that start at a term of the graph."""
        node = self._node
        # where lexical forms differ, a step starts from the form in which its start was reached
        step = self._step_function(False) if self._source.has_forms else self._precomputed_steps()
        seeds, form_ids = self._graph_terms()
        found = self._reached(seeds, form_ids, step)
        if node.subject == node.object:
            same = found.values == seeds[found.rows]
            columns = {node.subject: form_ids[found.rows][same]}
        else:
            columns = {node.subject: form_ids[found.rows], node.object: found.form_ids}
        bound = {end: column for end, column in columns.items() if isinstance(end, Variable)}
        return SolutionTable(bound, len(next(iter(bound.values()))))

    def _graph_terms(self) -> tuple[Ids, Ids]:
        """Return the terms of the graph, as value numbers and as term numbers."""
        nodes = self._source.triples.nodes
        if not self._source.has_forms:
            return nodes, nodes
        found = self._source.triples.all()
        arrivals = [(found.subjects, found.subjects), (found.objects, found.form_ids)]
        return nodes, _least(nodes, arrivals, self._context.terms)


def _is_given(end: PatternTerm) -> bool:
    """Return whether an end is a constant, or an end of another path's steps."""
    return not isinstance(end, Variable) or str.startswith(end, ("#start", "#end"))


def _keys(rows: Ids, ends: Ids) -> Ids:
    """Encode pairs of a seed's index and a term number as one number."""
    return (rows << _TERM_BITS) | ends


def _least(keys: Ids, arrivals: list[tuple[Ids, Ids]], terms: TermSpace) -> Ids:
    """Return for each key the term of its value that is first in N-Triples order.

    Args:
        keys: sorted; the lower bits of a key are the number of a value, which is also the number of one of
            its terms. That term is the result if paths reached the key by no other.
        arrivals: pairs of arrays of equal length: keys, and the numbers of the terms by which paths reached
            them.
    """
    arrived = np.concatenate([part for part, _ in arrivals])
    form_ids = np.concatenate([part for _, part in arrivals])
    least = keys & _MASK
    varied = np.unique(arrived[form_ids != arrived & _MASK])
    if len(varied):
        among = np.isin(arrived, varied)
        arrived, form_ids = arrived[among], form_ids[among]
        forms, codes = np.unique(form_ids, return_inverse=True)
        texts = [write_term(terms.term(form)) for form in forms.tolist()]
        ranks = np.empty(len(forms), np.int64)
        ranks[sorted(range(len(forms)), key=texts.__getitem__)] = np.arange(len(forms))
        order = np.lexsort((ranks[codes], arrived))
        least[np.searchsorted(keys, varied)] = form_ids[order[np.searchsorted(arrived[order], varied)]]
    return least


def _values(start: SolutionTable, end: PatternTerm, terms: TermSpace) -> Ids | None:
    """Return the value numbers of an end of a path, one for each row; None if the rows do not bind it."""
    if not isinstance(end, Variable):
        return np.full(start.size, terms.values(terms.ids_of([end]))[0])
    column = start.columns.get(end)
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
    """Join rows that all bind the same ends of the negated set."""
    terms = context.terms
    subjects, objects = _values(start, node.subject, terms), _values(start, node.object, terms)
    is_open = subjects is None and objects is None
    triples = source.triples
    found = triples.all() if is_open else triples.matching(subjects, None, objects, context.limits)
    numbers = [n for n in map(terms.find_value, node.predicates) if n is not None]
    agree = ~np.isin(found.predicates, np.array(numbers, np.int64))
    if node.subject == node.object:
        agree &= found.subjects == found.objects
    columns = {node.object: found.form_ids[agree], node.subject: found.subjects[agree]}
    bound = {end: column for end, column in columns.items() if isinstance(end, Variable)}
    if is_open:
        return join(start, SolutionTable(bound, int(agree.sum())), terms, context.limits)
    table = start.take(found.rows[agree])
    return SolutionTable({**bound, **table.columns}, table.size)
