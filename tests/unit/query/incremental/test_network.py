"""Equal nodes have one operator, changes go up once, and what nobody uses is gone."""

import pytest
from rdflib import Literal, Variable

from engine_answers import read
from pantarhei import Window
from pantarhei.encoding.numbers import Symbol
from pantarhei.query.algebra.nodes import (
    BGP,
    Call,
    Distinct,
    Extend,
    Filter,
    Graph,
    Join,
    OrderBy,
    Project,
    TriplePattern,
    Union,
    Values,
    nodes_of,
)
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.leaves import RecomputeLeaf
from pantarhei.query.incremental.network import Network, is_recomputed
from pantarhei.query.incremental.operator import table_of
from pantarhei.query.incremental.query_sources import QuerySource
from registered_queries import RegisteredQueries
from signed_bags import Bench, term

X, Y = Variable("x"), Variable("y")
GIVEN = Values((X,), ((Literal(1),), (Literal(2),), (Literal(2),)))
WHOLE = QuerySource(Journal(), Window(0), None)
PATTERN, OTHER_PATTERN = (TriplePattern(X, term("p"), term("a")), TriplePattern(Y, term("q"), term("a")))
OTHERS = Values((X,), ((Literal(2),), (Literal(3),)))


def bench_and_network():
    bench = Bench()
    return bench, Network(bench.shared, lambda content, node: None)


def test_equal_nodes_share_an_operator():
    _, network = bench_and_network()
    one, other = network.use(Distinct(GIVEN), WHOLE), network.use(Project(Distinct(GIVEN), ()), WHOLE)
    assert other.inputs == (one,)
    assert network.use(Distinct(GIVEN), WHOLE) is one
    assert len(list(network)) == 3


def test_what_draws_is_shared_with_nobody():
    _, network = bench_and_network()
    drawn = Extend(GIVEN, Y, Call("RAND", ()))
    assert network.use(drawn, WHOLE) is not network.use(drawn, WHOLE)


def test_what_nobody_uses_is_dropped_with_all_that_only_it_used():
    _, network = bench_and_network()
    shared, _ = network.use(Distinct(GIVEN), WHOLE), network.use(Project(Distinct(GIVEN), ()), WHOLE)
    assert len(list(network)) == 3
    network.keep([shared])
    assert list(network) == [shared.inputs[0], shared]
    assert network.step({shared.inputs[0]: {(1,): 1}}, network.last_serial).keys() == {*shared.inputs, shared}
    network.keep([])
    assert list(network) == []
    assert network.use(Distinct(GIVEN), WHOLE) is not shared


def test_each_operator_begins_with_the_rows_that_it_has_then():
    bench, network = bench_and_network()
    union = network.use(Union(GIVEN, OTHERS), WHOLE)
    rows = network.initialise(0)
    assert bench.shown(rows[union]) == {"1": 1, "2": 3, "3": 1}


def test_a_step_goes_from_the_leaves_up_and_only_where_something_changes():
    bench, network = bench_and_network()
    distinct = network.use(Distinct(Union(GIVEN, OTHERS)), WHOLE)
    above = network.use(Filter(distinct.node, Call(">", (X, Literal(5)))), WHOLE)
    network.initialise(0)
    given = distinct.inputs[0].inputs[0]
    done = network.step({given: bench.bag({"3": 1, "4": 1})}, network.last_serial)
    assert bench.shown(done[distinct]) == {"4": 1}
    assert above not in done
    done = network.step({given: bench.bag({"4": -1})}, network._serials[distinct] - 1)
    assert distinct not in done  # it is not to be told


def test_what_is_evaluated_as_a_whole_is_looked_at_where_its_facts_have_changed():
    bench, symbol = Bench(), Symbol(term("p"), 2)
    network = Network(bench.shared, lambda content, node: table_of(rows, node.variables))
    node = Filter(BGP((PATTERN,)), Call(">", (Call("NOW", ()), X)))
    leaf, rows = network.use(node, WHOLE), [bench.row("a")]
    assert network.recompute_leaves == {WHOLE: [leaf]} and leaf.symbols is None
    (changed,) = network.recompute({}, network.last_serial).values()  # it looks at more than facts
    assert bench.shown(changed) == {"a": 1}
    leaf.symbols, rows = frozenset((symbol,)), [bench.row("b")]
    assert network.recompute({}, network.last_serial) == {}
    assert network.recompute({WHOLE: {symbol}}, network.last_serial - 1) == {}  # it is not to be told
    (changed,) = network.recompute({WHOLE: {symbol}}, network.last_serial).values()
    assert bench.shown(changed) == {"a": -1, "b": 1}


def test_a_join_with_itself_is_told_once():
    bench, network = bench_and_network()
    join = network.use(Join(GIVEN, GIVEN), WHOLE)
    network.initialise(0)
    done = network.step({join.inputs[0]: bench.bag({"2": 1})}, network.last_serial)
    assert bench.shown(done[join]) == {"2": 9 - 4}


def test_a_node_that_was_dropped_is_made_again_whatever_its_operator_is_of():
    _, network = bench_and_network()
    for node in (BGP(()), OrderBy(GIVEN, ()), BGP((PATTERN, OTHER_PATTERN))):
        dropped = network.use(node, WHOLE)
        network.keep([])
        assert network.use(node, WHOLE) is not dropped
        assert network.use(node, WHOLE) is network.use(node, WHOLE)


def test_a_projection_that_leaves_rows_as_they_are_has_no_operator_of_its_own():
    _, network = bench_and_network()
    assert network.use(Project(Distinct(GIVEN), (X,)), WHOLE) is network.use(Distinct(GIVEN), WHOLE)


def test_a_graph_that_is_a_content_is_followed_there():
    named, name = QuerySource(Journal(), Window(0), None), term("graph")
    network = Network(Bench().shared, lambda content, node: None, {name: named}.get)
    operator = network.use(Graph(Distinct(GIVEN), name), WHOLE)
    assert network.use(Distinct(GIVEN), named) is operator
    assert isinstance(network.use(Graph(Distinct(GIVEN), term("other")), WHOLE), RecomputeLeaf)


@pytest.mark.parametrize(
    ("query", "is_any"),
    [
        ("SELECT * { ?s ?p ?o . OPTIONAL { ?s :p ?v FILTER(?v > 1) } MINUS { ?s a :A } }", False),
        ("SELECT (AVG(?v) AS ?a) { ?s :p+ ?v . ?s !:q ?t FILTER EXISTS { ?s a ?c } } GROUP BY ?s", False),
        ("SELECT DISTINCT ?s { ?s :p* ?o BIND(RAND() AS ?r) } ORDER BY ?s LIMIT 5", False),
        ("SELECT * { GRAPH ?g { ?s ?p ?o } }", True),
        ("SELECT * { ?s :p ?v FILTER(?v < NOW()) }", True),
        ("SELECT (MAX(NOW()) AS ?m) { ?s :p ?v }", True),
        ("SELECT * { ?s :p ?v FILTER(RAND() < 0.5) }", True),
        ("SELECT * { ?s (:p*)* ?v }", True),
        ("SELECT * { ?s a :A OPTIONAL { ?s :p ?v FILTER EXISTS { ?v a :A } } }", True),
        ("SELECT * { ?s :p ?v FILTER EXISTS { { ?s a ?c FILTER(?v > 1) } UNION { ?s a :A } } }", True),
        ("SELECT DISTINCT ?s { ?s :p ?v } ORDER BY ?v LIMIT 5", True),
    ],
)
def test_a_query_has_parts_that_are_evaluated_anew_or_not(query, is_any):
    assert any(map(is_recomputed, nodes_of(read(query).node))) is is_any


@pytest.mark.parametrize(
    ("query", "operators"),
    [
        ("SELECT * { ?s :p ?v FILTER(?v > 1) }", ["FilteredPatternLeaf"]),
        (
            "SELECT ?s { ?s :p ?v ; a :A FILTER(?v > 1 || ?v < 0) }",
            ["ProjectOperator", "FilteredPatternLeaf"],
        ),
        ("SELECT * { ?s :p ?v ; :q ?w FILTER(?v > ?w) }", ["FilterOperator", "PatternLeaf"]),
        ("SELECT * { ?s ?p ?v FILTER(?v > 1) }", ["FilterOperator", "FactLeaf"]),
    ],
)
def test_a_condition_on_one_variable_is_looked_at_by_what_matches_the_pattern(query, operators):
    followed = RegisteredQueries()
    followed.push(":a :p 2 ; a :A ; :q 1 . :b :p 1 ; a :A ; :q 3 . :c :p :d .")
    followed.queries.append(followed.register(query))
    (registered,) = followed.reasoner._registrar._registry.queries.values()
    found, operator = [], registered.root
    while operator is not None:
        found.append(type(operator).__name__)
        operator = next(iter(operator.inputs), None)
    assert found == operators
    followed.push(":c :p 2.0 ; a :A ; :q 1 . :b :p 9 .")


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("SELECT ?s (AVG(?v) AS ?a) { ?s :p ?v } GROUP BY ?s", "Group by ?s; AVG(?v) as ?a"),
        ("SELECT (MAX(?v) AS ?m) (?s AS ?t) ?s { ?s :p ?v } GROUP BY ?s", "Project ?m ?t ?s"),
        ("SELECT (MAX(?v) AS ?m) ?s { ?s :p ?v } GROUP BY ?s", "Group by ?s; MAX(?v) as ?m"),
        ("SELECT (MAX(?v) AS ?m) { ?s :p ?v } GROUP BY ?s", "Project ?m"),
        ("SELECT (MAX(?v) AS ?m) { ?s :p ?v ; :in :hall }", "Group all rows; MAX(?v) as ?m"),
    ],
)
def test_a_group_says_its_rows_as_they_are_selected_where_each_stays_one(query, first):
    followed = RegisteredQueries()
    followed.push(":a :p 1 ; :in :hall . :b :p 1 ; :in :hall .")
    assert followed.register(query).plan().startswith(f"{first}  (")
