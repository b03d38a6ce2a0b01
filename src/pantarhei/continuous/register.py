"""`register`: a text in a stream language becomes a continuous query over streams."""

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
    from pantarhei.continuous.build import Alignment, build_query  # the query engine and grammars: 0.2 s

    def time(given: TimePoint | None) -> TimePoint | None:
        return None if given is None else plain_time(given)

    alignment = Alignment(time(origin), time(since), time(until), closed)
    return build_query(text, ontology, streams or {}, static or {}, window, alignment)


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
