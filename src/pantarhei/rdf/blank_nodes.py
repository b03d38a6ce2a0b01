"""Whose a blank node is: how its name is made, so that one label means different nodes in different scopes.

A document or a message numbers its nodes as they appear: `b…n0`, `m…b0`, with a hash of what it is, and no
hyphen. In a table each name is a prefix and the label as it is written. A prefix ends with the only hyphen in
it: `m7-` or `m7.2-` for the seventh push or a part of it, `belt-` for a scope that has a name. What stands
before the first hyphen of a name therefore tells whose it is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable

from rdflib import BNode

from pantarhei.errors import OptionError


class NumberedNodes(dict[str, BNode]):
    """The blank nodes of one scope by their labels, numbered as they appear; `prefix` is asked for once."""

    def __init__(self, prefix: Callable[[], str]) -> None:
        super().__init__()
        self._prefix = prefix

    def __missing__(self, label: str) -> BNode:
        if not self:
            self._known_prefix = self._prefix()
        node = self[label] = BNode(f"{self._known_prefix}{len(self)}")
        return node


def nodes_of_message(source: str, graph: str, ordinal: int) -> NumberedNodes:
    """The nodes of the message at a place in its source; read again they have the same names."""
    key = repr((source, graph, ordinal)).encode()
    return NumberedNodes(lambda: f"m{hashlib.blake2b(key, digest_size=8).hexdigest()}b")


def nodes_of_document(content: bytes) -> NumberedNodes:
    """The nodes of a document; one with the same content has the same names."""
    return NumberedNodes(lambda: f"b{hashlib.sha256(content).hexdigest()[:12]}n")


def prefix_of_push(number: int, part: int) -> str:
    """The prefix for a part of a push, counted from 0."""
    return f"m{number}.{part}-" if part else f"m{number}-"


def prefix_of_name(name: str) -> str:
    """The prefix for a scope that the caller names.

    Raises:
        OptionError: a push could have that name, or it is not letters and digits.
    """
    if not re.fullmatch("[A-Za-z][A-Za-z0-9]*", name) or re.fullmatch("m[0-9]+", name):
        raise OptionError("scope", repr(name), "letters and digits, and not m with a number behind it")
    return f"{name}-"


def name_of_timestamp(ticks: int) -> str:
    """The name of a timestamp's scope, for messages that come in parts."""
    return f"t{ticks}" if ticks >= 0 else f"b{-ticks}"


def prefix_beside(labels: Iterable[str]) -> str:
    """A prefix with which none of `labels` begins; none if there are no labels."""
    taken = tuple(labels)
    prefix = "m" if taken else ""
    while any(label.startswith(prefix) for label in taken):
        prefix += "m"
    return prefix
