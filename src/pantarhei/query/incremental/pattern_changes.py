"""Matching of patterns to the facts that a step changed.

Basic graph patterns that differ only in constants and variable names are one body for the kernel, whose
parameters are the constants. Triple patterns with a variable class or property, and negated property sets,
are matched to each changed fact in Python.
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
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import RowsRead, Shown, WindowModel
from pantarhei.model.rule import Atom, Predicate
from pantarhei.model.term import RDF_TYPE, Term
from pantarhei.query.algebra.nodes import BGP, NegatedSet, Place
from pantarhei.query.incremental.leaves import Evaluate, PatternLeaf, is_parameter
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState, bag_of, rows_of
from pantarhei.rules.compilation.body_plans import BodyPlans, FactPattern

_SUBJECT, _PREDICATE, _OBJECT, _SHOWN = range(4)  # places in `_Triple`

_Triple = tuple[int, int, int, int]
"""Numbers of the values of subject, predicate and object, and the number of the object's literal form."""


class FactLeaf(Operator):
    """Triple pattern with a variable class or property, or a negated property set; it has no state."""

    node: BGP | NegatedSet

    def __init__(self, node: BGP | NegatedSet, shared: SharedState, evaluate: Evaluate) -> None:
        super().__init__(node, shared)
        self._evaluate = evaluate

    def begin(self) -> Mapping[Row, int]:
        return bag_of(rows_of(self._evaluate(self.node), self.variables))


@dataclass
class _FactReader:
    """Compiled matcher of a fact leaf, valid for one revision of the vocabulary.

    Args:
        given: required numbers by place.
        alike: pairs of places with equal values.
        refused: excluded predicates.
        places: places of the leaf's variables.
    """

    leaf: FactLeaf
    given: dict[int, int]
    alike: list[tuple[int, int]]
    refused: frozenset[int]
    places: list[int]

    def row(self, triple: _Triple) -> Row | None:
        """Return the leaf's row for a triple, None for a triple that does not match."""
        if triple[_PREDICATE] in self.refused:
            return None
        if any(triple[place] != value for place, value in self.given.items()):
            return None
        if any(triple[one] != triple[other] for one, other in self.alike):
            return None
        return tuple([triple[place] for place in self.places])


@dataclass
class FactMatcher:
    """Fact leaves of one query source, with an index of their constants.

    `leaves` are the leaves. `_by_given` has their readers by one constant and its place; key None has those
    without constants.
    """

    leaves: dict[FactLeaf, None] = field(default_factory=dict)
    _by_given: dict[tuple[int, int] | None, list[_FactReader]] = field(default_factory=dict)
    _names: dict[int, int] = field(default_factory=dict)
    _revision: object = None

    def add(self, leaf: FactLeaf) -> None:
        """Register a leaf."""
        self.leaves[leaf] = None
        self.renumber()

    def keep(self, leaves: Container[object]) -> None:
        """Unregister all leaves except these."""
        self.leaves = {leaf: None for leaf in self.leaves if leaf in leaves}
        self.renumber()

    def renumber(self) -> None:
        """Discard term numbers: they have changed."""
        self._revision = None

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[Operator, Bag]:
        """Return the deltas of the leaves after a step. Arguments as in `PatternMatcher.changes`."""
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
        """Compile the readers with the present numbers of constants."""
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
        """Iterate over inserted (1) and deleted (-1) triples."""
        mentions = Counter(as_tuples(noted[:, :3]))
        changed = [fact for fact, count in mentions.items() if count % 2]
        are_present = model.kernel.store.present(contiguous(np.array(changed, np.int32).reshape(-1, 3)))
        signed = [
            (fact, 1 if is_present else -1) for fact, is_present in zip(changed, are_present, strict=True)
        ]
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
        """Return the number of the name of a class or property as a term; of rdf:type for `NONE`."""
        number = self._names.get(symbol)
        if number is None:
            vocabulary = model.vocabulary
            name = RDF_TYPE if symbol == NONE else vocabulary.symbols[symbol].name
            number = self._names[symbol] = vocabulary.reserve(name)
        return number


def _places_of(node: BGP | NegatedSet) -> tuple[tuple[Place | None, ...], frozenset[Term]]:
    """Return the terms and variables of a triple pattern, None for any term, and the excluded predicates."""
    if isinstance(node, NegatedSet):
        return (node.subject, None, node.object), node.predicates
    (pattern,) = node.patterns
    return pattern.places, frozenset()


_FIRST = 2  # place of the first variable in a match of the kernel


@dataclass
class _PatternBody:
    """Kernel body of all patterns that are equal up to constants and variable names.

    Args:
        atoms: atoms of the body.
        parameters: variables in place of constants.
        readers: leaves that read its matches.
        may_match: whether each of its predicates has had a fact; until then the body is not matched.
    """

    atoms: tuple[Atom, ...]
    parameters: tuple[Variable, ...]
    readers: list[_BodyReader] = field(default_factory=list)
    may_match: bool = False

    def missing(self, there: frozenset[int], number: Callable[[Symbol], int]) -> int | None:
        """Return the number of a predicate without facts, None if all have facts; `there` are the predicates
        with facts.
        """
        numbers = (number(Symbol(atom.predicate, len(atom.arguments))) for atom in self.atoms)
        return next((each for each in numbers if each not in there), None)

    def bindings(self, reserve: Callable[[Term], int]) -> list[dict[Row, tuple[Term, ...]]]:
        """Return the constants of each reader, by the numbers of their values.

        Args:
            reserve: returns the number of a constant's value.
        """
        return [{tuple(map(reserve, each)): each for each in reader.bindings} for reader in self.readers]

    def read(
        self, bindings: Sequence[Collection[Row]], variables: Sequence[Variable], vocabulary: Vocabulary
    ) -> Readers:
        """Create the kernel's readers.

        Args:
            bindings: parameter bindings of each reader.
            variables: order in which the kernel emits bindings.
        """
        at = {variable: _FIRST + place for place, variable in enumerate(variables)}
        of_all: list[Reader] = []
        of_some: dict[Row, list[Reader]] = {}
        most = len({numbers for own in bindings for numbers in own})
        for reader, own in zip(self.readers, bindings, strict=True):
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
    """Leaf that reads the matches of a body.

    Args:
        constants: constants of its pattern.
        named: variables of the body that correspond to the leaf's variables, in their order.
    """

    leaf: PatternLeaf
    constants: tuple[Term, ...]
    named: tuple[Variable, ...]

    @property
    def bindings(self) -> Collection[tuple[Term, ...]]:
        """Constants whose matches the leaf reads."""
        return self.leaf.parameter_values.values() if self.leaf.parameters else (self.constants,)


class PatternMatcher:
    """Pattern leaves of one query source, matched by the kernel."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Atom, ...], _PatternBody] = {}
        self._placed: list[_PatternBody] = []
        self._plans: BodyPlans | None = None
        self._readers: list[Readers] = []
        self._rows: RowsRead | None = None
        self._model: WindowModel | None = None  # the model of `_rows`
        self._is_old = True
        self._awaited: set[int] = set()  # predicates without facts that bodies wait for

    def add(self, leaf: PatternLeaf) -> None:
        """Register a leaf."""
        atoms, ends, names = _general(leaf.pattern)
        body = self._bodies.get(atoms)
        if body is None:
            body = self._bodies[atoms] = _PatternBody(atoms, tuple(ends.values()))
        constants = () if leaf.parameters else cast(tuple[Term, ...], tuple(ends))
        named = tuple(ends[v] if is_parameter(v) else names[v] for v in leaf.variables)
        body.readers.append(_BodyReader(leaf, constants, named))
        self._is_old = True

    def keep(self, leaves: Container[object]) -> None:
        """Unregister all leaves except these."""
        for atoms, body in list(self._bodies.items()):
            body.readers = [reader for reader in body.readers if reader.leaf in leaves]
            if not body.readers:
                del self._bodies[atoms]
        self._is_old = True

    def invalidate(self) -> None:
        """Plan again before the next step: parameter bindings have changed."""
        self._is_old = True

    def renumber(self) -> None:
        """Plan anew before the next step: term numbers have changed."""
        self._plans, self._is_old = None, True

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[Operator, Bag]:
        """Return the deltas of the leaves after a step.

        Args:
            noted: the model's record of changed facts.
            reformed: facts whose literals have a new form.
            shown: literal forms of facts; None if all are in the first forms of their values.
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
        """Plan all bodies that may match; bodies that are planned already are not compiled again."""
        vocabulary = model.vocabulary
        self._placed = [body for body in self._bodies.values() if body.may_match]
        bindings = [body.bindings(vocabulary.reserve) for body in self._placed]
        bodies = [
            FactPattern(
                body.atoms,
                (),
                body.parameters,
                tuple(dict(pair for each in own for pair in each.items()).values()),
            )
            for body, own in zip(self._placed, bindings, strict=True)
        ]
        plans = self._plans = model.plan_bodies(bodies, self._plans)
        self._readers = [
            body.read(own, variables, vocabulary)
            for body, own, variables in zip(self._placed, bindings, plans.variables, strict=True)
        ]
        self._model, self._is_old = None, False

    def _find_matchable(self, model: WindowModel, noted: Integers) -> None:
        """Mark the bodies whose predicates all have facts, and record the predicates that other bodies wait
        for.
        """
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
    body: _PatternBody, named: tuple[Variable, ...], at: Mapping[Variable, int], vocabulary: Vocabulary
) -> Iterable[tuple[int, int, int, int]]:
    """Return `Reader.forms`: a variable has the literal form of its first atom."""
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
    """Generalise a pattern: variables for constants, and variable names that all patterns share.

    Returns:
        The atoms; the variables for constants or parameters, in their order; the shared names of other
        variables.
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
