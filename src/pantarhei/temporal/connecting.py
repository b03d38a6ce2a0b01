"""Bodies whose atoms share no variables, connected by the unit: the join machine goes from atom to atom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rdflib import URIRef, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.graphs import grouped
from pantarhei.model.rule import Atom
from pantarhei.temporal.collecting import Collected, terms_of
from pantarhei.temporal.program import UNIT


def connected(collected: Collected, body: Sequence[Atom], heads: Iterable[Atom]) -> list[Atom]:
    """A body, with atoms that connect its parts which share no variable, each other and `heads`.

    The rules for these atoms are collected: `p:2:0` has the unit and what stands at place 0 in p.
    """
    return [*body, *_links(collected, body, heads)]


def _links(collected: Collected, body: Sequence[Atom], heads: Iterable[Atom]) -> Iterator[Atom]:
    parts = grouped(body, variables_of)  # an atom without variables is one by itself
    bound = {variable for atom in body for variable in variables_of(atom)}
    ends = (part for head in heads for part in (head.arguments, (head.arguments[0], head.arguments[-1])))
    is_whole = len(parts) == 1 and not any(bound.isdisjoint(arguments) for arguments in ends)  # with its pair
    for atom, *_ in () if is_whole else parts:
        if not variables_of(atom):
            continue
        variable = variables_of(atom)[0]
        place = atom.arguments.index(variable)
        link = URIRef(f"{atom.predicate}:{len(atom.arguments)}:{place}")
        terms = terms_of(Symbol(atom.predicate, len(atom.arguments)))
        collected.add("link", [Atom(atom.predicate, terms)], Atom(link, (UNIT, terms[place])))
        yield Atom(link, (UNIT, variable))


def variables_of(atom: Atom) -> list[Variable]:
    """The variables of an atom."""
    return [each for each in atom.arguments if isinstance(each, Variable)]
