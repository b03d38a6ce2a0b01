"""The different values of columns."""

import numpy as np
import pytest

from pantarhei.query.expressions.distinct import distinct, distinct_rows


@pytest.mark.parametrize("values", [[5, 3, 5, -1], [1 << 40, 0, 1 << 40], [7], []], ids=str)
def test_each_row_has_the_place_of_its_value(values: list[int]) -> None:
    column = np.array(values, np.int64)
    found, places = distinct(column)
    assert found.tolist() == sorted(set(values))
    assert found[places].tolist() == values


def test_each_row_has_the_place_of_its_combination() -> None:
    one, other = np.array([2, 1, 2, 2]), np.array([1 << 40, 5, 1 << 40, 5])
    rows, places = distinct_rows([one, other])
    assert rows.tolist() == [1, 3, 0]  # (1, 5), (2, 5), (2, 1 << 40), each where it stands first
    assert places.tolist() == [2, 0, 2, 1]


def test_no_rows_have_no_combinations() -> None:
    rows, places = distinct_rows([np.empty(0, np.int64), np.empty(0, np.int64)])
    assert (len(rows), len(places)) == (0, 0)
