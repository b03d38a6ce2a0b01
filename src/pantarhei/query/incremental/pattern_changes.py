"""Basic graph patterns of all registered queries, matched together to what a step changed.

Patterns that differ only in their constants and in the names of their variables are one body for the kernel,
whose parameters stand for the constants.

Patterns that leave the class or property open, and paths of all but some predicates.

They are told of the facts that come and go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, cast

import numpy as np
from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel.bags import Reader, Readers, put
from pantarhei.materialize.kernel_values import readable
from pantarhei.materialize.model import RowsRead, Shown, WindowModel
from pantarhei.model.rule import Atom, Predicate
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra.nodes import BGP, NegatedSet, Place
from pantarhei.query.incremental.leaves import Evaluate, PatternLeaf, is_parameter
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState, bag_of, rows_of
from pantarhei.rules.compilation.body_plans import BodyPlans, FactPattern

_SUBJECT, _PREDICATE, _OBJECT, _SHOWN = range(4)  # where they stand in a triple of numbers

_Triple = tuple[int, int, int, int]
"""Subject, predicate and object by value, and the object as it is shown."""


class FactLeaf(Operator):
    """A pattern of one triple; it has no state."""

    node: BGP | NegatedSet

    def __init__(self, node: BGP | NegatedSet, shared: SharedState, look: Evaluate) -> None:
        super().__init__(node, shared)
        self._evaluate = look

    def begin(self) -> Mapping[Row, int]:
        return bag_of(rows_of(self._evaluate(self.node), self.variables))


@dataclass
class _FactReader:
    """What a leaf takes of a triple, in today's numbers.

    Args:
        given: what must stand at some places.
        alike: places that must have one value.
        refused: predicates that must not stand there.
        places: of the leaf's variables.
    """

    leaf: FactLeaf
    given: dict[int, int]
    alike: list[tuple[int, int]]
    refused: frozenset[int]
    places: list[int]

    def row(self, triple: _Triple) -> Row | None:
        """The leaf's row for a triple, None if it does not match."""
        if triple[_PREDICATE] in self.refused:
            return None
        if any(triple[place] != value for place, value in self.given.items()):
            return None
        if any(triple[one] != triple[other] for one, other in self.alike):
            return None
        return tuple([triple[place] for place in self.places])


@dataclass
class FactMatcher:
    """The leaves that are told of each fact that comes or goes and may match them.

    `leaves` are these. `_by_given` has the readers by a constant of theirs and its place, those without any
    under None.
    """

    leaves: dict[FactLeaf, None] = field(default_factory=dict)
    _by_given: dict[tuple[int, int] | None, list[_FactReader]] = field(default_factory=dict)
    _names: dict[int, int] = field(default_factory=dict)
    _revision: object = None

    def add(self, leaf: FactLeaf) -> None:
        """Tell a leaf from now on."""
        self.leaves[leaf] = None
        self.renumber()

    def keep(self, leaves: Container[object]) -> None:
        """Tell no leaves but these."""
        self.leaves = {leaf: None for leaf in self.leaves if leaf in leaves}
        self.renumber()

    def renumber(self) -> None:
        """Terms have other numbers."""
        self._revision = None

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[Operator, Bag]:
        """What came to the leaves and went, after a step. Arguments as in `PatternMatcher.changes`."""
        changes: dict[Operator, Bag] = {}
        if not len(noted) + len(reformed):
            return changes
        if self._revision is not model.vocabulary.revision:
            self._read(model)
        for triple, sign in self._signed(model, noted, reformed, shown):
            for key in (None, *enumerate(triple[:_SHOWN])):
                for reader in self._by_given.get(key, ()):
                    row = reader.row(triple)
                    if row is not None:
                        put(changes.setdefault(reader.leaf, {}), row, sign)
        return changes

    def _read(self, model: WindowModel) -> None:
        """Number all constants."""
        number = model.vocabulary.reserve
        self._by_given, self._names, self._revision = {}, {}, model.vocabulary.revision
        for leaf in self.leaves:
            places, refused = _places_of(leaf.node)
            variables = [(at, place) for at, place in enumerate(places) if isinstance(place, Variable)]
            first = dict(reversed([(variable, at) for at, variable in variables]))
            given = {
                at: number(place)
                for at, place in enumerate(places)
                if place is not None and not isinstance(place, Variable)
            }
            alike = [(first[variable], at) for at, variable in variables if first[variable] != at]
            shown = [_SHOWN if first[v] == _OBJECT else first[v] for v in leaf.variables]
            reader = _FactReader(leaf, given, alike, frozenset(map(number, refused)), shown)
            at = next((at for at in (_SUBJECT, _OBJECT, _PREDICATE) if at in given), None)
            self._by_given.setdefault(None if at is None else (at, given[at]), []).append(reader)

    def _signed(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> Iterator[tuple[_Triple, int]]:
        """The triples that came and went."""
        mentions = Counter(as_tuples(noted[:, :3]))
        changed = [fact for fact, count in mentions.items() if count % 2]
        are_there = model.kernel.store.present(readable(np.array(changed, np.int32).reshape(-1, 3)))
        signed = [(fact, 1 if is_there else -1) for fact, is_there in zip(changed, are_there, strict=True)]
        signed += [(fact, sign) for fact in as_tuples(reformed) for sign in (-1, 1)]
        for fact, sign in signed:
            symbol, subject, object_ = fact
            name = self._name(symbol, model)
            if object_ == NONE:
                yield (subject, self._name(NONE, model), name, name), sign
                continue
            form = shown(fact, sign) if shown is not None and object_ >= FIRST_LITERAL else None
            yield (subject, name, object_, object_ if form is None else form), sign

    def _name(self, symbol: int, model: WindowModel) -> int:
        """The number that the name of a class or property has as a term; `NONE` is for rdf:type."""
        number = self._names.get(symbol)
        if number is None:
            vocabulary = model.vocabulary
            name = RDF_TYPE if symbol == NONE else vocabulary.symbols[symbol].name
            number = self._names[symbol] = vocabulary.reserve(name)
        return number


def _places_of(node: BGP | NegatedSet) -> tuple[tuple[Place | None, ...], frozenset[Term]]:
    """What stands at the places of a triple, None for anything; and the predicates that must not."""
    if isinstance(node, NegatedSet):
        return (node.subject, None, node.object), node.predicates
    (pattern,) = node.patterns
    return pattern.places, frozenset()


_FIRST = 2  # where the first variable stands in a match of the kernel


@dataclass
class _Body:
    """Patterns that are one body.

    Args:
        atoms: of the body.
        parameters: the variables that stand for constants.
        readers: who reads its matches.
        may_match: whether each of its predicates has had facts; before that nothing matches.
    """

    atoms: tuple[Atom, ...]
    parameters: tuple[Variable, ...]
    readers: list[_BodyReader] = field(default_factory=list)
    may_match: bool = False

    def missing(self, there: frozenset[int], number: Callable[[Symbol], int]) -> int | None:
        """The number of a predicate that has no facts, None where all have; `there` are those that have."""
        numbers = (number(Symbol(atom.predicate, len(atom.arguments))) for atom in self.atoms)
        return next((each for each in numbers if each not in there), None)

    def wanted(self, reserve: Callable[[Term], int]) -> list[dict[Row, tuple[Term, ...]]]:
        """The constants that each reader wants, by the numbers of their values.

        Args:
            reserve: gives the number of a constant's value.
        """
        return [{tuple(map(reserve, each)): each for each in reader.wanted} for reader in self.readers]

    def read(
        self, wanted: Sequence[Collection[Row]], variables: Sequence[Variable], vocabulary: Vocabulary
    ) -> Readers:
        """Its readers for the kernel.

        Args:
            wanted: the numbers that each of them wants.
            variables: in the order in which the kernel gives what they are bound to.
        """
        at = {variable: _FIRST + place for place, variable in enumerate(variables)}
        of_all: list[Reader] = []
        of_some: dict[Row, list[Reader]] = {}
        most = len({numbers for own in wanted for numbers in own})
        for reader, own in zip(self.readers, wanted, strict=True):
            places = [at[variable] for variable in reader.named]
            showing = _showing(self, reader.named, at, vocabulary)
            made = Reader(reader.leaf, places, showing, reader.leaf.test)
            if len(own) == most:
                of_all.append(made)
                continue
            for numbers in own:
                of_some.setdefault(numbers, []).append(made)
        return Readers(of_all, of_some, len(self.parameters))


class _BodyReader(NamedTuple):
    """A leaf that reads the matches of a body.

    Args:
        constants: those of its pattern.
        named: the variables of the body that its own stand for, in their order.
    """

    leaf: PatternLeaf
    constants: tuple[Term, ...]
    named: tuple[Variable, ...]

    @property
    def wanted(self) -> Collection[tuple[Term, ...]]:
        """For which constants it reads the matches."""
        return self.leaf.parameter_values.values() if self.leaf.parameters else (self.constants,)


class PatternMatcher:
    """The leaves that the kernel tells of what comes to them and goes."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Atom, ...], _Body] = {}
        self._placed: list[_Body] = []
        self._plans: BodyPlans | None = None
        self._readers: list[Readers] = []
        self._rows: RowsRead | None = None
        self._model: WindowModel | None = None  # whose rows these are
        self._is_old = True
        self._awaited: set[int] = set()  # predicates; without a fact of them some bodies match nothing

    def add(self, leaf: PatternLeaf) -> None:
        """Tell a leaf from now on."""
        atoms, ends, names = _general(leaf.pattern)
        body = self._bodies.get(atoms)
        if body is None:
            body = self._bodies[atoms] = _Body(atoms, tuple(ends.values()))
        constants = () if leaf.parameters else cast(tuple[Term, ...], tuple(ends))
        named = tuple(ends[v] if is_parameter(v) else names[v] for v in leaf.variables)
        body.readers.append(_BodyReader(leaf, constants, named))
        self._is_old = True

    def keep(self, leaves: Container[object]) -> None:
        """Tell no leaves but these."""
        for atoms, body in list(self._bodies.items()):
            body.readers = [reader for reader in body.readers if reader.leaf in leaves]
            if not body.readers:
                del self._bodies[atoms]
        self._is_old = True

    def invalidate(self) -> None:
        """A leaf wants other rows."""
        self._is_old = True

    def renumber(self) -> None:
        """Terms have other numbers."""
        self._plans, self._is_old = None, True

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[Operator, Bag]:
        """What came to the leaves and went, after a step.

        Args:
            noted: what the model noted.
            reformed: facts whose literals are written another way now.
            shown: how literals are shown; None where all are in the first forms of their values.
        """
        if self._is_old or (self._awaited and not self._awaited.isdisjoint(noted[:, 0].tolist())):
            self._find_matchable(model, noted)
            self._plan(model)
        if not self._placed:
            return {}
        if self._model is not model:
            assert self._plans is not None
            self._model, self._rows = model, model.rows_reading(self._plans, self._readers)
        assert self._rows is not None
        return self._rows(noted, reformed if len(reformed) else None, shown)

    def _plan(self, model: WindowModel) -> None:
        """Plan all bodies that may match; those of known forms are not compiled again."""
        vocabulary = model.vocabulary
        self._placed = [body for body in self._bodies.values() if body.may_match]
        wanted = [body.wanted(vocabulary.reserve) for body in self._placed]
        bodies = [
            FactPattern(
                body.atoms,
                (),
                body.parameters,
                tuple(dict(pair for each in own for pair in each.items()).values()),
            )
            for body, own in zip(self._placed, wanted, strict=True)
        ]
        plans = self._plans = model.plan_bodies(bodies, self._plans)
        self._readers = [
            body.read(own, variables, vocabulary)
            for body, own, variables in zip(self._placed, wanted, plans.variables, strict=True)
        ]
        self._model, self._is_old = None, False

    def _find_matchable(self, model: WindowModel, noted: Integers) -> None:
        """See for which bodies each predicate has facts, or had before the step, and what others wait for."""
        self._awaited = set()
        waiting = [body for body in self._bodies.values() if not body.may_match]
        there = model.symbols.union(noted[:, 0].tolist()) if waiting else frozenset()
        for body in waiting:
            missing = body.missing(there, model.vocabulary.number_relation)
            if missing is None:
                body.may_match = True
            else:
                self._awaited.add(missing)


def _showing(
    body: _Body, named: tuple[Variable, ...], at: Mapping[Variable, int], vocabulary: Vocabulary
) -> Iterable[tuple[int, int, int, int]]:
    """`Reader.forms`: a variable shows the form of the first atom that it is in."""
    seen: set[Variable] = set(body.parameters)
    for atom in body.atoms:
        is_property = len(atom.arguments) == 2
        for side, argument in enumerate(atom.arguments):
            if not isinstance(argument, Variable) or argument in seen or argument not in named:
                continue
            seen.add(argument)
            if is_property and side == 1:
                number = vocabulary.number_symbol(Symbol(atom.predicate, 2))
                subject = atom.arguments[0]
                assert isinstance(subject, Variable), "constants are parameters"
                yield named.index(argument), number, at[subject], at[argument]


def _general(node: BGP) -> tuple[tuple[Atom, ...], dict[Place, Variable], dict[Variable, Variable]]:
    """The atoms of a pattern with variables for its constants, and under names that all patterns share.

    Returns:
        The atoms; the variables that stand for its constants, or its parameters, in their order; the shared
        names of its other variables.
    """
    ends: dict[Place, Variable] = {}
    names: dict[Variable, Variable] = {}

    def argument(place: Place) -> Variable:
        if isinstance(place, Variable) and not is_parameter(place):
            return names.setdefault(place, Variable(f"v{len(names)}"))
        return ends.setdefault(place, Variable(f"#constant{len(ends)}"))

    atoms = []
    for pattern in node.patterns:
        if pattern.predicate == RDF_TYPE:
            atoms.append(Atom(cast(Predicate, pattern.object), (argument(pattern.subject),)))
        else:
            atoms.append(
                Atom(
                    cast(Predicate, pattern.predicate), (argument(pattern.subject), argument(pattern.object))
                )
            )
    return tuple(dict.fromkeys(atoms)), ends, names
