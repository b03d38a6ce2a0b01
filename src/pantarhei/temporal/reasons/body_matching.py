"""Backward matching: instances of rules whose bodies hold, and the evidence for each formula of a body."""

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
    """Conclusion of the present tick, and the tick at which it holds."""

    predicate: URIRef
    arguments: Arguments
    tick: int


Leaf = TickAtom | TickRun
"""Evidence of a formula: a conclusion, or a run of input."""


class Evidence(NamedTuple):
    """Ground formula of a body, with the ticks at which it held.

    Args:
        formula: the formula as written.
        arguments: arguments of its atom.
        first, last: window of the formula, both ticks included.
        given: ticks of the window with input, oldest first.
        concluded: ticks of the window with conclusions of the present tick only.
    """

    formula: Formula
    arguments: Arguments
    first: int
    last: int
    given: tuple[TickRun, ...]
    concluded: tuple[int, ...]

    @property
    def lacking(self) -> int:
        """Required number of ticks among `concluded`."""
        always = self.formula.mode is Mode.ALWAYS
        required = self.last - self.first + 1 if always else self.formula.times
        return max(0, required - sum(run.length for run in self.given))

    @property
    def is_met(self) -> bool:
        """Test whether the formula, without its negation, holds."""
        return self.lacking <= len(self.concluded)

    @property
    def ticks(self) -> list[int]:
        """All ticks of the evidence, in order."""
        given = (tick for run in self.given for tick in run.newest(run.length))
        return sorted([*given, *self.concluded])

    @property
    def is_open(self) -> bool:
        """Test whether the formula needs other conclusions of the present tick."""
        return self.lacking > 0 and not self.formula.is_negated

    @property
    def atoms(self) -> list[TickAtom]:
        """Conclusions that the formula may need."""
        return [TickAtom(self.formula.atom.predicate, self.arguments, tick) for tick in self.concluded]

    def enough(self, atoms: Iterable[TickAtom]) -> tuple[Leaf, ...]:
        """Return sufficient evidence from input and some conclusions, oldest first.

        Formulas that count ticks get the newest ticks, others all.
        """
        if self.formula.mode is not Mode.SOMETIME:
            return tuple(sorted([*self.given, *atoms], key=first_tick))
        times = self.formula.times
        single: list[Leaf] = [
            TickRun(tick, tick, run.known) for run in self.given for tick in run.newest(times)
        ]
        return tuple(sorted([*single, *atoms], key=first_tick)[-times:])


def first_tick(leaf: Leaf) -> int:
    """Return the first tick of evidence."""
    return leaf.tick if isinstance(leaf, TickAtom) else leaf.first


class ProgramClause(NamedTuple):
    """Temporal rule, or rule of the ontology that joins them.

    Args:
        rule: head and body.
        shown: the rule in proofs.
        tests: all tests, including those that `rule` lacks.
        different: names that must differ.
    """

    rule: TemporalRule
    shown: Rule
    tests: tuple[Test, ...]
    different: tuple[Different, ...] = ()

    @property
    def is_temporal(self) -> bool:
        """Test whether it is a temporal rule."""
        return not self.shown.body

    @classmethod
    def all_of(cls, given: RulesWithOntology) -> tuple[ProgramClause, ...]:
        """Return the clauses of a program."""
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
    """Ground clause whose body holds.

    Args:
        clause: the clause.
        binding: values of its variables.
        evidence: evidence of each formula of the body, in its order.
    """

    clause: ProgramClause
    binding: Binding
    evidence: tuple[Evidence, ...]


class BodyMatcher:
    """Matcher of rule bodies against input and conclusions, backwards from a conclusion.

    Args:
        clauses: the program.
        intervals: facts with the ticks at which they held.
        ticks: ticks of the stream.
        vocabulary: the stream's vocabulary; receives terms of rules, times, and computed literals.
    """

    def __init__(
        self, clauses: Sequence[ProgramClause], intervals: TickIntervals, ticks: Ticks, vocabulary: Vocabulary
    ) -> None:
        self.clauses, self._intervals, self._ticks, self._vocabulary = clauses, intervals, ticks, vocabulary

    def concluding(self, atom: TickAtom) -> Iterator[ClauseInstance]:
        """Yield the instances that conclude an atom."""
        for clause in self.clauses:
            if (binding := self.unified(clause.rule, atom)) is not None:
                yield from self.instances(clause, binding)

    def unified(self, rule: TemporalRule, atom: TickAtom) -> Binding | None:
        """Unify the head of a rule with an atom; return None if impossible."""
        head = rule.head
        if head.atom.predicate != atom.predicate or len(head.atom.arguments) != len(atom.arguments):
            return None
        given = head.atom.arguments
        if head.mode is Mode.AT:
            return self._joined({}, (*given, head.time), (*atom.arguments, self._time(atom.tick)))
        return self._joined({}, given, atom.arguments) if atom.tick == self._intervals.now else None

    def instances(self, clause: ProgramClause, binding: Binding) -> Iterator[ClauseInstance]:
        """Yield the instances of a clause whose body holds, with some variables bound."""
        body = clause.rule.body
        positive = [formula for formula in body if not formula.is_negated]
        for met, found in self._matches(positive, binding, {}):
            bound = dict(met)
            if self.failed(clause, bound) is not None:
                continue
            denied = {each: self.evidence(each, bound) for each in body if each.is_negated}
            if not any(each.is_met for each in denied.values()):
                known = {**found, **denied}
                yield ClauseInstance(clause, bound, tuple(known[formula] for formula in body))

    def _matches(
        self, formulas: list[Formula], binding: Binding, met: Mapping[Formula, Evidence]
    ) -> Iterator[tuple[Binding, Mapping[Formula, Evidence]]]:
        """Yield the bindings by which all formulas hold, with their evidence."""
        if not formulas:
            yield binding, met
            return
        first, rest = self.select(formulas, binding)
        for extended, evidence in self.met(first, binding):
            yield from self._matches(rest, extended, {**met, first: evidence})

    @staticmethod
    def select(formulas: list[Formula], binding: Binding) -> tuple[Formula, list[Formula]]:
        """Return the formula with the fewest open variables, which is matched first, and the others."""
        first = min(formulas, key=lambda each: len(each.variables - binding.keys()))
        return first, [each for each in formulas if each is not first]

    # -- formulas ----------------------------------------------------------------------------------

    def met(self, formula: Formula, binding: Binding) -> list[tuple[Binding, Evidence]]:
        """Return the bindings by which a positive formula holds, those with the newest ticks first."""
        found = [
            (extended, evidence)
            for bound, each in self._found(formula, binding)
            for extended, evidence in self._at_ticks(bound, each)
            if evidence.is_met
        ]
        return found if len(found) < 2 else sorted(found, key=lambda each: self._place(each[1]))

    def evidence(self, formula: Formula, binding: Binding) -> Evidence:
        """Return the evidence of a formula without open variables."""
        known = next((each for _, each in self._found(formula, binding)), None)
        known = self._nothing(formula, binding) if known is None else known
        found = (evidence for _, evidence in self._at_ticks(binding, known))
        return next(found, known._replace(given=(), concluded=()))

    def closest(self, formula: Formula, binding: Binding) -> Evidence:
        """Return the best evidence of a formula that does not hold: the arguments with the most ticks.

        If there is none, open arguments are `NONE`.
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
        """Yield the facts that match a formula, with all ticks of its window at which they held."""
        atom, pattern, last = formula.atom, self._pattern(formula, binding), self._intervals.now
        concluded: Mapping[Arguments, set[int]] = {}
        if isinstance(formula.window, TupleWindow):
            first, given = self._intervals.among_last(formula.window.size, atom.predicate, pattern)
        else:
            first, given = (
                self._first(formula),
                self._intervals.given(atom.predicate, pattern, atom.is_asserted),
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
        """Return the conclusions that fit a pattern, with their ticks."""
        found = {args: set(ticks) for args, ticks in self._intervals.concluded(predicate, pattern).items()}
        for arguments, time in self._intervals.dated(predicate, pattern):
            if (tick := self.tick_of(time)) is not None:
                found.setdefault(arguments, set()).add(tick)
        return found

    def _at_ticks(self, binding: Binding, evidence: Evidence) -> Iterator[tuple[Binding, Evidence]]:
        """Yield the evidence; for @, separately for each tick that the time can denote."""
        time = evidence.formula.time
        if time is None:
            yield binding, evidence
            return
        runs = [TickRun(t, t, run.known) for run in evidence.given for t in range(run.first, run.last + 1)]
        single: list[tuple[int, tuple[TickRun, ...], tuple[int, ...]]]
        single = [(run.first, (run,), ()) for run in runs] + [(t, (), (t,)) for t in evidence.concluded]
        for tick, given, concluded in single:
            if (bound := self._joined(binding, (time,), (self._time(tick),))) is not None:
                yield bound, evidence._replace(first=tick, last=tick, given=given, concluded=concluded)

    def _place(self, evidence: Evidence) -> tuple[int, list[str]]:
        """Return a sort key of evidence that does not depend on the numbers of terms."""
        newest = max(
            [*(run.last for run in evidence.given), *evidence.concluded], default=self._intervals.first
        )
        return -newest, [self._vocabulary.term(number).n3() for number in evidence.arguments]

    # -- terms -------------------------------------------------------------------------------------

    def _number(self, term: Argument, binding: Binding) -> int | None:
        """Return the number of a term; None for an open variable."""
        return binding.get(term) if isinstance(term, Variable) else self._vocabulary.number(term)

    def _joined(
        self, binding: Binding, terms: Iterable[Argument | None], numbers: Iterable[int]
    ) -> Binding | None:
        """Extend a binding by matching terms with numbers; return None if they do not match."""
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
        """Return the tick whose time has a number; None if there is none."""
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
