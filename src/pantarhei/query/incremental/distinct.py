"""DISTINCT."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.nodes import Distinct, Node, is_hidden
from pantarhei.query.incremental.operator import Bag, Operator, Row, Shared, appearances, taker
from pantarhei.query.incremental.shapes import is_parameter


class EachOnce(Operator):
    """What is seen of the rows of its input, each once.

    Args:
        seen: what is seen of a row.
    """

    def __init__(
        self, node: Node, shared: Shared, child: Operator, seen: Callable[[Sequence[int]], Row]
    ) -> None:
        super().__init__(node, shared, (child,))
        self._seen = seen
        self._copies: Bag = {}

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        (change,) = changes
        before: dict[Row, int] = {}
        for row, weight in change.items():
            seen = self._seen(row)
            was, _ = self.shared.add(self._copies, seen, weight)
            before.setdefault(seen, was)
        return appearances(before, self._copies)

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._copies

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._copies, rows)


class DistinctOperator(EachOnce):
    """Each row once."""

    def __init__(self, node: Distinct, shared: Shared, child: Operator) -> None:
        places = [
            NONE if is_hidden(variable) and not is_parameter(variable) else place
            for place, variable in enumerate(child.variables)
        ]
        super().__init__(node, shared, child, taker(places))
