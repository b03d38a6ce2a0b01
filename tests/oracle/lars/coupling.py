"""Rules of an ontology beside temporal rules that conclude its classes and properties.

The ontology's consequences of such conclusions are concluded too, at the present tick, and all of them are
remembered: later they are states of their tick, as the consequences of assertions are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, cast

from rdflib import URIRef

from pantarhei.model.rule import Atom, Builtin, Rule
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule


class Coupled(NamedTuple):
    """Temporal rules with those of the ontology, and the remembered predicates."""

    rules: tuple[TemporalRule, ...]
    remembered: frozenset[URIRef]


def couple(
    rules: Iterable[TemporalRule], remembered: Collection[URIRef], ontology: Iterable[Rule]
) -> Coupled:
    """Add the ontology's rules that depend, directly or not, on conclusions of the temporal rules.

    Args:
        ontology: rules without constraints whose only conditions on literals are built-ins.
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
    return Coupled((*given, *map(_at_present, joined)), frozenset({*remembered, *names}))


def _at_present(rule: Rule) -> TemporalRule:
    """Convert a rule of an ontology to a temporal rule on the present tick."""
    assert rule.head is not None, "a constraint is refused"
    tests = tuple(test for test in rule.tests if isinstance(test, Builtin))
    assert len(tests) == len(rule.tests) and not rule.different, "built-ins are its only conditions"
    return TemporalRule(_formula(rule.head), tuple(map(_formula, rule.body)), tests)


def _formula(atom: Atom) -> Formula:
    return Formula(TemporalAtom(cast("URIRef", atom.predicate), atom.arguments))
