"""What `explain` does: proofs of what a stream reasoner holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, Fact, as_tuples
from pantarhei.engine.holdings import Holdings
from pantarhei.errors import EntailedError, NotEntailedError, OptionError, TimestampError, check_type
from pantarhei.explain.absence import Absence, Gone, UnknownName
from pantarhei.explain.clauses import Clauses
from pantarhei.explain.search import NEW_NAME
from pantarhei.explain.unknown import unknown_names
from pantarhei.explain.why_not import Situation, WhyNot
from pantarhei.language.term import Term, Triple, check_triple
from pantarhei.language.time import TimePoint, plain_time, show_time
from pantarhei.materialize.model import WindowModel
from pantarhei.proofs.explaining import AssertedAt, Explanations
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.wording import Labels
from pantarhei.rules.compilation.program import Program

LIMIT = 10_000
"""How many rule instances an explanation looks at, unless it is told."""

STEPS = 3_000
"""How many steps back over rules the search for what is missing takes."""

# More rule instances than fit into any memory, and few enough to be counted in 64 bits.
_ENDLESS = 1 << 40


class Explainer:
    """Explains what a stream reasoner holds; not for several threads at once.

    Args:
        labels: what names are called.
        names: gives the classes and properties that the ontology has.
    """

    def __init__(self, held: Holdings, labels: Labels, names: Callable[[], Iterable[Term]]) -> None:
        self._held, self._labels, self._names = held, labels, names
        self._read: tuple[Program, object, Clauses] | None = None

    def explain(
        self, triple: Triple, at: TimePoint | None, all_: bool, limit: int
    ) -> Proof | tuple[Proof, ...]:
        """The best proof of a triple, or one for each minimal support."""
        check_type("limit", limit, int, "a whole number")
        if limit < 1:
            raise OptionError("limit", str(limit), "at least one rule instance")
        found = self._explanations(at, min(limit, _ENDLESS))
        fact = found.model.find(check_triple(triple))
        if fact is None:
            raise NotEntailedError(" ".join(term.n3() for term in triple), self._time_text(at))
        if all_:
            return tuple(proof.labelled(self._labels) for proof in found.all(fact))
        return found.best(fact).labelled(self._labels)

    def why_not(self, triple: Triple, at: TimePoint | None, limit: int) -> Absence:
        """Why a triple does not hold."""
        check_type("limit", limit, int, "a whole number")
        if limit < 1:
            raise OptionError("limit", str(limit), "at least one way")
        explanations = self._explanations(at, LIMIT)
        vocabulary = explanations.model.vocabulary
        if explanations.model.find(check_triple(triple)) is not None:
            raise EntailedError(" ".join(term.n3() for term in triple), self._time_text(at))
        unknown = unknown_names(triple, vocabulary, self._names())
        known = vocabulary.mark
        try:
            (goal,) = as_tuples(vocabulary.encode([triple]).facts)
            absence = self._absence(triple, goal, unknown, self._situation(explanations), limit)
        finally:
            if vocabulary.mark != known:
                vocabulary.back_to(known)
        return absence

    def _absence(
        self, triple: Triple, goal: Fact, unknown: tuple[UnknownName, ...], situation: Situation, limit: int
    ) -> Absence:
        """Why a triple does not hold in a situation."""
        search = WhyNot(situation, goal, limit, STEPS)
        concluded = bool(situation.clauses.concluding(goal[0]))
        ways = search.ways()
        beyond = (
            ()
            if ways or not concluded
            else search.ways(situation.clauses.unconcluded | self._in_background())
        )
        return Absence(
            triple,
            self._held.books.now,
            situation.fate(goal),
            ways,
            concluded,
            goal[0] in situation.assumable,
            unknown,
            beyond,
            search.complete,
        ).labelled({**self._labels, NEW_NAME: "something new"})

    def _situation(self, explanations: Explanations) -> Situation:
        books, model = self._held.books, explanations.model
        newest = books.log.newest
        asserted = [entry.facts[:, 0] for entry in books.log]
        predicates = np.unique(np.concatenate(asserted)).tolist() if asserted else ()
        now = books.now if newest is None else newest.at
        assert now is not None
        return Situation(
            explanations,
            books.log,
            now,
            0 if newest is None else newest.ticks,
            self._clauses(model),
            frozenset(predicates),
            np.concatenate([NO_FACTS, *(entry.facts for entry in books.log)]),
            self._fate,
            self._held.prove,
        )

    def _clauses(self, model: WindowModel) -> Clauses:
        """The rules of a model, read once while their terms keep their numbers."""
        program, names = model.program, model.vocabulary.lexicon
        known = self._read
        if known is None or known[0] is not program or known[1] is not names:
            known = self._read = program, names, Clauses(program, model.vocabulary)
        return known[2]

    def _in_background(self) -> frozenset[int]:
        """The predicates that the background asserts."""
        return frozenset(np.unique(self._held.foundation.background.facts[:, 0]).tolist())

    def _fate(self, fact: Fact) -> tuple[Gone, ...]:
        return ()

    def _explanations(self, at: TimePoint | None, limit: int) -> Explanations:
        """What explains the facts at a time."""
        books = self._held.books
        if at is not None and plain_time(at) != books.now:
            raise TimestampError(f"the time {show_time(at)}", f"the present, {self._time_text(None)}")
        model, forms = self._held.state().shown
        return Explanations(model, self._abox, forms, limit)

    def _abox(self, level: int) -> AssertedAt:
        entry = self._held.books.log.timeline.at_level(level)
        assert entry is not None, "what is asserted is in the window"
        return AssertedAt(entry.at, entry.forms.by_fact)

    def _time_text(self, at: TimePoint | None) -> str | None:
        time = self._held.books.now if at is None else at
        return None if time is None else show_time(time)
