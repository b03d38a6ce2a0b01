"""How IRIs are shown to people: by their last part; where two of one text would then look the same, both with
their prefix or in full.

A text is written by many `__str__`, each of which shows a few IRIs: `told_apart` stands around the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar

from rdflib import OWL, RDF, RDFS, XSD, URIRef

_T = TypeVar("_T")

_USUAL = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


@dataclass(frozen=True, slots=True)
class ShownNames:
    """What a text needs to know of names before it is written.

    Args:
        prefixes: with their IRIs, for names that are not shown by their last part.
        longer: how names are shown whose last part would not tell which is meant.
    """

    prefixes: Mapping[str, str] = field(default_factory=_USUAL.copy)
    longer: Mapping[URIRef, str] = field(default_factory=dict)

    def telling_apart(self, iris: Iterable[URIRef]) -> ShownNames:
        """The same, with those of `iris` shown at more length that have a last part in common.

        >>> room, saref = URIRef("http://example.org/room#Sensor"), URIRef("https://saref.etsi.org/core/Sensor")
        >>> names = ShownNames({"room": "http://example.org/room#"})
        >>> list(names.telling_apart([room, saref]).longer.values())
        ['room:Sensor', '<https://saref.etsi.org/core/Sensor>']
        """
        by_last_part: dict[str, set[URIRef]] = {}
        for iri in iris:
            by_last_part.setdefault(last_part(iri), set()).add(iri)
        alike = sorted(iri for like in by_last_part.values() if len(like) > 1 for iri in like)
        longer = {iri: with_prefix(iri, self.prefixes) for iri in alike}
        return replace(self, longer={**self.longer, **longer}) if longer else self


NO_NAMES = ShownNames()


class _Text:
    """A text that is being written, and the IRIs that it has shown by their last parts."""

    def __init__(self, names: ShownNames) -> None:
        self.names = names
        self.shown_by_last_part: set[URIRef] = set()

    def show(self, iri: URIRef) -> str:
        longer = self.names.longer.get(iri)
        if longer is None:
            self.shown_by_last_part.add(iri)
        return longer or last_part(iri)


_TEXT: ContextVar[_Text | None] = ContextVar("text", default=None)


def told_apart(write: Callable[[], _T], names: ShownNames = NO_NAMES) -> _T:
    """What `write` gives, in which no two IRIs look the same.

    It is written a second time if two did. A part of a larger text is written as it is: around the larger one
    there is a `told_apart` too.
    """
    if _TEXT.get() is not None:
        return write()
    text = _Text(names)
    written = _within(text, write)
    found = names.telling_apart(text.shown_by_last_part)
    return written if len(found.longer) == len(names.longer) else _within(_Text(found), write)


def _within(text: _Text, write: Callable[[], _T]) -> _T:
    token = _TEXT.set(text)
    try:
        return write()
    finally:
        _TEXT.reset(token)


def shown(iri: URIRef) -> str:
    """The IRI as the text shows it that is being written, by its last part where there is none."""
    text = _TEXT.get()
    return last_part(iri) if text is None else text.show(iri)


def last_part(iri: str) -> str:
    """What stands behind the last `/` or `#` that does not end the IRI.

    >>> last_part("http://example.org/room#Hall"), last_part("http://example.org/room/")
    ('Hall', 'room')
    """
    return iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or str(iri)


def with_prefix(iri: str, prefixes: Mapping[str, str]) -> str:
    """The IRI with the prefix that shortens it most, in full where there is none.

    >>> with_prefix("http://example.org/room#Hall", {"ex": "http://example.org/", "": "http://example.org/room#"})
    ':Hall'
    """
    fitting = [(len(start), prefix) for prefix, start in prefixes.items() if start and iri.startswith(start)]
    if not fitting:
        return f"<{iri}>"
    length, prefix = max(fitting)
    return f"{prefix}:{iri[length:]}"
