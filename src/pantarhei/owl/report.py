"""The admission report: each axiom of an ontology and what became of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum


class Outcome(Enum):
    """What became of an axiom."""

    RULES = "rules"
    CONSTRAINT = "constraint"
    BACKGROUND = "background"
    SCHEMA_ONLY = "schema only"
    DECLARATION_OR_ANNOTATION = "declaration/annotation"
    PARTLY = "partly"
    NOT_SUPPORTED = "not supported"


LOST = frozenset({Outcome.PARTLY, Outcome.NOT_SUPPORTED})


@dataclass(frozen=True, slots=True)
class Entry:
    """One axiom, its outcome, and the reasons for what is lost of it.

    Args:
        axiom: in functional-style syntax; for triples that could not be read, the triples.
        construct: the axiom's outermost constructor.
        rules: rules, constraints and facts that it makes, as text.
        reasons: why something of it has no effect, one for each part.
    """

    axiom: str
    construct: str
    outcome: Outcome
    rules: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join(
            [f"{self.outcome.value}: {self.axiom}", *(f"    {line}" for line in (*self.reasons,))]
        )


@dataclass(frozen=True, slots=True)
class Report:
    """Every axiom and what became of it.

    Args:
        entries: one for each axiom, in the order read.
        counts: what is no axiom, counted: assertions, declarations, annotations.
        imports_skipped: the imports that were not found and were to be skipped.
        unsatisfiable: the classes and properties that can have no instance, each with the steps of a proof.
        merged: groups of names that the ontology says are one; under unique names the first stands for all.
    """

    entries: tuple[Entry, ...]
    counts: tuple[tuple[str, int], ...] = ()
    imports_skipped: tuple[str, ...] = ()
    unsatisfiable: tuple[tuple[str, tuple[str, ...]], ...] = ()
    merged: tuple[tuple[str, ...], ...] = ()

    @property
    def losses(self) -> tuple[Entry, ...]:
        """The axioms of which something is lost."""
        return tuple(entry for entry in self.entries if entry.outcome in LOST)

    def totals(self) -> dict[str, dict[str, int]]:
        """How many axioms of each construct had which outcome."""
        table: dict[str, Counter[str]] = {}
        for entry in self.entries:
            table.setdefault(entry.construct, Counter())[entry.outcome.value] += 1
        return {construct: dict(sorted(table[construct].items())) for construct in sorted(table)}

    def text(self, details: bool = False) -> str:
        """The summary and the losses; with `details` every axiom and its rules too."""
        parts = [self._summary(), *self._section("Lost, in whole or in part:", map(str, self.losses))]
        if details:
            parts += self._section(
                "By construct:", (f"{name}: {_counted(t)}" for name, t in self.totals().items())
            )
            parts += self._section("Every axiom:", map(_detailed, self.entries))
        return "\n".join(parts)

    def __str__(self) -> str:
        return self.text()

    def _summary(self) -> str:
        outcomes = Counter(entry.outcome.value for entry in self.entries)
        ordered = {o.value: outcomes[o.value] for o in Outcome if outcomes[o.value]}
        lines = [f"{len(self.entries)} axioms: {_counted(ordered)}" if self.entries else "no axioms"]
        lines += [f"{number} {name}" for name, number in self.counts if number]
        lines += [f"import skipped: <{iri}>" for iri in self.imports_skipped]
        return "\n".join(lines)

    @staticmethod
    def _section(title: str, lines: Iterable[str]) -> list[str]:
        body = list(lines)
        return ["", title, *body] if body else []

    def to_json(self) -> str:
        """The whole report as a JSON object."""
        entries = [
            {
                "axiom": entry.axiom,
                "construct": entry.construct,
                "outcome": entry.outcome.value,
                "rules": list(entry.rules),
                "reasons": list(entry.reasons),
            }
            for entry in self.entries
        ]
        whole = {
            "axioms": entries,
            "totals": self.totals(),
            "counts": dict(self.counts),
            "imports_skipped": list(self.imports_skipped),
        }
        return json.dumps(whole, ensure_ascii=False, indent=2)


def _counted(numbers: dict[str, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in numbers.items())


def _detailed(entry: Entry) -> str:
    return "\n".join([str(entry), *(f"    {rule}" for rule in entry.rules)])
