"""Class variables: rules in which the class of an rdf:type atom is a variable.

`type(?x, ?c) :- kind(?x, ?c)` derives memberships in any class, so it writes the relations that all atoms
`C(x)` read. Rules without class variables have a relation for each class, which is fast. If one rule has a
class variable, all rules use one relation for rdf:type: `C(x)` becomes `type(x, C)`. Both forms of a rule
derive the same triples. A class that a stream brings is a value of that relation; it needs no rules of its
own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rdflib import Literal

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.term import ONLY_TYPE, RDF_TYPE
from pantarhei.rules.translation.canonical_rule import canonical

TYPE = Symbol(RDF_TYPE, 2)


def has_class_variables(rules: Iterable[Rule]) -> bool:
    """Test whether a rule has a class variable."""
    return any(atom.has_class_variable for rule in rules for atom in rule.atoms)


def by_class(rule: Rule) -> Rule:
    """Return the canonical rule with `C(x)` for each atom `type(x, C)` whose class is a name."""
    if not any(atom.predicate in ONLY_TYPE for atom in rule.atoms):
        return rule
    changed = _with_atoms(rule, {atom: atom.as_class for atom in rule.atoms})
    return rule if changed is rule else canonical(changed)


def gives_literal_class(rule: Rule) -> bool:
    """Test whether the class of the head is a literal, which no triple can state."""
    head = rule.head
    return head is not None and head.predicate in ONLY_TYPE and isinstance(head.arguments[-1], Literal)


def over_one_relation(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """Return the rules with `type(x, C)` for each atom `C(x)`. Costs time linear in their size."""
    known: dict[Atom, Atom] = {}
    made = []
    for rule in rules:
        for atom in rule.atoms:
            if atom not in known:
                known[atom] = atom.as_type
        made.append(_with_atoms(rule, known))
    return tuple(made)


def relations_of(symbols: Iterable[Symbol]) -> frozenset[Symbol]:
    """Return the predicates with rdf:type for the classes, as rules over one relation have them."""
    return frozenset(symbol if symbol.arity == 2 else TYPE for symbol in symbols)


def _with_atoms(rule: Rule, changed: dict[Atom, Atom]) -> Rule:
    """Return the rule with other atoms; the rule itself if none changes."""
    if all(changed[atom] is atom for atom in rule.atoms):
        return rule
    head = None if rule.head is None else changed[rule.head]
    return replace(rule, body=tuple([changed[atom] for atom in rule.body]), head=head)
