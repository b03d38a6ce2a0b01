"""A refusal, told of where the rule is written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rdflib import Variable

from pantarhei.errors import TemporalRuleError
from pantarhei.model.messages import Written
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import Formula, TemporalRule

Place = Formula | TemporalRule | Builtin
"""What is written somewhere."""


def refused(problem: str, expected: str, *places: Place) -> TemporalRuleError:
    """The error of a rule, at the first of `places` that is written somewhere.

    Args:
        problem: what is wrong.
        expected: what would do instead.
    """
    problem, expected = (_without_numbers(text, places) for text in (problem, expected))
    return TemporalRuleError(problem, expected, *(_written(places) or ()))


def refused_for(
    variable: Variable, problem: str, expected: str, place: Place, rule: TemporalRule
) -> TemporalRuleError:
    """The same at a variable of a rule: where it first stands in the place, or behind that."""
    written = _written((place, rule))
    if written is not None:
        of_variable = (at for each, at in rule.variables_written if each == variable)
        begun = written.line, written.column
        written = next((at for at in of_variable if (at.line, at.column) >= begun), written)
    problem, expected = (_without_numbers(text, (rule,)) for text in (problem, expected))
    return TemporalRuleError(problem, expected, *(written or ()))


_NUMBERED = re.compile(r"(?<!\w)_[0-9]+\b")


def _without_numbers(text: str, places: Iterable[Place]) -> str:
    """A text where the variables that a rule writes as `_` are that, and not told apart by numbers."""
    rules = (place for place in places if isinstance(place, TemporalRule))
    written = {str(variable) for rule in rules for variable, _ in rule.variables_written}
    if "_" not in written:
        return text
    return _NUMBERED.sub(lambda found: found[0] if found[0] in written else "_", text)


def _written(places: Iterable[Place]) -> Written | None:
    return next((place.written for place in places if place.written), None)
