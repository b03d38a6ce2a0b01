"""What is said of the steps of a proof, in each form in which people see it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from pantarhei.model.display_names import told_apart
from pantarhei.model.rule import Rule, names_of
from pantarhei.model.term import short
from pantarhei.proofs.sentences import ShownTimes, fit, forbidden, sentence
from pantarhei.proofs.step import Conclusion, ObservedInterval, TemporalCondition, TemporalStatement

if TYPE_CHECKING:
    from pantarhei.proofs.proof import Proof
    from pantarhei.proofs.step import ProofStep


DEEPEST = 8
"""How deep a section is nested; what follows from deeper down has a section of its own."""


class Mention(Enum):
    """What stands below a fact where it is mentioned."""

    HERE = "what it follows from, or nothing since it is given"
    EARLIER = "nothing: it was told earlier"
    SECTION = "nothing: a later section tells it"


class OutlineEntry(NamedTuple):
    """A fact that is mentioned.

    Args:
        step: its place in the proof.
        depth: 0 for what a section is about.
        mention: where it is told.
        is_last: whether it is the last of those that its parent follows from.
    """

    step: int
    depth: int
    mention: Mention
    is_last: bool


class Section(NamedTuple):
    """A part of what is told: a fact, and down to some depth what it follows from."""

    number: int
    entries: list[OutlineEntry]


class Outline(NamedTuple):
    """The sections, the first about what is proved, and which sections tell which steps."""

    sections: list[Section]
    sections_of: dict[int, int]


def outline(steps: Sequence[ProofStep], deepest: int = DEEPEST) -> Outline:
    """The order in which steps are told. Costs the premises."""
    sections_of = {len(steps) - 1: 1}
    waiting, told, sections = deque(sections_of), set[int](), list[Section]()
    while waiting:
        root = waiting.popleft()
        entries: list[OutlineEntry] = []
        work = [(root, 0, True)]
        while work:
            step, depth, is_last = work.pop()
            premises = tuple(dict.fromkeys(steps[step].premises))
            mention = Mention.HERE
            if step in told:
                mention = Mention.EARLIER
            elif step in sections_of and step != root:
                mention = Mention.SECTION
            elif depth == deepest and premises:
                mention = Mention.SECTION
                sections_of[step] = len(sections_of) + 1
                waiting.append(step)
            entries.append(OutlineEntry(step, depth, mention, is_last))
            if mention is Mention.HERE:
                told.add(step)
                work += [(p, depth + 1, p == premises[-1]) for p in reversed(premises)]
        sections.append(Section(len(sections) + 1, entries))
    return Outline(sections, sections_of)


_T = TypeVar("_T")
_LONGEST_AXIOM = 400
_CONTRADICTION = "a contradiction"
_CAVEAT = "The limit was reached before everything was looked at: there may be a better explanation."


@dataclass(frozen=True)
class ProofFormatter:
    """The words for a proof. What is told by `told` shows no two names alike.

    Args:
        proof: what is told.
        deepest: how deep a section of its outline is nested.
        numbered: whether its lines have the numbers of the axioms.
    """

    proof: Proof
    deepest: int = DEEPEST
    numbered: bool = True

    def told(self, write: Callable[[], _T]) -> _T:
        """What `write` gives."""
        return told_apart(write, names_of(self.proof.rules))

    @cached_property
    def outline(self) -> Outline:
        """The order in which it is told."""
        return outline(self.proof.steps, self.deepest)

    @cached_property
    def times(self) -> ShownTimes:
        """How its timestamps are shown."""
        ticks = [step.temporal for step in self.proof.steps if step.temporal is not None]
        return ShownTimes.of(
            [
                *(at for at, _ in self.proof.supports),
                *(at for each in ticks for at in (each.first, each.last)),
            ]
        )

    @cached_property
    def rules(self) -> dict[tuple[str, str], tuple[int, Rule]]:
        """The rules by name and axiom, numbered as they are told."""
        found: dict[tuple[str, str], tuple[int, Rule]] = {}
        for section in self.outline.sections:
            for entry in section.entries:
                rule = self.proof.steps[entry.step].rule
                if rule is not None and entry.mention is Mention.HERE:
                    found.setdefault((rule.name, rule.axiom), (len(found) + 1, rule))
        return found

    def number(self, step: ProofStep) -> int | None:
        """The number of the rule that derives the step's fact; None if it is not derived."""
        return None if step.rule is None else self.rules[step.rule.name, step.rule.axiom][0]

    def fact(self, step: ProofStep) -> str:
        """The fact of a step; of ⊥ what is broken."""
        if step.temporal is not None:
            return step.temporal.said(self.proof.labels, self.times)
        if step.fact is not None:
            return sentence(step.fact, self.proof.labels)
        if step.rule is None:
            return _CONTRADICTION
        return f"{_CONTRADICTION}: {forbidden(step.rule, self.proof.labels)}"

    def given(self, step: ProofStep) -> str:
        """How a fact is known that is not derived."""
        if isinstance(step.temporal, ObservedInterval):
            return step.temporal.known_by(self.times)
        if step.is_supposed:
            return "supposed"
        if step.at is not None:
            return f"asserted at {self.times(step.at)}"
        return "derived, not looked into" if step.is_open else "always so"

    def known_by(self, step: ProofStep) -> str:
        """How a fact is known: given, or by which rule with which number; of a condition its window."""
        if isinstance(step.temporal, TemporalCondition):
            return "" if step.temporal.formula.window is None else f"in {step.temporal.formula.window}"
        return self.given(step) if step.rule is None else f"[{self.number(step)}] {step.rule.name}"

    def line(self, entry: OutlineEntry, section: Section) -> str:
        """What is said of a fact where the outline mentions it."""
        step = self.proof.steps[entry.step]
        fact = self.fact(step)
        if entry.depth == 0 and section.number > 1:
            fact = f"({section.number}) {fact}"
        if entry.mention is Mention.EARLIER:
            return f"{fact} (as above)"
        if entry.mention is Mention.SECTION:
            return f"{fact} (see ({self.outline.sections_of[entry.step]}) below)"
        if isinstance(step.temporal, TemporalCondition):
            return fact
        if step.rule is None:
            return f"{fact} ({self.given(step)})"
        if isinstance(step.temporal, Conclusion) and step.temporal.further:
            fact = f"{fact} with {step.temporal.further}"
        return f"{fact} [{self.number(step)}]" if self.numbered else fact

    def ground(self) -> str:
        """What all rests on, as a sentence."""
        ats = [step.at for step in self.proof.steps if step.at is not None and not step.is_supposed]
        what = "an assertion" if len(ats) == 1 else f"{len(ats):,} assertions"
        known = [f"{what} made {self.times.reach(ats)}"] if ats else []
        ticks = [step.temporal for step in self.proof.steps if step.temporal is not None]
        known += self._during("what was said", (each for each in ticks if isinstance(each, ObservedInterval)))
        known += self._during("what was not so", (each for each in ticks if _is_denied(each)))
        if known and self.times.day:
            known[-1] += f" on {self.times.day}"
        if any(step.is_open for step in self.proof.steps):
            known.append("facts that were not looked into")
        if any(step.is_supposed for step in self.proof.steps):
            known.append("what is supposed")
        if not known:
            return "Nothing of the stream is needed for it: it always holds."
        *others, last = known
        return f"It rests on {' and '.join(filter(None, (', '.join(others), last)))}."

    def _during(self, what: str, ticks: Iterable[TemporalStatement]) -> list[str]:
        """Something with the time that it covers; nothing if it covers none."""
        times = [at for each in ticks for at in (each.first, each.last)]
        return [f"{what} {self.times.reach(times)}"] if times else []

    def caveat(self) -> str:
        """What is missing, as a sentence; nothing for a complete proof."""
        return "" if self.proof.complete else _CAVEAT

    def axioms(self) -> list[str]:
        """The axioms by which it follows, a heading first; each with its rule and where it is written."""
        files = {rule.origin.source for _, rule in self.rules.values() if rule.origin and rule.origin.source}
        shared = files.pop() if len(files) == 1 else None
        temporal = {step.rule for step in self.proof.steps if isinstance(step.temporal, Conclusion)} - {None}
        kinds = ["temporal rules"] if temporal else []
        if len(temporal) < len(self.rules):
            kinds = ["axioms" if shared is None else f"axioms of {fit(shared)}", *kinds]
        heading = f"By the {' and the '.join(kinds)}"
        lines = [
            f"[{number}] {fit(axiom, _LONGEST_AXIOM)}  ({', '.join([f'rule {name}', *_place(rule, shared)])})"
            for (name, axiom), (number, rule) in self.rules.items()
        ]
        return [f"{heading}:", *lines] if lines else []


def _is_denied(said: TemporalStatement) -> bool:
    return isinstance(said, TemporalCondition) and said.formula.is_negated


def _place(rule: Rule, file: str | None) -> Iterator[str]:
    """Where the rule's axiom is written, in words.

    Args:
        file: the one that need not be said.
    """
    origin = rule.origin
    if origin is None:
        return
    if origin.source is None and origin.subject is None and file is not None:
        yield "of OWL itself"
    if origin.source not in (None, file):
        yield fit(origin.source)
    if origin.line is not None:
        yield f"line {origin.line}"
    elif origin.source is not None and origin.subject is not None:
        yield f"at {fit(short(origin.subject))}"
