"""Steps of proofs: a fact, or a statement of temporal rules, with the applied rule and the premises.

The time of a tick is the time at which the tick ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from rdflib import Variable

from pantarhei.model.labels import Labels
from pantarhei.model.message_text import one_line
from pantarhei.model.representation import short_repr
from pantarhei.model.rule import Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TupleWindow, term_text
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.sentences import TimeFormat, sentence

Assertion = tuple[TimePoint, Triple]
"""A fact with the timestamp of an ABox that asserts it."""


class StepKind(Enum):
    """Kind of evidence for a step.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> [step.kind.name for step in reasoner.explain((EX.x, RDF.type, EX.Accelerating)).steps]
    ['ASSERTED', 'DERIVED']
    """

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
    """Reason why an atom held at a tick.

    >>> [basis.name for basis in EvidenceBasis]
    ['HELD', 'ASSERTED', 'CONCLUDED']
    """

    HELD = "held"
    """The atom was in the materialization when the tick ended."""
    ASSERTED = "asserted"
    """The atom was asserted in the tick, and the repair of that tick kept it."""
    CONCLUDED = "concluded"
    """Temporal rules concluded the atom at the tick, and it is remembered."""


@dataclass(frozen=True, slots=True)
class Conclusion:
    """Conclusion of a temporal rule.

    Args:
        atom: the concluded atom.
        first: the tick at which the atom holds. It differs from `last` if the rule's head names another tick.
        last: the tick at which the rule was applied.
        bindings: the rule's variables with the terms bound to them, sorted by name.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> update = reasoner.push(2, [brakes])
    >>> proof = reasoner.explain((EX.x, RDF.type, EX.long))
    >>> [step.temporal.last for step in proof.steps if isinstance(step.temporal, Conclusion)]
    [2]
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    bindings: tuple[tuple[Variable, Term], ...]

    __repr__ = short_repr

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
    """Formula of a rule's body that is satisfied in its window.

    Args:
        formula: the formula with its variables replaced by terms.
        first, last: the first and the last tick of the window, both included.
        times: ticks at which the atom held: the newest ticks that suffice for the formula; for a negated
            formula all such ticks; empty for `always`, whose ticks are those of the whole window.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> update = reasoner.push(2, [brakes])
    >>> proof = reasoner.explain((EX.x, RDF.type, EX.long))
    >>> conditions = [step.temporal for step in proof.steps if isinstance(step.temporal, TemporalCondition)]
    >>> [(condition.first, condition.last) for condition in conditions]
    [(1, 2)]
    """

    formula: Formula
    first: TimePoint
    last: TimePoint
    times: tuple[TimePoint, ...] = ()

    __repr__ = short_repr

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
    """Observation that an atom held at each tick of an interval.

    Args:
        atom: the atom.
        first, last: the first and the last tick, both included.
        known: the reason why the atom held.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> update = reasoner.push(2, [brakes])
    >>> proof = reasoner.explain((EX.x, RDF.type, EX.long))
    >>> seen = [step.temporal for step in proof.steps if isinstance(step.temporal, ObservedInterval)]
    >>> [(each.first, each.last, each.known.name) for each in seen]
    [(1, 1, 'HELD')]
    """

    atom: TemporalAtom
    first: TimePoint
    last: TimePoint
    known: EvidenceBasis

    __repr__ = short_repr

    def sentence(self, labels: Labels, times: TimeFormat) -> str:
        """Return the atom as a sentence."""
        return atom_sentence(self.atom, labels)

    def evidence(self, times: TimeFormat) -> str:
        """Return the reason and the interval as text."""
        return f"{self.known.value} {times.reach((self.first, self.last))}"


TemporalStatement = Conclusion | TemporalCondition | ObservedInterval
"""Statement of temporal rules in a step of a proof."""


@dataclass(frozen=True, slots=True)
class UnmetRule:
    """Temporal rule that could conclude an atom, with the first part of its body that is not satisfied.

    Args:
        rule: the rule.
        bindings: the rule's variables with the terms bound by the satisfied parts of the body.
        lacking: the unsatisfied part: a formula with the ticks at which its atom held, or a comparison as
            text.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> rules = pr.load_rules("long(X) :- :Slowing(X) always in [1].", prefixes={"": str(EX)})
    >>> ontology = pr.load_ontology("ontologies/pedals.ttl")
    >>> reasoner = pr.StreamReasoner(ontology, pr.Window(range=2), temporal=rules)
    >>> brakes = (EX.x, RDF.type, EX.BrakesPressed)
    >>> _ = reasoner.push(1, [brakes])
    >>> (unmet,) = reasoner.why_not((EX.x, RDF.type, EX.long)).temporal
    >>> unmet.lacking.first, unmet.lacking.times
    (0, (1,))
    """

    rule: Rule
    bindings: tuple[tuple[Variable, Term], ...]
    lacking: TemporalCondition | str

    __repr__ = short_repr


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
    """Return an atom as a sentence if it is a triple, otherwise in the syntax of rules."""
    plain = replace(atom, is_asserted=False)
    return str(plain) if plain.triple is None else sentence(plain.triple, labels)


@dataclass(frozen=True, slots=True)
class ProofStep:
    """Step of a proof: a derived fact with its rule and premises, or a fact that is not derived.

    Args:
        fact: the fact; None for ⊥, and for a `temporal` statement that is not a triple.
        rule: the applied rule; None if the fact is not derived.
        premises: indexes of the steps that match the rule's body, in the order of the body atoms.
        at: the newest timestamp at which the stream asserts the fact; None if the fact is derived or holds at
            every time.
        is_open: the fact is derived, but the limit was reached before its rule instances were explored.
        is_supposed: the fact is assumed: the proof shows a consequence of it.
        temporal: a conclusion, condition or observation of temporal rules; None for other steps.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> _ = reasoner.push(1, [gas])
    >>> first, *_, last = reasoner.explain((EX.x, RDF.type, EX.Attended)).steps
    >>> first.fact == gas, first.at, last.rule.name, last.premises
    (True, 1, 'cax-sco', (1,))
    """

    fact: Triple | None
    rule: Rule | None = None
    premises: tuple[int, ...] = ()
    at: TimePoint | None = None
    is_open: bool = False
    is_supposed: bool = False
    temporal: TemporalStatement | None = None

    __repr__ = short_repr

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
        """True if the fact is not derived and holds at every time."""
        return self.kind is StepKind.BACKGROUND


_KINDS = {
    Conclusion: StepKind.CONCLUDED,
    TemporalCondition: StepKind.CONDITION,
    ObservedInterval: StepKind.SAID,
}
