"""What the nodes of a query came to."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.query.algebra.nodes import Node, TriplePattern

Step = tuple[TriplePattern, float, int]
"""A pattern that was matched, how many rows were expected after it, and how many there were."""


class Account:
    """Rows by node, of one evaluation."""

    def __init__(self) -> None:
        self._rows: dict[int, int] = {}
        self._steps: dict[int, list[Step]] = {}

    def note(self, node: Node, rows: int) -> None:
        """A node of the query was evaluated, and so many rows came out."""
        self._rows[id(node)] = self._rows.get(id(node), 0) + rows

    def note_steps(self, node: Node, steps: list[Step]) -> None:
        """A basic graph pattern was matched in these steps; the first time counts."""
        self._steps.setdefault(id(node), steps)

    def rows(self, node: Node) -> int | None:
        """How many rows came out of a node altogether, None if it was not evaluated by itself."""
        return self._rows.get(id(node))

    def steps(self, node: Node) -> Sequence[Step]:
        """How a basic graph pattern was matched."""
        return self._steps.get(id(node), ())
