"""Temporal rules in the style of LARS: windows over states, assertions and conclusions of earlier ticks.

A condition holds at some tick of a window (◇), at each tick (□), or at a named tick (@). `load_rules` parses
rules from text; `rule`, `predicate` and the other functions build them in Python.
"""

from pantarhei.temporal.builder import asserted, compare, compute, last, predicate, rule
from pantarhei.temporal.rules import TemporalRules, load_rules

__all__ = [
    "TemporalRules",
    "asserted",
    "compare",
    "compute",
    "last",
    "load_rules",
    "predicate",
    "rule",
]


def __dir__() -> list[str]:
    return list(__all__)
