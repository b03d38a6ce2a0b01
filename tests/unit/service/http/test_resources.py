import threading
from datetime import timedelta

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pantarhei.service.http import exchange
from served import START, UNAVAILABLE, Served
from service_tools import wait_until

ALL = {"name": "all", "query": "SELECT ?s { ?s :value ?v }"}


def served_in(folder):
    made = Served(folder)
    made.read("a", 31)
    made.read("b", 29.5)
    return made


@pytest.fixture
def served(tmp_path):
    return served_in(tmp_path)


@pytest.fixture(scope="module")
def unchanged(tmp_path_factory):
    """A `Served` for tests that do not change its state."""
    return served_in(tmp_path_factory.mktemp("site"))


# -- registered queries


def test_a_query_is_registered_read_and_removed(served):
    client = served.client()
    created = client.post("/queries", json=ALL)
    assert (created.status_code, created.headers["location"]) == (201, "/queries/all")
    assert created.json()["answers"] == 2 and "Match" in created.json()["plan"]
    assert created.json()["warnings"] == []
    misspelt = client.post("/queries", json={"name": "none", "query": "ASK { ?s :valeu ?v }"})
    assert misspelt.json()["warnings"] == ["Unknown property valeu; did you mean value?"]
    assert client.delete("/queries/none").status_code == 204
    served.read("c", 10)
    found = client.get("/queries/all").json()
    assert [row["s"][-1] for row in found["rows"]] == ["a", "b", "c"]
    assert found["columns"] == ["s"] and found["count"] == 3 and not found["configured"]
    assert client.get("/queries/all", headers={"Accept": "text/csv"}).text.split() == [
        "s",
        *(f"http://example.org/{name}" for name in "abc"),
    ]
    assert client.get("/queries").json().keys() == {"hot", "all"}
    assert client.delete("/queries/all").status_code == 204
    assert client.get("/queries/all").status_code == 404


@pytest.mark.parametrize(
    ("query", "media", "text"),
    [
        ("ASK { ?s a :Hot }", "application/sparql-results+json", '"boolean": true'),
        ("CONSTRUCT { ?s :is :there } WHERE { ?s :value ?v }", "text/turtle", ":a :is :there"),
        ("SELECT ?v { ?s :value ?v }", "text/tab-separated-values", "?v\n"),
    ],
)
def test_answers_of_each_form_come_as_sparql_results(served, query, media, text):
    client = served.client()
    assert client.post("/queries", json={"name": "q", "query": query}).status_code == 201
    assert text in client.get("/queries/q", headers={"Accept": media}).text


@pytest.mark.parametrize(
    ("body", "status", "text"),
    [
        ({"name": "q", "query": "SELECT ?s {\n ?s :value }"}, 400, "line 2, column 12"),
        (
            {"name": "q", "query": "SELECT ?s { GRAPH <urn:pantarhei:quality> { ?s ?p ?o } }"},
            400,
            "registered",
        ),
        ({"name": "hot", "query": "ASK {}"}, 409, "already"),
        ({"name": "conclusions", "query": "ASK {}"}, 400, "is reserved"),
        ({"name": "a b", "query": "ASK {}"}, 400, "is invalid"),
        ({"name": "a\n", "query": "ASK {}"}, 400, "is invalid"),
        ({"name": "x" * 101, "query": "ASK {}"}, 400, "is invalid"),
        ({"name": "q"}, 400, "the body must be"),
        ({"name": 1, "query": "ASK {}"}, 400, "the body must be"),
        ({**ALL, "more": 1}, 400, "the body must be"),
        (["q"], 400, "the body must be"),
        ("[" * 100_000, 400, "Invalid JSON"),
        ("{", 400, "Invalid JSON"),
        (b'{"name": "q", "query": "\xff"}', 400, "Invalid JSON"),
    ],
)
def test_an_unusable_registration_is_refused_and_not_journaled(unchanged, body, status, text):
    number = unchanged.driver.number
    given = {"content": body} if isinstance(body, str | bytes) else {"json": body}
    response = unchanged.client().post("/queries", **given)
    assert response.status_code == status and text in response.text
    assert unchanged.driver.number == number
    assert list(unchanged.driver.reasoner.queries) == ["hot"]


@pytest.mark.parametrize(
    "query", ["?a :value ?c . ?b :value ?d", "?a ?p ?c . ?b ?q ?d", "?a a ?c . ?b ?q ?d"]
)
@pytest.mark.parametrize("limit", ["bytes: 100000", "timeout: 1ms"])
def test_a_query_that_would_delay_alarms_is_answered_but_not_registered(tmp_path, query, limit):
    served = Served(tmp_path, f"{{query: {{{limit}}}}}")
    for sensor in range(30):
        served.read(f"s{sensor}", 31)
    client, number, text = served.client(), served.driver.number, f"SELECT * {{ {query} }}"
    refused = client.post("/queries", json={"name": "large", "query": text})
    assert refused.status_code == 400 and "would delay alarms" in refused.text
    assert served.driver.number == number and list(served.driver.reasoner.queries) == ["hot"]
    if "bytes" in limit:
        assert client.get("/sparql", params={"query": f"{text} LIMIT 1"}).status_code == 200
        assert client.post("/queries", json={"name": "small", "query": "ASK {}"}).status_code == 201


def test_a_query_of_the_configuration_cannot_be_removed(unchanged):
    response = unchanged.client().delete("/queries/hot")
    assert response.status_code == 409 and "configuration" in response.text


def test_an_unknown_query_is_answered_with_the_nearest_name(unchanged):
    response = unchanged.client().get("/queries/hott")
    assert response.status_code == 404 and "hot" in response.text


# -- explanations


def test_explanations_come_as_text_json_and_html(unchanged):
    client = unchanged.client()
    given = {"triple": ":a a :Hot"}
    assert "because a has value 31" in client.get("/explain", params=given).text
    accepting = {"Accept": "application/json"}
    assert client.get("/explain", params=given, headers=accepting).json()["text"] == "a is hot"
    page = client.get("/explain", params=given, headers={"Accept": "text/html"})
    assert page.text.startswith("<!DOCTYPE html>")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    full = "<http://example.org/b> a <http://example.org/Hot> ."
    assert "missing: b has value 30" in client.get("/why-not", params={"triple": full}).text
    rows = client.get("/quality", headers=accepting).json()["rows"]
    assert {row["kind"] for row in rows} == {"entity", "property"}


@pytest.mark.parametrize(
    "path",
    ["/explain?triple=:a+a+:Hot", "/why-not?triple=:b+a+:Hot", "/quality", "/conclusions/proof?row={}"],
)
def test_an_explanation_that_takes_too_long_is_refused_and_counts_until_it_ends(tmp_path, path, monkeypatch):
    monkeypatch.setattr(exchange, "_GRACE", 0.0)
    served = Served(tmp_path, "{query: {at_once: 1, timeout: 50ms}}")
    served.read("a", 31)
    go_on = threading.Event()
    for name in ("explain", "why_not", "quality", "atoms"):
        real = getattr(served.driver.reasoner, name)
        monkeypatch.setattr(
            served.driver.reasoner, name, lambda *given, real=real: go_on.wait(5) and real(*given)
        )
    with served.client() as client:
        late = client.get(path)
        assert late.status_code == 503 and late.headers["retry-after"] == "1"
        assert "0.05 s, the limit http.query.timeout" in late.text
        assert client.get(path).status_code == 429
        go_on.set()
        wait_until(lambda: client.get(path).status_code in (200, 404))


@pytest.mark.parametrize(
    ("path", "triple", "status", "text"),
    [
        ("/explain", ":b a :Hot", 404, "has no proof"),
        ("/why-not", ":a a :Hot", 404, "holds"),
        ("/explain", "", 400, "is missing"),
        ("/explain", ":a a", 400, "is not a triple"),
        ("/explain", "ex:a a ex:Hot", 400, "the prefixes are"),
        ("/explain", ":a :b 1, 2", 400, "has 2 triples"),
        ("/explain", "_:a a :Hot", 400, "blank node"),
        ("/explain", "(" * 3_000, 400, "expected a subject"),
        ("/explain", ":a a :Hot" * 1_000, 400, "more than 4,000 characters"),
    ],
)
def test_statements_that_cannot_be_explained_are_refused(unchanged, path, triple, status, text):
    response = unchanged.client().get(path, params={"triple": triple})
    assert response.status_code == status and text in response.text


# -- messages


def test_a_message_is_handed_to_its_source_with_its_id(served):
    client = served.client()
    response = client.post("/push/readings", content=b'{"v": "\xff"}', headers={"Message-Id": "m-1"})
    assert (response.status_code, response.json()) == (202, {"journaled": True})
    assert client.post("/push/readings", content=b"{}").status_code == 202
    text = b'{"v": "\xff"}'.decode("utf-8", "surrogateescape")
    assert served.pushed == [["web", "readings", text, "m-1"], ["web", "readings", "{}", ""]]


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/push/reading", {}, 404),
        ("/push/../readings", {}, 404),
        ("/push/", {}, 404),
        ("/push/readings", {"Message-Id": "x" * 201}, 400),
        ("/push/readings", {"Message-Id": "a b"}, 400),
    ],
)
def test_unknown_topics_and_invalid_ids_are_refused(unchanged, path, headers, status):
    assert unchanged.client().post(path, content=b"{}", headers=headers).status_code == status
    assert unchanged.pushed == []


def test_a_message_that_cannot_be_journaled_is_to_be_sent_again(served):
    served.fails = UNAVAILABLE
    response = served.client().post("/push/readings", content=b"{}")
    assert (response.status_code, response.headers["retry-after"]) == (503, "1")


def test_tokens_are_checked_for_each_route(tmp_path, monkeypatch):
    for name in ("READ", "PUSH", "ADMIN"):
        monkeypatch.setenv(name, name.lower())
    served = Served(tmp_path, '{tokens: {read: "${READ}", push: "${PUSH}", admin: "${ADMIN}"}}')
    paths = {route.path for route in served.app.routes}
    for path in paths - {"/", "/static", "/health", "/ready", "/openapi.json"}:
        url = path.replace("{name}", "hot").replace("{topic:path}", "readings")
        for method in ("GET", "POST", "DELETE"):
            response = served.client().request(method, url)
            assert response.status_code == 401, (method, url)
            assert response.headers["www-authenticate"].startswith("Bearer")
    reading = served.client(headers={"Authorization": "Bearer read"})
    assert reading.get("/queries").status_code == 200
    assert reading.post("/queries", json=ALL).status_code == 401
    assert reading.post("/push/readings", content=b"{}").status_code == 401


# -- state of the service


def sink(waiting=0, problem=""):
    return {
        "position": 1,
        "problem": problem,
        "changes": 0,
        "failures": 0,
        "waiting": waiting,
        "full": waiting >= 1_000,
    }


def source(connected=True):
    return {"connected": connected, "available": connected, "has_ended": False, "messages": 0, "problem": ""}


@pytest.mark.parametrize(
    ("status", "reason", "warning"),
    [
        ({}, "", ""),
        ({"blocked": "No space left on device"}, "No space left on device", ""),
        ({"behind": 31.0}, "the writer is 31 s behind the messages", ""),
        ({"sinks": {"store": sink(waiting=1_000)}}, "sink store is full", ""),
        ({"sinks": {"store": sink(problem="password=x")}}, "", "sink store repeats"),
        ({"sources": {"plant": source(False)}}, "", "source plant is not connected"),
        ({"at": (START + timedelta(minutes=1)).isoformat()}, "58 s behind", ""),
    ],
)
def test_readiness_has_its_reasons(served, status, reason, warning):
    served.status |= status
    response = served.client().get("/ready")
    found = response.json()
    assert response.status_code == (503 if reason else 200)
    assert found["ready"] is not bool(reason)
    assert reason in "".join(found["reasons"]) and warning in "".join(found["warnings"])
    assert "password" not in response.text


def test_a_reader_without_writer_or_with_an_old_state_is_not_ready(served):
    served.driver.is_current = False
    served.fails = UNAVAILABLE
    reasons = served.client().get("/ready").json()["reasons"]
    assert ["after the start" in reasons[0], "writer" in reasons[1]] == [True, True]
    assert served.client().get("/health").status_code == 200


def test_metrics_are_in_the_format_of_prometheus(served):
    client = served.client()
    client.get("/sparql", params={"query": "ASK {"})
    client.get("/" + "x" * 50)
    found = {
        (sample.name, *sorted(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(client.get("/metrics").text)
        for sample in family.samples
    }
    assert found["pantarhei_http_requests_total", "", "400", "sparql"] == 1
    assert found["pantarhei_http_requests_total", "", "404", "other"] == 1
    assert found["pantarhei_assertions",] == 2 and found["pantarhei_writer_up",] == 1


def test_the_metrics_of_a_reader_come_without_the_writer(served):
    served.fails = UNAVAILABLE
    text = served.client().get("/metrics").text
    assert "pantarhei_writer_up 0.0" in text and "behind_seconds" not in text


def test_the_description_lists_each_route(unchanged):
    described = unchanged.client().get("/openapi.json").json()
    routes = {route.path.replace(":path", "") for route in unchanged.app.routes}
    page = {"/", "/static", "/openapi.json", "/state", "/window", "/repairs", "/repairs/proof"}
    assert set(described["paths"]) == routes - page - {"/conclusions/proof"}
    assert described["paths"]["/push/{topic}"]["post"]["security"] == [{"push": []}]
    statuses = {path: set(described["paths"][path]["post"]["responses"]) for path in ("/queries", "/sparql")}
    assert statuses["/queries"] - statuses["/sparql"] == {"201", "202", "409"}
    schema = described["paths"]["/queries"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert schema["required"] == ["name", "query"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("GET", "/%00", 404),
        ("GET", "/static/../site.yaml", 404),
        ("GET", "/static/%2e%2e%2fsite.yaml", 404),
        ("PATCH", "/sparql", 405),
        ("GET", "/push/readings", 405),
        ("TRACE", "/health", 405),
    ],
)
def test_odd_paths_and_methods_are_refused(unchanged, method, path, status):
    assert unchanged.client().request(method, path).status_code == status


def test_an_internal_error_is_logged_and_not_shown(served, caplog):
    def fail(*given, **options):
        raise KeyError("secret")

    served.driver.reasoner.query = fail
    response = served.client().get("/sparql", params={"query": "ASK {}"})
    assert (response.status_code, "secret" in response.text, "secret" in caplog.text) == (500, False, True)
