"""Inequalities and tests that a set of missing facts has to meet, and literals that meet them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, product

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.explain.clauses import FIRST_VARIABLE, Clause, NumberedAtom
from pantarhei.materialize.model import WindowModel
from pantarhei.model.data_range import (
    DataComplementOf,
    DataIntersectionOf,
    DataOneOf,
    DataRange,
    DatatypeRestriction,
    DataUnionOf,
)
from pantarhei.model.rule import Argument, Member, Test
from pantarhei.model.term import Term
from pantarhei.rdf.ntriples import write_term
from pantarhei.values.builtin import EQUAL, compute, holds, is_computation
from pantarhei.values.membership import is_passed

# So many literals, and combinations of them, are tried.
_MOST_VALUES = 100
_MOST_CHOICES = 1_000

Condition = tuple[Clause, int]
"""A rule whose inequalities and tests are to hold, and what the numbers of its variables were shifted by."""

Walk = Callable[[int], int]


class Conditions:
    """Finds out whether conditions are met over a model.

    Literals that nothing determines are chosen: one that the property has elsewhere, or one that a condition
    names. `is_complete` says that no choice has failed: others may do where it has.
    """

    def __init__(self, model: WindowModel) -> None:
        self._model, self._vocabulary = model, model.vocabulary
        self.is_complete = True
        self._literals: dict[int, list[int]] = {}

    def met(
        self, atoms: Sequence[NumberedAtom], conditions: Iterable[Condition], walk: Walk
    ) -> Mapping[int, Term] | None:
        """The literals that variables may stand for so that the conditions hold; None if they cannot.

        Args:
            atoms: the missing facts.
            walk: what a variable stands for.
        """
        given = list(conditions)
        open_ = self._literals_wanted(atoms, given, walk)
        values = [self._values(variable, atoms, given) for variable in open_]
        for choice in islice(product(*values), _MOST_CHOICES):
            terms = dict(zip(open_, choice, strict=True))
            # What a rule computes is known before the tests of the rules above it.
            if all(self._holds(clause, shift, walk, terms) for clause, shift in reversed(given)):
                return terms
        self.is_complete = self.is_complete and not open_
        return None

    def _literals_wanted(
        self, atoms: Sequence[NumberedAtom], conditions: Sequence[Condition], walk: Walk
    ) -> list[int]:
        """The variables that are to be literals and that nothing determines."""
        found = [
            atom.object
            for atom in atoms
            if atom.object <= FIRST_VARIABLE and self._literals_of(atom.predicate)
        ]
        computed = set[int]()
        for clause, shift in conditions:
            for test in clause.tests:
                numbers = [
                    walk(clause.variables[argument] + shift) if isinstance(argument, Variable) else NONE
                    for argument in test.arguments
                ]
                if is_computation(test):
                    computed.add(numbers[0])
                found += [number for number in numbers if number <= FIRST_VARIABLE]
        return [number for number in dict.fromkeys(found) if number not in computed]

    def _literals_of(self, predicate: int) -> list[int]:
        """The first literals that a property has in the window."""
        known = self._literals.get(predicate)
        if known is None:
            known = []
            if self._vocabulary.symbols[predicate].arity == 2:
                objects = np.unique(self._model.select(predicate, None, None)[:, 2])
                known = objects[objects >= FIRST_LITERAL][:_MOST_VALUES].tolist()
            self._literals[predicate] = known
        return known

    def _values(
        self, variable: int, atoms: Sequence[NumberedAtom], conditions: Sequence[Condition]
    ) -> list[Term]:
        """Literals that a variable may stand for: those that conditions name, then those known."""
        named = (each for clause, _ in conditions for test in clause.tests for each in _named(test))
        known = (
            self._vocabulary.term(number)
            for atom in atoms
            if atom.object == variable
            for number in self._literals_of(atom.predicate)
        )
        around = (near for literal in named for near in _around(literal))
        return list(dict.fromkeys((*around, *sorted(known, key=write_term))))

    def _holds(self, clause: Clause, shift: int, walk: Walk, terms: dict[int, Term]) -> bool:
        """Whether a rule's inequalities and tests hold. What they compute is added to `terms`."""

        def term(argument: Argument) -> Term | None:
            if not isinstance(argument, Variable):
                return self._vocabulary.read(argument)
            number = walk(clause.variables[argument] + shift)
            known = terms.get(number) if number <= FIRST_VARIABLE else self._vocabulary.term(number)
            return None if known is None else self._vocabulary.read(known)

        for test in clause.tests:
            values = [term(argument) for argument in test.arguments]
            if isinstance(test, Member):
                (value,) = values
                if not isinstance(value, Literal) or not is_passed(test, value):
                    return False
            elif is_computation(test):
                operands = [value for value in values[1:] if value is not None]
                result = compute(test.name, *operands) if len(operands) == len(values) - 1 else None
                if result is None:
                    return False
                if values[0] is None and isinstance(test.arguments[0], Variable):
                    terms[walk(clause.variables[test.arguments[0]] + shift)] = result
                elif values[0] is None or not holds(EQUAL, values[0], self._vocabulary.read(result)):
                    return False
            elif None in values or not holds(test.name, *(value for value in values if value is not None)):
                return False

        def number(argument: int) -> int:
            return walk(argument + shift) if argument <= FIRST_VARIABLE else argument

        return all(self._differ(number(one), number(other), terms) for one, other in clause.different)

    def _differ(self, one: int, other: int, terms: Mapping[int, Term]) -> bool:
        """Whether two terms differ; variables that are no literals are all one new name."""
        if one > FIRST_VARIABLE and other > FIRST_VARIABLE:
            return one != other
        first, second = (
            terms.get(number) if number <= FIRST_VARIABLE else self._vocabulary.term(number)
            for number in (one, other)
        )
        if first is None or second is None:
            return first is not second
        return self._vocabulary.value_of(first) != self._vocabulary.value_of(second)


def _named(test: Test) -> Iterator[Literal]:
    """The literals that a test names."""
    if isinstance(test, Member):
        yield from _named_in(test.range)
    else:
        yield from (argument for argument in test.arguments if isinstance(argument, Literal))


def _named_in(range_: DataRange) -> Iterator[Literal]:
    match range_:
        case DataIntersectionOf(operands) | DataUnionOf(operands):
            for operand in operands:
                yield from _named_in(operand)
        case DataComplementOf(operand):
            yield from _named_in(operand)
        case DataOneOf(literals):
            yield from (literal for literal in literals if isinstance(literal, Literal))
        case DatatypeRestriction(_, facets):
            yield from (value for _, value in facets if isinstance(value, Literal))


def _around(literal: Literal) -> Iterator[Literal]:
    """The literal, and a number above and one below it."""
    yield literal
    value = literal.value
    if isinstance(value, bool) or literal.datatype is None:
        return
    try:
        yield Literal(str(value + 1), datatype=literal.datatype)
        yield Literal(str(value - 1), datatype=literal.datatype)
    except TypeError:
        return  # it is no number
