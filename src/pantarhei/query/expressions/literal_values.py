"""The values of literals by their numbers, read when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

import numpy as np
from rdflib import Literal, URIRef

from pantarhei.model.term import Term
from pantarhei.query.expressions.bulk import Values, read, read_singly
from pantarhei.query.solutions import Places

_NOT_READ = -1
_datatype, _language = attrgetter("datatype"), attrgetter("language")


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
        for datatype, group in _by_datatype(terms):
            self._values.put(places[group], _read_all(datatype, [terms[place] for place in group.tolist()]))


def _by_datatype(terms: list[Term]) -> Iterator[tuple[URIRef | None, Places]]:
    """Places by the terms' datatypes, None for names and for what has none."""
    if set(map(type, terms)) == {Literal}:  # a look at each would cost as much as all else
        datatypes: Iterable[URIRef | None] = map(_datatype, terms)
    else:
        datatypes = (term.datatype if isinstance(term, Literal) else None for term in terms)
    known: dict[URIRef | None, int] = {}
    codes = np.array([known.setdefault(datatype, len(known)) for datatype in datatypes], np.intp)
    for datatype, code in known.items():
        yield datatype, np.flatnonzero(codes == code)


def _read_all(datatype: URIRef | None, terms: list[Term]) -> Values:
    """The values of terms of one datatype; without one they are strings, or names or in a language."""
    literals = [term for term in terms if isinstance(term, Literal)]
    if datatype is None and (len(literals) < len(terms) or any(map(_language, literals))):
        return read_singly(terms)
    return read(datatype, literals)


def _unread(size: int) -> Values:
    return Values(np.full(size, _NOT_READ, np.int8), np.zeros(size), np.zeros(size, np.int16))
