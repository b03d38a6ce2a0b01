"""Timestamps by their levels and by their ticks, at the edges of chunks too."""

import random
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import pantarhei.window.log as timeline_module
from counts import seeds
from pantarhei.window.log import EMPTY_LOG, Entry, Timeline, linked, trace


def facts(*numbers):
    return np.array([(number, 0, -1) for number in numbers], np.int32).reshape(-1, 3)


def entry(level, asserted=(), cut=()):
    return Entry(level, f"t{level}", 10 * level, facts(*asserted), facts(*cut))


def numbers(array):
    return [fact[0] for fact in array.tolist()]


def kept(log):
    return {entry.level: numbers(facts) for entry, facts in log.kept()}


def levels(log):
    return [each.level for each in log]


def log_of(entries):
    log = EMPTY_LOG
    for each in entries:
        log = log.with_entry(each)
    return log


def test_a_log_beyond_one_chunk_drops_and_finds():
    count = 3000
    log = log_of(entry(level, [level % 7]) for level in range(count))
    assert levels(log) == list(range(count))
    for oldest in (1, 511, 512, 513, 1023, 1024, 1025, 2047, 2048, 2990):
        assert log.timeline.first_level_from(10 * oldest) == oldest
        log = log.from_level(oldest)
        assert levels(log) == list(range(oldest, count))
        assert log.newest.level == count - 1
        assert log.timeline.first_level_from(0) == oldest
    log = log.from_level(count)
    assert levels(log) == [] and log.newest is None
    assert levels(log.with_entry(entry(count))) == [count]


@pytest.mark.parametrize("count", [1, 511, 512, 513, 1024, 1025])
def test_the_newest_entry_can_be_left_out_at_the_edge_of_a_chunk(count):
    log = log_of(map(entry, range(count)))
    shorter = log.without_newest()
    assert levels(shorter) == list(range(count - 1)) and levels(log) == list(range(count))
    assert (shorter.newest.level if shorter.newest else None) == (count - 2 if count > 1 else None)
    again = shorter.with_entry(entry(count - 1, [1], [2])).with_entry(entry(count))
    assert levels(again) == list(range(count + 1))


#   level     0      1      2      3          fact 5 is cut by the arrival of 2, and asserted again at 3
#   asserts   5, 6   5, 7   8, 5   5
#   cuts                    5
def test_a_cut_takes_a_fact_out_of_its_entry_and_all_before():
    log = log_of([entry(0, [5, 6]), entry(1, [5, 7]), entry(2, [8, 5], [5]), entry(3, [5])])
    assert kept(log) == {0: [6], 1: [7], 2: [8], 3: [5]}
    found = {e.level: numbers(f) for e, f in log.occurrences(facts(5, 6))}
    assert found == {0: [6], 1: [], 2: [], 3: [5]}
    assert [e.level for e, _ in log.kept()] == [3, 2, 1, 0]


@pytest.mark.parametrize("count", [100, 400])
def test_the_kept_facts_of_a_log_with_many_cuts_cost_linear_time(count, monkeypatch):
    log = log_of(entry(level, [level], [level - 1]) for level in range(count))
    sorted_rows, unique = [], np.unique
    monkeypatch.setattr(
        np, "unique", lambda array, **options: (sorted_rows.append(len(array)), unique(array, **options))[1]
    )
    assert kept(log) == {level: [level] if level == count - 1 else [] for level in range(count)}
    assert sum(sorted_rows) <= 4 * count


#   place     0      1      2      3      4       fact 5 is cut at 2 and at 4, fact 6 at 3
#   asserts   5, 6   5, 7   8, 5   5, 5   6, 7
#   cuts                    5      6      5
def test_a_trace_tells_which_arrival_cut_each_assertion():
    log = [([5, 6], []), ([5, 7], []), ([8, 5], [5]), ([5, 5], [6]), ([6, 7], [5])]
    entries = [entry(10 + place, asserted, cut) for place, (asserted, cut) in enumerate(log)]
    found = trace(entries, facts(5, 6))
    told = list(zip(numbers(found.facts), found.places.tolist(), found.cut_at.tolist(), strict=True))
    assert sorted(told) == [(5, 0, 2), (5, 1, 2), (5, 2, 2), (5, 3, 4), (5, 3, 4), (6, 0, 3), (6, 4, 5)]
    assert found.places.tolist() == sorted(found.places.tolist())
    nothing = trace(entries, facts())
    assert len(nothing.facts) == len(nothing.places) == len(nothing.cut_at) == 0
    assert len(trace([], facts(5)).facts) == 0


# -- links to the assertions before ----------------------------------------------------------------


#   level     10     11     12     13       fact 5 is cut at 12 and asserted again at 13
#   asserts   5, 6   5, 7   6, 5   5, 6
#   cuts                    5
def test_a_link_leads_to_the_last_assertion_that_no_repair_has_cut():
    log = [([5, 6], []), ([5, 7], []), ([6, 5], [5]), ([5, 6], [])]
    chained = linked([entry(10 + place, asserted, cut) for place, (asserted, cut) in enumerate(log)])
    before = [each.levels_before(facts(5, 6, 7)).tolist() for each in chained]
    assert before == [[-1, -1, -1], [10, -1, -1], [11, 10, -1], [-1, 12, -1]]
    assert chained[0].previous_distances is None or not chained[0].previous_distances.any()


def test_an_entry_without_links_has_no_levels_before():
    alone = entry(3, [5, 6])
    assert alone.previous_distances is None
    assert alone.levels_before(facts(5, 6, 9)).tolist() == [-1, -1, -1]
    assert alone.levels_before(facts()).tolist() == []


def test_a_fact_that_an_entry_has_twice_is_linked_once():
    chained = linked([entry(0, [5]), entry(1, [5, 6, 5])])
    assert np.count_nonzero(chained[1].previous_distances) == 1
    assert chained[1].levels_before(facts(5)).tolist() == [0]


@pytest.mark.parametrize("gap", [1, 255, 256, 65_535, 65_536, 1 << 30])
def test_a_link_is_as_wide_as_the_levels_are_far_apart(gap):
    chained = linked([entry(7, [1, 2]), entry(7 + gap, [2, 3])])
    assert chained[1].levels_before(facts(3, 2)).tolist() == [-1, 7]


def test_facts_of_one_mark_have_links_of_their_own():
    """More facts than there are marks."""
    count = 70_000
    before = entry(0, range(0, count, 2))
    every = linked([before, entry(1, range(count))])[1]
    asked = [*range(0, count, 997), *range(1, count, 991)]
    assert len(set(every.hashes.tolist())) < count
    expected = [0 if number % 2 == 0 else -1 for number in asked]
    assert every.levels_before(facts(*asked)).tolist() == expected


def random_log(dice):
    """Entries with gaps between their levels; some facts stand in them twice."""
    level = dice.randrange(3)
    for _ in range(dice.randrange(9)):
        asserted = [dice.randrange(5) for _ in range(dice.randrange(5))]
        yield entry(level, asserted, dice.sample(range(6), dice.choice((0, 0, 1, 3))))
        level += dice.choice((1, 1, 2, 300))


@pytest.mark.parametrize("seed", seeds(50, 1000))
def test_links_are_those_that_a_trace_finds(seed):
    entries = list(random_log(random.Random(seed)))
    found = trace(entries, facts(*range(6)))
    told = list(zip(numbers(found.facts), found.places.tolist(), found.cut_at.tolist(), strict=True))
    chained = linked(entries)
    assert all(
        new.facts is old.facts and new.cut is old.cut for new, old in zip(chained, entries, strict=True)
    )
    for place, each in enumerate(chained):
        own = sorted(set(numbers(each.facts)))
        expected = []
        for number in own:
            uncut = [p for n, p, cut_at in told if n == number and p < place and cut_at >= place]
            expected.append(entries[max(uncut)].level if uncut else -1)
        assert each.levels_before(facts(*own)).tolist() == expected


def test_facts_whose_keys_collide_are_told_apart():
    """A subject 2**k further on against an object, whatever is mixed."""
    some = np.array([(p, s, o) for p in (0, 1, 256) for s in (0, 1) for o in (-1, 0, 1, 2**24)], np.int32)
    for one in some:
        log = log_of([Entry(0, 0, 0, some, facts()), Entry(1, 1, 10, facts(), one.reshape(1, 3))])
        left = {e.level: f.tolist() for e, f in log.kept()}[0]
        assert left == [each for each in some.tolist() if each != one.tolist()]


def test_an_empty_log():
    assert levels(EMPTY_LOG) == [] and EMPTY_LOG.newest is None and EMPTY_LOG.timeline.below(9) == []
    later = EMPTY_LOG.from_level(5)
    assert later.timeline.first_level == later.from_level(3).timeline.first_level == 5, (
        "a start never goes back"
    )


def test_a_change_looks_at_the_entries_that_come_and_go_and_at_no_others(monkeypatch):
    looked_at = []
    size = Entry.bytes.fget
    monkeypatch.setattr(Entry, "bytes", property(lambda self: looked_at.append(self.level) or size(self)))
    log = log_of(entry(level, [1, 2]) for level in range(2000))
    looked_at.clear()
    log = log.from_level(3)
    assert looked_at == [0, 1, 2]
    looked_at.clear()
    log = log.with_entry(entry(2000)).without_newest().from_level(3)
    assert looked_at == [2000, 2000]
    assert log.assertions == 2 * 1997 and log.bytes == sum(map(size, log))


def test_what_an_entry_weighs_does_not_change_when_it_is_looked_at():
    log = log_of([entry(0, [1, 2, 3], [4])])
    before = log.bytes
    list(log.occurrences(facts(1)))
    assert log.timeline.chunks[0][0]._hashes is not None
    log.check_invariants()
    assert log.bytes == before


def test_an_entry_holds_on_to_no_larger_array():
    whole = facts(*range(1000))
    kept_small = Entry(0, 0, 0, whole[:3], whole[10:11])
    assert kept_small.facts.base is None and kept_small.cut.base is None
    assert numbers(kept_small.facts) == [0, 1, 2] and numbers(kept_small.cut) == [10]
    own = facts(1, 2)
    assert Entry(0, 0, 0, own, facts()).facts is own


class Logging(RuleBasedStateMachine):
    """A log with chunks of three entries, and a plain list."""

    def __init__(self):
        super().__init__()
        self.before = timeline_module._CHUNK
        timeline_module._CHUNK = 3
        self.log, self.plain, self.level, self.first = EMPTY_LOG, [], 0, 0

    @rule(asserted=st.lists(st.integers(0, 3), max_size=3), cut=st.lists(st.integers(0, 3), max_size=1))
    def append(self, asserted, cut):
        self.log = self.log.with_entry(entry(self.level, asserted, cut))
        self.plain.append((self.level, asserted, cut))
        self.level += 1

    @precondition(lambda self: self.plain)
    @rule(asserted=st.lists(st.integers(0, 3), max_size=3), cut=st.lists(st.integers(0, 3), max_size=1))
    def replace_newest(self, asserted, cut):
        old, before = self.log, kept(self.log)
        self.log = old.without_newest().with_entry(entry(self.level - 1, asserted, cut))
        self.plain[-1] = (self.level - 1, asserted, cut)
        assert kept(old) == before

    @rule(count=st.integers(0, 5))
    def drop(self, count):
        self.first = min(self.first + count, self.level)
        self.log = self.log.from_level(self.first)
        self.plain = [one for one in self.plain if one[0] >= self.first]

    @invariant()
    def same(self):
        self.log.check_invariants()
        assert self.log.assertions == sum(len(asserted) for _, asserted, _ in self.plain)
        assert len(self.log.timeline) == len(self.plain)
        assert [each.level for each in self.log] == [level for level, _, _ in self.plain]
        newest = self.log.newest
        assert (newest.level if newest else None) == (self.plain[-1][0] if self.plain else None)
        expected, cut = {}, set()
        for level, asserted, gone in reversed(self.plain):
            cut.update(gone)
            expected[level] = [number for number in asserted if number not in cut]
        assert kept(self.log) == expected

    def teardown(self):
        timeline_module._CHUNK = self.before


TestLog = Logging.TestCase
TestLog.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


class At(NamedTuple):
    level: int
    ticks: int
    at: str


def timeline_of(levels):
    timeline = Timeline()
    for level in levels:
        timeline = timeline.with_newest(At(level, 10 * level, f"t{level}"))
    timeline.check_invariants()
    return timeline


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1024, 1025])
def test_a_timeline_made_at_once_is_the_one_made_moment_by_moment(count):
    moments = list(timeline_of(range(count)))
    assert Timeline.of(moments) == timeline_of(range(count))
    assert len(Timeline.of(moments)) == count


@pytest.mark.parametrize("count", [1, 512, 513])
def test_without_its_newest_moment_a_timeline_is_the_one_before(count):
    timeline = timeline_of(range(count))
    assert timeline.without_newest() == timeline_of(range(count - 1))
    assert timeline.newest == (count - 1, 10 * (count - 1), f"t{count - 1}")


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1025])
def test_entries_are_found_by_their_levels(count):
    timeline = timeline_of(range(0, 2 * count, 2)).from_level(3)
    inside = range(4, 2 * count, 2)
    assert {level for level in range(2 * count + 2) if timeline.at_level(level) is not None} == set(inside)
    assert all(timeline.at_level(level).level == level for level in inside)
    for level in (-1, 3, 4, 5, 1022, 1023, 1024, 1025, 2 * count):
        assert [each.level for each in timeline.after(level)] == [found for found in inside if found > level]


@pytest.mark.parametrize(
    ("ticks", "first", "left"),
    [(15, 2, ["t0", "t1"]), (20, 2, ["t0", "t1"]), (21, 3, ["t0", "t1", "t2"]), (-5, 0, [])],
)
def test_the_timestamps_that_leave_are_named(ticks, first, left):
    timeline = timeline_of(range(3))
    assert timeline.first_level_from(ticks) == first
    assert [each.at for each in timeline.below(first)] == left


def test_a_timestamp_is_found_by_its_tick():
    timeline = timeline_of(range(1200)).from_level(3)
    assert timeline.at_ticks(30).level == 3 and timeline.at_ticks(11_990).at == "t1199"
    assert [timeline.at_ticks(ticks) for ticks in (20, 31, 12_000)] == [None, None, None]


def test_the_next_level_follows_the_newest_or_where_all_have_left():
    timeline = timeline_of(range(3))
    assert timeline.next_level == timeline.from_level(3).next_level == 3
    assert Timeline().next_level == 0


def test_what_has_left_is_let_go():
    timeline = timeline_of(range(600))
    assert [len(chunk) for chunk in timeline.from_level(100).chunks] == [412, 88]
    assert timeline.from_level(600).chunks == ()
