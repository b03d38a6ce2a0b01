"""Builder of continuous queries from a text, streams and static graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from rdflib import Graph, URIRef

from pantarhei.continuous.recomputed_query import RecomputedQuery
from pantarhei.continuous.stream_query import (
    DrivenQuery,
    Stream,
    StreamQuery,
    StreamQuerySpec,
    merge_streams,
    select_streams,
)
from pantarhei.continuous.windowed_query import WindowedQuery, views_of
from pantarhei.errors import ExcludedOptionError, MissingOptionError, OptionError, QueryError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.ontology import Ontology, load_ontology
from pantarhei.owl.graph_files import GraphFile
from pantarhei.query.languages import StreamText, read_stream_text
from pantarhei.query.languages.stream_text import StreamWindow
from pantarhei.window.sliding import Closed, Window

_ENTAILMENT: Final = "http://www.w3.org/ns/entailment/"
_WHOLE: Final = URIRef("urn:pantarhei:window:1")


class Alignment(NamedTuple):
    """Alignment of a text's windows in time; the fields are arguments of `register`."""

    origin: TimePoint | None
    since: TimePoint | None
    until: TimePoint | None
    closed: Closed | None


def build_query(
    text: str,
    ontology: Ontology | None,
    streams: Mapping[str, Stream],
    static: Mapping[str, Graph | Iterable[Triple] | GraphFile],
    window: Window | None,
    alignment: Alignment,
) -> StreamQuery:
    """Build the query for `register`. Raises the errors of `register`."""
    prefixes = {} if ontology is None else {p: str(iri) for p, iri in ontology.graph.namespaces()}
    made = _with_window(read_stream_text(text, prefixes), streams, window)
    origin, since, until, closed = alignment
    if window is not None:
        for name, given in (("origin", origin), ("closed", closed)):
            if given is not None:
                raise ExcludedOptionError(name, repr(given), "The window defines the boundaries.")
        origin, closed = window.origin, window.closed
    _check_entailment(made, ontology)
    spec = StreamQuerySpec.of(made, static, origin or 0, closed or "right", since)
    elements = merge_streams(select_streams(streams, dict.fromkeys(each.stream for each in made.windows)))
    views, name = views_of(spec), made.name or "query"
    always = load_ontology(Graph()) if ontology is None else ontology
    driven: DrivenQuery
    if isinstance(views, str):
        driven = RecomputedQuery(spec, views, name, always)
    else:
        driven = WindowedQuery(spec, views, name, always)
    return StreamQuery(driven, spec, elements, until)


def _with_window(made: StreamText, streams: Mapping[str, Stream], window: Window | None) -> StreamText:
    """Add the window given as an argument, over the only stream, to a text without windows.

    Raises:
        OptionError: the text has windows, no window is given, or there are several streams.
    """
    if made.windows:
        if window is not None:
            raise ExcludedOptionError("window", str(window), "The text declares its windows.")
        return made
    if window is None:
        raise MissingOptionError("window", "Window(range=…, slide=…)", "The text declares no window.")
    if len(streams) != 1:
        expected = "exactly one stream, since the text names none"
        raise OptionError("streams", f"{{{', '.join(map(repr, streams))}}}"[:200], expected)
    (stream,) = streams
    return replace(made, windows=(StreamWindow(_WHOLE, URIRef(stream), window, is_default=True),))


def _check_entailment(made: StreamText, ontology: Ontology | None) -> None:
    """Check that an ontology is given if and only if the entailment regime of the text requires one.

    Raises:
        QueryError: an ontology is missing, or is given although the text requires simple entailment.
    """
    regime = made.entailment
    if regime is not None and (regime == f"{_ENTAILMENT}Simple") is not (ontology is None):
        raise QueryError(
            f"the text requires the entailment regime <{regime}>, but "
            + ("no ontology is given; pass one" if ontology is None else "an ontology is given; omit it")
        )
