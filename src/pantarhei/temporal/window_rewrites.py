"""Windows over conclusions, rewritten to rules of the temporal kernel.

The conclusions in a window come from heads at the present tick, from heads that name a tick, and from
remembered conclusions. Only rules for origins that occur are generated: p@n follows from p@ if a head names a
tick, from p if a head does not, and from remembered conclusions if p is remembered. If the window contains
all ticks of p@, p@ serves as p@n.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.graphs import grouped
from pantarhei.model.rule import Atom, Predicate, Rule, Test
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow, TupleWindow
from pantarhei.temporal.reification import TuplePredicate, reify_atom
from pantarhei.temporal.safety import is_unbounded
from pantarhei.temporal.temporal_program import (
    FIRST,
    REST,
    UNBOUNDED,
    UNIT,
    ConclusionRun,
    Input,
    NegationGuard,
    RememberedPredicate,
    TickCount,
    WindowClock,
)
from pantarhei.temporal.ticks import Ticks
from pantarhei.values.scalar_functions import as_member

TIME_VARIABLE = Variable("time")
"""Variable for the time of a tick, in generated rules."""


@dataclass
class ProgramBuilder:
    """Parts of a program under construction, without duplicates, in the order of first use.

    Args:
        wide: reified predicates, by their names in the temporal kernel.
    """

    wide: Mapping[URIRef, TuplePredicate]
    rules: dict[Rule, None] = field(default_factory=dict)
    inputs: dict[Input, None] = field(default_factory=dict)
    guards: dict[NegationGuard, None] = field(default_factory=dict)
    runs: dict[ConclusionRun, None] = field(default_factory=dict)
    dated_runs: dict[TickCount, None] = field(default_factory=dict)
    clocks: dict[WindowClock, None] = field(default_factory=dict)

    def add(self, name: str, body: Iterable[Atom], head: Atom, tests: tuple[Test, ...] = ()) -> None:
        """Add a rule with atoms of up to three arguments. Comparisons with constants become data ranges."""
        self.rules[Rule(name, tuple(dict.fromkeys(body)), head, tests=tuple(map(as_member, tests)))] = None

    def clock(self, size: int) -> URIRef:
        """Add the ticks of a window as facts; return their predicate."""
        name = URIRef(f"urn:pantarhei:temporal:tick~{size}")
        self.clocks[WindowClock(Symbol(name, 2), size)] = None
        return name

    def add_input(self, given: Input) -> None:
        """Add an input, unless the stream cannot have facts of its predicate."""
        name = given.source.name
        wide = self.wide.get(name) if isinstance(name, URIRef) else None
        if wide is not None and wide.plain is not None and given.mode is not Mode.NOW:
            self._feed_wide(given, wide, wide.plain)
        elif wide is None and name not in (UNIT, FIRST, REST):
            self.inputs[given] = None

    def _feed_wide(self, given: Input, wide: TuplePredicate, plain: TemporalAtom) -> None:
        """Add an input of a reified predicate, and rules that reify its rows."""
        time = (TIME_VARIABLE,) if given.mode is Mode.AT else ()
        given_symbol = Symbol(URIRef(f"input-{given.target.name}"), 2 if time else wide.arity)
        self.inputs[given._replace(source=kernel_symbol(plain), target=given_symbol)] = None
        reified = reify_atom(wide, plain.arguments, URIRef(given.target.name))
        body = [Atom(given_symbol.name, (*plain.arguments, *time))]
        for each in reified.requests:
            self.add("input-request", body, kernel_atom(each.atom))
            body += map(kernel_atom, each.links)
        self.add("input", body, Atom(given.target.name, (*reified.atom.arguments, *time)))


def kernel_symbol(atom: TemporalAtom) -> Symbol:
    """Return the predicate of an atom in the temporal kernel; an atom without arguments has the unit."""
    return Symbol(atom.predicate, max(1, len(atom.arguments)))


def kernel_atom(atom: TemporalAtom) -> Atom:
    """Convert an atom to the form of the kernel's rules."""
    return Atom(atom.predicate, atom.arguments)


def argument_variables(symbol: Symbol) -> tuple[Variable, ...]:
    """Return variables for the arguments of a predicate."""
    return tuple(Variable(f"x{place}") for place in range(symbol.arity))


def connect_body(collected: ProgramBuilder, body: Sequence[Atom], heads: Iterable[Atom]) -> list[Atom]:
    """Add atoms to a body such that each join has a common variable or constant.

    The kernel joins from atom to atom, so parts of a body without common variables, and `heads`, must be
    connected. Each part gets an atom `p:2:0(UNIT, x)`, where x is the argument at position 0 of the part's
    first atom p with two arguments. The rules that derive these atoms from p are added to `collected`.
    """
    return [*body, *_links(collected, body, heads)]


def _links(collected: ProgramBuilder, body: Sequence[Atom], heads: Iterable[Atom]) -> Iterator[Atom]:
    parts = grouped(body, variables_of)  # an atom without variables is a part of its own
    bound = {variable for atom in body for variable in variables_of(atom)}
    ends = (part for head in heads for part in (head.arguments, (head.arguments[0], head.arguments[-1])))
    is_whole = len(parts) == 1 and not any(
        bound.isdisjoint(arguments) for arguments in ends
    )  # including the pair of a ternary head
    for atom, *_ in () if is_whole else parts:
        if not variables_of(atom):
            continue
        variable = variables_of(atom)[0]
        place = atom.arguments.index(variable)
        link = URIRef(f"{atom.predicate}:{len(atom.arguments)}:{place}")
        terms = argument_variables(Symbol(atom.predicate, len(atom.arguments)))
        collected.add("link", [Atom(atom.predicate, terms)], Atom(link, (UNIT, terms[place])))
        yield Atom(link, (UNIT, variable))


def variables_of(atom: Atom) -> list[Variable]:
    """Return the variables of an atom."""
    return [each for each in atom.arguments if isinstance(each, Variable)]


@dataclass
class ConclusionWindows:
    """Predicates of windows over conclusions, and the rules that derive them.

    Args:
        collected: receives the rules.
        now: predicates that heads conclude at the present tick.
        at_ticks: predicates that heads conclude at named ticks, with the largest distance from the present
            tick; `UNBOUNDED` if it is not limited.
        remembered: predicates that are remembered.
        covered: for predicates concluded at named ticks, the length of the window for which `p@` serves as
            `p@n`.
    """

    collected: ProgramBuilder
    now: Collection[Symbol]
    at_ticks: Mapping[Symbol, int]
    remembered: Collection[Symbol]
    covered: Mapping[Symbol, int]
    spans: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # (p, n) to was-p~n
    dates: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # (p, n) to was-p@n
    _done: set[Symbol] = field(default_factory=set)

    def has_runs(self, source: Symbol) -> bool:
        """Test whether the conclusions at an earlier tick are exactly those that were drawn at it.

        True for remembered predicates for which no head names a tick.
        """
        return source in self.remembered and source not in self.at_ticks

    def span(self, source: Symbol, size: int, target: Symbol) -> None:
        """Add rules by which `target` has the conclusions and input of `source` at some tick of a window."""
        if target in self._done:
            return
        self._done.add(target)
        builder, terms = self.collected, argument_variables(source)
        builder.add_input(Input(source, False, Mode.SOMETIME, size, target))
        head = Atom(target.name, terms)
        if source in self.now:  # the window contains the present tick
            builder.add("window", [Atom(source.name, terms)], head)
        if source in self.remembered:
            was = self.spans[source, size] = Symbol(URIRef(f"was-{target.name}"), source.arity)
            builder.add("window", [Atom(was.name, terms)], head)
        if source in self.at_ticks:
            builder.add("window", self._at_ticks(source, size), head)

    def dated(self, source: Symbol, size: int) -> Symbol:
        """Return the predicate of the conclusions and input at each tick of a window, with the tick's time
        last.
        """
        is_covered = self.covered.get(source) == size
        target = Symbol(URIRef(f"{source.name}@" if is_covered else f"{source.name}@{size}"), 2)
        if target not in self._done:
            self._done.add(target)
            self.collected.add_input(Input(source, False, Mode.AT, size, target))
            if not is_covered:
                self._date(source, size, target)
        return target

    def _date(self, source: Symbol, size: int, target: Symbol) -> None:
        builder, terms = self.collected, argument_variables(source)
        head = Atom(target.name, (*terms, TIME_VARIABLE))
        if source in self.now:
            body = [Atom(source.name, terms), Atom(builder.clock(0), (UNIT, TIME_VARIABLE))]
            builder.add("at", connect_body(builder, body, [head]), head)
        if source in self.remembered:
            was = self.dates[source, size] = Symbol(URIRef(f"was-{target.name}"), 2)
            builder.add("at", [Atom(was.name, (*terms, TIME_VARIABLE))], head)
        if source in self.at_ticks:
            builder.add("at", self._at_ticks(source, size), head)

    def _at_ticks(self, source: Symbol, size: int) -> list[Atom]:
        """Return the body that matches conclusions at named ticks of a window."""
        dated = Atom(URIRef(f"{source.name}@"), (*argument_variables(source), TIME_VARIABLE))
        if max(self.at_ticks[source], self.covered.get(source, 0)) <= min(size, UNBOUNDED - 1):
            return [dated]  # the window contains all named ticks
        return [dated, Atom(self.collected.clock(size), (UNIT, TIME_VARIABLE))]

    def remembering(self) -> Iterator[RememberedPredicate]:
        """Yield the remembered predicates that windows read."""
        for symbol in self.remembered:
            windows = tuple((to, size) for (of, size), to in self.spans.items() if of == symbol)
            dated = tuple((to, size) for (of, size), to in self.dates.items() if of == symbol)
            if windows or dated or any(run.source == symbol for run in self.collected.runs):
                yield RememberedPredicate(symbol, windows, dated)


def head_tick_offsets(rules: Iterable[TemporalRule], ticks: Ticks) -> dict[Symbol, int]:
    """Return the predicates that heads conclude at named ticks, with the largest distance from the present
    tick.
    """
    found: dict[Symbol, int] = {}
    for rule in rules:
        if rule.head.mode is Mode.AT:
            symbol = kernel_symbol(rule.head.atom)
            found[symbol] = max(found.get(symbol, 0), _furthest(rule, ticks))
    return found


def covering_windows(
    rules: Iterable[TemporalRule], at_ticks: Mapping[Symbol, int], ticks: Ticks
) -> dict[Symbol, int]:
    """Return, for predicates concluded at named ticks, the smallest window in a body that covers all these
    ticks.
    """
    found: dict[Symbol, int] = {}
    for formula in (each for rule in rules for each in rule.body):
        symbol, window = kernel_symbol(formula.atom), formula.window
        is_dated = formula.mode is not Mode.SOMETIME or formula.times > 1
        if (
            symbol in at_ticks
            and is_dated
            and isinstance(window, TimeWindow)
            and not formula.atom.is_asserted
        ):
            size = ticks.window_size(window, formula)
            if size >= at_ticks[symbol]:
                found[symbol] = min(size, found.get(symbol, size))
    return found


def _furthest(rule: TemporalRule, ticks: Ticks) -> int:
    """Return the largest distance of a head's tick from the present one, limited by the body's windows."""
    time = rule.head.time
    if not isinstance(time, Variable):
        return UNBOUNDED
    return min((size for each in rule.body for size in _reach(each, time, ticks)), default=UNBOUNDED)


def _reach(formula: Formula, time: Variable, ticks: Ticks) -> Iterator[int]:
    is_at = formula.mode is Mode.AT and not formula.is_negated and formula.time == time
    if is_at and isinstance(formula.window, TimeWindow):
        yield ticks.window_size(formula.window, formula)


_EACH_TICK = "a row per fact and tick at which it holds"
_RUN = "a run per fact: work when it begins, is long enough, and ends; none in between"


class FormulaCosts:
    """Descriptions of the memory and work that formulas cost, for reports.

    Args:
        rules: the rules that are evaluated.
        remembered: predicates whose conclusions are remembered.
        ontology: rules of the ontology that the conclusions can fire.
    """

    def __init__(
        self, rules: Iterable[TemporalRule], remembered: Iterable[URIRef], ontology: Iterable[Rule] = ()
    ) -> None:
        heads = [rule.head for rule in rules]
        self._concluded: set[Predicate] = {head.atom.predicate for head in heads}
        self._concluded |= {rule.head.predicate for rule in ontology if rule.head}
        at_ticks = {head.atom.predicate for head in heads if head.mode is Mode.AT}
        self._with_runs = set(remembered) - at_ticks

    def of(self, formula: Formula) -> str:
        """Describe the cost of a formula with a window."""
        atom = formula.atom
        is_concluded = atom.predicate in self._concluded and not atom.is_asserted
        if isinstance(formula.window, TupleWindow):
            return "a queue of the last assertions: work when one enters or leaves"
        if formula.mode is Mode.AT:
            kept = "; the whole history is kept" if is_unbounded(formula) else ""
            return f"{'a row per event' if atom.is_asserted else _EACH_TICK}{kept}"
        if formula.times > 1:
            return _EACH_TICK if is_concluded else "a queue of arrivals: work when one enters or leaves"
        if formula.mode is Mode.ALWAYS:
            if atom.is_asserted:
                return "a check of the assertions at each tick"
            return _EACH_TICK if is_concluded and atom.predicate not in self._with_runs else _RUN
        if atom.is_asserted:
            return "a row per event; no work as ticks pass"
        return "a row per fact: work when it begins and ends; none as ticks pass"
