"""Temporal rules compiled to rules of a second kernel, whose levels are expiries.

There a fact's level is the last tick at which it holds unless something new comes. Each construct is a
predicate of its own, written here behind the predicate's name:

    p            p now                       !p        asserted now
    p~n          p within n ticks (◇)        !p~n      asserted within n ticks
    p□n          p during all of n ticks (□) !p□n      asserted at each of n ticks
    !p~n#        among the last n assertions  p~n×k     p at k ticks of the window at least
    was-p~n      p concluded at a tick that is over, within n ticks
    asked-x      `not x` is looked for       free-x    and x is not there (see `Guard`)

A body's level is its smallest, a head's its largest (LA17 Definition 7's horizon); that is what the kernel
computes, recursion included.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import TemporalRuleError
from pantarhei.graphs.groups import grouped
from pantarhei.language.rule import Argument, Atom, Rule
from pantarhei.language.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TupleWindow
from pantarhei.temporal.checks.refusal import refused
from pantarhei.temporal.ticks import Ticks

UNIT = URIRef("urn:pantarhei:temporal:unit")
"""What atoms without arguments are said of, and what connects parts of a body that share no variable."""

ALWAYS = Symbol(URIRef("urn:pantarhei:temporal:always"), 1)
"""A class whose one member is the unit, at each tick: the body of rules that have no positive atom."""


class Input(NamedTuple):
    """Base rows of the second kernel that follow what the stream says.

    Args:
        source: the class or property in the stream.
        is_asserted: they follow what is asserted, not what holds.
        mode: whether they are there now, sometime or always in the window.
        size: how many ticks the window reaches back, or how many assertions it holds.
        target: the predicate in the second kernel.
        times: at how many ticks of the window they are there at least.
        counts_tuples: whether the window holds assertions.
    """

    source: Symbol
    is_asserted: bool
    mode: Mode
    size: int
    target: Symbol
    times: int = 1
    counts_tuples: bool = False


class Guard(NamedTuple):
    """`not x`, where x has a predicate of the second kernel.

    A rule `h :- b, not x` is `asked-x :- b` and `h :- b, free-x`. The rows of `free-x` are base rows: those
    that are asked for and that x does not have. One for each negated atom, not for each body: rows that
    support nothing by themselves cannot hold up a recursion.
    """

    denied: Symbol
    asked: Symbol
    free: Symbol


class Run(NamedTuple):
    """Always within a window, of conclusions: `target` has what stays long enough in `source`."""

    source: Symbol
    size: int
    target: Symbol


class Remembered(NamedTuple):
    """A predicate whose conclusions are part of the stream once their tick is over.

    Args:
        source: the predicate.
        windows: the predicates that say that it was so before, within a window, with its size in ticks.
    """

    source: Symbol
    windows: tuple[tuple[Symbol, int], ...]


@dataclass(frozen=True)
class TemporalProgram:
    """Rules as the second kernel runs them, and what goes on around it.

    Args:
        rules: for the kernel.
        inputs: what feeds it.
        guards: what is negated.
        runs: boxes over conclusions.
        remembered: conclusions that are remembered.
        conclusions: for each predicate that rules conclude, its symbol in the kernel, and how many arguments
            the rules give it.
        largest: how many ticks the largest window reaches back.
    """

    rules: tuple[Rule, ...]
    inputs: tuple[Input, ...]
    guards: tuple[Guard, ...]
    runs: tuple[Run, ...]
    remembered: tuple[Remembered, ...]
    conclusions: Mapping[Symbol, tuple[URIRef, int]]
    largest: int


def program_of(rules: Iterable[TemporalRule], remembered: Iterable[URIRef], ticks: Ticks) -> TemporalProgram:
    """The program of temporal rules. Costs their size.

    Args:
        rules: safe and stratified.
        remembered: predicates whose conclusions are remembered.
        ticks: of the stream.

    Raises:
        TemporalRuleError: a window does not fit the stream's ticks, or a construct is not there.
    """
    return _Translation(list(rules), frozenset(remembered), ticks).program()


@dataclass
class _Translation:
    """Translates rules one by one, and collects what they need around the kernel; used once."""

    given: list[TemporalRule]
    remembered: frozenset[URIRef]
    ticks: Ticks
    rules: list[Rule] = field(default_factory=list)
    inputs: dict[Input, None] = field(default_factory=dict)
    guards: dict[Guard, None] = field(default_factory=dict)
    runs: dict[Run, None] = field(default_factory=dict)
    spans: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # of remembered conclusions
    largest: int = 0

    def __post_init__(self) -> None:
        self.heads = {_symbol(rule.head.atom): rule.head.atom for rule in self.given}

    def program(self) -> TemporalProgram:
        for number, rule in enumerate(self.given):
            self._translate(rule, f"rule-{number + 1}")
        for symbol in self.heads:  # what the stream says of a conclusion's predicate holds too
            self._feed(Input(symbol, False, Mode.NOW, 0, symbol))
        remembered = (
            Remembered(symbol, tuple((to, size) for (of, size), to in self.spans.items() if of == symbol))
            for symbol, atom in self.heads.items()
            if atom.predicate in self.remembered
        )
        return TemporalProgram(
            tuple(self.rules),
            tuple(self.inputs),
            tuple(self.guards),
            tuple(self.runs),
            tuple(remembered),
            {symbol: (atom.predicate, len(atom.arguments)) for symbol, atom in self.heads.items()},
            self.largest,
        )

    def _translate(self, rule: TemporalRule, name: str) -> None:
        if rule.head.mode is not Mode.NOW:
            raise _missing(rule.head)
        head = Atom(rule.head.atom.predicate, _arguments(rule.head))
        body = [self._atom(formula) for formula in rule.body if not formula.is_negated]
        denied = [self._atom(formula) for formula in rule.body if formula.is_negated]
        body = [*body, *self._links(body, [head, *denied])] or [Atom(ALWAYS.name, (UNIT,))]
        free: list[Atom] = []
        for atom in denied:
            guard = _guard(atom)
            self.guards[guard] = None
            self._add(f"{name}-asked", body, Atom(guard.asked.name, atom.arguments), rule)
            free.append(Atom(guard.free.name, atom.arguments))
        self._add(name, [*body, *free], head, rule)

    def _add(self, name: str, body: Iterable[Atom], head: Atom, rule: TemporalRule | None = None) -> None:
        self.rules.append(Rule(name, tuple(body), head, tests=() if rule is None else rule.tests))

    def _links(self, body: list[Atom], others: list[Atom]) -> Iterator[Atom]:
        """Atoms that connect the parts of a body that share no variable, each other and `others`."""
        parts = grouped([*body, *others], _variables)  # an atom without variables is one by itself
        for atom, *_ in parts if len(parts) > 1 else ():
            if not _variables(atom) or atom not in body:
                continue
            variable = _variables(atom)[0]
            place = atom.arguments.index(variable)
            link = URIRef(f"{atom.predicate}:{len(atom.arguments)}:{place}")
            terms = tuple(Variable(f"x{i}") for i in range(len(atom.arguments)))
            rule = Rule("link", (Atom(atom.predicate, terms),), Atom(link, (UNIT, terms[place])))
            if rule not in self.rules:
                self.rules.append(rule)
            yield Atom(link, (UNIT, variable))

    def _atom(self, formula: Formula) -> Atom:
        """The atom of the second kernel that a formula of a body is."""
        if formula.mode is Mode.AT:
            raise _missing(formula)
        atom, source, window = formula.atom, _symbol(formula.atom), formula.window
        if isinstance(window, TupleWindow):  # it selects from assertions
            target = Symbol(_name(replace(atom, is_asserted=True), formula, f"{window.size}#"), source.arity)
            self._feed(Input(source, True, formula.mode, window.size, target, formula.times, True))
            return Atom(target.name, _arguments(formula))
        size = 0 if window is None else self.ticks.size_of(window, formula)
        self.largest = max(self.largest, size)
        mode = formula.mode if size or formula.times > 1 else Mode.NOW
        now = URIRef(f"{'!' * atom.is_asserted}{atom.predicate}")
        target = Symbol(now if mode is Mode.NOW else _name(atom, formula, str(size)), source.arity)
        if atom.is_asserted or source not in self.heads:
            self._feed(Input(source, atom.is_asserted, mode, size, target, formula.times))
        elif formula.times > 1:
            raise _missing(formula)
        elif mode is Mode.ALWAYS:
            self.runs[Run(source, size, target)] = None
        elif mode is Mode.SOMETIME and (source, size) not in self.spans:
            self._feed(Input(source, False, mode, size, target))
            was = self.spans[source, size] = Symbol(URIRef(f"was-{target.name}"), source.arity)
            terms = tuple(Variable(f"x{i}") for i in range(source.arity))
            for name in (source.name, was.name):  # what holds now is in the window too
                self._add("window", [Atom(name, terms)], Atom(target.name, terms))
        return Atom(target.name, _arguments(formula))

    def _feed(self, given: Input) -> None:
        if given.source.name != UNIT:
            self.inputs[given] = None


def _name(atom: TemporalAtom, formula: Formula, size: str) -> URIRef:
    sign = "□" if formula.mode is Mode.ALWAYS else "~"
    times = f"×{formula.times}" if formula.times > 1 else ""
    return URIRef(f"{'!' * atom.is_asserted}{atom.predicate}{sign}{size}{times}")


def _guard(denied: Atom) -> Guard:
    arity = len(denied.arguments)
    names = (denied.predicate, f"asked-{denied.predicate}", f"free-{denied.predicate}")
    return Guard(*(Symbol(URIRef(name), arity) for name in names))


def _symbol(atom: TemporalAtom) -> Symbol:
    return Symbol(atom.predicate, max(1, len(atom.arguments)))


def _arguments(formula: Formula) -> tuple[Argument, ...]:
    if len(formula.atom.arguments) > 2:
        raise refused(f"{formula} has more than two arguments", "none, one or two", formula)
    return formula.atom.arguments or (UNIT,)


def _variables(atom: Atom) -> list[Variable]:
    return [each for each in atom.arguments if isinstance(each, Variable)]


def _missing(formula: Formula) -> TemporalRuleError:
    return refused(f"{formula} cannot be evaluated", "now, in or always in a window of time", formula)
