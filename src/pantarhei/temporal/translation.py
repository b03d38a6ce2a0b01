"""Temporal rules translated into rules of the second kernel, and what goes on around it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from rdflib import Literal, URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.graphs.groups import grouped
from pantarhei.language.rule import Argument, Atom, Predicate, Rule
from pantarhei.language.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TupleWindow
from pantarhei.temporal.binding import with_tests_in_order
from pantarhei.temporal.checks.dates import check_dates
from pantarhei.temporal.checks.form import check_times
from pantarhei.temporal.checks.refusal import refused
from pantarhei.temporal.pair_reification import PAIR, reified_pairs
from pantarhei.temporal.program import (
    ALWAYS,
    FIRST,
    REST,
    TUPLE,
    UNIT,
    WHOLE,
    Clock,
    DatedRun,
    Guard,
    Input,
    Remembered,
    Run,
    TemporalProgram,
)
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.tuple_reification import TupleReification, WidePredicate, reified

_TIME = Variable("time")


def program_of(
    rules: Iterable[TemporalRule],
    remembered: Iterable[URIRef],
    ticks: Ticks,
    ontology: Iterable[Rule] = (),
    feedback: bool = False,
) -> TemporalProgram:
    """The program of temporal rules. Costs their size.

    Args:
        rules: safe and stratified.
        remembered: predicates whose conclusions are remembered.
        ticks: of the stream.
        ontology: rules of the ontology that join them.
        feedback: whether what rules conclude is kept apart from what the stream says of the same predicates.

    Raises:
        TemporalRuleError: a window does not fit the stream's ticks, or a construct is not there.
    """
    rules = list(rules)
    for rule in rules:
        check_dates(rule, ticks.kind)
    reification = TupleReification(list(map(with_tests_in_order, rules)))
    given, wide = reification.rules, reification.wide
    return _Translation(given, wide, list(ontology), frozenset(remembered), ticks, feedback).program()


@dataclass
class _Translation:
    """Translates rules one by one, and collects what they need around the kernel; used once."""

    given: list[TemporalRule]
    wide: dict[URIRef, WidePredicate]
    ontology: list[Rule]
    remembered: frozenset[URIRef]
    ticks: Ticks
    feedback: bool = False
    rules: dict[Rule, None] = field(default_factory=dict)
    inputs: dict[Input, None] = field(default_factory=dict)
    guards: dict[Guard, None] = field(default_factory=dict)
    runs: dict[Run, None] = field(default_factory=dict)
    dated_runs: dict[DatedRun, None] = field(default_factory=dict)
    clocks: dict[Clock, None] = field(default_factory=dict)
    spans: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # of conclusions, within ticks
    dated: dict[tuple[Symbol, int], Symbol] = field(default_factory=dict)  # the same, at ticks
    sizes: set[int] = field(default_factory=set)
    fed_back: dict[Symbol, Symbol] = field(default_factory=dict)  # what rules conclude of a predicate

    def __post_init__(self) -> None:
        self.wide_ones = {each.predicate: each for each in self.wide.values()}
        self.remembered |= {each.predicate for each in self.wide.values() if each.name in self.remembered}
        self.bridges = [rule for each in self.wide.values() for rule in each.bridges]
        heads = [rule.head.atom for rule in (*self.given, *self.bridges) if rule.head.atom.predicate != TUPLE]
        heads += [
            TemporalAtom(cast(URIRef, each.head.predicate), each.head.arguments)
            for each in self.ontology
            if each.head
        ]
        self.heads = {_symbol(head): head for head in heads}
        at_ticks = (rule.head.atom for rule in self.given if rule.head.mode is Mode.AT)
        self.at_ticks = dict.fromkeys(map(_symbol, at_ticks))

    def program(self) -> TemporalProgram:
        for number, rule in enumerate(self.given):
            self._translate(rule, f"rule-{number + 1}", self.feedback)
        for rule in self.bridges:
            self._translate(rule, "bridge", feedback=False)
        if self.feedback:
            self._feed_plain()
        for joined in self.ontology:
            self._join(joined)
        for symbol, head in self.heads.items():  # what the stream says of a conclusion's predicate holds too
            if head.arguments:
                self._feed(Input(symbol, False, Mode.NOW, 0, symbol))
        return TemporalProgram(
            tuple(self.rules),
            tuple(self.inputs),
            tuple(self.guards),
            tuple(self.runs),
            tuple(self.dated_runs),
            tuple(self.clocks),
            tuple(Symbol(URIRef(f"{symbol.name}@"), 2) for symbol in self.at_ticks),
            tuple(self._remembered()),
            dict(self._conclusions()),
            max((size for size in self.sizes if size < WHOLE), default=0),
            self.ticks,
            tuple(_symbol(each.plain) for each in self.wide.values() if each.plain),
            self.fed_back,
        )

    def _conclusions(self) -> Iterator[tuple[Symbol, tuple[URIRef, int]]]:
        for symbol, atom in self.heads.items():
            wide = self.wide_ones.get(atom.predicate)
            if wide is not None:
                yield symbol, (wide.name, wide.arity)
            elif isinstance(atom.predicate, URIRef) and atom.predicate not in self.wide:
                yield symbol, (atom.predicate, len(atom.arguments))  # an ontology has names of its own too

    def _remembered(self) -> Iterator[Remembered]:
        for symbol, atom in self.heads.items():
            if atom.predicate in self.remembered:
                windows = tuple((to, size) for (of, size), to in self.spans.items() if of == symbol)
                dated = tuple((to, size) for (of, size), to in self.dated.items() if of == symbol)
                if windows or dated or any(run.source == symbol for run in self.runs):
                    yield Remembered(symbol, windows, dated)

    # -- rules -------------------------------------------------------------------------------------

    def _translate(self, rule: TemporalRule, name: str, feedback: bool) -> None:
        head = self._head(rule.head, feedback and rule.head.atom.predicate != TUPLE)
        body = [self._atom(formula) for formula in rule.body if not formula.is_negated]
        denied = [self._atom(formula) for formula in rule.body if formula.is_negated]
        body = [*body, *self._links(body, [head, *denied])] or [Atom(ALWAYS.name, (UNIT,))]
        free: list[Atom] = []
        for atom in denied:
            guard = _guard(atom)
            self.guards[guard] = None
            arguments = atom.arguments if len(atom.arguments) > 1 else (UNIT, *atom.arguments)
            self._add(f"{name}-asked", body, Atom(guard.asked.name, arguments), rule)
            free.append(Atom(guard.free.name, arguments))
        self._add(name, [*body, *free], head, rule)

    def _join(self, rule: Rule) -> None:
        """A rule of the ontology: what nothing concludes of its body is what holds."""
        for atom in rule.body:
            symbol = Symbol(atom.predicate, len(atom.arguments))
            if symbol not in self.heads:
                self._feed(Input(symbol, False, Mode.NOW, 0, symbol))
        self.rules[rule] = None

    def _head(self, formula: Formula, feedback: bool) -> Atom:
        atom = formula.atom
        concluded = self._concluded(_symbol(atom)) if feedback else atom.predicate
        if formula.mode is Mode.NOW:
            return Atom(concluded, _arguments(formula))
        dated = URIRef(f"{atom.predicate}@")
        terms, now = _terms(_symbol(atom)), self._clock(0)
        body = [Atom(dated, (*terms, _TIME)), Atom(now, (UNIT, _TIME))]
        self._add("at-now", body, Atom(concluded, terms))
        return Atom(dated, self._dated_arguments(formula))

    def _concluded(self, symbol: Symbol) -> Predicate:
        """The predicate of what rules conclude of a predicate now."""
        concluded = self.fed_back[symbol] = Symbol(URIRef(f"concluded-{symbol.name}"), symbol.arity)
        terms = _terms(symbol)
        self._add("concluded", [Atom(concluded.name, terms)], Atom(symbol.name, terms))
        return concluded.name

    def _feed_plain(self) -> None:
        """What rules conclude of tuples is asserted where it is triples."""
        for wide in self.wide.values():
            if wide.plain is not None:
                whole = reified(wide, wide.plain.arguments, URIRef(f"concluded-{wide.predicate}"))
                concluded = self.fed_back[_symbol(wide.plain)] = Symbol(
                    URIRef(f"concluded-{wide.name}"), wide.arity
                )
                body = map(_plainly, (whole.atom, *whole.links))
                self._add("concluded", body, Atom(concluded.name, wide.plain.arguments))

    def _add(self, name: str, body: Iterable[Atom], head: Atom, rule: TemporalRule | None = None) -> None:
        for atoms, concluded, tests in reified_pairs(body, head, () if rule is None else rule.tests):
            self.rules[Rule(name, atoms, concluded, tests=tests)] = None

    def _links(self, body: list[Atom], others: list[Atom]) -> Iterator[Atom]:
        """Atoms that connect the parts of a body that share no variable, each other and `others`."""
        parts = grouped(body, _variables)  # an atom without variables is one by itself
        bound = {variable for atom in body for variable in _variables(atom)}
        heads = (part for other in others for part in (other.arguments, other.arguments[:2]))  # for its pair
        is_whole = len(parts) == 1 and not any(bound.isdisjoint(arguments) for arguments in heads)
        for atom, *_ in () if is_whole else parts:
            if not _variables(atom):
                continue
            variable = _variables(atom)[0]
            place = atom.arguments.index(variable)
            link = URIRef(f"{atom.predicate}:{len(atom.arguments)}:{place}")
            terms = _terms(Symbol(atom.predicate, len(atom.arguments)))
            self._add("link", [Atom(atom.predicate, terms)], Atom(link, (UNIT, terms[place])))
            yield Atom(link, (UNIT, variable))

    # -- formulas of a body ------------------------------------------------------------------------

    def _atom(self, formula: Formula) -> Atom:
        """The atom of the second kernel that a formula of a body is."""
        window = formula.window
        if formula.mode is Mode.AT:
            return self._at(formula)
        if isinstance(window, TupleWindow):
            return self._among_tuples(formula, window)
        size = 0 if window is None else self.ticks.size_of(window, formula)
        check_times(formula, size)
        self.sizes.add(size)
        atom, source = formula.atom, _symbol(formula.atom)
        mode = formula.mode if size or formula.times > 1 else Mode.NOW
        now = URIRef(f"{'!' * atom.is_asserted}{atom.predicate}")
        target = Symbol(now if mode is Mode.NOW else _name(atom, formula, str(size)), source.arity)
        if atom.is_asserted or source not in self.heads:
            self._feed(Input(source, atom.is_asserted, mode, size, target, formula.times))
        elif formula.times > 1 or (mode is Mode.ALWAYS and not self._has_runs(source)):
            times = None if mode is Mode.ALWAYS else formula.times
            self.dated_runs[DatedRun(self._date(atom, size), size, target, times)] = None
        elif mode is Mode.ALWAYS:
            self.runs[Run(source, size, target)] = None
        elif mode is Mode.SOMETIME:
            self._span(source, size, target)
        return Atom(target.name, _arguments(formula))

    def _has_runs(self, source: Symbol) -> bool:
        """Whether what held at earlier ticks is what was concluded then: it is remembered, and no head names
        other ticks.
        """
        return source.name in self.remembered and source not in self.at_ticks

    def _among_tuples(self, formula: Formula, window: TupleWindow) -> Atom:
        """It selects from assertions, whether the atom says so or not."""
        atom = replace(formula.atom, is_asserted=True)
        target = Symbol(_name(atom, formula, f"{window.size}#"), _symbol(atom).arity)
        self._feed(Input(_symbol(atom), True, formula.mode, window.size, target, formula.times, True))
        return Atom(target.name, _arguments(formula))

    def _at_among_tuples(self, formula: Formula, window: TupleWindow) -> Atom:
        """Of what has two arguments the pair is asked for, as long as it is among them."""
        source = _symbol(formula.atom)
        target = Symbol(URIRef(f"!{source.name}@{window.size}#"), 2)
        self._feed(Input(source, True, Mode.AT, window.size, target, counts_tuples=True))
        if source.arity > 1:
            inside = self._among_tuples(replace(formula, mode=Mode.SOMETIME, time=None), window).predicate
            self._add("at-asked", [Atom(inside, _terms(source))], Atom(PAIR.name, _terms(source)))
        return Atom(target.name, self._dated_arguments(formula))

    def _span(self, source: Symbol, size: int, target: Symbol) -> None:
        """What has been concluded, or said, within a window."""
        if (source, size) in self.spans:
            return
        self._feed(Input(source, False, Mode.SOMETIME, size, target))
        was = self.spans[source, size] = Symbol(URIRef(f"was-{target.name}"), source.arity)
        terms = _terms(source)
        for name in (source.name, was.name):  # what holds now is in the window too
            self._add("window", [Atom(name, terms)], Atom(target.name, terms))
        if source in self.at_ticks:
            body = [Atom(URIRef(f"{source.name}@"), (*terms, _TIME)), Atom(self._clock(size), (UNIT, _TIME))]
            self._add("window", body, Atom(target.name, terms))

    def _at(self, formula: Formula) -> Atom:
        atom, window = formula.atom, formula.window
        if isinstance(window, TupleWindow):
            return self._at_among_tuples(formula, window)
        size = WHOLE if window is None else self.ticks.size_of(window, formula)
        return Atom(self._date(atom, size).name, self._dated_arguments(formula))

    def _date(self, atom: TemporalAtom, size: int) -> Symbol:
        """The predicate of what held at which tick of a window."""
        self.sizes.add(size)
        source = _symbol(atom)
        target = Symbol(URIRef(f"{'!' * atom.is_asserted}{atom.predicate}@{size}"), 2)
        if atom.is_asserted or source not in self.heads:
            self._feed(Input(source, atom.is_asserted, Mode.AT, size, target))
        elif (source, size) not in self.dated:
            self._feed(Input(source, False, Mode.AT, size, target))
            was = self.dated[source, size] = Symbol(URIRef(f"was-{target.name}"), 2)
            terms = _terms(source)
            head = Atom(target.name, (*terms, _TIME))
            self._add("at", [Atom(was.name, (*terms, _TIME))], head)
            now = [Atom(source.name, terms), Atom(self._clock(0), (UNIT, _TIME))]
            self._add("at", [*now, *self._links(now, [head])], head)
            if source in self.at_ticks:
                dated = Atom(URIRef(f"{source.name}@"), (*terms, _TIME))
                self._add("at", [dated, Atom(self._clock(size), (UNIT, _TIME))], head)
        return target

    def _dated_arguments(self, formula: Formula) -> tuple[Argument, ...]:
        time = formula.time
        assert time is not None, "it is at a tick"
        return (*_arguments(formula), self.ticks.literal_like(time) if isinstance(time, Literal) else time)

    def _clock(self, size: int) -> URIRef:
        clock = Clock(Symbol(URIRef(f"urn:pantarhei:temporal:tick~{size}"), 2), size)
        self.clocks[clock] = None
        name = clock.symbol.name
        assert isinstance(name, URIRef)
        return name

    def _feed(self, given: Input) -> None:
        name = given.source.name
        wide = self.wide_ones.get(name) if isinstance(name, URIRef) else None
        if wide is not None and wide.plain is not None and given.mode is not Mode.NOW:
            self._feed_wide(given, wide, wide.plain)
        elif wide is None and name not in (UNIT, FIRST, REST):
            self.inputs[given] = None

    def _feed_wide(self, given: Input, wide: WidePredicate, plain: TemporalAtom) -> None:
        """What the stream says of a predicate whose conclusions have tuples."""
        time = (_TIME,) if given.mode is Mode.AT else ()
        said = Symbol(URIRef(f"said-{given.target.name}"), 2 if time else wide.arity)
        self.inputs[given._replace(source=_symbol(plain), target=said)] = None
        whole = reified(wide, plain.arguments, URIRef(given.target.name))
        body = [Atom(said.name, (*plain.arguments, *time))]
        for each in whole.asked:
            self._add("said-asked", body, _plainly(each.atom))
            body += map(_plainly, each.links)
        self._add("said", body, Atom(given.target.name, (*whole.atom.arguments, *time)))


def _name(atom: TemporalAtom, formula: Formula, size: str) -> URIRef:
    sign = "□" if formula.mode is Mode.ALWAYS else "~"
    times = f"×{formula.times}" if formula.times > 1 else ""
    return URIRef(f"{'!' * atom.is_asserted}{atom.predicate}{sign}{size}{times}")


def _guard(denied: Atom) -> Guard:
    asked, free = (Symbol(URIRef(f"{word}-{denied.predicate}"), 2) for word in ("asked", "free"))
    return Guard(Symbol(denied.predicate, min(2, len(denied.arguments))), asked, free)


def _symbol(atom: TemporalAtom) -> Symbol:
    return Symbol(atom.predicate, max(1, len(atom.arguments)))


def _plainly(atom: TemporalAtom) -> Atom:
    return Atom(atom.predicate, atom.arguments)


def _arguments(formula: Formula) -> tuple[Argument, ...]:
    count = len(formula.atom.arguments)
    if count > 2:
        problem = f"{formula.atom} has {count} arguments, and no rule concludes it"
        raise refused(problem, "one or two arguments of what the stream says", formula)
    return formula.atom.arguments or (UNIT,)


def _terms(symbol: Symbol) -> tuple[Variable, ...]:
    """Variables for the arguments of a predicate."""
    return tuple(Variable(f"x{place}") for place in range(symbol.arity))


def _variables(atom: Atom) -> list[Variable]:
    return [each for each in atom.arguments if isinstance(each, Variable)]
