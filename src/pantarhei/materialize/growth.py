"""A program that grows: its rules follow the predicates that a stream brings (rules/demand.py)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from rdflib import OWL, BNode, Literal, Variable

from pantarhei.language.rule import Argument, Atom, Different, Predicate, Rule
from pantarhei.language.term import Term, Triple
from pantarhei.materialize.vocabulary import Vocabulary
from pantarhei.rules.demand import Theory
from pantarhei.rules.program import Integers, Program, compile_


class GrowingProgram:
    """The program of a theory for the predicates met so far.

    Numbers of symbols and terms stay; the program is another value after each growth, and models of the one
    before are to be made anew. Under unique names that happens only where a property has an ill-typed value
    for the first time, or where an axiom speaks of every owl:Thing.

    Args:
        theory: what to compile.
        same: groups of names that are one, each under its first name.
    """

    program: Program

    def __init__(self, theory: Theory, same: Iterable[Sequence[Term]] = ()) -> None:
        groups = [tuple(group) for group in same]
        self._theory = replace(theory, rules=_merged(theory.rules, groups))
        self._ill_typed: dict[Predicate, None] = {}
        self._demanded: tuple[Rule, ...] | None = None
        self._covered = 0
        self.vocabulary = Vocabulary(compile_(()))
        for first, *others in groups:
            self.vocabulary.merge(first, others)
        self._grow()

    def meet(self, facts: Integers) -> bool:
        """Make the program cover `facts`, encoded with the vocabulary. Returns whether it grew.

        Costs O(1) while predicates are known and literals are well-typed.
        """
        new = self._with_ill_typed_values(facts)
        if not new and not self._has_new_symbols_to_follow():
            return False
        self._ill_typed.update(dict.fromkeys(new))
        before = self.program
        self._grow()
        return self.program is not before

    def _has_new_symbols_to_follow(self) -> bool:
        symbols = self.vocabulary.symbols
        new = symbols[self._covered :]
        self._covered = len(symbols)
        return self._theory.follows(new, symbols)

    def _with_ill_typed_values(self, facts: Integers) -> list[Predicate]:
        ill_typed = self.vocabulary.ill_typed
        if not ill_typed:
            return []
        found = np.unique(facts[np.isin(facts[:, 2], list(ill_typed)), 0]).tolist()
        names = (self.vocabulary.symbols[number].name for number in found)
        return [name for name in names if name not in self._ill_typed]

    def _grow(self) -> None:
        """Compile anew until what is demanded brings nothing more."""
        while True:
            demanded = self._theory.demanded(self.vocabulary.symbols, self._ill_typed)
            if demanded == self._demanded:
                self._covered = len(self.vocabulary.symbols)
                return
            program = compile_((*self._theory.rules, *demanded), self.vocabulary)
            self.vocabulary.adopt(program)
            self.program, self._demanded = program, demanded


def groups_of_same(background: Iterable[Triple]) -> list[list[Term]]:
    """The names that `background` says are one, in groups; each begins with the name to use, IRIs first.

    >>> from rdflib import URIRef
    >>> a, b, c = (URIRef(f"urn:x/{name}") for name in "abc")
    >>> [list(map(str, group)) for group in groups_of_same([(b, OWL.sameAs, a), (b, OWL.sameAs, c)])]
    [['urn:x/a', 'urn:x/b', 'urn:x/c']]
    """
    above: dict[Term, Term] = {}

    def top(name: Term) -> Term:
        while above.setdefault(name, name) != name:
            above[name] = name = above[above[name]]
        return name

    for subject, predicate, object_ in background:
        if predicate == OWL.sameAs and not isinstance(object_, Literal):
            one, other = sorted((top(subject), top(object_)), key=_preference)
            above[other] = one
    groups: dict[Term, list[Term]] = {}
    for name in above:
        groups.setdefault(top(name), []).append(name)
    return sorted((sorted(group, key=_preference) for group in groups.values() if len(group) > 1), key=str)


def _preference(name: Term) -> tuple[bool, str]:
    return isinstance(name, BNode), str(name)


def _merged(rules: tuple[Rule, ...], groups: list[tuple[Term, ...]]) -> tuple[Rule, ...]:
    """The rules with the first name of each group for all of it."""
    first = {name: group[0] for group in groups for name in group}
    if not first:
        return rules

    def atom(given: Atom) -> Atom:
        return replace(given, arguments=tuple(map(argument, given.arguments)))

    def argument(given: Argument) -> Argument:
        return first.get(given, given) if not isinstance(given, Variable) else given

    return tuple(
        replace(
            rule,
            body=tuple(map(atom, rule.body)),
            head=None if rule.head is None else atom(rule.head),
            different=tuple(Different(argument(d.left), argument(d.right)) for d in rule.different),
        )
        for rule in rules
    )
