"""Safety and stratification of temporal rules.

A rule is safe if its body binds each variable. Rules are stratified if no conclusion depends on its own
absence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from rdflib import URIRef, Variable

from pantarhei.errors import TemporalRuleError
from pantarhei.model.graphs import components
from pantarhei.model.message_text import disambiguate
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import Formula, Mode, TemporalRule, builtin_text, term_text
from pantarhei.model.term import short
from pantarhei.temporal.rule_form import Place, rule_error, variable_error
from pantarhei.values.scalar_functions import is_computation


class BindingStep(NamedTuple):
    """Way to bind variables, possible once other variables are bound.

    Args:
        needs: variables that must be bound before.
        gives: variables that are bound afterwards.
        source: the formula, computation or equation that binds them.
    """

    needs: frozenset[Variable]
    gives: frozenset[Variable]
    source: object


def variables_in(arguments: Iterable[Argument | None]) -> frozenset[Variable]:
    """Return the variables among arguments."""
    return frozenset(argument for argument in arguments if isinstance(argument, Variable))


def is_unbounded(formula: Formula) -> bool:
    """Test whether a formula is an @ without a window, which can test a time but not enumerate times."""
    return formula.mode is Mode.AT and formula.window is None


def binding_steps(rule: TemporalRule) -> list[BindingStep]:
    """Return the binding steps of a rule: positive formulas, then computations."""
    positive = [formula for formula in rule.body if not formula.is_negated]
    return [
        *(BindingStep(variables_in([f.time] if is_unbounded(f) else ()), f.variables, f) for f in positive),
        *(
            BindingStep(_operands(test), variables_in(test.arguments[:1]), test)
            for test in rule.tests
            if is_computation(test)
        ),
    ]


def with_ordered_tests(rule: TemporalRule) -> TemporalRule:
    """Order the tests of a rule so that computations precede the tests of their results; otherwise as in the
    text.

    >>> from pantarhei.temporal.rules import load_rules
    >>> rules = load_rules("a(X) :- b(X, N), K > 4, K = N + 1.", prefixes={"": "http://example.org/"})
    >>> print(with_ordered_tests(rules.rules[0]))
    a(X) :- b(X, N), K = N + 1, K > 4.
    """
    bound = {variable for each in rule.body if not each.is_negated for variable in each.variables}
    waiting, ordered = list(rule.tests), list[Builtin]()
    while waiting:
        test = next((each for each in waiting if _operands(each) <= bound), waiting[0])
        waiting.remove(test)
        ordered.append(test)
        bound |= variables_in(test.arguments)
    return rule if ordered == list(rule.tests) else replace(rule, tests=tuple(ordered))


def _operands(test: Builtin) -> frozenset[Variable]:
    """Return the variables that must be bound before a test: all except the result of a computation."""
    return variables_in(test.arguments[is_computation(test) :])


def resolve_bindings(given: Sequence[BindingStep]) -> tuple[frozenset[Variable], list[BindingStep]]:
    """Return the variables that can be bound, and the useful binding steps in order.

    Among possible steps the first is taken; steps that bind no further variable are omitted. Costs linear
    time.
    """
    bound: set[Variable] = set()
    missing = [len(step.needs) for step in given]
    waiting: dict[Variable, list[int]] = defaultdict(list)
    for number, step in enumerate(given):
        for variable in step.needs:
            waiting[variable].append(number)
    found: list[BindingStep] = []
    ready = [number for number, count in enumerate(missing) if not count]
    for number in ready:
        new = given[number].gives - bound
        if new:
            found.append(given[number])
            bound |= new
        for variable in new:
            for other in waiting[variable]:
                missing[other] -= 1
                if not missing[other]:
                    ready.append(other)
    return frozenset(bound), found


_IN_BODY = "an atom of the body with this variable, without negation, or a computation of its value"


def check_safety(rule: TemporalRule) -> None:
    """Check that a positive formula or a computation binds each variable of a rule.

    Raises:
        TemporalRuleError: a variable is not bound.
    """
    bound, _ = resolve_bindings(binding_steps(rule))
    for formula in rule.body:
        time = formula.time
        if (
            is_unbounded(formula)
            and not formula.is_negated
            and isinstance(time, Variable)
            and time not in bound
        ):
            problem = f"the time {term_text(time)} of {formula} is not bounded"
            expected = f"a window, as in {formula} in [10], or another atom of the body with this variable"
            raise variable_error(time, problem, expected, formula, rule)
    for formula in (rule.head, *rule.body):
        where = "the head" if formula is rule.head else f"{formula}"
        expected = _negation_advice(formula, bound) if formula.is_negated else _IN_BODY
        _check_bound(formula.variables, bound, where, rule, formula, expected)
    for test in rule.tests:
        _check_bound(variables_in(test.arguments), bound, builtin_text(test), rule, test)


def _negation_advice(denied: Formula, bound: frozenset[Variable]) -> str:
    """Return advice for an unbound variable in a negated formula: negate a projection of the formula."""
    known = [each for each in denied.atom.arguments if each in bound]
    some = f"some({', '.join(map(term_text, known))})" if known else "some"
    return (
        f"{_IN_BODY}; to require that there is no such fact, add the rule "
        f"{some} :- {replace(denied, is_negated=False)}. and the condition not {some}"
    )


def _check_bound(
    given: Iterable[Variable],
    bound: frozenset[Variable],
    where: str,
    rule: TemporalRule,
    place: Place,
    expected: str = _IN_BODY,
) -> None:
    if free := sorted(set(given) - bound):
        problem = f"{term_text(free[0])} in {where} is not bound"
        raise variable_error(free[0], problem, expected, place, rule)


_MOST_STEPS = 12  # maximum number of steps of a cycle in an error text
_WITHOUT_STRATA = "pantarhei.AnswerStreams and pantarhei run --models 0 evaluate rules without strata"


class _Dependency(NamedTuple):
    """Dependency of a concluded predicate on another one, both by number."""

    head: int
    body: int
    formula: Formula
    rule: TemporalRule

    @property
    def is_strict(self) -> bool:
        """Test whether the other predicate must be in a lower stratum."""
        return self.formula.is_negated or self.formula.mode is Mode.ALWAYS or self.formula.times > 1


def stratify(rules: Iterable[TemporalRule]) -> dict[URIRef, int]:
    """Return the stratum of each concluded predicate, counted from 0, in ascending order.

    A predicate is in a stratum not below those of the predicates in its bodies, and above those that are
    negated, under □, or counted. Costs linear time.

    Raises:
        TemporalRuleError: a predicate depends on itself through negation, □ or a count; the error names the
        cycle.
    """
    given = list(rules)
    heads = list(dict.fromkeys(rule.head.atom.predicate for rule in given))
    numbers = {predicate: number for number, predicate in enumerate(heads)}
    uses = [
        _Dependency(numbers[rule.head.atom.predicate], numbers[formula.atom.predicate], formula, rule)
        for rule in given
        for formula in rule.body
        if formula.atom.predicate in numbers and not formula.atom.is_asserted
    ]
    uses_of: list[list[_Dependency]] = [[] for _ in heads]
    for use in uses:
        uses_of[use.head].append(use)
    found = [0] * len(heads)
    for component in components([[use.body for use in own] for own in uses_of]):
        inside = set(component)
        own = [use for head in component for use in uses_of[head]]
        for use in own:
            if use.is_strict and use.body in inside:
                raise _cycle_error(use, uses_of, heads)
        stratum = max((found[use.body] + use.is_strict for use in own if use.body not in inside), default=0)
        for number in component:
            found[number] = stratum
    return dict(sorted(zip(heads, found, strict=True), key=lambda each: each[1]))


def _cycle_error(
    strict: _Dependency, uses_of: Sequence[Sequence[_Dependency]], heads: Sequence[URIRef]
) -> TemporalRuleError:
    """Return the error that a predicate depends on itself through negation, □ or a count."""
    path = _path(strict, uses_of)
    formula = strict.formula
    if formula.is_negated:
        what, expected = "its own absence", "negation only of predicates that do not depend on the head"
    else:
        what = (
            "itself at all ticks of a window" if formula.mode is Mode.ALWAYS else "how often it holds itself"
        )
        expected = (
            "□ and counts only of predicates that do not depend on the head, or the word asserted before the "
            "atom, to count assertions only"
        )

    def problem() -> str:
        steps = [short(heads[strict.head]), str(formula), *(str(use.formula) for use in path)]
        shown = steps if len(steps) <= _MOST_STEPS else [*steps[: _MOST_STEPS - 2], "…", steps[-1]]
        return f"{steps[0]} depends on {what}: {' ← '.join(shown)}"

    expected += f"; {_WITHOUT_STRATA}"
    return rule_error(disambiguate(problem), expected, formula, strict.rule)


def _path(strict: _Dependency, uses_of: Sequence[Sequence[_Dependency]]) -> list[_Dependency]:
    """Return the shortest chain of dependencies from the body of `strict` back to its head; empty if they are
    equal.
    """
    reached_by: dict[int, _Dependency] = {}
    waiting = [strict.body]
    for number in waiting:
        if number == strict.head:
            break
        for use in uses_of[number]:
            if use.body not in reached_by and use.body != strict.body:
                reached_by[use.body] = use
                waiting.append(use.body)
    path: list[_Dependency] = []
    at = strict.head
    while at != strict.body:
        path.append(reached_by[at])
        at = path[-1].head
    return path[::-1]
