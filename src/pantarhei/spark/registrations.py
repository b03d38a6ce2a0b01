"""The registered queries of a stream: what may be asked for, and how a reasoner comes to have them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pantarhei.errors import OptionError
from pantarhei.query.registration import Registration
from pantarhei.reasoner import StreamReasoner

_EXPECTED = "a mapping of names to queries, each a text or a Registration"
_NAME = re.compile(r"[^\W_][\w.-]{0,99}")


def registrations(queries: object, query: object) -> dict[str, Registration]:
    """What `queries` asks for, by name; nothing if it is None.

    Raises:
        OptionError: `queries` says no such thing, `query` is given too, or a name cannot be that of a folder.
    """
    if queries is None:
        return {}
    if query is not None:
        raise OptionError("queries", "given with query", "one of them; query='…' is queries={'name': '…'}")
    if not isinstance(queries, Mapping) or not queries:
        raise OptionError("queries", repr(queries)[:200], _EXPECTED)
    return {_name(name, queries): _registration(name, given) for name, given in queries.items()}


def _name(name: object, queries: Mapping[object, object]) -> str:
    """A name, if a folder can have it, and the folder of no other query is the same."""
    if not isinstance(name, str) or _NAME.fullmatch(name) is None:
        expected = (
            "names that folders can have: letters, digits, '-', '.' and '_', a letter or digit first, "
            "100 characters at most"
        )
        raise OptionError("queries", repr(name)[:200], expected)
    alike = [other for other in queries if isinstance(other, str) and other.lower() == name.lower()]
    if len(alike) > 1:
        raise OptionError("queries", ", ".join(map(repr, alike)), "names that differ by more than capitals")
    return name


def _registration(name: object, given: object) -> Registration:
    if isinstance(given, str):
        return Registration(given)
    if not isinstance(given, Registration):
        raise OptionError(f"queries[{name!r}]", repr(given)[:200], "a text or a Registration")
    return given


def take_up(reasoner: StreamReasoner, asked: Mapping[str, Registration]) -> set[str]:
    """Let a reasoner have these queries and no others; returns the names of those that are new.

    One that it has goes on from where it stood. The first report of a new one brings all its answers.

    Raises:
        OptionError: one of that name was registered in another way, or cannot be registered.
        QueryError: a query is malformed or refused.
    """
    for name, query in reasoner.queries.items():
        if name not in asked:
            query.close()
    known = reasoner.queries
    for name, given in asked.items():
        registrar = reasoner._registering()
        if name in known:
            registrar.go_on(name, given)
        else:
            registrar.register(given.text, name, given.window, given.on, given.emit, reports_present=True)
    return set(asked) - set(known)
