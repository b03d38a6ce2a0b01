"""What queries are told when they are registered, and afterwards."""

import pytest
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from registered_queries import RegisteredQueries

EX = Namespace("http://example.org/")


def test_a_query_that_asks_the_time_is_told_it_from_the_beginning():
    followed = RegisteredQueries()
    followed.push(":a :p :b .")
    asking = followed.register("SELECT ?now { ?s :p ?o BIND(NOW() AS ?now) }")
    assert dict(asking.answers) == {(Literal(1),): 1}
    followed.push(":a :p :b .")
    assert dict(asking.answers) == {(Literal(2),): 1}


@pytest.mark.parametrize(
    "text",
    [
        "SELECT DISTINCT ?x ?b { ?x a ?c BIND(BNODE() AS ?b) }",
        "SELECT (COUNT(DISTINCT ?b) AS ?n) { ?x a ?c BIND(BNODE() AS ?b) }",
    ],
)
def test_what_is_drawn_is_drawn_for_each_solution_also_where_nobody_sees_how_they_differ(text):
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=9))
    query = reasoner.register(text)
    for at, class_ in enumerate("ABC"):
        reasoner.push(at, [(EX.a, RDF.type, EX[class_])])
    for rows in (query.answers, reasoner.query(text).rows):
        assert len(rows) == 3 or [row[0].toPython() for row in rows] == [3]


RULES = """@prefix : <http://example.org/> .
hot(X) :- asserted :p(X, Y) in [1].
"""
NAMED = "SELECT ?x { GRAPH <urn:pantarhei:conclusions> { ?x a <http://example.org/hot> } }"


def concluding(**options):
    rules = pr.load_rules(RULES, prefixes={"": str(EX)})
    return pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=9), temporal=rules, **options)


# at           1    2    3
# pushed       p             p stays in the window
# hot          |====|
@pytest.mark.parametrize("on", ["change", ("change", "non-empty"), "non-empty"])
@pytest.mark.parametrize(
    ("conclusions", "text"), [("graph", NAMED), ("default", "SELECT ?x { ?x a :hot ; :p ?y }")]
)
def test_a_conclusion_that_goes_is_told_though_the_window_holds_what_it_held(conclusions, text, on):
    reasoner = concluding(conclusions=conclusions)
    query = reasoner.register(f"PREFIX : <{EX}> {text}", on=on)
    told = []
    for at, facts in ((1, [(EX.a, EX.p, EX.b)]), (2, []), (3, [])):
        change = reasoner.push(at, facts).answers.get(query)
        told.append(None if change is None else (len(change.added), len(change.removed)))
    assert told == [(1, 0), None, (0, 1)] and not query.answers


def test_what_changes_sides_within_a_step_has_moved():
    reasoner = concluding()
    query = reasoner.register(NAMED, on=("change", "non-empty"))
    reasoner.push(1, [(EX.a, EX.p, EX.b)])
    update = reasoner.push(3, [(EX.a, RDF.type, EX.hot)])  # it is concluded as the stream says it
    assert query not in update.answers and set(query.answers) == {(EX.a,)}


def test_queries_of_conclusions_are_kept_up_row_by_row_and_counted():
    reasoner = concluding(conclusions="default")
    without = reasoner.stats().bytes
    named, joined = reasoner.register(NAMED), reasoner.register("SELECT * { ?x ?p ?y }")
    assert "re-evaluates" not in named.plan() + joined.plan()
    reasoner.push(1, [(EX.a, EX.p, EX.b)])
    assert (len(named.answers), len(joined.answers)) == (1, 2)
    assert reasoner.stats().bytes > without
    for query in (named, joined):
        query.close()
    registry = reasoner._registrar._registry
    assert list(registry._sources) == [registry._sources.whole]
