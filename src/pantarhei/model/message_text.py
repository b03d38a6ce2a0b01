"""Text of messages: counted nouns, suggestions, positions in a text, and display names of IRIs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import NamedTuple, TypeVar

from rdflib import OWL, RDF, RDFS, XSD, URIRef


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, which has a regular plural unless `many` is given.

    >>> counted(1, "ABox"), counted(2_000, "ABox"), counted(0, "fact"), counted(2, "axis", "axes")
    ('1 ABox', '2,000 ABoxes', '0 facts', '2 axes')
    """
    return f"{number:,} {one if number == 1 else many or plural(one)}"


def plural(noun: str) -> str:
    """Return the regular plural of an English noun phrase.

    >>> [plural(noun) for noun in ("maker", "battery", "bus", "key")]
    ['makers', 'batteries', 'buses', 'keys']
    """
    if noun.endswith("y") and noun[-2:-1] not in ("", *"aeiou"):
        return f"{noun[:-1]}ies"
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def did_you_mean(given: str, known: Iterable[str]) -> str:
    """Return a question to append to a message about `given`; empty if no known name is similar.

    >>> did_you_mean("mapings", ["mappings", "time"]), did_you_mean("x", ["mappings"])
    (' (did you mean mappings?)', '')
    """
    by_folded = {name.strip().casefold(): name for name in known}
    near = get_close_matches(given.strip().casefold(), by_folded, 1)
    return f" (did you mean {by_folded[near[0]]}?)" if near else ""


LONGEST_LINE = 80
"""Default length of a text in a line of a message."""
_JOINERS = frozenset("\u200c\u200d")  # join controls, needed by some scripts


def one_line(text: str, longest: int = LONGEST_LINE, quote: str | None = None) -> str:
    r"""Return a text on one line: white space is collapsed, invisible characters are escaped, and a long text
    is truncated.

    Args:
        quote: the quotation mark around the text, which is escaped like backslashes; None without quotes.

    >>> one_line("two\nlines"), one_line("\x1b[31m"), len(one_line("x" * 10_000)) < 120
    ('two lines', '\\x1b[31m', True)
    """
    escapes = {} if quote is None else {each: f"\\{each}" for each in ("\\", quote)}
    if len(text) <= longest and text.isprintable() and not any(each in text for each in escapes):
        return " ".join(text.split())
    cut = text[: 4 * longest]
    shown = "".join(
        escapes.get(c, c) if c.isprintable() or c in _JOINERS else c.encode("unicode_escape").decode()
        for c in " ".join(cut.split())
    )
    return (
        shown
        if len(shown) <= longest and len(cut) == len(text)
        else f"{shown[:longest]}… ({len(text):,} characters)"
    )


def one_line_path(path: str) -> str:
    """Return a path on one line. A long path loses its beginning, so that the name of the file remains.

    >>> one_line_path(f"/{'long/' * 40}pumps.ttl")[-14:]
    'long/pumps.ttl'
    """
    shown = one_line(path, 4_000)
    return shown if len(shown) <= LONGEST_LINE else f"…{shown[-LONGEST_LINE:]}"


class TextPosition(NamedTuple):
    """Position in a text.

    Args:
        line, column: counted from 1.
        source_line: the text of the line.
        source: the file; None if the text is not from a file.
    """

    line: int
    column: int
    source_line: str
    source: str | None = None


def position_prefix(written: TextPosition | None) -> str:
    """Return the position as the start of a message; empty if it is None."""
    return f"line {written.line}, column {written.column}: " if written else ""


_T = TypeVar("_T")

_USUAL = {"owl": str(OWL), "rdf": str(RDF), "rdfs": str(RDFS), "xsd": str(XSD)}


@dataclass(frozen=True, slots=True)
class DisplayNames:
    """Names shown for IRIs in a text.

    Args:
        prefixes: prefixes with their IRIs, used for names that are not shown by their last part.
        longer: the name shown for each IRI whose last part is ambiguous.
    """

    prefixes: Mapping[str, str] = field(default_factory=_USUAL.copy)
    longer: Mapping[URIRef, str] = field(default_factory=dict)

    def disambiguated(self, iris: Iterable[URIRef]) -> DisplayNames:
        """Return a copy that shows IRIs among `iris` with a common last part with a prefix or in full.

        >>> room, saref = URIRef("http://example.org/room#Sensor"), URIRef("https://saref.etsi.org/core/Sensor")
        >>> names = DisplayNames({"room": "http://example.org/room#"})
        >>> list(names.disambiguated([room, saref]).longer.values())
        ['room:Sensor', '<https://saref.etsi.org/core/Sensor>']
        """
        by_last_part: dict[str, set[URIRef]] = {}
        for iri in iris:
            by_last_part.setdefault(last_part(iri), set()).add(iri)
        alike = sorted(iri for like in by_last_part.values() if len(like) > 1 for iri in like)
        longer = {iri: with_prefix(iri, self.prefixes) for iri in alike}
        return replace(self, longer={**self.longer, **longer}) if longer else self


NO_NAMES = DisplayNames()


class _TextInProgress:
    """Text that is being rendered, and the IRIs rendered by their last parts so far."""

    def __init__(self, names: DisplayNames) -> None:
        self.names = names
        self.shown_by_last_part: set[URIRef] = set()

    def show(self, iri: URIRef) -> str:
        longer = self.names.longer.get(iri)
        if longer is None:
            self.shown_by_last_part.add(iri)
        return longer or last_part(iri)


_TEXT: ContextVar[_TextInProgress | None] = ContextVar("text", default=None)


def disambiguate(write: Callable[[], _T], names: DisplayNames = NO_NAMES) -> _T:
    """Return the text rendered by `write`, in which distinct IRIs are shown differently.

    If two IRIs were shown alike, the text is rendered a second time. A nested call renders its part once,
    since the outermost call covers the whole text.
    """
    if _TEXT.get() is not None:
        return write()
    text = _TextInProgress(names)
    written = _within(text, write)
    found = names.disambiguated(text.shown_by_last_part)
    return written if len(found.longer) == len(names.longer) else _within(_TextInProgress(found), write)


def _within(text: _TextInProgress, write: Callable[[], _T]) -> _T:
    token = _TEXT.set(text)
    try:
        return write()
    finally:
        _TEXT.reset(token)


def display(iri: URIRef) -> str:
    """Return the name shown for an IRI in the text that is being rendered; outside of a text, the IRI's last
    part.
    """
    text = _TEXT.get()
    return last_part(iri) if text is None else text.show(iri)


def last_part(iri: str) -> str:
    """Return the part after the last `/` or `#`, not counting those at the end of the IRI.

    >>> last_part("http://example.org/room#Hall"), last_part("http://example.org/room/")
    ('Hall', 'room')
    """
    return iri.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1] or str(iri)


def with_prefix(iri: str, prefixes: Mapping[str, str]) -> str:
    """Return the IRI with the prefix that shortens it most; in angle brackets if no prefix matches.

    >>> with_prefix("http://example.org/room#Hall", {"ex": "http://example.org/", "": "http://example.org/room#"})
    ':Hall'
    """
    fitting = [(len(start), prefix) for prefix, start in prefixes.items() if start and iri.startswith(start)]
    if not fitting:
        return f"<{iri}>"
    length, prefix = max(fitting)
    return f"{prefix}:{iri[length:]}"
