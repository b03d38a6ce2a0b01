"""Steps of proofs: a fact, or a statement of temporal rules, with its rule and premises.

The time of a tick is the time at which the tick ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from rdflib import Variable

from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TupleWindow, term_text
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import Labels, TimeFormat, one_line, sentence

Assertion = tuple[TimePoint, Triple]
"""A fact with the timestamp of an ABox that asserts it."""


class StepKind(Enum):
    """Kind of evidence for a step."""

    ASSERTED = "asserted"
    BACKGROUND = "background"
    DERIVED = "derived"
    SUPPOSED = "supposed"
    UNEXPLORED = "unexplored"
    CONTRADICTION = "contradiction"
    CONCLUDED = "concluded"
    CONDITION = "condition"
    SAID = "said"


class EvidenceBasis(Enum):
    """Reason for which an atom held at a tick."""

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
        atom: the concluded atom.
        first: the tick at which it holds: another one than `last` where the rule's head names it.
        last: the tick at which the rule was applied.
        bindings: the rule's variables with their terms, sorted by name.
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    bindings: tuple[tuple[Variable, Term], ...]

    def sentence(self, labels: Labels, times: TimeFormat) -> str:
        """Return the conclusion as a sentence."""
        plain = atom_sentence(self.atom, labels)
        return plain if self.first == self.last else f"at {times(self.first)}: {plain}"

    @property
    def further_bindings(self) -> str:
        """Text of the bindings whose terms are not in the concluded atom."""
        shown = set(self.atom.arguments)
        further = [(name, term) for name, term in self.bindings if term not in shown]
        return ", ".join(f"{term_text(name)} = {one_line(term_text(term))}" for name, term in further)


@dataclass(frozen=True, slots=True)
class TemporalCondition:
    """A formula of a rule's body that is satisfied in its window.

    Args:
        formula: the formula, with terms for its variables.
        first, last: the ticks of the window, both included.
        times: ticks at which the atom held: the newest ones that satisfy the formula; empty for `always`,
            which covers the whole window; for a negated formula all of them.
    """

    formula: Formula
    first: TimePoint
    last: TimePoint
    times: tuple[TimePoint, ...] = ()

    @property
    def atom(self) -> TemporalAtom:
        """The formula's atom."""
        return self.formula.atom

    def sentence(self, labels: Labels, times: TimeFormat) -> str:
        """Return the condition as a sentence."""
        formula = self.formula
        words = [_frequency(formula)] + ["asserted"] * formula.atom.is_asserted
        if isinstance(formula.window, TupleWindow):
            words.append(f"among the last {formula.window.size:,} assertions,")
        words.append(times.reach((self.first, self.last)))
        return f"{' '.join(filter(None, words))}: {atom_sentence(formula.atom, labels)}"


@dataclass(frozen=True, slots=True)
class ObservedInterval:
    """An atom that held at each tick of an interval.

    Args:
        atom: the atom.
        first, last: the ticks, both included.
        known: the reason for which it held.
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    known: EvidenceBasis

    def sentence(self, labels: Labels, times: TimeFormat) -> str:
        """Return the atom as a sentence."""
        return atom_sentence(self.atom, labels)

    def evidence(self, times: TimeFormat) -> str:
        """Return the reason and the interval as text."""
        return f"{self.known.value} {times.reach((self.first, self.last))}"


TemporalStatement = Conclusion | TemporalCondition | ObservedInterval
"""The part of temporal rules in a step of a proof."""


@dataclass(frozen=True, slots=True)
class UnmetRule:
    """A temporal rule that could conclude an atom, with the first part of its body that is not satisfied.

    Args:
        rule: the rule.
        bindings: the terms of its variables, as far as its body is satisfied.
        lacking: the part that is not satisfied: a formula with the ticks at which its atom held, or a
            comparison as text.
    """

    rule: Rule
    bindings: tuple[tuple[Variable, Term], ...]
    lacking: TemporalCondition | str


def _frequency(formula: Formula) -> str:
    """Return the words for the formula's mode, such as `at least 3 times`."""
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
    """Return an atom as a sentence if it is a triple, else as a rule writes it."""
    plain = replace(atom, is_asserted=False)
    return str(plain) if plain.triple is None else sentence(plain.triple, labels)


@dataclass(frozen=True, slots=True)
class ProofStep:
    """A fact with its rule and premises, or a given fact.

    Args:
        fact: the fact; None for ⊥ and for a `temporal` statement that is not a triple.
        rule: the rule applied; None where the fact is not derived.
        premises: the steps that the rule's body is matched to, in the body's order, by their place in the
            proof.
        at: the newest timestamp at which the stream asserts the fact; None where it is derived or always
            holds.
        is_open: the fact is derived, but the limit was reached before its rule instances were explored.
        is_supposed: the fact is not given: the proof shows a consequence of supposing it.
        temporal: the conclusion, condition or observation of temporal rules; None for all other steps.
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
        """Kind of evidence for the fact."""
        if self.temporal is not None:
            return StepKind.UNEXPLORED if self.is_open else _KINDS[type(self.temporal)]
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
        """True if the fact is given and holds at every time."""
        return self.kind is StepKind.BACKGROUND


_KINDS = {
    Conclusion: StepKind.CONCLUDED,
    TemporalCondition: StepKind.CONDITION,
    ObservedInterval: StepKind.SAID,
}
