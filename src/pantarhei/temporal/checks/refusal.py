"""A refusal, told of where the rule is written."""

from __future__ import annotations

from pantarhei.errors import TemporalRuleError
from pantarhei.language.temporal_rule import Formula, TemporalRule


def refused(problem: str, expected: str, *places: Formula | TemporalRule) -> TemporalRuleError:
    """The error of a rule, at the first of `places` that is written somewhere.

    Args:
        problem: what is wrong.
        expected: what would do instead.
    """
    written = next((place.written for place in places if place.written), None)
    return TemporalRuleError(problem, expected, *(written or ()))
