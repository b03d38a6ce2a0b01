"""Events of a tick: what a further ABox brings, and what its repair takes away."""

import random

import numpy as np
import pytest

from pantarhei.encoding.numbers import as_tuples
from pantarhei.temporal.data_stream import Appended, Asserted
from pantarhei.temporal.events import TickEvents


def facts(*names):
    return np.array([(1, name, -1) for name in names], np.int32).reshape(-1, 3)


def names(given):
    return [name for _, name, _ in as_tuples(given)]


def appended(asserted, *parts):
    for at, (given, cut) in enumerate(parts, len(asserted)):
        part = Asserted(at, facts(*given), facts(*cut))
        asserted = asserted.with_item(part, part.bytes)
    return asserted


def survivors(asserted):
    """The definition: what no later ABox cuts, each once, where it stands first."""
    parts = list(asserted)
    found = {}
    for place, part in enumerate(parts):
        cut = {name for later in parts[place:] for name in names(later.cut)}
        found.update(dict.fromkeys(name for name in names(part.facts) if name not in cut))
    return list(found)


def test_each_event_is_fresh_once():
    events, asserted = TickEvents(), appended(Appended(), ([1, 2, 1], []))
    assert names(events.follow(asserted).fresh) == [1, 2] == names(events.facts)
    fresh, lost, is_appended = events.follow(appended(asserted, ([2, 3], [])))
    assert (names(fresh), names(lost), is_appended) == ([3], [], True)
    assert events.last(2) == [(1, 2, -1), (1, 3, -1)]


def test_what_is_cut_is_lost_and_what_comes_again_is_the_last():
    events, asserted = TickEvents(), appended(Appended(), ([1, 2], []))
    events.follow(asserted)
    asserted = appended(asserted, ([3, 4], [1, 4]))
    fresh, lost, is_appended = events.follow(asserted)
    assert (names(fresh), names(lost), is_appended) == ([3], [1], False)
    events.follow(appended(asserted, ([1], [])))
    assert names(events.facts) == [2, 3, 1]


@pytest.mark.parametrize("seed", range(40))
def test_events_are_those_that_survive_however_they_come(seed):
    rnd = random.Random(seed)
    events, asserted, there = TickEvents(), Appended(), []
    for _ in range(12):
        if len(asserted) and rnd.random() < 0.2:  # another repair of the newest ABox
            asserted = Appended(list(asserted)[:-1])
        for _ in range(rnd.choice((0, 1, 1, 1, 2))):
            given = [rnd.randrange(9) for _ in range(rnd.randint(0, 4))]
            cut = [rnd.randrange(9) for _ in range(rnd.choice((0, 0, 2)))]
            asserted = appended(asserted, (given, cut))
        fresh, lost, is_appended = events.follow(asserted)
        expected = survivors(asserted)
        assert names(events.facts) == expected
        followed = [each for each in there if each not in names(lost)] + names(fresh)
        assert sorted(followed) == sorted(expected) and (not is_appended or followed == expected)
        assert [name for _, name, _ in events.last(3)] == expected[-3:]
        there = expected
    assert names(TickEvents().follow(asserted).fresh) == there
