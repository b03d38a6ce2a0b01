"""The W3C's tests of the SPARQL 1.1 protocol against the endpoint of the service.

The endpoint has one dataset and is read-only. Requests that name graphs in the URL, and updates, are
therefore refused with status 400. The parameter `default-graph-uri` of a graph that a test does not read is
omitted.
"""

from __future__ import annotations

import pytest
from rdflib import RDF, Graph, Namespace
from rdflib.collection import Collection

import w3c_sparql
from served import Served

MANIFEST = w3c_sparql.FOLDER / "sparql11" / "protocol" / "manifest.ttl"
HT, CNT = Namespace("http://www.w3.org/2011/http#"), Namespace("http://www.w3.org/2011/content#")
MF = w3c_sparql.MF
UNUSED = "default-graph-uri=http%3A%2F%2Fkasei.us%2F2009%2F09%2Fsparql%2Fdata%2Fdata0.rdf"
MEDIA = {
    "boolean": "application/sparql-results+json",
    "tabular": "application/sparql-results+json",
    "RDF": "text/turtle",
}


def requests():
    """Yield the name of each test with its first request."""
    if not MANIFEST.exists():
        return
    graph = Graph().parse(MANIFEST)
    for test in sorted(graph.subjects(RDF.type, MF.ProtocolTest)):
        connection = graph.value(test, MF.action)
        first = Collection(graph, graph.value(connection, HT.requests))[0]
        yield test.rpartition("#")[2], graph, first


def headers_of(graph, request):
    listed = graph.value(request, HT.headers)
    for header in () if listed is None else Collection(graph, listed):
        yield str(graph.value(header, HT.fieldName)), str(graph.value(header, HT.fieldValue))


def content_of(graph, request):
    body = graph.value(request, HT.body)
    if body is None:
        return None
    encoding = str(graph.value(body, CNT.characterEncoding) or "UTF-8")
    return str(graph.value(body, CNT.chars)).encode(encoding)


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    with Served(tmp_path_factory.mktemp("site")).client() as client:
        yield client


@pytest.mark.skipif(not MANIFEST.exists(), reason=f"no file {MANIFEST}")
@pytest.mark.parametrize(
    ("name", "graph", "request_"), [pytest.param(*each, id=each[0]) for each in requests()]
)
def test_protocol(client, name, graph, request_):
    path = str(graph.value(request_, HT.absolutePath)).replace("/sparql/", "/sparql", 1)
    url = path.replace(f"&{UNUSED}", "").replace(f"?{UNUSED}", "")
    method = str(graph.value(request_, HT.methodName))
    content, headers = content_of(graph, request_), dict(headers_of(graph, request_))
    response = client.request(method, url, content=content, headers=headers)
    expected = graph.value(request_, HT.resp)
    statuses = {str(each)[-3:] for each in graph.objects(expected, MF.expectedStatus)}
    if "dataset" in name or name.startswith("update_"):
        assert response.status_code == 400, response.text
        return
    assert f"{response.status_code // 100}xx" in statuses, response.text
    form = graph.value(expected, MF.expectedFormat)
    if form is not None:
        assert response.headers["content-type"].partition(";")[0] == MEDIA[str(form)]
    answer = graph.value(expected, MF.expectedBoolean)
    if answer is not None:
        assert response.json()["boolean"] is answer.toPython()
