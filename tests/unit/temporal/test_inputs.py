"""What is said, as rows with expiries; what is said at a tick can be taken back."""

import numpy as np
import pytest
from rdflib import Namespace

from pantarhei import Window, load_rules
from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.temporal_rule import Mode
from pantarhei.model.time import TimeKind
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.expiry_model import ExpiryModel
from pantarhei.temporal.inputs import EventBoxes, InputRows, StateBoxes, Timers
from pantarhei.temporal.numbered import NumberedInput, NumberedTemporalProgram
from pantarhei.temporal.tick_history import TickHistory, TickRecord
from pantarhei.temporal.ticks import Ticks
from pantarhei.temporal.translation import compile_rules

EX = Namespace("http://e/")


class Scene:
    """The rows of rules at a tick, by the names of their predicates."""

    def __init__(self, text, tick=10):
        rules, self.vocabulary = load_rules(text + "\n", prefixes={"": str(EX)}), Vocabulary(compile_([]))
        program = compile_rules(rules.rules, rules.remembered, Ticks(Window(range=9), TimeKind.INTEGER))
        self.program = NumberedTemporalProgram(program, self.vocabulary)
        self.model = ExpiryModel(self.program.compiled, self.program.literals, tick)
        self.feeding = InputRows(self.program, self.model)

    def fact(self, name):
        number = self.vocabulary.number_symbol(Symbol(EX[name], 1))
        return np.array([(number, self.vocabulary.number(EX.x), NONE)], np.int32)

    @property
    def held(self):
        names = [symbol.name for symbol in self.program.compiled.predicates]
        return sorted(names[row[0]].rpartition("/")[2] for row in self.model.facts().tolist())

    def held_at(self, *ticks):
        found = []
        for tick in ticks:
            self.model.advance(tick)
            found.append(len(self.held) > 0)
        return found


@pytest.fixture
def events():
    return Scene("a(X) :- asserted hot(X) in [3], b(X).")


@pytest.fixture
def states():
    return Scene("a(X) :- hot(X) in [3], b(X).")


def test_an_event_is_a_row_until_its_window_has_passed(events):
    events.feeding.add_events(events.fact("hot"))
    assert events.held_at(10, 13, 14) == [True, True, False]


def test_an_event_that_is_taken_back_is_what_it_was_before(events):
    hot = events.fact("hot")
    events.feeding.add_events(hot)
    events.model.advance(12)
    events.feeding.advance(11, NO_FACTS, NO_FACTS)
    events.feeding.add_events(hot)
    events.feeding.remove_events(hot, lambda: NO_FACTS)
    assert events.held_at(13, 14) == [True, False]


def test_an_event_that_was_not_there_before_is_none_when_it_is_taken_back(events):
    events.feeding.add_events(events.fact("hot"))
    events.feeding.remove_events(events.fact("hot"), lambda: NO_FACTS)
    assert events.held == []


def test_a_state_is_a_row_and_lasts_from_its_last_tick_on(states):
    states.feeding.change_states(states.fact("hot"), NO_FACTS)
    assert states.held_at(10, 1000) == [True, True]
    states.feeding.advance(999, NO_FACTS, NO_FACTS)
    states.feeding.change_states(NO_FACTS, states.fact("hot"))
    assert states.held_at(1000, 1002, 1003) == [True, True, False]


#   tick      6  7  8  9  10
#   hot       x
@pytest.mark.parametrize(("said_at", "held"), [(6, False), (7, True)])
def test_what_was_said_before_lasts_as_long_as_its_window(said_at, held):
    for scene in (Scene("a(X) :- asserted hot(X) in [3], b(X)."), Scene("a(X) :- hot(X) in [3], b(X).")):
        said = [
            TickRecord(said_at, events=scene.fact("hot")),
            TickRecord(said_at + 1, removed=scene.fact("hot")),
        ]
        scene.feeding.restore(TickHistory.of(0, said), NO_FACTS, NO_FACTS)
        assert (scene.held != []) is held


def test_what_was_remembered_goes_on_from_the_tick_before():
    scene = Scene("remember a. a(X) :- asserted hot(X). b(X) :- a(X) in [2].")
    (concluded,) = scene.program.windows
    fact = scene.fact("hot")
    fact[0, 0] = concluded
    scene.feeding.advance(9, fact, NO_FACTS)
    assert "b" in scene.held
    scene.feeding.advance(10, NO_FACTS, fact)
    assert scene.held_at(11, 12) == [True, False]


HOT, COLD, OTHER = 1, 2, 3
HOT_2, HOT_3, COLD_2 = 11, 12, 13
LONG_AGO = -100
NO_RULES = NumberedTemporalProgram(
    compile_rules([], [], Ticks(Window(range=9), TimeKind.INTEGER)), Vocabulary(compile_([]))
)


def feeds(is_asserted):
    given = ((HOT, 2, HOT_2), (HOT, 3, HOT_3), (COLD, 2, COLD_2))
    return [NumberedInput(source, Mode.ALWAYS, size, target, is_asserted) for source, size, target in given]


def boxes_of(feeds):
    return [[feed] for feed in feeds]


def rows(*predicates):
    return np.array([(predicate, 7, NONE) for predicate in predicates], np.int32).reshape(-1, 3)


def predicates(parts):
    return [fact[0] for part in parts for fact in as_tuples(part)]


# at:        0   1   2   3   4
# hot        |===============
# cold           |===========
def test_each_box_of_states_says_when_its_window_is_full():
    boxes = StateBoxes(feeds(False), LONG_AGO)
    assert predicates(rows.inserted for rows in boxes.change(rows(HOT, OTHER), NO_FACTS, 0)) == []
    assert (boxes.next_due(), predicates(boxes.advance(1))) == (2, [])
    list(boxes.change(rows(COLD), NO_FACTS, 1))
    assert predicates(boxes.advance(2)) == [HOT_2]
    assert predicates(boxes.advance(4)) == [HOT_3, COLD_2] and boxes.next_due() is None
    assert predicates(rows.deleted for rows in boxes.change(NO_FACTS, rows(HOT), 4)) == [HOT_2, HOT_3]


def test_states_go_on_from_when_they_came():
    boxes = StateBoxes(feeds(False), LONG_AGO)
    past = TickHistory.of(LONG_AGO, [TickRecord(-1, added=rows(HOT))])
    assert predicates(boxes.restore(past, rows(HOT, COLD), 1)) == [HOT_2, COLD_2]
    assert boxes.next_due() == 2


def held(boxes, ticks):
    found, there = [], set()
    for tick, said in enumerate(ticks):
        came, went = boxes.change(rows(*said), NO_FACTS, tick)
        there = there - set(predicates([went])) | set(predicates([came]))
        found.append(sorted(there))
    return found


def test_each_box_of_events_takes_what_is_asserted_of_its_own():
    boxes = EventBoxes(NO_RULES, boxes_of(feeds(True)), LONG_AGO)
    said = [(HOT,), (HOT, COLD, OTHER), (COLD, HOT), (COLD, HOT), (COLD,), ()]
    assert held(boxes, said) == [[], [], [HOT_2], [HOT_2, HOT_3, COLD_2], [COLD_2], []]
    assert boxes.next_due() is None


def test_events_go_on_from_the_ticks_before_if_none_is_missing():
    past = [TickRecord(tick, rows(HOT)) for tick in (-4, -2, -1)]
    boxes = EventBoxes(NO_RULES, boxes_of(feeds(True)), LONG_AGO)
    boxes.restore(TickHistory.of(LONG_AGO, past), NO_FACTS, 0)
    assert held(boxes, [(HOT,), (HOT,)]) == [[HOT_2], [HOT_2, HOT_3]]
    assert boxes.next_due() == 2


# at:        0   1   2   3   4   5   6
# hot        |===|       |===========         events
# cold           |===============|            states
# either     |===================|===|
def test_what_is_asserted_and_what_holds_can_fill_a_window_together():
    boxes = EventBoxes(
        NO_RULES,
        [
            [
                NumberedInput(HOT, Mode.ALWAYS, 2, HOT_2, True),
                NumberedInput(COLD, Mode.ALWAYS, 2, HOT_2, False),
            ]
        ],
        0,
    )
    came_at = {1: (rows(COLD), NO_FACTS), 5: (NO_FACTS, rows(COLD))}
    found = []
    for tick, said in enumerate([(HOT,), (HOT,), (), (HOT,), (HOT,), (HOT,), (), ()]):
        boxes.change_states(*came_at.get(tick, (NO_FACTS, NO_FACTS)))
        assert tick != 2 or boxes.next_due() == 2
        came, went = boxes.change(rows(*said), NO_FACTS, tick)
        found += [(tick, len(came), len(went))] if len(came) or len(went) else []
    assert found == [(0, 1, 0), (6, 0, 1)]
    assert boxes.next_due() is None


def test_windows_over_both_go_on_from_the_ticks_before():
    boxes = EventBoxes(
        NO_RULES,
        [
            [
                NumberedInput(HOT, Mode.ALWAYS, 2, HOT_2, True),
                NumberedInput(COLD, Mode.ALWAYS, 2, HOT_2, False),
            ]
        ],
        0,
    )
    past = TickHistory.of(0, [TickRecord(4, rows(HOT)), TickRecord(5, added=rows(COLD))])
    boxes.restore(past, rows(COLD), 7)
    changes = boxes.change(NO_FACTS, NO_FACTS, 7)
    assert as_tuples(changes.inserted) == as_tuples(rows(HOT_2))


def test_what_is_lost_within_a_tick_and_comes_again_has_not_been_away():
    boxes = EventBoxes(NO_RULES, boxes_of(feeds(True)), LONG_AGO)
    for tick in range(3):
        boxes.change(rows(HOT), NO_FACTS, tick)
    assert predicates([boxes.change(NO_FACTS, rows(HOT), 2).deleted]) == [HOT_2]
    assert predicates([boxes.change(rows(HOT), NO_FACTS, 2).inserted]) == [
        HOT_2
    ]  # the run since 0 is not lost


def test_what_several_feeds_say_is_there_until_all_take_it_back():
    both = [
        [NumberedInput(HOT, Mode.ALWAYS, 0, HOT_2, True), NumberedInput(HOT, Mode.ALWAYS, 0, HOT_2, False)]
    ]
    boxes = EventBoxes(NO_RULES, both, LONG_AGO)
    boxes.change_states(rows(HOT), NO_FACTS)
    assert predicates([boxes.change(rows(HOT), NO_FACTS, 0).inserted]) == [HOT_2]
    assert not any(map(len, boxes.change(NO_FACTS, rows(HOT), 0)))
    boxes.change_states(NO_FACTS, rows(HOT))
    assert predicates([boxes.change(NO_FACTS, NO_FACTS, 0).deleted]) == [HOT_2]


def test_without_boxes_nothing_holds():
    boxes = EventBoxes(NO_RULES, [], LONG_AGO)
    boxes.restore(TickHistory.of(LONG_AGO, []), rows(HOT), 0)
    assert not any(map(len, boxes.change(rows(HOT), NO_FACTS, 0))) and boxes.next_due() is None


class Sleeper:
    def __init__(self, due=None):
        self.due, self.asked = due, 0

    def next_due(self):
        self.asked += 1
        return self.due


def test_the_next_tick_is_the_first_at_which_any_is_due():
    assert Timers([Sleeper(), Sleeper(7), Sleeper(5)]).next_due() == 5
    assert Timers([Sleeper()]).next_due() is None


def test_those_that_are_due_are_told_once_until_they_are_looked_at():
    things = [Sleeper(4), Sleeper(9), Sleeper(3)]
    waking = Timers(things)
    assert waking.due(2) == [] and waking.due(4) == [0, 2] and waking.due(4) == []
    things[0].due = 6
    waking.update(0)
    assert waking.next_due() == 6


def test_what_is_due_at_another_tick_or_never_is_told_by_its_last_word():
    thing = Sleeper(4)
    waking = Timers([thing])
    for due in (8, None, 6):
        thing.due = due
        waking.update(0)
    assert waking.due(5) == [] and waking.due(6) == [0]


def test_what_is_not_due_is_not_asked():
    things = [Sleeper(1), *(Sleeper(100) for _ in range(1_000))]
    waking = Timers(things)
    for tick in range(1, 50):
        assert waking.due(tick) == [0]
        things[0].due = tick + 1
        waking.update(0)
    assert {thing.asked for thing in things[1:]} == {1}
