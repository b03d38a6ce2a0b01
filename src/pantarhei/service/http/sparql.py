"""SPARQL 1.1 protocol: queries by GET and POST, and the description of the service."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.parsers.expat import ExpatError, ParserCreate

from rdflib import Graph
from starlette.requests import Request
from starlette.responses import Response

from pantarhei.query.answers import QueryResult
from pantarhei.service.config import QueryLimitsSection
from pantarhei.service.http.exchange import (
    RequestError,
    accepted,
    fields_of,
    media_type_of,
    preferred,
    read_body,
    text_of,
)

if TYPE_CHECKING:
    from pantarhei.service.http.app import ServiceView

FORM, QUERY = "application/x-www-form-urlencoded", "application/sparql-query"
UPDATE = "application/sparql-update"
_RESULTS = "application/sparql-results"
_BOOLEANS = {f"{kind}{form}": form for kind in (f"{_RESULTS}+", "application/") for form in ("json", "xml")}
TABLES = {**_BOOLEANS, "text/csv": "csv", "text/tab-separated-values": "tsv"}
GRAPHS = {"text/turtle": "turtle", "application/n-triples": "nt", "text/plain": "nt"}
GRAPHS |= {"application/rdf+xml": "xml", "application/ld+json": "json-ld"}
"""Formats of results by media type."""

_DESCRIPTION = """
@prefix sd: <http://www.w3.org/ns/sparql-service-description#> .
@prefix format: <http://www.w3.org/ns/formats/> . @prefix graph: <urn:pantarhei:> .
[] a sd:Service ; sd:endpoint <%s> ; sd:supportedLanguage sd:SPARQL11Query ;
    sd:resultFormat format:SPARQL_Results_JSON, format:SPARQL_Results_XML, format:SPARQL_Results_CSV,
        format:SPARQL_Results_TSV, format:Turtle, format:N-Triples, format:RDF_XML, format:JSON-LD ;
    sd:defaultEntailmentRegime <http://www.w3.org/ns/entailment/OWL-RDF-Based> ;
    sd:defaultSupportedEntailmentProfile <http://www.w3.org/ns/owl-profile/RL> ;
    sd:defaultDataset [ a sd:Dataset ; sd:defaultGraph [ a sd:Graph ] ; sd:namedGraph
        [ a sd:NamedGraph ; sd:name graph:ontology ], [ a sd:NamedGraph ; sd:name graph:schema ],
        [ a sd:NamedGraph ; sd:name graph:quality ], [ a sd:NamedGraph ; sd:name graph:conclusions ] ] .
"""


class SPARQLEndpoint:
    """Endpoint `/sparql`."""

    def __init__(self, view: ServiceView) -> None:
        self._view = view

    async def respond(self, request: Request) -> Response:
        """Answer a query, or describe the service if there are no parameters."""
        text = await self._query_text(request)
        if text is None:
            return self._description(request)
        accepted(request, (*TABLES, *GRAPHS))
        return await self._view.slots.run(lambda: self._answer(request, text))

    async def _query_text(self, request: Request) -> str | None:
        fields = fields_of(request.url.query)
        if request.method == "POST":
            media = media_type_of(request)
            if media == UPDATE:
                raise _read_only()
            if media not in (FORM, QUERY):
                problem = f"the content type {media or 'is missing and'} is not supported"
                accepted_types = {"Accept-Post": f"{QUERY}, {FORM}"}
                raise RequestError(415, f"{problem}; send {QUERY} or {FORM}", accepted_types)
            body = text_of(await read_body(request, self._view.http.body))
            fields += fields_of(body) if media == FORM else [("query", body)]
        elif not fields:
            return None
        names = [name for name, _ in fields]
        if {"update", "using-graph-uri", "using-named-graph-uri"} & set(names):
            raise _read_only()
        if given := sorted({"default-graph-uri", "named-graph-uri"} & set(names)):
            problem = f"{given[0]} is not supported: there is one dataset; name its graphs in the query"
            raise RequestError(400, f"{problem} by FROM, FROM NAMED and GRAPH")
        found = [value for name, value in fields if name == "query"]
        if len(found) != 1:
            problem = "is missing" if not found else f"is given {len(found)} times"
            raise RequestError(400, f"the parameter query {problem}; send one query")
        return found[0]

    def _answer(self, request: Request, text: str) -> Response:
        return result_response(request, self._view.query(text), self._view.http.query)

    def _description(self, request: Request) -> Response:
        if preferred(request.headers.get("accept", ""), [*GRAPHS]) is None:
            raise RequestError(400, "the parameter query is missing; send one query")
        media = accepted(request, [*GRAPHS])
        graph = Graph().parse(data=_DESCRIPTION % str(request.url.replace(query="")), format="turtle")
        return Response(graph.serialize(format=GRAPHS[media]), media_type=media)


def result_response(request: Request, result: QueryResult, limits: QueryLimitsSection) -> Response:
    """Return the response with a result in the accepted format.

    Raises:
        RequestError: no format is accepted, or the result exceeds a limit.
    """
    formats = {"SELECT": TABLES, "ASK": _BOOLEANS}.get(str(result.type), GRAPHS)
    media = accepted(request, [*formats])
    _check_size(result.size, "rows", "rows", limits.rows)
    texts = sum(len(term) for column in result.columns().values() for term in column if term is not None)
    _check_size(texts, "characters", "bytes", limits.bytes)
    try:
        written = result.serialize(format=formats[media]) or b""
        if formats[media] == "xml":  # it has neither control characters nor all predicates
            ParserCreate().Parse(written, True)
    except (ValueError, ExpatError) as error:
        problem = f"the result cannot be written as {media}: {error}; accept another format"
        raise RequestError(406, problem) from None
    return Response(written, media_type=media)


def _check_size(size: int, unit: str, limit: str, most: int) -> None:
    if size > most:
        problem = f"the result has {size:,} {unit}, more than http.query.{limit}: {most:,}"
        raise RequestError(400, f"{problem}; query for less, for example with LIMIT")


def _read_only() -> RequestError:
    return RequestError(400, "updates are not supported: facts come from the sources; push messages instead")
