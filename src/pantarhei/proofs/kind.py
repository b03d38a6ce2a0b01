"""How facts of a proof are known."""

from __future__ import annotations

from enum import Enum


class StepKind(Enum):
    """How a fact is known."""

    ASSERTED = "asserted"
    BACKGROUND = "background"
    DERIVED = "derived"
    SUPPOSED = "supposed"
    UNEXPLORED = "unexplored"
    CONTRADICTION = "contradiction"
    CONCLUDED = "concluded"
    CONDITION = "condition"
    SAID = "said"
