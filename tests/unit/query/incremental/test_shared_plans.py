"""Queries that differ in names alone share one plan, whoever comes and goes."""

import pytest

from registered_queries import RegisteredQueries

COUNT = "SELECT (COUNT(?v) AS ?n) { ?x :in NAME ; :q ?v }"
VALUES = "SELECT DISTINCT ?v { ?x :in NAME ; :q ?v }"
IS_THERE = "ASK { ?x :in NAME ; :q ?v FILTER(?v > 1) }"
DATA = ":x1 :in :a ; :q 1 . :x2 :in :b ; :q 2 . :x3 :in :b ; :q 3 , 2 ."


def family(text, names):
    followed = RegisteredQueries()
    followed.queries = [followed.register(text.replace("NAME", name)) for name in names]
    return followed


def registry(followed):
    return followed.reasoner._registrar._registry


def rows_kept(followed):
    return sum(len(bag) for operator in registry(followed).network for bag in operator.bags)


@pytest.mark.parametrize("text", [COUNT, VALUES, IS_THERE])
def test_a_family_has_as_many_operators_as_one_query(text):
    one, many = family(text, [":a"]), family(text, [":a", ":b", ":c"])
    assert len(list(registry(one).network)) == len(list(registry(many).network))
    assert [f"?x urn:in urn:{name}" in many.queries[1].plan() for name in "abc"] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        (COUNT, [{"1": 1}, {"3": 1}, {"0": 1}]),
        (VALUES, [{"1": 1}, {"2": 1, "3": 1}, {}]),
        (IS_THERE, [{}, {"": 1}, {}]),
    ],
)
def test_each_has_the_rows_of_its_names(text, answers):
    followed = family(text, [":a", ":b", ":c"])
    assert followed.push(DATA) == answers
    assert followed.push(DATA) == answers
    assert followed.push("") == family(text, [":a"] * 3).push("")


@pytest.mark.parametrize("text", [COUNT, VALUES, IS_THERE])
def test_who_joins_later_has_what_is_there_and_who_comes_again_too(text):
    followed = family(text, [":a"])
    followed.push(DATA)
    late = followed.register(text.replace("NAME", ":b"))
    twin = followed.register(text.replace("NAME", ":b"))
    assert dict(late.answers) == dict(twin.answers) != {}
    late.close()
    twin.close()
    again = followed.register(text.replace("NAME", ":b"))
    assert dict(again.answers) == dict(late.answers)
    followed.queries.append(again)
    followed.push(":x1 :in :b ; :q 7 .")


@pytest.mark.parametrize("text", [COUNT, VALUES, IS_THERE])
@pytest.mark.parametrize("fails", [True, False])
def test_rows_of_who_leaves_are_kept_no_longer(text, fails):
    followed = family(text, [":a", ":b"])
    followed.push(DATA)
    only = family(text, [":a"])
    only.push(DATA)
    try:
        with followed.reasoner.all_or_nothing():
            followed.reasoner.push(1, [])
            followed.queries.pop().close()
            assert not fails
    except AssertionError:
        assert fails
    assert rows_kept(followed) == rows_kept(only)
    followed.push("")


def test_the_last_to_leave_takes_the_plan_along():
    followed = family(VALUES, [":a", ":b"])
    followed.push(DATA)
    for query in followed.queries:
        query.close()
    assert list(registry(followed).network) == []


def test_names_may_get_other_numbers():
    followed = family(VALUES, [":gone", ":a", ":b"])
    followed.push(DATA)
    followed.reasoner._held.most_entries = 0
    assert followed.push(DATA) == [{}, {"1": 1}, {"2": 1, "3": 1}]
    followed.register(VALUES.replace("NAME", ":gone"))
    assert followed.push(":x :in :gone ; :q 1 .")[0] == {"1": 1}
