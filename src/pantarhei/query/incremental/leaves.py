"""Operators without inputs: what the facts of the window say directly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from pantarhei.encoding.numbers import NONE
from pantarhei.model.term import Term, Triple
from pantarhei.query.algebra.binding import tells_time
from pantarhei.query.algebra.nodes import BGP, Filter, Node, Project, Values
from pantarhei.query.algebra.symbols import symbols_of
from pantarhei.query.incremental.maintenance import Maintenance
from pantarhei.query.incremental.operator import (
    NOTHING,
    Bag,
    Operator,
    Row,
    Shared,
    bag_of,
    places_of,
    rows_of,
    taker,
)
from pantarhei.query.incremental.row_expressions import RowExpression, RowTest
from pantarhei.query.incremental.shapes import parameters_of, particular
from pantarhei.query.table import Table

Look = Callable[[Node], Table]
"""Evaluates a node by column, at the present step."""


class PatternLeaf(Operator):
    """A basic graph pattern whose matches the kernel tells of as they come and go; it has no state.

    Of a shape it has the rows in which parameters stand for names that are `wanted`, by their numbers.

    Args:
        node: the pattern, or a projection of it: `pattern` is the pattern itself.
    """

    test: RowTest | None = None
    """Which rows of the matches it has; None for all."""

    def __init__(self, node: BGP | Project, shared: Shared, look: Look) -> None:
        super().__init__(node, shared)
        pattern = node.child if isinstance(node, Project) else node
        assert isinstance(pattern, BGP), "a pattern or its projection"
        self.pattern, self._look = pattern, look
        self.parameters = parameters_of(pattern)
        self.wanted: dict[Row, tuple[Term, ...]] = {}

    def begin(self) -> Mapping[Row, int]:
        return NOTHING if self.parameters else bag_of(rows_of(self._now(), self.variables))

    def _now(self) -> Table:
        """All its rows, as things stand."""
        return self._look(self.node)

    def rows_with(self, names: tuple[Term, ...], numbers: Row) -> Bag:
        """The rows in which parameters stand for names with these numbers."""
        node = particular(self.node, dict(zip(self.parameters, names, strict=True)))
        variables = (*node.variables, *self.parameters)
        rows = [(*row, *numbers) for row in rows_of(self._look(node), node.variables)]
        return bag_of(map(taker(places_of(self.variables, variables)), rows))


class FilteredLeaf(PatternLeaf):
    """A basic graph pattern with a condition on one of its variables; of other matches no row is made.

    Args:
        condition: that of the node.
        test: the same of single rows.
    """

    def __init__(
        self, node: Filter, shared: Shared, look: Look, condition: RowExpression, test: RowTest
    ) -> None:
        assert isinstance(node.child, BGP), "a pattern is below"
        super().__init__(node.child, shared, look)
        self.node, self._condition, self.test = node, condition, test

    def _now(self) -> Table:
        matches = self._look(self.pattern)  # all of them: when one goes, what the condition says is known
        return matches.kept(self._condition.learn_all(matches))

    def forget(self) -> None:
        self._condition.forget()


class GivenLeaf(Operator):
    """Rows that are always the same."""

    node: Values

    def begin(self) -> Mapping[Row, int]:
        id_of = self.shared.terms.id_of
        return bag_of(
            tuple([NONE if term is None else id_of(term) for term in row]) for row in self.node.rows
        )


class WholeLeaf(Operator):
    """A node that is evaluated anew whenever it may have changed, and compared with what it was.

    `symbols` are the classes and properties that it looks at, None for all, and for more than the facts.
    """

    maintenance = Maintenance.WHOLE

    def __init__(self, node: Node, shared: Shared, look: Look) -> None:
        super().__init__(node, shared)
        self._look = look
        self._said: Bag = {}
        self.symbols = None if tells_time(node) else symbols_of(node)

    def _rows(self) -> Iterable[Row]:
        """Its rows as things stand."""
        return rows_of(self._look(self.node), self.variables)

    def begin(self) -> Mapping[Row, int]:
        return self.change()

    def change(self, *changes: Mapping[Row, int]) -> Mapping[Row, int]:
        return self.shared.turn(self._said, bag_of(self._rows()))

    @property
    def held(self) -> Mapping[Row, int]:
        return self._said

    @property
    def bags(self) -> Iterable[Bag]:
        yield self._said

    def renamed(self, rows: Callable[[Row], Row]) -> None:
        self.shared.rename(self._said, rows)


class DescribeLeaf(WholeLeaf):
    """DESCRIBE: triples, evaluated anew whenever anything changes.

    Args:
        described: gives the triples as things stand.
    """

    def __init__(
        self, node: Node, shared: Shared, look: Look, described: Callable[[Table], Iterable[Triple]]
    ) -> None:
        super().__init__(node, shared, look)
        self._described = described
        self.variables = ()
        self.symbols = None

    def _rows(self) -> Iterable[Row]:
        id_of = self.shared.terms.id_of
        return [tuple(map(id_of, triple)) for triple in self._described(self._look(self.node))]
