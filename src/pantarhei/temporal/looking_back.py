"""Windows over conclusions: what is concluded now, at ticks that heads name, and what is remembered.

Only what can be there is made: p@n follows from p@ where heads name ticks, from p where they do not, and
from what is remembered of p where it is. Where all that p@ has lies in the window by its rules, p@ is p@n.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, TimeWindow
from pantarhei.temporal.collecting import TIME, Collected, symbol_of, terms_of
from pantarhei.temporal.connecting import connected
from pantarhei.temporal.program import UNIT, WHOLE, Input, Remembered
from pantarhei.temporal.ticks import Ticks


@dataclass
class LookingBack:
    """The predicates of windows over conclusions, and the rules for them.

    Args:
        collected: takes what is made.
        now: predicates that heads conclude now.
        at_ticks: those that heads conclude at ticks, and how many ticks these lie back at most; `WHOLE` where
            a tick can be any.
        remembered: those that are remembered.
        one_with: the size of the window that has just what p@ has, and what the stream says.
    """

    collected: Collected
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
        made, terms = self.collected, terms_of(source)
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
        made, terms = self.collected, terms_of(source)
        head = Atom(target.name, (*terms, TIME))
        if source in self.now:
            body = [Atom(source.name, terms), Atom(made.clock(0), (UNIT, TIME))]
            made.add("at", connected(made, body, [head]), head)
        if source in self.remembered:
            was = self.dates[source, size] = Symbol(URIRef(f"was-{target.name}"), 2)
            made.add("at", [Atom(was.name, (*terms, TIME))], head)
        if source in self.at_ticks:
            made.add("at", self._at_ticks(source, size), head)

    def _at_ticks(self, source: Symbol, size: int) -> list[Atom]:
        """What is concluded at ticks of a window."""
        dated = Atom(URIRef(f"{source.name}@"), (*terms_of(source), TIME))
        if max(self.at_ticks[source], self.one_with.get(source, 0)) <= min(size, WHOLE - 1):
            return [dated]  # there are no others
        return [dated, Atom(self.collected.clock(size), (UNIT, TIME))]

    def remembering(self) -> Iterator[Remembered]:
        """What is remembered, for the windows that ask for it."""
        for symbol in self.remembered:
            windows = tuple((to, size) for (of, size), to in self.spans.items() if of == symbol)
            dated = tuple((to, size) for (of, size), to in self.dates.items() if of == symbol)
            if windows or dated or any(run.source == symbol for run in self.collected.runs):
                yield Remembered(symbol, windows, dated)


def furthest_ticks(rules: Iterable[TemporalRule], ticks: Ticks) -> dict[Symbol, int]:
    """The predicates that heads conclude at ticks, and how many ticks these lie back at most."""
    found: dict[Symbol, int] = {}
    for rule in rules:
        if rule.head.mode is Mode.AT:
            symbol = symbol_of(rule.head.atom)
            found[symbol] = max(found.get(symbol, 0), _furthest(rule, ticks))
    return found


def one_windows(
    rules: Iterable[TemporalRule], at_ticks: Mapping[Symbol, int], ticks: Ticks
) -> dict[Symbol, int]:
    """For predicates that heads conclude at ticks the smallest window over them that these ticks are in."""
    found: dict[Symbol, int] = {}
    for formula in (each for rule in rules for each in rule.body):
        symbol, window = symbol_of(formula.atom), formula.window
        is_dated = formula.mode is not Mode.SOMETIME or formula.times > 1
        if (
            symbol in at_ticks
            and is_dated
            and isinstance(window, TimeWindow)
            and not formula.atom.is_asserted
        ):
            size = ticks.size_of(window, formula)
            if size >= at_ticks[symbol]:
                found[symbol] = min(size, found.get(symbol, size))
    return found


def _furthest(rule: TemporalRule, ticks: Ticks) -> int:
    """How many ticks the tick of a head lies back at most: a window of the body says it, or nothing."""
    time = rule.head.time
    if not isinstance(time, Variable):
        return WHOLE
    return min((size for each in rule.body for size in _reach(each, time, ticks)), default=WHOLE)


def _reach(formula: Formula, time: Variable, ticks: Ticks) -> Iterator[int]:
    is_at = formula.mode is Mode.AT and not formula.is_negated and formula.time == time
    if is_at and isinstance(formula.window, TimeWindow):
        yield ticks.size_of(formula.window, formula)
