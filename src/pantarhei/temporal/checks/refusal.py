"""A refusal, told of where the rule is written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rdflib import Variable

from pantarhei.errors import TemporalRuleError
from pantarhei.language.rule import Builtin
from pantarhei.language.temporal_rule import Formula, TemporalRule
from pantarhei.language.written import Written

Place = Formula | TemporalRule | Builtin
"""What is written somewhere."""


def refused(problem: str, expected: str, *places: Place) -> TemporalRuleError:
    """The error of a rule, at the first of `places` that is written somewhere.

    Args:
        problem: what is wrong.
        expected: what would do instead.
    """
    return TemporalRuleError(problem, expected, *(_written(places) or ()))


def refused_for(variable: Variable, problem: str, expected: str, *places: Place) -> TemporalRuleError:
    """The same at a variable, where it stands on the line of the place, or behind that."""
    written = _written(places)
    if written is not None:
        name = re.compile(rf"(?<!\w)\??{re.escape(variable)}\b")
        if found := name.search(written.source_line, written.column - 1):
            written = written._replace(column=found.start() + 1)
    return TemporalRuleError(problem, expected, *(written or ()))


def _written(places: Iterable[Place]) -> Written | None:
    return next((place.written for place in places if place.written), None)
