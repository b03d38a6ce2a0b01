"""Temporal rules over what holds in the window: at some tick of a window, at each, at one (LARS).

`load_rules` reads their text; `rule`, `predicate` and the other functions make them in Python.
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
