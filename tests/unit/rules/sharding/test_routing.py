"""Shard keys of names, where hot values of the first key are divided by a second."""

import pickle

import pytest
from rdflib import RDF, BNode, Literal

from pantarhei import NotKeyLocalError, Ontology, OptionError
from pantarhei.model.rule import Rule
from pantarhei.rules.sharding.routing import Routing
from strategies import EX, A, B, C, R, S, a, b, c, is_a, related, x, y

IN, LINE, NEAR = EX.inBuilding, EX.onLine, EX.near
PLACES = [(a, IN, EX.h1), (b, IN, EX.h1), (c, IN, EX.h2), (a, LINE, EX.l1), (b, LINE, EX.l2), (a, NEAR, b)]
RULES = [
    Rule("r", (is_a(A, x), is_a(B, x)), is_a(C, x)),
    Rule("told", (related(R, x, y),), related(S, y, x)),
    Rule("known", (related(R, x, y),), is_a(EX.Known, y)),
]
ONTOLOGY = Ontology.from_rules(RULES, PLACES)
REPORT = ONTOLOGY.sharding_report([A, B, R], keys=["subject", IN, LINE], colocated=[R])
HOT = Routing.of(REPORT, IN, {EX.h1: LINE})


def keys(names, routing=HOT):
    return [routing.shard_key(name) for name in names]


def test_only_hot_values_are_divided():
    plain = Routing.of(REPORT, IN)
    assert keys([a, b, c, EX.h2], plain) == [EX.h1.n3(), EX.h1.n3(), EX.h2.n3(), EX.h2.n3()]
    assert keys([a, b, c]) == [f"{EX.h1.n3()} {EX.l1.n3()}", f"{EX.h1.n3()} {EX.l2.n3()}", EX.h2.n3()]
    assert keys([EX.unknown]) == [EX.unknown.n3()] and keys([BNode("b")]) == ["_:b"]
    assert [HOT.label(a), HOT.label(c)] == ["h1, l1", "h2"]
    assert (HOT.keys, plain.keys) == ((IN, LINE), (IN,))
    assert keys([a, b], pickle.loads(pickle.dumps(HOT))) == keys([a, b])


def test_a_name_that_is_the_hot_value_has_a_part_of_its_own():
    assert keys([EX.h1]) == [f"{EX.h1.n3()} {EX.h1.n3()}"]


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        ((a, RDF.type, C), (HOT.shard_key(a),)),
        ((c, RDF.type, C), (HOT.shard_key(c),)),
        ((a, IN, EX.h1), ()),
        ((a, RDF.type, EX.Known), (HOT.shard_key(a),)),  # the promise puts it with the name that knows it
        ((BNode("b"), RDF.type, A), None),
    ],
)
def test_the_shard_of_a_fact_is_that_of_both_keys(triple, expected):
    assert HOT.shard_keys_of(triple) == expected


def test_without_a_promise_some_facts_may_be_in_any_shard():
    report = ONTOLOGY.sharding_report([A, B, R], keys=[IN, LINE])
    routing = Routing.of(report, IN, {EX.h1: LINE})
    assert routing.shard_keys_of((c, RDF.type, EX.Known)) is None
    assert routing.shard_keys_of((b, S, a)) == (routing.shard_key(a),)
    assert routing.refusal(a, R, c) is None


def test_a_promise_holds_for_both_keys_of_a_hot_shard():
    assert HOT.refusal(a, R, a) is None and HOT.refusal(c, R, EX.h2) is None and HOT.refusal(a, A, c) is None
    assert HOT.refusal(a, R, c) == "R connects names with different inBuilding: a has h1, c has h2"
    assert HOT.refusal(a, R, b) == "R connects names with different onLine: a has l1, b has l2"
    assert Routing.of(REPORT, IN).refusal(a, R, b) is None
    unknown = "R connects names with different inBuilding: a has h1, unknown has none"
    assert HOT.refusal(a, R, EX.unknown) == unknown
    assert HOT.refusal(BNode("x"), R, BNode("x")) is None
    assert HOT.refusal(BNode("x"), R, a) and HOT.refusal(c, R, Literal(1))


def test_the_subject_as_key_has_no_promise():
    assert Routing.of(REPORT, "subject").refusal(a, R, c) is None


@pytest.mark.parametrize(
    ("key", "hot", "message"),
    [
        (IN, [EX.h1], "a mapping"),
        (IN, {EX.h3: LINE}, "values of inBuilding"),
        (IN, {"h1": LINE}, "values of inBuilding"),
        (IN, {EX.h1: IN}, "several subjects"),
        ("subject", {a: IN}, "several subjects"),
        (IN, {EX.h1: NEAR}, "one of the checked keys"),
    ],
)
def test_what_divides_no_shard_is_refused(key, hot, message):
    with pytest.raises(OptionError, match=message):
        Routing.of(REPORT, key, hot)


def test_the_second_key_must_be_usable_too():
    rules = [Rule("near", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), None)]
    report = Ontology.from_rules(rules, PLACES).sharding_report(keys=["subject", IN, LINE])
    assert Routing.of(report, IN)
    with pytest.raises(NotKeyLocalError, match="onLine"):
        Routing.of(report, IN, {EX.h1: LINE})
