"""Temporal rules over what holds in the window: windows of time, always, sometime, at (LARS)."""

from pantarhei.temporal.rules import TemporalRules, load_rules

__all__ = ["TemporalRules", "load_rules"]
