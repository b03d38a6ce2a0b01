"""Conclusions as their user sees them: translated at the first look, as triples where they are triples."""

import pickle

import pytest
from rdflib import RDF, XSD, BNode, Literal, Namespace

from pantarhei.language.temporal_rule import TemporalAtom
from pantarhei.temporal.conclusions import NOTHING_CONCLUDED, ConclusionChanges, Turn, concluded_triples

EX = Namespace("http://e/")
ALARM, NEAR = TemporalAtom(EX.alarm, (EX.v,)), TemporalAtom(EX.near, (EX.v, EX.w))


def test_atoms_of_one_and_two_arguments_are_triples():
    high = TemporalAtom(EX.level, (BNode("b"), Literal(3)))
    assert list(concluded_triples([ALARM, NEAR, high])) == [
        (EX.v, RDF.type, EX.alarm),
        (EX.v, EX.near, EX.w),
        (BNode("b"), EX.level, Literal(3)),
    ]


def test_what_no_triple_can_say_is_none():
    others = [
        TemporalAtom(EX.on),
        TemporalAtom(EX.odd, (Literal(3),)),
        TemporalAtom(EX.level, (Literal(3), EX.v)),
        TemporalAtom(EX.wide, (EX.v, EX.w, EX.x)),
    ]
    assert list(concluded_triples(others)) == []


# -- changes ---------------------------------------------------------------------------------------

#  at:       3       5       6           told as one step that comes to 6
#  ALARM     |=======|                   came and went
#  NEAR              |=======            came


def changes(*turns):
    return ConclusionChanges(lambda: tuple(Turn(at, frozenset(a), frozenset(r)) for at, a, r in turns))


ON_THE_WAY = changes((3, [ALARM], []), (5, [NEAR], [ALARM]), (6, [], []))


def test_what_came_and_is_gone_again_is_told_by_the_turns_alone():
    assert (ON_THE_WAY.atoms_added, ON_THE_WAY.atoms_removed) == ({NEAR}, frozenset())
    assert [(turn.at, len(turn.added), len(turn.removed)) for turn in ON_THE_WAY.turns] == [
        (3, 1, 0),
        (5, 1, 1),
    ]
    assert changes((3, [ALARM], []), (4, [], [ALARM]))


@pytest.mark.parametrize(
    ("signs", "net"), [("+", (1, 0)), ("-", (0, 1)), ("-+", (0, 0)), ("-+-", (0, 1)), ("+-+", (1, 0))]
)
def test_what_comes_and_goes_on_the_way_adds_up(signs, net):
    turns = [(at, [ALARM] * (sign == "+"), [ALARM] * (sign == "-")) for at, sign in enumerate(signs)]
    given = changes(*turns)
    assert (len(given.atoms_added), len(given.atoms_removed)) == net


def test_changes_are_triples_where_they_are_triples():
    given = changes((3, [ALARM, TemporalAtom(EX.on)], []), (4, [], [NEAR]))
    assert given.added == {(EX.v, RDF.type, EX.alarm)} and given.removed == {(EX.v, EX.near, EX.w)}
    assert repr(given) == "ConclusionChanges(+2 -1)"


def test_changes_are_translated_at_the_first_look_and_once():
    made = []
    given = ConclusionChanges(lambda: made.append(1) or (Turn(3, frozenset([ALARM]), frozenset()),))
    assert not made
    assert given.added and given.turns and given and len(made) == 1


def test_no_changes_are_false_and_equal():
    assert not NOTHING_CONCLUDED and NOTHING_CONCLUDED == changes() == changes((3, [], []))
    assert ON_THE_WAY != NOTHING_CONCLUDED and ON_THE_WAY != "changes"


def test_changes_pickle_with_literals_as_they_are_written():
    level = TemporalAtom(EX.level, (EX.v, Literal("007", datatype=XSD.integer, normalize=False)))
    given = changes((3, [level], [NEAR]))
    back = pickle.loads(pickle.dumps(given))
    assert back == given and hash(back) == hash(given)
    assert {str(value) for _, _, value in back.added} == {"007"}
