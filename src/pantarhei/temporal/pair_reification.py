"""Rules with atoms of three arguments, written with atoms of two.

`p(x, y, t)` is `p(s, y), left(s, x), right(s, t)`, where s stands for the pair of x and t: for x at that
tick. So what is said at a tick of one x shares a pair, and each pair belongs to one tick. Pairs have numbers
where something with them was said (temporal/pairs.py). Where a rule concludes something of a pair that its
body does not have, another one asks for its number first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Argument, Atom, Rule, Test
from pantarhei.temporal.program import TemporalProgram

LEFT = Symbol(URIRef("urn:pantarhei:temporal:left"), 2)
RIGHT = Symbol(URIRef("urn:pantarhei:temporal:right"), 2)
PAIR = Symbol(URIRef("urn:pantarhei:temporal:pair"), 2)
"""`pair(x, t)`: the number of a pair is asked for."""

ReifiedRule = tuple[tuple[Atom, ...], Atom, tuple[Test, ...]]
"""A rule's body, head and tests."""


def with_pairs(program: TemporalProgram) -> TemporalProgram:
    """The same program with atoms of up to two arguments."""
    rules = dict[Rule, None]()
    for rule in program.rules:
        if rule.head is None or all(len(atom.arguments) < 3 for atom in rule.atoms):
            rules[rule] = None
            continue
        for body, head, tests in reified_pairs(rule.body, rule.head, rule.tests):
            rules[Rule(rule.name, body, head, tests=tests)] = None
    return replace(program, rules=tuple(rules))


def reified_pairs(body: Iterable[Atom], head: Atom, tests: tuple[Test, ...]) -> Iterator[ReifiedRule]:
    """The rules that a rule with atoms of up to three arguments is.

    >>> x, y, t = Variable("x"), Variable("y"), Variable("t")
    >>> for atoms, head, _ in reified_pairs([Atom(URIRef("p"), (x, y, t))], Atom(URIRef("q"), (x, t)), ()):
    ...     print(len(atoms), atoms[0])
    3 p(?pair-x-t, ?y)
    """
    whole = dict.fromkeys(part for atom in body for part in _parts(atom))
    first, *links = _parts(head)
    if not whole.keys() >= set(links):
        asking = Atom(PAIR.name, (head.arguments[0], head.arguments[-1]))
        yield _needed(whole, asking, tests), asking, tests
    yield _needed(whole | dict.fromkeys(links), first, tests), first, tests


def _needed(body: Collection[Atom], head: Atom, tests: tuple[Test, ...]) -> tuple[Atom, ...]:
    """The body without what says of a pair what nothing else asks for: a pair has both its terms."""
    asked = Counter(argument for part in (*body, head, *tests) for argument in part.arguments)
    return tuple(
        atom
        for atom in body
        if atom.predicate not in (LEFT.name, RIGHT.name)
        or not isinstance(term := atom.arguments[1], Variable)
        or asked[term] > 1
    )


def _parts(atom: Atom) -> Iterator[Atom]:
    """An atom with two arguments at most, and those that say what its pair is."""
    if len(atom.arguments) < 3:
        yield atom
        return
    left, other, right = atom.arguments
    pair = Variable(f"pair-{_name(left)}-{_name(right)}")
    yield Atom(atom.predicate, (pair, other))
    yield Atom(LEFT.name, (pair, left))
    yield Atom(RIGHT.name, (pair, right))


def _name(argument: Argument) -> str:
    """A name that tells an argument of a rule from others."""
    return str(argument) if isinstance(argument, Variable) else argument.n3()
