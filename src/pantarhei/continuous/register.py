"""Entry point `register`: continuous queries over streams, from texts in stream query languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pantarhei.errors import OptionError, check_type
from pantarhei.model.term import Triple
from pantarhei.model.time import TimePoint, plain_time
from pantarhei.ontology.ontology import Ontology
from pantarhei.window.sliding import Closed, Window

if TYPE_CHECKING:
    from rdflib import Graph

    from pantarhei.continuous.stream_query import Stream, StreamQuery
    from pantarhei.owl.graph_files import GraphFile


def register(
    text: str,
    ontology: Ontology | None = None,
    streams: Mapping[str, Stream] | None = None,
    static: Mapping[str, Graph | Iterable[Triple] | GraphFile] | None = None,
    *,
    window: Window | None = None,
    origin: TimePoint | None = None,
    since: TimePoint | None = None,
    closed: Closed | None = None,
    until: TimePoint | None = None,
) -> StreamQuery:
    """Register a continuous query over streams, in RSP-QL, C-SPARQL, CQELS or SPARQL.

    The returned query reads the streams when its `run` is iterated over.

    Each graph of the query is materialized under the ontology, and contradictions are repaired newest-wins.
    Queries with time windows over one stream are maintained incrementally. A query is re-evaluated at each
    report if it has several streams, windows in the past, windows that count ABoxes or triples, static named
    graphs, or uses the times of triples; its `plan()` shows whether it is.

    Args:
        text: the text of the query.
        ontology: the ontology; without one, the query matches only asserted triples.
        streams: streams by IRI: paths, or pairs of timestamp and ABox in time order. Streams that the text
            does not name are not read.
        static: static graphs or files by IRI. FROM adds them to the default graph, and FROM NAMED makes them
            available to GRAPH; in a text without FROM and FROM NAMED all of them are available to GRAPH.
        window: for a SPARQL text, the window over its only stream.
        origin: an instant to which the boundaries of the text's windows are aligned; by default 0, or 1970.
        since: begin of the first whole window, since RSP-QL reports only whole windows; by default the first
            timestamp.
        closed: the ends that the text's windows include; by default `"right"`.
        until: time to which the query advances at the end of the streams; by default the time at which all
            windows that contain an element have closed. A query that reports only after ABoxes, such as a
            SPARQL text, does not report then.

    Raises:
        QueryTextError: the text is malformed.
        QueryError: the text has a construct that cannot be registered.
        OptionError: a stream or graph that the text names is missing, or an option contradicts the text.
        InconsistentOntologyError: the ontology and the static graphs contradict each other.

    >>> import pantarhei as pr
    >>> from rdflib import RDF, URIRef
    >>> readings = [(at, [(URIRef(f"urn:fire:{at}"), RDF.type, URIRef("urn:Fire"))]) for at in (1, 2, 5)]
    >>> query = pr.register("SELECT ?fire FROM STREAM <urn:s> [RANGE 4 STEP 2] { ?fire a <urn:Fire> }",
    ...                     streams={"urn:s": readings})
    >>> [(report.at, len(report.added)) for report in query.run()]
    [(2, 2), (4, 2), (6, 1), (8, 1)]
    """
    check_type("ontology", ontology, Ontology | None, "an Ontology from load_ontology, or None")
    _check_by_iris("streams", streams, "streams by their IRIs, each IRI a text")
    _check_by_iris("static", static, "graphs by their IRIs, each IRI a text")
    check_type("window", window, Window | None, "a Window, or None")
    # Imported here, since importing the query engine and the grammars takes 0.2 s.
    from pantarhei.continuous.build import Alignment, build_query

    def time(given: TimePoint | None) -> TimePoint | None:
        return None if given is None else plain_time(given)

    alignment = Alignment(time(origin), time(since), time(until), closed)
    return build_query(text, ontology, streams or {}, static or {}, window, alignment)


def _check_by_iris(option: str, given: object, expected: str) -> None:
    """Check that an option is a mapping from texts to values other than None.

    Raises:
        OptionError: the option is not such a mapping.
    """
    check_type(option, given, Mapping | None, expected)
    assert isinstance(given, Mapping | None)
    for name, value in ({} if given is None else given).items():
        if not isinstance(name, str) or value is None:
            shown = "None" if value is None else "…"
            raise OptionError(option, f"{{{name!r}: {shown}}}"[:200], expected)
