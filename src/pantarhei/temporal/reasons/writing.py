"""Proofs of conclusions, written: steps with terms and times of what was found in numbers and ticks."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rdflib import Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, builtin_text
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint, time_of
from pantarhei.proofs.proof import Proof, ProofStep
from pantarhei.proofs.temporal import Concluded, Condition, Known, NotConcluded, Said
from pantarhei.temporal.reasons.evidence import Atom, Binding, Evidence, Instance, Leaf
from pantarhei.temporal.reasons.missing import Missing
from pantarhei.temporal.reasons.occasions import Arguments, Run
from pantarhei.temporal.term_tests import as_written
from pantarhei.temporal.ticks import Ticks


class Sources(NamedTuple):
    """Where the reasons for what was said come from.

    Args:
        holds: the proof of a triple of the present materialization; None if it is not there.
        asserted_at: the timestamp of the newest assertion of a triple in a tick; None if it is forgotten.
    """

    holds: Callable[[Triple], Proof | None]
    asserted_at: Callable[[Triple, int], TimePoint | None]


class Told(NamedTuple):
    """What a proof tells of a conclusion.

    Args:
        atom: the conclusion.
        instance: how it is concluded; None where that was not looked into.
        leaves: what each formula of the body rests on.
    """

    atom: Atom
    instance: Instance | None = None
    leaves: tuple[tuple[Leaf, ...], ...] = ()


@dataclass(frozen=True)
class Words:
    """What things are called in proofs.

    Args:
        now: the present tick.
        ticks: of the stream.
        vocabulary: the stream's.
    """

    now: int
    ticks: Ticks
    vocabulary: Vocabulary

    def time(self, tick: int) -> TimePoint:
        """The time at which a tick ends."""
        return time_of(self.ticks.end_of(tick), self.ticks.kind)

    def atom(self, like: TemporalAtom, arguments: Arguments) -> TemporalAtom:
        """An atom with terms."""
        return replace(like, arguments=tuple(map(self.vocabulary.term, arguments)))

    def formula(self, evidence: Evidence) -> Formula:
        """A formula with terms."""
        formula = evidence.formula
        time = self.ticks.literal_of(evidence.first) if formula.time is not None else None
        return replace(formula, atom=self.atom(formula.atom, evidence.arguments), time=time)

    def not_concluded(self, missing: Missing) -> NotConcluded:
        """Why a rule does not conclude something."""
        rule, bindings = missing.clause.shown, self.terms(missing.binding)
        if isinstance(missing.lacking, Evidence):
            return NotConcluded(rule, bindings, self._lacking(missing.lacking, missing.binding))
        assert isinstance(missing.lacking, Builtin), "temporal rules have no other tests"
        return NotConcluded(rule, bindings, builtin_text(as_written(missing.lacking)))

    def _lacking(self, evidence: Evidence, binding: Binding) -> Condition:
        """What is asked of a window, and what there is of it."""
        formula = evidence.formula

        def term(given: Argument, number: int = NONE) -> Argument:
            bound = binding.get(given, NONE) if isinstance(given, Variable) and number == NONE else number
            return given if bound == NONE else self.vocabulary.term(bound)

        arguments = map(term, formula.atom.arguments, evidence.arguments)
        atom = replace(formula.atom, arguments=tuple(arguments))
        time = None if formula.time is None else term(formula.time)
        first, last, *times = map(self.time, (evidence.first, evidence.last, *evidence.ticks))
        return Condition(replace(formula, atom=atom, time=time), first, last, tuple(times))

    def terms(self, binding: Binding) -> tuple[tuple[Variable, Term], ...]:
        """What variables stand for, by their names."""
        return tuple((name, self.vocabulary.term(number)) for name, number in sorted(binding.items()))


def proof_of(told: Iterable[Told], words: Words, sources: Sources, complete: bool) -> Proof:
    """A proof that tells conclusions, each after those it rests on.

    Args:
        sources: reasons for what was said.
    """
    writing = _Writing(words, sources)
    for each in told:
        writing.conclude(each)
    return Proof(tuple(writing.steps), complete)


@dataclass
class _Writing:
    """The steps of one proof, in the making."""

    words: Words
    sources: Sources
    steps: list[ProofStep] = field(default_factory=list)
    known: dict[Hashable, int] = field(default_factory=dict)  # where what was told stands

    def conclude(self, told: Told) -> None:
        """Tell a conclusion."""
        words, atom = self.words, told.atom
        at, now = words.time(atom.tick), words.time(words.now)
        ground = words.atom(TemporalAtom(atom.predicate), atom.arguments)
        if told.instance is None:
            concluded = Concluded(ground, at, now, ())
            self._add(atom, ProofStep(ground.triple, is_open=True, temporal=concluded))
            return
        clause, binding, evidence = told.instance
        premises = tuple(map(self._condition, evidence, told.leaves))
        step = ProofStep(ground.triple, clause.shown, premises)
        if clause.is_temporal:
            step = replace(step, temporal=Concluded(ground, at, now, words.terms(binding)))
        self._add(atom, step)

    def _condition(self, evidence: Evidence, leaves: tuple[Leaf, ...]) -> int:
        """Tell how a formula is met: by one thing at one tick, or in a window."""
        formula, words = self.words.formula(evidence), self.words
        premises = tuple(dict.fromkeys(place for leaf in leaves for place in self._leaf(formula.atom, leaf)))
        if not formula.is_negated and formula.mode in (Mode.NOW, Mode.AT):
            return premises[0]
        ticks: Iterable[int] = ()
        if formula.is_negated:
            ticks = evidence.ticks
        elif formula.mode is not Mode.ALWAYS:
            ticks = (leaf.tick if isinstance(leaf, Atom) else leaf.first for leaf in leaves)
        first, last, *times = map(words.time, (evidence.first, evidence.last, *ticks))
        condition = Condition(formula, first, last, tuple(times))
        return self._add(condition, ProofStep(None, premises=premises, temporal=condition))

    def _leaf(self, atom: TemporalAtom, leaf: Leaf) -> list[int]:
        """Tell what a formula rests on."""
        if isinstance(leaf, Atom):
            return [self.known[leaf]]
        first, last, known = leaf
        triple, words = atom.triple, self.words
        if known is Known.ASSERTED and first == last and triple is not None:
            at = self.sources.asserted_at(triple, first)
            step = ProofStep(triple, at=words.time(first) if at is None else at)
            is_told = triple in self.known and self.steps[self.known[triple]] == step
            return [self.known[triple] if is_told else self._add((triple, step.at), step)]
        if known is Known.HELD and last == words.now and triple is not None:
            proof = self.sources.holds(triple)
            if proof is not None:
                before = Run(first, last - 1, known)
                return [*(self._leaf(atom, before) if before.length else ()), self._include(proof)]
        said = Said(replace(atom, is_asserted=False), words.time(first), words.time(last), known)
        return [self._add(said, ProofStep(triple, temporal=said))]

    def _include(self, proof: Proof) -> int:
        """Tell a proof of the window; what is told already is not told again."""
        needed, waiting = set[int](), [len(proof.steps) - 1]
        while waiting:
            place = waiting.pop()
            if place not in needed and proof.steps[place].fact not in self.known:
                needed.add(place)
                waiting += proof.steps[place].premises
        for place in sorted(needed):
            step = proof.steps[place]
            premises = (self.known[proof.steps[premise].fact] for premise in step.premises)
            self._add(step.fact, replace(step, premises=tuple(premises)))
        return self.known[proof.steps[-1].fact]

    def _add(self, key: Hashable, step: ProofStep) -> int:
        if key not in self.known:
            self.known[key] = len(self.steps)
            self.steps.append(step)
        return self.known[key]
