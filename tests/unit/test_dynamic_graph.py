"""A graph without time, as its users see it."""

import pickle
from threading import Thread

import pyarrow as pa
import pytest
from rdflib import RDF, RDFS, XSD, BNode, Graph, Literal

import pantarhei as pr
from strategies import EX, A

ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Open owl:disjointWith :Closed . :Valve rdfs:subClassOf :Device . :level rdfs:domain :Valve .
"""
VALVES = "PREFIX : <http://example.org/> SELECT ?valve { ?valve a :Device }"
OPEN, CLOSED = (EX.v1, RDF.type, EX.Open), (EX.v1, RDF.type, EX.Closed)


@pytest.fixture
def graph():
    return pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ONTOLOGY)))


def whole_number(text):
    return Literal(text, datatype=XSD.integer, normalize=False)


def test_what_follows_comes_and_goes_with_what_is_asserted(graph):
    one, two = (EX.v1, EX.level, whole_number("1")), (EX.v1, EX.level, whole_number("2"))
    derived = {(EX.v1, RDF.type, EX.Valve), (EX.v1, RDF.type, EX.Device)}
    assert graph.change(insert=[one]).delta.added == {one, *derived}
    assert graph.change(insert=[two], delete=[one]).delta.removed == {one}
    update = graph.change(delete=[two])
    assert (update.delta.removed, update.at) == ({two, *derived}, 3)
    assert graph.materialization() == set()


def test_deletions_come_before_insertions(graph):
    update = graph.change(insert=[OPEN], delete=[OPEN])
    assert (update.delta.added, update.not_asserted) == ({OPEN}, 1)
    update = graph.change(insert=[OPEN], delete=[OPEN])
    assert not update.delta.added | update.delta.removed
    assert (update.already_asserted, update.not_asserted) == (0, 0)
    assert graph.change(insert=[CLOSED], delete=[OPEN]).is_consistent, "one goes, the other comes"


def test_what_is_in_vain_is_said(graph):
    graph.change(insert=[OPEN])
    update = graph.change(insert=[OPEN], delete=[CLOSED, (EX.unknown, EX.unheard, EX.of)])
    assert (update.already_asserted, update.not_asserted) == (1, 2)
    assert str(update) == "change 2: +0 -0 facts, 1 asserted already, 2 to be deleted not asserted"


def test_literals_count_by_value_and_stay_as_they_were_written(graph):
    written, other = ((EX.v1, EX.level, whole_number(text)) for text in ("007", "7"))
    graph.change(insert=[written])
    assert graph.change(insert=[other]).already_asserted == 1
    assert [t[2].n3() for t in graph.assertions()] == [written[2].n3()]
    graph.change(delete=[other])
    assert not graph.assertions()


def test_blank_nodes_are_the_same_in_each_change(graph):
    node = BNode("b")
    table = {"subject": ["_:b"], "predicate": [RDF.type.n3()], "object": [EX.Valve.n3()]}
    graph.change(insert=[(node, RDF.type, EX.Valve)])
    update = graph.change(delete=pa.table(table))
    assert (update.not_asserted, len(graph)) == (0, 0)


def test_a_contradiction_refuses_the_whole_change(graph):
    graph.change(insert=[OPEN])
    with pytest.raises(pr.ContradictionError, match="v1 is closed and open, which are disjoint") as raised:
        graph.change(insert=[CLOSED, (EX.v2, RDF.type, EX.Open)])
    assert [conflict.triples for conflict in raised.value.conflicts] == [{OPEN, CLOSED}]
    assert (graph.assertions(), graph.materialization()) == ({OPEN}, {OPEN})
    again = pickle.loads(pickle.dumps(raised.value))
    assert (str(again), again.conflicts) == (str(raised.value), raised.value.conflicts)


def test_or_is_reported_for_as_long_as_it_lasts():
    graph = pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ONTOLOGY)), on_conflict="report")
    update = graph.change(insert=[OPEN, CLOSED])
    assert [conflict.triples for conflict in update.conflicts] == [{OPEN, CLOSED}]
    assert graph.conflicts() == tuple(update.conflicts) == graph.conflicts()
    assert str(update) == "change 1: +2 -0 facts, 1 conflict"
    assert len(graph.change(insert=[(EX.v2, RDF.type, EX.Open)]).conflicts) == 1
    update = graph.change(delete=[OPEN])
    assert (update.is_consistent, len(update.conflicts), graph.conflicts()) == (True, 0, ())


def test_registered_queries_are_told_once_a_change(graph):
    valves, told = graph.register(VALVES, "valves"), []
    valves.subscribe(told.append)
    update = graph.change(insert=[(EX.v1, RDF.type, EX.Valve)])
    assert update.answers[valves].added == {(EX.v1,): 1}
    assert "valves" in graph.queries
    assert not graph.change(insert=[OPEN]).answers
    with pytest.raises(pr.ContradictionError):
        graph.change(insert=[CLOSED, (EX.v2, RDF.type, EX.Valve)])
    assert [(change.at, change.added.total()) for change in told] == [(1, 1)]
    assert dict(valves.answers) == {(EX.v1,): 1}


@pytest.mark.parametrize(
    ("option", "given"), [("window", pr.Window(2)), ("on", "close"), ("on", 3), ("emit", "rstream")]
)
def test_a_query_has_no_window_of_its_own_and_reports_each_change(graph, option, given):
    with pytest.raises(
        pr.OptionError, match=f"A graph without time has no windows, .* Omit {option}="
    ) as raised:
        graph.register("ASK {}", **{option: given})
    assert raised.value.option == option and not graph.queries
    query = graph.register("ASK {}", "asked", window=None, on="change", emit="delta")
    assert dict(graph.queries) == {"asked": query}


def test_a_block_is_taken_in_as_a_whole(graph):
    valves = graph.register(VALVES)
    with graph.all_or_nothing():
        graph.change(insert=[(EX.v1, RDF.type, EX.Valve)])
        update = graph.change(insert=[(EX.v2, RDF.type, EX.Valve)], delete=[(EX.v1, RDF.type, EX.Valve)])
    assert update.answers[valves].added == {(EX.v2,): 1}
    with pytest.raises(ZeroDivisionError), graph.all_or_nothing():
        graph.change(delete=[(EX.v2, RDF.type, EX.Valve)])
        raise ZeroDivisionError
    assert (len(graph), dict(valves.answers)) == (1, {(EX.v2,): 1})


def test_it_can_be_asked_as_a_reasoner_can(graph):
    graph.change(insert=[(EX.v1, RDF.type, EX.Valve)])
    assert list(graph.query(VALVES)) == [(EX.v1,)]
    assert set(graph.graph) == graph.materialization()
    names = {str(each.identifier) for each in graph.dataset.graphs()}
    assert {"urn:pantarhei:ontology", "urn:pantarhei:schema"} < names
    assert (len(graph), len(graph.graph), bool(graph)) == (1, 2, True)
    with pytest.raises(pr.ReadOnlyError):
        graph.graph.add((EX.v1, RDF.type, A))


def test_a_change_may_ask_the_graph_itself(graph):
    graph.change(insert=[(EX.v1, RDF.type, EX.Valve)])
    graph._held.most_entries = -1
    graph.change(
        insert=((valve, EX.level, Literal(1)) for (valve,) in graph.query(VALVES)),
        delete=graph.graph.triples((None, RDF.type, EX.Valve)),
    )
    assert graph.assertions() == {(EX.v1, EX.level, Literal(1))}


def test_what_is_no_triple_leaves_all_as_it_was(graph):
    graph.change(insert=[OPEN])
    for change in ({"insert": [CLOSED, (1, 2, 3)]}, {"insert": [CLOSED], "delete": [OPEN, "no"]}):
        with pytest.raises(pr.InvalidTripleError):
            graph.change(**change)
    assert graph.materialization() == {OPEN}
    assert repr(graph) == "DynamicGraph(facts=1, after 1 change)"


def test_options_are_looked_at():
    ontology = pr.load_ontology(Graph())
    with pytest.raises(pr.OptionError, match="on_conflict"):
        pr.DynamicGraph(ontology, on_conflict="repair")
    with pytest.raises(pr.OptionError, match="ontology"):
        pr.DynamicGraph(Graph())
    with pytest.raises(pr.InconsistentOntologyError):
        pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ONTOLOGY)), [OPEN, CLOSED])


def test_names_are_equal_where_they_need_not_be_unique():
    ontology = pr.load_ontology(
        Graph().parse(data=ONTOLOGY + ":main a owl:FunctionalProperty , owl:ObjectProperty .")
    )
    graph = pr.DynamicGraph(ontology, unique_names=False)
    graph.change(insert=[(EX.a, EX.main, EX.v1), (EX.a, EX.main, EX.v2), (EX.v1, RDF.type, EX.Valve)])
    assert (EX.v2, RDF.type, EX.Device) in graph.graph
    graph.change(delete=[(EX.a, EX.main, EX.v1)])
    assert (EX.v2, RDF.type, EX.Device) not in graph.graph


def test_threads_take_turns(graph):
    def work(number):
        for turn in range(20):
            graph.change(insert=[(EX[f"v{number}"], EX.level, Literal(turn))])

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(graph), graph.stats().pushes) == (80, 80)


def test_what_is_needed_is_derived_and_the_rest_when_it_is_asked_for():
    graph = pr.DynamicGraph(pr.load_ontology(Graph().parse(data=ONTOLOGY)), derive="needed")
    query = graph.register(VALVES.replace(":Device", ":Valve"))
    update = graph.change(insert=[OPEN, (EX.v2, EX.level, Literal(1))])
    assert update.answers[query].added == {(EX.v2,): 1} and "facts not counted" in str(update)
    with pytest.raises(pr.DeltaNotKeptError):
        update.delta.added  # noqa: B018
    assert graph.work.firings == 1 and (EX.v2, RDF.type, EX.Device) in graph.graph
    with pytest.raises(pr.ContradictionError):
        graph.change(insert=[CLOSED])
    with pytest.raises(pr.OptionError, match="'all' or 'needed'"):
        pr.DynamicGraph(graph.ontology, derive="some")


def test_contradictions_are_told_with_the_labels_of_ontology_and_background():
    label = Literal("inlet valve", lang="en")
    ontology = pr.load_ontology(
        Graph().parse(data=ONTOLOGY + ':Closed rdfs:label "geschlossen"@de .'), language="de"
    )
    graph = pr.DynamicGraph(ontology, [(EX.v1, RDFS.label, label)], on_conflict="report")
    (conflict,) = graph.change(insert=[OPEN, CLOSED]).conflicts
    assert str(conflict) == "inlet valve is in class 'geschlossen' and open, which are disjoint"
    strict = pr.DynamicGraph(ontology, [(EX.v1, RDFS.label, label)])
    with pytest.raises(pr.ContradictionError, match=r"inlet valve is in class 'geschlossen' and open"):
        strict.change(insert=[OPEN, CLOSED])
