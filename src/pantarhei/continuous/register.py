"""`register`: a text in a stream language becomes a continuous query over streams."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from rdflib import Graph, URIRef

from pantarhei.continuous.anew import Anew
from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.continuous.over_views import OverViews, views_of
from pantarhei.continuous.query import Driven, Stream, StreamQuery, chosen, in_order
from pantarhei.errors import OptionError, QueryError, check_type
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, plain_time
from pantarhei.ontology import Ontology, load_ontology
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


def made_query(
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
    asked = AskedOfStreams.of(made, static, origin or 0, closed or "right", since)
    elements = in_order(chosen(streams, dict.fromkeys(each.stream for each in made.windows)))
    views, name = views_of(asked), made.name or "query"
    always = load_ontology(Graph()) if ontology is None else ontology
    driven: Driven
    if isinstance(views, str):
        driven = Anew(asked, views, name, always)
    else:
        driven = OverViews(asked, views, name, always)
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


def register(
    text: str,
    ontology: Ontology | None = None,
    streams: Mapping[str, Stream] | None = None,
    static: Mapping[str, Graph | Iterable[Triple]] | None = None,
    *,
    window: Window | None = None,
    origin: TimePoint | None = None,
    since: TimePoint | None = None,
    closed: Closed | None = None,
    until: TimePoint | None = None,
) -> StreamQuery:
    """A continuous query over streams, in RSP-QL, C-SPARQL, CQELS or SPARQL; its `run` reads the streams.

    Each graph that the query sees is closed under the ontology and repaired newest-wins. Windows over one
    stream are kept up to date by its changes; several streams, parts of the past, windows that count, static
    graphs with names, and texts that ask for the times of triples are evaluated anew at each report. `plan()`
    says which.

    Args:
        ontology: by default none: the query sees what is asserted.
        streams: by their IRIs, paths or pairs of timestamp and ABox, each in time order. Those that the text
            does not ask for are not read.
        static: graphs by their IRIs; FROM makes them part of the default graph, FROM NAMED lets GRAPH find
            them, as it does where the text has neither.
        window: that of a SPARQL text, over its one stream.
        origin: a boundary of the text's windows; by default 0, or 1970.
        since: windows that begin earlier are not whole, and RSP-QL does not report them; by default when the
            streams begin.
        closed: which ends of the text's windows are inside; by default `"right"`.
        until: time goes on to there when the streams have ended; by default until all windows that hold
            something of them have closed. What looks after ABoxes only, as a SPARQL text does, reports
            nothing more then.

    Raises:
        QueryTextError: the text is malformed.
        QueryError: it has a part that cannot be registered.
        OptionError: a stream or graph that it asks for is not given, or an option does not go with it.
        InconsistentOntologyError: ontology and static graphs contradict each other.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, URIRef
    >>> readings = [(at, [(URIRef(f"urn:fire:{at}"), RDF.type, URIRef("urn:Fire"))]) for at in (1, 2, 5)]
    >>> query = pr.register("SELECT ?fire FROM STREAM <urn:s> [RANGE 4 STEP 2] { ?fire a <urn:Fire> }",
    ...                     streams={"urn:s": readings})
    >>> [(report.at, len(report.added)) for report in query.run()]
    [(2, 2), (4, 2), (6, 1), (8, 1)]
    """
    check_type("ontology", ontology, Ontology | None, "what load_ontology gives, or None")
    _check_by_iris("streams", streams, "streams by their IRIs, each a text")
    _check_by_iris("static", static, "graphs by their IRIs, each a text")
    check_type("window", window, Window | None, "a Window, or None")

    def time(given: TimePoint | None) -> TimePoint | None:
        return None if given is None else plain_time(given)

    alignment = Alignment(time(origin), time(since), time(until), closed)
    return made_query(text, ontology, streams or {}, static or {}, window, alignment)


def _check_by_iris(option: str, given: object, expected: str) -> None:
    """Nothing, if what is given has values, and texts as their names.

    Raises:
        OptionError: it is not so.
    """
    check_type(option, given, Mapping | None, expected)
    assert isinstance(given, Mapping | None)
    for name, value in ({} if given is None else given).items():
        if not isinstance(name, str) or value is None:
            shown = "None" if value is None else "…"
            raise OptionError(option, f"{{{name!r}: {shown}}}"[:200], expected)
