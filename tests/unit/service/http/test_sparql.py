import threading

import pytest
from rdflib import Graph, Namespace

from served import Served

SELECT = "SELECT ?s ?v { ?s :value ?v } ORDER BY ?s"
SD = Namespace("http://www.w3.org/ns/sparql-service-description#")
DIRECT = {"Content-Type": "application/sparql-query"}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    made = Served(tmp_path_factory.mktemp("site"), "{query: {rows: 3, timeout: 2s}, body: 2kB}")
    made.read("a", 31)
    made.read("b", 29.5)
    return made


@pytest.fixture(scope="module")
def client(served):
    with served.client() as client:
        yield client


@pytest.mark.parametrize(
    ("accept", "media", "text"),
    [
        (None, "application/sparql-results+json", '"value": "29.5"'),
        ("application/sparql-results+xml", "application/sparql-results+xml", ">29.5</literal>"),
        ("application/json", "application/json", '"value": "29.5"'),
        ("text/csv", "text/csv; charset=utf-8", "http://example.org/b,29.5"),
        ("text/tab-separated-values", "text/tab-separated-values; charset=utf-8", "?s\t?v\n"),
        ("text/csv;q=0.1, text/*", "text/tab-separated-values; charset=utf-8", "?s\t?v\n"),
    ],
)
def test_rows_come_in_the_accepted_format(client, accept, media, text):
    headers = {} if accept is None else {"Accept": accept}
    response = client.get("/sparql", params={"query": SELECT}, headers=headers)
    assert (response.status_code, response.headers["content-type"]) == (200, media)
    assert text in response.text


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("text/turtle", "text/turtle"),
        ("application/n-triples", "application/n-triples"),
        ("application/ld+json", "application/ld+json"),
        ("application/sparql-results+xml, application/rdf+xml", "application/rdf+xml"),
        ("*/*", "text/turtle"),
    ],
)
def test_graphs_come_in_the_accepted_format(client, accept, media):
    query = "CONSTRUCT { ?s :was ?v } WHERE { ?s :value ?v }"
    response = client.post("/sparql", content=query, headers={**DIRECT, "Accept": accept})
    assert response.headers["content-type"].partition(";")[0] == media
    assert len(Graph().parse(data=response.text, format=media)) == 2


@pytest.mark.parametrize(
    ("query", "media"),
    [
        (f"{form} {{ {query}", media)
        for query in ('BIND("a\\u0001b" AS ?v) }', 'VALUES ?v { "\\u001f" } }')
        for form, media in (
            ("SELECT *", "application/sparql-results+xml"),
            ("CONSTRUCT { :a :says ?v } WHERE", "application/rdf+xml"),
        )
    ]
    + [
        (f"CONSTRUCT {{ :a <http://example.org/{name}> 1 }} WHERE {{}}", "application/rdf+xml")
        for name in ("1", "", "a%20b", "a/")
    ],
)
def test_a_result_that_xml_cannot_represent_is_refused_with_advice(client, query, media):
    response = client.get("/sparql", params={"query": query}, headers={"Accept": media})
    assert response.status_code == 406 and "accept another format" in response.text
    assert client.get("/sparql", params={"query": query}).status_code == 200


@pytest.mark.parametrize(
    ("query", "accept"),
    [(SELECT, "text/turtle"), ("ASK {}", "text/csv"), ("DESCRIBE :a", "text/csv"), (SELECT, "image/png")],
)
def test_formats_that_the_form_of_the_query_lacks_are_not_acceptable(client, query, accept):
    response = client.get("/sparql", params={"query": query}, headers={"Accept": accept})
    assert response.status_code == 406 and "the formats are" in response.text


def test_an_error_has_its_line_and_a_mark_below_the_column(client):
    response = client.get("/sparql", params={"query": "SELECT ?s {\n  ?s :value }"})
    assert response.status_code == 400
    message, line, mark = response.text.rstrip().split("\n")
    assert "line 2, column 13" in message
    assert line[mark.index("^")] == "}"


@pytest.mark.parametrize("accept", ["text/turtle", "application/n-triples"])
def test_the_service_describes_itself_without_a_query(client, accept):
    response = client.get("/sparql", headers={"Accept": accept})
    form = "nt" if "n-triples" in accept else "turtle"
    graph = Graph().parse(data=response.text, format=form)
    (service,) = graph.subjects(SD.endpoint)
    assert str(graph.value(service, SD.endpoint)) == "http://localhost/sparql"
    assert (service, SD.supportedLanguage, SD.SPARQL11Query) in graph


def test_results_beyond_the_limit_of_rows_are_refused(client):
    many = "SELECT * { VALUES ?x { 1 2 3 4 } }"
    response = client.get("/sparql", params={"query": many})
    assert response.status_code == 400 and "http.query.rows: 3" in response.text
    assert client.get("/sparql", params={"query": many + " LIMIT 3"}).status_code == 200


def test_a_query_that_takes_too_long_is_stopped(tmp_path):
    served = Served(tmp_path, "{query: {timeout: 0.1s, bytes: 10GB}}")
    values = " ".join(map(str, range(300)))
    query = "SELECT (COUNT(*) AS ?n) { " + "".join(f"VALUES ?x{i} {{ {values} }} " for i in range(4)) + "}"
    response = served.client().get("/sparql", params={"query": query})
    assert response.status_code == 503 and response.headers["retry-after"] == "1"
    assert "http.query.timeout" in response.text


def test_a_query_that_takes_too_much_memory_names_the_key_of_the_limit(tmp_path):
    served = Served(tmp_path, "{query: {bytes: 1kB}}")
    values = " ".join(map(str, range(1000)))
    query = f"SELECT * {{ VALUES ?x {{ {values} }} VALUES ?y {{ {values} }} }}"
    response = served.client().get("/sparql", params={"query": query})
    assert response.status_code == 400 and "http.query.bytes: 1_" in response.text


def test_more_queries_at_once_than_permitted_are_refused(tmp_path):
    served = Served(tmp_path, "{query: {at_once: 1}}")
    begun, go_on = threading.Event(), threading.Event()
    query = served.driver.reasoner.query

    def slow(*given, **options):
        begun.set()
        go_on.wait(5)
        return query(*given, **options)

    served.driver.reasoner.query = slow
    statuses = []
    with served.client() as client:

        def ask():
            statuses.append(client.get("/sparql", params={"query": "ASK {}"}).status_code)

        thread = threading.Thread(target=ask)
        thread.start()
        assert begun.wait(5)
        refused = client.get("/sparql", params={"query": "ASK {}"})
        go_on.set()
        thread.join()
        ask()
    assert (refused.status_code, refused.headers["retry-after"], statuses) == (429, "1", [200, 200])


def test_pages_of_listed_origins_may_read(tmp_path):
    served = Served(tmp_path, '{origins: ["https://yasgui.example"]}')
    for origin, allowed in (
        ("https://yasgui.example", "https://yasgui.example"),
        ("https://x.example", None),
    ):
        client = served.client(headers={"Origin": origin})
        response = client.get("/sparql", params={"query": "ASK {}"})
        assert response.headers.get("access-control-allow-origin") == allowed
    headers = {"Origin": "https://yasgui.example", "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "authorization, content-type"
    assert served.client().options("/sparql", headers=headers).status_code == 200


# -- the protocol (SPARQL 1.1 Protocol, section 2; names as in its test manifest)

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
UPDATE = {"Content-Type": "application/sparql-update"}
UTF8, UTF16 = ({"Content-Type": f"application/sparql-query; charset={name}"} for name in ("UTF-8", "UTF-16"))


@pytest.mark.parametrize(
    ("method", "url", "body", "headers", "status"),
    [
        pytest.param("POST", "/sparql", "query=ASK%20%7B%7D", FORM, 200, id="query_post_form"),
        pytest.param("GET", "/sparql?query=ASK%20%7B%7D", None, {}, 200, id="query_get"),
        pytest.param("POST", "/sparql", "ASK {}", DIRECT, 200, id="query_post_direct"),
        pytest.param("POST", "/sparql", "ASK {}", UTF8, 200),
        pytest.param("PUT", "/sparql?query=ASK%20%7B%7D", None, {}, 405, id="bad_query_method"),
        pytest.param("GET", "/sparql?query=ASK%7B%7D&query=ASK%7B%7D", None, {}, 400, id="bad_multiple"),
        pytest.param("POST", "/sparql?query=ASK%7B%7D", "query=ASK%7B%7D", FORM, 400),
        pytest.param("POST", "/sparql", "ASK {}", {"Content-Type": "text/plain"}, 415, id="bad_media_type"),
        pytest.param("POST", "/sparql", "query=ASK%7B%7D", {}, 415, id="bad_query_missing_form_type"),
        pytest.param("POST", "/sparql", "ASK {}", {}, 415, id="bad_query_missing_direct_type"),
        pytest.param("POST", "/sparql", b"ASK {\xff}", DIRECT, 400, id="bad_query_non_utf8"),
        pytest.param("POST", "/sparql", "ASK {}", UTF16, 415),
        pytest.param("GET", "/sparql?query=%FF", None, {}, 400, id="bad_query_non_utf8_get"),
        pytest.param("GET", "/sparql?query=ASK%20%7B", None, {}, 400, id="bad_query_syntax"),
        pytest.param("GET", "/sparql?update=CLEAR%20ALL", None, {}, 400, id="bad_update_get"),
        pytest.param("POST", "/sparql", "CLEAR ALL", UPDATE, 400, id="update_post_direct"),
        pytest.param("POST", "/sparql", "update=CLEAR%20ALL", FORM, 400, id="update_post_form"),
        pytest.param("POST", "/sparql", "CLEAR ALL", DIRECT, 400, id="update_as_query"),
        pytest.param("GET", "/sparql?query=ASK%7B%7D&default-graph-uri=urn:a", None, {}, 400),
        pytest.param("POST", "/sparql?named-graph-uri=urn:a", "ASK {}", DIRECT, 400),
        pytest.param("GET", "/sparql?query=", None, {}, 400, id="empty_query"),
        pytest.param("GET", "/sparql?x=1", None, {}, 400, id="no_query"),
        pytest.param("POST", "/sparql", "x=1", FORM, 400, id="no_query_form"),
        pytest.param("GET", "/sparql?" + "x&" * 200, None, {}, 400, id="many_parameters"),
        pytest.param("POST", "/sparql", "ASK {} #" + "x" * 2000, DIRECT, 413, id="large_body"),
        pytest.param("POST", "/sparql", "((((" * 400, DIRECT, 400, id="nested"),
    ],
)
def test_protocol(client, method, url, body, headers, status):
    response = client.request(method, url, content=body, headers=headers)
    assert response.status_code == status, response.text
    assert "Traceback" not in response.text
    if status == 200:
        assert response.json()["boolean"] is True
