"""Backward matching of temporal rules: ground instances whose bodies hold, with evidence for each formula."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import TimestampError
from pantarhei.model.rule import Argument, Different, Member, Origin, Rule, Test
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, TimeWindow, TupleWindow
from pantarhei.model.time import plain_time, ticks_of
from pantarhei.temporal.literal_tests import COMPARISON_OF, compare_terms, with_kernel_tests
from pantarhei.temporal.reasons.occurrence_intervals import Arguments, Pattern, TickIntervals, TickRun
from pantarhei.temporal.rules import RulesWithOntology, to_temporal_rule
from pantarhei.temporal.ticks import Ticks
from pantarhei.values.membership import passes
from pantarhei.values.scalar_functions import is_computation

Binding = Mapping[Variable, int]
"""Values of variables, in the vocabulary's numbers."""


class TickAtom(NamedTuple):
    """Conclusion of the present tick, with the tick at which it holds."""

    predicate: URIRef
    arguments: Arguments
    tick: int


Leaf = TickAtom | TickRun
"""Evidence of a formula: a conclusion, or a run of input."""


class Evidence(NamedTuple):
    """Ground formula of a body, with the ticks of its window at which the atom held.

    Args:
        formula: the formula as written.
        arguments: arguments of its atom.
        first, last: window of the formula, both ticks included.
        given: runs of ticks with input, oldest first.
        concluded: ticks without input at which the atom is a conclusion of the present tick.
    """

    formula: Formula
    arguments: Arguments
    first: int
    last: int
    given: tuple[TickRun, ...]
    concluded: tuple[int, ...]

    @property
    def lacking(self) -> int:
        """Number of ticks among `concluded` that the formula needs to hold."""
        always = self.formula.mode is Mode.ALWAYS
        required = self.last - self.first + 1 if always else self.formula.times
        return max(0, required - sum(run.length for run in self.given))

    @property
    def is_met(self) -> bool:
        """Test whether the formula holds, without its negation."""
        return self.lacking <= len(self.concluded)

    @property
    def ticks(self) -> list[int]:
        """All ticks of the evidence, ascending."""
        given = (tick for run in self.given for tick in run.newest(run.length))
        return sorted([*given, *self.concluded])

    @property
    def is_open(self) -> bool:
        """Test whether a positive formula needs conclusions of the present tick to hold."""
        return self.lacking > 0 and not self.formula.is_negated

    @property
    def atoms(self) -> list[TickAtom]:
        """Conclusions at the ticks among `concluded`."""
        return [TickAtom(self.formula.atom.predicate, self.arguments, tick) for tick in self.concluded]

    def sufficient(self, atoms: Iterable[TickAtom]) -> tuple[Leaf, ...]:
        """Return sufficient evidence from input and the given conclusions, oldest first.

        A formula that counts ticks gets the newest ticks that suffice, other formulas get all evidence.
        """
        if self.formula.mode is not Mode.SOMETIME:
            return tuple(sorted([*self.given, *atoms], key=first_tick))
        times = self.formula.times
        single: list[Leaf] = [
            TickRun(tick, tick, run.basis) for run in self.given for tick in run.newest(times)
        ]
        return tuple(sorted([*single, *atoms], key=first_tick)[-times:])


def first_tick(leaf: Leaf) -> int:
    """Return the first tick of a leaf."""
    return leaf.tick if isinstance(leaf, TickAtom) else leaf.first


class ProgramClause(NamedTuple):
    """Temporal rule, or rule of the ontology that conclusions can fire.

    Args:
        rule: head and body.
        shown: the rule in the form in which proofs contain it.
        tests: all tests, including data ranges, which `rule` lacks.
        different: inequalities of variables.
    """

    rule: TemporalRule
    shown: Rule
    tests: tuple[Test, ...]
    different: tuple[Different, ...] = ()

    @property
    def is_temporal(self) -> bool:
        """Test whether the clause is a temporal rule."""
        return not self.shown.body

    @classmethod
    def all_of(cls, given: RulesWithOntology) -> tuple[ProgramClause, ...]:
        """Return the clauses of temporal rules with an ontology."""
        temporal = (
            cls(rule, _shown(rule, n), with_kernel_tests(rule, given.unique_names).tests)
            for n, rule in enumerate(given.rules.rules, 1)
        )
        others = (cls(to_temporal_rule(rule), rule, rule.tests, rule.different) for rule in given.ontology)
        return *temporal, *others


def _shown(rule: TemporalRule, number: int) -> Rule:
    line = None if rule.written is None else rule.written.line
    origin = Origin(str(rule), line=line, subject=rule.head.atom.predicate)
    return Rule(f"temporal-{number}", (), None, origin=origin)


class ClauseInstance(NamedTuple):
    """Ground instance of a clause whose body holds.

    Args:
        clause: the clause.
        binding: values of its variables.
        evidence: evidence of each formula of the body, in the order of the body.
    """

    clause: ProgramClause
    binding: Binding
    evidence: tuple[Evidence, ...]


class BodyMatcher:
    """Matcher of rule bodies against input and conclusions.

    Args:
        clauses: the program.
        intervals: facts with the ticks at which they held.
        ticks: ticks of the stream.
        vocabulary: the stream's vocabulary; terms of rules, times and computed literals are added.
    """

    def __init__(
        self, clauses: Sequence[ProgramClause], intervals: TickIntervals, ticks: Ticks, vocabulary: Vocabulary
    ) -> None:
        self.clauses, self._intervals, self._ticks, self._vocabulary = clauses, intervals, ticks, vocabulary

    def concluding(self, atom: TickAtom) -> Iterator[ClauseInstance]:
        """Yield the clause instances that conclude an atom."""
        for clause in self.clauses:
            if (binding := self.unified(clause.rule, atom)) is not None:
                yield from self.instances(clause, binding)

    def unified(self, rule: TemporalRule, atom: TickAtom) -> Binding | None:
        """Return the binding that unifies the head of a rule with an atom; None if there is none."""
        head = rule.head
        if head.atom.predicate != atom.predicate or len(head.atom.arguments) != len(atom.arguments):
            return None
        given = head.atom.arguments
        if head.mode is Mode.AT:
            return self._joined({}, (*given, head.time), (*atom.arguments, self._time(atom.tick)))
        return self._joined({}, given, atom.arguments) if atom.tick == self._intervals.now else None

    def instances(self, clause: ProgramClause, binding: Binding) -> Iterator[ClauseInstance]:
        """Yield the instances of a clause whose body holds and that extend a binding."""
        body = clause.rule.body
        positive = [formula for formula in body if not formula.is_negated]
        for met, found in self._matches(positive, binding, {}):
            bound = dict(met)
            if self.failed(clause, bound) is not None:
                continue
            negated = {each: self.evidence(each, bound) for each in body if each.is_negated}
            if not any(each.is_met for each in negated.values()):
                known = {**found, **negated}
                yield ClauseInstance(clause, bound, tuple(known[formula] for formula in body))

    def _matches(
        self, formulas: list[Formula], binding: Binding, met: Mapping[Formula, Evidence]
    ) -> Iterator[tuple[Binding, Mapping[Formula, Evidence]]]:
        """Yield the bindings with which all formulas hold, and their evidence."""
        if not formulas:
            yield binding, met
            return
        first, rest = self.select(formulas, binding)
        for extended, evidence in self.met(first, binding):
            yield from self._matches(rest, extended, {**met, first: evidence})

    @staticmethod
    def select(formulas: list[Formula], binding: Binding) -> tuple[Formula, list[Formula]]:
        """Choose the formula with the fewest unbound variables, to be matched first; return it and the
        others.
        """
        first = min(formulas, key=lambda each: len(each.variables - binding.keys()))
        return first, [each for each in formulas if each is not first]

    # -- formulas ----------------------------------------------------------------------------------

    def met(self, formula: Formula, binding: Binding) -> list[tuple[Binding, Evidence]]:
        """Return the bindings with which a positive formula holds, those with the newest ticks first."""
        found = [
            (extended, evidence)
            for bound, each in self._found(formula, binding)
            for extended, evidence in self._at_ticks(bound, each)
            if evidence.is_met
        ]
        return found if len(found) < 2 else sorted(found, key=lambda each: self._place(each[1]))

    def evidence(self, formula: Formula, binding: Binding) -> Evidence:
        """Return the evidence of a formula whose variables are bound."""
        known = next((each for _, each in self._found(formula, binding)), None)
        known = self._nothing(formula, binding) if known is None else known
        found = (evidence for _, evidence in self._at_ticks(binding, known))
        return next(found, known._replace(given=(), concluded=()))

    def closest(self, formula: Formula, binding: Binding) -> Evidence:
        """Return the evidence with the most ticks for a formula that does not hold.

        If the atom holds at no tick, arguments that are not bound are `NONE`.
        """
        found = [evidence for _, evidence in self._found(formula, binding)]
        if found and formula.time is None:
            return min(found, key=lambda each: (-len(each.ticks), self._place(each)))
        pattern = self._pattern(formula, binding)
        exact = (each for each in found if each.arguments == pattern)
        return next(exact, self._nothing(formula, binding))

    def _nothing(self, formula: Formula, binding: Binding) -> Evidence:
        arguments = tuple(NONE if number is None else number for number in self._pattern(formula, binding))
        return Evidence(formula, arguments, self._first(formula), self._intervals.now, (), ())

    def _pattern(self, formula: Formula, binding: Binding) -> Pattern:
        return tuple(self._number(term, binding) for term in formula.atom.arguments)

    def _first(self, formula: Formula) -> int:
        """Return the first tick of a formula's window."""
        first, now = self._intervals.first, self._intervals.now
        match formula.window:
            case TimeWindow() as window:
                return max(first, now - self._ticks.window_size(window, formula))
            case TupleWindow(size):
                return self._intervals.among_last(size, formula.atom.predicate, ())[0]
        return now if formula.mode is Mode.NOW else first

    def _found(self, formula: Formula, binding: Binding) -> Iterator[tuple[Binding, Evidence]]:
        """Yield the facts that match a formula's atom, with the ticks of its window at which they held."""
        atom, pattern, last = formula.atom, self._pattern(formula, binding), self._intervals.now
        concluded: Mapping[Arguments, set[int]] = {}
        if isinstance(formula.window, TupleWindow):
            first, given = self._intervals.among_last(formula.window.size, atom.predicate, pattern)
        else:
            first, given = (
                self._first(formula),
                self._intervals.input_runs(atom.predicate, pattern, atom.is_asserted),
            )
            if not atom.is_asserted:
                concluded = self._concluded(atom.predicate, pattern)
        for arguments in {**given, **concluded}:
            if (bound := self._joined(binding, atom.arguments, arguments)) is not None:
                inside = (run.within(first, last) for run in given.get(arguments, ()))
                runs = tuple(run for run in inside if run.length)
                more = (
                    tick
                    for tick in concluded.get(arguments, ())
                    if first <= tick <= last and not any(run.first <= tick <= run.last for run in runs)
                )
                yield bound, Evidence(formula, arguments, first, last, runs, tuple(sorted(more)))

    def _concluded(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, set[int]]:
        """Return the conclusions that match a pattern, with their ticks."""
        found = {args: set(ticks) for args, ticks in self._intervals.concluded(predicate, pattern).items()}
        for arguments, time in self._intervals.dated(predicate, pattern):
            if (tick := self.tick_of(time)) is not None:
                found.setdefault(arguments, set()).add(tick)
        return found

    def _at_ticks(self, binding: Binding, evidence: Evidence) -> Iterator[tuple[Binding, Evidence]]:
        """Yield the evidence of a formula; for @, one evidence for each tick that its time can denote."""
        time = evidence.formula.time
        if time is None:
            yield binding, evidence
            return
        runs = [TickRun(t, t, run.basis) for run in evidence.given for t in range(run.first, run.last + 1)]
        single: list[tuple[int, tuple[TickRun, ...], tuple[int, ...]]]
        single = [(run.first, (run,), ()) for run in runs] + [(t, (), (t,)) for t in evidence.concluded]
        for tick, given, concluded in single:
            if (bound := self._joined(binding, (time,), (self._time(tick),))) is not None:
                yield bound, evidence._replace(first=tick, last=tick, given=given, concluded=concluded)

    def _place(self, evidence: Evidence) -> tuple[int, list[str]]:
        """Return a sort key independent of the numbers of terms: newest tick first, then the text."""
        newest = max(
            [*(run.last for run in evidence.given), *evidence.concluded], default=self._intervals.first
        )
        return -newest, [self._vocabulary.term(number).n3() for number in evidence.arguments]

    # -- terms -------------------------------------------------------------------------------------

    def _number(self, term: Argument, binding: Binding) -> int | None:
        """Return the number of a term; None for an unbound variable."""
        return binding.get(term) if isinstance(term, Variable) else self._vocabulary.number(term)

    def _joined(
        self, binding: Binding, terms: Iterable[Argument | None], numbers: Iterable[int]
    ) -> Binding | None:
        """Extend a binding such that terms equal numbers; return None if this is impossible."""
        bound = dict(binding)
        for term, number in zip(terms, numbers, strict=True):
            assert term is not None, "an atom at a tick has a time"
            known = self._number(term, bound)
            if known is None and isinstance(term, Variable):
                bound[term] = number
            elif known != number:
                return None
        return bound

    def _time(self, tick: int) -> int:
        return self._vocabulary.number(self._ticks.literal_of(tick))

    def tick_of(self, time: int) -> int | None:
        """Return the tick that a literal denotes, given its number; None if there is none."""
        term = self._vocabulary.term(time)
        value = term.value if isinstance(term, Literal) else None
        if isinstance(value, Decimal) and value == value.to_integral_value():
            value = int(value)
        try:
            tick = self._ticks.tick_of_time(ticks_of(plain_time(value), self._ticks.kind))
        except TimestampError:
            return None
        return tick if self._time(tick) == time else None

    # -- tests -------------------------------------------------------------------------------------

    def failed(self, clause: ProgramClause, bound: dict[Variable, int]) -> Test | Different | None:
        """Return the first test or inequality of a clause that fails; None if all hold.

        Results of computations are added to `bound`.
        """
        waiting = list(clause.tests)
        while waiting:
            test = next((each for each in waiting if self._is_ground(each, bound)), waiting[0])
            waiting.remove(test)
            if not self._is_ground(test, bound) or not self._passes(test, bound):
                return test
        equal = (e for e in clause.different if self._number(e.left, bound) == self._number(e.right, bound))
        return next(equal, None)

    def _is_ground(self, test: Test, binding: Binding) -> bool:
        """Test whether the operands of a test are bound."""
        operands = test.arguments[is_computation(test) :]
        return all(self._number(term, binding) is not None for term in operands)

    def _passes(self, test: Test, bound: dict[Variable, int]) -> bool:
        numbers = [self._number(term, bound) for term in test.arguments]
        known = [NONE if number is None else number for number in numbers]
        if isinstance(test, Member):
            term = self._vocabulary.term(known[0])
            return isinstance(term, Literal) and passes(test, term)
        is_computed = is_computation(test)
        left, right, *_ = *known[is_computed:], NONE
        if test.name in COMPARISON_OF:
            return compare_terms(test.name, left, right, self._vocabulary)
        found = self._vocabulary.result(test.name, left, right)
        if not is_computed:
            return found == 1
        result = test.arguments[0]
        if found != NONE and numbers[0] is None and isinstance(result, Variable):
            bound[result] = found
        return found != NONE and numbers[0] in (None, found)
