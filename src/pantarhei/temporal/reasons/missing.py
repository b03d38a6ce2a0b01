"""Why rules do not conclude something: of each rule the first part of its body that is not met."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pantarhei.model.rule import Test
from pantarhei.temporal.reasons.bodies import Bodies
from pantarhei.temporal.reasons.evidence import Atom, Binding, Clause, Evidence

_MOST = 1_000
"""So many ways to meet a part of a body are tried."""


class Missing(NamedTuple):
    """The rule came that far.

    Args:
        clause: the rule.
        binding: what its variables stand for by then.
        lacking: what is not met: a formula with what there is for it, or a test.
        met: how many parts of the body are.
    """

    clause: Clause
    binding: Binding
    lacking: Evidence | Test
    met: int


def missing(bodies: Bodies, atom: Atom) -> Iterator[Missing]:
    """For each temporal rule whose head an atom is, what is missing where most of its body is met."""
    for clause in bodies.clauses:
        binding = bodies.unified(clause.rule, atom) if clause.is_temporal else None
        if binding is not None:
            found = _Search(bodies, clause).found(binding)
            if found is not None:
                yield found


class _Search:
    """Looks for the way to meet a body that comes furthest."""

    def __init__(self, bodies: Bodies, clause: Clause) -> None:
        self._bodies, self._clause = bodies, clause
        self._best: Missing | None = None
        self._tried = 0

    def found(self, binding: Binding) -> Missing | None:
        """What is missing; None where nothing is, or it was not found."""
        formulas = [formula for formula in self._clause.rule.body if not formula.is_negated]
        waiting = [(binding, formulas)]
        while waiting and self._tried < _MOST:
            bound, open_ = waiting.pop()
            self._tried += 1
            if not open_:
                self._test(bound, len(formulas))
                continue
            first, rest = self._bodies.in_turn(open_, bound)
            ways = [(extended, rest) for extended, _ in self._bodies.met(first, bound)]
            if not ways:
                self._note(bound, self._bodies.most(first, bound), len(formulas) - len(open_))
            waiting += reversed(ways)
        return self._best

    def _test(self, binding: Binding, met: int) -> None:
        """Look at tests and at what is negated."""
        bound = dict(binding)
        failed = self._bodies.failed(self._clause, bound)
        if failed is not None:
            self._note(bound, failed, met)
            return
        for formula in self._clause.rule.body:
            if formula.is_negated and (evidence := self._bodies.evidence(formula, bound)).is_met:
                self._note(bound, evidence, met + 1)
                return

    def _note(self, binding: Binding, lacking: Evidence | Test, met: int) -> None:
        if self._best is None or self._best.met < met:
            self._best = Missing(self._clause, binding, lacking, met)
