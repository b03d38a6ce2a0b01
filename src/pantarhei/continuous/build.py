"""Continuous queries built from a text, streams and static graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from rdflib import Graph, URIRef

from pantarhei.continuous.query_spec import StreamQuerySpec
from pantarhei.continuous.recomputed_query import RecomputedQuery
from pantarhei.continuous.stream_query import DrivenQuery, Stream, StreamQuery, merge_streams, select_streams
from pantarhei.continuous.windowed_query import WindowedQuery, views_of
from pantarhei.errors import OptionError, QueryError
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint
from pantarhei.ontology.ontology import Ontology, load_ontology
from pantarhei.query.languages import StreamText, read_stream_text
from pantarhei.query.languages.stream_text import StreamWindow
from pantarhei.window.sliding import Closed, Window

_ENTAILMENT: Final = "http://www.w3.org/ns/entailment/"
_WHOLE: Final = URIRef("urn:pantarhei:window:1")


class Alignment(NamedTuple):
    """Where windows lie in time, as far as texts do not say; `register` has what each means."""

    origin: TimePoint | None
    since: TimePoint | None
    until: TimePoint | None
    closed: Closed | None


def build_query(
    text: str,
    ontology: Ontology | None,
    streams: Mapping[str, Stream],
    static: Mapping[str, Graph | Iterable[Triple]],
    window: Window | None,
    alignment: Alignment,
) -> StreamQuery:
    """What `register` gives, and raises."""
    prefixes = {} if ontology is None else {p: str(iri) for p, iri in ontology.graph.namespaces()}
    made = _with_window(read_stream_text(text, prefixes), streams, window)
    origin, since, until, closed = alignment
    if window is not None:
        for name, given in (("origin", origin), ("closed", closed)):
            if given is not None:
                raise OptionError(name, repr(given), "none: the window says it")
        origin, closed = window.origin, window.closed
    _check_entailment(made, ontology)
    asked = StreamQuerySpec.of(made, static, origin or 0, closed or "right", since)
    elements = merge_streams(select_streams(streams, dict.fromkeys(each.stream for each in made.windows)))
    views, name = views_of(asked), made.name or "query"
    always = load_ontology(Graph()) if ontology is None else ontology
    driven: DrivenQuery
    if isinstance(views, str):
        driven = RecomputedQuery(asked, views, name, always)
    else:
        driven = WindowedQuery(asked, views, name, always)
    return StreamQuery(driven, asked, elements, until)


def _with_window(made: StreamText, streams: Mapping[str, Stream], window: Window | None) -> StreamText:
    """What is registered; a text without a window has that one over its one stream.

    Raises:
        OptionError: the text says one, or none is given, or there are several streams.
    """
    if made.windows:
        if window is not None:
            raise OptionError("window", str(window), "none: the text has windows")
        return made
    if window is None:
        raise OptionError("window", "None", "a Window: the text is SPARQL, and says none")
    if len(streams) != 1:
        raise OptionError("streams", f"{len(streams)} of them", "one: the text is SPARQL, and names none")
    (stream,) = streams
    return replace(made, windows=(StreamWindow(_WHOLE, URIRef(stream), window, is_default=True),))


def _check_entailment(made: StreamText, ontology: Ontology | None) -> None:
    """Nothing, if there is an ontology where the text asks for one, and none where it wants none.

    Raises:
        QueryError: it is not so.
    """
    regime = made.entailment
    if regime is not None and (regime == f"{_ENTAILMENT}Simple") is not (ontology is None):
        raise QueryError(
            f"the text asks for the entailment regime <{regime}>: "
            + ("an ontology is asked for" if ontology is None else "without an ontology it has that")
        )
