"""Rows that facts share go with the last of them."""

from types import SimpleNamespace

import numpy as np
import pytest

from pantarhei.encoding.numbers import as_tuples
from pantarhei.temporal.row_supports import RowSupports


def rows(*names):
    return np.array([(7, name, -1) for name in names], np.int32).reshape(-1, 3)


def names(parts):
    return [name for part in parts for _, name, _ in as_tuples(part)]


SHARED = SimpleNamespace(targets=[7], is_one_to_one=False)
OWN = SimpleNamespace(targets=[7], is_one_to_one=True)


@pytest.mark.parametrize("followings", [(SHARED,), (OWN, OWN)])
def test_a_row_goes_with_the_last_fact_that_supports_it(followings):
    supports = RowSupports(*followings)
    supports.add(rows(1, 1, 2))  # nobody counts yet
    assert names(supports.unsupported([rows(1, 2)], lambda: [rows(1), rows(3)])) == [2]
    supports.add(rows(1))
    assert names(supports.unsupported([rows(1)], lambda: 1 / 0)) == []
    assert names(supports.unsupported([rows(1), rows(3)], lambda: 1 / 0)) == [1, 3]
    supports.come_to_tick()
    assert names(supports.unsupported([rows(1)], lambda: [rows(1)])) == []


def test_where_each_fact_has_rows_of_its_own_nothing_is_counted():
    assert names(RowSupports(OWN).unsupported([rows(1, 2)], lambda: 1 / 0)) == [1, 2]
