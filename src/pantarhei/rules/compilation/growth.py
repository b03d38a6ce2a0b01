"""Programs that grow: when the stream brings new predicates, the rules on demand for them are added
(`translation.demand`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from rdflib import OWL, BNode, Literal, Variable

from pantarhei.encoding.numbers import NO_FACTS, Integers, Symbol, Symbols
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.graphs import Groups
from pantarhei.model.rule import Argument, Predicate, Rule
from pantarhei.model.term import Term, Triple
from pantarhei.rules.compilation.program import Program, compile_, part_of
from pantarhei.rules.translation.demand import TYPE, Theory, relations_of, relevant_rules
from pantarhei.values.by_value import Numbers, exact_rule
from pantarhei.values.value import is_well_typed


class ProgramState(NamedTuple):
    """State of a growing program.

    Args:
        program: the compiled rules.
        ill_typed: properties for which the program has a constraint against ill-typed values.
        covered: length of the longest known prefix of the vocabulary's symbols that requires no further
            rules.
    """

    program: Program
    ill_typed: tuple[Predicate, ...]
    covered: int


class PartialProgram(NamedTuple):
    """Rules of a program that derive all facts of some predicates, and all violations.

    Args:
        program: the compiled subset of the rules.
        lacks: predicates whose facts the subset derives only in part.
    """

    program: Program
    lacks: frozenset[Symbol] = frozenset()

    def has_all_of(self, symbols: Symbols) -> bool:
        """Return whether the program derives all facts of `symbols`; None stands for all predicates."""
        if symbols is None:
            return not self.lacks
        return self.lacks.isdisjoint(relations_of(symbols) if TYPE in self.lacks else symbols)


class GrowingProgram:
    """Program of a theory, extended as predicates enter the vocabulary.

    The numbers of symbols and terms never change. Each extension compiles a new program, and models of the
    old program must be rebuilt. Under unique names, the program is extended only when a property has its
    first ill-typed value, or when a new predicate arrives and a rule has owl:Thing in its body.

    Args:
        theory: the theory to compile.
        same: groups of equal names; the first name of a group represents it.
        numbers: interpretation of numeric literals.

    `grown` is the only mutable state besides the vocabulary. Assigning an earlier value restores it, provided
    that the vocabulary is restored to the same point.
    """

    grown: ProgramState
    theory: Theory
    same: tuple[tuple[Term, ...], ...]

    def __init__(
        self, theory: Theory, same: Iterable[Sequence[Term]] = (), numbers: Numbers = "by_datatype"
    ) -> None:
        groups = self.same = tuple(tuple(group) for group in same)
        rules = theory.rules if numbers == "by_datatype" else tuple(map(exact_rule, theory.rules))
        self.theory = replace(theory, rules=_merged(rules, groups))
        nothing = compile_(())
        self.grown = ProgramState(nothing, _with_ill_typed_constants(self.theory.rules), 0)
        self._part: tuple[Program, Symbols, PartialProgram] = nothing, None, PartialProgram(nothing)
        self.vocabulary = Vocabulary(nothing, numbers, theory.has_class_variables)
        for first, *others in groups:
            self.vocabulary.merge(first, others)
        self.grow()

    @property
    def program(self) -> Program:
        """The compiled rules."""
        return self.grown.program

    def part_for(self, requested: Symbols) -> PartialProgram:
        """Return a program that derives all facts of the `requested` predicates (None: of all predicates),
        and all violations.

        The program is compiled unless the previous result suffices.
        """
        program, known, part = self._part
        if program is not self.program or known is not requested:
            is_known = program is self.program and (
                requested is None or (known is not None and known <= requested)
            )
            if not (is_known and part.has_all_of(requested)):
                part = self._part_for(requested)
            self._part = self.program, requested, part
        return part

    def _part_for(self, requested: Symbols) -> PartialProgram:
        rules = self.program.rules
        relevant = rules if requested is None else relevant_rules(rules, requested)
        if len(relevant) == len(rules):
            return PartialProgram(self.program)
        part = part_of(self.program, relevant, self.vocabulary.value_of)
        return PartialProgram(part, _derived_by(rules) - _derived_by(relevant))

    def covers(self, facts: Integers) -> bool:
        """Return whether the program has all rules on demand for `facts`, rows encoded with the vocabulary.

        The cost is O(1) if the facts have no new predicate and the vocabulary has no ill-typed literal.
        """
        symbols, covered = self.vocabulary.symbols, self.grown.covered
        if len(symbols) > covered:
            if self.theory.demands_rules(symbols[covered:], symbols):
                return False
            self.grown = self.grown._replace(covered=len(symbols))  # the new symbols require no rules
        return not self._with_ill_typed_values(facts)

    def recheck_symbols(self) -> None:
        """After a renumbering, check again whether symbols beyond the program's predicates require rules."""
        self.grown = self.grown._replace(covered=len(self.program.predicates))

    @property
    def ill_typed(self) -> tuple[Predicate, ...]:
        """Properties for which the program has a constraint against ill-typed values."""
        return self.grown.ill_typed

    def grow(self, facts: Integers = NO_FACTS, ill_typed: Iterable[Predicate] = ()) -> None:
        """Extend the program to cover `facts`, and ill-typed values of the properties `ill_typed`. Rules on
        demand can introduce predicates that require further rules, so compilation is repeated to the
        fixpoint.

        Models of the old program are invalid afterwards, also if an error is raised.
        """
        against = tuple(dict.fromkeys((*self.ill_typed, *ill_typed, *self._with_ill_typed_values(facts))))
        self.vocabulary.roll_back_to(self.vocabulary.mark)  # drop reserved numbers
        demanded: tuple[Rule, ...] | None = None
        while demanded != (demanded := self.theory.demanded(self.vocabulary.symbols, against)):
            program = compile_((*self.theory.rules, *demanded), self.vocabulary)
            self.vocabulary.adopt(program)
        self.grown = ProgramState(program, against, len(self.vocabulary.symbols))

    def _with_ill_typed_values(self, facts: Integers) -> list[Predicate]:
        ill_typed = self.vocabulary.ill_typed
        if not ill_typed.has_members:
            return []
        found = np.unique(facts[ill_typed.among(facts[:, 2]), 0]).tolist()
        names = (self.vocabulary.symbols[number].name for number in found)
        return [name for name in names if name not in self.ill_typed]


def _derived_by(rules: Iterable[Rule]) -> frozenset[Symbol]:
    """Return the predicates of the rules' heads."""
    heads = (rule.head for rule in rules if rule.head is not None)
    return frozenset(Symbol(head.predicate, len(head.arguments)) for head in heads)


def _with_ill_typed_constants(rules: Iterable[Rule]) -> tuple[Predicate, ...]:
    """Return the properties for which the head of a rule has an ill-typed literal as value."""
    heads = [rule.head for rule in rules if rule.head is not None and len(rule.head.arguments) == 2]
    values = ((head.predicate, head.arguments[1]) for head in heads)
    return tuple(
        dict.fromkeys(on for on, value in values if isinstance(value, Literal) and not is_well_typed(value))
    )


def groups_of_same(background: Iterable[Triple]) -> list[list[Term]]:
    """Return the groups of names declared equal by `background`. Each group begins with its representative;
    IRIs precede blank nodes.

    >>> from rdflib import URIRef
    >>> a, b, c = (URIRef(f"urn:x/{name}") for name in "abc")
    >>> [list(map(str, group)) for group in groups_of_same([(b, OWL.sameAs, a), (b, OWL.sameAs, c)])]
    [['urn:x/a', 'urn:x/b', 'urn:x/c']]
    """
    groups: Groups[Term] = Groups()
    for subject, predicate, object_ in background:
        if predicate == OWL.sameAs and not isinstance(object_, Literal):
            groups.unite((subject, object_))
    return sorted((sorted(group, key=_preference) for group in groups.members() if len(group) > 1), key=str)


def _preference(name: Term) -> tuple[bool, str]:
    return isinstance(name, BNode), str(name)


def _merged(rules: tuple[Rule, ...], groups: Iterable[tuple[Term, ...]]) -> tuple[Rule, ...]:
    """Replace each name in the rules by the first name of its group."""
    first = {name: group[0] for group in groups for name in group}
    if not first:
        return rules

    def argument(given: Argument) -> Argument:
        return first.get(given, given) if not isinstance(given, Variable) else given

    return tuple(rule.with_arguments(argument) for rule in rules)
