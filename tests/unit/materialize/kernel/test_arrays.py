"""Arrays of integers, as the kernel grows and copies them."""

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
    ints.expect(1000)
    ints.size = 1016
    assert len(ints.array()) == 1016 and ints.array()[:16].tolist() == [0] * 16
    ints.size = 3
    ints.expect(1)
    ints.size = 1016
    assert len(ints.array()) == 1016


def test_the_array_of_integers_is_a_copy():
    ints = Ints()
    ints.size = 2
    taken = ints.array()
    taken[0] = 5
    assert ints.array().tolist() == [0, 0] and taken.dtype == np.int32
