import time

import httpx
import pytest
from rdflib import Graph
from rdflib.plugins.stores.sparqlstore import SPARQLStore

from pantarhei.service.http import server
from served import running


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    with running(tmp_path_factory.mktemp("site")) as served:
        served.read("a", 31)
        yield served


def test_a_connection_stays_open_between_requests(tmp_path, monkeypatch):
    monkeypatch.setattr(server, "HEAD_TIME", 0.1)
    with running(tmp_path) as served, httpx.Client(base_url=served.url) as client:
        for _ in range(3):
            assert client.get("/health").status_code == 200
            time.sleep(0.15)
        assert served.server.server_state.total_requests == 3
        assert len(served.server.server_state.connections) == 1


@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
@pytest.mark.parametrize("format", ["xml", "json", "csv", "tsv"])
def test_the_sparql_client_of_rdflib_reads_the_answers(served, method, format):
    graph = Graph(SPARQLStore(f"{served.url}/sparql", method=method, returnFormat=format))
    (row,) = graph.query("SELECT ?s ?v { ?s <http://example.org/value> ?v }")
    assert (str(row.s), float(row.v)) == ("http://example.org/a", 31)


@pytest.mark.parametrize("method", ["GET", "POST", "POST_FORM"])
def test_the_sparql_client_of_rdflib_reads_booleans_and_graphs_and_notices_errors(served, method):
    store = SPARQLStore(f"{served.url}/sparql", method=method)
    assert store.query("ASK { <http://example.org/a> a :Hot }").askAnswer is True
    assert store.query("ASK { <http://example.org/none> ?p ?o }").askAnswer is False
    for query in ("CONSTRUCT { ?s a :Seen } WHERE { ?s :value ?v }", "DESCRIBE :a"):
        assert {str(s) for s, _, _ in store.query(query)} == {"http://example.org/a"}
    if method == "GET":
        with pytest.raises(ValueError, match="SPARQL query"):
            store.query("SELECT nothing")
    else:
        assert store.query("SELECT nothing")[0] == 400
