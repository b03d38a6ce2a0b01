"""What a reasoner holds, and what it has done: numbers for logs and dashboards."""

from __future__ import annotations

from typing import NamedTuple

from pantarhei.engine.feedback import not_asserted_text
from pantarhei.materialize.model import Work
from pantarhei.model.messages import counted


class Stats(NamedTuple):
    """What a reasoner holds at a moment, and what it has done.

    Bytes are those of the reasoner's own state. Neither the interpreter (some 60 MB with the libraries) nor
    ontology and compiled rules are in them, nor updates and answers that the program keeps, nor the terms of
    conflicts that were read.

    Args:
        facts: facts of the materialization, the background's among them; with `derive="needed"` those that
            are kept up.
        assertions: assertions stored: of the window's ABoxes, with those that repairs cut.
        partitions: timestamps in the window.
        symbols, names, literals: different classes and properties, names, and literal values that have a
            number.
        kernel_bytes: of the arrays with the facts; they do not become smaller when facts leave.
        books_bytes: of what was asserted and cut, and the evidence of conflicts, in the window and before, as
            far as it is remembered.
        vocabulary_bytes: of the terms, estimated from a sample of them.
        consumer_bytes: of the engines that follow the window beside its model.
        pops, firings, renewals, rederivations, searches: see `Work`; since the model was made, which happens
            again after an error and where the rules grow.
        pushes, repairs, cut, late, dropped_early, forgotten_early, unwritten, fed_back, not_fed_back,
            undecided, ahead, invalid, times_cut: see `Counters`; since the stream began.
        waiting: ABoxes that `run` holds back; `bytes` does not count them.
        remembered: timestamps that have left the window and are remembered.
        rules: rules and constraints, those included that equality and the like demand of what was met.
        running: how many of them run, which are all but with `derive="needed"`.
        axioms: assertions that write axioms, from which nothing follows; see `Unexpected`.
        unknown: asserted classes and properties that neither ontology nor background knows.
        apart: asserted properties with numbers that never meet, doubles and decimals.
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
        """Different classes, properties, names and literal values."""
        return self.symbols + self.names + self.literals

    @property
    def bytes(self) -> int:
        """All bytes counted."""
        return self.kernel_bytes + self.books_bytes + self.vocabulary_bytes + self.consumer_bytes

    def as_dict(self) -> dict[str, int]:
        """All of it by name, with `terms` and `bytes`; JSON can say it."""
        return {**self._asdict(), "terms": self.terms, "bytes": self.bytes}

    def __str__(self) -> str:
        cut = counted(self.cut, "fact cut", "facts cut")
        if self.undecided:
            cut += f" ({self.undecided:,} undecided)"
        counters = (
            counted(self.pushes, "push", "pushes"),
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
    """A number of bytes for people.

    >>> in_megabytes(1_234_567), in_megabytes(900)
    ('1.2 MB', '0.0 MB')
    """
    return f"{count / 1e6:,.1f} MB"
