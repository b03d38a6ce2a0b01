"""Validation of the form of temporal rules: heads, windows, numbers of arguments, times."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import timedelta
from decimal import Decimal
from typing import Final

from rdflib import XSD, Literal, URIRef, Variable

from pantarhei.errors import TemporalRuleError, TimestampError
from pantarhei.model.message_text import TextPosition, counted, last_part
from pantarhei.model.rule import Argument, Builtin
from pantarhei.model.temporal_rule import (
    Formula,
    Mode,
    TemporalRule,
    TimeWindow,
    TupleWindow,
    builtin_text,
    term_text,
)
from pantarhei.model.term import RDF_TYPE, short
from pantarhei.model.time import TimeKind, parse_timestamp
from pantarhei.values.scalar_functions import COMPARISONS, COMPUTATIONS, SWRLB, arities, is_computation
from pantarhei.values.value import is_well_typed

Place = Formula | TemporalRule | Builtin
"""Part of a rule that has a position in a text."""


def rule_error(problem: str, expected: str, *places: Place) -> TemporalRuleError:
    """Return an error located at the first of `places` with a position in a text.

    Args:
        problem: what is invalid.
        expected: what is valid instead.
    """
    problem, expected = (_without_numbers(text, places) for text in (problem, expected))
    return TemporalRuleError(problem, expected, *(_written(places) or ()))


def variable_error(
    variable: Variable, problem: str, expected: str, place: Place, rule: TemporalRule
) -> TemporalRuleError:
    """Return an error located at the variable's first occurrence in `place`, or after it in the rule."""
    written = _written((place, rule))
    if written is not None:
        of_variable = (at for each, at in rule.variables_written if each == variable)
        begun = written.line, written.column
        written = next((at for at in of_variable if (at.line, at.column) >= begun), written)
    problem, expected = (_without_numbers(text, (rule,)) for text in (problem, expected))
    return TemporalRuleError(problem, expected, *(written or ()))


_NUMBERED = re.compile(r"(?<!\w)_[0-9]+\b")


def _without_numbers(text: str, places: Iterable[Place]) -> str:
    """Restore `_` for its generated variables, such as `_1`, in an error text."""
    rules = (place for place in places if isinstance(place, TemporalRule))
    written = {str(variable) for rule in rules for variable, _ in rule.variables_written}
    if "_" not in written:
        return text
    return _NUMBERED.sub(lambda found: found[0] if found[0] in written else "_", text)


def _written(places: Iterable[Place]) -> TextPosition | None:
    """Return the position of the first place that has one; None if none has."""
    return next((place.written for place in places if place.written), None)


_EXPECTED = (
    "windows for lengths of time, and times compared with each other or with a literal such as "
    '"2026-01-01T00:00:00Z"^^xsd:dateTime'
)


def check_time_kind(rule: TemporalRule, kind: TimeKind) -> None:
    """Check that a rule does not combine times of the stream with literals of another kind.

    A comparison or computation of a datetime with a number would never hold.

    Raises:
        TemporalRuleError: a literal or a computation is invalid for the stream's timestamps.
    """
    is_dated = kind is TimeKind.DATETIME
    is_other, expected = (_is_number, _EXPECTED) if is_dated else (is_datetime, "a number")
    other, own = ("number", "datetimes") if is_dated else ("datetime", "numbers")
    for formula in rule.formulas:
        if is_other(formula.time):
            problem = f"{formula} names a {other}, but the times of the stream are {own}"
            raise rule_error(problem, expected, formula, rule)
    times = {formula.time for formula in rule.formulas if isinstance(formula.time, Variable)}
    for test in rule.tests:
        is_computed = is_dated and is_computation(test)
        if is_computed or any(map(is_other, test.arguments)):
            does = "computes with" if is_computed else f"compares a {other} with"
            for time in times.intersection(test.arguments):
                problem = (
                    f"{builtin_text(test)} {does} the time {time}, but the times of the stream are {own}"
                )
                raise rule_error(problem, expected, test, rule)


def is_datetime(given: Argument | None) -> bool:
    """Test whether an argument is a literal with a datatype of datetimes."""
    return isinstance(given, Literal) and given.datatype in (XSD.dateTime, XSD.dateTimeStamp)


def _is_number(given: Argument | None) -> bool:
    return isinstance(given, Literal) and type(given.value) in (int, float, Decimal)


MAX_WINDOW_SIZE: Final = 4_000_000
"""Maximum length of a window in ticks or assertions, for each of which memory is needed."""


_A_TIME = 'a variable, a number, or a datetime such as "2026-01-01T00:00:00Z"^^xsd:dateTime'


def is_time(given: Argument) -> bool:
    """Test whether an argument can be a time: a variable, a number, or a datetime that timestamps can have.

    Raises:
        TimestampError: the datetime is outside the range of timestamps.
    """
    if not isinstance(given, Literal):
        return isinstance(given, Variable)
    if is_datetime(given) and is_well_typed(given):
        parse_timestamp(str(given))
        return True
    return type(given.value) in (int, float, Decimal)


def check_form(rules: Sequence[TemporalRule]) -> None:
    """Check the heads, built-ins, windows and numbers of arguments of rules.

    Raises:
        TemporalRuleError: one of these is invalid, a predicate has two numbers of arguments, a window of the
            last assertions contains a conclusion, or windows in ticks are mixed with windows in units of
            time.
    """
    heads = {rule.head.atom.predicate for rule in rules}
    arities: dict[URIRef, int] = {}
    for rule in rules:
        _check_head(rule)
        _check_tests(rule)
        for formula in rule.formulas:
            _check_predicate(formula, rule)
            _check_mode(formula, rule)
            _check_size(formula, rule)
            check_count(formula)
            _check_arity(formula, rule, arities)
            _check_tuple_window(formula, rule, heads)
    _check_one_kind(rules)


def check_triples(rules: Sequence[TemporalRule]) -> None:
    """Check that all conclusions of rules with feedback can be asserted as triples.

    Raises:
        TemporalRuleError: the head of a rule has no argument, or more than two.
    """
    for rule in rules:
        if len(rule.head.atom.arguments) not in (1, 2):
            problem = f"{rule.head.atom} is not a triple, and with feedback conclusions are asserted"
            raise rule_error(problem, "a head with one argument or two, or no feedback", rule.head, rule)


def _check_head(rule: TemporalRule) -> None:
    head, expected = rule.head, "an atom such as alarm(X), or alarm(X) at T"
    if head.is_negated:
        raise rule_error(f"the head {head} is negated", expected, head, rule)
    if head.atom.is_asserted:
        raise rule_error(f"the head {head} contains `asserted`", expected, head, rule)
    if head.window or head.mode not in (Mode.NOW, Mode.AT):
        raise rule_error(f"the head {head} is a condition on a window", expected, head, rule)


def _check_one_kind(rules: Sequence[TemporalRule]) -> None:
    """Check that windows in ticks are not mixed with windows in units of time."""
    first: tuple[Formula, str] | None = None
    for rule in rules:
        for formula in rule.body:
            match formula.window:
                case TimeWindow(timedelta()):
                    kind = "datetimes"
                case TimeWindow(int(size)) if size:
                    kind = "numbers"
                case _:
                    continue
            before, its_kind = first = first or (formula, kind)
            if its_kind != kind:
                problem = (
                    f"{formula} is for times that are {kind}, and {before} is for times that are {its_kind}"
                )
                expected = "windows and times of one kind in all rules"
                raise rule_error(f"{problem}; a stream has one kind", expected, formula, rule)


def _check_predicate(formula: Formula, rule: TemporalRule) -> None:
    if formula.atom.predicate.startswith(SWRLB):
        problem = f"{formula} uses a built-in as a predicate"
        raise rule_error(
            problem,
            "a class, a property or a conclusion; write a built-in as a separate condition without negation",
            formula,
            rule,
        )
    if formula.atom.predicate == RDF_TYPE:
        raise rule_error(
            f"{formula} has rdf:type as its predicate", "the class as one, such as Sensor(X)", formula, rule
        )


def _check_tests(rule: TemporalRule) -> None:
    for test in rule.tests:
        possible = " or ".join(map(str, arities(test.name)))
        if not possible:
            expected = f"one of {', '.join(sorted(map(last_part, COMPARISONS | COMPUTATIONS)))}"
            raise rule_error(f"there is no built-in {short(test.name)}", expected, test, rule)
        if len(test.arguments) not in arities(test.name):
            problem = f"{short(test.name)} has {counted(len(test.arguments), 'argument')} here"
            raise rule_error(problem, f"{possible}, with the result first", test, rule)


def _check_mode(formula: Formula, rule: TemporalRule) -> None:
    """Check that only @ has a time, that ◇ and □ have a window, and that only ◇ is counted."""
    mode = formula.mode
    try:
        has_time = formula.time is None or is_time(formula.time)
    except TimestampError as error:
        problem = f"{formula} names a time outside the range of streams"
        raise rule_error(problem, f"{error.expected} (it is {error.given})", formula, rule) from None
    if not has_time:
        assert formula.time is not None
        raise rule_error(f"{term_text(formula.time)} is not a time", _A_TIME, formula, rule)
    if (mode is Mode.AT) != (formula.time is not None):
        raise rule_error(
            f"{formula} needs a time, or has one although its mode is not AT",
            "a time with mode AT only",
            formula,
            rule,
        )
    if (mode is Mode.NOW and formula.window) or (mode in (Mode.SOMETIME, Mode.ALWAYS) and not formula.window):
        problem = f"{formula} needs a window, or has one although its mode is NOW"
        raise rule_error(problem, "a window for SOMETIME and ALWAYS, none for NOW", formula, rule)
    if formula.times < 1 or (formula.times > 1 and mode is not Mode.SOMETIME):
        problem = f"{formula} counts {formula.times} times"
        raise rule_error(problem, "a number above 0, with mode SOMETIME", formula, rule)


def _check_size(formula: Formula, rule: TemporalRule) -> None:
    match formula.window:
        case TupleWindow(size) if not 1 <= size <= MAX_WINDOW_SIZE:
            problem = f"{formula} has a window of {size} assertions"
            raise rule_error(problem, f"1 to {MAX_WINDOW_SIZE:_}", formula, rule)
        case TimeWindow(int(size)) if not 0 <= size <= MAX_WINDOW_SIZE:
            expected = f"0 to {MAX_WINDOW_SIZE:_}; or give the reasoner a longer tick"
            raise rule_error(f"{formula} has a window of {size} ticks", expected, formula, rule)
        case TimeWindow(timedelta() as length) if length < timedelta(0):
            problem = f"{formula} has a window of {length}"
            raise rule_error(problem, "a length that is not negative", formula, rule)


def check_count(formula: Formula, ticks: int | None = None) -> None:
    """Check that the window of a formula is long enough for its `at least n times`.

    Args:
        ticks: length in ticks of a window that is given as a duration; None if it is not known.

    Raises:
        TemporalRuleError: the window has fewer ticks, so the formula never holds.
    """
    match formula.window:
        case TimeWindow(int(size)):
            most = size + 1
        case TupleWindow(size):
            most = size  # number of assertions, each of them at one tick
        case _ if ticks is not None:
            most = ticks + 1
        case _:
            return
    if formula.times > most:
        problem = f"{formula} never holds: the window has {counted(most, 'tick')} at most"
        raise rule_error(problem, f"at least {most} times or fewer, or a longer window", formula)


def _check_arity(formula: Formula, rule: TemporalRule, arities: dict[URIRef, int]) -> None:
    atom = formula.atom
    before = arities.setdefault(atom.predicate, len(atom.arguments))
    if before != len(atom.arguments):
        has = counted(len(atom.arguments), "argument")
        problem = f"{short(atom.predicate)} has {has} here, but {before} above"
        raise rule_error(problem, "equally many arguments of a predicate in all rules", formula, rule)


def _check_tuple_window(formula: Formula, rule: TemporalRule, heads: set[URIRef]) -> None:
    atom = formula.atom
    if isinstance(formula.window, TupleWindow) and atom.predicate in heads and not atom.is_asserted:
        problem = f"{short(atom.predicate)} is concluded, but {formula.window} counts assertions"
        expected = (
            "a window of ticks or of time; or the word asserted before the atom, to count assertions only"
        )
        raise rule_error(problem, expected, formula, rule)


def check_jump(ticks: int) -> None:
    """Check that a step of time spans few enough ticks for each tick to be evaluated.

    Raises:
        TemporalRuleError: it spans more than `MAX_WINDOW_SIZE` ticks.
    """
    if ticks > MAX_WINDOW_SIZE:
        problem = f"the next timestamp is {ticks:_} ticks later, and conclusions may change at each tick"
        expected = f"at most {MAX_WINDOW_SIZE:_} ticks; give the reasoner a longer tick"
        raise TemporalRuleError(problem, expected)
