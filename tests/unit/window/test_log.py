import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import pantarhei.window.log as log_module
from pantarhei.window.log import AssertionLog, Entry


def facts(*numbers):
    return np.array([(number, 0, -1) for number in numbers], np.int32).reshape(-1, 3)


def entry(level, asserted=(), cut=()):
    return Entry(level, f"t{level}", 10 * level, facts(*asserted), facts(*cut))


def numbers(array):
    return [fact[0] for fact in array.tolist()]


def kept(log, first_level=0):
    return {entry.level: numbers(facts) for entry, facts in log.capture(first_level).kept()}


def test_a_log_beyond_one_chunk_drops_and_finds():
    log, count = AssertionLog(), 3000
    for level in range(count):
        log.append(entry(level, [level % 7]))
    assert [each.level for each in log] == list(range(count))
    for oldest in (1, 1023, 1024, 1025, 2047, 2048, 2990):
        assert log.oldest_from(10 * oldest)[0] == oldest
        log.drop_before(oldest)
        assert [each.level for each in log] == list(range(oldest, count))
        assert log.newest().level == count - 1
        assert log.oldest_from(0) == (oldest, [])
    log.drop_before(count)
    assert list(log) == []
    log.append(entry(count))
    assert [each.level for each in log] == [count]


@pytest.mark.parametrize("count", [1, 1023, 1024, 1025, 2048, 2049])
def test_the_newest_entry_can_be_replaced_at_the_edge_of_a_chunk(count):
    log = AssertionLog()
    for level in range(count):
        log.append(entry(level))
    before = log.capture()
    log.replace_newest(entry(count - 1, [1], [2]))
    assert [each.level for each in log] == list(range(count))
    assert numbers(log.newest().facts) == [1] and numbers(log.newest().cut) == [2]
    assert numbers(before.entries()[-1].facts) == []
    log.append(entry(count))
    assert [each.level for each in log] == list(range(count + 1))


def test_a_capture_is_the_log_as_it_was():
    log = AssertionLog()
    for level in range(1500):
        log.append(entry(level, [1]))
    captured = log.capture(10)
    log.replace_newest(entry(1499, [2], [1]))
    log.append(entry(1500))
    log.drop_before(1400)
    assert [each.level for each in captured.entries()] == list(range(10, 1500))
    assert all(numbers(facts) == [1] for _, facts in captured.kept())


#   level     0      1      2      3          fact 5 is cut by the arrival of 2, and asserted again at 3
#   asserts   5, 6   5, 7   8, 5   5
#   cuts                    5
def test_a_cut_takes_a_fact_out_of_its_entry_and_all_before():
    log = AssertionLog()
    for each in (entry(0, [5, 6]), entry(1, [5, 7]), entry(2, [8, 5], [5]), entry(3, [5])):
        log.append(each)
    assert kept(log) == {0: [6], 1: [7], 2: [8], 3: [5]}
    found = {e.level: numbers(f) for e, f in log.capture().occurrences(facts(5, 6))}
    assert found == {0: [6], 1: [], 2: [], 3: [5]}
    assert [e.level for e, _ in log.capture().kept()] == [3, 2, 1, 0]


def test_the_timestamps_that_leave_are_named():
    log = AssertionLog()
    for level in (0, 1, 2):
        log.append(entry(level))
    assert log.oldest_from(15) == (2, ["t0", "t1"])
    assert log.oldest_from(20) == (2, ["t0", "t1"])
    assert log.oldest_from(21) == (None, ["t0", "t1", "t2"])
    assert log.oldest_from(-5) == (0, [])


def test_an_empty_log():
    log = AssertionLog()
    assert list(log) == [] and log.newest() is None and log.oldest_from(0) == (None, [])
    assert log.capture().entries() == []
    log.drop_before(5)
    assert log.first_level == 5
    log.drop_before(3)
    assert log.first_level == 5, "a start never goes back"


class Logging(RuleBasedStateMachine):
    """A log with chunks of three entries, and a plain list."""

    def __init__(self):
        super().__init__()
        self.before = log_module._CHUNK
        log_module._CHUNK = 3
        self.log, self.plain, self.level, self.first = AssertionLog(), [], 0, 0

    @rule(asserted=st.lists(st.integers(0, 3), max_size=3), cut=st.lists(st.integers(0, 3), max_size=1))
    def append(self, asserted, cut):
        self.log.append(entry(self.level, asserted, cut))
        self.plain.append((self.level, asserted, cut))
        self.level += 1

    @precondition(lambda self: self.plain)
    @rule(asserted=st.lists(st.integers(0, 3), max_size=3), cut=st.lists(st.integers(0, 3), max_size=1))
    def replace_newest(self, asserted, cut):
        before = kept(self.log)
        captured = self.log.capture()
        self.log.replace_newest(entry(self.level - 1, asserted, cut))
        self.plain[-1] = (self.level - 1, asserted, cut)
        assert {e.level: numbers(f) for e, f in captured.kept()} == before

    @rule(count=st.integers(0, 5))
    def drop(self, count):
        self.first = min(self.first + count, self.level)
        self.log.drop_before(self.first)
        self.plain = [one for one in self.plain if one[0] >= self.first]

    @invariant()
    def same(self):
        assert [each.level for each in self.log] == [level for level, _, _ in self.plain]
        newest = self.log.newest()
        assert (newest.level if newest and newest.level >= self.first else None) == (
            self.plain[-1][0] if self.plain else None
        )
        expected, cut = {}, set()
        for level, asserted, gone in reversed(self.plain):
            cut.update(gone)
            expected[level] = [number for number in asserted if number not in cut]
        assert kept(self.log) == expected
        assert {e.level for e in self.log.capture(self.first + 1).entries()} == {
            level for level, _, _ in self.plain if level > self.first
        }

    def teardown(self):
        log_module._CHUNK = self.before


TestLog = Logging.TestCase
TestLog.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
