"""What a shard tells: the change of a fact, an answer or a conclusion."""

from __future__ import annotations

from typing import NamedTuple

from pantarhei.spark.answer_rows import TextRow


class Change(NamedTuple):
    """What a shard gained or lost at a time: a fact, with queries an answer, with rules a conclusion.

    Args:
        ticks: the time.
        terms: those of the fact, the values of the answer's variables, None for unbound ones, or the
            predicate and the arguments of the conclusion; of several queries the name of one, then the
            values of its variables, and None in the places that are left.
        change: how many times more it is there, less than none if fewer; 0 for a row that came too late, of
            which nothing is told where there are queries or rules.
    """

    ticks: int
    terms: TextRow
    change: int
