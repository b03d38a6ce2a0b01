"""Sorting by digits is sorting."""

import numpy as np
import pytest

from pantarhei.materialize.kernel.radix import sorted_keys, sorted_with

RANDOM = np.random.default_rng(5)
CASES = {
    "none": np.empty(0, np.int64),
    "one": np.array([7]),
    "few": RANDOM.integers(1 << 40, size=9),
    "many that vary in all digits": RANDOM.integers(1 << 62, size=20_000),
    "many with repetitions": RANDOM.integers(50, size=20_000) << 32,
    "all the same": np.full(20_000, 1 << 50),
    "the largest there are": np.int64((1 << 63) - 1) - RANDOM.integers(1000, size=20_000),
    "facts": (RANDOM.integers(3000, size=20_000) << 32)
    | RANDOM.integers(1 << 30, (1 << 30) + 99, size=20_000),
    "in order": np.arange(20_000) << 20,
    "backwards": np.arange(20_000)[::-1] << 20,
}


@pytest.mark.parametrize("keys", CASES.values(), ids=CASES)
def test_keys_come_in_order_and_what_stands_beside_them_along(keys):
    given, places = keys.copy(), np.arange(len(keys), dtype=np.int32)
    expected = np.argsort(keys, kind="stable")
    assert sorted_keys(keys).tolist() == keys[expected].tolist()
    found, beside = sorted_with(keys, places)
    assert found.tolist() == keys[expected].tolist()
    assert beside.tolist() == expected.tolist()
    assert keys.tolist() == given.tolist()
