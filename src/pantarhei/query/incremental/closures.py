"""Property paths of arbitrary length; reachability is recomputed from each source that reaches a changed
step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rdflib import Variable

from pantarhei.materialize.kernel.bags import put
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.incremental.operator import EMPTY, Bag, Maintenance, Operator, Row, Rows, SharedState
from pantarhei.rdf.ntriples import write_term

_NODE, _START, _END = Variable("#node"), Variable("#from"), Variable("#to")
GRAPH_TERMS: Final = algebra.Closure(
    _NODE, _NODE, algebra.Values((_START, _END), ()), _START, _END, True, False
)
"""Path whose pairs are the terms of the graph, each with itself."""

ALL_TRIPLES: Final = algebra.BGP(
    (algebra.TriplePattern(Variable("#subject"), Variable("#predicate"), Variable("#object")),)
)


def is_incremental(node: algebra.Closure) -> bool:
    """Return whether the steps of a path are a fixed set of pairs, independent of the start node.

    The steps are not fixed if a nested path can have length zero, since its end then has the literal form of
    the start node.
    """
    parts = algebra.nodes_of(node.step)
    return not any(isinstance(part, algebra.Closure) and part.is_reflexive for part in parts)


def needs_graph_terms(node: algebra.Closure) -> bool:
    """Return whether a path depends on the set of terms of the graph, either for paths of length zero, or for
    the literal forms of start nodes.
    """
    if not (isinstance(node.subject, Variable) and isinstance(node.object, Variable)):
        return False
    return node.is_reflexive or not _begins_with_names(node.step, node.start)


def _begins_with_names(step: algebra.Node, start: Variable) -> bool:
    """Return whether the start node of a step cannot be a literal."""
    if isinstance(step, algebra.BGP):
        return any(pattern.subject == start for pattern in step.patterns)
    if isinstance(step, algebra.Union):
        return all(_begins_with_names(side, start) for side in step.children)
    if isinstance(step, algebra.Join):
        return any(_begins_with_names(side, start) for side in step.children)
    return isinstance(step, algebra.Project) and _begins_with_names(step.child, start)


class GraphTermsOperator(Operator):
    """Set of the terms of the graph. Of the literals with one value, the set contains the first form in
    N-Triples order.

    Args:
        triples: operator of all triples.
    """

    def __init__(self, shared: SharedState, triples: Operator) -> None:
        super().__init__(GRAPH_TERMS, shared, (triples,))
        self._copies = self._new_bag()
        self._forms: dict[int, dict[int, None]] | None = None  # cache: forms by value

    def change(self, *changes: Rows) -> Rows:
        (change,) = changes
        ends: Bag = {}
        for (subject, _, object_), weight in change.items():
            for end in (subject, object_):
                ends[end,] = ends.get((end,), 0) + weight
        value, forms = self.shared.terms.value, self._forms_of
        before: dict[int, int | None] = {}
        for (form,), weight in ends.items():
            number = value(form)
            if number not in before:
                before[number] = self._shown(number)
            if self.shared.add(self._copies, (form,), weight)[1]:
                forms.setdefault(number, {})[form] = None
            elif number in forms:
                forms[number].pop(form, None)
                if not forms[number]:
                    del forms[number]
        delta: Bag = {}
        for number, was in before.items():
            now = self._shown(number)
            if was == now:
                continue
            if was is not None:
                delta[was,] = -1
            if now is not None:
                delta[now,] = 1
        return delta or EMPTY

    def _shown(self, number: int) -> int | None:
        forms = self._forms_of.get(number)
        return None if forms is None else least_form(forms, self.shared)

    @property
    def _forms_of(self) -> dict[int, dict[int, None]]:
        if self._forms is None:
            self._forms = {}
            for (form,) in self._copies:
                self._forms.setdefault(self.shared.terms.value(form), {})[form] = None
        return self._forms

    def clear_caches(self) -> None:
        self._forms = None


class ClosureOperator(Operator):
    """`p*`, `p+` and `p?`: a set of pairs.

    The steps are stored. A delta costs a traversal from each source that reaches a changed step, before and
    after the change.

    Args:
        step: operator with a row for each pair of `p`.
        nodes: operator of the graph's terms, if the path depends on them.
    """

    maintenance = Maintenance.SOURCES

    def __init__(
        self, node: algebra.Closure, shared: SharedState, step: Operator, nodes: Operator | None = None
    ) -> None:
        super().__init__(node, shared, (step,) if nodes is None else (step, nodes))
        self._path = node
        is_open = isinstance(node.subject, Variable)
        is_backwards = is_open and not isinstance(node.object, Variable)
        ends = (node.end, node.start) if is_backwards else (node.start, node.end)
        self._source_column, self._target_column = (step.variables.index(end) for end in ends)
        given, target = (node.object, node.subject) if is_backwards else (node.subject, node.object)
        self._given_end = None if isinstance(given, Variable) else given
        self._given_target = None if isinstance(target, Variable) else target
        self._steps = self._new_bag()
        self._nodes = self._new_bag()
        # indexes by value
        self._successors: dict[int, Bag] | None = None  # literal forms of successors; None: no index is built
        self._predecessors: dict[int, Bag] = {}  # values of predecessors
        self._shown: dict[int, int] = {}  # literal forms of the terms of the graph

    def initial_rows(self) -> Rows:
        return {} if self._given_end is None else dict.fromkeys(self._rows(self._source), 1)

    def change(self, *changes: Rows) -> Rows:
        steps, *nodes = changes
        self._build_indexes()
        value = self.shared.terms.value
        changed = {value(row[self._source_column]) for row in steps}
        reaching = self._sources_reaching if self._given_end is None else self._given_end_if_reaching
        sources = reaching(changed)
        for change in nodes:
            sources |= {value(form) for (form,) in change}
        delta: Bag = {}
        for source in sources:
            for row in self._rows(source):
                put(delta, row, -1)
        for row, weight in steps.items():
            pair = row[self._source_column], row[self._target_column]
            self.shared.add(self._steps, pair, weight)
            self._index_step(pair, weight)
        for change in nodes:
            for row, weight in sorted(change.items(), key=lambda item: item[1]):
                self.shared.add(self._nodes, row, weight)
                self._index_term(row, weight)
        for source in sources:
            for row in self._rows(source):
                put(delta, row, 1)
        return delta

    # -- reachability -------------------------------------------------------------------------------

    @property
    def _source(self) -> int:
        """Number of the value of the given end."""
        assert self._given_end is not None
        return self.shared.terms.find_value(self._given_end)

    def _rows(self, source: int) -> Iterator[Row]:
        """Iterate over the rows whose path starts at a source."""
        if len(self.inputs) > 1 and source not in self._shown:
            return
        terms = self.shared.terms
        start = self._shown.get(source, source) if self._given_end is None else terms.id_of(self._given_end)
        found = self._reached(source, start)
        if self._given_end is not None and self._given_target is not None:
            if terms.find_value(self._given_target) in found:
                yield ()
        elif self._given_end is not None:
            for forms in found.values():
                yield (least_form(forms, self.shared),)
        elif self._path.subject == self._path.object:
            if source in found:
                yield (start,)
        else:
            for forms in found.values():
                yield start, least_form(forms, self.shared)

    def _reached(self, source: int, start: int) -> dict[int, set[int]]:
        """Return the values reachable from a source, each with its literal forms.

        Args:
            source: number of the source's value.
            start: number of the source's literal form.
        """
        value, ahead = self.shared.terms.value, self._successors or {}
        found: dict[int, set[int]] = {source: {start}} if self._path.is_reflexive else {}
        frontier, expanded = [source], {source}
        while frontier:
            value_number = frontier.pop()
            for (form,) in ahead.get(value_number, ()):
                number = value(form)
                found.setdefault(number, set()).add(form)
                if self._path.repeats and number not in expanded:
                    expanded.add(number)
                    frontier.append(number)
        return found

    def _sources_reaching(self, ends: set[int]) -> set[int]:
        """Return the values from which one of `ends` is reachable, including `ends`."""
        found, frontier = set(ends), list(ends) if self._path.repeats else []
        while frontier:
            for (value_number,) in self._predecessors.get(frontier.pop(), ()):
                if value_number not in found:
                    found.add(value_number)
                    frontier.append(value_number)
        return found

    def _given_end_if_reaching(self, ends: set[int]) -> set[int]:
        """Return the set of the given end if it is one of `ends` or reaches one of them; the empty set
        otherwise.
        """
        source = self._source
        is_near = source in ends or not ends.isdisjoint(self._reached(source, source))
        return {source} if is_near else set()

    # -- indexes -------------------------------------------------------------------------------------

    def _build_indexes(self) -> None:
        if self._successors is None:
            self._successors, self._predecessors, self._shown = {}, {}, {}
            for pair, weight in self._steps.items():
                self._index_step(pair, weight)
            for row in self._nodes:
                self._index_term(row, 1)

    def _index_step(self, pair: Row, weight: int) -> None:
        """Add or remove a step in the indexes."""
        value = self.shared.terms.value
        here, form = pair
        assert self._successors is not None, "the indexes have been built"
        for table, key, row in (
            (self._successors, value(here), (form,)),
            (self._predecessors, value(form), (value(here),)),
        ):
            bag = table.setdefault(key, {})
            put(bag, row, weight)
            if not bag:
                del table[key]

    def _index_term(self, row: Row, weight: int) -> None:
        """Add or remove a term of the graph in the index of literal forms."""
        (form,) = row
        if weight > 0:
            self._shown[self.shared.terms.value(form)] = form
        else:
            self._shown.pop(self.shared.terms.value(form), None)

    def clear_caches(self) -> None:
        self._successors = None


def least_form(forms: Iterable[int], shared: SharedState) -> int:
    """Return the term that is first in N-Triples order."""
    several = list(forms)
    if len(several) == 1:
        return several[0]
    return min(several, key=lambda form: write_term(shared.terms.term(form)))
