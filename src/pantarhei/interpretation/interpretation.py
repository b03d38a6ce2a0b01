"""Interpretations as values: the canonical model of one ABox, and the terms it has of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from pantarhei.encoding.numbers import Integers


class Terms(NamedTuple):
    """Terms that an interpretation has beyond those of the foundation, in N-Triples syntax.

    A place in `classes` or `properties` is a symbol's number less the foundation's count, and so on.
    """

    classes: tuple[str, ...]
    properties: tuple[str, ...]
    names: tuple[str, ...]
    literals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The canonical model of one ABox: what it asserts, and what follows from that and the background.

    Each fact stands there once; of several forms of its literal the first one given.

    Args:
        facts: shape (n, 3), asserted ones first. Numbers below those of the foundation mean its terms, the
            others those of `terms`, in order: symbols the classes and then the properties.
        asserted: how many of them are asserted.
        terms: the terms beyond the foundation's.
        conflicts: the minimal inconsistent sets among the asserted facts, as places in `facts`, where they
            were asked for.
        contradictory: whether there are any; they may be too many to be listed.
        foundation: the digest of what it was made with.
    """

    facts: Integers
    asserted: int
    terms: Terms
    conflicts: tuple[tuple[int, ...], ...]
    contradictory: bool
    foundation: str
