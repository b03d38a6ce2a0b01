"""The columns of a lineage: what is asserted above its floor and below it."""

import numpy as np
import pytest

from lineages import Case, lineage_of
from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.constants import FOREVER

# 0 and 1 are asserted at 3 and 5, 2 is given, 3 follows from 0 and 2, and contradicts 1
CASE = Case({0: 3, 1: 5, 2: 4}, [(3, (0, 2))], [(7, (3, 1))], frozenset({2}))


def rows(lineage, marked):
    return set(lineage.rows[marked].tolist())


@pytest.mark.parametrize(
    ("floor", "above", "below"),
    [(NONE, {0, 1}, set()), (2, {0, 1}, set()), (3, {1}, {0}), (4, {1}, {0}), (5, set(), {0, 1})],
)
def test_what_the_window_asserts_is_above_the_floor_or_below_it(floor, above, below):
    lineage = lineage_of(CASE)._replace(floor=floor)
    assert rows(lineage, lineage.asserted) == above
    assert rows(lineage, lineage.is_below_floor) == below
    assert rows(lineage, lineage.background) == {2}


def test_what_is_given_and_always_holds_is_not_asserted():
    lineage = lineage_of(CASE)
    bases = np.where(lineage.rows == 2, FOREVER, lineage.bases)
    assert rows(lineage, lineage._replace(bases=bases).asserted) == {0, 1}


def test_an_instance_gives_its_head_the_lowest_level_of_its_body():
    lineage = lineage_of(CASE)
    levels = np.array([{0: 3, 1: 5, 2: FOREVER, 3: 3}[row] for row in lineage.rows.tolist()], np.int64)
    assert lineage._replace(levels=levels).instance_levels.tolist() == [3]
    empty = lineage._replace(instances=lineage.instances[:0])
    assert empty.instance_levels.tolist() == []


def test_rows_are_found_at_their_places():
    lineage = lineage_of(CASE)
    shuffled = lineage.rows[[2, 0, 3, 1, 1]]
    assert lineage.rows[lineage.places(shuffled)].tolist() == shuffled.tolist()


def test_bytes_are_those_of_the_columns():
    lineage = lineage_of(CASE)
    assert lineage.bytes == sum(column.nbytes for column in lineage[:6])
    assert isinstance(lineage[5], np.ndarray) and not isinstance(lineage[6], np.ndarray)
