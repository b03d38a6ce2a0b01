"""Rows of answers as columns of numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from rdflib import Variable

from pantarhei.encoding.numbers import NONE

Ids = npt.NDArray[np.int64]
"""Terms as a `TermSpace` numbers them, `NONE` where there is none: unbound, or an error."""

Places = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Table:
    """A bag of rows.

    Args:
        columns: the terms that each variable is bound to, one a row. A variable that is missing is unbound
            in every row.
        size: how many rows there are.
    """

    columns: Mapping[Variable, Ids]
    size: int

    def __len__(self) -> int:
        return self.size

    @property
    def nbytes(self) -> int:
        """Bytes of the columns."""
        return 8 * self.size * len(self.columns)

    def column(self, variable: Variable) -> Ids:
        """The terms of a variable, in every row."""
        found = self.columns.get(variable)
        return np.full(self.size, NONE, np.int64) if found is None else found

    def taken(self, places: Places) -> Table:
        """The rows at `places`, in their order."""
        return Table({v: column[places] for v, column in self.columns.items()}, len(places))

    def kept(self, mask: Mask) -> Table:
        """The rows that `mask` marks."""
        return self.taken(np.flatnonzero(mask))

    def only(self, variables: Iterable[Variable]) -> Table:
        """The rows without the columns of other variables."""
        return Table({v: self.columns[v] for v in variables if v in self.columns}, self.size)

    def with_column(self, variable: Variable, column: Ids) -> Table:
        """The rows with one more column, or another in its place."""
        return Table({**self.columns, variable: column}, self.size)

    @classmethod
    def together(cls, parts: Sequence[Table]) -> Table:
        """The rows of all parts."""
        parts = [part for part in parts if part.size] or list(parts[:1])
        if len(parts) == 1:
            return parts[0]
        variables = dict.fromkeys(v for part in parts for v in part.columns)
        columns = {v: np.concatenate([part.column(v) for part in parts]) for v in variables}
        return cls(columns, sum(part.size for part in parts))


UNIT = Table({}, 1)
"""One row that binds nothing: joined with rows it leaves them as they are."""

NO_ROWS = Table({}, 0)
