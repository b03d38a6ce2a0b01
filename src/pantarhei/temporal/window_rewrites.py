"""What temporal rules are translated into, as it is collected: rules of the second kernel, and inputs.

Windows over conclusions: what is concluded now, at ticks that heads name, and what is remembered.

Only what can be there is made: p@n follows from p@ where heads name ticks, from p where they do not, and
from what is remembered of p where it is. Where all that p@ has lies in the window by its rules, p@ is p@n.
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
"""The time of a tick, in rules that are made."""


@dataclass
class ProgramBuilder:
    """What has been made so far; each thing once, in the order in which it was first asked for.

    Args:
        wide: the conclusions that have tuples, by their predicates in the second kernel.
    """

    wide: Mapping[URIRef, TuplePredicate]
    rules: dict[Rule, None] = field(default_factory=dict)
    inputs: dict[Input, None] = field(default_factory=dict)
    guards: dict[NegationGuard, None] = field(default_factory=dict)
    runs: dict[ConclusionRun, None] = field(default_factory=dict)
    dated_runs: dict[TickCount, None] = field(default_factory=dict)
    clocks: dict[WindowClock, None] = field(default_factory=dict)

    def add(self, name: str, body: Iterable[Atom], head: Atom, tests: tuple[Test, ...] = ()) -> None:
        """A rule, of atoms with up to three arguments. What it compares with constants is decided once."""
        self.rules[Rule(name, tuple(dict.fromkeys(body)), head, tests=tuple(map(as_member, tests)))] = None

    def clock(self, size: int) -> URIRef:
        """The predicate of the ticks of a window."""
        name = URIRef(f"urn:pantarhei:temporal:tick~{size}")
        self.clocks[WindowClock(Symbol(name, 2), size)] = None
        return name

    def feed(self, given: Input) -> None:
        """Rows that follow the stream, as far as it can say such a thing."""
        name = given.source.name
        wide = self.wide.get(name) if isinstance(name, URIRef) else None
        if wide is not None and wide.plain is not None and given.mode is not Mode.NOW:
            self._feed_wide(given, wide, wide.plain)
        elif wide is None and name not in (UNIT, FIRST, REST):
            self.inputs[given] = None

    def _feed_wide(self, given: Input, wide: TuplePredicate, plain: TemporalAtom) -> None:
        """What the stream says of a predicate whose conclusions have tuples."""
        time = (TIME_VARIABLE,) if given.mode is Mode.AT else ()
        said = Symbol(URIRef(f"said-{given.target.name}"), 2 if time else wide.arity)
        self.inputs[given._replace(source=kernel_symbol(plain), target=said)] = None
        whole = reify_atom(wide, plain.arguments, URIRef(given.target.name))
        body = [Atom(said.name, (*plain.arguments, *time))]
        for each in whole.asked:
            self.add("said-asked", body, kernel_atom(each.atom))
            body += map(kernel_atom, each.links)
        self.add("said", body, Atom(given.target.name, (*whole.atom.arguments, *time)))


def kernel_symbol(atom: TemporalAtom) -> Symbol:
    """The predicate of an atom in the second kernel, where what has no arguments is said of the unit."""
    return Symbol(atom.predicate, max(1, len(atom.arguments)))


def kernel_atom(atom: TemporalAtom) -> Atom:
    """The atom as rules of the second kernel have it."""
    return Atom(atom.predicate, atom.arguments)


def argument_variables(symbol: Symbol) -> tuple[Variable, ...]:
    """Variables for the arguments of a predicate."""
    return tuple(Variable(f"x{place}") for place in range(symbol.arity))


def connect_body(collected: ProgramBuilder, body: Sequence[Atom], heads: Iterable[Atom]) -> list[Atom]:
    """A body, with atoms that connect its parts which share no variable, each other and `heads`.

    The rules for these atoms are collected: `p:2:0` has the unit and what stands at place 0 in p.
    """
    return [*body, *_links(collected, body, heads)]


def _links(collected: ProgramBuilder, body: Sequence[Atom], heads: Iterable[Atom]) -> Iterator[Atom]:
    parts = grouped(body, variables_of)  # an atom without variables is one by itself
    bound = {variable for atom in body for variable in variables_of(atom)}
    ends = (part for head in heads for part in (head.arguments, (head.arguments[0], head.arguments[-1])))
    is_whole = len(parts) == 1 and not any(bound.isdisjoint(arguments) for arguments in ends)  # with its pair
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
    """The variables of an atom."""
    return [each for each in atom.arguments if isinstance(each, Variable)]


@dataclass
class ConclusionWindows:
    """The predicates of windows over conclusions, and the rules for them.

    Args:
        collected: takes what is made.
        now: predicates that heads conclude now.
        at_ticks: predicates that heads conclude at ticks, with the largest distance from the present tick;
            `UNBOUNDED` where a tick can be any.
        remembered: those that are remembered.
        one_with: the size of the window that has just what p@ has, and what the stream says.
    """

    collected: ProgramBuilder
    now: Collection[Symbol]
    at_ticks: Mapping[Symbol, int]
    remembered: Collection[Symbol]
    one_with: Mapping[Symbol, int]
    spans: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # within ticks: what was so before
    dates: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # the same, at ticks
    made: set[Symbol] = field(default_factory=set)

    def has_runs(self, source: Symbol) -> bool:
        """Whether what held at earlier ticks is what was concluded then: it is remembered, and no head names
        other ticks.
        """
        return source in self.remembered and source not in self.at_ticks

    def span(self, source: Symbol, size: int, target: Symbol) -> None:
        """Have `target` follow what has been concluded, or said, within a window."""
        if target in self.made:
            return
        self.made.add(target)
        made, terms = self.collected, argument_variables(source)
        made.feed(Input(source, False, Mode.SOMETIME, size, target))
        head = Atom(target.name, terms)
        if source in self.now:  # what holds now is in the window too
            made.add("window", [Atom(source.name, terms)], head)
        if source in self.remembered:
            was = self.spans[source, size] = Symbol(URIRef(f"was-{target.name}"), source.arity)
            made.add("window", [Atom(was.name, terms)], head)
        if source in self.at_ticks:
            made.add("window", self._at_ticks(source, size), head)

    def dated(self, source: Symbol, size: int) -> Symbol:
        """The predicate of which ticks of a window something was concluded at, or said."""
        is_one = self.one_with.get(source) == size
        target = Symbol(URIRef(f"{source.name}@" if is_one else f"{source.name}@{size}"), 2)
        if target not in self.made:
            self.made.add(target)
            self.collected.feed(Input(source, False, Mode.AT, size, target))
            if not is_one:
                self._date(source, size, target)
        return target

    def _date(self, source: Symbol, size: int, target: Symbol) -> None:
        made, terms = self.collected, argument_variables(source)
        head = Atom(target.name, (*terms, TIME_VARIABLE))
        if source in self.now:
            body = [Atom(source.name, terms), Atom(made.clock(0), (UNIT, TIME_VARIABLE))]
            made.add("at", connect_body(made, body, [head]), head)
        if source in self.remembered:
            was = self.dates[source, size] = Symbol(URIRef(f"was-{target.name}"), 2)
            made.add("at", [Atom(was.name, (*terms, TIME_VARIABLE))], head)
        if source in self.at_ticks:
            made.add("at", self._at_ticks(source, size), head)

    def _at_ticks(self, source: Symbol, size: int) -> list[Atom]:
        """What is concluded at ticks of a window."""
        dated = Atom(URIRef(f"{source.name}@"), (*argument_variables(source), TIME_VARIABLE))
        if max(self.at_ticks[source], self.one_with.get(source, 0)) <= min(size, UNBOUNDED - 1):
            return [dated]  # there are no others
        return [dated, Atom(self.collected.clock(size), (UNIT, TIME_VARIABLE))]

    def remembering(self) -> Iterator[RememberedPredicate]:
        """What is remembered, for the windows that ask for it."""
        for symbol in self.remembered:
            windows = tuple((to, size) for (of, size), to in self.spans.items() if of == symbol)
            dated = tuple((to, size) for (of, size), to in self.dates.items() if of == symbol)
            if windows or dated or any(run.source == symbol for run in self.collected.runs):
                yield RememberedPredicate(symbol, windows, dated)


def head_tick_offsets(rules: Iterable[TemporalRule], ticks: Ticks) -> dict[Symbol, int]:
    """The predicates that heads conclude at ticks, and how many ticks these lie back at most."""
    found: dict[Symbol, int] = {}
    for rule in rules:
        if rule.head.mode is Mode.AT:
            symbol = kernel_symbol(rule.head.atom)
            found[symbol] = max(found.get(symbol, 0), _furthest(rule, ticks))
    return found


def covering_windows(
    rules: Iterable[TemporalRule], at_ticks: Mapping[Symbol, int], ticks: Ticks
) -> dict[Symbol, int]:
    """For predicates that heads conclude at ticks the smallest window over them that these ticks are in."""
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
    """How many ticks the tick of a head lies back at most: a window of the body says it, or nothing."""
    time = rule.head.time
    if not isinstance(time, Variable):
        return UNBOUNDED
    return min((size for each in rule.body for size in _reach(each, time, ticks)), default=UNBOUNDED)


def _reach(formula: Formula, time: Variable, ticks: Ticks) -> Iterator[int]:
    is_at = formula.mode is Mode.AT and not formula.is_negated and formula.time == time
    if is_at and isinstance(formula.window, TimeWindow):
        yield ticks.window_size(formula.window, formula)


_EACH_TICK = "a row a fact at each tick that it holds"
_RUN = "a run a fact: when it begins, is long enough, and ends; nothing in between"


class FormulaCosts:
    """What the formulas of rules cost.

    Args:
        rules: that are evaluated.
        remembered: predicates whose conclusions are remembered.
        ontology: rules of the ontology that join them.
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
        """What a formula costs that looks back."""
        atom = formula.atom
        is_concluded = atom.predicate in self._concluded and not atom.is_asserted
        if isinstance(formula.window, TupleWindow):
            return "a queue of the last assertions: what enters and what leaves"
        if formula.mode is Mode.AT:
            kept = "; all that was said is kept" if is_unbounded(formula) else ""
            return f"{'a row an event' if atom.is_asserted else _EACH_TICK}{kept}"
        if formula.times > 1:
            return _EACH_TICK if is_concluded else "a queue of arrivals: what enters and what leaves"
        if formula.mode is Mode.ALWAYS:
            if atom.is_asserted:
                return "a look at what is asserted, at each tick"
            return _EACH_TICK if is_concluded and atom.predicate not in self._with_runs else _RUN
        if atom.is_asserted:
            return "a row an event; nothing as ticks pass"
        return "a row a fact, when it comes and when it goes; nothing as ticks pass"
