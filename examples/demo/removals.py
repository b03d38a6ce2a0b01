"""Facts removed by repairs, each shown with one of its conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

import pantarhei as pr
from demo.words import Assertion, TimePoint, Triple, Wording, clock, indented

GONE = "✗"


@dataclass(frozen=True, slots=True)
class Removal:
    """Fact removed by a repair, and the conflict of it whose other facts are newest."""

    at: TimePoint
    newest: TimePoint
    fact: Triple
    others: tuple[Assertion, ...]
    conflict: pr.Conflict

    @property
    def rules(self) -> tuple[pr.Rule, ...]:
        """Constraints violated by the conflict."""
        return self.conflict.constraints

    @property
    def kind(self) -> tuple[object, ...]:
        """Kind of the removal; one removal of each kind is shown."""
        return tuple(rule.axiom for rule in self.rules), len(self.others), self.at_once

    @property
    def at_once(self) -> bool:
        """True if a contradicting fact is equally old."""
        return any(at == self.newest for at, _ in self.others)


def removals_of(repair: pr.Repair) -> list[Removal]:
    """Return the facts removed by a repair, each once."""
    newest: dict[Triple, TimePoint] = {}
    for at, triple in repair.removed:
        newest[triple] = max(at, newest.get(triple, at))
    best: dict[Triple, tuple[list[TimePoint], Removal]] = {}
    for conflict in repair.conflicts if newest else ():
        members = sorted(conflict.assertions, key=str)
        for _, triple in members:
            if triple in newest:
                others = tuple(assertion for assertion in members if assertion[1] != triple)
                ages = sorted(at for at, _ in others)
                candidate = Removal(repair.at, newest[triple], triple, others, conflict)
                known = best.get(triple)
                if known is None or (known[0], str(others)) < (ages, str(known[1].others)):
                    best[triple] = ages, candidate
    return [best[triple][1] for triple in sorted(best, key=str)]


def one_of_each_kind(removals: Iterable[Removal]) -> list[Removal]:
    first: dict[tuple[object, ...], Removal] = {}
    for removal in removals:
        first.setdefault(removal.kind, removal)
    return list(first.values())


def print_removals(console: Console, removals: Sequence[Removal], words: Wording) -> None:
    table = Table(box=None, show_header=False, padding=(0, 1), pad_edge=False)
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    derived: set[tuple[pr.Rule, ...]] = set()
    for removal in removals:
        lines = [*_reason(removal, words), *(() if removal.rules in derived else _derivation(removal))]
        derived.add(removal.rules)
        for index, line in enumerate(lines):
            table.add_row(clock(removal.at) if index == 0 else "", line)
    console.print(indented(table))


def _reason(removal: Removal, words: Wording) -> Iterator[RenderableType]:
    removed = f"{GONE} {words.fact(removal.fact)}"
    yield Text.assemble((removed, "red"), f" (of {clock(removal.newest)}) was removed:")
    for at, fact in removal.others:
        yield indented(Text.assemble((words.fact(fact), "green"), f" (of {clock(at)})"))
    against = words.constraints(removal.rules)
    if not removal.others:
        against = f"it contradicts the background: {against}"
    elif removal.at_once:
        against = f"{against}; equally old, so both are removed"
    yield indented(Text(against, "dim"))


def _derivation(removal: Removal) -> Iterator[RenderableType]:
    """Yield the derivation of the contradiction, unless the readings contradict each other directly."""
    for proof in removal.conflict.proofs:
        if any(step.rule is not None for step in proof.steps[:-1]):
            yield from (indented(Text(line, "dim")) for line in proof.tree_lines()[1:])
