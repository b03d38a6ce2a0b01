"""StreamHistory: values, of which a step makes others."""

import numpy as np
import pytest

from pantarhei.engine.step_transaction import with_arrival
from pantarhei.engine.stream_history import Arrival, Counters, PastRepair, StreamHistory
from pantarhei.model.time import TimeKind
from pantarhei.repair.result import Repair
from pantarhei.window.log import EMPTY_LOG, ByLevel, Log
from pantarhei.window.retention import History, PastEntries
from pantarhei.window.sliding import Window

STEP = Window(range=1).step_at(TimeKind.INTEGER, 0)
NOTHING = PastEntries(History())
NO_FACTS = np.empty((0, 3), np.int32)


def arrival(level, contradicted):
    return Arrival(level, NO_FACTS, np.empty(0, np.int32), NO_FACTS, contradicted)


def repair(at):
    return Repair(at, "exact")


def test_counters_go_up_by_what_is_said_and_the_others_stay():
    before = Counters(pushes=2, cut=1)
    assert before.plus(Counters(cut=3, late=1)) == Counters(pushes=2, cut=4, late=1)
    assert before == Counters(pushes=2, cut=1)


def test_a_repair_is_remembered_where_something_was_contradicted():
    history = with_arrival(StreamHistory(), EMPTY_LOG, STEP, arrival(0, True), repair(1), NOTHING)
    history = with_arrival(history, EMPTY_LOG, STEP, arrival(1, False), repair(2), NOTHING)
    assert [level for level, _ in history.repairs] == [0]
    assert history.arrival.level == 1
    assert (history.messages, history.counters.pushes, history.counters.repairs) == (2, 2, 1)


def test_an_abox_that_comes_again_with_more_has_one_repair():
    history = with_arrival(StreamHistory(), EMPTY_LOG, STEP, arrival(0, True), repair(1), NOTHING)
    history = with_arrival(history, EMPTY_LOG, STEP, arrival(0, True), repair(1), NOTHING)
    assert [level for level, _ in history.repairs] == [0]


@pytest.mark.parametrize(
    ("repairs", "left", "contradicted"),
    [(0, 0, True), (1, 1, True), (512, 0, True), (5_000, 0, True), (5_000, 1_300, False), (40_000, 7, True)],
)
def test_a_step_copies_few_of_the_remembered_repairs(repairs, left, contradicted):
    known = [PastRepair(level, repair(level)) for level in range(repairs)]
    before = StreamHistory(repairs=ByLevel.of(known))
    now, log = arrival(repairs, contradicted), Log.of((), left)
    after = with_arrival(before, log, STEP, now, repair(repairs), NOTHING)
    assert [level for level, _ in after.repairs] == list(range(left, repairs + contradicted))
    shared = set(map(id, before.repairs.chunks))
    assert sum(len(chunk) for chunk in after.repairs.chunks if id(chunk) not in shared) <= 1_024
    assert list(before.repairs) == known
