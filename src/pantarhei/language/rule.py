"""Rules and constraints over triples.

A rule `h(x) :- b1(x), b2(x, y)` derives its head wherever its body holds; a constraint is a rule without a
head. An atom with one argument is a class, one with two a property. Constants are RDF terms, variables are
rdflib's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rdflib import RDF, BNode, URIRef, Variable

from pantarhei.language.term import Term, Triple

Argument = Term | Variable
Predicate = URIRef | BNode


@dataclass(frozen=True, slots=True)
class Atom:
    """`predicate(arguments)`: class membership with one argument, a property with two.

    >>> from rdflib import Namespace
    >>> EX = Namespace("http://example.org/")
    >>> str(Atom(EX.isIn, (Variable("x"), EX.Hall)))
    'isIn(?x, Hall)'
    """

    predicate: Predicate
    arguments: tuple[Argument, ...]

    def ground(self, binding: Mapping[Variable, Term]) -> Triple:
        """The triple this atom stands for under `binding`, which binds each of its variables."""
        first, *rest = (binding[a] if isinstance(a, Variable) else a for a in self.arguments)
        return (first, self.predicate, rest[0]) if rest else (first, RDF.type, self.predicate)

    def __str__(self) -> str:
        return f"{short(self.predicate)}({', '.join(map(short, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Different:
    """`left ≠ right`: two names that differ, or two literals with different values (unique names)."""

    left: Argument
    right: Argument

    def __str__(self) -> str:
        return f"{short(self.left)} ≠ {short(self.right)}"


@dataclass(frozen=True, slots=True)
class Rule:
    """`head :- body, different`; a constraint where `head` is None.

    Every variable of the head and of `different` occurs in the body, and the body is connected.

    Args:
        name: the W3C rule it is an instance of (`cax-sco`), or one of ours (`pr-…`).
        body: at least one atom.
        head: what is derived; None for ⊥.
        different: inequalities that must hold as well.
        origin: the axiom it comes from, in OWL's functional-style syntax.
    """

    name: str
    body: tuple[Atom, ...]
    head: Atom | None
    different: tuple[Different, ...] = ()
    origin: str = ""

    @property
    def is_constraint(self) -> bool:
        return self.head is None

    def __str__(self) -> str:
        conditions = ", ".join([*map(str, self.body), *map(str, self.different)])
        return f"{self.head or '⊥'} :- {conditions}."


def short(term: Argument) -> str:
    """The last part of an IRI, `?x` for a variable, N-Triples for the rest: for people, not for machines.

    >>> short(URIRef("http://example.org/room#Hall")), short(Variable("x"))
    ('Hall', '?x')
    """
    if isinstance(term, URIRef):
        return term.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or str(term)
    return term.n3()
