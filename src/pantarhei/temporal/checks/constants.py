"""Warnings of rules without variables: names that were meant for some."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rdflib import URIRef

from pantarhei.model.messages import told_place
from pantarhei.model.temporal_rule import TemporalRule
from pantarhei.model.term import short


@dataclass(frozen=True, slots=True)
class NameForVariable:
    """A warning: a rule is about one name alone, which stands where most rules have a variable.

    Args:
        rule: the rule.
        name: what stands in its head and in its body.
    """

    rule: TemporalRule
    name: URIRef

    def __str__(self) -> str:
        name, where = short(self.name), told_place(self.rule.written)
        return (
            f"{where}{self.rule} is about {name} alone, and has no variable; one begins with a capital "
            f"letter and has no colon, or with a question mark: ?{name}"
        )


def names_for_variables(rules: Iterable[TemporalRule]) -> tuple[NameForVariable, ...]:
    """The rules without variables whose head has a name that the body has too."""
    found = []
    for rule in rules:
        if not any(formula.variables for formula in rule.formulas):
            in_body = {each for formula in rule.body for each in formula.atom.arguments}
            names = (each for each in rule.head.atom.arguments if isinstance(each, URIRef))
            found += [NameForVariable(rule, name) for name in names if name in in_body][:1]
    return tuple(found)
