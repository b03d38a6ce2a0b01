"""What a text of a stream language says: a continuous query, as one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rdflib import URIRef

from pantarhei.model.time import Duration
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.continuous_query import Condition, Emit, Tick
from pantarhei.window.sliding import Window

Language = Literal["C-SPARQL", "RSP-QL", "CQELS", "SPARQL"]


@dataclass(frozen=True, slots=True)
class PastWindow:
    """What a window held some time ago: `[FROM NOW-PT35M TO NOW-PT5M]` is that of 30 minutes, 5 minutes ago.

    Args:
        window: the window, as long as the part of the past that is looked at.
        ago: how far its end lies behind.
    """

    window: Window
    ago: Duration


@dataclass(frozen=True, slots=True)
class CountWindow:
    """The newest elements of a stream; ABoxes are in it as a whole.

    Args:
        size: how many there are, or more where an ABox has them.
        step: after how many more it closes and moves; with `size` it tumbles.
        of: what is counted: `TRIPLES` are triples, `ELEMENTS` and `GRAPHS` are ABoxes.
    """

    size: int
    step: int
    of: Literal["triples", "aboxes"]


@dataclass(frozen=True, slots=True)
class NewestTimestamp:
    """CQELS' `[NOW]`: what has the newest timestamp of the stream."""


@dataclass(frozen=True, slots=True)
class Everything:
    """CQELS' `[ALL]`: all that the stream has brought."""


Extent = Window | PastWindow | CountWindow | NewestTimestamp | Everything


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A window over a stream, which the query sees as a graph.

    Args:
        name: of the graph. RSP-QL and C-SPARQL's `FROM NAMED STREAM` give it; other windows are
            `urn:pantarhei:window:1` and so on, in the order of the text.
        stream: the stream's IRI.
        extent: what of the stream is inside. A `Window` may be one that only queries can have.
        is_default: whether it is part of the default graph, as C-SPARQL's `FROM STREAM` is.
    """

    name: URIRef
    stream: URIRef
    extent: Extent
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class StreamText:
    """A continuous query in one of the languages.

        | | emits | reports on | looks | a window's first report |
        |---|---|---|---|---|
        | C-SPARQL | rstream | close, non-empty | when time leaves a timestamp | when it first closes |
        | RSP-QL | rstream, istream or dstream | close | when time leaves a timestamp | when it is whole |
        | CQELS | istream | change, non-empty | when time leaves a timestamp | at once |
        | SPARQL | delta | change | after each ABox | at once |

    Args:
        text: as it was given.
        language: in which it is written, `"SPARQL"` if it has no window.
        query: the query. Windows are graphs in it: a WINDOW or STREAM block is a `Graph` with the window's
            name. If it has FROM or FROM NAMED, the windows' names are among its graphs; others are static.
        name: of the query, or of the stream of its answers; None where it has none.
        emit: which stream of answers it is.
        on: what must hold for a report; a duration is a period.
        tick: when the query looks: after each ABox, or when time leaves a timestamp.
        whole_windows: whether a window reports first when it has been open for its whole range.
        windows: in the order of the text.
        entailment: RSP-QL's entailment regime, None where the text has none.
    """

    text: str
    language: Language
    query: Query
    name: str | None
    emit: Emit
    on: tuple[Condition | Duration, ...]
    tick: Tick
    whole_windows: bool
    windows: tuple[StreamWindow, ...]
    entailment: URIRef | None = None
