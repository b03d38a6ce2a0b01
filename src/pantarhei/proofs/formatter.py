"""Texts of a proof, and the order in which its steps are shown. All renderers are based on them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import NamedTuple

from pantarhei.model.labels import Labels
from pantarhei.model.message_text import one_line, one_line_path
from pantarhei.model.rule import Origin, Rule
from pantarhei.owl.manchester import axiom_text, origin_text
from pantarhei.proofs.sentences import TimeFormat, denied_statement, sentence
from pantarhei.proofs.step import (
    Conclusion,
    ObservedInterval,
    ProofStep,
    TemporalCondition,
    TemporalStatement,
)

MAX_DEPTH = 8
"""Largest depth in a section; deeper premises are shown in sections of their own."""

_LONGEST_AXIOM = 400
_CONTRADICTION = "a contradiction"
_CAVEAT = "The limit was reached before everything was explored: there may be a better explanation."


class Mention(Enum):
    """Position at which the premises of a mentioned fact are shown."""

    HERE = "below this mention"
    EARLIER = "already shown above"
    SECTION = "in a later section"


class OutlineEntry(NamedTuple):
    """One mention of a fact.

    Args:
        step: index of the step in the proof.
        depth: distance from the fact that the section proves, which has depth 0.
        mention: the position at which the premises of the fact are shown.
        is_last: it is the last premise of its parent.
    """

    step: int
    depth: int
    mention: Mention
    is_last: bool


class Section(NamedTuple):
    """Tree of mentions: a fact with its premises, down to a limited depth."""

    number: int
    entries: list[OutlineEntry]


class Outline(NamedTuple):
    """Sections of a proof; the first section proves the proof's conclusion. `sections_of` maps the index of a
    step to the number of the section that proves it.
    """

    sections: list[Section]
    sections_of: dict[int, int]


def outline(steps: Sequence[ProofStep], deepest: int = MAX_DEPTH) -> Outline:
    """Divide a proof into sections: the conclusion has the first, each step deeper than `deepest` a further
    one.

    The cost is linear in the number of premises.
    """
    sections_of = {len(steps) - 1: 1}
    waiting, shown, sections = deque(sections_of), set[int](), list[Section]()
    while waiting:
        root = waiting.popleft()
        entries: list[OutlineEntry] = []
        work = [(root, 0, True)]
        while work:
            step, depth, is_last = work.pop()
            premises = tuple(dict.fromkeys(steps[step].premises))
            mention = Mention.HERE
            if step in shown:
                mention = Mention.EARLIER
            elif step in sections_of and step != root:
                mention = Mention.SECTION
            elif depth == deepest and premises:
                mention = Mention.SECTION
                sections_of[step] = len(sections_of) + 1
                waiting.append(step)
            entries.append(OutlineEntry(step, depth, mention, is_last))
            if mention is Mention.HERE:
                shown.add(step)
                work += [(p, depth + 1, p == premises[-1]) for p in reversed(premises)]
        sections.append(Section(len(sections) + 1, entries))
    return Outline(sections, sections_of)


@dataclass(frozen=True)
class ProofFormatter:
    """Texts of a proof.

    Args:
        complete: `Proof.complete`.
        labels: the names shown for IRIs.
        deepest: the largest depth within a section.
        numbered: lines end with the number of the applied axiom.
        shared_times: the format of the times of a text that includes the proof.
    """

    steps: tuple[ProofStep, ...]
    complete: bool
    labels: Labels
    deepest: int = MAX_DEPTH
    numbered: bool = True
    shared_times: TimeFormat | None = None

    @cached_property
    def outline(self) -> Outline:
        """Sections in which the steps are shown."""
        return outline(self.steps, self.deepest)

    @cached_property
    def times(self) -> TimeFormat:
        """The format of the proof's timestamps."""
        if self.shared_times is not None:
            return self.shared_times
        ats = [step.at for step in self.steps if step.at is not None and step.fact]
        return TimeFormat.of(ats, [at for each in self._temporal for at in (each.first, each.last)])

    @property
    def _temporal(self) -> list[TemporalStatement]:
        return [step.temporal for step in self.steps if step.temporal is not None]

    @cached_property
    def rules(self) -> dict[str, tuple[int, Rule]]:
        """Applied rules by their axioms, numbered in the order of the outline. Of several rules of an axiom,
        the first is listed.
        """
        found: dict[str, tuple[int, Rule]] = {}
        for section in self.outline.sections:
            for entry in section.entries:
                rule = self.steps[entry.step].rule
                if rule is not None and entry.mention is Mention.HERE:
                    found.setdefault(rule.axiom, (len(found) + 1, rule))
        return found

    def rule_number(self, step: ProofStep) -> int | None:
        """Return the number of the step's axiom; None if the fact is not derived."""
        return None if step.rule is None else self.rules[step.rule.axiom][0]

    def statement(self, step: ProofStep) -> str:
        """Return the fact of a step as a sentence. For ⊥, name the violated constraint."""
        if step.temporal is not None:
            return step.temporal.sentence(self.labels, self.times)
        if step.fact is not None:
            return sentence(step.fact, self.labels)
        if step.rule is None:
            return _CONTRADICTION
        return f"{_CONTRADICTION}: {denied_statement(step.rule, self.labels)}"

    def evidence(self, step: ProofStep) -> str:
        """Return the evidence for a fact that is not derived."""
        if isinstance(step.temporal, ObservedInterval):
            return step.temporal.evidence(self.times)
        if step.is_supposed:
            return "supposed"
        if step.at is not None:
            return f"asserted at {self.times(step.at)}"
        return "derived, not explored" if step.is_open else "always so"

    def reason(self, step: ProofStep) -> str:
        """Return the name and number of the rule of a derived fact, the window of a temporal condition, or
        the evidence for another fact.
        """
        if isinstance(step.temporal, TemporalCondition):
            return "" if step.temporal.formula.window is None else f"in {step.temporal.formula.window}"
        return self.evidence(step) if step.rule is None else f"[{self.rule_number(step)}] {step.rule.name}"

    def line(self, entry: OutlineEntry, section: Section) -> str:
        """Return the line that mentions a fact."""
        step = self.steps[entry.step]
        fact = self.statement(step)
        if entry.depth == 0 and section.number > 1:
            fact = f"({section.number}) {fact}"
        if entry.mention is Mention.EARLIER:
            return f"{fact} (as above)"
        if entry.mention is Mention.SECTION:
            return f"{fact} (see ({self.outline.sections_of[entry.step]}) below)"
        if isinstance(step.temporal, TemporalCondition):
            return fact
        if step.rule is None:
            return f"{fact} ({self.evidence(step)})"
        if isinstance(step.temporal, Conclusion) and step.temporal.further_bindings:
            fact = f"{fact} with {step.temporal.further_bindings}"
        return f"{fact} [{self.rule_number(step)}]" if self.numbered else fact

    def basis(self) -> str:
        """Return a sentence that summarizes the assertions and observations on which the proof is based."""
        ats = [step.at for step in self.steps if step.at is not None and not step.is_supposed]
        what = "an assertion" if len(ats) == 1 else f"{len(ats):,} assertions"
        parts = [f"{what} made {self.times.reach(ats)}"] if ats else []
        temporal = self._temporal
        parts += self._during("observations", (x for x in temporal if isinstance(x, ObservedInterval)))
        denied = (x for x in temporal if isinstance(x, TemporalCondition) and x.formula.is_negated)
        parts += self._during("conditions that did not hold", denied)
        if parts and self.times.day:
            parts[-1] += f" on {self.times.day}"
        if any(step.is_open for step in self.steps):
            parts.append("facts that were not explored")
        if any(step.is_supposed for step in self.steps):
            parts.append("suppositions")
        if not parts:
            return "It needs no assertion: it always holds."
        *others, last = parts
        return f"It rests on {' and '.join(filter(None, (', '.join(others), last)))}."

    def _during(self, what: str, statements: Iterable[TemporalStatement]) -> list[str]:
        """Return `what` followed by the time span of the statements; [] if there are no statements."""
        times = [at for each in statements for at in (each.first, each.last)]
        return [f"{what} {self.times.reach(times)}"] if times else []

    def notes(self) -> list[str]:
        """Return the lines below the tree: the basis, the caveat of an incomplete proof, and the axioms."""
        return [self.basis(), *self.caveat(), *self.axioms()]

    def caveat(self) -> list[str]:
        """Return the caveat of an incomplete proof; [] if the proof is complete."""
        return [] if self.complete else [_CAVEAT]

    def axioms(self) -> list[str]:
        """Return a heading followed by the numbered axioms in Manchester syntax, each with its position in a
        file.
        """
        temporal = {step.rule for step in self.steps if isinstance(step.temporal, Conclusion)} - {None}
        kinds = ["temporal rules"] if temporal else []
        if len(temporal) < len(self.rules):
            kinds = ["axioms", *kinds]
        has_files = any(rule.origin and rule.origin.source for _, rule in self.rules.values())
        lines = [
            f"[{number}] {placed_axiom(rule, self.labels, has_files)}" for number, rule in self.rules.values()
        ]
        return [f"By the {' and the '.join(kinds)}:", *lines] if lines else []

    def axiom(self, rule: Rule) -> str:
        """Return the axiom of a rule in Manchester syntax, on one line."""
        return axiom_line(rule.origin or Origin(rule.axiom), self.labels)


def axiom_line(origin: Origin, labels: Labels) -> str:
    """Return an axiom in Manchester syntax, on one line."""
    return one_line(origin_text(origin, labels), _LONGEST_AXIOM)


def placed_axiom(rule: Rule, labels: Labels, has_files: bool = False) -> str:
    """Return the axiom of a rule in Manchester syntax with its file and line, or the text and name of a rule
    without an axiom.

    Args:
        has_files: other axioms of the text are from files.
    """
    text, origin = one_line(axiom_text(rule, labels), _LONGEST_AXIOM), rule.origin
    if origin is None:
        return f"{text} (rule {one_line(rule.name)})"
    if has_files and origin.source is None and origin.subject is None:
        return f"{text} (of OWL itself)"
    line = None if origin.line is None else f"line {origin.line}"
    parts = (None if origin.source is None else one_line_path(origin.source), line)
    shown = ", ".join(filter(None, parts))
    return f"{text} ({shown})" if shown else text
