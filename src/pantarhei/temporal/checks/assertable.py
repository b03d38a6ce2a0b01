"""Warnings of conclusions that feedback cannot assert."""

from __future__ import annotations

from dataclasses import dataclass

from pantarhei.model.messages import told_place
from pantarhei.model.temporal_rule import TemporalRule, term_text


@dataclass(frozen=True, slots=True)
class NotAssertable:
    """A warning: conclusions are to be asserted, and those of a rule may have a literal in first place.

    Args:
        rule: the rule.
    """

    rule: TemporalRule

    def __str__(self) -> str:
        head = self.rule.head
        return (
            f"{told_place(head.written)}{term_text(head.atom.arguments[0])} may be a literal in {head}, and "
            "no triple begins with one; such conclusions are not asserted, and are counted as not_fed_back"
        )
