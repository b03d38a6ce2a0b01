"""The registered queries that a stream is asked to keep up to date."""

import pytest

from pantarhei import Ontology, OptionError, QueryError, StreamReasoner, Window
from pantarhei.spark.registrations import Registration, registrations, take_up
from strategies import EX, A, B, member

ALL_A, ALL_B = (f"SELECT ?x {{ ?x a <{each}> }}" for each in (A, B))


@pytest.mark.parametrize(
    ("queries", "query", "said"),
    [
        ({"a": ALL_A}, ALL_A, "queries=given with query is not possible: expected one of them"),
        ([ALL_A], None, "a mapping of names to queries"),
        ({}, None, "a mapping of names to queries"),
        ({"a": 7}, None, r"queries\['a'\]=7 .* a text or a Registration"),
        ({7: ALL_A}, None, "names that folders can have"),
        ({"Hot": ALL_A, "hot": ALL_B}, None, "'Hot', 'hot' .* by more than capitals"),
        *(
            ({name: ALL_A}, None, "names that folders can have")
            for name in ("", "a/b", "..", "_a", "a=b", "a" * 101)
        ),
    ],
)
def test_what_cannot_be_registered_is_refused(queries, query, said):
    with pytest.raises(OptionError, match=said):
        registrations(queries, query)


def test_a_text_is_a_registration_with_nothing_else_said():
    given = {"a": ALL_A, "b-2.x_ü": Registration(ALL_B, emit="istream")}
    assert registrations(given, None) == {**given, "a": Registration(ALL_A)}
    assert registrations(None, ALL_A) == {}


def test_a_reasoner_comes_to_have_the_queries_that_are_asked_and_no_others():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(5))
    asked = registrations({"a": ALL_A, "b": ALL_B}, None)
    assert take_up(reasoner, asked) == {"a", "b"}
    reasoner.push(1, [member(A, EX.a), member(B, EX.b)])
    again = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    assert take_up(again, {"b": asked["b"], "c": Registration(ALL_A)}) == {"c"}
    assert set(again.queries) == {"b", "c"}
    update = again.push(2, [member(B, EX.c)])
    assert {name: set(update.answers[name].added) for name in "bc"} == {"b": {(EX.c,)}, "c": {(EX.a,)}}
    with pytest.raises(OptionError, match="as it was registered before"):
        take_up(again, {"b": asked["a"]})
    with pytest.raises(QueryError):
        take_up(again, {"d": Registration("SELECT ?x {")})
