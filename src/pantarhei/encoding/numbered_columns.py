"""Numbers of the terms that columns share.

A block of a table is cut into many ABoxes; each of its distinct terms is looked up once for all of them.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.numbers import Integers
from pantarhei.model.term import Place
from pantarhei.rdf.triple_table import TermColumn, Texts

_UNKNOWN: Final = np.iinfo(np.int32).min
_COLUMNS: Final = 8  # of two blocks: subjects, properties, classes and objects


class _Known(NamedTuple):
    """What is known of the distinct terms of a column: numbers by their places, and forms beside them."""

    distinct: Texts
    numbers: npt.NDArray[np.int32]
    forms: dict[int, Literal]


class NumberedColumns:
    """The numbers of the newest columns; as long as numbers mean what they do, which `revision` tells."""

    def __init__(self) -> None:
        self._revision: object = None
        self._known: OrderedDict[tuple[int, Place], _Known] = OrderedDict()

    def __reduce__(self) -> tuple[type[NumberedColumns], tuple[()]]:
        return NumberedColumns, ()

    def numbers_of(
        self,
        column: TermColumn,
        place: Place,
        revision: object,
        look_up: Callable[[list[str]], tuple[Integers, Mapping[int, Literal]]],
    ) -> tuple[Integers, dict[int, Literal]]:
        """The numbers of a column row by row, and by rows the forms of literals that are not the first ones
        of their values. Costs a look-up for each distinct term that has not been looked up before.

        Args:
            look_up: gives the numbers of terms, and forms by their places.
        """
        if self._revision is not revision:
            self._known.clear()
            self._revision = revision
        known = self._of(column.distinct, place)
        numbers = known.numbers[column.codes]
        unknown = numbers == _UNKNOWN
        if unknown.any():
            codes = column.codes[unknown]
            distinct, first = np.unique(codes, return_index=True)
            new = distinct[np.argsort(first)]  # in the order in which they come
            found, forms = look_up(column.distinct[new].tolist())
            known.numbers[new] = found
            known.forms.update((int(new[at]), form) for at, form in forms.items())
            numbers = known.numbers[column.codes]
        if not known.forms:
            return numbers, {}
        rows = np.flatnonzero(np.isin(column.codes, list(known.forms)))
        codes = column.codes[rows].tolist()
        return numbers, {row: known.forms[code] for row, code in zip(rows.tolist(), codes, strict=True)}

    def _of(self, distinct: Texts, place: Place) -> _Known:
        key = id(distinct), place
        known = self._known.get(key)
        if known is None or known.distinct is not distinct:
            known = self._known[key] = _Known(distinct, np.full(len(distinct), _UNKNOWN, np.int32), {})
        self._known.move_to_end(key)
        while len(self._known) > _COLUMNS:
            self._known.popitem(last=False)
        return known
