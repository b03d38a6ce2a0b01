"""The rules of an ontology beside temporal rules that conclude its classes and properties.

What follows from such a conclusion by the ontology is concluded too, at the present tick, and all of it is
remembered: it is a state of its tick from then on, as what follows from assertions is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, cast

from rdflib import URIRef

from pantarhei.model.rule import Atom, Builtin, Rule
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule


class Coupled(NamedTuple):
    """Temporal rules with those of the ontology, and the predicates that are remembered."""

    rules: tuple[TemporalRule, ...]
    remembered: frozenset[URIRef]


def coupled(
    rules: Iterable[TemporalRule], remembered: Collection[URIRef], ontology: Iterable[Rule]
) -> Coupled:
    """Temporal rules with all rules of an ontology that what they conclude of its predicates leads to.

    Args:
        ontology: rules, no constraint among them, whose only conditions on literals are built-ins.
    """
    given, ontology = tuple(rules), list(ontology)
    known = {atom.predicate for rule in ontology for atom in rule.atoms}
    reached = known.intersection(rule.head.atom.predicate for rule in given)
    while True:
        joined = [rule for rule in ontology if any(atom.predicate in reached for atom in rule.body)]
        further = {rule.head.predicate for rule in joined if rule.head is not None} - reached
        if not further:
            break
        reached |= further
    names = (name for name in reached if isinstance(name, URIRef))
    return Coupled((*given, *map(_now, joined)), frozenset({*remembered, *names}))


def _now(rule: Rule) -> TemporalRule:
    """A rule of an ontology as one of the present tick."""
    assert rule.head is not None, "a constraint is refused"
    tests = tuple(test for test in rule.tests if isinstance(test, Builtin))
    assert len(tests) == len(rule.tests) and not rule.different, "built-ins are its only conditions"
    return TemporalRule(_formula(rule.head), tuple(map(_formula, rule.body)), tests)


def _formula(atom: Atom) -> Formula:
    return Formula(TemporalAtom(cast("URIRef", atom.predicate), atom.arguments))
