"""Window model of a few rules, with triples instead of rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pantarhei.encoding.numbers import Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import Keep, WindowModel
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple
from pantarhei.rules.compilation.program import compile_


class RuleModel:
    """Window model whose facts are triples; `kernel` is the model's kernel."""

    def __init__(self, *rules: Rule, keep: Keep = "newest") -> None:
        program = compile_(rules)
        self.vocabulary = Vocabulary(program)
        self.model = WindowModel(program, keep, self.vocabulary)
        self.kernel = self.model.kernel

    def rows(self, triples: Iterable[Triple]) -> Integers:
        """Encode triples, in order."""
        return self.vocabulary.encode(list(triples)).facts

    def add(self, level: int, *triples: Triple) -> Integers:
        """Assert triples; return the undo information."""
        return self.model.add(self.rows(triples), level)

    def merge(self, level: int, asserted: list[Triple], derived: list[Triple]) -> Integers:
        """Assert triples from which `derived` is known to follow."""
        return self.model.merge(self.rows([*asserted, *derived]), len(asserted), level)

    def cut(self, *triples: Triple) -> None:
        """Retract triples."""
        self.model.cut(self.rows(triples))
        self.kernel.check_invariants()

    def slide(self, oldest: int) -> None:
        """Expire the levels below `oldest`."""
        self.model.slide(oldest)
        self.kernel.check_invariants()

    @property
    def facts(self) -> set[Triple]:
        """Materialization of the model."""
        return set(self.vocabulary.decode(self.model.facts()))

    @property
    def levels(self) -> dict[Triple, int]:
        """Settled level of each fact, in a model that keeps the newest."""
        self.kernel.settle()
        facts = self.model.facts()
        return dict(zip(self.vocabulary.decode(facts), self.model.levels(facts).tolist(), strict=True))

    def violations(self) -> list[tuple[str, list[Triple]]]:
        """Return the constraints' matches since the last call: the name, and the facts in body order."""
        return [
            (self.model.program.rules[rule].name, self.triples_of(rows))
            for rule, *rows in self.model.violations().tolist()
        ]

    def triples_of(self, rows: Iterable[int]) -> list[Triple]:
        """Decode rows; rows without a fact are omitted."""
        return list(self.vocabulary.decode(self.model.facts_of([row for row in rows if row >= 0])))

    def flagged(self, flag: int) -> set[Triple]:
        """Return the facts whose rows have a flag."""
        predicates, flags = self.kernel.store.columns("predicate", "flags")
        return set(self.triples_of(np.flatnonzero((predicates >= 0) & (flags & flag != 0)).tolist()))
