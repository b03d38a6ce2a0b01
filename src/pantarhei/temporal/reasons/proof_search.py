"""Why rules do not conclude something: of each rule the first part of its body that is not met.

Proofs of conclusions: rules, what their bodies rest on, and so on down to what was said.

A conclusion of the present tick may rest on others of it, never on itself: of the rule instances that
conclude it, one is told that takes the fewest steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import NamedTuple, cast

from rdflib import Variable

from pantarhei.encoding.numbers import NONE, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Argument, Builtin, Test
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, builtin_text
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import TimePoint, time_of
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import (
    Conclusion,
    EvidenceBasis,
    ObservedInterval,
    ProofStep,
    TemporalCondition,
    UnmetRule,
)
from pantarhei.temporal.data_stream import DataStream
from pantarhei.temporal.literal_tests import with_swrl_name
from pantarhei.temporal.numbered import NumberedTemporalProgram
from pantarhei.temporal.reasons.body_matching import (
    Binding,
    BodyMatcher,
    ClauseInstance,
    Evidence,
    Leaf,
    ProgramClause,
    TickAtom,
)
from pantarhei.temporal.reasons.occurrence_intervals import Arguments, KernelFacts, TickIntervals, TickRun
from pantarhei.temporal.rules import RulesWithOntology
from pantarhei.temporal.ticks import Ticks

_MOST = 1_000
"""So many ways to meet a part of a body are tried."""


class UnmetClause(NamedTuple):
    """The rule came that far.

    Args:
        clause: the rule.
        binding: what its variables stand for by then.
        lacking: what is not met: a formula with what there is for it, or a test.
        met: how many parts of the body are.
    """

    clause: ProgramClause
    binding: Binding
    lacking: Evidence | Test
    met: int


def unmet_clauses(bodies: BodyMatcher, atom: TickAtom) -> Iterator[UnmetClause]:
    """For each temporal rule whose head an atom is, what is missing where most of its body is met."""
    for clause in bodies.clauses:
        binding = bodies.unified(clause.rule, atom) if clause.is_temporal else None
        if binding is not None:
            found = _Search(bodies, clause).found(binding)
            if found is not None:
                yield found


class _Search:
    """Looks for the way to meet a body that comes furthest."""

    def __init__(self, bodies: BodyMatcher, clause: ProgramClause) -> None:
        self._bodies, self._clause = bodies, clause
        self._best: UnmetClause | None = None
        self._tried = 0

    def found(self, binding: Binding) -> UnmetClause | None:
        """What is missing; None where nothing is, or it was not found."""
        formulas = [formula for formula in self._clause.rule.body if not formula.is_negated]
        waiting = [(binding, formulas)]
        while waiting and self._tried < _MOST:
            bound, open_ = waiting.pop()
            self._tried += 1
            if not open_:
                self._test(bound, len(formulas))
                continue
            first, rest = self._bodies.in_turn(open_, bound)
            ways = [(extended, rest) for extended, _ in self._bodies.met(first, bound)]
            if not ways:
                self._note(bound, self._bodies.closest(first, bound), len(formulas) - len(open_))
            waiting += reversed(ways)
        return self._best

    def _test(self, binding: Binding, met: int) -> None:
        """Look at tests and at what is negated."""
        bound = dict(binding)
        failed = self._bodies.failed(self._clause, bound)
        if failed is not None:
            self._note(bound, failed, met)
            return
        for formula in self._clause.rule.body:
            if formula.is_negated and (evidence := self._bodies.evidence(formula, bound)).is_met:
                self._note(bound, evidence, met + 1)
                return

    def _note(self, binding: Binding, lacking: Evidence | Test, met: int) -> None:
        if self._best is None or self._best.met < met:
            self._best = UnmetClause(self._clause, binding, lacking, met)


class InputProofs(NamedTuple):
    """Where the reasons for what was said come from.

    Args:
        holds: the proof of a triple of the present materialization; None if it is not there.
        asserted_at: the timestamp of the newest assertion of a triple in a tick; None if it is forgotten.
    """

    holds: Callable[[Triple], Proof | None]
    asserted_at: Callable[[Triple, int], TimePoint | None]


class ProofNode(NamedTuple):
    """What a proof tells of a conclusion.

    Args:
        atom: the conclusion.
        instance: how it is concluded; None where that was not looked into.
        leaves: what each formula of the body rests on.
    """

    atom: TickAtom
    instance: ClauseInstance | None = None
    leaves: tuple[tuple[Leaf, ...], ...] = ()


@dataclass(frozen=True)
class TermsAndTimes:
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

    def not_concluded(self, missing: UnmetClause) -> UnmetRule:
        """Why a rule does not conclude something."""
        rule, bindings = missing.clause.shown, self.terms(missing.binding)
        if isinstance(missing.lacking, Evidence):
            return UnmetRule(rule, bindings, self._lacking(missing.lacking, missing.binding))
        assert isinstance(missing.lacking, Builtin), "temporal rules have no other tests"
        return UnmetRule(rule, bindings, builtin_text(with_swrl_name(missing.lacking)))

    def _lacking(self, evidence: Evidence, binding: Binding) -> TemporalCondition:
        """What is asked of a window, and what there is of it."""
        formula = evidence.formula

        def term(given: Argument, number: int = NONE) -> Argument:
            bound = binding.get(given, NONE) if isinstance(given, Variable) and number == NONE else number
            return given if bound == NONE else self.vocabulary.term(bound)

        arguments = map(term, formula.atom.arguments, evidence.arguments)
        atom = replace(formula.atom, arguments=tuple(arguments))
        time = None if formula.time is None else term(formula.time)
        first, last, *times = map(self.time, (evidence.first, evidence.last, *evidence.ticks))
        return TemporalCondition(replace(formula, atom=atom, time=time), first, last, tuple(times))

    def terms(self, binding: Binding) -> tuple[tuple[Variable, Term], ...]:
        """What variables stand for, by their names."""
        return tuple((name, self.vocabulary.term(number)) for name, number in sorted(binding.items()))


def proof_of(told: Iterable[ProofNode], words: TermsAndTimes, sources: InputProofs, complete: bool) -> Proof:
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

    words: TermsAndTimes
    sources: InputProofs
    steps: list[ProofStep] = field(default_factory=list)
    known: dict[Hashable, int] = field(default_factory=dict)  # where what was told stands

    def conclude(self, told: ProofNode) -> None:
        """Tell a conclusion."""
        words, atom = self.words, told.atom
        at, now = words.time(atom.tick), words.time(words.now)
        ground = words.atom(TemporalAtom(atom.predicate), atom.arguments)
        if told.instance is None:
            concluded = Conclusion(ground, at, now, ())
            self._add(atom, ProofStep(ground.triple, is_open=True, temporal=concluded))
            return
        clause, binding, evidence = told.instance
        premises = tuple(map(self._condition, evidence, told.leaves))
        step = ProofStep(ground.triple, clause.shown, premises)
        if clause.is_temporal:
            step = replace(step, temporal=Conclusion(ground, at, now, words.terms(binding)))
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
            ticks = (leaf.tick if isinstance(leaf, TickAtom) else leaf.first for leaf in leaves)
        first, last, *times = map(words.time, (evidence.first, evidence.last, *ticks))
        condition = TemporalCondition(formula, first, last, tuple(times))
        return self._add(condition, ProofStep(None, premises=premises, temporal=condition))

    def _leaf(self, atom: TemporalAtom, leaf: Leaf) -> list[int]:
        """Tell what a formula rests on."""
        if isinstance(leaf, TickAtom):
            return [self.known[leaf]]
        first, last, known = leaf
        triple, words = atom.triple, self.words
        if known is EvidenceBasis.ASSERTED and first == last and triple is not None:
            at = self.sources.asserted_at(triple, first)
            step = ProofStep(triple, at=words.time(first) if at is None else at)
            is_told = triple in self.known and self.steps[self.known[triple]] == step
            return [self.known[triple] if is_told else self._add((triple, step.at), step)]
        if known is EvidenceBasis.HELD and last == words.now and triple is not None:
            proof = self.sources.holds(triple)
            if proof is not None:
                before = TickRun(first, last - 1, known)
                return [*(self._leaf(atom, before) if before.length else ()), self._include(proof)]
        said = ObservedInterval(replace(atom, is_asserted=False), words.time(first), words.time(last), known)
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


class DerivationGraph:
    """Nodes, each of which holds once so many of those it rests on do.

    >>> support = DerivationGraph()
    >>> either, first, second = support.node(1), support.node(0), support.node(1)
    >>> support.rest(either, [first, second])
    >>> support.rest(second, [either])
    >>> sorted(support.settled(), key=support.settled().get) == [first, either, second]
    True
    """

    def __init__(self) -> None:
        self._needs: list[int] = []
        self._users: list[list[int]] = []

    def node(self, needs: int) -> int:
        """A further node, that needs so many of those it rests on."""
        self._needs.append(needs)
        self._users.append([])
        return len(self._needs) - 1

    def rest(self, node: int, on: Iterable[int]) -> None:
        """Let a node rest on others, each once."""
        for other in on:
            self._users[other].append(node)

    def settled(self, supposed: Iterable[int] = (), unused: int | None = None) -> dict[int, int]:
        """The place of each node that holds: first those that take the fewest steps. Costs the links.

        Args:
            supposed: nodes that hold whatever they rest on.
            unused: a node that nothing is to rest on.
        """
        needs = list(self._needs)
        waiting = dict.fromkeys([*supposed, *(node for node, many in enumerate(needs) if many == 0)])
        order, places = list(waiting), dict[int, int]()
        for node in order:  # grows meanwhile
            places[node] = len(places)
            for user in () if node == unused else self._users[node]:
                needs[user] -= 1
                if needs[user] == 0 and user not in waiting:
                    waiting[user] = None
                    order.append(user)
        return places


class RuleApplication(NamedTuple):
    """An instance that concludes something, as a node of the support.

    Args:
        instance: the instance.
        node: its node.
        evidence: the nodes of the formulas that rest on conclusions.
    """

    instance: ClauseInstance
    node: int
    evidence: dict[Evidence, int]


class ProofSearch:
    """Why rules conclude what they do at the present tick; for one question.

    Args:
        bodies: the rules, over what has been said.
        words: for what is told.
        sources: reasons for what was said.
        limit: how many rule instances are looked at.
    """

    def __init__(self, bodies: BodyMatcher, words: TermsAndTimes, sources: InputProofs, limit: int) -> None:
        self._bodies, self._words, self._sources, self._limit = bodies, words, sources, limit
        self._support = DerivationGraph()
        self._atoms: dict[TickAtom, int] = {}  # with their nodes
        self._ways: dict[TickAtom, list[RuleApplication]] = {}
        self._open: set[int] = set()  # nodes of what was not looked into
        self._complete = True

    def proofs(self, goal: TickAtom, is_all: bool) -> Iterator[Proof]:
        """The proofs of a conclusion: one that takes the fewest steps, or one for each instance of a rule
        that concludes it without resting on it. None where no rule does.
        """
        self._look_behind(goal, is_all)
        root = self._atoms[goal]
        places = self._support.settled(unused=root)
        ways = self._ways_among(goal, places)
        if not ways:
            places = self._support.settled(self._open - {root}, unused=root)
            ways = self._ways_among(goal, places)
        for way in ways if is_all else ways[:1]:
            told = self._told(goal, way, places)
            yield proof_of(told, self._words, self._sources, self._complete)

    # -- what may be behind it ---------------------------------------------------------------------

    def _look_behind(self, goal: TickAtom, is_all: bool) -> None:
        """Note what the goal may rest on, as far as the limit goes."""
        self._node(goal)
        waiting, seen = deque([goal]), 0
        while waiting:
            atom = waiting.popleft()
            self._open.discard(self._atoms[atom])
            for instance in self._bodies.concluding(atom):
                if seen >= self._limit:
                    self._complete = False
                    self._open.add(self._atoms[atom])
                    break
                seen += 1
                fresh = self._note(atom, instance)
                if fresh is not None:
                    waiting += fresh
                elif not (is_all and atom == goal):
                    break  # this one rests on what was said alone

    def _note(self, atom: TickAtom, instance: ClauseInstance) -> list[TickAtom] | None:
        """Note an instance; returns the conclusions it rests on that were not met before, None if it rests on
        none at all.
        """
        lacking = dict.fromkeys(each for each in instance.evidence if each.is_open)
        way = RuleApplication(instance, self._support.node(len(lacking)), {})
        self._ways.setdefault(atom, []).append(way)
        self._support.rest(self._atoms[atom], [way.node])
        fresh = []
        for evidence in lacking:
            place = way.evidence[evidence] = self._support.node(evidence.lacking)
            self._support.rest(way.node, [place])
            fresh += [drawn for drawn in evidence.atoms if drawn not in self._atoms]
            self._support.rest(place, [self._node(drawn) for drawn in evidence.atoms])
        return fresh if lacking else None

    def _node(self, atom: TickAtom) -> int:
        if atom not in self._atoms:
            self._atoms[atom] = self._support.node(1)
            self._open.add(self._atoms[atom])
        return self._atoms[atom]

    # -- what is told ------------------------------------------------------------------------------

    def _ways_among(self, atom: TickAtom, places: dict[int, int]) -> list[RuleApplication]:
        """The ways in which a conclusion holds without what comes after it, the shortest first."""
        last = places.get(self._atoms[atom], len(places))
        ways = [way for way in self._ways.get(atom, ()) if places.get(way.node, last) < last]
        return sorted(ways, key=lambda way: places[way.node])

    def _told(self, goal: TickAtom, way: RuleApplication, places: dict[int, int]) -> Iterator[ProofNode]:
        """What is told of the goal and of each conclusion behind it, of what others rest on first."""
        told: dict[TickAtom, ProofNode] = {}
        waiting: list[tuple[TickAtom, RuleApplication | None]] = [(goal, way)]
        while waiting:
            atom, chosen = waiting.pop()
            if atom in told:
                continue
            if chosen is None:
                told[atom] = ProofNode(atom)
                continue
            leaves = tuple(self._leaves(each, chosen, places) for each in chosen.instance.evidence)
            told[atom] = ProofNode(atom, chosen.instance, leaves)
            behind = [leaf for part in leaves for leaf in part if isinstance(leaf, TickAtom)]
            waiting += [(each, next(iter(self._ways_among(each, places)), None)) for each in behind]
        last = told.pop(goal)
        yield from sorted(told.values(), key=lambda each: places[self._atoms[each.atom]])
        yield last

    def _leaves(self, evidence: Evidence, way: RuleApplication, places: dict[int, int]) -> tuple[Leaf, ...]:
        """What a formula is said to rest on: conclusions that come before it."""
        if evidence.formula.is_negated:
            return ()
        if evidence not in way.evidence:
            return evidence.enough(())
        last = places[way.evidence[evidence]]
        return evidence.enough(each for each in evidence.atoms if places.get(self._atoms[each], last) < last)


class ProofContext(NamedTuple):
    """What rules see.

    Args:
        given: the rules.
        ticks: of the stream.
        numbered: the program in numbers.
        vocabulary: the stream's.
        data: what has been said.
        states: those that hold now, in the stream's predicates.
        facts: what holds in the second kernel.
        at_ticks: see `TickIntervals`.
    """

    given: RulesWithOntology
    ticks: Ticks
    numbered: NumberedTemporalProgram
    vocabulary: Vocabulary
    data: DataStream
    states: Integers
    facts: Integers
    at_ticks: Callable[[], KernelFacts]

    def proofs(self, atom: TemporalAtom, sources: InputProofs, is_all: bool, limit: int) -> list[Proof]:
        """The proofs of what rules conclude at the present tick; none of what they do not.

        Costs a pass over what has been said and concluded.

        Args:
            atom: without variables.
            sources: reasons for what was said.
            is_all: give one for each instance of a rule that concludes the atom.
            limit: how many instances are looked at.
        """
        with self._nothing_learned():
            reasons = ProofSearch(self._bodies(), self._words, sources, limit)
            return list(reasons.proofs(self._now(atom), is_all))

    def concludes(self, atom: TemporalAtom) -> bool:
        """Whether rules conclude an atom at the present tick."""
        with self._nothing_learned():
            _, arguments, _ = self._now(atom)
            return bool(self._occasions().concluded(atom.predicate, arguments))

    def unmet(self, atom: TemporalAtom) -> tuple[UnmetRule, ...]:
        """Of each temporal rule that could conclude an atom at the present tick why it does not.

        Costs a pass over what has been said and concluded, and so many ways to meet its bodies as are tried.
        """
        with self._nothing_learned():
            return tuple(map(self._words.not_concluded, unmet_clauses(self._bodies(), self._now(atom))))

    @property
    def _words(self) -> TermsAndTimes:
        return TermsAndTimes(self.data.tick, self.ticks, self.vocabulary)

    def _bodies(self) -> BodyMatcher:
        return BodyMatcher(ProgramClause.all_of(self.given), self._occasions(), self.ticks, self.vocabulary)

    def _occasions(self) -> TickIntervals:
        return TickIntervals(
            self.data, self.states, self.facts, self.numbered, self.vocabulary, self.at_ticks
        )

    def _now(self, atom: TemporalAtom) -> TickAtom:
        arguments = tuple(self.vocabulary.number(cast(Term, term)) for term in atom.arguments)
        return TickAtom(atom.predicate, arguments, self.data.tick)

    @contextmanager
    def _nothing_learned(self) -> Iterator[None]:
        """What is numbered inside is forgotten at the end."""
        known = self.vocabulary.mark
        try:
            yield
        finally:
            if self.vocabulary.mark != known:
                self.vocabulary.roll_back_to(known)
