"""Questions: read and planned once, refused with a reason, answered within limits."""

from functools import partial
from threading import Thread

import pytest
from rdflib import OWL, RDF, XSD, Dataset, Graph, Literal, URIRef, Variable
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.algebra import translateQuery
from rdflib.plugins.sparql.parser import parseQuery
from rdflib.query import Result

import engine_answers
import oracle_answers
from engine_answers import read, rows
from interrupting import interrupted
from pantarhei import StreamReasoner, Window, load_ontology, load_rules
from pantarhei.errors import OptionError, QueryError, QueryMemoryError, QueryTimeoutError
from pantarhei.query import (
    ONTOLOGY_GRAPH,
    SCHEMA_GRAPH,
    QueryResult,
    planner,
    run_query,
    solutions,
    timestamp_graph,
)
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH
from pantarhei.query.planner import QueryPlanner
from pantarhei.query.sources.view import graph_view
from pantarhei.query.sources.window import WindowFacts
from strategies import EX

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
    asker, view = QueryPlanner(), graph_view(engine_answers.graph(DATA))
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
    assert len(asker._cache) < 500
    assert len(reads) == 1001
    asker.prepare("ASK { :a :b 0 }")
    assert len(reads) == 1002


def test_a_text_that_is_malformed_is_not_remembered():
    asker = QueryPlanner()
    for _ in range(2):
        with pytest.raises(QueryError):
            asker.prepare("ASK {")
    assert not asker._cache


# -- what is asked -----------------------------------------------------------------------------------------


def test_what_rdflib_prepared_is_answered_with_its_prefixes_and_base():
    prepared = prepareQuery("SELECT ?x { ?x e:v <1> }", initNs={"e": "urn:"}, base="http://e.org/")
    data = engine_answers.graph(":a :v <http://e.org/1> . :b :v 1 .")
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
        run_query(engine_answers.graph(DATA), "SELECT * { ?x ?y ?z }", **{option: value})
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
        (f"SELECT * {FROM} {{ ?s ?p ?o }}", "FROM .* names a graph that the dataset does not have"),
        (
            "SELECT * FROM NAMED <http://127.0.0.1:9/g> { GRAPH ?g { ?s ?p ?o } }",
            "names a graph that the dataset does not have",
        ),
        ("ASK FROM <file:///etc/passwd> { ?s ?p ?o }", "names a graph that the dataset does not have"),
        (f"DESCRIBE <urn:x> {FROM}", "names a graph that the dataset does not have"),
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
        engine_answers.ask(f"ASK {{ {pattern} }}")


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
    assert len(engine_answers.ask("SELECT * { ?x :v ?y }", DATA, bindings={"other": Literal(1)})) == 2


# -- limits ------------------------------------------------------------------------------------------------

MANY = " ".join(f":s{i} :p {i} ." for i in range(200))


def test_a_result_that_is_too_large_is_refused_before_it_is_made():
    with pytest.raises(QueryMemoryError) as raised:
        engine_answers.ask("SELECT * { ?a :p ?b . ?c :p ?d . ?e :p ?f }", MANY, max_bytes=1 << 20)
    error = raised.value
    assert error.max_bytes == 1 << 20 < error.needed
    assert error.rows == 200 * 200


def test_a_query_is_stopped_when_its_time_is_over(monkeypatch):
    looks = iter(range(100))
    monkeypatch.setattr(solutions, "monotonic", lambda: float(next(looks)))
    with pytest.raises(QueryTimeoutError) as raised:
        engine_answers.ask("SELECT * { ?a :p ?b OPTIONAL { ?a :p ?c } }", MANY, timeout=2)
    assert raised.value.timeout == 2
    assert "stopped after 2 seconds; raise the limit (timeout), or" in str(raised.value)


def test_without_limits_there_are_none():
    text = "SELECT * { ?a :p ?b . ?c :p ?d }"
    assert len(engine_answers.ask(text, MANY, max_bytes=None, timeout=None)) == 200**2
    assert len(engine_answers.ask(text, MANY, timeout=float("inf"))) == 200**2


# -- forms -------------------------------------------------------------------------------------------------


def test_each_form_has_its_result():
    assert engine_answers.ask("ASK { :a :v 1 }", DATA).askAnswer is True
    assert engine_answers.ask("ASK { :a :v 2 }", DATA).askAnswer is False
    assert len(engine_answers.ask("CONSTRUCT { ?x a :Y } WHERE { ?x :v ?y }", DATA).graph) == 2
    assert set(engine_answers.ask("DESCRIBE :a", DATA).graph) == set(
        oracle_answers.triples(":a :v 1 ; :knows :b .")
    )
    assert len(engine_answers.ask("DESCRIBE :nobody", DATA).graph) == 0
    assert rows("SELECT ?x { ?x (:knows|:v)+ 2 } ORDER BY ?x", DATA) == ["a", "b"]


def test_now_is_one_instant_of_a_query():
    (row,) = engine_answers.ask("SELECT (NOW() AS ?a) (NOW() AS ?b) { }")
    assert row.a == row.b and row.a.value.tzinfo is not None


def test_a_dataset_is_asked_by_its_names():
    data = Dataset()
    data.default_graph.add((URIRef("urn:s"), URIRef("urn:p"), Literal(1)))
    data.add((URIRef("urn:s"), URIRef("urn:p"), Literal(2), URIRef("urn:g")))
    assert [row.o.value for row in run_query(data, "SELECT ?o { ?s ?p ?o }")] == [1]
    found = run_query(data, "SELECT ?g ?o { GRAPH ?g { ?s ?p ?o } }")
    assert [(row.g, row.o.value) for row in found] == [(URIRef("urn:g"), 2)]
    assert [row.o.value for row in run_query(data, "SELECT ?o FROM <urn:g> { ?s ?p ?o }")] == [2]


ONTOLOGY = """
    @prefix : <http://example.org/> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix unit: <urn:unit:> .
    :Stopped rdfs:subClassOf :Idle . :Idle rdfs:subClassOf :State . :Running owl:disjointWith :Stopped .
    :State a owl:Class . :speed a owl:DatatypeProperty .
"""
BELT, ROLLER = EX.belt, EX.roller
STOPPED = (BELT, RDF.type, EX.Stopped)


@pytest.fixture
def reasoner():
    """The belt is stopped at 1, the roller at 2."""
    ontology = load_ontology(Graph().parse(data=ONTOLOGY, format="turtle"))
    made = StreamReasoner(ontology, Window(2))
    made.push(1, [STOPPED])
    made.push(2, [(ROLLER, RDF.type, EX.Stopped), (BELT, EX.speed, Literal(0))])
    return made


def found(result):
    return sorted(tuple(row) for row in result)


# -- states ------------------------------------------------------------------------------------------------


def test_a_view_is_made_once_for_each_state(reasoner, monkeypatch):
    made = []
    init = WindowFacts.__init__

    def counted(self, *arguments):
        made.append(1)
        init(self, *arguments)

    monkeypatch.setattr(WindowFacts, "__init__", counted)
    for _ in range(3):
        reasoner.query("SELECT * { ?s ?p ?o }")
        reasoner.graph.query("ASK { ?s a :Stopped }")
        reasoner.dataset.query("ASK { ?s a :Idle }")
    assert len(made) == 1
    reasoner.push(3, [])
    reasoner.query("ASK {}")
    assert len(made) == 2


def test_a_named_graph_is_computed_once_for_each_state_and_only_if_it_is_asked_for(reasoner, monkeypatch):
    asked = []
    interpretation = StreamReasoner.interpretation

    def counted(self, at):
        asked.append(at)
        return interpretation(self, at)

    monkeypatch.setattr(StreamReasoner, "interpretation", counted)
    for _ in range(2):
        reasoner.query("SELECT * { GRAPH <urn:pantarhei:at:1> { ?s ?p ?o . ?o ?q ?r } }")
        reasoner.query("SELECT * { ?s ?p ?o }")
    assert asked == [1]


def test_answers_are_of_the_state_that_was_asked_though_they_are_looked_at_later(reasoner):
    answers = reasoner.query("SELECT ?x ?c { ?x a ?c }")
    for at in range(3, 200):  # terms leave, and numbers are given anew
        reasoner.push(at, [(EX[f"x{at}"], EX.speed, Literal(at))])
    assert found(answers) == found((x, c) for x in (BELT, ROLLER) for c in (EX.Stopped, EX.Idle, EX.State))


def test_answers_of_a_block_that_is_undone_show_what_they_showed(reasoner):
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(3, [(EX.new, EX.speed, Literal("only here"))])
        within = reasoner.query("SELECT ?x ?v { ?x :speed ?v }")
        raise ZeroDivisionError
    reasoner.push(3, [(EX.other, EX.speed, Literal("something else"))])
    assert (EX.new, Literal("only here")) in found(within)
    assert (EX.new, Literal("only here")) not in found(reasoner.query("SELECT ?x ?v { ?x :speed ?v }"))


def test_a_block_is_asked_as_it_is_so_far(reasoner):
    with reasoner.all_or_nothing():
        reasoner.push(3, [(ROLLER, EX.speed, Literal(1))])
        assert found(reasoner.query("SELECT ?v { :roller :speed ?v }")) == [(Literal(1),)]
        reasoner.push(4, [(ROLLER, EX.speed, Literal(2))])
        assert len(reasoner.query("SELECT ?v { :roller :speed ?v }")) == 2


def test_a_query_between_two_pushes_costs_the_second_nothing_it_needs(reasoner):
    answers = []
    for at in range(3, 8):
        reasoner.push(at, [(BELT, EX.speed, Literal(at))])
        answers.append(found(reasoner.query("SELECT (MAX(?v) AS ?most) { ?x :speed ?v }")))
    assert answers == [[(Literal(at),)] for at in range(3, 8)]


# -- graph, dataset, named graphs --------------------------------------------------------------------------


def test_all_doors_answer_with_rdflibs_results(reasoner):
    for ask in (reasoner.query, reasoner.graph.query, reasoner.dataset.query):
        result = ask("SELECT ?x { ?x a :Idle } ORDER BY ?x")
        assert isinstance(result, Result) and isinstance(result, QueryResult)
        assert [row.x for row in result] == [BELT, ROLLER]
        assert result.bindings[0][Variable("x")] == BELT


def test_prefixes_and_values_are_given_as_rdflib_takes_them(reasoner):
    text = "SELECT ?v { ?x e:speed ?v }"
    for ask in (reasoner.query, reasoner.graph.query, reasoner.dataset.query):
        given = {"initNs": {"e": str(EX)}, "initBindings": {"x": BELT}}
        assert found(ask(text, **given)) == [(Literal(0),)]
        assert found(ask(text, **{**given, "initNs": {"e": EX}})) == [(Literal(0),)]
        assert found(ask(text, **{**given, "initBindings": {Variable("x"): ROLLER}})) == []


def test_the_prefixes_of_the_ontology_need_no_declaration(reasoner):
    reasoner.push(3, [(BELT, EX.p, URIRef("urn:unit:metre"))])
    for ask in (reasoner.query, reasoner.graph.query, reasoner.dataset.query):
        assert ask("ASK { ?x ?p unit:metre }").askAnswer


def test_results_and_graphs_are_written_with_the_prefixes_of_the_ontology(reasoner):
    made = reasoner.query("CONSTRUCT { ?x :is unit:still } WHERE { ?x a :Stopped }")
    for text in (made.serialize(format="turtle").decode(), made.graph.serialize(format="turtle")):
        assert ":belt :is unit:still" in text
    assert ":belt a :Idle" in reasoner.graph.serialize(format="turtle")
    assert ":belt a :Idle" in reasoner.query("DESCRIBE :belt").graph.serialize(format="turtle")


def test_a_prefix_that_the_query_declares_is_written_too(reasoner):
    made = reasoner.query("PREFIX own: <urn:own:> CONSTRUCT { ?x own:is own:still } { ?x a :Stopped }")
    assert ":belt own:is own:still" in made.graph.serialize(format="turtle")


def test_graph_needs_a_dataset(reasoner):
    for graph in (reasoner.graph, reasoner.dataset.graph(ONTOLOGY_GRAPH)):
        with pytest.raises(QueryError, match="GRAPH needs a dataset"):
            graph.query("ASK { GRAPH ?g { ?s ?p ?o } }")


def test_default_and_named_graphs_join(reasoner):
    answers = reasoner.query(
        "SELECT ?x ?g { ?x a :Idle . GRAPH <urn:pantarhei:ontology> { :Stopped rdfs:subClassOf ?c } "
        "GRAPH ?g { ?x a :Stopped } }"
    )
    assert found(answers) == [(BELT, timestamp_graph(1)), (ROLLER, timestamp_graph(2))]


def test_a_graph_that_is_not_there_is_empty(reasoner):
    for name in ("urn:pantarhei:at:9", "urn:pantarhei:at:x", "urn:other"):
        assert not reasoner.query(f"ASK {{ GRAPH <{name}> {{ ?s ?p ?o }} }}").askAnswer


def test_a_graph_of_the_dataset_is_asked_alone(reasoner):
    at_1 = reasoner.dataset.graph(timestamp_graph(1))
    assert found(at_1.query("SELECT ?x { ?x a :Stopped }")) == [(BELT,)]
    assert found(reasoner.dataset.default_graph.query("SELECT ?x { ?x a :Stopped }")) == [(BELT,), (ROLLER,)]
    ontology = reasoner.dataset.graph(ONTOLOGY_GRAPH)
    assert found(ontology.query("SELECT ?c { ?c rdfs:subClassOf :State }")) == [(EX.Idle,)]


def test_a_graph_that_has_left_the_window_is_empty(reasoner):
    at_1 = reasoner.dataset.graph(timestamp_graph(1))
    reasoner.push(9, [])
    assert len(at_1) == 0 and found(at_1.query("SELECT * { ?s ?p ?o }")) == []


# -- schema ------------------------------------------------------------------------------------------------

SUPERCLASSES = "SELECT ?c { :Stopped rdfs:subClassOf ?c }"


def test_the_schema_has_declarations_and_what_is_entailed_between_names(reasoner):
    schema = f"{{ GRAPH <{SCHEMA_GRAPH}> {{ "
    assert reasoner.query(f"ASK {schema} :Stopped rdfs:subClassOf :State }} }}").askAnswer
    assert reasoner.query(f"ASK {schema} :Running owl:disjointWith :Stopped }} }}").askAnswer
    kinds = reasoner.query(f"SELECT ?n ?k {schema} ?n a ?k }} }}")
    assert found(kinds) == [(EX.State, OWL.Class), (EX.speed, OWL.DatatypeProperty)]


def test_the_schema_is_joined_to_the_default_graph_where_that_is_asked_for(reasoner):
    assert found(reasoner.query(SUPERCLASSES)) == []
    assert {EX.Idle, EX.State} <= {row.c for row in reasoner.query(SUPERCLASSES, schema=True)}
    members = "SELECT DISTINCT ?x { ?c rdfs:subClassOf :State . ?x a ?c }"
    assert found(reasoner.query(members, schema=True)) == [(BELT,), (ROLLER,)]
    assert found(reasoner.query("SELECT ?v { :belt :speed ?v }", schema=True)) == [(Literal(0),)]
    with pytest.raises(OptionError, match="schema"):
        reasoner.query(SUPERCLASSES, schema="yes")


# -- FROM --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clauses", "pattern", "things"),
    [
        ("FROM <urn:pantarhei:at:1>", "?x a :Stopped", {BELT}),
        ("FROM <urn:pantarhei:at:1> FROM <urn:pantarhei:at:2>", "?x a :Stopped", {BELT, ROLLER}),
        ("FROM <urn:pantarhei:ontology>", "?x rdfs:subClassOf :State", {EX.Idle}),
        ("FROM NAMED <urn:pantarhei:at:2>", "?x a :Stopped", set()),
        ("FROM NAMED <urn:pantarhei:at:2>", "GRAPH ?g { ?x a :Stopped }", {ROLLER}),
        ("FROM NAMED <urn:pantarhei:at:2>", "GRAPH <urn:pantarhei:at:1> { ?x a :Stopped }", set()),
        ("FROM <urn:pantarhei:at:1>", "GRAPH ?g { ?x a :Stopped }", set()),
        (
            "FROM <urn:pantarhei:ontology> FROM NAMED <urn:pantarhei:at:1>",
            "?c rdfs:subClassOf ?d GRAPH ?g { ?x a ?c, ?d }",
            {BELT},
        ),
    ],
)
def test_from_and_from_named_choose_among_the_graphs(reasoner, clauses, pattern, things):
    for ask in (reasoner.query, reasoner.dataset.query):
        assert {row.x for row in ask(f"SELECT ?x {clauses} {{ {pattern} }}")} == things


def test_a_triple_of_two_merged_graphs_is_there_once(reasoner):
    reasoner.push(3, [STOPPED])
    clauses = "".join(f"FROM <{timestamp_graph(at)}> " for at in (1, 2, 3))
    assert len(reasoner.query(f"SELECT ?x {clauses} {{ ?x a :Stopped }}")) == 2


@pytest.mark.parametrize("clause", ["FROM", "FROM NAMED"])
def test_from_names_what_is_here_where_it_names_what_is_not(reasoner, clause):
    with pytest.raises(QueryError) as raised:
        reasoner.query(f"SELECT * {clause} <http://127.0.0.1:9/g> {{ ?s ?p ?o }}")
    for said in (
        "<http://127.0.0.1:9/g>",
        "graphs are not fetched",
        *map(str, (ONTOLOGY_GRAPH, timestamp_graph(1))),
    ):
        assert said in str(raised.value)


def test_the_reference_says_the_same_of_the_materialization(reasoner):
    text = "SELECT ?x ?c { ?x a ?c FILTER NOT EXISTS { ?x <http://example.org/speed> 0 } }"
    here = sorted(" ".join(map(oracle_answers.short, row)) for row in reasoner.query(text))
    assert here == oracle_answers.rows(text, reasoner.materialization())


# -- conclusions -------------------------------------------------------------------------------------------


def concluding(conclusions):
    """The belt, stopped at 1, is warned of at 2; that it is stopped is concluded as well."""
    rules = load_rules(
        "@prefix : <http://example.org/> .\n"
        ":warned(X) :- asserted :Stopped(X) in [1]. :speed(X, 0) :- :Idle(X)."
    )
    ontology = load_ontology(Graph().parse(data=ONTOLOGY, format="turtle"))
    made = StreamReasoner(ontology, Window(2), temporal=rules, conclusions=conclusions)
    made.push(1, [STOPPED, (BELT, EX.speed, Literal("00", datatype=XSD.integer, normalize=False))])
    made.push(2, [])
    return made


CONCLUDED = {(BELT, RDF.type, EX.warned), (BELT, EX.speed, Literal(0))}


@pytest.mark.parametrize("conclusions", ["graph", "default"])
def test_conclusions_are_a_graph_that_is_asked_by_its_name(conclusions):
    reasoner = concluding(conclusions)
    assert set(reasoner.query("SELECT * { GRAPH <urn:pantarhei:conclusions> { ?s ?p ?o } }")) == CONCLUDED
    assert set(reasoner.query("SELECT * FROM <urn:pantarhei:conclusions> { ?s ?p ?o }")) == CONCLUDED
    assert set(reasoner.dataset.graph(CONCLUSIONS_GRAPH)) == CONCLUDED
    assert reasoner.query(
        "ASK { GRAPH <urn:pantarhei:conclusions> { :belt a :warned FILTER NOT EXISTS { ?x a :Idle } } }"
    )
    assert not reasoner.query("ASK { GRAPH ?g { ?x a :warned } }").askAnswer


def test_joined_each_triple_is_there_once_as_the_window_shows_it():
    alone, joined = concluding("graph"), concluding("default")
    assert set(joined.graph) == set(alone.graph) | {(BELT, RDF.type, EX.warned)}
    assert len(joined.graph) == len(alone.graph) + 1
    assert joined.materialization() == alone.materialization()
    for reasoner, answer in ((joined, True), (alone, False)):
        assert reasoner.query("ASK { ?x a :Idle, :warned }").askAnswer is answer
        assert reasoner.graph.query("ASK { ?x a :warned }").askAnswer is answer
        assert ((BELT, RDF.type, EX.warned) in reasoner.dataset) is answer
    assert [str(speed) for (speed,) in joined.query("SELECT ?v { ?x :speed ?v }")] == ["00"]


def test_where_no_rules_are_there_is_no_graph_of_conclusions(reasoner):
    assert not reasoner.query("SELECT * { GRAPH <urn:pantarhei:conclusions> { ?s ?p ?o } }").rows
    with pytest.raises(QueryError, match="names a graph that the dataset does not have"):
        reasoner.query("SELECT * FROM <urn:pantarhei:conclusions> { ?s ?p ?o }")
