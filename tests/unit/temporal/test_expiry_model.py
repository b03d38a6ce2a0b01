"""The temporal kernel: a fact's level is the last tick at which it holds unless something new comes."""

from types import SimpleNamespace

import numpy as np
import pytest
from rdflib import Namespace, Variable

from pantarhei.encoding.numbers import NONE, as_tuples, signed
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.expiry_model import (
    EXPIRED,
    UNTIL_REMOVED,
    ConclusionBox,
    ExpiryModel,
    Negation,
    StateBox,
)

EX = Namespace("http://e/")
X, Y, Z = map(Variable, "XYZ")
RULES = [
    Rule("both", (Atom(EX.hot, (X,)), Atom(EX.idle, (X,))), Atom(EX.alarm, (X,))),
    Rule("step", (Atom(EX.reach, (X, Y)), Atom(EX.edge, (Y, Z))), Atom(EX.reach, (X, Z))),
    Rule("first", (Atom(EX.edge, (X, Y)),), Atom(EX.reach, (X, Y))),
]


@pytest.fixture
def scene():
    program = compile_(RULES)
    numbers = {str(name).rpartition("/")[2]: i for i, (name, _) in enumerate(program.predicates)}
    model = ExpiryModel(program, Vocabulary(program), tick=10)

    def rows(*facts):
        return np.array(
            [(numbers[name], *terms, *[NONE] * (2 - len(terms))) for name, *terms in facts], np.int32
        )

    def add(expiry, *facts):
        return model.expiries(model.add(rows(*facts), expiry)).tolist()

    def lower(expiry, *facts):
        model.lower(rows(*facts), expiry)

    def holds(*fact):
        return bool(model.present(rows(fact))[0])

    yield SimpleNamespace(model=model, rows=rows, add=add, lower=lower, holds=holds)
    model.check_invariants()


# at:       10  11  12  13  14
# hot       [-----------]               until 12
# idle      [---------------]           until 13
# alarm     [-----------]               the smallest of its body
def test_a_body_holds_as_long_as_what_expires_first_in_it(scene):
    scene.add(12, ("hot", 1))
    scene.add(13, ("idle", 1))
    held = []
    for tick in range(10, 15):
        scene.model.advance(tick)
        held.append([name for name in ("hot", "idle", "alarm") if scene.holds(name, 1)])
    assert held == [["hot", "idle", "alarm"]] * 3 + [["idle"], []]


def test_a_conclusion_holds_as_long_as_its_best_derivation(scene):
    scene.add(11, ("edge", 1, 2), ("edge", 2, 4))
    scene.add(15, ("edge", 1, 3), ("edge", 3, 4))
    scene.model.advance(14)
    assert scene.holds("reach", 1, 4) and not scene.holds("reach", 1, 2)
    scene.model.advance(16)
    assert not scene.holds("reach", 1, 4)


def test_what_was_added_can_be_lowered_to_what_it_was(scene):
    assert scene.add(12, ("hot", 1)) == [EXPIRED]
    assert scene.add(15, ("hot", 1)) == [12]
    scene.lower(12, ("hot", 1))
    scene.model.advance(13)
    assert not scene.holds("hot", 1)


def test_what_holds_until_it_is_removed_goes_when_it_is_removed(scene):
    scene.add(UNTIL_REMOVED, ("hot", 1))
    assert scene.model.next_expiry() is None
    assert scene.add(12, ("hot", 1)) == [UNTIL_REMOVED]
    scene.model.advance(1000)
    assert scene.holds("hot", 1)
    scene.lower(NONE, ("hot", 1))
    assert not scene.holds("hot", 1)


def test_an_expiry_that_is_over_takes_a_fact_out_at_once(scene):
    scene.add(UNTIL_REMOVED, ("hot", 1))
    scene.lower(9, ("hot", 1))
    assert not scene.holds("hot", 1)


def test_before_0_too_what_is_taken_out_is_gone():
    program = compile_(RULES)
    model, row = ExpiryModel(program, Vocabulary(program), tick=-5), np.array([[0, 1, NONE]], np.int32)
    model.add(row, UNTIL_REMOVED)
    model.lower(row, EXPIRED)
    assert not model.present(row).any() and model.next_expiry() is None
    assert model.expiries(model.add(row, -1)).tolist() == [EXPIRED]
    assert model.next_expiry() == -1 and model.present(row).all()
    model.advance(0)
    assert not model.present(row).any()


def test_an_expiry_at_the_present_tick_is_not_over(scene):
    scene.add(UNTIL_REMOVED, ("hot", 1))
    scene.lower(10, ("hot", 1))
    assert scene.holds("hot", 1) and scene.model.next_expiry() == 10
    scene.model.advance(11)
    assert not scene.holds("hot", 1)


def test_the_next_expiry_is_known(scene):
    scene.add(14, ("hot", 1))
    scene.add(12, ("hot", 2))
    assert scene.model.next_expiry() == 12
    scene.model.advance(12)
    assert scene.model.next_expiry() == 12  # the last tick at which it holds
    scene.model.advance(13)
    assert scene.model.next_expiry() == 14


def test_the_facts_of_some_predicates_are_found(scene):
    scene.add(12, ("edge", 1, 2), ("hot", 1), ("idle", 3))
    scene.lower(NONE, ("idle", 3))
    wanted = np.zeros(scene.rows(("reach", 1, 2), ("edge", 1, 2))[:, 0].max() + 1, bool)
    wanted[scene.rows(("reach", 1, 2))[:, 0]] = True
    assert as_tuples(scene.model.facts(wanted)) == as_tuples(scene.rows(("reach", 1, 2)))


def test_changes_are_what_came_and_what_went(scene):
    scene.add(11, ("hot", 1), ("idle", 1))
    assert {tuple(row) for row in scene.model.take_changes()[:, 1:].tolist()} == {(1, NONE, 1)}
    assert len(scene.model.take_changes()) == 0
    scene.model.advance(12)
    gone = scene.model.take_changes()
    assert set(as_tuples(gone[:, :3])) == set(as_tuples(scene.rows(("hot", 1), ("idle", 1), ("alarm", 1))))
    assert set(gone[:, 3].tolist()) == {-1} and len(scene.model.facts()) == 0


def test_levels_are_counted_anew_long_before_they_are_full(scene):
    scene.model.renumber_at = 1000
    for tick in range(10, 10_000, 97):
        scene.model.advance(tick)
        scene.add(tick + 100, ("hot", 1))
        scene.add(tick + 50, ("idle", 1))
        assert scene.holds("alarm", 1)
    scene.model.advance(20_000)
    assert len(scene.model.facts()) == 0


# -- work ------------------------------------------------------------------------------------------


def test_a_repeated_event_costs_no_pop(scene):
    scene.add(15, ("hot", 1), ("idle", 1))
    before = scene.model.work
    for tick in range(11, 15):
        scene.model.advance(tick)
        scene.add(tick + 5, ("hot", 1), ("idle", 1))
    assert scene.model.work == before
    assert scene.holds("alarm", 1)


def test_an_expiry_fires_no_rule(scene):
    for n in range(50):
        scene.add(12, ("hot", n), ("idle", n))
    before = scene.model.work
    scene.model.advance(13)
    assert scene.model.work == before and len(scene.model.facts()) == 0


def test_what_was_repeated_is_looked_at_again_when_its_older_expiry_is_over(scene):
    scene.add(12, ("hot", 1), ("idle", 1))
    scene.add(14, ("hot", 1), ("idle", 1))
    before = scene.model.work
    scene.model.advance(13)
    assert scene.model.work.renewals == before.renewals + 2 and scene.holds("alarm", 1)
    assert scene.model.bytes_used > 0


# at:       10  11
# hot       [---|---]         added again at 11, before anybody looks
def test_what_comes_again_when_it_expires_has_not_changed(scene):
    scene.add(10, ("hot", 1), ("idle", 1), ("hot", 2))
    scene.model.take_changes()
    scene.model.advance(11)
    assert scene.add(11, ("hot", 1), ("idle", 1)) == [10, 10]
    gone = scene.model.take_changes()
    assert gone[:, 3].tolist() == [-1] and as_tuples(gone[:, :3]) == as_tuples(scene.rows(("hot", 2)))
    assert scene.holds("alarm", 1)


def test_no_rule_sees_what_has_expired(scene):
    scene.add(10, *(("idle", n) for n in range(9)))
    scene.model.advance(11)
    before = scene.model._kernel.firings
    scene.add(15, *(("hot", n) for n in range(9)))
    assert scene.model._kernel.firings == before and not scene.holds("alarm", 1)


def test_what_expired_and_came_again_joins_with_what_came_meanwhile(scene):
    scene.add(10, ("idle", 1))
    scene.model.advance(11)
    scene.add(13, ("hot", 1))
    scene.add(12, ("idle", 1))
    assert scene.holds("alarm", 1)
    scene.model.advance(13)
    assert scene.holds("hot", 1) and not scene.holds("alarm", 1)


def test_time_may_come_to_several_ticks_before_anybody_looks(scene):
    scene.add(10, ("hot", 1))
    scene.add(11, ("hot", 2))
    for tick in (11, 12, 900):
        scene.model.advance(tick)
        scene.add(tick + 1, ("idle", tick))
    assert scene.holds("idle", 900) and not scene.holds("idle", 12) and not scene.holds("hot", 2)


def test_a_far_jump_takes_no_room(scene):
    scene.add(12, ("hot", 1))
    scene.add(UNTIL_REMOVED, ("hot", 2))
    before = scene.model.bytes_used
    scene.model.advance(10**12)
    assert not scene.holds("hot", 1) and scene.holds("hot", 2)
    scene.add(10**12 + 3, ("hot", 3))
    assert scene.model.next_expiry() == 10**12 + 3
    scene.model.advance(10**12 + 3)
    assert scene.holds("hot", 3)
    scene.model.advance(10**12 + 4)
    assert not scene.holds("hot", 3) and scene.model.bytes_used == before
    scene.model.check_invariants()


DENIED, ASKED, FREE = SOURCE, TARGET, _ = range(3)


def rows(predicate, *subjects):
    return np.array([(predicate, each, NONE) for each in subjects], np.int32).reshape(-1, 3)


@pytest.fixture
def model():
    """Three predicates without rules between them."""
    names = [Atom(EX[name], (X,)) for name in "pqr"]
    program = compile_([Rule(str(i), (names[i],), names[i]) for i in range(3)])
    return ExpiryModel(program, Vocabulary(program), tick=0)


def say(model, given):
    model.add(given, UNTIL_REMOVED)


def unsay(model, given):
    model.lower(given, NONE)


def come_to(tick, box, model):
    model.advance(tick)
    return box.advance(tick, model)


def applied(model, wanted):
    unsay(model, wanted.deleted)
    say(model, wanted.inserted)
    return [[subject for _, subject, _ in as_tuples(part)] for part in wanted]


# -- not -------------------------------------------------------------------------------------------


def test_free_is_what_is_asked_for_and_not_denied(model):
    negation = Negation(DENIED, ASKED, FREE, None, model)
    say(model, rows(ASKED, 1, 2))
    say(model, rows(DENIED, 2, 3))
    told = signed(np.concatenate([rows(ASKED, 1, 2), rows(DENIED, 2, 3)]), 1)
    assert applied(model, negation.react(told, model)) == [[1], []]
    assert applied(model, negation.react(told, model)) == [[], []]  # told twice, nothing is left to do
    say(model, rows(DENIED, 1))
    unsay(model, rows(DENIED, 2))
    assert applied(model, negation.react(signed(rows(DENIED, 1, 2), 1), model)) == [[2], [1]]
    unsay(model, rows(ASKED, 2))
    assert applied(model, negation.react(signed(rows(ASKED, 2), -1), model)) == [[], [2]]


def test_negation_waits_for_no_tick(model):
    negation = Negation(DENIED, ASKED, FREE, None, model)
    assert negation.next_due() is None and negation.watched == (DENIED, ASKED)
    assert [len(part) for part in negation.advance(1, model)] == [0, 0]


# -- □ over conclusions ----------------------------------------------------------------------------

# size = 2      at:  0   1   2   3
# source             |===========         remembered: held always from 2 on
# target                     |====


def box_over_source():
    box = ConclusionBox(SOURCE, TARGET, 2, -10)
    box.restore({}, 0)
    return box


def test_a_remembered_conclusion_holds_always_once_it_has_stayed_long_enough(model):
    box = box_over_source()
    say(model, rows(SOURCE, 7))
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], []]
    assert box.next_due() == 2
    assert applied(model, come_to(1, box, model)) == [[], []]
    assert applied(model, come_to(2, box, model)) == [[7], []]
    unsay(model, rows(SOURCE, 7))
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], [7]]


def test_what_has_not_changed_is_told_in_vain(model):
    box = box_over_source()
    say(model, rows(SOURCE, 7))
    box.react(signed(rows(SOURCE, 7), 1), model)
    come_to(2, box, model)
    assert applied(model, box.react(signed(rows(SOURCE, 7), 1), model)) == [[], []]


def test_a_box_goes_on_with_what_ran_before(model):
    box = ConclusionBox(SOURCE, TARGET, 2, -10)
    assert as_tuples(box.restore({(SOURCE, 7, NONE): -3, (SOURCE, 8, NONE): -1}, 0)) == [(TARGET, 7, NONE)]
    assert box.next_due() == 1


HOT = (1, 7, NONE)
LONG_AGO = -100  # the timeline begins far from what is looked at

#   at:        3   4   5   6   7        size = 2
#   there:     |===============|
#   holds:             |=======|


def test_a_state_holds_always_from_its_start_and_the_size_on():
    box = StateBox(2, LONG_AGO)
    assert box.change([HOT], [], 3) == ([], [])
    assert box.next_due() == 5
    assert box.advance(4) == [] and box.advance(5) == [HOT]
    assert box.next_due() is None
    assert box.change([], [HOT], 8) == ([], [HOT])


def test_a_state_that_goes_before_it_is_long_enough_never_holds_always():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    assert box.change([], [HOT], 4) == ([], [])
    assert box.next_due() is None and box.advance(5) == []


def test_a_run_that_is_broken_and_mended_within_a_tick_goes_on():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    box.advance(6)
    assert box.change([], [HOT], 6)[1] == [HOT]  # a further part of tick 6 may bring it back
    assert box.change([HOT], [], 6) == ([HOT], [])


def test_a_run_that_is_broken_at_a_tick_that_is_over_begins_anew():
    box = StateBox(2, LONG_AGO)
    box.change([HOT], [], 3)
    box.advance(6)
    box.change([], [HOT], 6)
    box.advance(7)
    assert box.change([HOT], [], 7) == ([], []) and box.next_due() == 9


#   the timeline begins at 3, and windows look back no further
@pytest.mark.parametrize(("came_at", "holds_at_once"), [(3, True), (4, False)])
def test_at_the_beginning_of_the_timeline_windows_are_short(came_at, holds_at_once):
    box = StateBox(2, 3)
    fresh, _ = box.change([HOT], [], came_at)
    assert (fresh == [HOT]) is holds_at_once


def test_a_box_goes_on_with_runs_that_began_earlier():
    box, late = StateBox(2, LONG_AGO), (1, 8, NONE)
    assert box.restore({HOT: 3, late: 5}, 6) == [HOT]
    assert box.advance(7) == [late]


def test_after_a_jump_of_time_all_that_was_due_on_the_way_holds():
    box, later = StateBox(2, LONG_AGO), (1, 8, NONE)
    box.change([HOT], [], 3)
    box.change([later], [], 4)
    assert box.advance(20) == [HOT, later]
