"""Reasons for absence: the minimal sets of triples with which an absent triple would follow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from rdflib import RDF, BNode, Literal, Variable

from oracle.canonical_literals import (
    canonical_facts,
    canonical_rule,
    canonical_term,
    canonical_triple,
)
from oracle.conflicts import Assertion
from oracle.explanations.supports import follows, minimal_supports, newest_occurrences
from pantarhei.model.rule import Atom, Predicate, Rule
from pantarhei.model.term import Term, Triple

NEW_NAME = BNode("new")
"""The one name that what is missing may have besides the names that are given."""


@dataclass(frozen=True, slots=True)
class ReasonForAbsence:
    """Reason why a triple is absent.

    Args:
        missing: triples with which it would follow.
        conflicts: the conflict sets of the assertions and `missing`, with the background; empty if all are
            consistent.
    """

    missing: frozenset[Triple]
    conflicts: frozenset[frozenset[Triple]]


def reasons_for_absence(
    rules: Iterable[Rule],
    assertions: Collection[Assertion],
    background: Collection[Triple],
    triple: Triple,
    assumable: Collection[tuple[Predicate, int]],
    names: Collection[Term],
    most: int,
) -> frozenset[ReasonForAbsence]:
    """Return all minimal sets of up to `most` triples, excluding `triple` itself, with which `triple` would
    follow.

    If the triple follows already, the only set is the empty one. `NEW_NAME` is the only new name, so that no
    two sets differ only in its choice. Cost: linear in the number of sets of up to `most` assumable triples.

    Args:
        assumable: predicates with arity, 1 for classes and 2 for properties, of which triples can be assumed.
        names: the terms of assumed triples, in addition to `NEW_NAME`; literals can be objects.
        most: the size of the largest sets.
    """
    rules, wanted = tuple(rules), canonical_triple(triple)
    newest = newest_occurrences(assertions)
    facts = canonical_facts([*background, *(fact for _, fact in newest)])
    assumed = dict.fromkeys(_assumed(rules, assumable, names))
    candidates = [each for each in assumed if each not in facts | {wanted}]
    found: list[frozenset[Triple]] = []
    for size in range(most + 1):
        for missing in map(frozenset, combinations(candidates, size)):
            if not any(smaller <= missing for smaller in found) and follows(rules, facts | missing, wanted):
                found.append(missing)
    return frozenset(
        ReasonForAbsence(missing, _conflicts(rules, newest, background, missing)) for missing in found
    )


def _assumed(
    rules: Iterable[Rule], assumable: Collection[tuple[Predicate, int]], names: Collection[Term]
) -> Iterator[Triple]:
    """Yield the assumable triples that match an atom in some rule's body: minimal sets contain no others."""
    atoms = {atom for rule in rules for atom in canonical_rule(rule).body}
    things = [*dict.fromkeys(map(canonical_term, names)), NEW_NAME]
    for predicate, arity in assumable:
        for subject in things:
            if isinstance(subject, Literal):
                continue
            for each in things if arity == 2 else [None]:
                triple = (subject, RDF.type, predicate) if each is None else (subject, predicate, each)
                if any(_can_match(atom, triple) for atom in atoms):
                    yield triple


def _can_match(atom: Atom, triple: Triple) -> bool:
    """True if some binding of the atom's variables yields the triple."""
    subject, predicate, object_ = triple
    if (atom.predicate, len(atom.arguments)) == (object_, 1) and predicate == RDF.type:
        pairs = [(atom.arguments[0], subject)]
    elif (atom.predicate, len(atom.arguments)) == (predicate, 2):
        pairs = [*zip(atom.arguments, (subject, object_), strict=True)]
    else:
        return False
    return all(isinstance(argument, Variable) or argument == term for argument, term in pairs)


def _conflicts(
    rules: Iterable[Rule],
    newest: Collection[Assertion],
    background: Collection[Triple],
    missing: frozenset[Triple],
) -> frozenset[frozenset[Triple]]:
    """Return the conflict sets of the asserted and the missing triples, without timestamps."""
    at = max((at for at, _ in newest), default=0)
    sets = minimal_supports(rules, [*newest, *((at, fact) for fact in missing)], background, None)
    return frozenset(frozenset(fact for _, fact in each) for each in sets)
