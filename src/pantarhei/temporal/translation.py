"""Translation of temporal rules to rules of the temporal kernel and operators between its strata.

Each construct becomes a predicate. `temporal_program` lists the signs in the names of these predicates. In
addition `p:2:0` is generated to connect parts of a body (see `connect_body`), and `tick~n` contains the ticks
of a window of length n.
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
    """Compile temporal rules to the program of the temporal kernel. Costs time linear in their size.

    See `translate_rules` for the arguments.
    """
    return reify_pairs(unfold(translate_rules(rules, remembered, ticks, ontology, feedback)))


def translate_rules(
    rules: Iterable[TemporalRule],
    remembered: Iterable[URIRef],
    ticks: Ticks,
    ontology: Iterable[Rule] = (),
    feedback: bool = False,
    unique_names: bool = True,
) -> TemporalProgram:
    """Translate temporal rules, formula by formula, to atoms with up to three arguments.

    Args:
        rules: safe and stratified rules.
        remembered: predicates whose conclusions are remembered.
        ticks: ticks of the stream.
        ontology: rules of the ontology that the conclusions can fire.
        feedback: true to store the rules' own conclusions apart from input of the same predicates.
        unique_names: true if different names denote different individuals.

    Raises:
        TemporalRuleError: a window is invalid for the stream's ticks, or a construct is not supported.
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
    fed_back: dict[Symbol, Symbol] = field(default_factory=dict)  # predicates for the rules' own conclusions

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
        self.conclusion_windows = ConclusionWindows(self.collected, now, at_ticks, remembered, shared)

    def program(self) -> TemporalProgram:
        for number, rule in enumerate(self.given):
            self._translate(rule, f"rule-{number + 1}", self.feedback)
        for rule in self.bridges:
            self._translate(rule, "bridge", feedback=False)
        if self.feedback:
            self._feed_triples()
        for joined in self.ontology:
            self._join(joined)
        builder = self.collected
        for symbol, head in self.heads.items():  # a concluded predicate may also have input
            if head.arguments:
                builder.add_input(Input(symbol, False, Mode.NOW, 0, symbol))
        unlimited = (symbol for symbol, most in self.conclusion_windows.at_ticks.items() if most == UNBOUNDED)
        return TemporalProgram(
            tuple(builder.rules),
            tuple(builder.inputs),
            tuple(builder.guards),
            tuple(builder.runs),
            tuple(builder.dated_runs),
            tuple(builder.clocks),
            tuple(Symbol(URIRef(f"{symbol.name}@"), 2) for symbol in unlimited),
            tuple(self.conclusion_windows.remembering()),
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
                yield (
                    symbol,
                    (atom.predicate, len(atom.arguments)),
                )  # rules of an ontology also have generated predicates

    # -- rules -------------------------------------------------------------------------------------

    def _translate(self, rule: TemporalRule, name: str, feedback: bool) -> None:
        builder = self.collected
        head = self._head(rule.head, feedback and rule.head.atom.predicate != TUPLE)
        body = [self._atom(formula) for formula in rule.body if not formula.is_negated]
        negated = [self._atom(formula) for formula in rule.body if formula.is_negated]
        body = connect_body(builder, body, [head, *negated]) or [Atom(ALWAYS.name, (UNIT,))]
        absent: list[Atom] = []
        for atom in negated:
            guard = _guard(atom)
            builder.guards[guard] = None
            arguments = atom.arguments if len(atom.arguments) > 1 else (UNIT, *atom.arguments)
            builder.add(f"{name}-candidates", body, Atom(guard.candidates.name, arguments), rule.tests)
            absent.append(Atom(guard.absent.name, arguments))
        builder.add(
            name, connect_body(builder, [*body, *absent], [head]), head, rule.tests
        )  # tests may bind variables

    def _join(self, rule: Rule) -> None:
        """Add a rule of the ontology; predicates of its body that no rule concludes become input."""
        for atom in rule.body:
            symbol = Symbol(atom.predicate, len(atom.arguments))
            if symbol not in self.heads:
                self.collected.add_input(Input(symbol, False, Mode.NOW, 0, symbol))
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
        """Return the predicate for the rules' own conclusions of a predicate, apart from its input."""
        concluded = self.fed_back[symbol] = Symbol(URIRef(f"concluded-{symbol.name}"), symbol.arity)
        terms = argument_variables(symbol)
        self.collected.add("concluded", [Atom(concluded.name, terms)], Atom(symbol.name, terms))
        return concluded.name

    def _feed_triples(self) -> None:
        """Add rules that derive triples from reified conclusions of up to two arguments, for feedback."""
        for wide in self.wide.values():
            if wide.plain is not None:
                reified = reify_atom(wide, wide.plain.arguments, URIRef(f"concluded-{wide.predicate}"))
                concluded = self.fed_back[kernel_symbol(wide.plain)] = Symbol(
                    URIRef(f"concluded-{wide.name}"), wide.arity
                )
                body = map(kernel_atom, (reified.atom, *reified.links))
                self.collected.add("concluded", body, Atom(concluded.name, wide.plain.arguments))

    # -- formulas of a body ------------------------------------------------------------------------

    def _atom(self, formula: Formula) -> Atom:
        """Return the kernel's atom for a formula of a body; add the inputs and operators that it needs."""
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
            builder.add_input(Input(source, atom.is_asserted, mode, size, target, formula.times))
        elif formula.times > 1 or (mode is Mode.ALWAYS and not self.conclusion_windows.has_runs(source)):
            times = None if mode is Mode.ALWAYS else formula.times
            builder.dated_runs[TickCount(self._date(atom, size), size, target, times)] = None
        elif mode is Mode.ALWAYS:
            builder.runs[ConclusionRun(source, size, target)] = None
        elif mode is Mode.SOMETIME:
            self.conclusion_windows.span(source, size, target)
        return Atom(target.name, _arguments(formula))

    def _among_tuples(self, formula: Formula, window: TupleWindow) -> Atom:
        """Translate a formula over the last assertions, with or without the word `asserted`."""
        atom = replace(formula.atom, is_asserted=True)
        target = Symbol(_name(atom, formula, f"{window.size}#"), kernel_symbol(atom).arity)
        self.collected.add_input(
            Input(kernel_symbol(atom), True, formula.mode, window.size, target, formula.times, True)
        )
        return Atom(target.name, _arguments(formula))

    def _at(self, formula: Formula) -> Atom:
        atom, window = formula.atom, formula.window
        if isinstance(window, TupleWindow):
            source = kernel_symbol(atom)
            target = Symbol(URIRef(f"!{source.name}@{window.size}#"), 2)
            self.collected.add_input(Input(source, True, Mode.AT, window.size, target, counts_tuples=True))
        else:
            size = UNBOUNDED if window is None else self.ticks.window_size(window, formula)
            target = self._date(atom, size)
        return Atom(target.name, self._dated_arguments(formula))

    def _date(self, atom: TemporalAtom, size: int) -> Symbol:
        """Return the predicate whose rows are an atom's facts at each tick of a window, with the tick's time
        last.
        """
        self.sizes.add(size)
        source = kernel_symbol(atom)
        if source in self.heads and not atom.is_asserted:
            return self.conclusion_windows.dated(source, size)
        target = Symbol(URIRef(f"{'!' * atom.is_asserted}{atom.predicate}@{size}"), 2)
        self.collected.add_input(Input(source, atom.is_asserted, Mode.AT, size, target))
        return target

    def _dated_arguments(self, formula: Formula) -> tuple[Argument, ...]:
        time = formula.time
        assert time is not None, "a formula at a tick has a time"
        return (*_arguments(formula), self.ticks.normalize_time(time) if isinstance(time, Literal) else time)


def _name(atom: TemporalAtom, formula: Formula, size: str) -> URIRef:
    sign = "□" if formula.mode is Mode.ALWAYS else "~"
    times = f"×{formula.times}" if formula.times > 1 else ""
    return URIRef(f"{'!' * atom.is_asserted}{atom.predicate}{sign}{size}{times}")


def _guard(negated: Atom) -> NegationGuard:
    candidates, absent = (
        Symbol(URIRef(f"{word}-{negated.predicate}"), 2) for word in ("candidate", "absent")
    )
    return NegationGuard(Symbol(negated.predicate, min(2, len(negated.arguments))), candidates, absent)


def _arguments(formula: Formula) -> tuple[Argument, ...]:
    count = len(formula.atom.arguments)
    if count > 2:
        problem = f"{formula.atom} has {count} arguments, but no rule concludes it"
        raise rule_error(problem, "one or two arguments for input of the stream", formula)
    return formula.atom.arguments or (UNIT,)
