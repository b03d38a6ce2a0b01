"""How facts of a proof are known.

What temporal rules add to proofs: conclusions, conditions that look back, and what was so at which ticks.

A tick stands at the time at which it ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from rdflib import Variable

from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TupleWindow, term_text
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import Labels, ShownTimes, fit, sentence


class EvidenceBasis(Enum):
    """How it is known that something was so at a tick."""

    HELD = "held"
    """It was in the materialization when the tick ended."""
    ASSERTED = "asserted"
    """It was asserted in the tick, and survived the tick's own repair."""
    CONCLUDED = "concluded"
    """Temporal rules concluded it at the tick, and it is remembered."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A conclusion of a temporal rule.

    Args:
        atom: what is concluded.
        first: the tick at which it holds: another one than `last` where the rule's head names it.
        last: the tick at which the rule was applied.
        bindings: what the rule's variables stand for, by their names.
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    bindings: tuple[tuple[Variable, Term], ...]

    def said(self, labels: Labels, times: ShownTimes) -> str:
        """It as a sentence."""
        said = atom_sentence(self.atom, labels)
        return said if self.first == self.last else f"at {times(self.first)}: {said}"

    @property
    def further(self) -> str:
        """What those variables stand for that the conclusion does not tell."""
        told = set(self.atom.arguments)
        unsaid = [(name, term) for name, term in self.bindings if term not in told]
        return ", ".join(f"{term_text(name)} = {fit(term_text(term))}" for name, term in unsaid)


@dataclass(frozen=True, slots=True)
class TemporalCondition:
    """What a rule's body asks of a window, or asks not to be so, as it is met.

    Args:
        formula: of the body, with terms for its variables.
        first, last: the ticks of the window, both included.
        times: ticks at which it was so: the newest ones that are enough; none of what is always so, since it
            is all of them; of a negated one all that there are.
    """

    formula: Formula
    first: TimePoint
    last: TimePoint
    times: tuple[TimePoint, ...] = ()

    @property
    def atom(self) -> TemporalAtom:
        """What is to be so."""
        return self.formula.atom

    def said(self, labels: Labels, times: ShownTimes) -> str:
        """It as a sentence."""
        formula = self.formula
        words = [_how_often(formula)] + ["asserted"] * formula.atom.is_asserted
        if isinstance(formula.window, TupleWindow):
            words.append(f"among the last {formula.window.size:,} assertions,")
        words.append(times.reach((self.first, self.last)))
        return f"{' '.join(filter(None, words))}: {atom_sentence(formula.atom, labels)}"


@dataclass(frozen=True, slots=True)
class ObservedInterval:
    """What was so at each of some ticks that are over, or is asserted at each up to the present one.

    Args:
        atom: what was so.
        first, last: the ticks, both included.
        known: how that is known.
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    known: EvidenceBasis

    def said(self, labels: Labels, times: ShownTimes) -> str:
        """It as a sentence."""
        return atom_sentence(self.atom, labels)

    def known_by(self, times: ShownTimes) -> str:
        """How it is known, and when it was so."""
        return f"{self.known.value} {times.reach((self.first, self.last))}"


TemporalStatement = Conclusion | TemporalCondition | ObservedInterval
"""What a step of a proof says that has to do with temporal rules."""


@dataclass(frozen=True, slots=True)
class UnmetRule:
    """Why a temporal rule that concludes such triples does not conclude one.

    Args:
        rule: the rule.
        bindings: what its variables stand for as far as its body is met.
        lacking: the first part of the body that is not met then: what it asks of its ticks, with those at
            which it was so; or a comparison, as it is written.
    """

    rule: Rule
    bindings: tuple[tuple[Variable, Term], ...]
    lacking: TemporalCondition | str


def _how_often(formula: Formula) -> str:
    match formula.mode, formula.is_negated:
        case Mode.SOMETIME, is_negated if formula.times > 1:
            return f"{'fewer than' if is_negated else 'at least'} {formula.times} times"
        case Mode.SOMETIME, is_negated:
            return "never" if is_negated else "sometime"
        case Mode.ALWAYS, is_negated:
            return "not always" if is_negated else "always"
        case _, is_negated:
            return "not" if is_negated else ""


def atom_sentence(atom: TemporalAtom, labels: Labels) -> str:
    plain = replace(atom, is_asserted=False)
    return str(plain) if plain.triple is None else sentence(plain.triple, labels)


class StepKind(Enum):
    """How a fact is known."""

    ASSERTED = "asserted"
    BACKGROUND = "background"
    DERIVED = "derived"
    SUPPOSED = "supposed"
    UNEXPLORED = "unexplored"
    CONTRADICTION = "contradiction"
    CONCLUDED = "concluded"
    CONDITION = "condition"
    SAID = "said"


Assertion = tuple[TimePoint, Triple]
"""A fact with the timestamp of an ABox that asserts it."""


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A fact and what it follows from.

    Args:
        fact: what is concluded; None for ⊥, and for what `temporal` says that is no fact.
        rule: the rule applied; None where the fact is not derived.
        premises: the steps that the rule's body is matched to, in the body's order, by their place in the
            proof.
        at: where the stream asserts the fact, the newest timestamp at which it does; None where it is derived
            or always holds.
        is_open: the fact is derived, and the limit was reached before it was known from what.
        is_supposed: the fact is not given: the proof says what would follow if it were.
        temporal: what the step says of temporal rules: what one concludes, what one asks of a window, or what
            was so at ticks that it sees; None for all else.
    """

    fact: Triple | None
    rule: Rule | None = None
    premises: tuple[int, ...] = ()
    at: TimePoint | None = None
    is_open: bool = False
    is_supposed: bool = False
    temporal: TemporalStatement | None = None

    @property
    def kind(self) -> StepKind:
        """How the fact is known."""
        if self.temporal is not None:
            return _KINDS[type(self.temporal)] if not self.is_open else StepKind.UNEXPLORED
        if self.fact is None:
            return StepKind.CONTRADICTION
        if self.rule is not None:
            return StepKind.DERIVED
        if self.is_supposed:
            return StepKind.SUPPOSED
        if self.at is not None:
            return StepKind.ASSERTED
        return StepKind.UNEXPLORED if self.is_open else StepKind.BACKGROUND

    @property
    def is_background(self) -> bool:
        """Whether the fact is given and holds at every time."""
        return self.kind is StepKind.BACKGROUND


_KINDS = {
    Conclusion: StepKind.CONCLUDED,
    TemporalCondition: StepKind.CONDITION,
    ObservedInterval: StepKind.SAID,
}
