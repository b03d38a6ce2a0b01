"""Proofs of conclusions of temporal rules down to the input, and explanations of rules that do not conclude.

A conclusion of the present tick may depend on others of the same tick, but not on itself: the proof consists
of rule instances in the order of a well-founded derivation with the fewest steps. For an atom that is not
concluded, each rule is reported with the first part of its body that does not hold.
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
from pantarhei.model.rule import Argument, Builtin, Different, Test
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
    first_tick,
)
from pantarhei.temporal.reasons.occurrence_intervals import Arguments, KernelFacts, TickIntervals, TickRun
from pantarhei.temporal.rules import RulesWithOntology
from pantarhei.temporal.ticks import Ticks

_MOST = 1_000
"""Maximum number of partial matches of a body that `_unmet` examines."""


class InputProofs(NamedTuple):
    """Callbacks for proofs of input.

    Args:
        holds: returns the proof of a triple of the present materialization; None if the triple does not hold.
        asserted_at: returns the timestamp of the newest assertion of a triple in a tick; None if the stream's
            history no longer contains it.
    """

    holds: Callable[[Triple], Proof | None]
    asserted_at: Callable[[Triple, int], TimePoint | None]


class ProofContext(NamedTuple):
    """Rules, input and conclusions at the present tick, from which proofs are built.

    Args:
        given: the rules.
        ticks: ticks of the stream.
        numbered: the program in numbers.
        vocabulary: the stream's vocabulary.
        data: the data stream.
        states: present states; predicates are numbered by the vocabulary.
        facts: facts of the temporal kernel.
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

    def proofs(self, atom: TemporalAtom, inputs: InputProofs, is_all: bool, limit: int) -> list[Proof]:
        """Return the proofs of a conclusion of the present tick; empty for other atoms.

        Costs a scan of the data stream and the conclusions.

        Args:
            atom: an atom without variables.
            inputs: proofs of input.
            is_all: true for one proof for each rule instance that concludes the atom, false for one proof.
            limit: maximum number of rule instances to examine.
        """
        with self._temporary_terms():
            search = ProofSearch(self._matcher(), self._decoder, inputs, limit)
            return list(search.proofs(self._now(atom), is_all))

    def concludes(self, atom: TemporalAtom) -> bool:
        """Test whether rules conclude an atom at the present tick."""
        with self._temporary_terms():
            _, arguments, _ = self._now(atom)
            return bool(self._intervals().concluded(atom.predicate, arguments))

    def unmet(self, atom: TemporalAtom) -> tuple[UnmetRule, ...]:
        """Return, for each temporal rule whose head matches an atom, why it does not conclude the atom now.

        Costs a scan of the data stream and the conclusions, and up to `_MOST` partial matches for each rule.
        """
        with self._temporary_terms():
            return tuple(map(self._decoder.unmet_rule, unmet_clauses(self._matcher(), self._now(atom))))

    @property
    def _decoder(self) -> _Decoder:
        return _Decoder(self.data.tick, self.ticks, self.vocabulary)

    def _matcher(self) -> BodyMatcher:
        return BodyMatcher(ProgramClause.all_of(self.given), self._intervals(), self.ticks, self.vocabulary)

    def _intervals(self) -> TickIntervals:
        return TickIntervals(
            self.data, self.states, self.facts, self.numbered, self.vocabulary, self.at_ticks
        )

    def _now(self, atom: TemporalAtom) -> TickAtom:
        arguments = tuple(self.vocabulary.number(cast(Term, term)) for term in atom.arguments)
        return TickAtom(atom.predicate, arguments, self.data.tick)

    @contextmanager
    def _temporary_terms(self) -> Iterator[None]:
        """Remove the terms that were numbered in the context when it ends."""
        known = self.vocabulary.mark
        try:
            yield
        finally:
            if self.vocabulary.mark != known:
                self.vocabulary.roll_back_to(known)


# -- unmet rules -----------------------------------------------------------------------------------


class UnmetClause(NamedTuple):
    """Clause whose body does not hold, at a partial match with the most satisfied formulas.

    Args:
        clause: the clause.
        binding: binding of the partial match.
        lacking: the first part that does not hold: a formula with its evidence, or a test.
        met: number of parts that hold.
    """

    clause: ProgramClause
    binding: Binding
    lacking: Evidence | Test | Different
    met: int


def unmet_clauses(matcher: BodyMatcher, atom: TickAtom) -> Iterator[UnmetClause]:
    """Yield the temporal rules whose head matches an atom, each with its best partial match."""
    for clause in matcher.clauses:
        binding = matcher.unified(clause.rule, atom) if clause.is_temporal else None
        if binding is not None and (found := _unmet(matcher, clause, binding)) is not None:
            yield found


def _unmet(matcher: BodyMatcher, clause: ProgramClause, binding: Binding) -> UnmetClause | None:
    """Return the best partial match of a clause; None if the body holds or no match was found."""
    formulas = [formula for formula in clause.rule.body if not formula.is_negated]
    waiting, tried = [(binding, formulas)], 0
    best: UnmetClause | None = None
    while waiting and tried < _MOST:
        bound, open_ = waiting.pop()
        tried, met = tried + 1, len(formulas) - len(open_)
        lacking: Evidence | Test | Different | None = None
        if open_:
            first, rest = matcher.select(open_, bound)
            matches = [(extended, rest) for extended, _ in matcher.met(first, bound)]
            waiting += reversed(matches)
            lacking = None if matches else matcher.closest(first, bound)
        else:
            bound = dict(bound)
            lacking = matcher.failed(clause, bound)
            if lacking is None:
                negated = (matcher.evidence(each, bound) for each in clause.rule.body if each.is_negated)
                lacking, met = next((each for each in negated if each.is_met), None), met + 1
        if lacking is not None and (best is None or best.met < met):
            best = UnmetClause(clause, bound, lacking, met)
    return best


# -- proofs ----------------------------------------------------------------------------------------


class DerivationGraph:
    """Graph of nodes that hold once a required number of their premises hold.

    >>> graph = DerivationGraph()
    >>> either, first, second = graph.node(1), graph.node(0), graph.node(1)
    >>> graph.add_premises(either, [first, second])
    >>> graph.add_premises(second, [either])
    >>> sorted(graph.derivation_order(), key=graph.derivation_order().get) == [first, either, second]
    True
    """

    def __init__(self) -> None:
        self._needs: list[int] = []
        self._users: list[list[int]] = []

    def node(self, needs: int) -> int:
        """Add a node that needs `needs` of its premises."""
        self._needs.append(needs)
        self._users.append([])
        return len(self._needs) - 1

    def add_premises(self, node: int, on: Iterable[int]) -> None:
        """Add premises to a node, without duplicates."""
        for other in on:
            self._users[other].append(node)

    def derivation_order(self, supposed: Iterable[int] = (), unused: int | None = None) -> dict[int, int]:
        """Return the nodes that hold, numbered in the order of derivation. Costs time linear in the premises.

        Args:
            supposed: nodes that hold without premises.
            unused: a node that is ignored as a premise.
        """
        needs = list(self._needs)
        waiting = dict.fromkeys([*supposed, *(node for node, many in enumerate(needs) if many == 0)])
        order, places = list(waiting), dict[int, int]()
        for node in order:  # grows during the loop
            places[node] = len(places)
            for user in () if node == unused else self._users[node]:
                needs[user] -= 1
                if needs[user] == 0 and user not in waiting:
                    waiting[user] = None
                    order.append(user)
        return places


class RuleApplication(NamedTuple):
    """Rule instance as a node of the derivation graph.

    Args:
        instance: the instance.
        node: its node.
        evidence: nodes of the formulas that need conclusions of the present tick.
    """

    instance: ClauseInstance
    node: int
    evidence: dict[Evidence, int]


class ProofNode(NamedTuple):
    """Conclusion in a proof.

    Args:
        atom: the conclusion.
        instance: the rule instance that concludes it; None beyond the limit of the search.
        leaves: for each formula of the body the evidence that the proof uses.
    """

    atom: TickAtom
    instance: ClauseInstance | None = None
    leaves: tuple[tuple[Leaf, ...], ...] = ()


class ProofSearch:
    """Search for proofs of one conclusion of the present tick; used once.

    Args:
        matcher: matches rule bodies.
        decoder: converts numbers to terms.
        inputs: proofs of input.
        limit: maximum number of rule instances to examine.
    """

    def __init__(self, matcher: BodyMatcher, decoder: _Decoder, inputs: InputProofs, limit: int) -> None:
        self._matcher, self._decoder, self._inputs, self._limit = matcher, decoder, inputs, limit
        self._graph = DerivationGraph()
        self._atoms: dict[TickAtom, int] = {}  # nodes of the atoms
        self._applications: dict[TickAtom, list[RuleApplication]] = {}
        self._open: set[int] = set()  # nodes of atoms whose rule instances were not all examined
        self._complete = True

    def proofs(self, goal: TickAtom, is_all: bool) -> Iterator[Proof]:
        """Yield the proof with the fewest steps, or one for each rule instance that concludes the goal.

        Instances that depend on the goal are skipped. Yields nothing if no rule concludes the goal.
        """
        self._expand(goal, is_all)
        root = self._atoms[goal]
        places = self._graph.derivation_order(unused=root)
        found = self._usable(goal, places)
        if not found:
            places = self._graph.derivation_order(self._open - {root}, unused=root)
            found = self._usable(goal, places)
        for application in found if is_all else found[:1]:
            nodes = self._nodes(goal, application, places)
            yield proof_of(nodes, self._decoder, self._inputs, self._complete)

    def _expand(self, goal: TickAtom, is_all: bool) -> None:
        """Add to the graph all rule instances that the goal may depend on, up to the limit."""
        self._node(goal)
        waiting, seen = deque([goal]), 0
        while waiting:
            atom = waiting.popleft()
            self._open.discard(self._atoms[atom])
            for instance in self._matcher.concluding(atom):
                if seen >= self._limit:
                    self._complete = False
                    self._open.add(self._atoms[atom])
                    break
                seen += 1
                fresh = self._add(atom, instance)
                if fresh is not None:
                    waiting += fresh
                elif not (is_all and atom == goal):
                    break  # this instance needs only input

    def _add(self, atom: TickAtom, instance: ClauseInstance) -> list[TickAtom] | None:
        """Add a rule instance to the graph.

        Returns: The conclusions that it may depend on and that are new to the graph; None if it needs only
        input.
        """
        lacking = dict.fromkeys(each for each in instance.evidence if each.is_open)
        application = RuleApplication(instance, self._graph.node(len(lacking)), {})
        self._applications.setdefault(atom, []).append(application)
        self._graph.add_premises(self._atoms[atom], [application.node])
        fresh = []
        for evidence in lacking:
            place = application.evidence[evidence] = self._graph.node(evidence.lacking)
            self._graph.add_premises(application.node, [place])
            fresh += [each for each in evidence.atoms if each not in self._atoms]
            self._graph.add_premises(place, [self._node(each) for each in evidence.atoms])
        return fresh if lacking else None

    def _node(self, atom: TickAtom) -> int:
        if atom not in self._atoms:
            self._atoms[atom] = self._graph.node(1)
            self._open.add(self._atoms[atom])
        return self._atoms[atom]

    def _usable(self, atom: TickAtom, places: dict[int, int]) -> list[RuleApplication]:
        """Return the applications that conclude an atom and precede it in the order of derivation, earliest
        first.
        """
        last = places.get(self._atoms[atom], len(places))
        found = [each for each in self._applications.get(atom, ()) if places.get(each.node, last) < last]
        return sorted(found, key=lambda each: places[each.node])

    def _nodes(
        self, goal: TickAtom, application: RuleApplication, places: dict[int, int]
    ) -> Iterator[ProofNode]:
        """Yield the conclusions that the goal depends on in the order of derivation, then the goal."""
        known: dict[TickAtom, ProofNode] = {}
        waiting: list[tuple[TickAtom, RuleApplication | None]] = [(goal, application)]
        while waiting:
            atom, chosen = waiting.pop()
            if atom in known:
                continue
            if chosen is None:
                known[atom] = ProofNode(atom)
                continue
            leaves = tuple(self._leaves(each, chosen, places) for each in chosen.instance.evidence)
            known[atom] = ProofNode(atom, chosen.instance, leaves)
            premises = [leaf for part in leaves for leaf in part if isinstance(leaf, TickAtom)]
            waiting += [(each, next(iter(self._usable(each, places)), None)) for each in premises]
        last = known.pop(goal)
        yield from sorted(known.values(), key=lambda each: places[self._atoms[each.atom]])
        yield last

    def _leaves(
        self, evidence: Evidence, application: RuleApplication, places: dict[int, int]
    ) -> tuple[Leaf, ...]:
        """Return sufficient evidence of a formula, from input and conclusions that precede it in the
        derivation.
        """
        if evidence.formula.is_negated:
            return ()
        if evidence not in application.evidence:
            return evidence.sufficient(())
        last = places[application.evidence[evidence]]
        return evidence.sufficient(
            each for each in evidence.atoms if places.get(self._atoms[each], last) < last
        )


# -- steps -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Decoder:
    """Conversion of numbers to terms and of ticks to times.

    Args:
        now: the present tick.
        ticks: ticks of the stream.
        vocabulary: the stream's vocabulary.
    """

    now: int
    ticks: Ticks
    vocabulary: Vocabulary

    def time(self, tick: int) -> TimePoint:
        """Return the time at which a tick ends."""
        return time_of(self.ticks.end_of(tick), self.ticks.kind)

    def atom(self, like: TemporalAtom, arguments: Arguments) -> TemporalAtom:
        """Return the atom with numbered arguments replaced by terms."""
        return replace(like, arguments=tuple(map(self.vocabulary.term, arguments)))

    def formula(self, evidence: Evidence) -> Formula:
        """Return the ground formula of evidence."""
        formula = evidence.formula
        time = None if formula.time is None else self.ticks.literal_of(evidence.first)
        return replace(formula, atom=self.atom(formula.atom, evidence.arguments), time=time)

    def terms(self, binding: Binding) -> tuple[tuple[Variable, Term], ...]:
        """Return variables with their terms, sorted by name."""
        return tuple((name, self.vocabulary.term(number)) for name, number in sorted(binding.items()))

    def unmet_rule(self, unmet: UnmetClause) -> UnmetRule:
        """Convert an unmet clause to terms."""
        rule, bindings = unmet.clause.shown, self.terms(unmet.binding)
        if isinstance(unmet.lacking, Evidence):
            return UnmetRule(rule, bindings, self._lacking(unmet.lacking, unmet.binding))
        assert isinstance(unmet.lacking, Builtin), "temporal rules have no other tests"
        return UnmetRule(rule, bindings, builtin_text(with_swrl_name(unmet.lacking)))

    def _lacking(self, evidence: Evidence, binding: Binding) -> TemporalCondition:
        """Return the condition of a formula that does not hold, with the ticks of its evidence."""
        formula = evidence.formula

        def term(given: Argument, number: int = NONE) -> Argument:
            bound = binding.get(given, NONE) if isinstance(given, Variable) and number == NONE else number
            return given if bound == NONE else self.vocabulary.term(bound)

        arguments = map(term, formula.atom.arguments, evidence.arguments)
        atom = replace(formula.atom, arguments=tuple(arguments))
        time = None if formula.time is None else term(formula.time)
        return self.condition(replace(formula, atom=atom, time=time), evidence, evidence.ticks)

    def condition(self, formula: Formula, evidence: Evidence, ticks: Iterable[int]) -> TemporalCondition:
        """Return a formula with the times of its window and of the given ticks."""
        first, last, *times = map(self.time, (evidence.first, evidence.last, *ticks))
        return TemporalCondition(formula, first, last, tuple(times))


def proof_of(nodes: Iterable[ProofNode], decoder: _Decoder, inputs: InputProofs, complete: bool) -> Proof:
    """Return the proof that consists of conclusions, each after the conclusions that it depends on."""
    writer = _ProofWriter(decoder, inputs)
    for each in nodes:
        writer.add_conclusion(each)
    return Proof(tuple(writer.steps), complete)


@dataclass
class _ProofWriter:
    """Builder of the steps of one proof."""

    decoder: _Decoder
    inputs: InputProofs
    steps: list[ProofStep] = field(default_factory=list)
    known: dict[Hashable, int] = field(
        default_factory=dict
    )  # indexes of the steps, by fact, condition or conclusion

    def add_conclusion(self, node: ProofNode) -> None:
        """Add a conclusion, after the conditions of the rule that concludes it."""
        decoder, atom = self.decoder, node.atom
        at, now = decoder.time(atom.tick), decoder.time(decoder.now)
        ground = decoder.atom(TemporalAtom(atom.predicate), atom.arguments)
        if node.instance is None:
            conclusion = Conclusion(ground, at, now, ())
            self._add(atom, ProofStep(ground.triple, is_open=True, temporal=conclusion))
            return
        clause, binding, evidence = node.instance
        premises = tuple(map(self._condition, evidence, node.leaves))
        step = ProofStep(ground.triple, clause.shown, premises)
        if clause.is_temporal:
            step = replace(step, temporal=Conclusion(ground, at, now, decoder.terms(binding)))
        self._add(atom, step)

    def _condition(self, evidence: Evidence, leaves: tuple[Leaf, ...]) -> int:
        """Add a condition; return its step. A condition at one tick is its premise itself."""
        formula = self.decoder.formula(evidence)
        premises = tuple(dict.fromkeys(place for leaf in leaves for place in self._leaf(formula.atom, leaf)))
        if not formula.is_negated and formula.mode in (Mode.NOW, Mode.AT):
            return premises[0]
        ticks: Iterable[int] = ()
        if formula.is_negated:
            ticks = evidence.ticks
        elif formula.mode is not Mode.ALWAYS:
            ticks = map(first_tick, leaves)
        condition = self.decoder.condition(formula, evidence, ticks)
        return self._add(condition, ProofStep(None, premises=premises, temporal=condition))

    def _leaf(self, atom: TemporalAtom, leaf: Leaf) -> list[int]:
        """Add the evidence of a formula; return its steps."""
        if isinstance(leaf, TickAtom):
            return [self.known[leaf]]
        first, last, known = leaf
        triple, time = atom.triple, self.decoder.time
        if known is EvidenceBasis.ASSERTED and first == last and triple is not None:
            at = self.inputs.asserted_at(triple, first)
            step = ProofStep(triple, at=time(first) if at is None else at)
            is_known = triple in self.known and self.steps[self.known[triple]] == step
            return [self.known[triple] if is_known else self._add((triple, step.at), step)]
        if known is EvidenceBasis.HELD and last == self.decoder.now and triple is not None:
            proof = self.inputs.holds(triple)
            if proof is not None:
                earlier = TickRun(first, last - 1, known)
                return [*(self._leaf(atom, earlier) if earlier.length else ()), self._include(proof)]
        interval = ObservedInterval(replace(atom, is_asserted=False), time(first), time(last), known)
        return [self._add(interval, ProofStep(triple, temporal=interval))]

    def _include(self, proof: Proof) -> int:
        """Add the steps of a proof of the window's model that are not in this proof; return the last step."""
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
