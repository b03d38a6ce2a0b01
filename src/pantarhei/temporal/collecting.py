"""What temporal rules are translated into, as it is collected: rules of the second kernel, and inputs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule, Test
from pantarhei.model.temporal_rule import Mode, TemporalAtom
from pantarhei.temporal.program import FIRST, REST, UNIT, Clock, DatedRun, Guard, Input, Run
from pantarhei.temporal.tuple_reification import WidePredicate, reified
from pantarhei.values.builtin import as_member

TIME = Variable("time")
"""The time of a tick, in rules that are made."""


@dataclass
class Collected:
    """What has been made so far; each thing once, in the order in which it was first asked for.

    Args:
        wide: the conclusions that have tuples, by their predicates in the second kernel.
    """

    wide: Mapping[URIRef, WidePredicate]
    rules: dict[Rule, None] = field(default_factory=dict)
    inputs: dict[Input, None] = field(default_factory=dict)
    guards: dict[Guard, None] = field(default_factory=dict)
    runs: dict[Run, None] = field(default_factory=dict)
    dated_runs: dict[DatedRun, None] = field(default_factory=dict)
    clocks: dict[Clock, None] = field(default_factory=dict)

    def add(self, name: str, body: Iterable[Atom], head: Atom, tests: tuple[Test, ...] = ()) -> None:
        """A rule, of atoms with up to three arguments. What it compares with constants is decided once."""
        self.rules[Rule(name, tuple(dict.fromkeys(body)), head, tests=tuple(map(as_member, tests)))] = None

    def clock(self, size: int) -> URIRef:
        """The predicate of the ticks of a window."""
        name = URIRef(f"urn:pantarhei:temporal:tick~{size}")
        self.clocks[Clock(Symbol(name, 2), size)] = None
        return name

    def feed(self, given: Input) -> None:
        """Rows that follow the stream, as far as it can say such a thing."""
        name = given.source.name
        wide = self.wide.get(name) if isinstance(name, URIRef) else None
        if wide is not None and wide.plain is not None and given.mode is not Mode.NOW:
            self._feed_wide(given, wide, wide.plain)
        elif wide is None and name not in (UNIT, FIRST, REST):
            self.inputs[given] = None

    def _feed_wide(self, given: Input, wide: WidePredicate, plain: TemporalAtom) -> None:
        """What the stream says of a predicate whose conclusions have tuples."""
        time = (TIME,) if given.mode is Mode.AT else ()
        said = Symbol(URIRef(f"said-{given.target.name}"), 2 if time else wide.arity)
        self.inputs[given._replace(source=symbol_of(plain), target=said)] = None
        whole = reified(wide, plain.arguments, URIRef(given.target.name))
        body = [Atom(said.name, (*plain.arguments, *time))]
        for each in whole.asked:
            self.add("said-asked", body, plainly(each.atom))
            body += map(plainly, each.links)
        self.add("said", body, Atom(given.target.name, (*whole.atom.arguments, *time)))


def symbol_of(atom: TemporalAtom) -> Symbol:
    """The predicate of an atom in the second kernel, where what has no arguments is said of the unit."""
    return Symbol(atom.predicate, max(1, len(atom.arguments)))


def plainly(atom: TemporalAtom) -> Atom:
    """The atom as rules of the second kernel have it."""
    return Atom(atom.predicate, atom.arguments)


def terms_of(symbol: Symbol) -> tuple[Variable, ...]:
    """Variables for the arguments of a predicate."""
    return tuple(Variable(f"x{place}") for place in range(symbol.arity))
