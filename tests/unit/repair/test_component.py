"""What the search in a component may keep at once, and how components share their steps."""

import pytest

from pantarhei.proofs.antichain import Antichain, Exceeded, Meter
from pantarhei.repair.component import Allowance


def test_sets_that_a_smaller_one_replaces_are_kept_no_longer():
    antichain = Antichain(Meter(sets=3, steps=1000))
    for large in ({1, 2}, {1, 3}, {1, 4}):
        antichain.add(frozenset(large))
    with pytest.raises(Exceeded):
        antichain.add(frozenset({5}))
    antichain = Antichain(Meter(sets=4, steps=1000))
    for one in ({1, 2}, {1, 3}, {1, 4}, {1}, {5}, {6}, {7}):
        antichain.add(frozenset(one))
    assert antichain.sets == {frozenset({number}) for number in (1, 5, 6, 7)}


def test_parts_share_what_is_left_and_the_smaller_ones_come_first():
    allowance = Allowance(sets=1, steps=100)
    seen = []
    for part, meter in allowance.metered(["bbb", "a", "ccc"], len, later=1):
        seen.append((part, meter.steps))
        if part == "bbb":
            with pytest.raises(Exceeded):
                meter.spend(1000)
        else:
            meter.spend(10)
    assert seen == [("a", 25), ("bbb", 30), ("ccc", 30)]
    assert allowance.steps == 100 - 10 - 30 - 10
