"""What follows from the background alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pantarhei.language.rule import Rule
from pantarhei.language.term import Term, Triple, in_order
from pantarhei.materialize.consistency import refuse_violations
from pantarhei.materialize.growth import GrowingProgram, groups_of_same
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.demand import Theory


class MaterializedBackground(NamedTuple):
    """The facts that hold at every time.

    Args:
        facts: the materialization; of names that are one only the first occurs.
        same: the groups of names that are one, each with its first name in front.
    """

    facts: frozenset[Triple]
    same: tuple[tuple[Term, ...], ...]


def materialized_background(
    rules: Iterable[Rule], background: Iterable[Triple], unique_names: bool
) -> MaterializedBackground:
    """The materialization of `background`, as a stream reasoner has it before anything arrives.

    Args:
        rules: rules and constraints, as they are under unique names.

    Raises:
        InconsistentOntologyError: the background violates a constraint.
    """
    given = in_order(background)
    same = groups_of_same(given) if unique_names else []
    growing = GrowingProgram(Theory.of(rules, unique_names), same)
    encoded = growing.vocabulary.encode(given).facts
    if not growing.covers(encoded):
        growing.grow(encoded)
    model = WindowModel(growing.program, "newest", growing.vocabulary)
    model.add_background(encoded)
    refuse_violations(model, encoded)
    return MaterializedBackground(
        frozenset(growing.vocabulary.decode(model.facts())), tuple(map(tuple, same))
    )
