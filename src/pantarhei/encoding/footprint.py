"""Estimate of the memory of a vocabulary's terms, from a sample.

Each container is measured itself; its content is extrapolated from a few dozen members, spread over a list or
taken from both ends of a dictionary. A term in several containers is counted in one of them, a list.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, islice
from weakref import WeakKeyDictionary

import numpy as np
from rdflib.term import Identifier, Literal

from pantarhei.encoding.lexicon import NameTable
from pantarhei.encoding.vocabulary import Vocabulary

_SAMPLE = 32
_GRAIN = 16  # allocation unit of Python, in bytes


# Growth of a vocabulary before a new sample is taken; until then new terms count as the sampled ones.
_GROWTH = 64

_estimates: WeakKeyDictionary[Vocabulary, tuple[object, int, int]] = WeakKeyDictionary()


def vocabulary_bytes(vocabulary: Vocabulary) -> int:
    """Return the bytes of a vocabulary's terms, numbers and tables. Costs O(1)."""
    size = vocabulary.size
    lexicon, sampled, estimate = _estimates.get(vocabulary, (None, 0, 0))
    if lexicon is not vocabulary.lexicon or size - sampled > sampled // _GROWTH:
        sampled, estimate = size, sum(_bytes_of(part) for part in vars(vocabulary).values())
        _estimates[vocabulary] = vocabulary.lexicon, sampled, estimate
    return estimate + estimate * (size - sampled) // max(1, sampled)


def _bytes_of(part: object) -> int:
    if isinstance(part, np.ndarray):
        return part.nbytes
    if isinstance(part, NameTable):
        part = part.keys
    if isinstance(part, list):
        return sys.getsizeof(part) + _Sample(listed=True).scaled(_spread(part), len(part))
    if isinstance(part, dict):
        members = chain.from_iterable(_ends(part))
        return sys.getsizeof(part) + _Sample(listed=False).scaled(members, len(part))
    return int(getattr(part, "bytes_used", 0))


def _spread(members: Sequence[object]) -> Iterator[object]:
    """Return a sample of members at equal distances in a list."""
    count = min(len(members), _SAMPLE)
    return (members[i * len(members) // count] for i in range(count))


def _ends(members: Mapping[object, object]) -> Iterator[tuple[object, object]]:
    """Return a sample of the oldest and the newest members of a dictionary."""
    if len(members) <= _SAMPLE:
        yield from members.items()
        return
    yield from islice(members.items(), _SAMPLE // 2)
    yield from islice(reversed(members.items()), _SAMPLE // 2)  # type: ignore[call-overload]


class _Sample:
    """Measurement of sampled members; `listed` is true for members of a list."""

    def __init__(self, listed: bool) -> None:
        self._listed = listed
        self._datatypes: set[int] = set()

    def scaled(self, sample: Iterator[object], count: int) -> int:
        """Return the estimated size of `count` members."""
        return sum(map(self._size, sample)) * count // max(1, min(count, _SAMPLE))

    def _size(self, member: object) -> int:
        if self._listed and type(member) is str:
            return 0  # the key of a name, shared with a dictionary
        if isinstance(member, Identifier):
            return self._term_size(member) if self._listed else 0
        if isinstance(member, dict):
            return _bytes_of(member)
        if isinstance(member, tuple):
            return _allocated(member) + sum(map(self._size, member))
        return _allocated(member)

    def _term_size(self, term: Identifier) -> int:
        """Return the size of a term with its value, and with its datatype unless the datatype is shared."""
        size = _allocated(term)
        if isinstance(term, Literal):
            size += 0 if term.value is None else _allocated(term.value)
            if term.datatype is not None and id(term.datatype) not in self._datatypes:
                self._datatypes.add(id(term.datatype))
                size += _allocated(term.datatype)
        return size


def _allocated(value: object) -> int:
    parts = (value.numerator, value.denominator) if isinstance(value, Fraction) else ()
    return sum(-(-sys.getsizeof(each) // _GRAIN) * _GRAIN for each in (value, *parts))
