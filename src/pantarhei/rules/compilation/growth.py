"""Programs that grow: rules are added for the predicates that a stream brings (`translation.demand`)."""

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
        ill_typed: properties with a rule against ill-typed values.
        covered: number of the first symbols that demand no further rules.
    """

    program: Program
    ill_typed: tuple[Predicate, ...]
    covered: int


class PartialProgram(NamedTuple):
    """Rules of a program that suffice when only some predicates are queried.

    Args:
        program: these rules.
        lacks: predicates that are not fully derived.
    """

    program: Program
    lacks: frozenset[Symbol] = frozenset()

    def has_all_of(self, symbols: Symbols) -> bool:
        """True if all facts of some predicates are derived."""
        if symbols is None:
            return not self.lacks
        return self.lacks.isdisjoint(relations_of(symbols) if TYPE in self.lacks else symbols)


class GrowingProgram:
    """Program of a theory for the predicates seen so far.

    Numbers of symbols and terms stay; each growth creates a new program, and models of the old one must be
    rebuilt. Under unique names it grows only when a property has its first ill-typed value, or where an axiom
    is about every owl:Thing.

    Args:
        theory: the theory to compile.
        same: groups of equal names, each under its first name.
        numbers: reading of numeric literals.

    `grown` is the whole mutable state; an old one may be restored with a vocabulary in its old state.
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

    def part_for(self, asked: Symbols) -> PartialProgram:
        """Return the rules needed to derive all facts of the `asked` predicates, and all violations.

        Costs the compilation, unless it equals the last result.
        """
        program, known, part = self._part
        if program is not self.program or known is not asked:
            is_known = program is self.program and (asked is None or (known is not None and known <= asked))
            if not (is_known and part.has_all_of(asked)):
                part = self._part_for(asked)
            self._part = self.program, asked, part
        return part

    def _part_for(self, asked: Symbols) -> PartialProgram:
        rules = self.program.rules
        matter = rules if asked is None else relevant_rules(rules, asked)
        if len(matter) == len(rules):
            return PartialProgram(self.program)
        part = part_of(self.program, matter, self.vocabulary.value_of)
        return PartialProgram(part, _derived_by(rules) - _derived_by(matter))

    def covers(self, facts: Integers) -> bool:
        """True if the program has all rules that `facts`, encoded with the vocabulary, demand.

        Costs O(1) while predicates are known and literals are well-typed.
        """
        symbols, covered = self.vocabulary.symbols, self.grown.covered
        if len(symbols) > covered:
            if self.theory.follows(symbols[covered:], symbols):
                return False
            self.grown = self.grown._replace(covered=len(symbols))  # they demand no rules
        return not self._with_ill_typed_values(facts)

    def recheck_symbols(self) -> None:
        """Recompute the demand of symbols beyond the program's, after a renumbering."""
        self.grown = self.grown._replace(covered=len(self.program.predicates))

    @property
    def ill_typed(self) -> tuple[Predicate, ...]:
        """Properties with a rule against ill-typed values."""
        return self.grown.ill_typed

    def grow(self, facts: Integers = NO_FACTS, ill_typed: Iterable[Predicate] = ()) -> None:
        """Extend the program to cover `facts` and ill-typed values of further properties, compiling until
        nothing is missing.

        Models of the old program are invalid afterwards, also after an error.
        """
        against = tuple(dict.fromkeys((*self.ill_typed, *ill_typed, *self._with_ill_typed_values(facts))))
        self.vocabulary.roll_back_to(self.vocabulary.mark)  # programs are compiled from numbered terms only
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
    """Return the properties to which a rule gives an ill-typed value."""
    heads = [rule.head for rule in rules if rule.head is not None and len(rule.head.arguments) == 2]
    values = ((head.predicate, head.arguments[1]) for head in heads)
    return tuple(
        dict.fromkeys(on for on, value in values if isinstance(value, Literal) and not is_well_typed(value))
    )


def groups_of_same(background: Iterable[Triple]) -> list[list[Term]]:
    """Return the groups of names declared equal by `background`; each begins with the representative, IRIs
    first.

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
    """Replace the names of each group by its first name in the rules."""
    first = {name: group[0] for group in groups for name in group}
    if not first:
        return rules

    def argument(given: Argument) -> Argument:
        return first.get(given, given) if not isinstance(given, Variable) else given

    return tuple(rule.with_arguments(argument) for rule in rules)
