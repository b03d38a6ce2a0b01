"""Expressions over a few rows at a time: what they come to is remembered by what they look at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rdflib import Variable

from pantarhei.query.algebra.expressions import Expression, is_drawn, variables_of
from pantarhei.query.expressions import compute, truth
from pantarhei.query.incremental.operator import Row, Shared, table_of
from pantarhei.query.table import Table

_MOST_REMEMBERED = 1 << 16


class RowExpression:
    """An expression over rows with given variables.

    What it came to is remembered, but for what is drawn anew each time.
    """

    def __init__(self, expression: Expression, variables: Sequence[Variable], shared: Shared) -> None:
        self._expression, self._shared = expression, shared
        wanted = variables_of(expression)
        self._variables = tuple(variable for variable in variables if variable in wanted)
        self._places = tuple(place for place, variable in enumerate(variables) if variable in wanted)
        self.is_drawn = is_drawn(expression)
        self._known: dict[Row, int] = {}

    def ids(self, rows: Iterable[Row]) -> list[int]:
        """The numbers of the terms that it results in, `NONE` for an error."""
        return self._found(
            rows, lambda table: compute(self._expression, table, self._shared.context).tolist()
        )

    def truths(self, rows: Iterable[Row]) -> list[bool]:
        """For which rows it is true."""
        found = self._found(rows, lambda table: truth(self._expression, table, self._shared.context).tolist())
        return [value == 1 for value in found]

    def _found(self, rows: Iterable[Row], evaluate: Callable[[Table], list[int]]) -> list[int]:
        places = self._places
        asked = [tuple([row[place] for place in places]) for row in rows]
        if self.is_drawn:
            return evaluate(table_of(asked, self._variables)) if asked else []
        known = self._known
        new = list(dict.fromkeys(key for key in asked if key not in known))
        if new:
            if len(known) > _MOST_REMEMBERED:
                known.clear()
                new = list(dict.fromkeys(asked))
            known.update(zip(new, evaluate(table_of(new, self._variables)), strict=True))
        return [known[key] for key in asked]

    def forget(self) -> None:
        """Forget what it came to: numbers of terms may mean something else now."""
        self._known.clear()
