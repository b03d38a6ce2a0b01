"""Absences as sentences."""

from dataclasses import replace

import pytest

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.explain.absence import Absence, Gone, UnknownName
from pantarhei.model.rule import Rule
from strategies import EX, A, C, R, is_a, member, related, x, y

OPEN = member(EX.Open, EX.door)


@pytest.mark.parametrize(
    ("absence", "said"),
    [
        (Absence(OPEN, 3), "No rule concludes it, and the stream asserts no such facts."),
        (Absence(OPEN, 3, asserted=True), "The stream asserts such facts, and has not asserted this one."),
        (Absence(OPEN, 3, (Gone(1, 3),), asserted=True), "It was asserted at 1 and left the window at 3."),
        (Absence(OPEN, 3, (Gone(1, None, 2),)), "asserted at 1 and taken out at 2, since newer facts"),
        (Absence(OPEN, 3, (Gone(1, 2, left_early=True),)), "before its time because of the memory limit"),
        (Absence(OPEN, 3, concluded=True), "Nothing that could be added would make it follow."),
        (Absence(OPEN, 3, concluded=True, complete=False), "Not everything was looked at: there may be one."),
    ],
)
def test_without_a_way_it_is_said_what_is_known(absence, said):
    first, *others = str(absence).split("\n")
    assert first == "It does not hold at 3 that door is an open."
    assert any(said in line for line in others)


def test_before_any_time_none_is_told():
    assert str(Absence(OPEN, None)).startswith("It does not hold that door")


def test_an_unknown_name_is_followed_by_what_may_be_meant():
    unknown = UnknownName(EX.Opne, "class", (EX.Open, EX.Opaque))
    text = str(Absence(member(EX.Opne, EX.door), 3, unknown=(unknown,)))
    assert "Nothing is known of the class" in text and "; did you mean " in text
    assert text.index("pen or ") < text.index("paque?")


@pytest.fixture
def absence():
    ontology = Ontology.from_rules([Rule("cls-svf1", (related(R, x, y), is_a(A, y)), is_a(C, x))])
    reasoner = StreamReasoner(ontology, Window(range=5))
    reasoner.push(1, [(EX.a, R, EX.b), (EX.a, R, EX.c), member(A, EX.d)])
    return reasoner.why_not(member(C, EX.a))


def test_ways_that_differ_in_names_are_told_once(absence):
    text = str(absence)
    assert len(absence.ways) == 3 and text.count("missing: ") == 2
    assert "(or the same of c)" in text and "It would hold with one of these:" in text


def test_where_more_may_be_found_that_is_said(absence):
    assert "further ways" not in str(absence)
    assert str(replace(absence, complete=False)).endswith("there may be further ways.")


def test_what_the_stream_does_not_assert_is_told_apart(absence):
    text = str(replace(absence, ways=(), beyond=absence.ways))
    assert "From what the stream asserts it cannot follow." in text
    assert "It would hold if it were given" in text
