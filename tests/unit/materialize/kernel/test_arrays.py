"""Sorting by digits is sorting."""

from __future__ import annotations

import numpy as np
import pytest

from pantarhei.materialize.kernel.arrays import (
    CACHE_LINE,
    Ints,
    aligned,
    ints_of,
    lengthened,
    new_bytes,
    new_ints,
    new_room,
    sorted_keys,
    sorted_with,
)


@pytest.mark.parametrize("count", [0, 1, 15, 16, 17, 1000])
def test_an_aligned_array_begins_with_a_line_of_the_cache_and_has_zeros(count):
    array = aligned(np.int32, count)
    assert count == 0 or array.ctypes.data % CACHE_LINE == 0
    assert len(array) == count and not array.any() and array.dtype == np.int32


def test_new_arrays_have_their_length_and_their_value():
    assert np.asarray(new_ints(3, -7)).tolist() == [-7] * 3
    assert np.asarray(new_bytes(3)).tolist() == [0] * 3 and np.asarray(new_bytes(3)).dtype == np.uint8
    assert len(new_room(5)) == 5 and np.asarray(new_room(5)).dtype == np.int32


def test_lengthened_flags_have_zeros_behind_them():
    assert np.asarray(lengthened(new_bytes(2), 4)).tolist() == [0] * 4
    assert np.asarray(lengthened(np.array([1, 2], np.uint8), 5)).tolist() == [1, 2, 0, 0, 0]


def test_integers_of_a_read_only_array_are_a_copy_that_can_be_written():
    array = np.arange(3)
    array.flags.writeable = False
    copy = ints_of(array)
    copy[0] = 9
    assert array.tolist() == [0, 1, 2] and np.asarray(copy).tolist() == [9, 1, 2]


def test_room_for_more_keeps_what_is_there_and_gives_none_up():
    ints = Ints()
    ints.size = 16  # all that a new one has room for
    ints.reserve(1000)
    ints.size = 1016
    assert len(ints.array()) == 1016 and ints.array()[:16].tolist() == [0] * 16
    ints.size = 3
    ints.reserve(1)
    ints.size = 1016
    assert len(ints.array()) == 1016


def test_the_array_of_integers_is_a_copy():
    ints = Ints()
    ints.size = 2
    taken = ints.array()
    taken[0] = 5
    assert ints.array().tolist() == [0, 0] and taken.dtype == np.int32


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
