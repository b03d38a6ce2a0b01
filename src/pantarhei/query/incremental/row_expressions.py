"""Expressions over a few rows at a time: row by row where they are compiled, else by column.

What they come to by column is remembered by what they look at.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from rdflib import Variable

from pantarhei.materialize.kernel.bags import true_rows
from pantarhei.query.algebra.expressions import Expression, is_drawn, variables_of
from pantarhei.query.expressions import compute, truth
from pantarhei.query.incremental.compiled import Compiler, NotCompiled, Odd
from pantarhei.query.incremental.operator import Row, Shared, table_of
from pantarhei.query.table import Mask, Table

_MOST_REMEMBERED = 1 << 16
_Value = TypeVar("_Value")


class RowTest(NamedTuple):
    """Whether an expression that looks at one variable is true of a row.

    Args:
        place: where the variable stands in rows.
        known: for what numbers of terms it is known to be true, or not; of others it says so once learned.
        learn: says it of a row.
    """

    place: int
    known: Mapping[int, bool | None]
    learn: Callable[[Row], bool]


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
        self._known: dict[Row, Any] = {}
        compiler = Compiler(variables, shared.values, shared.terms)
        self._result = _Function(_compiled(compiler.result, expression), self._places)
        self._truth = _Function(_compiled(compiler.truth, expression), self._places)

    @property
    def test(self) -> RowTest | None:
        """How to see of single rows whether it is true; None where it looks at several variables, or is
        evaluated by column.
        """
        place, known = self._truth.place, self._truth.known
        if place is None or self._truth.compiled is None:
            return None

        def learn(row: Row) -> bool:
            try:
                return self._truth.learned(row) is True
            except Odd:
                return self.truths([row])[0]

        return RowTest(place, known, learn)

    def learn_all(self, table: Table) -> Mask:
        """For which rows of a table it is true. It looks at one variable; what it says of the terms that this
        is bound to is remembered, if they are few enough.
        """
        (variable,) = self._variables
        terms, places = np.unique(table.column(variable), return_inverse=True)
        are_true = truth(self._expression, Table({variable: terms}, len(terms)), self._shared.context) == 1
        if len(terms) <= _MOST_REMEMBERED:
            self._truth.known.update(zip(terms.tolist(), are_true.tolist(), strict=True))
        found: Mask = are_true[places]
        return found

    def ids(self, rows: Collection[Row]) -> list[int]:
        """The numbers of the terms that it results in, `NONE` for an error."""

        def by_column(table: Table) -> list[int]:
            found: list[int] = compute(self._expression, table, self._shared.context).tolist()
            return found

        return self._by_row(self._result, rows, by_column)

    def true_rows(self, change: Mapping[Row, int]) -> Mapping[Row, int]:
        """The rows of a change for which it is true."""
        found = self._truth.true_rows(change)
        if found is not None:
            return found
        truths = self.truths(change)
        return {row: weight for (row, weight), is_true in zip(change.items(), truths, strict=True) if is_true}

    def truths(self, rows: Collection[Row]) -> list[bool]:
        """For which rows it is true."""

        def by_column(table: Table) -> list[bool | None]:
            found: list[bool | None] = (truth(self._expression, table, self._shared.context) == 1).tolist()
            return found

        return [found is True for found in self._by_row(self._truth, rows, by_column)]

    def _by_row(
        self,
        function: _Function[_Value],
        rows: Collection[Row],
        by_column: Callable[[Table], list[_Value]],
    ) -> list[_Value]:
        """What a function says of rows; of odd ones what is found by column."""
        if function.compiled is None:
            return self._found(rows, by_column)
        known = function.looked_up(rows)
        if known is not None:
            return known
        found: list[_Value] = []
        odd: dict[int, Row] = {}
        for row in rows:
            try:
                value = function.compiled(row)
            except Odd:
                odd[len(odd) + len(found)] = row
            else:
                found.append(value)
        for (place, _), value in zip(odd.items(), self._found(odd.values(), by_column), strict=True):
            found.insert(place, value)
        return found

    def _found(self, rows: Iterable[Row], evaluate: Callable[[Table], list[_Value]]) -> list[_Value]:
        places = self._places
        asked = [tuple([row[place] for place in places]) for row in rows]
        if not asked:
            return []
        if self.is_drawn:
            return evaluate(table_of(asked, self._variables))
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
        self._result.forget()
        self._truth.forget()


class _Function(Generic[_Value]):
    """A compiled expression, None where it is not compiled.

    What one of a single variable says is remembered.

    Args:
        places: where the variables that it looks at stand in rows.
    """

    def __init__(self, compiled: Callable[[Row], _Value] | None, places: Sequence[int]) -> None:
        self.compiled = compiled
        self.place = places[0] if len(places) == 1 else None
        self.known: dict[int, _Value] = {}

    def true_rows(self, change: Mapping[Row, int]) -> Mapping[Row, int] | None:
        """The rows of a change for which it is true; None where it takes a look at each to say so."""
        if self.place is None:
            return None
        found: Mapping[Row, int] | None = true_rows(change, self.place, self.known)
        return found

    def learned(self, row: Row) -> _Value:
        """What it says of a row, which is remembered; there is one variable.

        Raises:
            Odd: it says nothing.
        """
        assert self.place is not None and self.compiled is not None, "there is one variable"
        found = self.compiled(row)
        if len(self.known) > _MOST_REMEMBERED:
            self.known.clear()
        self.known[row[self.place]] = found
        return found

    def looked_up(self, rows: Collection[Row]) -> list[_Value] | None:
        """What it says of rows; None if it looks at more than one variable, or a row is odd."""
        place, known = self.place, self.known
        if place is None or self.compiled is None:
            return None
        try:
            return [known[row[place]] for row in rows]
        except KeyError:
            pass
        if len(known) > _MOST_REMEMBERED:
            known.clear()
        try:
            for row in rows:
                if row[place] not in known:
                    known[row[place]] = self.compiled(row)
        except Odd:
            return None
        return [known[row[place]] for row in rows]

    def forget(self) -> None:
        """Forget what it said."""
        self.known.clear()


_Compiled = TypeVar("_Compiled")


def _compiled(compile_: Callable[[Expression], _Compiled], expression: Expression) -> _Compiled | None:
    try:
        return compile_(expression)
    except NotCompiled:
        return None
