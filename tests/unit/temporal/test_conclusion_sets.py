"""Conclusions as their user sees them: translated at the first look, as triples where they are triples."""

import pickle
import random
import tracemalloc

import pytest
from rdflib import RDF, XSD, BNode, Literal, Namespace

from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.temporal.conclusion_sets import (
    NOTHING_CONCLUDED,
    ConclusionChanges,
    ConclusionSet,
    TickConclusions,
    concluded_triples,
)

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
    return ConclusionChanges(
        lambda: tuple(TickConclusions(at, frozenset(a), frozenset(r)) for at, a, r in turns)
    )


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
    given = ConclusionChanges(
        lambda: made.append(1) or (TickConclusions(3, frozenset([ALARM]), frozenset()),)
    )
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


# -- the set of one state --------------------------------------------------------------------------


def triples(*names):
    return {(EX[name], EX.p, EX.o) for name in names}


@pytest.mark.parametrize("seed", range(20))
def test_each_state_stays_what_it_was_in_whatever_order_states_are_looked_at(seed):
    rnd, held = random.Random(seed), triples("a", "b")
    states = [(ConclusionSet(held), frozenset(held))]
    for _ in range(12):
        before, expected = states[-1]
        added, removed = (triples(*rnd.sample("abcdef", rnd.randint(0, 3))) for _ in range(2))
        expected = frozenset((expected - (removed - added)) | (added - removed))
        states.append((before.next_state(added - removed, removed - added), expected))
        for state, wanted in rnd.sample(states, min(3, len(states))):
            assert state == wanted and len(state) == len(wanted) and hash(state) == hash(wanted)
            assert all((each in state) is (each in wanted) for each in triples(*"abcdefg"))
    for state, wanted in states:
        assert set(state) == wanted == state


def test_it_combines_with_sets_and_comes_back_from_a_pickle_as_one():
    one = ConclusionSet(triples("a", "b"))
    assert one - triples("a") == triples("b") == triples("b", "c") & one
    assert triples("c") | one == frozenset(triples("a", "b", "c")) and one >= triples("a")
    assert triples("a", "b", "c") - one == triples("c") and type(one | one) is frozenset
    again = pickle.loads(pickle.dumps(one))
    assert type(again) is frozenset and again == one and repr(ConclusionSet(())) == "ConclusionSet()"


def test_states_that_follow_one_another_share_their_triples():
    first = ConclusionSet((EX[str(number)], EX.p, EX.o) for number in range(20_000))
    tracemalloc.start()
    states = [first]
    for number in range(100):
        states.append(states[-1].next_state(triples(f"x{number}"), set()))
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 400_000 and len(states[50]) == 20_050 and len(first) == 20_000
