"""Our rules in the languages of Nemo and clingo: a predicate for each class and property, terms as integers.

`C(x)` becomes `c3(X)`, `R(x, y)` `r5(X, Y)`; the caller supplies the numbers of predicates and constants.
Conditions that these languages do not support in our form (data ranges, SWRL's built-ins) raise an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from rdflib import Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Argument, Atom, Rule
from pantarhei.model.term import Term

Numbers = Mapping[Symbol, int]
Constant = Callable[[Term], str]


class NotDatalogError(ValueError):
    """A rule has a condition without a counterpart in the peer's language."""


def nemo_rules(rules: Iterable[Rule], numbers: Numbers, constant: Constant) -> list[str]:
    """Return a line of Nemo for each rule with a head."""
    return [_rule(rule, numbers, constant, "?x") for rule in rules if rule.head is not None]


def clingo_rules(rules: Iterable[Rule], numbers: Numbers, constant: Constant) -> list[str]:
    """Return a line of clingo for each rule with a head."""
    return [_rule(rule, numbers, constant, "X") for rule in rules if rule.head is not None]


def clingo_constraints(rules: Iterable[Rule], numbers: Numbers, constant: Constant) -> list[str]:
    """Return a line of clingo for each constraint."""
    return [_rule(rule, numbers, constant, "X") for rule in rules if rule.head is None]


def predicate_name(symbol: Symbol, number: int) -> str:
    """Return the name of a predicate: `c` and its number for a class, `r` and its number for a property."""
    return f"{'c' if symbol.arity == 1 else 'r'}{number}"


def _rule(rule: Rule, numbers: Numbers, constant: Constant, mark: str) -> str:
    if rule.tests:
        raise NotDatalogError(f"a test on literals: {rule}")
    variables: dict[Variable, str] = {}

    def argument(given: Argument) -> str:
        if isinstance(given, Variable):
            return variables.setdefault(given, f"{mark}{len(variables)}")
        return constant(given)

    def atom(given: Atom) -> str:
        symbol = Symbol(given.predicate, len(given.arguments))
        name = predicate_name(symbol, numbers[symbol])
        return f"{name}({', '.join(map(argument, given.arguments))})"

    body = [atom(each) for each in rule.body]
    body += [f"{argument(d.left)} != {argument(d.right)}" for d in rule.different]
    head = "" if rule.head is None else atom(rule.head)
    return f"{head} :- {', '.join(body)} ."
