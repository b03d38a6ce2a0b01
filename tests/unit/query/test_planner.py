"""Questions: read and planned once, refused with a reason, answered within limits."""

from functools import partial
from threading import Thread

import pytest
from rdflib import Dataset, Graph, Literal, URIRef, Variable
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery

import asked
from answered import ask, graph, read, rows
from interrupting import interrupted
from pantarhei.errors import OptionError, QueryError, QueryMemoryError, QueryTimeoutError
from pantarhei.query import planner, query_limits, run_query
from pantarhei.query.planner import QueryPlanner
from pantarhei.query.sources.view import graph_view

DATA = ":a :v 1 . :b :v 2 . :a :knows :b ."
X = Variable("x")


@pytest.fixture
def reads(monkeypatch):
    """The texts that are read, in their order."""
    seen = []

    def counted(text, *arguments, **options):
        seen.append(text)
        return read(text)

    monkeypatch.setattr(planner, "read_query", counted)
    return seen


# -- once --------------------------------------------------------------------------------------------------


def test_a_text_is_read_and_planned_once(reads, monkeypatch):
    planned = []
    simplified = planner.optimize
    monkeypatch.setattr(planner, "optimize", lambda *given: planned.append(1) or simplified(*given))
    asker, view = QueryPlanner(), graph_view(graph(DATA))
    for _ in range(3):
        assert len(asker.answer(view, "SELECT * { ?x :v ?y }")) == 2
    assert (len(reads), len(planned)) == (1, 1)


def test_one_text_with_other_prefixes_or_another_base_is_another(reads):
    asker = QueryPlanner()
    one = asker.prepare("ASK {}", {"a": "urn:a:"})
    assert asker.prepare("ASK {}", {"a": "urn:a:"}) is one
    assert asker.prepare("ASK {}", {"a": "urn:b:"}) is not one
    assert asker.prepare("ASK {}", {"a": "urn:a:"}, "urn:base:") is not one
    assert asker.prepare("ASK {}") is not one
    assert len(reads) == 4


def test_threads_ask_on_where_one_was_interrupted_at_any_line(reads):
    asker, nth, going = QueryPlanner(), 0, True
    while going:
        nth += 1
        asked_again = partial(asker.prepare, f"ASK {{ :a{nth // 2} :b :c }}")  # each twice
        going = interrupted(asked_again, nth, lambda file: file == planner.__file__)
        other = Thread(target=asked_again, daemon=True)
        other.start()
        other.join(timeout=60)
        assert not other.is_alive(), nth
    before = len(reads)
    assert asker.prepare("ASK {}") is asker.prepare("ASK {}")
    assert len(reads) == before + 1


def test_of_many_texts_those_asked_last_are_remembered(reads):
    asker = QueryPlanner()
    often = "ASK { :a :b :c }"
    for number in range(1000):
        asker.prepare(often)
        asker.prepare(f"ASK {{ :a :b {number} }}")
    assert len(asker._known) < 500
    assert len(reads) == 1001
    asker.prepare("ASK { :a :b 0 }")
    assert len(reads) == 1002


def test_a_text_that_is_malformed_is_not_remembered():
    asker = QueryPlanner()
    for _ in range(2):
        with pytest.raises(QueryError):
            asker.prepare("ASK {")
    assert not asker._known


# -- what is asked -----------------------------------------------------------------------------------------


def test_what_rdflib_prepared_is_answered_with_its_prefixes_and_base():
    prepared = prepareQuery("SELECT ?x { ?x e:v <1> }", initNs={"e": "urn:"}, base="http://e.org/")
    data = graph(":a :v <http://e.org/1> . :b :v 1 .")
    assert [row.x for row in run_query(data, prepared)] == [URIRef("urn:a")]


def test_what_rdflib_only_translated_is_not_taken():
    with pytest.raises(OptionError, match="prepareQuery"):
        run_query(Graph(), translateQuery(parseQuery("ASK {}")))


@pytest.mark.parametrize("query", [b"ASK {}", 1, None, ["ASK {}"]])
def test_what_is_no_text_is_refused(query):
    with pytest.raises(OptionError, match="query="):
        run_query(Graph(), query)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timeout", "x"),
        ("timeout", 0),
        ("timeout", -1.5),
        ("timeout", float("nan")),
        ("max_bytes", "x"),
        ("max_bytes", 0),
        ("max_bytes", 1.5),
        ("bindings", "x"),
        ("bindings", [("x", Literal(1))]),
        ("bindings", {"x": "a text that is no term"}),
        ("bindings", {"x": None}),
        ("bindings", {"x": Variable("y")}),
        ("bindings", {"x y": Literal(1)}),
        ("bindings", {"#blank1": Literal(1)}),
        ("namespaces", "e"),
        ("namespaces", {"e": None}),
        ("namespaces", {1: "urn:e:"}),
    ],
)
def test_an_option_of_another_type_is_refused_by_name(option, value):
    name = {"bindings": "initBindings", "namespaces": "initNs"}.get(option, option)
    with pytest.raises(OptionError) as raised:
        run_query(graph(DATA), "SELECT * { ?x ?y ?z }", **{option: value})
    assert raised.value.option == name


SERVICE = "SERVICE <http://127.0.0.1:9/sparql> { ?s ?p ?o }"
FROM = "FROM <http://127.0.0.1:9/g>"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"SELECT * {{ {SERVICE} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o OPTIONAL {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o FILTER EXISTS {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"SELECT (EXISTS {{ {SERVICE} }} AS ?x) {{ }}", "SERVICE is refused"),
        (f"SELECT * {{ {{ SELECT * {{ {SERVICE} }} }} UNION {{ ?s ?p ?o }} }}", "SERVICE is refused"),
        (f"SELECT * {{ ?s ?p ?o MINUS {{ {SERVICE} }} }}", "SERVICE is refused"),
        (f"ASK {{ {SERVICE.replace('SERVICE', 'SERVICE SILENT')} }}", "SERVICE is refused"),
        (f"CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {SERVICE} }}", "SERVICE is refused"),
        (f"SELECT * {FROM} {{ ?s ?p ?o }}", "FROM .* there is no such graph"),
        ("SELECT * FROM NAMED <http://127.0.0.1:9/g> { GRAPH ?g { ?s ?p ?o } }", "there is no such graph"),
        ("ASK FROM <file:///etc/passwd> { ?s ?p ?o }", "there is no such graph"),
        (f"DESCRIBE <urn:x> {FROM}", "there is no such graph"),
        ("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "update"),
        ("LOAD <http://127.0.0.1:9/g>", "update"),
        ("DELETE WHERE { ?s ?p ?o }", "update"),
    ],
)
def test_what_would_leave_the_process_or_write_is_refused(monkeypatch, text, reason):
    def no_network(*args, **kwargs):
        raise AssertionError("the network was asked")

    monkeypatch.setattr("socket.socket", no_network)
    for here in (Graph(), Dataset()):
        with pytest.raises(QueryError, match=reason):
            run_query(here, text)


@pytest.mark.long
@pytest.mark.parametrize(
    "pattern",
    ["FILTER(1 = 1) " * 3000, "{}" + " UNION {}" * 3000, f"FILTER(1 IN ({'+'.join('1' * 3000)}))"],
    ids=["filters", "unions", "sums"],
)
def test_a_query_that_is_nested_too_deeply_to_be_planned_or_evaluated_is_refused(pattern):
    with pytest.raises(QueryError, match="nested too deeply"):
        ask(f"ASK {{ {pattern} }}")


# -- values for variables ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT ?y { ?x :v ?y }", ["1^integer"]),
        ("SELECT ?x ?y { ?x :v ?y }", ["a 1^integer"]),
        ("SELECT * { ?x :v ?y }", ["a 1^integer"]),
        ("SELECT ?z { ?z :v ?y OPTIONAL { ?z :knows ?w FILTER(?x = ?z) } FILTER(BOUND(?w)) }", ["a"]),
        ("SELECT ?y { ?z :v ?y FILTER(?z = ?x) }", ["1^integer"]),
        ("SELECT ?y { { SELECT ?y { ?x :v ?y } } }", ["1^integer"]),
        ("SELECT ?y { ?z :v ?y FILTER NOT EXISTS { ?x :v ?y } }", ["2^integer"]),
        ("SELECT ?y { { ?x :v ?y } UNION { ?x :knows ?y } } ORDER BY ?y", ["b", "1^integer"]),
        ("SELECT (COUNT(*) AS ?n) { ?x ?p ?y }", ["2^integer"]),
        ("SELECT ?y { ?z :v ?y MINUS { ?x :v ?y } }", ["2^integer"]),
        ("SELECT ?y { ?x :knows+ ?y }", ["b"]),
        ("SELECT ?x { }", ["a"]),
        ("SELECT (STR(?x) AS ?s) { }", ['"urn:a"']),
    ],
)
def test_a_given_value_stands_wherever_its_variable_does(text, expected):
    assert rows(text, DATA, bindings={"x": URIRef("urn:a")}) == expected
    assert rows(text, DATA, bindings={X: URIRef("urn:a")}) == expected
    assert rows(text, DATA, bindings={"?x": URIRef("urn:a")}) == expected


def test_a_given_value_is_compared_by_value_and_shown_as_it_is_given():
    one = Literal("01", datatype=Literal(1).datatype, normalize=False)
    assert rows("SELECT ?x ?y { ?x :v ?y }", DATA, bindings={"y": one}) == ["a 01^integer"]


def test_a_given_value_of_a_name_that_is_not_there_changes_nothing():
    assert len(ask("SELECT * { ?x :v ?y }", DATA, bindings={"other": Literal(1)})) == 2


# -- limits ------------------------------------------------------------------------------------------------

MANY = " ".join(f":s{i} :p {i} ." for i in range(200))


def test_a_result_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(QueryMemoryError) as raised:
        ask("SELECT * { ?a :p ?b . ?c :p ?d . ?e :p ?f }", MANY, max_bytes=1 << 20)
    error = raised.value
    assert error.max_bytes == 1 << 20 < error.needed
    assert error.rows == 200 * 200


def test_a_query_is_stopped_when_its_time_is_over(monkeypatch):
    looks = iter(range(100))
    monkeypatch.setattr(query_limits, "monotonic", lambda: float(next(looks)))
    with pytest.raises(QueryTimeoutError) as raised:
        ask("SELECT * { ?a :p ?b OPTIONAL { ?a :p ?c } }", MANY, timeout=2)
    assert raised.value.timeout == 2
    assert "timeout=2 seconds" in str(raised.value)


def test_without_limits_there_are_none():
    text = "SELECT * { ?a :p ?b . ?c :p ?d }"
    assert len(ask(text, MANY, max_bytes=None, timeout=None)) == 200**2
    assert len(ask(text, MANY, timeout=float("inf"))) == 200**2


# -- forms -------------------------------------------------------------------------------------------------


def test_each_form_has_its_result():
    assert ask("ASK { :a :v 1 }", DATA).askAnswer is True
    assert ask("ASK { :a :v 2 }", DATA).askAnswer is False
    assert len(ask("CONSTRUCT { ?x a :Y } WHERE { ?x :v ?y }", DATA).graph) == 2
    assert set(ask("DESCRIBE :a", DATA).graph) == set(asked.triples(":a :v 1 ; :knows :b ."))
    assert len(ask("DESCRIBE :nobody", DATA).graph) == 0
    assert rows("SELECT ?x { ?x (:knows|:v)+ 2 } ORDER BY ?x", DATA) == ["a", "b"]


def test_now_is_one_instant_of_a_query():
    (row,) = ask("SELECT (NOW() AS ?a) (NOW() AS ?b) { }")
    assert row.a == row.b and row.a.value.tzinfo is not None


def test_a_dataset_is_asked_by_its_names():
    data = Dataset()
    data.default_graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
    data.add((URIRef("urn:s"), URIRef("urn:p"), Literal(2), URIRef("urn:g")))
    assert [row.o.value for row in run_query(data, "SELECT ?o { ?s ?p ?o }")] == [1]
    found = run_query(data, "SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } }")
    assert [(row.g, row.o.value) for row in found] == [(URIRef("urn:g"), 2)]
    assert [row.o.value for row in run_query(data, "SELECT ?o FROM <urn:g> { ?s ?p ?o }")] == [2]
