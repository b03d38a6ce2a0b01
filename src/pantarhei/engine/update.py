"""Results of a step for users: the changes of the materialization, the repair, statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import numpy as np

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import NO_FACTS, FactForms, Integers, as_tuples
from pantarhei.errors import DeltaNotKeptError, TemporalRuleError
from pantarhei.materialize.model import Work
from pantarhei.model.labels import NO_LABELS, Labels, labels_among, labels_of_terms
from pantarhei.model.message_text import counted
from pantarhei.model.representation import call_text, html_of, short_repr
from pantarhei.model.term import Delta, Term, Triple
from pantarhei.model.time import TimePoint, in_zone_of, show_time
from pantarhei.proofs.change_picture import MOST_FACTS, Cause, ChangedFact, changes_svg
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.sentences import TimeFormat, sentence
from pantarhei.query.continuous_query import NO_ANSWER_CHANGES, AnswerChanges
from pantarhei.rdf.ntriples import exactly
from pantarhei.repair.consistency import Contradiction
from pantarhei.repair.result import Repair
from pantarhei.temporal.conclusion_sets import NOTHING_CONCLUDED, ConclusionChanges
from pantarhei.window.log import Entry

_Update = TypeVar("_Update", bound="WindowUpdate | GraphUpdate")

MOST_AT_ONCE: Final = 100_000
"""Limit of ABoxes of conclusions that one step may assert."""


class Feedback(NamedTuple):
    """Conclusions to assert at the next tick.

    Args:
        at: first time of the tick, in the smallest unit of the stream's time. Without facts, the next time at
            which rules may conclude some, or the end of the step.
        facts: the conclusions, with the numbers of the vocabulary.
        not_assertable: the number of conclusions whose subject is a literal, summed over the ticks until
            `at`.
    """

    at: int
    facts: Integers
    not_assertable: int = 0


def not_asserted_text(count: int) -> str:
    """Return the number of conclusions that were not asserted, with the reason.

    >>> not_asserted_text(2)
    '2 conclusions not asserted: a literal in first place'
    """
    return f"{counted(count, 'conclusion')} not asserted: a literal in first place"


class FedBack(NamedTuple):
    """ABox of conclusions that temporal rules with feedback have asserted.

    Args:
        at: its timestamp, the first time of a tick.
        facts: the number of its facts, which are conclusions of the previous tick.
        repair: the repair of its contradictions.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> text = "@prefix : <http://example.org/pedals#> . :ClutchPressed(X) :- :BrakesPressed(X)."
    >>> rules = pr.load_rules(text, feedback=True)
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=1), temporal=rules)
    >>> _ = reasoner.push(1, [(EX.x, RDF.type, EX.BrakesPressed)])
    >>> [(fed_back.at, fed_back.facts) for fed_back in reasoner.push(2, []).fed_back]
    [(2, 1)]
    """

    at: TimePoint
    facts: int
    repair: Repair

    def __repr__(self) -> str:
        return short_repr(self)


class FixpointDetector:
    """Detector of ticks that are identical to the previous one, so that all later ticks are identical too.

    This is the case once the same facts were asserted, and nothing else changed, at more ticks than rules
    look back and than the window has ABoxes: then the states differ in their times only.

    Args:
        reach: the number of ticks that rules look back; None if rules read the time itself or count
            assertions.
    """

    def __init__(self, reach: int | None) -> None:
        self._reach, self._facts, self._ticks = reach, NO_FACTS, 0

    def note(self, facts: Integers, is_all: bool) -> None:
        """Record the facts asserted at the next tick; `is_all` is true if nothing else changed."""
        is_same = is_all and len(facts) > 0 and np.array_equal(facts, self._facts)
        self._facts, self._ticks = facts, self._ticks + 1 if is_same else 0

    def is_reached(self, in_window: int) -> bool:
        """Return true if all later ticks are identical, given the number of ABoxes in the window."""
        return self._reach is not None and self._ticks > max(self._reach, in_window)


def refuse_endless(asserted: int) -> None:
    """Check that a step may assert another ABox of conclusions.

    Raises:
        TemporalRuleError: it has asserted `MOST_AT_ONCE` already.
    """
    if asserted >= MOST_AT_ONCE:
        problem = f"before the next timestamp, conclusions are asserted at {asserted:_} ticks or more"
        raise TemporalRuleError(
            problem, "fewer ticks; give the reasoner a longer tick, or advance in several steps"
        )


class Stats(NamedTuple):
    """Sizes and counters of a reasoner at a moment.

    Bytes count the reasoner's own state, without the interpreter (some 60 MB with the libraries), ontology
    and compiled rules, updates and answers that the program keeps, and the terms of conflicts that were read.

    Args:
        facts: facts of the materialization, background included; with `derive="needed"` the maintained ones.
        assertions: assertions of the window's ABoxes, cut ones included.
        partitions: timestamps in the window.
        symbols, names, literals: distinct classes and properties, names, and literal values with a number.
        kernel_bytes: the arrays of facts; they do not shrink when facts leave.
        books_bytes: asserted and cut facts and the evidence of conflicts, in the window and the past.
        vocabulary_bytes: the terms, estimated from a sample.
        consumer_bytes: temporal rules and registered queries.
        pops, firings, renewals, rederivations, searches: see `Work`; since the model was built, which happens
            again after an error and when the rules grow.
        pushes, repairs, cut, late, dropped_early, forgotten_early: see `Counters`; since the stream began.
        unwritten, fed_back, not_fed_back, undecided, ahead, invalid, times_cut: see `Counters`.
        waiting: ABoxes that wait in `run`; `bytes` does not count them.
        remembered: timestamps that have left the window and are remembered.
        rules: rules and constraints, those for asserted predicates included.
        running: rules in force: all, except with `derive="needed"`.
        axioms: assertions that write axioms, from which nothing follows; see `Unexpected`.
        unknown: asserted classes and properties that neither ontology nor background has.
        apart: asserted properties with numbers that are not comparable, doubles and decimals.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> stats = reasoner.stats()
    >>> stats.pushes, stats.repairs, stats.cut, stats.bytes > 0
    (2, 1, 1, True)
    """

    facts: int
    assertions: int
    partitions: int
    symbols: int
    names: int
    literals: int
    kernel_bytes: int
    books_bytes: int
    vocabulary_bytes: int
    consumer_bytes: int
    pops: int
    firings: int
    renewals: int
    rederivations: int
    searches: int
    pushes: int
    repairs: int
    cut: int
    late: int
    dropped_early: int
    forgotten_early: int
    unwritten: int
    fed_back: int
    not_fed_back: int
    undecided: int
    ahead: int
    invalid: int
    times_cut: int
    waiting: int
    remembered: int
    rules: int
    running: int
    axioms: int = 0
    unknown: int = 0
    apart: int = 0

    @property
    def terms(self) -> int:
        """Number of classes, properties, names and literal values."""
        return self.symbols + self.names + self.literals

    @property
    def bytes(self) -> int:
        """All counted bytes."""
        return self.kernel_bytes + self.books_bytes + self.vocabulary_bytes + self.consumer_bytes

    def as_dict(self) -> dict[str, int]:
        """Return all fields by name, with `terms` and `bytes`, as JSON values."""
        return {**self._asdict(), "terms": self.terms, "bytes": self.bytes}

    def _shown_parts(self) -> dict[str, object]:
        return {"summary": str(self), **{name: count for name, count in self.as_dict().items() if count}}

    def _repr_html_(self) -> str:
        return html_of(self)

    def __repr__(self) -> str:
        sizes = {"fact": self.facts, "assertion": self.assertions, "timestamp": self.partitions}
        counts = [counted(number, noun) for noun, number in sizes.items()]
        return call_text(self, [*counts, in_megabytes(self.bytes), counted(self.repairs, "repair")])

    def __str__(self) -> str:
        cut = counted(self.cut, "fact cut", "facts cut")
        if self.undecided:
            cut += f" ({self.undecided:,} undecided)"
        counters = (
            counted(self.pushes, "push"),
            counted(self.repairs, "repair"),
            cut,
            counted(self.late, "late ABox"),
            counted(self.dropped_early, "timestamp dropped early", "timestamps dropped early"),
            *([counted(self.ahead, "ABox too far ahead", "ABoxes too far ahead")] if self.ahead else ()),
            *([counted(self.invalid, "invalid ABox", "invalid ABoxes")] if self.invalid else ()),
            *([f"{counted(self.waiting, 'ABox')} held back"] if self.waiting else ()),
        )
        work = [f"{getattr(self, name):,} {name}" for name in Work._fields]
        if self.fed_back:
            work.append(f"{counted(self.fed_back, 'conclusion')} asserted")
        if self.not_fed_back:
            work.append(not_asserted_text(self.not_fed_back))
        if self.times_cut:
            work.append(f"{counted(self.times_cut, 'time')} cut to microseconds")
        if self.running < self.rules:
            work.append(f"{self.running:,} of {counted(self.rules, 'rule')} run")
        return (
            f"{counted(self.facts, 'fact')} from {counted(self.assertions, 'assertion')} at "
            f"{counted(self.partitions, 'timestamp')}, {counted(self.terms, 'term')}, "
            f"{in_megabytes(self.bytes)} (facts {in_megabytes(self.kernel_bytes)}, "
            f"books {in_megabytes(self.books_bytes)}, terms {in_megabytes(self.vocabulary_bytes)}); "
            f"{', '.join(counters)}; {', '.join(work)}"
        )


def in_megabytes(count: int) -> str:
    """Return a number of bytes as text.

    >>> in_megabytes(1_234_567), in_megabytes(900)
    ('1.2 MB', '0.0 MB')
    """
    return f"{count / 1e6:,.1f} MB"


class NumberedChanges(NamedTuple):
    """Changes of a step as numbers of a lexicon.

    Args:
        rows: predicate, subject, object and signed change of each recorded change.
        forms: the forms of literals that are not the first ones of their values.
    """

    rows: Integers
    lexicon: Lexicon
    forms: FactForms


class TripleDelta:
    """Triples that a step inserted into and deleted from the materialization; decoded when first read.

    Args:
        make: decodes the delta.
        changes: the number of changes; texts and HTML decode at most 10,000.
        labels: returns the names shown for IRIs in pictures.

    Attributes:
        numbered: the changes of a single step as numbers; None if they are not known as such.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> delta = reasoner.push(1, [gas]).delta
    >>> gas in delta.added, delta.removed
    (True, frozenset())
    """

    def __init__(
        self, make: Callable[[], Delta[Triple]], changes: int = 0, labels: Callable[[], Labels] = dict
    ) -> None:
        self._make, self._changes, self._labels_of = make, changes, labels
        self.numbered: NumberedChanges | None = None

    @classmethod
    def of(
        cls, noted: Integers, lexicon: Lexicon, forms: FactForms, labels: Callable[[], Labels] = dict
    ) -> TripleDelta:
        """Return the delta of recorded changes, with the forms that its literals have or had."""

        def make() -> Delta[Triple]:
            return Delta.of(zip(lexicon.decode(noted[:, :3], forms), noted[:, 3].tolist(), strict=True))

        made = cls(make, len(noted), labels)
        made.numbered = NumberedChanges(noted, lexicon, forms)
        return made

    @classmethod
    def together(cls, parts: Sequence[TripleDelta]) -> TripleDelta:
        """Combine the deltas of consecutive steps."""
        labels = parts[-1]._labels_of
        if any(isinstance(part, UnknownDelta) for part in parts):
            return UnknownDelta(labels)
        changes = sum(part._changes for part in parts)
        return cls(
            lambda: Delta.of(c for part in parts for c in part._delta.weights.items()), changes, labels
        )

    @cached_property
    def _delta(self) -> Delta[Triple]:
        return self._make()

    @cached_property
    def added(self) -> frozenset[Triple]:
        """The inserted triples."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight > 0)

    @cached_property
    def removed(self) -> frozenset[Triple]:
        """The deleted triples."""
        return frozenset(triple for triple, weight in self._delta.weights.items() if weight < 0)

    @property
    def labels(self) -> Labels:
        """The names shown for IRIs; only those of the update's terms after pickling."""
        return self._labels_of()

    def with_labels(self, labels: Labels) -> TripleDelta:
        """Return the delta with other labels."""
        return TripleDelta(self._make, self._changes, lambda: labels)

    def forgotten(self) -> UnknownDelta:
        """Return the delta with its labels alone."""
        return UnknownDelta(self._labels_of)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TripleDelta):
            return NotImplemented
        return (self.added, self.removed) == (other.added, other.removed)

    __hash__ = None  # type: ignore[assignment]

    @property
    def counts(self) -> str:
        """The numbers of inserted and deleted triples, as text."""
        return f"+{len(self.added)} -{len(self.removed)} facts"

    @property
    def shown_counts(self) -> str:
        """The text of `counts`, without decoding many triples."""
        return f"{self._changes:,} changed facts" if self._is_long else self.counts

    @property
    def _is_long(self) -> bool:
        return self._changes > _MOST_DECODED and "_delta" not in self.__dict__

    def __repr__(self) -> str:
        return f"TripleDelta({self.shown_counts.removesuffix(' facts')})"

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        if self._is_long:
            return {"added, removed": "not decoded yet: read added or removed"}
        return {"added": self.added, "removed": self.removed}

    def terms(self) -> Iterator[Term]:
        """Yield the terms of the triples; none if the delta is not kept."""
        return (term for triple in self._delta.weights for term in triple)

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_restored, self._delta, labels_of_terms(self.labels, self.terms()))


_MOST_DECODED: Final = 10_000  # changes decoded for a text


def _restored(delta: Delta[Triple], labels: Labels = NO_LABELS) -> TripleDelta:
    return TripleDelta(lambda: delta, 0, lambda: labels)


class UnknownDelta(TripleDelta):
    """Delta of a step with `derive="needed"`: reading it raises `DeltaNotKeptError`.

    Args:
        labels: returns the names shown for IRIs.
    """

    def __init__(self, labels: Callable[[], Labels] = dict) -> None:
        super().__init__(_refuse, labels=labels)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnknownDelta)

    __hash__ = None

    def with_labels(self, labels: Labels) -> UnknownDelta:
        return UnknownDelta(lambda: labels)

    def terms(self) -> Iterator[Term]:
        return iter(())

    @property
    def counts(self) -> str:
        return "facts not counted"

    def _shown_parts(self) -> dict[str, object]:
        return {"added, removed": str(DeltaNotKeptError())}

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(UnknownDelta)


def _refuse() -> NoReturn:
    raise DeltaNotKeptError


class StepAssertions:
    """Facts that the ABoxes of a step assert, and facts of the ABoxes that left; decoded when first read.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> update = reasoner.push(1, [gas])
    >>> update.assertions.arrived == {gas}, update.assertions.left
    (True, frozenset())
    """

    def __init__(self, make: Callable[[], tuple[frozenset[Triple], frozenset[Triple]]]) -> None:
        self._make = make

    @classmethod
    def of(cls, arrived: Sequence[Entry], left: Sequence[Entry], lexicon: Lexicon) -> StepAssertions:
        """Return the assertions of ABoxes that arrived and of ABoxes that left. Keeps their arrays alive."""

        def decoded(entries: Sequence[Entry], kept: bool) -> Iterator[Triple]:
            for entry in entries:
                cut = set(as_tuples(entry.cut)) if kept else ()
                facts = [fact for fact in as_tuples(entry.facts) if fact not in cut]
                yield from lexicon.decode(facts, entry.forms.by_fact)

        return cls(lambda: (frozenset(decoded(arrived, True)), frozenset(decoded(left, False))))

    @classmethod
    def together(cls, parts: Sequence[StepAssertions]) -> StepAssertions:
        """Combine the assertions of consecutive steps."""

        def make() -> tuple[frozenset[Triple], frozenset[Triple]]:
            none = frozenset[Triple]()
            return none.union(*(part.arrived for part in parts)), none.union(*(part.left for part in parts))

        return cls(make)

    @cached_property
    def _decoded(self) -> tuple[frozenset[Triple], frozenset[Triple]]:
        return self._make()

    @property
    def arrived(self) -> frozenset[Triple]:
        """The facts of the arriving ABoxes, except the facts that the repair removed."""
        return self._decoded[0]

    @property
    def left(self) -> frozenset[Triple]:
        """The facts of the ABoxes that left the window."""
        return self._decoded[1]

    def __eq__(self, other: object) -> bool:
        return self._decoded == other._decoded if isinstance(other, StepAssertions) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if "_decoded" not in self.__dict__:
            return "StepAssertions(not decoded)"
        return f"StepAssertions({len(self.arrived):,} arrived, {len(self.left):,} left)"

    _repr_html_ = html_of

    def _shown_parts(self) -> dict[str, object]:
        return {"arrived": self.arrived, "left": self.left}

    def __reduce__(self) -> tuple[Any, ...]:
        return exactly(_known_assertions, *self._decoded)


def _known_assertions(arrived: frozenset[Triple], left: frozenset[Triple]) -> StepAssertions:
    return StepAssertions(lambda: (arrived, left))


NO_ASSERTIONS: Final = _known_assertions(frozenset(), frozenset())


@dataclass(frozen=True, slots=True)
class WindowUpdate:
    """Result of one push or advance.

    Repair and delta are decoded on first access. An update keeps the terms that it needs alive.

    Args:
        at: the time.
        start, end: the ends of the window; see `Window` for which of them are included.
        dropped: timestamps that left the window.
        repair: the repair of this step.
        delta: the inserted and deleted triples of the materialization. Reading it with `derive="needed"`
            raises `DeltaNotKeptError`.
        dropped_early: the part of `dropped` that was evicted because of `max_facts` or `max_bytes`.
        answers: the changes of registered queries, by the query or its name. Inside `all_or_nothing` the last
            update has the changes of the whole block, unless the block is `each_step`.
        conclusions: the inserted and deleted conclusions of temporal rules; `turns` has them for each tick.
        fed_back: the ABoxes of conclusions that temporal rules with feedback have asserted, oldest first. All
            other fields except `repair` include these ABoxes.
        not_fed_back: the number of conclusions that could not be asserted, since their subject is a literal;
            each counts at each tick.
        assertions: the facts of the arriving ABoxes, and of the ABoxes that left the window.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> update = reasoner.push(2, [brakes])
    >>> update.start, update.end, (EX.x, RDF.type, EX.Slowing) in update.delta.added
    (0, 2, True)
    """

    at: TimePoint
    start: TimePoint
    end: TimePoint
    dropped: tuple[TimePoint, ...]
    repair: Repair
    delta: TripleDelta
    dropped_early: tuple[TimePoint, ...] = ()
    answers: AnswerChanges = field(default_factory=lambda: NO_ANSWER_CHANGES)
    conclusions: ConclusionChanges = NOTHING_CONCLUDED
    fed_back: tuple[FedBack, ...] = ()
    not_fed_back: int = 0
    assertions: StepAssertions = field(default_factory=lambda: NO_ASSERTIONS, compare=False)

    @property
    def changes_nothing(self) -> bool:
        """True if the materialization is unchanged and nothing was repaired."""
        return not (self.delta.added or self.delta.removed or self.repair.removed)

    def after(
        self, steps: Sequence[WindowUpdate], fed_back: tuple[FedBack, ...], not_fed_back: int = 0
    ) -> WindowUpdate:
        """Combine this update with the updates of earlier steps, which asserted conclusions."""
        every = (*steps, self)
        return replace(
            self,
            dropped=tuple(at for step in every for at in step.dropped),
            delta=TripleDelta.together([step.delta for step in every]),
            dropped_early=tuple(at for step in every for at in step.dropped_early),
            fed_back=fed_back,
            not_fed_back=not_fed_back,
            assertions=StepAssertions.together([step.assertions for step in every]),
        )

    def to_svg(self, explain: Callable[[Triple], Proof] | None = None) -> str:
        """Return a picture of the step: inserted facts, asserted or derived, above deleted facts, which left
        the window, were removed by the repair, or are no longer derived. Of each kind 12 are drawn.

        Args:
            explain: returns the proof of a fact after the step, as `StreamReasoner.explain`; arrows then lead
                from asserted facts to facts that were derived from them.

        Raises:
            DeltaNotKeptError: with `derive="needed"`.
        """
        shown = TimeFormat.of((self.at,), (self.start, self.end))
        title = f"{shown.span((self.at,))}: window {shown.reach((self.start, self.end))}"
        if self.repair or self.repair.conflicts:
            title += f"; {self.repair.summary()}"
        return changes_svg(title, _changed_facts(self._causes(), explain, self.delta.labels))

    def _causes(self) -> Causes:
        cut = frozenset(triple for _, triple in self.repair.removed)
        yield from _causes_of(self.delta, self.assertions, Cause.EXPIRED, cut)
        yield Cause.CUT, cut

    def __str__(self) -> str:
        expired = counted(len(self.dropped), "timestamp")
        parts = [
            f"window {self._shown_window}",
            f"{expired} expired",
            self.delta.counts,
            self.repair.summary(),
        ]
        if fed_back := sum(each.facts for each in self.fed_back):
            parts.append(f"{counted(fed_back, 'conclusion')} asserted")
        if self.not_fed_back:
            parts.append(not_asserted_text(self.not_fed_back))
        return f"at {show_time(self.at)}: {', '.join(parts)}"

    @property
    def _shown_window(self) -> str:
        return " to ".join(show_time(in_zone_of(end, self.at)) for end in (self.start, self.end))

    def __repr__(self) -> str:
        parts = [f"at {show_time(self.at)}: {self.delta.shown_counts}"]
        if self.dropped:
            parts.append(f"{counted(len(self.dropped), 'timestamp')} expired")
        if self.repair:
            parts.append("repaired")
        return call_text(self, parts)

    def _repr_html_(self) -> str:
        return html_of(self, lambda: self._labels)

    @property
    def _labels(self) -> Labels:
        return {**self.repair.labels, **self.delta.labels}

    def __reduce__(self) -> tuple[Any, ...]:
        turns = self.conclusions.turns
        atoms = (atom for turn in turns for atoms in (turn.added, turn.removed) for atom in atoms)
        terms = (term for atom in atoms for term in (atom.predicate, *atom.arguments))
        removed = chain.from_iterable(fact for _, fact in self.repair.removed)
        return _reduced(self, self._labels, chain(_terms_of(self), terms, removed))

    def _shown_parts(self) -> dict[str, object]:
        return {
            "window": self._shown_window,
            **self.delta._shown_parts(),
            "dropped": tuple(in_zone_of(at, self.at) for at in self.dropped),
            **({"repair": self.repair} if self.repair or self.repair.conflicts else {}),
            **({"answers": self.answers} if self.answers else {}),
            **({"conclusions": self.conclusions} if self.conclusions else {}),
            **({"asserted conclusions": self.fed_back} if self.fed_back else {}),
        }


def _terms_of(update: WindowUpdate | GraphUpdate) -> Iterator[object]:
    """Yield the terms in the delta, the assertions and the answers of an update."""
    yield from update.delta.terms()
    yield from chain(*update.assertions.arrived, *update.assertions.left)
    for change in update.answers.values():
        for report in change.reports.distinct:
            yield from chain(*report.added, *report.removed)


def _reduced(update: WindowUpdate | GraphUpdate, labels: Labels, terms: Iterable[object]) -> tuple[Any, ...]:
    """Return the value of `__reduce__` for an update; it keeps the labels of `terms`."""
    given = (getattr(update, each.name) for each in fields(update))
    return exactly(_restored_update, type(update), labels_of_terms(labels, terms), *given)


def _restored_update(kind: type[_Update], labels: Labels, *given: Any) -> _Update:
    update = kind(*given)
    return replace(update, delta=update.delta.with_labels(labels))


Causes = Iterator[tuple[Cause, Iterable[Triple]]]
"""Changed triples by the causes of their changes."""


def _causes_of(
    delta: TripleDelta, assertions: StepAssertions, gone: Cause, cut: frozenset[Triple] = frozenset()
) -> Causes:
    """Yield the changed triples by cause, except the triples of a cut.

    Args:
        gone: the cause for triples whose assertions left.
    """
    added, removed = delta.added, delta.removed - cut
    yield Cause.ASSERTED, added & assertions.arrived
    yield Cause.DERIVED, added - assertions.arrived
    yield gone, removed & assertions.left
    yield Cause.UNSUPPORTED, removed - assertions.left


def _changed_facts(
    causes: Causes,
    explain: Callable[[Triple], Proof] | None,
    labels: Labels,
) -> list[ChangedFact]:
    """Return changes as sentences, sorted by text, with the asserted facts on which they rest."""
    changes = [(cause, triple) for cause, facts in causes for triple in facts]
    words = labels_among(labels, (term for _, triple in changes for term in triple))
    shown = sorted((sentence(triple, words), cause.value, triple, cause) for cause, triple in changes)
    asserted = {triple: place for place, (*_, triple, cause) in enumerate(shown) if cause is Cause.ASSERTED}
    explained = Counter[Cause]()
    found = []
    for text, _, triple, cause in shown:
        explained[cause] += 1
        rests_on: Iterable[Triple] = ()
        if explain is not None and cause is Cause.DERIVED and explained[cause] <= MOST_FACTS:
            rests_on = (fact for _, fact in explain(triple).supports)
        places = sorted(asserted[fact] for fact in rests_on if fact in asserted)
        found.append(ChangedFact(text, cause, tuple(places)))
    return found


@dataclass(frozen=True, slots=True)
class GraphUpdate:
    """Result of one change of a graph without time.

    Args:
        at: the number of the change, counted from 1.
        delta: as in `WindowUpdate`.
        already_asserted: the number of inserted triples that were asserted before.
        not_asserted: the number of deleted triples that were not asserted.
        is_consistent: true if the assertions violate no constraint.
        conflicts: all minimal contradictions; the list's `complete` is false if the budget was too small to
            list all of them.
        assertions: the inserted and the deleted assertions, for pictures.
        answers: the changes of registered queries, by the query or its name. Inside `all_or_nothing` the last
            update has the changes of the whole block, unless the block is `each_step`.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> graph = pr.DynamicGraph(pr.load_ontology("ontologies/pedals.ttl"))
    >>> update = graph.change(insert=[gas])
    >>> (EX.x, RDF.type, EX.Accelerating) in update.delta.added, update.already_asserted
    (True, 0)
    """

    at: int
    delta: TripleDelta
    already_asserted: int = 0
    not_asserted: int = 0
    is_consistent: bool = True
    conflicts: Sequence[Contradiction] = ()
    answers: AnswerChanges = field(default_factory=lambda: NO_ANSWER_CHANGES)
    assertions: StepAssertions = field(default_factory=lambda: NO_ASSERTIONS, compare=False)

    def to_svg(self, explain: Callable[[Triple], Proof] | None = None) -> str:
        """Return a picture of the change: inserted facts, asserted or derived, above deleted facts, whose
        assertion was deleted or which are no longer derived. Of each kind 12 are drawn.

        Args:
            explain: returns the proof of a fact after the change; arrows then lead from asserted facts to
                facts that were derived from them.

        Raises:
            DeltaNotKeptError: with `derive="needed"`.
        """
        causes = _causes_of(self.delta, self.assertions, Cause.RETRACTED)
        return changes_svg(str(self), _changed_facts(causes, explain, self.delta.labels))

    def __str__(self) -> str:
        parts = [f"change {self.at}: {self.delta.counts}"]
        if self.already_asserted:
            parts.append(f"{self.already_asserted} asserted already")
        if self.not_asserted:
            parts.append(f"{self.not_asserted} to be deleted not asserted")
        if not self.is_consistent:
            parts.append(counted(len(self.conflicts), "conflict"))
        return ", ".join(parts)

    def __repr__(self) -> str:
        inconsistent = [] if self.is_consistent else ["inconsistent"]
        return call_text(self, [f"change {self.at}: {self.delta.shown_counts}", *inconsistent])

    def _repr_html_(self) -> str:
        return html_of(self, lambda: self.delta.labels)

    def __reduce__(self) -> tuple[Any, ...]:
        return _reduced(self, self.delta.labels, _terms_of(self))

    def _shown_parts(self) -> dict[str, object]:
        return {
            **self.delta._shown_parts(),
            "already asserted": self.already_asserted,
            "not asserted": self.not_asserted,
            "consistent": self.is_consistent,
            **({} if self.is_consistent else {"conflicts": self.conflicts}),
            **({"answers": self.answers} if self.answers else {}),
        }
