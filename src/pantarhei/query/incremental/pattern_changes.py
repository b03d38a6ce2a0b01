"""Matches of patterns with the facts that a step inserted or deleted.

Basic graph patterns that differ only in constants and variable names are one rule body for the kernel; the
constants are its parameters. Triple patterns with a variable class or property, and negated property sets,
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
from pantarhei.query.algebra.nodes import BGP, NegatedSet, PatternTerm
from pantarhei.query.incremental.leaves import Evaluate, PatternLeaf, is_parameter
from pantarhei.query.incremental.operator import Bag, Operator, Row, Rows, SharedState, bag_of, rows_of
from pantarhei.rules.compilation.body_plans import BodyPlans, FactPattern

_SUBJECT, _PREDICATE, _OBJECT, _FORM = range(4)  # positions in `_Triple`

_Triple = tuple[int, int, int, int]
"""Value numbers of subject, predicate and object, and term number of the object."""


class FactLeaf(Operator):
    """Triple pattern with a variable class or property, or negated property set; it has no state."""

    node: BGP | NegatedSet

    def __init__(self, node: BGP | NegatedSet, shared: SharedState, evaluate: Evaluate) -> None:
        super().__init__(node, shared)
        self._evaluate = evaluate

    def initial_rows(self) -> Rows:
        return bag_of(rows_of(self._evaluate(self.node), self.variables))


@dataclass
class _FactReader:
    """Compiled matcher of a fact leaf, valid for one revision of the vocabulary.

    Positions are those of `_Triple`.

    Args:
        required: required term numbers by position.
        equal: pairs of positions with equal values.
        excluded: term numbers of excluded predicates.
        positions: positions of the leaf's variables.
    """

    leaf: FactLeaf
    required: dict[int, int]
    equal: list[tuple[int, int]]
    excluded: frozenset[int]
    positions: list[int]

    def row(self, triple: _Triple) -> Row | None:
        """Return the leaf's row for a triple, None for a triple that does not match."""
        if triple[_PREDICATE] in self.excluded:
            return None
        if any(triple[position] != value for position, value in self.required.items()):
            return None
        if any(triple[one] != triple[other] for one, other in self.equal):
            return None
        return tuple([triple[position] for position in self.positions])


@dataclass
class FactMatcher:
    """Fact leaves of one query source, indexed by their constants.

    `_by_constant` maps the position and term number of one constant to the readers of the leaves with this
    constant; its key None has the leaves without constants.
    """

    leaves: dict[FactLeaf, None] = field(default_factory=dict)
    _by_constant: dict[tuple[int, int] | None, list[_FactReader]] = field(default_factory=dict)
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
        """Discard the compiled readers, since term numbers have changed."""
        self._revision = None

    def changes(
        self, model: WindowModel, changed: Integers, rewritten: Integers, form_of: Shown | None
    ) -> dict[Operator, Bag]:
        """Return the deltas of the leaves after a step. Arguments as in `PatternMatcher.changes`."""
        changes: dict[Operator, Bag] = {}
        if not len(changed) + len(rewritten):
            return changes
        if self._revision is not model.vocabulary.revision:
            self._read(model)
        for triple, sign in self._signed_triples(model, changed, rewritten, form_of):
            for key in (None, *enumerate(triple[:_FORM])):
                for reader in self._by_constant.get(key, ()):
                    row = reader.row(triple)
                    if row is not None:
                        put(changes.setdefault(reader.leaf, {}), row, sign)
        return changes

    def _read(self, model: WindowModel) -> None:
        """Compile the readers with the present term numbers of constants."""
        number = model.vocabulary.reserve
        self._by_constant, self._names, self._revision = {}, {}, model.vocabulary.revision
        for leaf in self.leaves:
            terms, excluded = _terms_of(leaf.node)
            variables = [(at, term) for at, term in enumerate(terms) if isinstance(term, Variable)]
            first = dict(reversed([(variable, at) for at, variable in variables]))
            constants = ((at, term) for at, term in enumerate(terms) if term is not None)
            required = {at: number(term) for at, term in constants if not isinstance(term, Variable)}
            equal = [(first[variable], at) for at, variable in variables if first[variable] != at]
            columns = [_FORM if first[v] == _OBJECT else first[v] for v in leaf.variables]
            reader = _FactReader(leaf, required, equal, frozenset(map(number, excluded)), columns)
            at = next((at for at in (_SUBJECT, _OBJECT, _PREDICATE) if at in required), None)
            self._by_constant.setdefault(None if at is None else (at, required[at]), []).append(reader)

    def _signed_triples(
        self, model: WindowModel, changed: Integers, rewritten: Integers, form_of: Shown | None
    ) -> Iterator[tuple[_Triple, int]]:
        """Iterate over the triples that were inserted (1) or deleted (-1) by a step, including both forms of
        a rewritten literal.
        """
        mentions = Counter(as_tuples(changed[:, :3]))
        changed_once = [fact for fact, count in mentions.items() if count % 2]
        are_present = model.kernel.store.present(contiguous(np.array(changed_once, np.int32).reshape(-1, 3)))
        signs = zip(changed_once, are_present, strict=True)
        signed = [(fact, 1 if is_present else -1) for fact, is_present in signs]
        signed += [(fact, sign) for fact in as_tuples(rewritten) for sign in (-1, 1)]
        for fact, sign in signed:
            symbol, subject, object_ = fact
            name = self._name(symbol, model)
            if object_ == NONE:
                yield (subject, self._name(NONE, model), name, name), sign
                continue
            form = form_of(fact, sign) if form_of is not None and object_ >= FIRST_LITERAL else None
            yield (subject, name, object_, object_ if form is None else form), sign

    def _name(self, symbol: int, model: WindowModel) -> int:
        """Return the term number of the name of a class or property, given the number of its symbol; the term
        number of rdf:type for `NONE`.
        """
        number = self._names.get(symbol)
        if number is None:
            vocabulary = model.vocabulary
            name = RDF_TYPE if symbol == NONE else vocabulary.symbols[symbol].name
            number = self._names[symbol] = vocabulary.reserve(name)
        return number


def _terms_of(node: BGP | NegatedSet) -> tuple[tuple[PatternTerm | None, ...], frozenset[Term]]:
    """Return the terms and variables of a triple pattern, with None for any term, and the excluded
    predicates.
    """
    if isinstance(node, NegatedSet):
        return (node.subject, None, node.object), node.predicates
    (pattern,) = node.patterns
    return pattern.terms, frozenset()


_FIRST = 2  # position of the first variable in a match of the kernel


@dataclass
class _PatternBody:
    """Rule body of all patterns that are equal up to constants and variable names.

    Args:
        atoms: atoms of the body.
        parameters: variables that replace the constants.
        readers: leaves that read matches of the body.
        may_match: whether each predicate of the body has had a fact; the kernel does not match the body
            before.
    """

    atoms: tuple[Atom, ...]
    parameters: tuple[Variable, ...]
    readers: list[_BodyReader] = field(default_factory=list)
    may_match: bool = False

    def missing(self, present: frozenset[int], number: Callable[[Symbol], int]) -> int | None:
        """Return the number of a predicate of the body that has no fact, None if there is none.

        Args:
            present: numbers of the predicates with facts.
        """
        numbers = (number(Symbol(atom.predicate, len(atom.arguments))) for atom in self.atoms)
        return next((each for each in numbers if each not in present), None)

    def bindings(self, reserve: Callable[[Term], int]) -> list[dict[Row, tuple[Term, ...]]]:
        """Return the parameter bindings of each reader: the constants, by the term numbers of their values.

        Args:
            reserve: returns the term number of a constant's value.
        """
        return [{tuple(map(reserve, each)): each for each in reader.bindings} for reader in self.readers]

    def read(
        self, bindings: Sequence[Collection[Row]], variables: Sequence[Variable], vocabulary: Vocabulary
    ) -> Readers:
        """Create the kernel's readers.

        Args:
            bindings: parameter bindings of each reader.
            variables: order in which the kernel emits the variables of a match.
        """
        at = {variable: _FIRST + position for position, variable in enumerate(variables)}
        of_all: list[Reader] = []
        of_some: dict[Row, list[Reader]] = {}
        most = len({numbers for own in bindings for numbers in own})
        for reader, own in zip(self.readers, bindings, strict=True):
            positions = [at[variable] for variable in reader.body_variables]
            showing = _reader_forms(self, reader.body_variables, at, vocabulary)
            made = Reader(reader.leaf, positions, showing, reader.leaf.test)
            if len(own) == most:
                of_all.append(made)
                continue
            for numbers in own:
                of_some.setdefault(numbers, []).append(made)
        return Readers(of_all, of_some, len(self.parameters))


class _BodyReader(NamedTuple):
    """Leaf that reads the matches of a body.

    Args:
        constants: constants of the leaf's pattern; empty for a parameterised pattern.
        body_variables: variables of the body, in the order of the leaf's variables.
    """

    leaf: PatternLeaf
    constants: tuple[Term, ...]
    body_variables: tuple[Variable, ...]

    @property
    def bindings(self) -> Collection[tuple[Term, ...]]:
        """Parameter bindings whose matches the leaf reads."""
        return self.leaf.parameter_values.values() if self.leaf.parameters else (self.constants,)


class PatternMatcher:
    """Pattern leaves of one query source, matched by the kernel."""

    def __init__(self) -> None:
        self._bodies: dict[tuple[Atom, ...], _PatternBody] = {}
        self._planned: list[_PatternBody] = []
        self._plans: BodyPlans | None = None
        self._readers: list[Readers] = []
        self._rows: RowsRead | None = None
        self._model: WindowModel | None = None  # the model of `_rows`
        self._needs_planning = True
        self._awaited: set[int] = set()  # predicates without facts that bodies wait for

    def add(self, leaf: PatternLeaf) -> None:
        """Register a leaf."""
        atoms, ends, names = _generalise(leaf.pattern)
        body = self._bodies.get(atoms)
        if body is None:
            body = self._bodies[atoms] = _PatternBody(atoms, tuple(ends.values()))
        constants = () if leaf.parameters else cast(tuple[Term, ...], tuple(ends))
        body_variables = tuple(ends[v] if is_parameter(v) else names[v] for v in leaf.variables)
        body.readers.append(_BodyReader(leaf, constants, body_variables))
        self._needs_planning = True

    def keep(self, leaves: Container[object]) -> None:
        """Unregister all leaves except these."""
        for atoms, body in list(self._bodies.items()):
            body.readers = [reader for reader in body.readers if reader.leaf in leaves]
            if not body.readers:
                del self._bodies[atoms]
        self._needs_planning = True

    def invalidate(self) -> None:
        """Update the kernel's plans before the next step, since parameter bindings have changed."""
        self._needs_planning = True

    def renumber(self) -> None:
        """Discard the kernel's plans, since term numbers have changed."""
        self._plans, self._needs_planning = None, True

    def changes(
        self, model: WindowModel, changed: Integers, rewritten: Integers, form_of: Shown | None
    ) -> dict[Operator, Bag]:
        """Return the deltas of the leaves after a step.

        Args:
            changed: facts inserted and deleted by the step, as recorded by the model, shape (n, 4).
            rewritten: facts whose literal has a new form, shape (n, 3).
            form_of: returns the term number of a fact's literal form; None if all facts have first forms.
        """
        if self._needs_planning or (self._awaited and not self._awaited.isdisjoint(changed[:, 0].tolist())):
            self._find_matchable(model, changed)
            self._plan(model)
        if not self._planned:
            return {}
        if self._model is not model:
            assert self._plans is not None
            self._model, self._rows = model, model.rows_reading(self._plans, self._readers)
        assert self._rows is not None
        return self._rows(changed, rewritten if len(rewritten) else None, form_of)

    def _plan(self, model: WindowModel) -> None:
        """Compile the bodies that may match; compiled bodies are reused."""
        vocabulary = model.vocabulary
        self._planned = [body for body in self._bodies.values() if body.may_match]
        bindings = [body.bindings(vocabulary.reserve) for body in self._planned]
        bodies = [
            FactPattern(
                body.atoms,
                (),
                body.parameters,
                tuple(dict(pair for each in own for pair in each.items()).values()),
            )
            for body, own in zip(self._planned, bindings, strict=True)
        ]
        plans = self._plans = model.plan_bodies(bodies, self._plans)
        self._readers = [
            body.read(own, variables, vocabulary)
            for body, own, variables in zip(self._planned, bindings, plans.variables, strict=True)
        ]
        self._model, self._needs_planning = None, False

    def _find_matchable(self, model: WindowModel, changed: Integers) -> None:
        """Update `may_match` of the bodies, and collect the predicates without facts for which other bodies
        wait.
        """
        self._awaited = set()
        waiting = [body for body in self._bodies.values() if not body.may_match]
        present = model.symbols.union(changed[:, 0].tolist()) if waiting else frozenset()
        for body in waiting:
            missing = body.missing(present, model.vocabulary.number_relation)
            if missing is None:
                body.may_match = True
            else:
                self._awaited.add(missing)


def _reader_forms(
    body: _PatternBody,
    body_variables: tuple[Variable, ...],
    at: Mapping[Variable, int],
    vocabulary: Vocabulary,
) -> Iterable[tuple[int, int, int, int]]:
    """Return `Reader.forms` of the leaf with these variables: a variable has the literal form of its first
    atom.
    """
    seen: set[Variable] = set(body.parameters)
    for atom in body.atoms:
        is_property = len(atom.arguments) == 2
        for side, argument in enumerate(atom.arguments):
            if not isinstance(argument, Variable) or argument in seen or argument not in body_variables:
                continue
            seen.add(argument)
            if is_property and side == 1:
                number = vocabulary.number_symbol(Symbol(atom.predicate, 2))
                subject = atom.arguments[0]
                assert isinstance(subject, Variable), "constants are parameters"
                yield body_variables.index(argument), number, at[subject], at[argument]


def _generalise(node: BGP) -> tuple[tuple[Atom, ...], dict[PatternTerm, Variable], dict[Variable, Variable]]:
    """Replace the constants of a pattern by variables, and its variables by names that all patterns share.

    Returns:
        The atoms; the new variables by the constants or parameters that they replace, in order of occurrence;
        the new names of the other variables.
    """
    ends: dict[PatternTerm, Variable] = {}
    names: dict[Variable, Variable] = {}

    def argument(term: PatternTerm) -> Variable:
        if isinstance(term, Variable) and not is_parameter(term):
            return names.setdefault(term, Variable(f"v{len(names)}"))
        return ends.setdefault(term, Variable(f"#constant{len(ends)}"))

    atoms = []
    for pattern in node.patterns:
        if pattern.predicate == RDF_TYPE:
            atoms.append(Atom(cast(Predicate, pattern.object), (argument(pattern.subject),)))
        else:
            arguments = argument(pattern.subject), argument(pattern.object)
            atoms.append(Atom(cast(Predicate, pattern.predicate), arguments))
    return tuple(dict.fromkeys(atoms)), ends, names
