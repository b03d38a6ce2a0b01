"""Answer streams (LA17 Definition 5) of rules that are not stratified, computed by clingo.

The rules at the last tick of a stream are translated to an answer set program for clingo
(https://potassco.org/clingo), installed by the extra `pantarhei[clingo]`. In the program everything is a
number: `p3(-7,0,2)` states that an atom of kind 3 with the terms 0 and 2 holds 7 ticks before the present
one. The program contains no text of a rule or of the data.

    a(X) :- b(X) always in [2], not c(X) in [1].

becomes

    p0(0,V0) :- p1(0,V0), p1(K1,V0) : K1 = -2..0; not q2(V0).
    q2(V0) :- p2(K2,V0), K2 >= -1, K2 <= 0.

Clingo calls Python functions for comparisons, computations, and the conversion of ticks to terms.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from rdflib import Literal, URIRef, Variable

from pantarhei.errors import ClingoNotFoundError
from pantarhei.model.representation import html_of, short_repr
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow, TupleWindow
from pantarhei.model.term import Term
from pantarhei.model.time import TimePoint, time_of
from pantarhei.temporal.rule_warnings import MAX_NEW_LITERALS, first_unbounded_rule, too_many_literals
from pantarhei.temporal.safety import binding_steps, resolve_bindings
from pantarhei.temporal.ticks import Ticks
from pantarhei.values.scalar_functions import EQUAL, compute, holds, is_computation, is_true
from pantarhei.values.value import value_of

if TYPE_CHECKING:
    from types import ModuleType


class TickAtoms(NamedTuple):
    """Input at a tick.

    Args:
        tick: the tick.
        states: the states that hold from the end of this tick until the tick of the next `TickAtoms`.
        events: assertions, in the given order, without duplicates.
    """

    tick: int
    states: frozenset[TemporalAtom]
    events: tuple[TemporalAtom, ...] = ()


@dataclass(frozen=True, slots=True)
class AtomStream:
    """Timeline with the input at its ticks.

    Args:
        start, now: first and last tick.
        records: input, oldest first; ticks before the first record have no input.
    """

    start: int
    now: int
    records: tuple[TickAtoms, ...] = ()

    def relative(self) -> AtomStream:
        """Return the stream with ticks relative to `now`, which becomes 0."""
        records = tuple(each._replace(tick=each.tick - self.now) for each in self.records)
        return AtomStream(self.start - self.now, 0, records)

    def states(self, since: int) -> Iterator[tuple[int, TemporalAtom]]:
        """Yield the states of each tick from `since` to `now`."""
        ends = [*(each.tick for each in self.records[1:]), self.now + 1]
        for each, end in zip(self.records, ends, strict=True):
            for tick in range(max(each.tick, since), min(end, self.now + 1)):
                for atom in each.states:
                    yield tick, atom

    def events(self, since: int) -> Iterator[tuple[int, TemporalAtom]]:
        """Yield the events of each tick from `since` to `now`, in their order."""
        for each in self.records:
            if since <= each.tick <= self.now:
                for atom in each.events:
                    yield each.tick, atom

    def last_events(self, size: int) -> tuple[int, list[tuple[int, TemporalAtom]]]:
        """Return the last `size` events, and the tick of the first of them.

        If there are fewer than `size` events, the tick is the start of the timeline.
        """
        found = list(self.events(self.start))[-size:]
        return (found[0][0] if len(found) == size else self.start), found


_Names = dict[Variable, str]
"""Names of the variables of a rule."""


class AtomKind(NamedTuple):
    """Kind of atoms, for which the program has one predicate.

    Args:
        predicate, arity: predicate in the rules, and number of arguments.
        is_asserted: true for assertions.
        window: the window, for atoms among the last assertions; None for others.
    """

    predicate: URIRef
    arity: int
    is_asserted: bool = False
    window: TupleWindow | None = None


class TermNumbers:
    """Numbers of terms; terms with equal values share a number."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._terms: list[Term] = []

    def __len__(self) -> int:
        return len(self._terms)

    def number(self, term: Term) -> int:
        """Return the number of a term."""
        found = self._numbers.setdefault(value_of(term), len(self._terms))
        if found == len(self._terms):
            self._terms.append(term)
        return found

    def term(self, number: int) -> Term:
        """Return the first term that received a number."""
        return self._terms[number]


class AspProgram:
    """Answer set program of rules at the last tick of a stream.

    Args:
        rules: the rules, in any order.
        stream: input of the stream.
        ticks: ticks of the stream.

    Raises:
        TemporalRuleError: a window is invalid for these ticks.
    """

    def __init__(self, rules: Sequence[TemporalRule], stream: AtomStream, ticks: Ticks) -> None:
        self.now, self.ticks, self.terms = stream.now, ticks, TermNumbers()
        self.stream = stream.relative()  # clingo's numbers have 32 bits, which ticks may exceed
        self._maybe_endless = first_unbounded_rule(rules)
        self._kinds: dict[AtomKind, int] = {}
        self._tests: list[Builtin] = []
        self._fresh = 0
        self._by_time: dict[Hashable, int] = {}
        if any(formula.mode is Mode.AT for rule in rules for formula in rule.formulas):
            timeline = range(self.stream.start, 1)
            self._by_time = {value_of(ticks.literal_of(self.now + tick)): tick for tick in timeline}
        self._since = 0
        self._lines = [line for rule in rules for line in self._rule(rule)]
        self._lines += self._facts()
        self.concluded = {self._number(_kind(rule.head.atom)) for rule in rules}
        shown = {number: kind for kind, number in self._kinds.items() if number in self.concluded}
        self._lines += [f"#show p{number}/{kind.arity + 1}." for number, kind in shown.items()]

    @property
    def text(self) -> str:
        """Text of the program."""
        return "\n".join(("#show.", *self._lines))

    def atom(self, number: int, arguments: Iterable[int]) -> TemporalAtom:
        """Decode an atom of a predicate `p<number>`, without its tick."""
        kind = next(kind for kind, each in self._kinds.items() if each == number)
        return TemporalAtom(kind.predicate, tuple(map(self.terms.term, arguments)))

    # -- functions for clingo ----------------------------------------------------------------------

    def holds(self, test: int, left: int, right: int) -> bool:
        """Evaluate a comparison of two terms."""
        return is_true(self._tests[test].name, self.terms.term(left), self.terms.term(right))

    def are_equal(self, left: int, right: int) -> bool:
        """Test whether two terms are equal numbers."""
        return holds(EQUAL, self.terms.term(left), self.terms.term(right))

    def computed(self, test: int, *operands: int) -> int | None:
        """Return the number of the result of a computation; None if it has no result.

        Raises:
            TemporalRuleError: more than `MAX_NEW_LITERALS` terms were created by rules that may compute
            without end.
        """
        found = compute(self._tests[test].name, *map(self.terms.term, operands))
        if found is None:
            return None
        if self._maybe_endless is not None and len(self.terms) > MAX_NEW_LITERALS:
            raise too_many_literals(self._maybe_endless, len(self.terms))
        return self.terms.number(found)

    def time(self, tick: int) -> int:
        """Return the number of the literal that denotes a tick, given relative to the present one."""
        return self.terms.number(self.ticks.literal_of(self.now + tick))

    def tick(self, time: int) -> int | None:
        """Return the tick that a term denotes, relative to the present one; None if it is outside the
        timeline.
        """
        return self._by_time.get(value_of(self.terms.term(time)))

    # -- rules -------------------------------------------------------------------------------------

    def _rule(self, rule: TemporalRule) -> Iterator[str]:
        names: _Names = {}
        body: list[str] = []
        for formula in rule.body:
            if not formula.is_negated:
                body += self._positive(formula, names)
                continue
            variables = sorted(formula.variables)
            defined = f"q{self._next()}({','.join(_name(each, names) for each in variables)})".replace(
                "()", ""
            )
            yield f"{defined} :- {'; '.join(self._positive(formula, names))}."
            body.append(f"not {defined}")
        body += self._tested(rule, names)
        yield f"{self._head(rule.head, names, body)} :- {'; '.join(body)}."

    def _head(self, head: Formula, names: _Names, body: list[str]) -> str:
        """Return the head; append to `body` the condition that its tick is in the timeline."""
        if head.mode is not Mode.AT:
            return self._atom(head, str(self.stream.now), names)
        tick = f"K{self._next()}"
        body.append(f"{tick} = @tick({self._time(head, names)})")
        return self._atom(head, tick, names)

    def _positive(self, formula: Formula, names: _Names) -> list[str]:
        """Return the conditions for a formula without its negation; they bind its variables."""
        first, now, tick = self._first(formula), self.stream.now, f"K{self._next()}"
        self._since = min(self._since, first)
        found = self._atom(formula, tick, names)
        inside = [found, f"{tick} >= {first}", f"{tick} <= {now}"]
        match formula.mode:
            case Mode.NOW:
                return [self._atom(formula, str(now), names)]
            case Mode.ALWAYS:
                return [self._atom(formula, str(now), names), f"{found} : {tick} = {first}..{now}"]
            case Mode.AT:
                return [*inside, f"{self._time(formula, names)} = @time({tick})"]
        if formula.times == 1:
            return inside
        counted = f"L{tick}"
        conditions = [self._atom(formula, counted, names), f"{counted} >= {first}", f"{counted} <= {now}"]
        return [*inside, f"{formula.times} <= #count {{ {counted} : {', '.join(conditions)} }}"]

    def _first(self, formula: Formula) -> int:
        """Return the first tick of a formula's window."""
        match formula.window:
            case TimeWindow() as window:
                return max(self.stream.start, self.stream.now - self.ticks.window_size(window, formula))
            case TupleWindow(size):
                return self.stream.last_events(size)[0]
        return self.stream.start if formula.mode is Mode.AT else self.stream.now

    def _tested(self, rule: TemporalRule, names: _Names) -> Iterator[str]:
        """Yield the conditions for comparisons and computations.

        A computation either binds a variable, or its result is compared with a bound one.
        """
        binding = [step.source for step in resolve_bindings(binding_steps(rule))[1]]
        for test in rule.tests:
            number, arguments = len(self._tests), [self._term(each, names) for each in test.arguments]
            self._tests.append(test)
            if not is_computation(test):
                yield f"1 = @holds({number},{','.join(arguments)})"
                continue
            result, *operands = arguments
            computed = f"@computed({number},{','.join(operands)})"
            if any(each is test for each in binding):
                yield f"{result} = {computed}"
            else:
                found = f"R{self._next()}"
                yield from (f"{found} = {computed}", f"1 = @are_equal({found},{result})")

    def _atom(self, formula: Formula, tick: str, names: _Names) -> str:
        window = formula.window if isinstance(formula.window, TupleWindow) else None
        number = self._number(_kind(formula.atom, window))
        return f"p{number}({','.join([tick, *(self._term(each, names) for each in formula.atom.arguments)])})"

    def _time(self, formula: Formula, names: _Names) -> str:
        time = formula.time
        assert time is not None, "checked: @ has a time"
        return self._term(self.ticks.normalize_time(time) if isinstance(time, Literal) else time, names)

    def _term(self, argument: Argument, names: _Names) -> str:
        return _name(argument, names) if isinstance(argument, Variable) else str(self.terms.number(argument))

    def _number(self, kind: AtomKind) -> int:
        return self._kinds.setdefault(kind, len(self._kinds))

    def _next(self) -> int:
        self._fresh += 1
        return self._fresh

    # -- facts -------------------------------------------------------------------------------------

    def _facts(self) -> Iterator[str]:
        """Yield the input as facts, restricted to the kinds and ticks that rules read."""
        for tick, atom in self.stream.states(self._since):
            yield from self._fact(tick, atom, _kind(atom))
        for tick, atom in self.stream.events(self._since):
            yield from self._fact(tick, atom, AtomKind(atom.predicate, len(atom.arguments), True))
        for window in {kind.window for kind in self._kinds if kind.window is not None}:
            for tick, atom in self.stream.last_events(window.size)[1]:
                yield from self._fact(tick, atom, _kind(atom, window))

    def _fact(self, tick: int, atom: TemporalAtom, kind: AtomKind) -> Iterator[str]:
        if kind in self._kinds:
            arguments = (str(self._term(each, {})) for each in atom.arguments)
            yield f"p{self._kinds[kind]}({','.join([str(tick), *arguments])})."


def _name(variable: Variable, names: _Names) -> str:
    return names.setdefault(variable, f"V{len(names)}")


def _kind(atom: TemporalAtom, window: TupleWindow | None = None) -> AtomKind:
    """Return the kind of an atom; in a window of the last assertions `asserted` makes no difference."""
    return AtomKind(atom.predicate, len(atom.arguments), atom.is_asserted and window is None, window)


DatedAtoms = frozenset[tuple[TimePoint, TemporalAtom]]


@dataclass(frozen=True, slots=True)
class AnswerStream:
    """Answer stream: a set of conclusions with which all rules hold (LA17 Definition 5).

    Args:
        atoms: conclusions at the present tick.
        elsewhere: times and conclusions at other ticks, which heads name or input contains.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, Namespace
    >>> EX = Namespace("http://example.org/pedals#")
    >>> gas, brakes = ((EX.x, RDF.type, pedal) for pedal in (EX.GasPedalPressed, EX.BrakesPressed))
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> rules = "wait(X) :- :Car(X), not go(X). go(X) :- :Car(X), not wait(X)."
    >>> streams = pr.AnswerStreams(reasoner, rules, prefixes={"": str(EX)})
    >>> _ = reasoner.push(1, [gas])
    >>> [str(atom) for model in streams.models() for atom in model.atoms]
    ['go(x)', 'wait(x)']
    """

    atoms: frozenset[TemporalAtom]
    elsewhere: DatedAtoms = frozenset()

    __repr__ = short_repr
    _repr_html_ = html_of


def answer_streams(
    rules: Sequence[TemporalRule], stream: AtomStream, ticks: Ticks, most: int = 0
) -> tuple[AnswerStream, ...]:
    """Return the answer streams of rules at the last tick of a stream, sorted by their texts.

    Costs up to exponential time in the number of conclusions.

    Args:
        rules: safe rules, stratified or not.
        stream: input of the stream.
        ticks: ticks of the stream.
        most: maximum number of answer streams, in the order in which clingo finds them; 0 for all.

    Raises:
        ClingoNotFoundError: clingo is not installed.
        TemporalRuleError: a window is invalid for the stream's ticks.
    """
    clingo, program = _clingo(), AspProgram(rules, stream, ticks)
    called = _ClingoFunctions(clingo, program)
    control: Any = clingo.Control([str(most), "--warn=none"])
    control.add("base", [], program.text)
    called.watched(lambda: control.ground([("base", [])], context=called))
    with control.solve(yield_=True) as models:
        found = [_answer(program, model.symbols(shown=True)) for model in models]
    return tuple(sorted(found, key=_written))


def _answer(program: AspProgram, symbols: Iterable[Any]) -> AnswerStream:
    """Decode the atoms that a model shows."""
    atoms, elsewhere, ticks = set(), set(), program.ticks
    for symbol in symbols:
        tick, *arguments = (each.number for each in symbol.arguments)
        atom = program.atom(int(symbol.name[1:]), arguments)
        if tick == 0:
            atoms.add(atom)
        else:
            elsewhere.add((time_of(ticks.end_of(program.now + tick), ticks.kind), atom))
    return AnswerStream(frozenset(atoms), frozenset(elsewhere))


def _written(answer: AnswerStream) -> tuple[list[str], list[str]]:
    return sorted(map(str, answer.atoms)), sorted(f"{at} {atom}" for at, atom in answer.elsewhere)


class _ClingoFunctions:
    """Functions of the program that clingo calls during grounding.

    Errors are kept, since clingo passes on their texts only.
    """

    def __init__(self, clingo: ModuleType, program: AspProgram) -> None:
        self._number, self._program = clingo.Number, program
        self._raised: list[BaseException] = []

    def __getattr__(self, name: str) -> Callable[..., list[Any]]:
        return partial(self._call, getattr(self._program, name))

    def watched(self, work: Callable[[], object]) -> None:
        """Run a function; if a call from clingo failed, raise its original error."""
        try:
            work()
        except Exception:  # clingo raises a new error, of the same class if possible
            if self._raised:
                raise self._raised[0] from None
            raise

    def _call(self, function: Callable[..., int | None], *given: Any) -> list[Any]:
        try:
            found = function(*(symbol.number for symbol in given))
        except BaseException as error:
            self._raised.append(error)
            raise
        return [] if found is None else [self._number(found)]


def _clingo() -> ModuleType:
    try:
        return import_module("clingo")
    except ImportError as error:
        raise ClingoNotFoundError(str(error)) from None
