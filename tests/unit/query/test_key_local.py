"""Which queries shards answer as one window does."""

import pytest
from rdflib import OWL, Literal

from pantarhei import Ontology
from pantarhei.errors import NotKeyLocalQueryError, OptionError
from pantarhei.model.rule import Rule
from pantarhei.query.continuous_query import PLAIN, ReportPolicy
from pantarhei.query.key_local import check_key_local
from pantarhei.query.syntax import read_query
from strategies import EX, A, B, C, R, S, a, b, c, is_a, member, related, x, y

IN, NEAR, NAME = EX.inBuilding, EX.near, EX.name
RULES = [
    Rule("told", (related(R, x, y),), related(S, y, x)),
    Rule("somewhere", (related(R, x, y), related(EX.lost, x, y)), is_a(B, y)),
    Rule("cooled", (is_a(A, x),), is_a(C, x)),
]
BACKGROUND = [
    *((room, IN, house) for room, house in ((a, EX.h1), (b, EX.h1), (c, EX.h2))),
    *((house, NAME, Literal(text)) for house, text in ((EX.h1, "north"), (EX.h2, "south"))),
    (a, NEAR, b),
    (EX.h1, EX.across, c),
    member(C, a),
]
ONTOLOGY = Ontology.from_rules(RULES, BACKGROUND)
REPORT = ONTOLOGY.sharding_report(keys=["subject", IN])


def check(text, key="subject", report=REPORT, policy=PLAIN, name=None):
    check_key_local(read_query(text, {"": str(EX), "owl": str(OWL)}), report, key, policy, name)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT ?x { ?x a :A }",
        "SELECT ?v { :a :R ?v }",
        "SELECT * { ?x a :A ; :R ?v ; :unknown ?w }",
        "SELECT * { ?x a :A . ?x :inBuilding ?h . ?h :name ?n . ?other :inBuilding ?h }",
        "SELECT * { ?x a :A OPTIONAL { ?x :R ?v } MINUS { ?x a :D } FILTER NOT EXISTS { ?x :unknown ?w } }",
        "SELECT * { ?x a :A OPTIONAL { ?x :inBuilding/:name ?n } FILTER EXISTS { ?h :name ?n } }",
        "SELECT * { ?x a :A OPTIONAL { ?x :R ?v FILTER EXISTS { ?x :unknown ?v } } }",
        "SELECT * { ?x a :A, :C }",  # C is in the background too, but at x
        "SELECT * { { ?x a :A } UNION { ?y :R ?x } }",
        "SELECT DISTINCT ?x { ?x a :A }",
        "SELECT DISTINCT ?v { :a :R ?v }",
        "SELECT ?x (AVG(?v) AS ?mean) { ?x :R ?v } GROUP BY ?x HAVING (?mean > 3)",
        "SELECT ?x ?n { ?x a :A { SELECT ?x (COUNT(*) AS ?n) { ?x :R ?v } GROUP BY ?x } }",
        "SELECT ?x { ?x a :A . ?x :near+ ?y }",
        "SELECT ?x { ?x a :A . ?x :near* :b }",
        "SELECT ?x { VALUES ?x { :a :b } ?x a :A BIND(STR(?x) AS ?text) FILTER(?text != '') }",
        "SELECT * { ?x a :A { ?x :R ?v } UNION { ?x :near ?v } }",
    ],
)
def test_what_is_of_one_subject_is_local(text):
    check(text)


@pytest.mark.parametrize(
    ("text", "obstacle"),
    [
        ("SELECT * { ?x a :A . ?y a :A }", r"\?y type A may be in another shard"),
        ("SELECT * { ?x :R ?y . ?y :R ?z }", "may be in another shard"),
        ("SELECT * { ?x a :B }", r"\?x type B may be in any shard"),
        ("SELECT * { ?x :S ?y }", "may be in any shard"),  # S is asserted, too
        ("SELECT * { ?x a :A ; ?p ?y }", "may be in any shard"),
        ("SELECT * { ?x a :C }", "some answers need no fact of the stream"),
        ("SELECT * { ?x :near ?y }", "some answers need no fact of the stream"),
        ("SELECT * { }", "some answers need no fact of the stream"),
        ("SELECT * { { ?x a :A } UNION { ?x :near ?y } }", "some answers need no fact of the stream"),
        ("SELECT * { ?x :near ?y OPTIONAL { ?x :R ?v } }", "some answers need no fact of the stream"),
        ("SELECT * { ?x a :A OPTIONAL { ?y :R ?v } }", "OPTIONAL matches rows of different shards"),
        ("SELECT * { ?x a :A MINUS { ?y a :D } }", "MINUS matches rows"),
        ("SELECT * { ?x :R ?y FILTER EXISTS { ?y a :D } }", "EXISTS matches rows"),
        ("SELECT * { ?x :R ?y OPTIONAL { ?x a :D FILTER EXISTS { ?y a :D } } }", "EXISTS matches rows"),
        ("SELECT * { ?x :R ?y { SELECT ?y { ?z :R ?y } } }", "a join matches rows"),
        ("SELECT * { ?x a :A { { ?x :R ?y } UNION { ?y a :A } } }", "a join matches rows"),
        ("SELECT DISTINCT ?v { ?x :R ?v }", "DISTINCT compares"),
        ("SELECT ?v (COUNT(*) AS ?n) { ?x :R ?v } GROUP BY ?v", "group by the subject"),
        ("SELECT (COUNT(*) AS ?n) { ?x :R ?v }", "a group has rows of several shards"),
        ("SELECT ?x { ?x :R ?v } ORDER BY ?v", "ORDER BY, LIMIT and OFFSET"),
        ("SELECT ?x { ?x :R ?v } LIMIT 3", "ORDER BY, LIMIT and OFFSET"),
        ("SELECT ?x { ?x a :A { SELECT ?y { ?y :name ?n } LIMIT 1 } }", "ORDER BY, LIMIT and OFFSET"),
        ("SELECT ?x { ?x :R+ ?y }", "a path of any length"),
        ("SELECT ?x { ?x a :A . ?x :near* ?y }", "use +"),
        ("SELECT ?x { ?x !:R ?y }", "may be in any shard"),
        ("SELECT ?x { GRAPH ?g { ?x a :A } }", "GRAPH reads named graphs"),
        ("SELECT ?x FROM <urn:pantarhei:schema> { ?x a :A }", "FROM reads named graphs"),
        ("SELECT ?x { ?x a :A FILTER(NOW() > ?v) }", "NOW, RAND"),
        ("SELECT ?x (RAND() + 1 AS ?n) { ?x a :A }", "NOW, RAND"),
        ("SELECT ?x (MAX(?v + RAND()) AS ?n) { ?x :R ?v } GROUP BY ?x", "NOW, RAND"),
        ("ASK { ?x a :A }", "use SELECT, whose answers are rows"),
        ("CONSTRUCT { ?x a :D } { ?x a :A }", "use SELECT, whose answers are rows"),
    ],
)
def test_what_may_be_of_two_shards_is_refused(text, obstacle):
    with pytest.raises(NotKeyLocalQueryError, match=obstacle) as refused:
        check(text)
    assert refused.value.key == "subject"


def test_names_of_one_building_share_its_key():
    check("SELECT * { ?x a :A . ?x :inBuilding ?h . ?y :inBuilding ?h . ?y a :D }", IN)
    check("SELECT ?h (AVG(?v) AS ?mean) { ?x :R ?v ; :inBuilding ?h } GROUP BY ?h", IN)
    check("SELECT DISTINCT ?h { ?x :near ?y . ?y a :A ; :inBuilding ?h OPTIONAL { ?x :R ?v } }", IN)
    check("SELECT * { :a :R ?v . :b :R ?w }", IN)
    for text in (
        "SELECT * { ?x a :A . ?h :across ?x . ?h :R ?y }",
        "SELECT * { :a :R ?v . :c :R ?w }",
        "SELECT ?n (AVG(?v) AS ?mean) { ?x :R ?v ; :inBuilding/:name ?n } GROUP BY ?n",
    ):
        with pytest.raises(NotKeyLocalQueryError):
            check(text, IN)


def test_what_is_declared_to_stream_and_what_is_not_is_told_apart():
    report = ONTOLOGY.sharding_report([A, R], keys=["subject"])
    check("SELECT * { ?v :S ?x . ?x a :A }", report=report)  # S(v, x) is in x's shard, as R(x, v) is
    report = ONTOLOGY.sharding_report([A], keys=["subject"])
    check("SELECT * { ?x a :A . ?x ?p ?y }", report=report)
    check("SELECT * { ?x a :A OPTIONAL { ?y :R ?z } }", report=report)
    with pytest.raises(NotKeyLocalQueryError, match="some answers need no fact of the stream"):
        check("SELECT * { ?x :R ?y }", report=report)


def test_any_class_is_local_where_no_rule_concludes_one_of_another_name():
    report = Ontology.from_rules(RULES[2:]).sharding_report()
    check("SELECT ?x ?kind { ?x a :A, ?kind }", report=report)
    check("SELECT ?x ?kind { ?x a ?kind }", report=report)
    report = Ontology.from_rules(RULES[2:], [member(A, a)]).sharding_report()
    with pytest.raises(NotKeyLocalQueryError, match="some answers need no fact of the stream"):
        check("SELECT ?x ?kind { ?x a ?kind }", report=report)


@pytest.mark.parametrize("emit", ["delta", "istream", "dstream", "rstream"])
@pytest.mark.parametrize(
    ("on", "local"),
    [
        ("close", "all"),
        (("close", 10), "all"),
        (("close", "change"), "changes"),
        (("close", "non-empty"), "rstream"),
        ("change", "delta"),
        (("change", "non-empty"), "none"),
        (("change", 10), "none"),
        ("non-empty", "none"),
        (10, "none"),
    ],
)
def test_shards_report_at_times_that_all_of_them_know(on, emit, local):
    of_kind = {"all": True, "none": False, "changes": emit != "rstream"}
    policy = ReportPolicy.of(on, emit)
    if of_kind.get(local, emit == local):
        check("SELECT ?x { ?x a :A }", policy=policy)
    else:
        with pytest.raises(OptionError, match=f"queries\\['asked'\\]=.*{emit}.* with shard_by"):
            check("SELECT ?x { ?x a :A }", policy=policy, name="asked")


def test_who_hears_only_what_came_or_went_hears_it_of_rows_of_one_shard():
    for emit in ("istream", "dstream"):
        policy = ReportPolicy.of("close", emit)
        check("SELECT ?x ?v { ?x :R ?v }", policy=policy)
        check("SELECT ?v { :a :R ?v }", policy=policy)
        check("SELECT ?h { ?x a :A ; :inBuilding ?h }", IN, policy=policy)
        with pytest.raises(
            NotKeyLocalQueryError, match=r"'asked' cannot be answered with shards by .*select the subject too"
        ):
            check("SELECT ?v { ?x :R ?v }", policy=policy, name="asked")
    check("SELECT ?v { ?x :R ?v }", policy=ReportPolicy.of("close", "rstream"))
