"""The values of literals by their numbers, read when they are first asked for."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.language.term import Term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.bulk import Values, read, read_language_strings
from pantarhei.query.table import Places

_NOT_READ = -1
_language, _datatype = attrgetter("language"), attrgetter("datatype")


class LiteralValues:
    """The values of the terms in a growing list, by their places.

    It is as good as the list: whoever gives its places another meaning begins another one. What is asked for
    again costs an array look-up, what is new about a microsecond.

    Args:
        terms: such as a vocabulary's literals.
    """

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._values = _unread(64)

    def at(self, places: Places) -> Values:
        """The values at places of the list."""
        if not len(places):
            return _unread(0)
        known = self._with_room(int(places.max()) + 1)
        found = known.kinds[places]
        if (found == _NOT_READ).any():
            self._read(np.unique(places[found == _NOT_READ]))
            found = known.kinds[places]
        return Values(found, known.numbers[places], known.scales[places])

    def terms_at(self, places: Places) -> list[Term]:
        """The terms at places of the list."""
        terms = self._terms
        return [terms[place] for place in places.tolist()]

    @property
    def nbytes(self) -> int:
        """Bytes of the values."""
        return sum(column.nbytes for column in self._values)

    def _with_room(self, size: int) -> Values:
        old = self._values
        if size > len(old.kinds):
            new = _unread(2 * size)
            new.put(np.arange(len(old.kinds)), old)
            self._values = new
        return self._values

    def _read(self, places: Places) -> None:
        terms = self.terms_at(places)
        for key, group in _by_datatype(terms).items():
            chosen = np.array(group, np.intp)
            self._values.put(places[chosen], _read_all(key, [terms[place] for place in group]))


_Sort = tuple[bool, str | None]
"""Whether terms are literals, and their datatype, "" where they have a language."""


def _by_datatype(terms: list[Term]) -> dict[_Sort, list[int]]:
    """Places by what they are read alike."""
    found: dict[_Sort, list[int]] = {}
    for place, term in enumerate(terms):
        if not isinstance(term, Literal):
            sort: _Sort = (False, None)
        else:
            sort = (True, "" if term.language is not None else term.datatype)
        found.setdefault(sort, []).append(place)
    return found


def _read_all(sort: _Sort, terms: list[Term]) -> Values:
    is_literal, datatype = sort
    literals = [term for term in terms if isinstance(term, Literal)]
    if not is_literal:
        return Values.of_kind(kinds.NAME, np.zeros(len(terms)))
    if datatype == "":
        return read_language_strings(literals)
    return read(None if datatype is None else URIRef(datatype), literals)


def _unread(size: int) -> Values:
    return Values(np.full(size, _NOT_READ, np.int8), np.zeros(size), np.zeros(size, np.int16))
