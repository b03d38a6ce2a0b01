"""Paths whose steps come and go: what is reached follows, in the form that N-Triples has first."""

import random

import pytest

from pantarhei.query.incremental.closures import ClosureOperator, GraphTermsOperator
from pantarhei.query.incremental.leaves import RecomputeLeaf
from registered_queries import RegisteredQueries

LINE = ":a :p :b . :b :p :c . :c :p :d ."
CASES = {
    ":a :p+ ?x": ["b", "c", "d"],
    ":a :p* ?x": ["a", "b", "c", "d"],
    ":a :p? ?x": ["a", "b"],
    "?x :p+ :d": ["a", "b", "c"],
    "?x :p* :d": ["a", "b", "c", "d"],
    ":a :p+ :d": [""],
    ":d :p* :d": [""],
    ":d :p+ :d": [],
    "?x :p+ ?y": ["a b", "a c", "a d", "b c", "b d", "c d"],
    "?x :p? ?y": ["a a", "a b", "b b", "b c", "c c", "c d", "d d"],
    "?x :p* ?x": ["a", "b", "c", "d"],
    "?x :p+ ?x": [],
    "?x (:p/:p)+ ?y": ["a c", "b d"],
    "?x (:p|^:p)+ :a": ["a", "b", "c", "d"],
    "?x (:p+)+ :c": ["a", "b"],
}


@pytest.mark.parametrize("pattern", CASES)
def test_a_path_follows_its_steps(pattern):
    followed = RegisteredQueries(pattern)
    empty = followed.push("")
    assert sorted(followed.push(LINE)[0]) == CASES[pattern]
    followed.push(":a :p :b . :c :p :d .")  # broken in the middle
    followed.push(LINE + " :d :p :b .")  # and in a circle
    assert followed.push("") == empty


def test_an_end_is_there_without_a_step_though_the_graph_does_not_have_it():
    followed = RegisteredQueries(":x :p* ?y", "?y :p? 01", ":x :p* :x", ":x :p* :y")
    assert followed.push("") == [{"x": 1}, {"01": 1}, {"": 1}, {}]
    assert followed.push(":x :p 1 .")[1] == {"x": 1, "01": 1}


def test_a_literal_is_reached_in_one_form():
    followed = RegisteredQueries(":a :p+ ?x", "?x :p? ?y", "?x ^:p+ ?y")
    assert followed.push(":a :p 1 . :b :p 01 .")[0] == {"1": 1}
    assert followed.push(":a :p 1, :b . :b :p 01 .")[0] == {"b": 1, "01": 1}
    assert followed.push(":a :p 1 .")[2] == {"1 a": 1}


def test_a_pair_stays_as_long_as_there_is_another_way():
    followed = RegisteredQueries(":a :p+ ?x")
    followed.push(":a :p :b, :c . :b :p :d . :c :p :d .")
    assert followed.push(":a :p :b . :b :p :d .") == [{"b": 1, "d": 1}]


def test_a_loop_that_nothing_leads_to_any_more_is_gone():
    followed = RegisteredQueries(":a :p+ ?x")
    assert followed.push(":a :p :b . :b :p :c . :c :p :b .") == [{"b": 1, "c": 1}]
    assert followed.push(":b :p :c . :c :p :b .") == [{}]


def test_only_what_may_stay_within_a_step_is_evaluated_anew():
    followed = RegisteredQueries("?x (:p*)+ ?y", "?x :p* ?y")
    kinds = [type(operator) for operator in followed.reasoner._registrar._registry.network]
    assert kinds.count(RecomputeLeaf) == kinds.count(ClosureOperator) == kinds.count(GraphTermsOperator) == 1


@pytest.mark.parametrize("seed", range(5))
def test_paths_over_random_graphs_are_those_of_a_query_asked_then(seed):
    rng = random.Random(seed)
    followed = RegisteredQueries(*CASES, "?x (:p/^:q)+ ?y", "?x ^:q* ?y", "?x (^:q|:p)? ?x")
    for _ in range(8):
        steps = (rng.choice((":a :p", ":b :p", ":c :p", ":d :q", ":a :q")) for _ in range(rng.randint(0, 5)))
        followed.push(
            " ".join(f"{step} {rng.choice((':a', ':b', ':c', ':d', '1', '01'))} ." for step in steps)
        )


def test_a_change_costs_what_is_reached_from_where_it_is():
    followed = RegisteredQueries("?x :p+ ?y")
    (closure,) = (
        each for each in followed.reasoner._registrar._registry.network if isinstance(each, ClosureOperator)
    )
    many = " ".join(f":n{number} :p :m{number} ." for number in range(100))
    followed.push(many)
    asked, inner = [], closure._reached
    closure._reached = lambda source, start: asked.append(source) or inner(source, start)
    followed.push(many + " :m7 :p :m8 .")
    assert len(set(asked)) == 2  # :m7 and :n7
