"""Which rules could derive new literals without end, because they compute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from rdflib import URIRef, Variable

from pantarhei.model.graphs import reached
from pantarhei.model.rule import Argument, Builtin, Rule
from pantarhei.values.builtin import SWRLB, is_computation

# Computations that make finitely many literals of finitely many, applied as often as one likes.
ROUNDING = frozenset(URIRef(SWRLB + name) for name in ("ceiling", "floor", "round", "roundHalfToEven"))
SIGNS = frozenset(URIRef(SWRLB + name) for name in ("unaryMinus", "unaryPlus", "abs"))


def endless(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    """The rules that compute literals from what may come from their own results, in any number of steps.

    Weak acyclicity, as for existential rules (Fagin et al., *Data exchange*, 2005): in the graph of the
    arguments of predicates, where a rule leads from the arguments in its body to the one in its head, no
    cycle may go through a computation. Without such rules every materialization is finite. Rounding and
    signs do not count: they make finitely many literals. Costs a walk of the graph for each computation.
    """
    leads: defaultdict[_Place, set[_Place]] = defaultdict(set)
    computes: list[tuple[Rule, _Place, _Place]] = []
    for rule in rules:
        for source, target, new in _flows(rule):
            leads[source].add(target)
            if new:
                computes.append((rule, source, target))

    def after(place: _Place) -> Iterable[_Place]:
        return leads.get(place, ())

    return tuple(
        dict.fromkeys(rule for rule, source, target in computes if source in reached([target], after))
    )


# A place is an argument of a predicate: its name, how many arguments it has, and which one is meant.
_Place = tuple[object, int, int]


def _flows(rule: Rule) -> Iterator[tuple[_Place, _Place, bool]]:
    """From which place of the body to which of the head values go, and whether literals are made of them."""
    if rule.head is None:
        return
    places: defaultdict[Argument, list[_Place]] = defaultdict(list)
    for atom in rule.body:
        for number, argument in enumerate(atom.arguments):
            if isinstance(argument, Variable):
                places[argument].append((atom.predicate, len(atom.arguments), number))
    sources = _sources(rule, places)
    for number, argument in enumerate(rule.head.arguments):
        for variable, new in sources.get(argument, {}).items():
            for place in places[variable]:
                yield place, (rule.head.predicate, len(rule.head.arguments), number), new


def _sources(rule: Rule, in_body: Iterable[Argument]) -> dict[Argument, dict[Argument, bool]]:
    """Of which variables of the body each variable is made, and whether that makes new literals."""
    sources: dict[Argument, dict[Argument, bool]] = {variable: {variable: False} for variable in in_body}
    for test in rule.tests:
        if isinstance(test, Builtin) and is_computation(test) and test.arguments[0] not in sources:
            new = test.name not in ROUNDING | SIGNS
            made_of: dict[Argument, bool] = {}
            for operand in test.arguments[1:]:
                for variable, already in sources.get(operand, {}).items():
                    made_of[variable] = made_of.get(variable, False) or already or new
            sources[test.arguments[0]] = made_of
    return sources
