"""Rules with terms for their variables, and what each formula of their bodies rests on."""

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
"""What variables stand for, in the vocabulary's numbers."""


class TickAtom(NamedTuple):
    """What holds at a tick because rules conclude it at the present one."""

    predicate: URIRef
    arguments: Arguments
    tick: int


Leaf = TickAtom | TickRun
"""What evidence rests on: a conclusion, or what was said."""


class Evidence(NamedTuple):
    """A formula of a body with terms for its variables, and when it was so.

    Args:
        formula: as it is written.
        arguments: of its atom.
        first, last: the ticks that it looks at, both included.
        given: those of them at which it was so by what was said, oldest first.
        drawn: those at which it is so only by what rules conclude now.
    """

    formula: Formula
    arguments: Arguments
    first: int
    last: int
    given: tuple[TickRun, ...]
    concluded: tuple[int, ...]

    @property
    def lacking(self) -> int:
        """At how many of `concluded` it has to be so at least."""
        always = self.formula.mode is Mode.ALWAYS
        required = self.last - self.first + 1 if always else self.formula.times
        return max(0, required - sum(run.length for run in self.given))

    @property
    def is_met(self) -> bool:
        """Whether what it asks for is so."""
        return self.lacking <= len(self.concluded)

    @property
    def ticks(self) -> list[int]:
        """All ticks at which it was so, in order."""
        said = (tick for run in self.given for tick in run.newest(run.length))
        return sorted([*said, *self.concluded])

    @property
    def is_open(self) -> bool:
        """Whether it rests on other conclusions of the present tick."""
        return self.lacking > 0 and not self.formula.is_negated

    @property
    def atoms(self) -> list[TickAtom]:
        """The conclusions that it may rest on."""
        return [TickAtom(self.formula.atom.predicate, self.arguments, tick) for tick in self.concluded]

    def enough(self, atoms: Iterable[TickAtom]) -> tuple[Leaf, ...]:
        """What is enough for it of what was said and of some conclusions, oldest first: where it counts ticks
        the newest, else all.
        """
        if self.formula.mode is not Mode.SOMETIME:
            return tuple(sorted([*self.given, *atoms], key=_first))
        times = self.formula.times
        single: list[Leaf] = [
            TickRun(tick, tick, run.known) for run in self.given for tick in run.newest(times)
        ]
        return tuple(sorted([*single, *atoms], key=_first)[-times:])


def _first(leaf: Leaf) -> int:
    return leaf.tick if isinstance(leaf, TickAtom) else leaf.first


class ProgramClause(NamedTuple):
    """A temporal rule, or one of the ontology that joined them.

    Args:
        rule: what it concludes, and from what.
        shown: the rule as proofs have it.
        tests: all of them, as far as `rule` has them or not.
        different: names that have to differ.
    """

    rule: TemporalRule
    shown: Rule
    tests: tuple[Test, ...]
    different: tuple[Different, ...] = ()

    @property
    def is_temporal(self) -> bool:
        """Whether it is none of the ontology."""
        return not self.shown.body

    @classmethod
    def all_of(cls, given: RulesWithOntology) -> tuple[ProgramClause, ...]:
        """The clauses of a program."""
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
    """A clause with terms for its variables, whose body holds.

    Args:
        clause: the clause.
        binding: the terms.
        evidence: of each formula of the body, in its order.
    """

    clause: ProgramClause
    binding: Binding
    evidence: tuple[Evidence, ...]


class _Seen(NamedTuple):
    """What a formula sees.

    Args:
        first, last: the ticks that it looks at.
        said: when what was so by what was said.
        drawn: at which ticks what is so by what rules conclude.
    """

    first: int
    last: int
    said: Mapping[Arguments, list[TickRun]]
    drawn: Mapping[Arguments, set[int]]


class BodyMatcher:
    """The rules over what has been said and is concluded.

    Args:
        clauses: the program.
        occasions: when what is so.
        ticks: of the stream.
        vocabulary: the stream's; it learns the terms of rules, times, and what is computed.
    """

    def __init__(
        self, clauses: Sequence[ProgramClause], occasions: TickIntervals, ticks: Ticks, vocabulary: Vocabulary
    ) -> None:
        self.clauses, self._occasions, self._ticks, self._vocabulary = clauses, occasions, ticks, vocabulary

    def concluding(self, atom: TickAtom) -> Iterator[ClauseInstance]:
        """The instances by which an atom holds."""
        for clause in self.clauses:
            if (binding := self.unified(clause.rule, atom)) is not None:
                yield from self.instances(clause, binding)

    def unified(self, rule: TemporalRule, atom: TickAtom) -> Binding | None:
        """What the variables of a rule's head stand for if it concludes an atom; None if it does not."""
        head = rule.head
        if head.atom.predicate != atom.predicate or len(head.atom.arguments) != len(atom.arguments):
            return None
        given = head.atom.arguments
        if head.mode is Mode.AT:
            return self._joined({}, (*given, head.time), (*atom.arguments, self.time(atom.tick)))
        return self._joined({}, given, atom.arguments) if atom.tick == self._occasions.now else None

    def instances(self, clause: ProgramClause, binding: Binding) -> Iterator[ClauseInstance]:
        """The instances of a clause whose body holds, with some variables bound."""
        rule = clause.rule
        positive = [formula for formula in rule.body if not formula.is_negated]
        for bound, met in self._matches(positive, binding, {}):
            if (tested := self.tested(clause, bound)) is not None:
                denied = {each: self.evidence(each, tested) for each in rule.body if each.is_negated}
                if not any(each.is_met for each in denied.values()):
                    found = {**met, **denied}
                    yield ClauseInstance(clause, tested, tuple(found[formula] for formula in rule.body))

    def _matches(
        self, formulas: list[Formula], binding: Binding, met: Mapping[Formula, Evidence]
    ) -> Iterator[tuple[Binding, Mapping[Formula, Evidence]]]:
        """The ways in which formulas hold."""
        if not formulas:
            yield binding, met
            return
        first, rest = self.in_turn(formulas, binding)
        for extended, evidence in self.met(first, binding):
            yield from self._matches(rest, extended, {**met, first: evidence})

    @staticmethod
    def in_turn(formulas: list[Formula], binding: Binding) -> tuple[Formula, list[Formula]]:
        """The formula that is looked at first, which has the fewest open variables, and the others."""
        first = min(formulas, key=lambda each: len(each.variables - binding.keys()))
        return first, [each for each in formulas if each is not first]

    # -- formulas ----------------------------------------------------------------------------------

    def met(self, formula: Formula, binding: Binding) -> Iterator[tuple[Binding, Evidence]]:
        """The ways in which a formula that is not negated holds, those with the newest ticks first."""
        found = [
            (extended, evidence)
            for bound, each in self._looked_at(formula, binding)
            for extended, evidence in self._at_ticks(bound, each)
            if evidence.is_met
        ]
        if len(found) > 1:
            found.sort(key=lambda each: self._place(each[1]))
        return iter(found)

    def evidence(self, formula: Formula, binding: Binding) -> Evidence:
        """When a formula without open variables was so."""
        arguments = tuple(self._bound(term, binding) for term in formula.atom.arguments)
        seen = self._seen(formula, binding)
        looked_at = self._within(formula, arguments, seen)
        found = (evidence for _, evidence in self._at_ticks(binding, looked_at))
        return next(found, looked_at._replace(given=(), concluded=()))

    def closest(self, formula: Formula, binding: Binding) -> Evidence:
        """Of a formula that is not met what comes closest: the terms that were so at most ticks, `NONE` for
        those that are open where there is nothing.
        """
        found = [evidence for _, evidence in self._looked_at(formula, binding)]
        if found and formula.time is None:
            return min(found, key=lambda each: (-len(each.ticks), self._place(each)))
        numbers = (self.number(term, binding) for term in formula.atom.arguments)
        arguments = tuple(NONE if number is None else number for number in numbers)
        return self._within(formula, arguments, self._seen(formula, binding))

    def _looked_at(self, formula: Formula, binding: Binding) -> Iterator[tuple[Binding, Evidence]]:
        """What a formula finds, with all ticks at which it was so."""
        seen = self._seen(formula, binding)
        for arguments in {**seen.said, **seen.drawn}:
            if (bound := self._joined(binding, formula.atom.arguments, arguments)) is not None:
                yield bound, self._within(formula, arguments, seen)

    def _within(self, formula: Formula, arguments: Arguments, seen: _Seen) -> Evidence:
        """What is seen of some terms."""
        first, last, said, drawn = seen
        inside = (run.within(first, last) for run in said.get(arguments, ()))
        given = tuple(run for run in inside if run.length)
        more = (
            tick
            for tick in drawn.get(arguments, ())
            if first <= tick <= last and not any(run.first <= tick <= run.last for run in given)
        )
        return Evidence(formula, arguments, first, last, given, tuple(sorted(more)))

    def _seen(self, formula: Formula, binding: Binding) -> _Seen:
        """What there is of a formula's atom, and the ticks that it looks at."""
        atom, window = formula.atom, formula.window
        pattern: Pattern = tuple(self.number(term, binding) for term in atom.arguments)
        first, now = self._occasions.first, self._occasions.now
        if isinstance(window, TupleWindow):
            first, said = self._occasions.among_last(window.size, atom.predicate, pattern)
            return _Seen(first, now, said, {})
        if isinstance(window, TimeWindow):
            first = max(first, now - self._ticks.window_size(window, formula))
        elif formula.mode is Mode.NOW:
            first = now
        said = self._occasions.given(atom.predicate, pattern, atom.is_asserted)
        return _Seen(first, now, said, {} if atom.is_asserted else self._drawn(atom.predicate, pattern))

    def _drawn(self, predicate: URIRef, pattern: Pattern) -> dict[Arguments, set[int]]:
        found = {args: set(ticks) for args, ticks in self._occasions.concluded(predicate, pattern).items()}
        for arguments, time in self._occasions.dated(predicate, pattern):
            if (tick := self.tick_of(time)) is not None:
                found.setdefault(arguments, set()).add(tick)
        return found

    def _at_ticks(self, binding: Binding, evidence: Evidence) -> Iterator[tuple[Binding, Evidence]]:
        """The evidence; of an @ apart for each tick that it can name."""
        time = evidence.formula.time
        if time is None:
            yield binding, evidence
            return
        for run in evidence.given:
            for tick in range(run.first, run.last + 1):
                if (bound := self._joined(binding, (time,), (self.time(tick),))) is not None:
                    given = (TickRun(tick, tick, run.known),)
                    yield bound, evidence._replace(first=tick, last=tick, given=given, concluded=())
        for tick in evidence.concluded:
            if (bound := self._joined(binding, (time,), (self.time(tick),))) is not None:
                yield bound, evidence._replace(first=tick, last=tick, given=(), concluded=(tick,))

    def _place(self, evidence: Evidence) -> tuple[int, list[str]]:
        """Where evidence stands among others: does not depend on how terms are numbered."""
        newest = max(
            [*(run.last for run in evidence.given), *evidence.concluded], default=self._occasions.first
        )
        return -newest, [self._vocabulary.term(number).n3() for number in evidence.arguments]

    # -- terms -------------------------------------------------------------------------------------

    def number(self, term: Argument, binding: Binding) -> int | None:
        """The number of a term; None for a variable that is open."""
        if isinstance(term, Variable):
            return binding.get(term)
        return self._vocabulary.number(term)

    def _bound(self, term: Argument, binding: Binding) -> int:
        number = self.number(term, binding)
        assert number is not None, "what is negated, or tested, has no variables of its own"
        return number

    def _joined(
        self, binding: Binding, terms: Iterable[Argument | None], numbers: Iterable[int]
    ) -> Binding | None:
        """The binding with what terms are matched to; None if they cannot be."""
        bound = dict(binding)
        for term, number in zip(terms, numbers, strict=True):
            assert term is not None, "an atom at a tick has a time"
            known = self.number(term, bound)
            if known is None and isinstance(term, Variable):
                bound[term] = number
            elif known != number:
                return None
        return bound

    def time(self, tick: int) -> int:
        """The number of a tick's time."""
        return self._vocabulary.number(self._ticks.literal_of(tick))

    def tick_of(self, time: int) -> int | None:
        """The tick whose time has a number, None if it is of none."""
        term = self._vocabulary.term(time)
        value = term.value if isinstance(term, Literal) else None
        if isinstance(value, Decimal) and value == value.to_integral_value():
            value = int(value)
        try:
            tick = self._ticks.tick_of_time(ticks_of(plain_time(value), self._ticks.kind))
        except TimestampError:
            return None
        return tick if self.time(tick) == time else None

    # -- tests -------------------------------------------------------------------------------------

    def tested(self, clause: ProgramClause, binding: Binding) -> Binding | None:
        """The binding with what the tests of a clause compute; None if one fails."""
        bound = dict(binding)
        alike = (self.number(each.left, bound) == self.number(each.right, bound) for each in clause.different)
        return None if self.failed(clause, bound) is not None or any(alike) else bound

    def failed(self, clause: ProgramClause, bound: dict[Variable, int]) -> Test | None:
        """The first test of a clause that fails, None for none; what those before it compute is bound."""
        waiting = list(clause.tests)
        while waiting:
            test = next((each for each in waiting if self._can_be_tested(each, bound)), waiting[0])
            waiting.remove(test)
            if not self._can_be_tested(test, bound) or not self._passes(test, bound):
                return test
        return None

    def _can_be_tested(self, test: Test, binding: Binding) -> bool:
        operands = test.arguments[1:] if is_computation(test) else test.arguments
        return all(self.number(term, binding) is not None for term in operands)

    def _passes(self, test: Test, bound: dict[Variable, int]) -> bool:
        if isinstance(test, Member):
            term = self._vocabulary.term(self._bound(test.argument, bound))
            return isinstance(term, Literal) and passes(test, term)
        is_computed = is_computation(test)
        result, operands = test.arguments[0], test.arguments[is_computed:]
        left, right, *_ = *(self._bound(term, bound) for term in operands), NONE
        if test.name in COMPARISON_OF:
            return compare_terms(test.name, left, right, self._vocabulary)
        found = self._vocabulary.result(test.name, left, right)
        if not is_computed:
            return found == 1
        if found == NONE:
            return False
        known = self.number(result, bound)
        if known is None and isinstance(result, Variable):
            bound[result] = found
        return known in (None, found)
