"""Facts removed by repairs, each shown with one of its conflicts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

import pantarhei as pr
from demo.words import indented

GONE = "✗"


@dataclass(frozen=True, slots=True)
class Removal:
    """Removed fact, or facts that removed each other, as text with the conflict that is the reason."""

    text: str
    conflict: pr.Conflict

    @property
    def axioms(self) -> tuple[str, ...]:
        """The violated axioms."""
        return tuple(rule.axiom for rule in self.conflict.constraints)

    @property
    def kind(self) -> tuple[object, ...]:
        """Kind of the removal; one removal of each kind is shown."""
        return self.axioms, len(self.conflict.assertions), "equally new" in self.text


def removals_of(repair: pr.Repair) -> list[Removal]:
    """Return the removals of a repair."""
    return [Removal(text, conflict) for text, conflict in repair.removals() if conflict is not None]


def one_of_each_kind(removals: Iterable[Removal]) -> list[Removal]:
    first: dict[tuple[object, ...], Removal] = {}
    for removal in removals:
        first.setdefault(removal.kind, removal)
    return list(first.values())


def print_removals(console: Console, removals: Sequence[Removal]) -> None:
    derived: set[tuple[str, ...]] = set()
    for removal in removals:
        console.print(indented(Text(f"{GONE} {removal.text}", "red")))
        for line in () if removal.axioms in derived else _derivation(removal):
            console.print(indented(indented(Text(line, "dim"))))
        derived.add(removal.axioms)


def _derivation(removal: Removal) -> Iterator[str]:
    """Yield the derivation of the contradiction, unless the readings contradict each other directly."""
    for proof in removal.conflict.proofs:
        if any(step.rule is not None for step in proof.steps[:-1]):
            yield from proof.tree_lines()[1:]
