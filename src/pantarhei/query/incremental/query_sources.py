"""Data sources of registered queries: the window model, shorter windows, and the conclusions of temporal
rules.

A shorter window that ends now is a view of the window model. It contains the background, and the facts whose
settled level is not below the level of the window's first timestamp. The view is exact, since repairs decide
newest first: an older fact never influences a newer one. A view stores its facts in a window model without
rules, so that patterns are matched by the same code.

Conclusions of temporal rules hold at the present tick and have no timestamp, so each window that ends now
contains them.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pantarhei.encoding.numbers import (
    NO_FACTS,
    Fact,
    FactForms,
    Integers,
    Renaming,
    Symbols,
    UsedTerms,
    as_tuples,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import WindowModel, plain_model
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimeKind, TimePoint, ticks_of
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.pattern_changes import FactMatcher, PatternMatcher
from pantarhei.query.solutions import TermSpace
from pantarhei.query.sources.relation import FactSource
from pantarhei.query.sources.view import GraphFacts
from pantarhei.query.sources.window import WindowFacts
from pantarhei.window.log import Log
from pantarhei.window.sliding import Step, Window
from pantarhei.window.step_changes import Changes


class QuerySource:
    """Facts of the window model, as the data of queries.

    Args:
        window: window whose boundaries trigger reports; any window for a graph without time.
    """

    name: Term | None = None
    """Name of the graph, None for the default graph."""

    def __init__(self, journal: Journal, window: Window, model: WindowModel) -> None:
        self.journal, self.window, self.model = journal, window, model
        self.patterns, self.facts = PatternMatcher(), FactMatcher()
        self.closed: int | None = None
        """The last boundary that has closed."""
        self.began: int | None = None
        """Tick of the first observed step."""
        self.is_changed = True
        """True if facts may have changed since the last boundary that closed."""

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        """Advance to the state after a step.

        Args:
            closing: boundary of a window that is to be closed, at which the source gets that window's
                content; None to get the content of the open window.

        Returns:
            Facts inserted (1) and deleted (-1, last column), shape (n, 4); a fact may occur several times.
        """
        self.model = model
        return changes.noted

    def refill(self, model: WindowModel) -> None:
        """Copy the facts of the window model again if the model has got new rules."""

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        """Return a graph of the present facts.

        Args:
            terms: maps terms to term numbers.
            forms: present literal forms.
        """
        return WindowFacts(self.model, terms, forms)

    @property
    def bytes_used(self) -> int:
        """Memory of facts stored outside the window model, in bytes."""
        return 0

    def used_terms(self, used: UsedTerms) -> None:
        """Collect the symbols and terms of facts that are stored outside the window model."""

    def first_level(self, log: Log) -> int:
        """Return the lowest level of the source's window."""
        return log.timeline.first_level

    def has_assertions(self, log: Log) -> bool:
        """Return whether the window contains an assertion of the stream. The cost is linear in the number of
        the window's leading ABoxes without facts.
        """
        first = self.first_level(log)
        return any(len(entry.facts) for entry in log.timeline.after(first - 1))

    def renumber(self, renaming: Renaming) -> None:
        """Replace term numbers."""
        self.patterns.renumber()
        self.facts.renumber()

    def next_closing(self, kind: TimeKind, after: int, until: int, change: int | None) -> int | None:
        """Return the next boundary above `after` at which a report may differ from the report at the boundary
        before it; None if there is none.

        Args:
            until: time to which the stream advances; only windows that close on the way are considered.
            change: first tick above `after` at which the passage of time changes the content of a window;
                None for never.
        """
        closings = self.window.closings(kind, after, until)
        is_seen = not self.is_changed
        if closings and closings[0] == after:  # this window closes with the present content
            is_seen = is_seen or self.is_open(after)
            closings = closings[1:]
        if not closings or not is_seen or self.window.zone is not None:
            return closings[0] if closings else None
        if change is None:
            return None
        late = closings[max(0, -((closings[0] - change) // closings.step)) :]
        return late[0] if late else None

    def next_change(self, kind: TimeKind, after: int, log: Log) -> int | None:
        """Return the first tick above `after` at which the oldest ABox has left the window; None if the
        window has no ABox.
        """
        oldest = next(iter(log.timeline.after(self.first_level(log) - 1)), None)
        return None if oldest is None else max(after + 1, self.window.leaving_at(kind, oldest.ticks))

    def closing_on_the_way(self, now: Step, step: Step, on_the_way: bool) -> range:
        """Return the boundaries that close as time advances from `now` to `step`, without those that have
        closed.

        Args:
            on_the_way: True if the window that ends at `step` closes later, before the arrivals of that step.
        """
        if self.closed is None:
            return range(0)
        closings = self.window.closings(now.kind, now.now, step.now)
        first = max(0, -((closings.start - self.closed - 1) // closings.step))
        last = len(closings) - (on_the_way and len(closings) > 0 and closings[-1] == step.now)
        return closings[first:last]

    def closes_before_arrivals(self, step: Step) -> bool:
        """Return whether the present time is a boundary of a left-closed window that has not closed; such a
        window closes before the arrivals of the step.
        """
        is_left = self.window.closed == "left" and self.is_open(step.now)
        return is_left and self.window.next_boundary(step.kind, step.now) == step.now

    def is_open(self, boundary: int) -> bool:
        """Return whether the window that ends at a boundary has not closed."""
        return self.closed is not None and self.closed < boundary

    def begin_observing(self, step: Step) -> None:
        """Ignore window boundaries before the first observed step.

        Args:
            step: the first observed step.
        """
        self.journal.set(self, "closed", step.now - (self.window.closed != "left"))
        self.journal.set(self, "began", step.now)

    def whole_windows(self, kind: TimeKind, boundaries: range, since: TimePoint | None) -> range:
        """Return the boundaries whose windows begin at `since` or later; None stands for the first observed
        step.
        """
        began = self.began if since is None else ticks_of(since, kind)
        if began is None or not boundaries:
            return range(0)
        return self.window.whole(kind, boundaries, began)


class StoredSource(QuerySource):
    """Facts stored in a separate window model without rules; journaled."""

    def __init__(self, journal: Journal, window: Window, vocabulary: Vocabulary) -> None:
        super().__init__(journal, window, plain_model(NO_FACTS, vocabulary))

    def replace_facts(self, facts: Integers) -> None:
        """Replace all facts."""
        self.journal.set(self, "model", plain_model(facts, self.model.vocabulary))

    def change(self, inserted: Integers, deleted: Integers) -> Integers:
        """Insert and delete facts; returns the changes in the format of `advance`."""
        if not len(inserted) and not len(deleted):
            return _NO_CHANGES
        self.journal.record_all(_Stored(self.model), [*as_tuples(inserted), *as_tuples(deleted)])
        self.model.add(inserted, 0)
        self.model.cut(deleted)
        return self.model.take_changes()

    @property
    def bytes_used(self) -> int:
        return self.model.bytes_used

    def used_terms(self, used: UsedTerms) -> None:
        used.add(self.model.facts())

    def renumber(self, renaming: Renaming) -> None:
        super().renumber(renaming)
        self.replace_facts(renaming.facts(self.model.facts()))


class ConstantSource(StoredSource):
    """Triples that never change, in their given literal forms."""

    def __init__(
        self, journal: Journal, window: Window, vocabulary: Vocabulary, triples: tuple[Triple, ...]
    ) -> None:
        super().__init__(journal, window, vocabulary)
        self._triples = triples

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        return GraphFacts.of(terms, self._triples)


class WindowViewSource(StoredSource):
    """Facts of a shorter window, as a view of the window model.

    Args:
        model: the window model.
        log: the ABoxes in the model's window.
        step: the present step; None before the stream begins.

    `start` is the lowest level of the window.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, log: Log, step: Step | None
    ) -> None:
        super().__init__(journal, window, model.vocabulary)
        self.start, self.program = log.timeline.first_level, model.program
        if step is not None:
            self.start = self._level_at(log, step.kind, window.step_at(step.kind, step.now).end)
            self.begin_observing(step)
        self._fill(model)

    def _fill(self, model: WindowModel) -> None:
        """Copy the facts of the window from the window model."""
        self.journal.set(self, "program", model.program)
        facts = model.facts()
        self.replace_facts(facts[model.levels(facts) >= self.start])

    def refill(self, model: WindowModel) -> None:
        if self.program is not model.program:
            self._fill(model)

    def _level_at(self, log: Log, kind: TimeKind, boundary: int) -> int:
        """Return the lowest level of the window that ends at a boundary."""
        return log.timeline.first_level_from(self.window.content_at(kind, boundary)[0])

    def first_level(self, log: Log) -> int:
        return max(self.start, log.timeline.first_level)

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        step, log, levels = changes.step, changes.log, changes.levels
        assert step is not None and log is not None and levels is not None, "views ask for levels"
        end = self.window.step_at(step.kind, step.now).end if closing is None else closing
        old, new = self.start, max(self.start, self._level_at(log, step.kind, end))
        was, is_ = levels.old >= old, levels.new >= new
        left = [levels.facts[was & ~is_]]
        for level in range(max(old, log.timeline.first_level), new):
            facts = model.interpretation(level)
            left.append(facts[~_among(facts, levels.facts)])
        inserted, deleted = levels.facts[~was & is_], np.concatenate(left)
        if new != old:
            self.journal.set(self, "start", new)
        return self.change(inserted, deleted)


class _Stored(dict[Fact, None]):
    """Facts of a model as a dictionary, so that the journal can undo insertions and deletions."""

    def __init__(self, model: WindowModel) -> None:
        self._model = model

    def get(self, fact: Fact, default: Any = None) -> Any:
        return None if self._model.kernel.store.row_of(*fact) >= 0 else default

    def pop(self, fact: Fact, default: Any = None) -> Any:
        self._model.cut(np.array([fact], np.int32))
        self._model.take_changes()

    def __setitem__(self, fact: Fact, value: None) -> None:
        self._model.add(np.array([fact], np.int32), 0)
        self._model.take_changes()


def _among(some: Integers, facts: Integers) -> Any:
    known = set(as_tuples(facts))
    return np.array([fact in known for fact in as_tuples(some)], np.bool_)


_NO_CHANGES = np.empty((0, 4), np.int32)


class Conclusions(Protocol):
    """Conclusions of temporal rules that are triples, as facts in the numbers of the vocabulary."""

    def are_joined_for(self, needed: Symbols) -> bool:
        """Return whether the default graph contains conclusions of these classes and properties.

        Args:
            needed: classes and properties; None for all.
        """

    def facts(self) -> Integers:
        """Return all conclusions, shape (n, 3)."""

    def take_facts(self) -> Integers:
        """Return the conclusions inserted (1) and deleted (-1, last column) since the last call; a conclusion
        occurs at most once.
        """


class ConclusionSource(StoredSource):
    """Conclusions of temporal rules; the data of the graph `urn:pantarhei:conclusions`.

    Args:
        window: the reasoner's window.
        facts: the present conclusions.
    """

    name = CONCLUSIONS_GRAPH

    def __init__(self, journal: Journal, window: Window, vocabulary: Vocabulary, facts: Integers) -> None:
        super().__init__(journal, window, vocabulary)
        self.replace_facts(facts)
        self.changes = self.change(facts[:0], facts[:0])
        """Changes of the last step."""

    def update(self, changed: Integers) -> None:
        """Apply the changes of a step.

        Args:
            changed: conclusions inserted (1) and deleted (-1, last column).
        """
        inserted, deleted = (changed[changed[:, 3] == sign, :3] for sign in (1, -1))
        self.changes = self.change(inserted, deleted)

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        return self.changes

    def graph(self, terms: TermSpace, forms: FactForms) -> FactSource:
        return super().graph(terms, {})  # conclusions have first forms


class JoinedSource(StoredSource):
    """Union of another source and all conclusions.

    Args:
        base: the other source.
        model: the window model.
    """

    def __init__(self, base: QuerySource, conclusions: ConclusionSource, model: WindowModel) -> None:
        super().__init__(base.journal, base.window, model.vocabulary)
        self._base, self._conclusions, self.program = base, conclusions, model.program
        self.closed, self.began = base.closed, base.began
        self._fill()

    def _fill(self) -> None:
        self.replace_facts(np.concatenate([self._base.model.facts(), self._conclusions.model.facts()]))

    def refill(self, model: WindowModel) -> None:
        if self.program is not model.program:
            self._base.refill(model)
            self.journal.set(self, "program", model.program)
            self._fill()

    def advance(self, changes: Changes, model: WindowModel, closing: int | None) -> Integers:
        noted = self._base.advance(changes, model, closing)
        facts = np.concatenate([noted[:, :3], self._conclusions.changes[:, :3]])
        are_present = _contains(self._base.model, facts) | _contains(self._conclusions.model, facts)
        were_present = _contains(self.model, facts)
        return self.change(facts[are_present & ~were_present], facts[were_present & ~are_present])

    def first_level(self, log: Log) -> int:
        return self._base.first_level(log)

    @property
    def bytes_used(self) -> int:
        return super().bytes_used + self._base.bytes_used

    def renumber(self, renaming: Renaming) -> None:
        self._base.renumber(renaming)
        super().renumber(renaming)


def _contains(model: WindowModel, facts: Integers) -> npt.NDArray[np.bool_]:
    """Return for each fact whether a model contains it."""
    return np.asarray(model.kernel.store.present(contiguous(facts)), np.bool_)
