"""Arrays as the kernel reads them."""

import numpy as np

from pantarhei.materialize.readable import readable


def test_whatever_an_array_is_the_kernel_gets_contiguous_int32_with_the_same_numbers():
    rows = np.arange(12).reshape(4, 3)
    for array in (rows, rows[::2], rows.T, rows.astype(np.int32)[:, ::-1], rows.astype(np.uint8)):
        view = memoryview(readable(array))
        assert view.contiguous and view.format == "i" and view.itemsize == 4
        assert view.tolist() == array.tolist()


def test_what_the_kernel_writes_into_a_column_of_results_stands_in_the_array():
    results = np.zeros(3, np.int32)
    readable(results)[1] = 7
    assert results.tolist() == [0, 7, 0]


def test_no_facts_are_readable_too():
    assert memoryview(readable(np.empty((0, 3), np.int32))).shape == (0, 3)
