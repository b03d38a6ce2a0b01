"""What has been said: the present tick may be said anew, closed ticks stay as they were."""

import random

import numpy as np
import pytest

from pantarhei.encoding.numbers import NO_FACTS, NONE, as_tuples
from pantarhei.temporal.data_stream import (
    Appended,
    AssertedPart,
    DataStream,
    TickEvents,
    difference,
    union,
    without_predicates,
)
from pantarhei.temporal.tick_history import TickHistory
from pantarhei.temporal.tuples import TupleNumbers
from pantarhei.window.log import Entry

DATA = DataStream(0, 5, TickHistory(0), TupleNumbers())


def facts(*numbers):
    return np.array([(number, 0, NONE) for number in numbers], np.int32).reshape(-1, 3)


def numbers(given):
    return [fact for fact, *_ in as_tuples(given)]


def fed(given):
    return given


def entry(ticks, *asserted, cut=()):
    return Entry(ticks, ticks, ticks, facts(*asserted), facts(*cut))


def test_a_state_that_comes_and_goes_within_a_tick_never_was():
    data = DATA.with_changes(facts(1, 2), NO_FACTS).with_changes(NO_FACTS, facts(1))
    assert list(map(numbers, data.net_state_changes)) == [[2], []]


def test_a_state_that_goes_and_comes_back_within_a_tick_never_went():
    data = DATA.with_changes(NO_FACTS, facts(1, 2)).with_changes(facts(1), NO_FACTS)
    assert list(map(numbers, data.net_state_changes)) == [[], [2]]


def test_the_states_of_the_tick_before_are_told_from_those_of_now():
    data = DATA.with_changes(facts(3), facts(1))
    assert sorted(numbers(data.states_before(facts(2, 3)))) == [1, 2]


#   slide = 3     time  4   5   6           tick 2 is |4 5 6|
#                       a   b
def test_events_are_what_was_asserted_at_all_timestamps_of_a_tick_each_once_in_order():
    data = DATA
    for each in (entry(4, 3, 1), entry(5, 2, 1)):
        data = data.with_abox(each, fed)
    assert numbers(data.events) == [3, 1, 2]


def test_of_a_further_part_of_a_timestamp_what_is_new_is_added():
    data = DATA.with_abox(entry(4, 1), fed).with_abox(entry(4, 1, 2), fed)
    assert numbers(data.events) == [1, 2]
    assert [numbers(part.facts) for part in data.asserted] == [[1], [2]]


def test_a_value_stays_as_it_is_whatever_is_appended_to_it():
    first = DATA.with_abox(entry(4, 1), fed)
    one, other = first.with_abox(entry(5, 2), fed), first.with_abox(entry(5, 3), fed)
    assert [numbers(each.events) for each in (first, one, other)] == [[1], [1, 2], [1, 3]]
    assert one.asserted.after(first.asserted) and other.asserted.after(first.asserted) is None
    assert one.asserted.bytes == 2 * first.asserted.bytes == 24


def test_what_a_repair_cuts_at_its_own_tick_was_not_said():
    data = DATA.with_abox(entry(4, 1, 2), fed)
    late = entry(5, 3, 4, cut=[1, 4])
    cut = data.with_abox(late, fed)
    assert numbers(cut.events) == [2, 3]
    # a further part of the timestamp, after which the repair cuts something else
    whole = entry(late.ticks, *numbers(late.facts), 9, cut=(2,))
    assert numbers(cut.with_abox(whole, fed).events) == [1, 3, 4, 9]


def test_a_tick_that_is_closed_is_part_of_the_past_whatever_comes_later():
    data = DATA.with_changes(facts(1), NO_FACTS).with_abox(entry(5, 7), fed)
    data = data.close_tick(6, facts(8), NO_FACTS, needed=2)
    later = entry(6, cut=[7])
    data = data.with_abox(later, fed)
    (said,) = data.past
    assert said.tick == 5
    assert [numbers(each) for each in said[1:]] == [[7], [1], [], [8], []]
    assert (
        numbers(data.concluded) == [8] and not len(data.events) and not any(map(len, data.net_state_changes))
    )


def test_conclusions_that_are_withdrawn_stand_no_more():
    data = DATA._replace(concluded=facts(1, 2)).close_tick(6, facts(3), facts(1), needed=5)
    assert numbers(data.concluded) == [2, 3]


def test_facts_of_the_stream_and_of_the_rules_are_mapped_apart():
    data = DATA.with_changes(facts(1), NO_FACTS).with_abox(entry(5, 7), fed)
    data = data.close_tick(6, facts(8), NO_FACTS, needed=2).with_changes(facts(2), facts(3))

    def plus(number):
        return lambda given: given + np.array([number, 0, 0], np.int32)

    mapped = data.mapped(plus(10), plus(100))
    assert sorted(n for part in mapped.stream_facts() for n in numbers(part)) == [11, 12, 13, 17]
    assert sorted(n for part in mapped.kernel_facts() for n in numbers(part)) == [108, 108]


def test_sets_of_facts_are_joined_and_parted():
    assert numbers(difference(facts(1, 2, 3), facts(2))) == [1, 3]
    assert numbers(union(facts(1), facts(2))) == [1, 2]
    assert as_tuples(without_predicates(facts(5))) == [(NONE, 0, NONE)]


def facts_of_events(*names):
    return np.array([(1, name, -1) for name in names], np.int32).reshape(-1, 3)


def names(given):
    return [name for _, name, _ in as_tuples(given)]


def appended(asserted, *parts):
    for at, (given, cut) in enumerate(parts, len(asserted)):
        part = AssertedPart(at, facts_of_events(*given), facts_of_events(*cut))
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
    assert names(events.update(asserted).fresh) == [1, 2] == names(events.facts)
    fresh, lost, is_appended = events.update(appended(asserted, ([2, 3], [])))
    assert (names(fresh), names(lost), is_appended) == ([3], [], True)
    assert events.last(2) == [(1, 2, -1), (1, 3, -1)]


def test_what_is_cut_is_lost_and_what_comes_again_is_the_last():
    events, asserted = TickEvents(), appended(Appended(), ([1, 2], []))
    events.update(asserted)
    asserted = appended(asserted, ([3, 4], [1, 4]))
    fresh, lost, is_appended = events.update(asserted)
    assert (names(fresh), names(lost), is_appended) == ([3], [1], False)
    events.update(appended(asserted, ([1], [])))
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
        fresh, lost, is_appended = events.update(asserted)
        expected = survivors(asserted)
        assert names(events.facts) == expected
        followed = [each for each in there if each not in names(lost)] + names(fresh)
        assert sorted(followed) == sorted(expected) and (not is_appended or followed == expected)
        assert [name for _, name, _ in events.last(3)] == expected[-3:]
        there = expected
    assert names(TickEvents().update(asserted).fresh) == there
