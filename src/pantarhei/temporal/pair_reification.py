"""Rules with atoms of three arguments, written with atoms of two.

`p(x, y, t)` is `p(s, t), left(s, x), right(s, y)`, where s stands for the pair of x and y. Pairs have numbers
where something with them was said (temporal/pairs.py). Where a rule concludes something of a pair, another
one asks for its number first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.language.rule import Argument, Atom, Test

LEFT = Symbol(URIRef("urn:pantarhei:temporal:left"), 2)
RIGHT = Symbol(URIRef("urn:pantarhei:temporal:right"), 2)
PAIR = Symbol(URIRef("urn:pantarhei:temporal:pair"), 2)
"""`pair(x, y)`: the number of a pair is asked for."""

ReifiedRule = tuple[tuple[Atom, ...], Atom, tuple[Test, ...]]
"""A rule's body, head and tests."""


def reified_pairs(body: Iterable[Atom], head: Atom, tests: tuple[Test, ...]) -> Iterator[ReifiedRule]:
    """The rules that a rule with atoms of up to three arguments is.

    >>> x, y, t = Variable("x"), Variable("y"), Variable("t")
    >>> for atoms, head, _ in reified_pairs([Atom(URIRef("p"), (x, y, t))], Atom(URIRef("q"), (y, t)), ()):
    ...     print(len(atoms), atoms[0])
    3 p(?pair-x-y, ?t)
    """
    whole = tuple(dict.fromkeys(part for atom in body for part in _parts(atom)))
    first, *links = _parts(head)
    if links:
        yield whole, Atom(PAIR.name, head.arguments[:2]), tests
    yield tuple(dict.fromkeys((*whole, *links))), first, tests


def _parts(atom: Atom) -> Iterator[Atom]:
    """An atom with two arguments at most, and those that say what its pair is."""
    if len(atom.arguments) < 3:
        yield atom
        return
    left, right, last = atom.arguments
    pair = Variable(f"pair-{_name(left)}-{_name(right)}")
    yield Atom(atom.predicate, (pair, last))
    yield Atom(LEFT.name, (pair, left))
    yield Atom(RIGHT.name, (pair, right))


def _name(argument: Argument) -> str:
    """A name that tells an argument of a rule from others."""
    return str(argument) if isinstance(argument, Variable) else argument.n3()
