"""Arrays as the kernel reads them."""

import numpy as np
import pytest

from lineages import Case, instance_levels, lineage_of
from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.constants import FOREVER
from pantarhei.materialize.kernel_values import LevelChanges, contiguous


def test_whatever_an_array_is_the_kernel_gets_contiguous_int32_with_the_same_numbers():
    rows = np.arange(12).reshape(4, 3)
    for array in (rows, rows[::2], rows.T, rows.astype(np.int32)[:, ::-1], rows.astype(np.uint8)):
        view = memoryview(contiguous(array))
        assert view.contiguous and view.format == "i" and view.itemsize == 4
        assert view.tolist() == array.tolist()


def test_what_the_kernel_writes_into_a_column_of_results_stands_in_the_array():
    results = np.zeros(3, np.int32)
    contiguous(results)[1] = 7
    assert results.tolist() == [0, 7, 0]


def test_no_facts_are_readable_too():
    assert memoryview(contiguous(np.empty((0, 3), np.int32))).shape == (0, 3)


def changes(*rows):
    """Of rows (fact's number, old level, new level)."""
    columns = np.array(rows, np.int64).reshape(-1, 3).T
    facts = np.column_stack([columns[0], columns[0] * 2, np.full(len(rows), -1)]).astype(np.int32)
    return LevelChanges(facts, columns[1], columns[2])


def rows(found):
    return [(fact[0], old, new) for fact, old, new in zip(*(part.tolist() for part in found), strict=True)]


def test_of_each_fact_the_first_old_and_the_last_new_level_count():
    steps = [changes((7, 1, 2), (5, -1, 3)), changes((5, 3, 4), (7, 2, 9)), changes((7, 9, 8))]
    assert rows(LevelChanges.over(steps)) == [(5, -1, 4), (7, 1, 8)]


def test_what_ends_where_it_began_has_not_changed():
    steps = [changes((7, 1, -1), (5, -1, 3)), changes((7, -1, 1), (5, 3, -1))]
    assert rows(LevelChanges.over(steps)) == []


def test_a_fact_may_recur_within_a_part():
    assert rows(LevelChanges.over([changes((7, 1, 5), (3, 0, 5), (7, 4, 5))])) == [(3, 0, 5), (7, 1, 5)]


def test_those_that_stayed_are_told_from_those_that_came_and_went():
    assert rows(changes((1, -1, 2), (2, 0, 2), (3, 2, -1)).stayed) == [(2, 0, 2)]
    assert rows(LevelChanges.over([changes()])) == []


# 0 and 1 are asserted at 3 and 5, 2 is given, 3 follows from 0 and 2, and contradicts 1
CASE = Case({0: 3, 1: 5, 2: 4}, [(3, (0, 2))], [(7, (3, 1))], frozenset({2}))


def rows_of_lineage_rows(lineage, marked):
    return set(lineage.rows[marked].tolist())


@pytest.mark.parametrize(
    ("floor", "above", "below"),
    [(NONE, {0, 1}, set()), (2, {0, 1}, set()), (3, {1}, {0}), (4, {1}, {0}), (5, set(), {0, 1})],
)
def test_what_the_window_asserts_is_above_the_floor_or_below_it(floor, above, below):
    lineage = lineage_of(CASE)._replace(floor=floor)
    assert rows_of_lineage_rows(lineage, lineage.asserted) == above
    assert rows_of_lineage_rows(lineage, lineage.is_below_floor) == below
    assert rows_of_lineage_rows(lineage, lineage.background) == {2}


def test_what_is_given_and_always_holds_is_not_asserted():
    lineage = lineage_of(CASE)
    bases = np.where(lineage.rows == 2, FOREVER, lineage.assertion_levels)
    assert rows_of_lineage_rows(lineage, lineage._replace(assertion_levels=bases).asserted) == {0, 1}


def test_an_instance_gives_its_head_the_lowest_level_of_its_body():
    lineage = lineage_of(CASE)
    levels = np.array([{0: 3, 1: 5, 2: FOREVER, 3: 3}[row] for row in lineage.rows.tolist()], np.int64)
    assert instance_levels(lineage._replace(levels=levels)).tolist() == [3]
    empty = lineage._replace(instances=lineage.instances[:0])
    assert instance_levels(empty).tolist() == []


def test_rows_are_found_at_their_places():
    lineage = lineage_of(CASE)
    shuffled = lineage.rows[[2, 0, 3, 1, 1]]
    assert lineage.rows[lineage.places(shuffled)].tolist() == shuffled.tolist()


def test_bytes_are_those_of_the_columns():
    lineage = lineage_of(CASE)
    assert lineage.bytes == sum(column.nbytes for column in lineage[:6])
    assert isinstance(lineage[5], np.ndarray) and not isinstance(lineage[6], np.ndarray)
