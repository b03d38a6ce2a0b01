"""Translation of temporal rules to rules of the second kernel and operators around it.

Each construct is a predicate of its own, whose signs `temporal_program` explains: `!` asserted, `~n` sometime
in a window, `□n` always, `@n` at a tick of a window, `@` at a tick that a head names, `n#` of the last
assertions, `×k` at k ticks, `was-` earlier, `asked-` and `free-` for negation, `said-` and `concluded-` for
the origin, `()` with tuples. `p:2:0` connects parts of a body (see `connect_body`), `tick~n` has the ticks of
a window.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from rdflib import Literal, URIRef

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Argument, Atom, Predicate, Rule
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TupleWindow
from pantarhei.temporal.literal_tests import with_kernel_tests
from pantarhei.temporal.reification import TuplePredicate, TupleReification, reify_atom, reify_pairs
from pantarhei.temporal.rule_form import check_count, check_time_kind, rule_error
from pantarhei.temporal.rule_warnings import first_unbounded_rule
from pantarhei.temporal.safety import with_ordered_tests
from pantarhei.temporal.temporal_program import (
    ALWAYS,
    TUPLE,
    UNBOUNDED,
    UNIT,
    ConclusionRun,
    Input,
    NegationGuard,
    TemporalProgram,
    TickCount,
)
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.unfolding import unfold
from pantarhei.temporal.window_rewrites import (
    TIME_VARIABLE,
    ConclusionWindows,
    ProgramBuilder,
    argument_variables,
    connect_body,
    covering_windows,
    head_tick_offsets,
    kernel_atom,
    kernel_symbol,
)


def compile_rules(
    rules: Iterable[TemporalRule],
    remembered: Iterable[URIRef],
    ticks: Ticks,
    ontology: Iterable[Rule] = (),
    feedback: bool = False,
) -> TemporalProgram:
    """Compile temporal rules to the program that the second kernel runs. Costs their size."""
    return reify_pairs(unfold(translate_rules(rules, remembered, ticks, ontology, feedback)))


def translate_rules(
    rules: Iterable[TemporalRule],
    remembered: Iterable[URIRef],
    ticks: Ticks,
    ontology: Iterable[Rule] = (),
    feedback: bool = False,
    unique_names: bool = True,
) -> TemporalProgram:
    """Translate temporal rules, formula by formula; atoms of the program have up to three arguments.

    Args:
        rules: safe and stratified.
        remembered: predicates whose conclusions are remembered.
        ticks: ticks of the stream.
        ontology: rules of the ontology that join them.
        feedback: true if what rules conclude is kept apart from input of the same predicates.
        unique_names: true if different names denote different things.

    Raises:
        TemporalRuleError: a window does not fit the stream's ticks, or a construct is not supported.
    """
    rules = list(rules)
    for rule in rules:
        check_time_kind(rule, ticks.kind)
    ordered = [with_kernel_tests(with_ordered_tests(rule), unique_names) for rule in rules]
    reification = TupleReification(ordered)
    given, wide, joined = reification.rules, reification.wide, list(ontology)
    program = _Translation(given, wide, joined, frozenset(remembered), ticks, feedback).program()
    return replace(program, maybe_endless=first_unbounded_rule(rules, joined))


@dataclass
class _Translation:
    """Translation of the rules of one program; used once."""

    given: list[TemporalRule]
    wide: dict[URIRef, TuplePredicate]
    ontology: list[Rule]
    remembered: frozenset[URIRef]
    ticks: Ticks
    feedback: bool = False
    sizes: set[int] = field(default_factory=set)
    fed_back: dict[Symbol, Symbol] = field(default_factory=dict)  # predicates of what rules conclude

    def __post_init__(self) -> None:
        self.by_kernel_name = {each.predicate: each for each in self.wide.values()}
        self.remembered |= {each.predicate for each in self.wide.values() if each.name in self.remembered}
        self.bridges = [rule for each in self.wide.values() for rule in each.bridges]
        heads = [rule.head for rule in (*self.given, *self.bridges) if rule.head.atom.predicate != TUPLE]
        heads += [
            Formula(TemporalAtom(cast(URIRef, each.head.predicate), each.head.arguments))
            for each in self.ontology
            if each.head
        ]
        self.heads = {kernel_symbol(head.atom): head.atom for head in heads}
        self.collected = ProgramBuilder(self.by_kernel_name)
        now = frozenset(kernel_symbol(head.atom) for head in heads if head.mode is Mode.NOW)
        remembered = [symbol for symbol, atom in self.heads.items() if atom.predicate in self.remembered]
        at_ticks = head_tick_offsets(self.given, self.ticks)
        alone = {} if self.feedback else {s: at for s, at in at_ticks.items() if s not in (*now, *remembered)}
        shared = covering_windows(self.given, alone, self.ticks)
        self.looking_back = ConclusionWindows(self.collected, now, at_ticks, remembered, shared)

    def program(self) -> TemporalProgram:
        for number, rule in enumerate(self.given):
            self._translate(rule, f"rule-{number + 1}", self.feedback)
        for rule in self.bridges:
            self._translate(rule, "bridge", feedback=False)
        if self.feedback:
            self._feed_plain()
        for joined in self.ontology:
            self._join(joined)
        builder = self.collected
        for symbol, head in self.heads.items():  # input of a concluded predicate holds too
            if head.arguments:
                builder.feed(Input(symbol, False, Mode.NOW, 0, symbol))
        coming = (symbol for symbol, back in self.looking_back.at_ticks.items() if back == UNBOUNDED)
        return TemporalProgram(
            tuple(builder.rules),
            tuple(builder.inputs),
            tuple(builder.guards),
            tuple(builder.runs),
            tuple(builder.dated_runs),
            tuple(builder.clocks),
            tuple(Symbol(URIRef(f"{symbol.name}@"), 2) for symbol in coming),
            tuple(self.looking_back.remembering()),
            dict(self._conclusions()),
            max((size for size in self.sizes if size < UNBOUNDED), default=0),
            self.ticks,
            tuple(kernel_symbol(each.plain) for each in self.wide.values() if each.plain),
            self.fed_back,
        )

    def _conclusions(self) -> Iterator[tuple[Symbol, tuple[URIRef, int]]]:
        for symbol, atom in self.heads.items():
            wide = self.by_kernel_name.get(atom.predicate)
            if wide is not None:
                yield symbol, (wide.name, wide.arity)
            elif isinstance(atom.predicate, URIRef) and atom.predicate not in self.wide:
                yield symbol, (atom.predicate, len(atom.arguments))  # an ontology also has generated names

    # -- rules -------------------------------------------------------------------------------------

    def _translate(self, rule: TemporalRule, name: str, feedback: bool) -> None:
        builder = self.collected
        head = self._head(rule.head, feedback and rule.head.atom.predicate != TUPLE)
        body = [self._atom(formula) for formula in rule.body if not formula.is_negated]
        denied = [self._atom(formula) for formula in rule.body if formula.is_negated]
        body = connect_body(builder, body, [head, *denied]) or [Atom(ALWAYS.name, (UNIT,))]
        free: list[Atom] = []
        for atom in denied:
            guard = _guard(atom)
            builder.guards[guard] = None
            arguments = atom.arguments if len(atom.arguments) > 1 else (UNIT, *atom.arguments)
            builder.add(f"{name}-asked", body, Atom(guard.asked.name, arguments), rule.tests)
            free.append(Atom(guard.free.name, arguments))
        builder.add(
            name, connect_body(builder, [*body, *free], [head]), head, rule.tests
        )  # tests may bind variables

    def _join(self, rule: Rule) -> None:
        """Add a rule of the ontology: predicates of its body that no rule concludes become input."""
        for atom in rule.body:
            symbol = Symbol(atom.predicate, len(atom.arguments))
            if symbol not in self.heads:
                self.collected.feed(Input(symbol, False, Mode.NOW, 0, symbol))
        self.collected.rules[rule] = None

    def _head(self, formula: Formula, feedback: bool) -> Atom:
        atom = formula.atom
        concluded = self._concluded(kernel_symbol(atom)) if feedback else atom.predicate
        if formula.mode is Mode.NOW:
            return Atom(concluded, _arguments(formula))
        dated = URIRef(f"{atom.predicate}@")
        terms, now = argument_variables(kernel_symbol(atom)), self.collected.clock(0)
        body = [Atom(dated, (*terms, TIME_VARIABLE)), Atom(now, (UNIT, TIME_VARIABLE))]
        self.collected.add("at-now", body, Atom(concluded, terms))
        return Atom(dated, self._dated_arguments(formula))

    def _concluded(self, symbol: Symbol) -> Predicate:
        """Return the predicate of what rules conclude of a predicate now."""
        concluded = self.fed_back[symbol] = Symbol(URIRef(f"concluded-{symbol.name}"), symbol.arity)
        terms = argument_variables(symbol)
        self.collected.add("concluded", [Atom(concluded.name, terms)], Atom(symbol.name, terms))
        return concluded.name

    def _feed_plain(self) -> None:
        """Add rules that derive triples from concluded tuples of up to two terms, for feedback
        into the window.
        """
        for wide in self.wide.values():
            if wide.plain is not None:
                whole = reify_atom(wide, wide.plain.arguments, URIRef(f"concluded-{wide.predicate}"))
                concluded = self.fed_back[kernel_symbol(wide.plain)] = Symbol(
                    URIRef(f"concluded-{wide.name}"), wide.arity
                )
                body = map(kernel_atom, (whole.atom, *whole.links))
                self.collected.add("concluded", body, Atom(concluded.name, wide.plain.arguments))

    # -- formulas of a body ------------------------------------------------------------------------

    def _atom(self, formula: Formula) -> Atom:
        """Return the atom of the second kernel for a formula of a body."""
        window, builder = formula.window, self.collected
        if formula.mode is Mode.AT:
            return self._at(formula)
        if isinstance(window, TupleWindow):
            return self._among_tuples(formula, window)
        size = 0 if window is None else self.ticks.window_size(window, formula)
        check_count(formula, size)
        self.sizes.add(size)
        atom, source = formula.atom, kernel_symbol(formula.atom)
        mode = formula.mode if size or formula.times > 1 else Mode.NOW
        now = URIRef(f"{'!' * atom.is_asserted}{atom.predicate}")
        target = Symbol(now if mode is Mode.NOW else _name(atom, formula, str(size)), source.arity)
        if atom.is_asserted or source not in self.heads:
            builder.feed(Input(source, atom.is_asserted, mode, size, target, formula.times))
        elif formula.times > 1 or (mode is Mode.ALWAYS and not self.looking_back.has_runs(source)):
            times = None if mode is Mode.ALWAYS else formula.times
            builder.dated_runs[TickCount(self._date(atom, size), size, target, times)] = None
        elif mode is Mode.ALWAYS:
            builder.runs[ConclusionRun(source, size, target)] = None
        elif mode is Mode.SOMETIME:
            self.looking_back.span(source, size, target)
        return Atom(target.name, _arguments(formula))

    def _among_tuples(self, formula: Formula, window: TupleWindow) -> Atom:
        """Translate a formula over the last assertions, asserted or not."""
        atom = replace(formula.atom, is_asserted=True)
        target = Symbol(_name(atom, formula, f"{window.size}#"), kernel_symbol(atom).arity)
        self.collected.feed(
            Input(kernel_symbol(atom), True, formula.mode, window.size, target, formula.times, True)
        )
        return Atom(target.name, _arguments(formula))

    def _at(self, formula: Formula) -> Atom:
        atom, window = formula.atom, formula.window
        if isinstance(window, TupleWindow):
            source = kernel_symbol(atom)
            target = Symbol(URIRef(f"!{source.name}@{window.size}#"), 2)
            self.collected.feed(Input(source, True, Mode.AT, window.size, target, counts_tuples=True))
        else:
            size = UNBOUNDED if window is None else self.ticks.window_size(window, formula)
            target = self._date(atom, size)
        return Atom(target.name, self._dated_arguments(formula))

    def _date(self, atom: TemporalAtom, size: int) -> Symbol:
        """Return the predicate of what held at which tick of a window."""
        self.sizes.add(size)
        source = kernel_symbol(atom)
        if source in self.heads and not atom.is_asserted:
            return self.looking_back.dated(source, size)
        target = Symbol(URIRef(f"{'!' * atom.is_asserted}{atom.predicate}@{size}"), 2)
        self.collected.feed(Input(source, atom.is_asserted, Mode.AT, size, target))
        return target

    def _dated_arguments(self, formula: Formula) -> tuple[Argument, ...]:
        time = formula.time
        assert time is not None, "a formula at a tick has a time"
        return (*_arguments(formula), self.ticks.normalize_time(time) if isinstance(time, Literal) else time)


def _name(atom: TemporalAtom, formula: Formula, size: str) -> URIRef:
    sign = "□" if formula.mode is Mode.ALWAYS else "~"
    times = f"×{formula.times}" if formula.times > 1 else ""
    return URIRef(f"{'!' * atom.is_asserted}{atom.predicate}{sign}{size}{times}")


def _guard(denied: Atom) -> NegationGuard:
    asked, free = (Symbol(URIRef(f"{word}-{denied.predicate}"), 2) for word in ("asked", "free"))
    return NegationGuard(Symbol(denied.predicate, min(2, len(denied.arguments))), asked, free)


def _arguments(formula: Formula) -> tuple[Argument, ...]:
    count = len(formula.atom.arguments)
    if count > 2:
        problem = f"{formula.atom} has {count} arguments, and no rule concludes it"
        raise rule_error(problem, "one or two arguments for input of the stream", formula)
    return formula.atom.arguments or (UNIT,)
