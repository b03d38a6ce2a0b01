"""Registrations of continuous queries, as values."""

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
    """A window in the past: `[FROM NOW-PT35M TO NOW-PT5M]` is 30 minutes long and ended 5 minutes ago.

    Args:
        window: window of the same length.
        ago: distance of its end from now.
    """

    window: Window
    ago: Duration


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Window over the newest elements of a stream; an ABox is inside as a whole.

    Args:
        size: number of elements, or more to complete an ABox.
        step: number of further elements after which it closes and moves; it tumbles if equal to `size`.
        of: unit: `TRIPLES` counts triples, `ELEMENTS` and `GRAPHS` count ABoxes.
    """

    size: int
    step: int
    of: Literal["triples", "aboxes"]


@dataclass(frozen=True, slots=True)
class NewestTimestamp:
    """CQELS' `[NOW]`: the elements with the newest timestamp of the stream."""


@dataclass(frozen=True, slots=True)
class Everything:
    """CQELS' `[ALL]`: all elements of the stream so far."""


Extent = Window | PastWindow | CountWindow | NewestTimestamp | Everything


@dataclass(frozen=True, slots=True)
class StreamWindow:
    """A window over a stream, a graph of the query's dataset.

    Args:
        name: name of the graph, from RSP-QL or C-SPARQL's `FROM NAMED STREAM`; other windows are named
            `urn:pantarhei:window:1` and so on, in the order of the text.
        stream: IRI of the stream.
        extent: content of the window. A `Window` may be closed in ways that are reserved to queries.
        is_default: True if it is part of the default graph, as C-SPARQL's `FROM STREAM` is.
    """

    name: URIRef
    stream: URIRef
    extent: Extent
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class StreamText:
    """A continuous query in one of the languages.

        | | emits | reports on | evaluated | a window's first report |
        |---|---|---|---|---|
        | C-SPARQL | rstream | close, non-empty | when time leaves a timestamp | when it first closes |
        | RSP-QL | rstream, istream or dstream | close | when time leaves a timestamp | when it is whole |
        | CQELS | istream | change, non-empty | when time leaves a timestamp | at once |
        | SPARQL | delta | change | after each ABox | at once |

    Args:
        text: text of the registration.
        language: language of its windows, `"SPARQL"` without windows.
        query: the query. Windows are graphs: a WINDOW or STREAM block is a `Graph` with the window's name. If
            it has FROM or FROM NAMED, its graphs include the windows; the others are static.
        name: name of the query or of its stream of answers, None without a name.
        emit: stream of answers.
        on: conditions of a report; a duration is a period.
        tick: evaluation after each ABox, or when time leaves a timestamp.
        whole_windows: whether the first report of a window waits for its whole range.
        windows: windows in the order of the text.
        entailment: RSP-QL's entailment regime, None without one.
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
