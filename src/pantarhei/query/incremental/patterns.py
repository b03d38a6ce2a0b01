"""Basic graph patterns of all registered queries, matched together to what a step changed.

Patterns that differ only in their constants and in the names of their variables are one body for the kernel,
whose parameters stand for the constants.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import cast

from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, Fact, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.rule import Atom, Predicate
from pantarhei.language.term import RDF_TYPE, Term
from pantarhei.materialize.model import WindowModel
from pantarhei.query.algebra.nodes import BGP, Place
from pantarhei.query.incremental.leaves import PatternLeaf
from pantarhei.query.incremental.operator import Bag, Row, put, taker
from pantarhei.query.incremental.shapes import is_parameter
from pantarhei.rules.compilation.body_plan import FactPattern
from pantarhei.rules.compilation.body_plans import BodyPlans

_BODY, _SIGN, _FIRST = 0, 1, 2  # where they stand in what the kernel gives

Match = list[int]
"""A row of what the kernel gives."""

Shown = Callable[[Fact, int], int | None]
"""The number of the form in which a fact's literal is shown, after the step (1) or before it (-1); None for
the first form of its value.
"""


@dataclass
class _Body:
    """Patterns that are one body.

    Args:
        atoms: of the body.
        parameters: the variables that stand for constants.
        readers: who reads its matches.
        of_all: those of them that read all of its matches.
        of_some: the others, by the numbers of the constants' values.
        may_match: whether each of its predicates has had facts; before that nothing matches.
    """

    atoms: tuple[Atom, ...]
    parameters: tuple[Variable, ...]
    readers: list[_Reader] = field(default_factory=list)
    of_all: list[_Reader] = field(default_factory=list)
    of_some: dict[Row, list[_Reader]] = field(default_factory=dict)
    may_match: bool = False

    def missing(self, there: frozenset[int], number: Callable[[Symbol], int]) -> int | None:
        """The number of a predicate that has no facts, None where all have; `there` are those that have."""
        numbers = (number(Symbol(atom.predicate, len(atom.arguments))) for atom in self.atoms)
        return next((each for each in numbers if each not in there), None)

    def by_constants(self, matches: list[Match]) -> dict[Row, list[Match]]:
        """Matches by the numbers of the constants' values in them."""
        end, found = _FIRST + len(self.parameters), dict[Row, list[Match]]()
        for match in matches:
            found.setdefault(tuple(match[_FIRST:end]), []).append(match)
        return found

    def number(self, reserve: Callable[[Term], int]) -> list[tuple[Term, ...]]:
        """See who reads what; gives all constants that are wanted.

        Args:
            reserve: gives the number of a constant's value.
        """
        by_reader = [{tuple(map(reserve, each)): each for each in reader.wanted} for reader in self.readers]
        wanted = {numbers: constants for own in by_reader for numbers, constants in own.items()}
        self.of_all, self.of_some = [], {}
        for reader, own in zip(self.readers, by_reader, strict=True):
            if len(own) == len(wanted):
                self.of_all.append(reader)
                continue
            for numbers in own:
                self.of_some.setdefault(numbers, []).append(reader)
        return list(wanted.values())


@dataclass
class _Reader:
    """A leaf, and where its variables stand in the matches.

    Args:
        constants: those of its pattern.
        named: the variables of the body that its own stand for, in their order.
        taken: takes what these are bound to from a match.
        forms: where a literal stands in its rows that a fact shows: the place there; the fact's property,
            and the places of its subject and object in the kernel's rows, each `~number` for a constant.
    """

    leaf: PatternLeaf
    constants: tuple[Term, ...]
    named: tuple[Variable, ...]
    taken: Callable[[Match], Row] = tuple
    forms: tuple[tuple[int, int, int, int], ...] = ()

    @property
    def wanted(self) -> Collection[tuple[Term, ...]]:
        """For which constants it reads the matches."""
        return self.leaf.wanted.values() if self.leaf.parameters else (self.constants,)

    def read(self, matches: list[Match], shown: Shown | None, changes: dict[PatternLeaf, Bag]) -> None:
        """Add the rows of matches that came and went to the changes of its leaf."""
        rows: Iterable[Row] = map(self.taken, matches)
        if shown is not None and self.forms:
            rows = [_in_forms(row, m, self, shown) for row, m in zip(rows, matches, strict=True)]
        bag = changes.get(self.leaf)
        if bag is None:
            bag = changes[self.leaf] = {}
        for row, match in zip(rows, matches, strict=True):
            if row in bag:
                put(bag, row, match[_SIGN])  # one came and another went that show the same
            else:
                bag[row] = match[_SIGN]


class Patterns:
    """The leaves that the kernel tells of what comes to them and goes."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Atom, ...], _Body] = {}
        self._placed: list[_Body] = []
        self._plans: BodyPlans | None = None
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
        body.readers.append(_Reader(leaf, constants, named))
        self._is_old = True

    def remove(self, leaf: PatternLeaf) -> None:
        """Tell a leaf no more."""
        atoms, _, _ = _general(leaf.pattern)
        body = self._bodies[atoms]
        body.readers = [reader for reader in body.readers if reader.leaf is not leaf]
        if not body.readers:
            del self._bodies[atoms]
        self._is_old = True

    def look_again(self) -> None:
        """A leaf wants other rows."""
        self._is_old = True

    def renamed(self) -> None:
        """Terms have other numbers."""
        self._plans, self._is_old = None, True

    def changes(
        self, model: WindowModel, noted: Integers, reformed: Integers, shown: Shown | None
    ) -> dict[PatternLeaf, Bag]:
        """What came to the leaves and went, after a step.

        Args:
            noted: what the model noted.
            reformed: facts whose literals are written another way now.
            shown: how literals are shown; None where all are in the first forms of their values.
        """
        if self._is_old or (self._awaited and not self._awaited.isdisjoint(noted[:, 0].tolist())):
            self._wake(model, noted)
            self._plan(model)
        assert self._plans is not None
        changes: dict[PatternLeaf, Bag] = {}
        if not self._placed:
            return changes
        found: list[Match] = model.signed_matches(self._plans, noted, reformed).tolist()
        for body, matches in self._by_body(found):
            for reader in body.of_all:
                reader.read(matches, shown, changes)
            if body.of_some:
                for numbers, some in body.by_constants(matches).items():
                    for reader in body.of_some.get(numbers, ()):
                        reader.read(some, shown, changes)
        return changes

    def _by_body(self, found: list[Match]) -> Iterable[tuple[_Body, list[Match]]]:
        """The matches with the bodies that they are of."""
        if len(self._placed) == 1 and found:
            return ((self._placed[0], found),)
        of_body: dict[int, list[Match]] = {}
        for match in found:
            of_body.setdefault(match[_BODY], []).append(match)
        return [(self._placed[place], matches) for place, matches in of_body.items()]

    def _plan(self, model: WindowModel) -> None:
        """Plan all bodies that may match; those of known forms are not compiled again."""
        vocabulary = model.vocabulary
        self._placed = [body for body in self._bodies.values() if body.may_match]
        bodies = [
            FactPattern(b.atoms, (), b.parameters, tuple(b.number(vocabulary.reserve))) for b in self._placed
        ]
        self._plans = model.plan_bodies(bodies, self._plans)
        for body, variables in zip(self._placed, self._plans.variables, strict=True):
            at = {variable: _FIRST + place for place, variable in enumerate(variables)}
            for reader in body.readers:
                reader.taken = taker([at[variable] for variable in reader.named])
                reader.forms = tuple(_showing(body, reader.named, at, vocabulary))
        self._is_old = False

    def _wake(self, model: WindowModel, noted: Integers) -> None:
        """See for which bodies each predicate has facts, or had before the step, and what others wait for."""
        self._awaited = set()
        waiting = [body for body in self._bodies.values() if not body.may_match]
        there = model.symbols.union(noted[:, 0].tolist()) if waiting else frozenset()
        for body in waiting:
            missing = body.missing(there, model.vocabulary.number_symbol)
            if missing is None:
                body.may_match = True
            else:
                self._awaited.add(missing)


def _in_forms(row: Row, match: Match, reader: _Reader, shown: Shown) -> Row:
    """A row with its literals in the forms that their facts show."""
    changed: list[int] | None = None
    for place, predicate, subject, object_ in reader.forms:
        if match[object_] >= FIRST_LITERAL:
            form = shown((predicate, match[subject], match[object_]), match[_SIGN])
            if form is not None:
                changed = list(row) if changed is None else changed
                changed[place] = form
    return row if changed is None else tuple(changed)


def _showing(
    body: _Body, named: tuple[Variable, ...], at: Mapping[Variable, int], vocabulary: Vocabulary
) -> Iterable[tuple[int, int, int, int]]:
    """`_Reader.forms`: a variable shows the form of the first atom that it is in."""
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
