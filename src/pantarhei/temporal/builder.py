"""Construction of temporal rules in Python.

V = Variable("V")
Alarm, Overheated, Maintained = map(predicate, (EX.Alarm, EX.Overheated, EX.Maintained))
rule(Alarm(V)).when(Overheated(V).always("PT5M"), ~asserted(Maintained(V)).within("PT10M"))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import Decimal

from rdflib import Literal, URIRef, Variable

from pantarhei.errors import OptionError, TimestampError, check_type
from pantarhei.model.durations import A_DURATION, parse_duration
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import (
    RELATIONS,
    SIGNS,
    Formula,
    Mode,
    Reach,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    TupleWindow,
)
from pantarhei.model.term import respelled
from pantarhei.values.scalar_functions import SWRLB

Given = Argument | str | int | float | Decimal | bool | date
"""Term or variable; a Python value stands for its literal."""
Window = int | str | timedelta | Reach
"""Number of ticks, duration (`5m`, `PT5M`), or the `last` assertions."""

_RELATION_NAMES = {sign: name for name, sign in RELATIONS.items()}
_SIGN_NAMES = {sign: name for name, sign in SIGNS.items()}
_A_WINDOW = f"a number of ticks, a timedelta, {A_DURATION}, or last(3)"


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition of a rule's body. Its methods restrict the ticks at which it must hold; `~` negates it.

    Args:
        formula: the condition as a formula.
    """

    formula: Formula

    def within(self, window: Window) -> Condition:
        """Return the condition that the atom holds at some tick of a window; after `at`, restrict the time to
        it.
        """
        mode = Mode.SOMETIME if self.formula.mode is Mode.NOW else self.formula.mode
        return Condition(replace(self.formula, mode=mode, window=_reach(window)))

    def always(self, window: Window) -> Condition:
        """Return the condition that the atom holds at each tick of a window."""
        return Condition(replace(self.formula, mode=Mode.ALWAYS, window=_reach(window)))

    def at(self, time: Given) -> Condition:
        """Return the condition that the atom holds at the tick with a given time."""
        return Condition(replace(self.formula, mode=Mode.AT, time=_argument(time)))

    def at_least(self, times: int, window: Window) -> Condition:
        """Return the condition that the atom holds at `times` ticks of a window or more."""
        check_type("times", times, int, "a whole number above 0")
        return Condition(replace(self.formula, mode=Mode.SOMETIME, times=times, window=_reach(window)))

    def __invert__(self) -> Condition:
        return Condition(replace(self.formula, is_negated=not self.formula.is_negated))

    def __str__(self) -> str:
        return str(self.formula)


@dataclass(frozen=True, slots=True)
class Head:
    """Head of a rule, to which `when` adds the body."""

    formula: Formula

    def when(self, *conditions: Condition | Builtin) -> TemporalRule:
        """Return the rule that concludes the head if all conditions hold; without conditions, at each tick.

        Raises:
            OptionError: an argument is not a condition.
        """
        for each in conditions:
            check_type(
                "condition", each, Condition | Builtin, "the result of a predicate, compare or compute"
            )
        return TemporalRule(
            self.formula,
            tuple(each.formula for each in conditions if isinstance(each, Condition)),
            tuple(each for each in conditions if isinstance(each, Builtin)),
        )


def predicate(iri: URIRef) -> Callable[..., Condition]:
    """Return a function from arguments to the atom of a predicate, as a condition.

    A class takes one argument, a property two, and a predicate that only rules conclude any number.

    Raises:
        OptionError: `iri` is not an IRI; when called, an argument is not a term or a Python value.

    >>> hot = predicate(URIRef("http://example.org/hot"))
    >>> print(hot(Variable("X"), 5).within("PT10M"))
    hot(X, 5) in [10 min]
    """
    check_type("iri", iri, URIRef, "the URIRef of a class or property")
    return lambda *arguments: Condition(Formula(TemporalAtom(iri, tuple(map(_argument, arguments)))))


def asserted(condition: Condition) -> Condition:
    """Return a condition that reads assertions of a tick instead of all facts that hold at it."""
    check_type("condition", condition, Condition, "the result of a predicate")
    return Condition(replace(condition.formula, atom=replace(condition.formula.atom, is_asserted=True)))


def last(assertions: int) -> TupleWindow:
    """Return the window of the last `assertions` assertions."""
    check_type("assertions", assertions, int, "a whole number above 0")
    return TupleWindow(assertions)


def compare(left: Given, relation: str, right: Given) -> Builtin:
    """Return the comparison of two values by =, !=, <, <=, > or >=.

    >>> from pantarhei.model.temporal_rule import builtin_text
    >>> builtin_text(compare(Variable("X"), "<", 5))
    'X < 5'
    """
    return Builtin(SWRLB[_named(_RELATION_NAMES, "relation", relation)], (_argument(left), _argument(right)))


def compute(result: Given, left: Given, sign: str, right: Given) -> Builtin:
    """Return the computation of `result` from two numbers by +, -, *, /, mod or ^.

    >>> from pantarhei.model.temporal_rule import builtin_text
    >>> builtin_text(compute(Variable("R"), Variable("X"), "+", 5))
    'R = X + 5'
    """
    arguments = tuple(map(_argument, (result, left, right)))
    return Builtin(SWRLB[_named(_SIGN_NAMES, "sign", sign)], arguments)


def rule(head: Condition) -> Head:
    """Return the head of a rule; its method `when` returns the rule.

    Raises:
        OptionError: `head` is not a condition.
    """
    check_type("head", head, Condition, "the result of a predicate, such as Alarm(V)")
    return Head(head.formula)


def _named(names: dict[str, str], option: str, sign: str) -> str:
    if sign not in names:
        raise OptionError(option, repr(sign), f"one of {' '.join(names)}")
    return names[sign]


def _argument(given: Given) -> Argument:
    if isinstance(given, URIRef | Variable):
        return given
    if isinstance(given, Literal):
        return respelled(given)
    if type(given) in (str, int, float, Decimal, bool) or isinstance(given, date):
        return respelled(Literal(given))
    raise OptionError("argument", repr(given)[:200], "a Variable, URIRef or Literal, or a Python value")


def _reach(window: Window) -> Reach:
    if isinstance(window, TimeWindow | TupleWindow):
        return window
    if isinstance(window, str):
        try:
            return TimeWindow(parse_duration(window))
        except TimestampError as error:
            raise OptionError("window", repr(window), _A_WINDOW) from error
    if isinstance(window, bool) or not isinstance(window, int | timedelta):
        raise OptionError("window", repr(window)[:200], _A_WINDOW)
    return TimeWindow(window)
