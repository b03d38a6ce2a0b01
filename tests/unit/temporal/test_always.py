"""□ over what the stream says: for each class and each window a box of its own."""

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.temporal_rule import Mode
from pantarhei.rules.compilation.program import compile_
from pantarhei.temporal.always import EventsAlways, StatesAlways
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.past import Past, Said
from pantarhei.temporal.selecting import Selectors

HOT, COLD, OTHER = 1, 2, 3
HOT_2, HOT_3, COLD_2 = 11, 12, 13
LONG_AGO = -100
NO_SELECTORS = Selectors([], Vocabulary(compile_([])))


def feeds(is_asserted):
    given = ((HOT, 2, HOT_2), (HOT, 3, HOT_3), (COLD, 2, COLD_2))
    return [Feed(source, Mode.ALWAYS, size, target, is_asserted) for source, size, target in given]


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
    boxes = StatesAlways(feeds(False), LONG_AGO)
    assert predicates(rows.coming for rows in boxes.change(rows(HOT, OTHER), NO_FACTS, 0)) == []
    assert (boxes.next_due(), predicates(boxes.come_to(1))) == (2, [])
    list(boxes.change(rows(COLD), NO_FACTS, 1))
    assert predicates(boxes.come_to(2)) == [HOT_2]
    assert predicates(boxes.come_to(4)) == [HOT_3, COLD_2] and boxes.next_due() is None
    assert predicates(rows.going for rows in boxes.change(NO_FACTS, rows(HOT), 4)) == [HOT_2, HOT_3]


def test_states_go_on_from_when_they_came():
    boxes = StatesAlways(feeds(False), LONG_AGO)
    past = Past.of(LONG_AGO, [Said(-1, came=rows(HOT))])
    assert predicates(boxes.begin(past, rows(HOT, COLD), 1)) == [HOT_2, COLD_2]
    assert boxes.next_due() == 2


def held(boxes, ticks):
    found, there = [], set()
    for tick, said in enumerate(ticks):
        came, went = boxes.change(rows(*said), NO_FACTS, tick)
        there = there - set(predicates([went])) | set(predicates([came]))
        found.append(sorted(there))
    return found


def test_each_box_of_events_takes_what_is_asserted_of_its_own():
    boxes = EventsAlways(NO_SELECTORS, boxes_of(feeds(True)), LONG_AGO)
    said = [(HOT,), (HOT, COLD, OTHER), (COLD, HOT), (COLD, HOT), (COLD,), ()]
    assert held(boxes, said) == [[], [], [HOT_2], [HOT_2, HOT_3, COLD_2], [COLD_2], []]
    assert boxes.next_due() is None


def test_events_go_on_from_the_ticks_before_if_none_is_missing():
    past = [Said(tick, rows(HOT)) for tick in (-4, -2, -1)]
    boxes = EventsAlways(NO_SELECTORS, boxes_of(feeds(True)), LONG_AGO)
    boxes.begin(Past.of(LONG_AGO, past), NO_FACTS, 0)
    assert held(boxes, [(HOT,), (HOT,)]) == [[HOT_2], [HOT_2, HOT_3]]
    assert boxes.next_due() == 2


# at:        0   1   2   3   4   5   6
# hot        |===|       |===========         events
# cold           |===============|            states
# either     |===================|===|
def test_what_is_asserted_and_what_holds_can_fill_a_window_together():
    boxes = EventsAlways(
        NO_SELECTORS, [[Feed(HOT, Mode.ALWAYS, 2, HOT_2, True), Feed(COLD, Mode.ALWAYS, 2, HOT_2, False)]], 0
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
    boxes = EventsAlways(
        NO_SELECTORS, [[Feed(HOT, Mode.ALWAYS, 2, HOT_2, True), Feed(COLD, Mode.ALWAYS, 2, HOT_2, False)]], 0
    )
    past = Past.of(0, [Said(4, rows(HOT)), Said(5, came=rows(COLD))])
    boxes.begin(past, rows(COLD), 7)
    changes = boxes.change(NO_FACTS, NO_FACTS, 7)
    assert as_tuples(changes.coming) == as_tuples(rows(HOT_2))


def test_what_is_lost_within_a_tick_and_comes_again_has_not_been_away():
    boxes = EventsAlways(NO_SELECTORS, boxes_of(feeds(True)), LONG_AGO)
    for tick in range(3):
        boxes.change(rows(HOT), NO_FACTS, tick)
    assert predicates([boxes.change(NO_FACTS, rows(HOT), 2).going]) == [HOT_2]
    assert predicates([boxes.change(rows(HOT), NO_FACTS, 2).coming]) == [HOT_2]  # the run since 0 is not lost


def test_what_several_feeds_say_is_there_until_all_take_it_back():
    both = [[Feed(HOT, Mode.ALWAYS, 0, HOT_2, True), Feed(HOT, Mode.ALWAYS, 0, HOT_2, False)]]
    boxes = EventsAlways(NO_SELECTORS, both, LONG_AGO)
    boxes.change_states(rows(HOT), NO_FACTS)
    assert predicates([boxes.change(rows(HOT), NO_FACTS, 0).coming]) == [HOT_2]
    assert not any(map(len, boxes.change(NO_FACTS, rows(HOT), 0)))
    boxes.change_states(NO_FACTS, rows(HOT))
    assert predicates([boxes.change(NO_FACTS, NO_FACTS, 0).going]) == [HOT_2]


def test_without_boxes_nothing_holds():
    boxes = EventsAlways(NO_SELECTORS, [], LONG_AGO)
    boxes.begin(Past.of(LONG_AGO, []), rows(HOT), 0)
    assert not any(map(len, boxes.change(rows(HOT), NO_FACTS, 0))) and boxes.next_due() is None
