"""□ over what the stream says: for each class and each window a box of its own."""

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.language.temporal_rule import Mode
from pantarhei.temporal.always import EventsAlways, StatesAlways
from pantarhei.temporal.numbered import Feed
from pantarhei.temporal.past import Past, Said

HOT, COLD, OTHER = 1, 2, 3
HOT_2, HOT_3, COLD_2 = 11, 12, 13
LONG_AGO = -100


def feeds(is_asserted):
    given = ((HOT, 2, HOT_2), (HOT, 3, HOT_3), (COLD, 2, COLD_2))
    return [Feed(source, Mode.ALWAYS, size, target, is_asserted) for source, size, target in given]


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
        for came, went in boxes.change(rows(*said), tick):
            there = there - set(predicates([went])) | set(predicates([came]))
        found.append(sorted(there))
    return found


def test_each_box_of_events_takes_what_is_asserted_of_its_own():
    boxes = EventsAlways(feeds(True), LONG_AGO)
    said = [(HOT,), (HOT, COLD, OTHER), (COLD, HOT), (COLD, HOT), (COLD,), ()]
    assert held(boxes, said) == [[], [], [HOT_2], [HOT_2, HOT_3, COLD_2], [COLD_2], []]
    assert boxes.next_due() is None


def test_events_go_on_from_the_ticks_before_if_none_is_missing():
    past = [Said(tick, rows(HOT)) for tick in (-4, -2, -1)]
    boxes = EventsAlways(feeds(True), LONG_AGO)
    boxes.begin(Past.of(LONG_AGO, past), 0)
    assert held(boxes, [(HOT,), (HOT,)]) == [[HOT_2], [HOT_2, HOT_3]]
    assert boxes.next_due() == 2
