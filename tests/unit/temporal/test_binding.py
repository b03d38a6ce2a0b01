"""What binds the variables of a rule, and in which order its tests are made."""

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.temporal_rule import builtin_text
from pantarhei.temporal.binding import with_tests_in_order

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX)}


@pytest.mark.parametrize(
    ("written", "ordered"),
    [
        ("K > 4, K = N + 1", "K = N + 1, K > 4"),
        ("K = M + 1, M = N + 1, K > 2", "M = N + 1, K = M + 1, K > 2"),
        ("N > 4, K = N + 1, K < 9", "N > 4, K = N + 1, K < 9"),
        ("N < K, N > 4, K = N + 1", "N > 4, K = N + 1, N < K"),
        ("N > 4", "N > 4"),
    ],
)
def test_each_test_stands_behind_the_computations_of_what_it_looks_at(written, ordered):
    (rule,) = pr.load_rules(f"a(X) :- level(X, N), {written}.", prefixes=PREFIXES).rules
    assert ", ".join(map(builtin_text, with_tests_in_order(rule).tests)) == ordered


@pytest.mark.parametrize("tests", ["K > 4, K = M + 1, M = N + 1", "M = N + 1, K = M + 1, K > 4"])
@pytest.mark.parametrize(("level", "holds"), [(2, False), (3, True)])
def test_the_order_in_which_tests_are_written_makes_no_difference(tests, level, holds):
    rules = pr.load_rules(f"a(X, K) :- level(X, N), not off(X), {tests}.", prefixes=PREFIXES)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0), temporal=rules)
    reasoner.push(0, [(EX.v, EX.level, Literal(level))])
    assert reasoner.conclusions() == ({(EX.v, EX.a, Literal(level + 2))} if holds else set())
