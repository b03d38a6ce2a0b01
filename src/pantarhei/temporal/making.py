"""The evaluation of what has been said, made anew: where an error lost it, or it takes too much room."""

from __future__ import annotations

from typing import Final

from pantarhei.encoding.numbers import Integers
from pantarhei.temporal.data_stream import DataStream
from pantarhei.temporal.evaluation import Evaluation, Standing
from pantarhei.temporal.numbered import NumberedProgram

LEAST_SPARE: Final = 1 << 16
"""No evaluation is made anew for fewer bytes that it does not need."""


def made(numbered: NumberedProgram, data: DataStream, states: Integers) -> Evaluation:
    """The evaluation of what has been said. Costs the past, and the states.

    Args:
        states: those that hold now.
    """
    evaluation = Evaluation(numbered, data.first, data.tick, data.tuples)
    evaluation.begin(data.past, Standing(data.before(states), data.concluded))
    evaluation.change(*data.turned, data.asserted)
    evaluation.take_changes()
    return evaluation


def is_wasteful(evaluation: Evaluation, data: DataStream, most_bytes: int | None) -> bool:
    """Whether an evaluation takes more than twice the room of one that is made anew; or somewhat more, where
    it takes half of the bytes that there may be.

    The room was filled since it was made, and is more than what it would be made of: that pays for it.
    """
    used = evaluation.model.bytes_used
    if used <= LEAST_SPARE:
        return False
    share = 2 if most_bytes is None or used <= most_bytes // 2 else 8
    return evaluation.model.spare_bytes > max(LEAST_SPARE, used // share, data.bytes)
