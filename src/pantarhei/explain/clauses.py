"""Rules read backwards, in numbers: what would have to hold for a fact to be derived.

A number up to `FIRST_VARIABLE` stands for a variable; `NONE` is where a class has no second argument.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from rdflib import Variable

from pantarhei.encoding.numbers import NONE, Fact, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Argument, Atom, Rule, Test
from pantarhei.rules.compilation.program import Program

FIRST_VARIABLE = -10
"""The number of a first variable; further ones are below."""

# The rules that replace a fact's subject, and its object, by an equal.
_REPLACING = "eq-rep-s", "eq-rep-o"

# What a rule of equality does not ask of another, for each atom of its body, since some proof does without:
# one that goes from equal to equal step by step, and replaces each end of a fact once, its subject last.
_NEEDLESS = {
    "eq-sym": (frozenset({"eq-sym"}),),
    "eq-trans": (frozenset({"eq-trans"}), frozenset[str]()),
    "eq-rep-s": (frozenset[str](), frozenset({"eq-rep-s"})),
    "eq-rep-o": (frozenset[str](), frozenset({"eq-rep-s", "eq-rep-o"})),
}

# The same for a subject, and an object, that may still be any name: it can be the equal itself, and a way
# from equal to equal starts at the end that is known.
_NEEDLESS_UNBOUND = frozenset({"eq-rep-s", "eq-trans"}), frozenset({"eq-rep-o"})


class NumberedAtom(NamedTuple):
    """An atom in numbers."""

    predicate: int
    subject: int
    object: int


def needless_for(atom: NumberedAtom) -> frozenset[str]:
    """The names of the rules that need not conclude an atom, because of its variables."""
    unbound = (
        rules for term, rules in zip(atom[1:], _NEEDLESS_UNBOUND, strict=True) if term <= FIRST_VARIABLE
    )
    return frozenset().union(*unbound)


class Clause(NamedTuple):
    """A rule in numbers.

    Args:
        variables: the numbers of its variables, from `FIRST_VARIABLE` downwards.
        needless: for each atom of the body the names of the rules that need not conclude it, since there is
            another proof where they do.
    """

    rule: Rule
    head: NumberedAtom
    body: tuple[NumberedAtom, ...]
    different: tuple[tuple[int, int], ...]
    tests: tuple[Test, ...]
    variables: Mapping[Variable, int]
    needless: tuple[frozenset[str], ...]


class Clauses:
    """The rules of a program by what they conclude; each is read when it is first asked for."""

    def __init__(self, program: Program, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._numbers = {symbol: number for number, symbol in enumerate(program.predicates)}
        self._rules: defaultdict[int, list[Rule]] = defaultdict(list)
        self._consequences: defaultdict[int, list[Rule]] = defaultdict(list)
        for rule in program.rules:
            if rule.head is not None:
                self._rules[self._predicate(rule.head)].append(rule)
                if len(rule.body) == 1 and not rule.tests:
                    self._consequences[self._predicate(rule.body[0])].append(rule)
        self._clauses: dict[int, tuple[Clause, ...]] = {}

    def concluding(self, predicate: int) -> tuple[Clause, ...]:
        """The rules that conclude a predicate."""
        known = self._clauses.get(predicate)
        if known is None:
            rules = self._rules.get(predicate, ())
            known = self._clauses[predicate] = self._clauses_of(rules)
        return known

    def following(self, fact: Fact) -> Iterator[Fact]:
        """The facts that follow from one alone by one rule, such as that its subject is in a superclass."""
        for rule in self._consequences.get(fact[0], ()):
            (clause,) = self._clauses_of([rule])
            (atom,) = clause.body
            bound = dict(zip(atom[1:], fact[1:], strict=True))
            if all(term <= FIRST_VARIABLE or term == value for term, value in bound.items()):
                head = clause.head
                yield (
                    head.predicate,
                    bound.get(head.subject, head.subject),
                    bound.get(head.object, head.object),
                )

    def _clauses_of(self, rules: Iterable[Rule]) -> tuple[Clause, ...]:
        return tuple(map(self._read, rules))

    @cached_property
    def predicates(self) -> frozenset[int]:
        """All predicates of the program."""
        return frozenset(range(len(self._numbers)))

    @cached_property
    def unconcluded(self) -> frozenset[int]:
        """The predicates that no rule concludes."""
        return self.predicates.difference(self._rules)

    def within_reach(self, assumable: Iterable[int]) -> set[int]:
        """The predicates that may be assumed, or concluded from something that may."""
        reached, news = set(assumable), list(assumable)
        while news:
            for head in self._above.get(news.pop(), ()):
                if head not in reached:
                    reached.add(head)
                    news.append(head)
        return reached

    @cached_property
    def _above(self) -> Mapping[int, set[int]]:
        """The predicates that rules conclude from each."""
        above: defaultdict[int, set[int]] = defaultdict(set)
        for head, rules in self._rules.items():
            for rule in rules:
                for atom in rule.body:
                    above[self._predicate(atom)].add(head)
        return above

    def _predicate(self, atom: Atom) -> int:
        return self._numbers[Symbol(atom.predicate, len(atom.arguments))]

    def _read(self, rule: Rule) -> Clause:
        variables: dict[Variable, int] = {}
        assert rule.head is not None, "it concludes something"
        atoms = [self._atom(atom, variables) for atom in (rule.head, *rule.body)]
        pairs = [
            (self._argument(pair.left, variables), self._argument(pair.right, variables))
            for pair in rule.different
        ]
        for test in rule.tests:
            for argument in test.arguments:
                if isinstance(argument, Variable):
                    self._argument(argument, variables)
        head, *body = atoms
        return Clause(
            rule, head, tuple(body), tuple(pairs), rule.tests, variables, _needless(rule.name, body)
        )

    def _atom(self, atom: Atom, variables: dict[Variable, int]) -> NumberedAtom:
        subject, *object_ = (self._argument(argument, variables) for argument in atom.arguments)
        return NumberedAtom(self._predicate(atom), subject, object_[0] if object_ else NONE)

    def _argument(self, argument: Argument, variables: dict[Variable, int]) -> int:
        if isinstance(argument, Variable):
            return variables.setdefault(argument, FIRST_VARIABLE - len(variables))
        return self._vocabulary.number(argument)


def _needless(name: str, body: Sequence[NumberedAtom]) -> tuple[frozenset[str], ...]:
    """The names of the rules that need not conclude each atom of a rule's body.

    A name is replaced by its equal only where it has to be a certain one: a constant, or one that the body
    names elsewhere too. In all other places the name is replaced in the conclusion instead.
    """
    if name in _NEEDLESS:
        return _NEEDLESS[name]
    times = Counter(term for atom in body for term in atom[1:])
    return tuple(
        frozenset(
            rule
            for term, rule in zip(atom[1:], _REPLACING, strict=True)
            if term <= FIRST_VARIABLE and times[term] == 1
        )
        for atom in body
    )
