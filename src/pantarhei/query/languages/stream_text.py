"""Registrations of continuous queries as values."""

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
    """Window in the past: `[FROM NOW-PT35M TO NOW-PT5M]` is 30 minutes long and ended 5 minutes ago.

    Args:
        window: window of the same length that ends now.
        ago: distance of the end from now.
    """

    window: Window
    ago: Duration


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Window over the newest elements of a stream; an ABox is inside or outside as a whole.

    Args:
        size: number of elements; the window has more if its oldest ABox exceeds the number.
        step: number of new elements after which the window closes and moves; the window tumbles if this is
            `size`.
        of: elements that are counted: triples (`TRIPLES`), or ABoxes (`ELEMENTS` and `GRAPHS`).
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
    """Window over a stream; a graph in the dataset of the query.

    Args:
        name: name of the graph, declared by RSP-QL or by C-SPARQL's `FROM NAMED STREAM`; other windows are
            named `urn:pantarhei:window:1` and so on, in the order of the text.
        stream: IRI of the stream.
        extent: content of the window. Only windows of queries may be a left-closed `Window`.
        is_default: whether the window is part of the default graph, as in C-SPARQL's `FROM STREAM`.
    """

    name: URIRef
    stream: URIRef
    extent: Extent
    is_default: bool = False


@dataclass(frozen=True, slots=True)
class StreamText:
    """Continuous query in one of the languages, whose defaults are

        | | emits | reports on | evaluated | a window's first report |
        |---|---|---|---|---|
        | C-SPARQL | rstream | close, non-empty | when time leaves a timestamp | when it first closes |
        | RSP-QL | rstream, istream or dstream | close | when time leaves a timestamp | when it is whole |
        | CQELS | istream | change, non-empty | when time leaves a timestamp | at once |
        | SPARQL | delta | change | after each ABox | at once |

    Args:
        text: text of the registration.
        language: language of the text's windows; `"SPARQL"` for a text without windows.
        query: the query. Windows are graphs of its dataset: a WINDOW or STREAM block is a `Graph` with the
            name of its window. FROM and FROM NAMED of the query list the windows and the static graphs.
        name: name of the query or of its answer stream; None without a name.
        emit: content of a report.
        on: conditions of a report; a duration is a period.
        tick: whether the query is evaluated after each ABox, or when time leaves a timestamp.
        whole_windows: whether a window reports only once its range has passed completely.
        windows: windows in the order of the text.
        entailment: RSP-QL's entailment regime; None without one.
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
