"""Joins of tables, and of tables with basic graph patterns.

Joins compare values, DISTINCT compares literal forms. The triple patterns of a basic graph pattern are
matched one after another; the next one is that with the fewest expected rows.

Terms of patterns are tested by `type(…) is`, since `isinstance` with rdflib's abstract classes costs more
than a lookup.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra.nodes import BGP, PatternTerm, Test, TriplePattern
from pantarhei.query.expressions import Context, truth
from pantarhei.query.expressions.expression_columns import distinct_rows
from pantarhei.query.solutions import UNIT, Ids, Indexes, Mask, QueryLimits, SolutionTable, TermSpace
from pantarhei.query.sources.relation import FactSource, Lookup, MatchedPairs, Relation

Step = tuple[TriplePattern, float, int]
"""A matched triple pattern, with the expected and the actual number of rows after the match."""


def row_codes(columns: Sequence[Ids], size: int) -> tuple[Indexes, int]:
    """Number distinct rows; returns the number of each row, and how many distinct rows there are."""
    if not columns:
        return np.zeros(size, np.intp), min(size, 1)
    rows, found = distinct_rows(columns)
    return found, len(rows)


def first_occurrences(columns: Sequence[Ids], size: int) -> Indexes:
    """Return the index of the first one of equal rows, in ascending order."""
    return np.sort(distinct_rows(columns)[0]) if columns else np.arange(min(size, 1))


def join(left: SolutionTable, right: SolutionTable, terms: TermSpace, limits: QueryLimits) -> SolutionTable:
    """Join all compatible rows; a shared variable keeps the literal form of the left row."""
    if left is UNIT:
        return right
    rows, indexes = compatible(left, right, terms, limits)
    joined = dict(left.take(rows).columns)
    for variable, column in right.columns.items():
        own = joined.get(variable)
        given = column[indexes]
        joined[variable] = given if own is None else np.where(own == NONE, given, own)
    return SolutionTable(joined, len(rows))


def compatible(
    left: SolutionTable, right: SolutionTable, terms: TermSpace, limits: QueryLimits, overlap: bool = False
) -> tuple[Indexes, Indexes]:
    """Return the indexes of left and right rows that agree in all variables which both bind.

    Args:
        overlap: whether the rows must also share a bound variable.
    """
    shared = [variable for variable in left.columns if variable in right.columns]
    values = [(terms.values(left.columns[v]), terms.values(right.columns[v])) for v in shared]
    full = [(own, other) for own, other in values if (own != NONE).all() and (other != NONE).all()]
    partial = [pair for pair in values if not any(pair is one for one in full)]
    width = len(left.columns) + len(right.columns)
    if full:
        rows, indexes = _equal(full, limits, width)
    else:
        limits.check_room(left.size * right.size, max(width, 2))
        rows = np.repeat(np.arange(left.size), right.size)
        indexes = np.tile(np.arange(right.size), left.size)
    shares = np.full(len(rows), bool(full))
    agree = np.ones(len(rows), np.bool_)
    for own, other in partial:
        own, other = own[rows], other[indexes]
        both = (own != NONE) & (other != NONE)
        agree &= ~both | (own == other)
        shares |= both
    if overlap:
        agree &= shares
    return (rows, indexes) if agree.all() else (rows[agree], indexes[agree])


def _equal(pairs: Sequence[tuple[Ids, Ids]], limits: QueryLimits, width: int) -> tuple[Indexes, Indexes]:
    """Return the indexes of rows that are equal in all pairs of columns."""
    own, other = pairs[0]
    if len(pairs) > 1:
        size = len(own)
        both, _ = row_codes([np.concatenate(pair) for pair in pairs], size + len(other))
        own, other = both[:size], both[size:]
    lookup = Lookup(other)
    limits.check_room(lookup.count(own), width)
    return lookup.find(own)


def row_mask(rows: Ids, size: int) -> Mask:
    """Return a mask of length `size` that is True at these row indexes."""
    found = np.zeros(size, np.bool_)
    found[rows] = True
    return found


def split_by_unbound(table: SolutionTable, variables: Sequence[Variable]) -> list[SolutionTable]:
    """Split a table such that each variable is bound in all rows of a part, or has no column in the part."""
    partial = [v for v in variables if v in table.columns and (table.columns[v] == NONE).any()]
    if not partial:
        return [table]
    unbound = [table.columns[v] == NONE for v in partial]
    found, count = row_codes([mask.astype(np.int64) for mask in unbound], table.size)
    parts = []
    for number in range(count):
        indexes = np.flatnonzero(found == number)
        lost = {v for v, mask in zip(partial, unbound, strict=True) if mask[indexes[0]]}
        part = table.take(indexes)
        parts.append(SolutionTable({v: c for v, c in part.columns.items() if v not in lost}, part.size))
    return parts


# A pattern expected to leave at most this many rows is chosen without estimating the others.
_MAX_ROWS_WITHOUT_COMPARISON = 16

# With more rows, the number of matches of a pattern is estimated from a sample of this number of rows.
_SAMPLE_SIZE = 48


def join_patterns(
    start: SolutionTable,
    source: FactSource,
    node: BGP,
    tests: Sequence[Test],
    keep: frozenset[Variable] | None,
    context: Context,
) -> tuple[SolutionTable, list[Step]]:
    """Join rows with the matches of a basic graph pattern; also returns the steps for the first part of the
    rows.

    Args:
        source: graph to be matched.
        node: triple patterns, in the order of the text.
        tests: conditions on the resulting rows; a condition is tested as soon as its variables are bound.
        keep: variables that are needed afterwards, None for all.
    """
    parts = split_by_unbound(start, node.variables)
    runs = [_PatternRun(part, source, node, tests, keep, context) for part in parts]
    return SolutionTable.concat([run.run() for run in runs]), runs[0].steps


class _PatternRun:
    """Matching of the triple patterns for rows that all bind the same variables."""

    def __init__(
        self,
        start: SolutionTable,
        source: FactSource,
        node: BGP,
        tests: Sequence[Test],
        keep: frozenset[Variable] | None,
        context: Context,
    ) -> None:
        self._table, self._source, self._node, self._context = start, source, node, context
        self._keep = None if keep is None else keep.union(start.columns)
        self._remaining = list(enumerate(node.patterns))
        self._tests = list(tests)
        # by variable, the position in the text of the first matched pattern that binds it; -1 for given rows
        self._binding_pattern: dict[Variable, int] = dict.fromkeys(start.columns, -1)
        self.steps: list[Step] = []
        self._found: dict[int, MatchedPairs] = {}  # matches for all rows, by pattern, as far as estimated

    def run(self) -> SolutionTable:
        self._test()
        while self._remaining:
            if not self._table.size:
                break
            number, pattern = self._remaining.pop(self._next())
            expected = self._estimate(number, pattern) if self._table.size > _SAMPLE_SIZE else None
            self._match(number, pattern)
            self._found.clear()
            self.steps.append((pattern, self._table.size if expected is None else expected, self._table.size))
            self._context.limits.check()
            self._test()
            if (
                self._remaining and self._keep is not None
            ):  # after the last pattern the caller selects columns
                tested = (variables for _, variables in self._tests)
                needed = self._keep.union(self._variables_to_come(), *tested)
                self._table = self._table.select([v for v in self._table.columns if v in needed])
        if not self._table.size:
            columns = {v: np.empty(0, np.int64) for v in self._node.variables}
            return SolutionTable({**columns, **self._table.columns}, 0)
        return self._table

    def _variables_to_come(self) -> set[Variable]:
        return {p for _, pattern in self._remaining for p in pattern.terms if type(p) is Variable}

    def _test(self) -> None:
        """Filter the rows by the conditions of whose variables no further one will be bound."""
        unbound = self._variables_to_come() - self._table.columns.keys() if self._tests else set()
        for test in list(self._tests):
            condition, variables = test
            if not variables & unbound:
                self._tests.remove(test)
                self._table = self._table.filter(truth(condition, self._table, self._context) == 1)

    # -- choice of the next pattern ----------------------------------------------------------------

    def _next(self) -> int:
        """Return the index of the remaining pattern that is expected to leave the fewest rows."""
        if len(self._remaining) == 1:
            return 0
        ranks = [self._rank(pattern) for _, pattern in self._remaining]
        best = min(ranks)
        tied = [number for number, rank in enumerate(ranks) if rank == best]
        if len(tied) == 1 or best == 0:
            return tied[0]
        estimates: dict[float, int] = {}
        for number in sorted(tied, key=lambda number: self._needs_count(self._remaining[number][1])):
            estimate = self._estimate(*self._remaining[number])
            if estimate <= max(_MAX_ROWS_WITHOUT_COMPARISON, self._table.size):
                return number
            estimates.setdefault(estimate, number)
        return estimates[min(estimates)]

    def _rank(self, pattern: TriplePattern) -> int:
        """Return the rank of a pattern: 0 if both ends are bound, 1 if one end and the predicate are bound, 2
        if only one of them is bound, 3 if none is bound.
        """
        ends = self._is_bound(pattern.subject) + self._is_bound(pattern.object)
        if ends == 2:
            return 0
        if ends == 1:
            return 1 if self._is_bound(pattern.predicate) else 2
        return 2 if self._is_bound(pattern.predicate) else 3

    def _needs_count(self, pattern: TriplePattern) -> bool:
        """Return whether an estimate has to count all facts of a class or property."""
        if self._is_bound(pattern.subject):
            return False
        return pattern.predicate == RDF_TYPE or not self._is_bound(pattern.object)

    def _is_bound(self, term: PatternTerm) -> bool:
        return type(term) is not Variable or term in self._table.columns

    def _estimate(self, number: int, pattern: TriplePattern) -> float:
        """Estimate the number of rows after matching a pattern.

        Args:
            number: position of the pattern in the text.
        """
        rows = self._table.size
        if type(pattern.predicate) is Variable:
            return rows * len(self._source.triples)
        relation = self._relation(cast(Term, pattern.predicate), pattern.object)
        sample, limits = self._table, self._context.limits
        if rows > _SAMPLE_SIZE:
            sample = sample.take(np.linspace(0, rows - 1, _SAMPLE_SIZE).astype(np.intp))
        if self._is_bound(pattern.subject):
            pairs = relation.forward(self._values(pattern.subject, sample), limits)
        elif self._is_bound(pattern.object) and not self._needs_count(pattern):
            pairs = relation.backward(self._values(pattern.object, sample), limits)
        else:
            return float(rows * len(relation))
        if sample is self._table:
            self._found[number] = pairs
        return rows * len(pairs.rows) / sample.size

    # -- one pattern -------------------------------------------------------------------------------

    def _match(self, number: int, pattern: TriplePattern) -> None:
        if type(pattern.predicate) is Variable:
            self._match_any(number, pattern)
            return
        relation = self._relation(cast(Term, pattern.predicate), pattern.object)
        limits = self._context.limits
        subject, object_ = pattern.subject, pattern.object
        if self._is_bound(subject):
            if self._is_bound(object_) and not self._source.has_forms:
                subjects, objects = self._values(subject), self._values(object_)
                self._table = self._table.filter(relation.holds(subjects, objects))
                return
            found = self._found.get(number) or relation.forward(self._values(subject), limits)
            if self._is_bound(object_):
                agree = found.others == self._values(object_)[found.rows]
                found = MatchedPairs(found.rows[agree], found.others[agree], found.form_ids[agree])
            self._extend(found.rows, {object_: found.form_ids}, number)
        elif self._is_bound(object_):
            found = self._found.get(number) or relation.backward(self._values(object_), limits)
            self._extend(found.rows, {subject: found.others, object_: found.form_ids}, number)
        else:
            self._match_all(number, subject, object_, relation)

    def _match_all(self, number: int, subject: PatternTerm, object_: PatternTerm, relation: Relation) -> None:
        """Join with all facts of a predicate; neither end of the pattern is bound."""
        subjects, objects, form_ids = relation.pairs()
        if subject == object_:
            same = subjects == objects
            subjects, form_ids = subjects[same], form_ids[same]
            columns = {subject: subjects}
        else:
            columns = {subject: subjects, object_: form_ids}
        found = SolutionTable({v: c for v, c in columns.items() if type(v) is Variable}, len(subjects))
        for variable in found.columns:
            self._binding_pattern[variable] = number
        if self._table.columns or self._table.size != 1:
            found = join(self._table, found, self._context.terms, self._context.limits)
        self._table = found

    def _match_any(self, number: int, pattern: TriplePattern) -> None:
        """Match a pattern whose predicate is a variable."""
        triples = self._source.triples
        bound = [self._is_bound(term) for term in pattern.terms]
        if any(bound):
            ends = [self._values(p) if k else None for p, k in zip(pattern.terms, bound, strict=True)]
            found = triples.matching(ends[0], ends[1], ends[2], self._context.limits)
        else:
            found = triples.all()
            if self._table.size != 1:
                count = len(found.rows)
                self._context.limits.check_room(count * self._table.size, 3 + len(self._table.columns))
                rows = np.repeat(np.arange(self._table.size), count)
                found = found._replace(
                    rows=rows,
                    subjects=np.tile(found.subjects, self._table.size),
                    predicates=np.tile(found.predicates, self._table.size),
                    objects=np.tile(found.objects, self._table.size),
                    form_ids=np.tile(found.form_ids, self._table.size),
                )
        by_value = (found.subjects, found.predicates, found.objects)
        agree = np.ones(len(found.rows), np.bool_)
        for i, term in enumerate(pattern.terms):
            for j in range(i):
                if type(term) is Variable and term == pattern.terms[j]:
                    agree &= by_value[i] == by_value[j]
        columns: dict[PatternTerm, Ids] = {pattern.object: found.form_ids[agree]}
        columns |= {pattern.subject: found.subjects[agree], pattern.predicate: found.predicates[agree]}
        self._extend(found.rows[agree], columns, number)

    def _extend(self, rows: Ids, columns: dict[PatternTerm, Ids], number: int) -> None:
        """Extend rows by the columns of variables that are new, or whose literal forms the matched pattern
        determines.

        Args:
            rows: row index of each match.
            number: position of the matched pattern in the text.
        """
        self._context.limits.check_room(len(rows), len(self._table.columns) + len(columns))
        table = self._table.take(rows)
        for term, column in columns.items():
            if type(term) is Variable and self._determines_form_of(term, number):
                table = table.with_column(term, column)
                self._binding_pattern[term] = number
        self._table = table

    def _determines_form_of(self, term: PatternTerm, number: int) -> bool:
        """Return whether a pattern determines the literal forms of a variable, since it is the first in the
        text that binds it.
        """
        if type(term) is not Variable:
            return False
        by = self._binding_pattern.get(term)
        return by is None or (number < by and self._source.has_forms)

    def _relation(self, predicate: Term, object_: PatternTerm) -> Relation:
        if predicate == RDF_TYPE and type(object_) is not Variable:
            return self._source.members(cast(Term, object_))
        return self._source.relation(predicate)

    def _values(self, term: PatternTerm, table: SolutionTable | None = None) -> Ids:
        """Return the value numbers of a pattern's term or variable, one for each row."""
        rows = self._table if table is None else table
        if type(term) is Variable:
            return self._context.terms.values(rows.columns[term])
        number = self._context.terms.find_value(cast(Term, term))
        return np.full(rows.size, -2 if number is None else number, np.int64)
