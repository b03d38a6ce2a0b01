"""Hash tables of rows: large enough, and without gaps that would hide a row."""

import random

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.arrays import CACHE_LINE
from pantarhei.materialize.kernel.cells import Cells, new_cells, room_for
from rule_models import RuleModel


@pytest.mark.parametrize("keys", [0, 1, 5, 6, 10, 11, 682, 683, 100_000])
@pytest.mark.parametrize("size", [8, 1024])
def test_room_is_the_least_doubling_that_is_two_thirds_full_at_most(size, keys):
    room = room_for(size, keys)
    assert room % size == 0 and 3 * keys <= 2 * room
    assert room == size or 3 * keys > 2 * (room // 2)


def test_new_cells_are_empty_and_begin_with_a_line_of_the_cache():
    cells = np.asarray(new_cells(64))
    assert (cells == NONE).all() and len(cells) == 128
    assert cells.ctypes.data % CACHE_LINE == 0


def test_a_table_grows_and_never_shrinks():
    cells = Cells(16)
    assert (cells.size, cells.keys, cells.count()) == (16, 0, 0)
    cells.grow_to(64)
    cells.grow_to(32)
    assert (cells.size, cells.count()) == (64, 0)
    assert cells.size_for(10) == 64 and cells.size_for(43) == 128


def test_every_row_is_found_while_others_come_and_go():
    """A row removed from a run of cells leaves no gap before those that had to stand further on."""
    model, chance, there = RuleModel(), random.Random(3), set()
    for _ in range(12):
        came = {(0, chance.randrange(4000), NONE) for _ in range(600)}
        model.model.add(np.array(sorted(came), np.int32), 0)
        there |= came
        gone = set(chance.sample(sorted(there), 400))
        model.model.cut(np.array(sorted(gone), np.int32))
        there -= gone
        found = {(0, who, NONE) for who in range(4000) if model.kernel.store.row_of(0, who, NONE) >= 0}
        assert found == there
    model.kernel.check_invariants()
