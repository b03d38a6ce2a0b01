"""Unfolding: rules that read single events are replaced by base rows that are stored with the events.

    hot(S) at T :- asserted temp(S, V) at T in [20], V >= 100.
    seen(S) :- asserted temp(S, V) in [5].
    calm(S) :- asserted temp(S, V), not alarm(S).

The first two rules derive a conclusion from each event alone, until a known tick. So `!temp@20` and `!temp~5`
need no rows unless another rule reads them. The third rule tests that a reporting sensor has no alarm, and
uses nothing else of the event: `absent-alarm` has exactly its conclusions, so `!temp` needs no rows either.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.temporal_rule import Mode
from pantarhei.temporal.selection import TICK_PLACE, Selection
from pantarhei.temporal.temporal_program import TUPLE, Input, TemporalProgram

_MOST: Final = 8
"""Maximum number of inputs that replace the inputs of one predicate, since each processes all events."""


def unfold(program: TemporalProgram) -> TemporalProgram:
    """Return an equivalent program with fewer rules and rows. Costs time linear in the rules.

    Args:
        program: program whose atoms have up to three arguments, of which a tick is the last.
    """
    unfolding = _Unfolding(program)
    unfolding.use_guards()
    unfolding.run()
    return unfolding.program()


class _Replacement(NamedTuple):
    """Replacement of a rule's matches with some rows.

    Args:
        inputs: inputs that derive the rule's conclusions from events directly.
        rule: rule for the remaining matches; None if there are none.
    """

    inputs: list[Input]
    rule: Rule | None


class _Unfolding:
    """State of the transformation; used once."""

    def __init__(self, program: TemporalProgram) -> None:
        self._program = program
        self._rules: dict[Rule, None] = {}
        self._readers: defaultdict[Symbol, dict[Rule, None]] = defaultdict(dict)
        self._makers: defaultdict[Symbol, dict[Rule, None]] = defaultdict(dict)
        self._inputs: defaultdict[Symbol, dict[Input, None]] = defaultdict(dict)
        for rule in program.rules:
            self._add(rule)
        for each in program.inputs:
            self._inputs[each.target][each] = None
        self._candidates = {guard.absent.name: guard.candidates for guard in program.guards}
        self._clocks = {clock.symbol.name: clock.size for clock in program.clocks}
        self._runs = dict.fromkeys(program.dated_runs)
        self._read_by_operators = set(_read_by_operators(program))
        self._removed: set[Symbol] = set()

    def program(self) -> TemporalProgram:
        """Return the transformed program."""
        inputs = tuple(self._by_origin())
        read = {atom.predicate for rule in self._rules for atom in rule.body}
        clocks = tuple(clock for clock in self._program.clocks if clock.symbol.name in read)
        rules, runs = tuple(self._rules), tuple(self._runs)
        return replace(self._program, rules=rules, inputs=inputs, dated_runs=runs, clocks=clocks)

    def _add(self, rule: Rule) -> None:
        self._rules[rule] = None
        for atom in rule.body:
            self._readers[_symbol(atom)][rule] = None
        if rule.head is not None:
            self._makers[_symbol(rule.head)][rule] = None

    def _drop(self, rule: Rule) -> None:
        del self._rules[rule]
        for symbol in {_symbol(atom) for atom in rule.body}:
            del self._readers[symbol][rule]
        if rule.head is not None:
            del self._makers[_symbol(rule.head)][rule]

    # -- guards ------------------------------------------------------------------------------------

    def use_guards(self) -> None:
        """Replace bodies that only filter single events by negated atoms with the rows of the guards of these
        atoms.
        """
        for rule in list(self._rules):
            absent = tuple(atom for atom in rule.body if atom.predicate in self._candidates)
            if absent and self._is_guarded(absent, rule):
                self._drop(rule)
                self._add(replace(rule, body=absent, tests=()))

    def _is_guarded(self, absent: tuple[Atom, ...], rule: Rule) -> bool:
        """Test whether the guards of `absent` have exactly the rows of a body, since no other rule adds
        candidates.
        """
        others = tuple(atom for atom in rule.body if atom not in absent)
        known, *more = {atom.arguments for atom in absent}
        if more or len(known) > 2 or len(others) != 1 or rule.head is None:
            return False
        variables = {each for each in rule.head.arguments if isinstance(each, Variable)}
        return (
            variables <= {*known}
            and self._has_only_events(_symbol(others[0]))
            and all(
                (request.body, request.tests) == (others, rule.tests)
                and (request.head is not None and request.head.arguments == known)
                for atom in absent
                for request in self._makers[self._candidates[atom.predicate]]
            )
        )

    def _has_only_events(self, symbol: Symbol) -> bool:
        inputs = self._inputs[symbol]
        return len(inputs) > 0 and not self._makers[symbol] and all(map(_is_event, inputs))

    # -- removed rows ------------------------------------------------------------------------------

    def run(self) -> None:
        """Remove the rows of each predicate whose readers can be replaced by inputs of their own."""
        waiting = list(self._inputs)
        for symbol in waiting:
            if symbol not in self._removed:
                self._box(symbol)
                waiting += self._remove_rows(symbol)

    def _remove_rows(self, symbol: Symbol) -> list[Symbol]:
        """Replace the readers of a predicate's rows by inputs, if all of them can be replaced.

        Returns: The predicates whose inputs or rules changed.
        """
        if symbol in self._read_by_operators or any(run.source == symbol for run in self._runs):
            return []
        rows = list(filter(_is_row, self._inputs[symbol]))
        events = list(filter(_is_event, rows))
        for given in (rows, events) if events else ():
            is_whole = len(given) == len(self._inputs[symbol]) and not self._makers[symbol]
            readers = list(self._readers[symbol])
            found = [self._replacement(rule, symbol, given, is_whole) for rule in readers]
            replacements = {rule: each for rule, each in zip(readers, found, strict=True) if each is not None}
            count = sum(_is_event(each) for inputs, _ in replacements.values() for each in inputs)
            if len(replacements) == len(readers) and count <= _MOST:
                return self._replace(symbol, given, replacements)
        return []

    def _replace(
        self, symbol: Symbol, given: list[Input], replacements: dict[Rule, _Replacement]
    ) -> list[Symbol]:
        self._removed.add(symbol)
        for each in given:
            del self._inputs[symbol][each]
        changed = dict[Symbol, None]()
        for rule, (inputs, other) in replacements.items():
            for each in inputs:
                self._inputs[each.target][each] = None
                changed[each.target] = None
            if other != rule:
                self._drop(rule)
                changed.update(dict.fromkeys([_symbol(rule.head)] if rule.head else ()))
            if other is not None and other != rule:
                self._add(other)
        return list(changed)

    def _replacement(
        self, rule: Rule, symbol: Symbol, given: list[Input], is_whole: bool
    ) -> _Replacement | None:
        """Return the replacement of a rule for the rows of some inputs of a predicate; None if there is none.

        Args:
            is_whole: true if the predicate has no other rows.
        """
        found = [self._through(rule, symbol, each) for each in given]
        if None not in found:
            return _Replacement([each for some in found if some for each in some], None if is_whole else rule)
        shorter = _shorter(rule, symbol) if is_whole else {}
        found = [self._through(less, symbol, each) for each in given for less in shorter.values()]
        if None in found or not found:
            return None
        heads = {atom: less.head for atom, less in shorter.items() if less.head is not None}
        other = replace(rule, body=tuple(heads.get(atom, atom) for atom in rule.body))
        return _Replacement([each for some in found if some for each in some], other)

    def _through(self, rule: Rule, symbol: Symbol, given: Input) -> list[Input] | None:
        """Return the inputs that derive a rule's head from an input, if the rule reads only it and clocks;
        else None.
        """
        (atom, *more), size = [atom for atom in rule.body if _symbol(atom) == symbol], given.size
        for other in rule.body:
            if other != atom:
                is_clock = other.predicate in self._clocks and given.mode is Mode.AT
                if not is_clock or other.arguments[-1] != atom.arguments[-1]:
                    return None
                size = min(size, self._clocks[other.predicate])
        selection = _selection(given).through(atom, rule)
        if more or selection is None or rule.head is None:
            return None
        target, other_selection = _symbol(rule.head), _plain(selection, given)
        if not selection.is_dated and not given.is_asserted:
            is_input = target == given.source and size == 0 and other_selection is None
            return [] if is_input else None  # the fact itself is input of the predicate
        is_excluded = target.name == TUPLE or target == symbol or target in self._removed
        if is_excluded or (target in self._program.at_ticks and not selection.is_dated):
            return None
        mode = Mode.AT if selection.is_dated else Mode.SOMETIME
        return [Input(given.source, given.is_asserted, mode, size, target, selection=other_selection)]

    def _box(self, symbol: Symbol) -> None:
        """Derive □ over a predicate directly from the input, if all rows of the predicate come from input."""
        inputs = list(self._inputs[symbol])
        if not inputs or self._makers[symbol] or not all(map(_is_row, inputs)):
            return
        for run in [run for run in self._runs if run.source == symbol and run.times is None]:
            if all(each.mode is Mode.AT and each.size >= run.size for each in inputs):
                del self._runs[run]
                for each in inputs:
                    selection = Selection(_selection(each).arguments[:-1], _selection(each).conditions)
                    boxed = each._replace(mode=Mode.ALWAYS, size=run.size, target=run.target)
                    boxed = boxed._replace(selection=_plain(selection, each))
                    self._inputs[run.target][boxed] = None

    # -- rows of several origins --------------------------------------------------------------------

    def _by_origin(self) -> Iterator[Input]:
        """Yield the inputs such that the rows of each predicate have one kind of origin.

        Rows of other kinds get a predicate of their own, with a rule that derives the original predicate from
        it.
        """
        for symbol, inputs in list(self._inputs.items()):
            first = min(map(_kind, inputs), default="")
            for each in inputs:
                if _kind(each) == first:
                    yield each
                    continue
                terms = tuple(Variable(f"x{place}") for place in range(symbol.arity))
                separate = Symbol(URIRef(f"{_kind(each)}-{symbol.name}"), symbol.arity)
                self._add(Rule("separate", (Atom(separate.name, terms),), Atom(symbol.name, terms)))
                yield each._replace(target=separate)


def _kind(given: Input) -> str:
    """Return the kind of origin of an input's rows: input at ticks, events, or other input."""
    return "dated" if given.mode is Mode.AT else "event" if _is_event(given) else "input"


def _is_event(given: Input) -> bool:
    """Test whether each assertion of the source is a row of its own, with an expiry."""
    is_row = given.mode is not Mode.ALWAYS and given.times == 1 and not given.counts_tuples
    return given.is_asserted and is_row


def _is_row(given: Input) -> bool:
    """Test whether each fact at a tick is a row of its own: an event, or a state at a tick."""
    is_state = given.mode is Mode.AT and given.times == 1 and not given.counts_tuples
    return _is_event(given) or is_state


def _selection(given: Input) -> Selection:
    """Return the selection of an input; None is replaced by the selection of all arguments."""
    places = range(1, given.source.arity + 1)
    return given.selection or Selection((*places, TICK_PLACE) if given.mode is Mode.AT else (*places,))


def _plain(selection: Selection, given: Input) -> Selection | None:
    """Return the selection; None if it selects all facts with all arguments."""
    places = range(1, given.source.arity + 1)
    is_whole = selection == Selection((*places, TICK_PLACE) if selection.is_dated else (*places,))
    return None if is_whole else selection


def _shorter(rule: Rule, symbol: Symbol) -> dict[Atom, Rule]:
    """Return, for each atom of a predicate in a body, a rule that projects it to the arguments used
    elsewhere.

    For p(x, y), `p:0` contains x alone. Empty if some atom has no unused argument, or does not use its first
    one.
    """
    counts = Counter(argument for part in (*rule.atoms, *rule.tests) for argument in part.arguments)
    found: dict[Atom, Rule] = {}
    for atom in (atom for atom in rule.body if _symbol(atom) == symbol):
        given = enumerate(atom.arguments)
        kept = [place for place, each in given if counts[each] > 1 or not isinstance(each, Variable)]
        if rule.different or 0 not in kept or len(kept) == len(atom.arguments):
            return {}
        name = URIRef(f"{atom.predicate}:{''.join(map(str, kept))}")
        less = Atom(name, tuple(atom.arguments[place] for place in kept))
        found[atom] = Rule("less", (atom,), less)
    return found


def _read_by_operators(program: TemporalProgram) -> Iterator[Symbol]:
    """Yield the predicates that operators, conclusions and remembered predicates read."""
    yield from program.conclusions
    yield from program.plain
    for pair in program.fed_back.items():
        yield from pair
    for guard in program.guards:
        yield from (guard.negated, guard.candidates)
    for run in program.runs:
        yield run.source
    yield from program.at_ticks
    for remembered in program.remembered:
        yield remembered.source


def _symbol(atom: Atom) -> Symbol:
    """Return the predicate of an atom after reification of pairs, when atoms have at most two arguments."""
    return Symbol(atom.predicate, min(2, len(atom.arguments)))
