"""Rules with terms for their variables, and what each formula of their bodies rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.model.rule import Different, Origin, Rule, Test
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule
from pantarhei.temporal.joining import Joined, as_temporal
from pantarhei.temporal.reasons.occasions import Arguments, Run
from pantarhei.temporal.term_tests import with_term_tests

Binding = Mapping[Variable, int]
"""What variables stand for, in the vocabulary's numbers."""


class Atom(NamedTuple):
    """What holds at a tick because rules conclude it at the present one."""

    predicate: URIRef
    arguments: Arguments
    tick: int


Leaf = Atom | Run
"""What evidence rests on: a conclusion, or what was said."""


class Evidence(NamedTuple):
    """A formula of a body with terms for its variables, and when it was so.

    Args:
        formula: as it is written.
        arguments: of its atom.
        first, last: the ticks that it looks at, both included.
        given: those of them at which it was so by what was said, oldest first.
        drawn: those at which it is so only by what rules conclude now.
    """

    formula: Formula
    arguments: Arguments
    first: int
    last: int
    given: tuple[Run, ...]
    drawn: tuple[int, ...]

    @property
    def lacking(self) -> int:
        """At how many of `drawn` it has to be so at least."""
        always = self.formula.mode is Mode.ALWAYS
        required = self.last - self.first + 1 if always else self.formula.times
        return max(0, required - sum(run.length for run in self.given))

    @property
    def is_met(self) -> bool:
        """Whether what it asks for is so."""
        return self.lacking <= len(self.drawn)

    @property
    def ticks(self) -> list[int]:
        """All ticks at which it was so, in order."""
        said = (tick for run in self.given for tick in run.newest(run.length))
        return sorted([*said, *self.drawn])

    @property
    def is_open(self) -> bool:
        """Whether it rests on other conclusions of the present tick."""
        return self.lacking > 0 and not self.formula.is_negated

    @property
    def atoms(self) -> list[Atom]:
        """The conclusions that it may rest on."""
        return [Atom(self.formula.atom.predicate, self.arguments, tick) for tick in self.drawn]

    def enough(self, atoms: Iterable[Atom]) -> tuple[Leaf, ...]:
        """What is enough for it of what was said and of some conclusions, oldest first: where it counts ticks
        the newest, else all.
        """
        if self.formula.mode is not Mode.SOMETIME:
            return tuple(sorted([*self.given, *atoms], key=_first))
        times = self.formula.times
        single: list[Leaf] = [Run(tick, tick, run.known) for run in self.given for tick in run.newest(times)]
        return tuple(sorted([*single, *atoms], key=_first)[-times:])


def _first(leaf: Leaf) -> int:
    return leaf.tick if isinstance(leaf, Atom) else leaf.first


class Clause(NamedTuple):
    """A temporal rule, or one of the ontology that joined them.

    Args:
        rule: what it concludes, and from what.
        shown: the rule as proofs have it.
        tests: all of them, as far as `rule` has them or not.
        different: names that have to differ.
    """

    rule: TemporalRule
    shown: Rule
    tests: tuple[Test, ...]
    different: tuple[Different, ...] = ()

    @property
    def is_temporal(self) -> bool:
        """Whether it is none of the ontology."""
        return not self.shown.body

    @classmethod
    def all_of(cls, given: Joined) -> tuple[Clause, ...]:
        """The clauses of a program."""
        temporal = (
            cls(rule, _shown(rule, n), with_term_tests(rule, given.unique_names).tests)
            for n, rule in enumerate(given.rules.rules, 1)
        )
        others = (cls(as_temporal(rule), rule, rule.tests, rule.different) for rule in given.ontology)
        return *temporal, *others


def _shown(rule: TemporalRule, number: int) -> Rule:
    line = None if rule.written is None else rule.written.line
    origin = Origin(str(rule), line=line, subject=rule.head.atom.predicate)
    return Rule(f"temporal-{number}", (), None, origin=origin)


class Instance(NamedTuple):
    """A clause with terms for its variables, whose body holds.

    Args:
        clause: the clause.
        binding: the terms.
        evidence: of each formula of the body, in its order.
    """

    clause: Clause
    binding: Binding
    evidence: tuple[Evidence, ...]
