"""Arrays as the kernel can read them, compiled or not."""

from __future__ import annotations

import numpy as np

from pantarhei.encoding.numbers import Integers
from pantarhei.materialize.kernel.rows import COMPILED


def readable(array: Integers) -> Integers | memoryview:
    """`array` for the kernel; uncompiled a memoryview, whose elements are Python ints."""
    contiguous = np.ascontiguousarray(array, np.int32)
    return contiguous if COMPILED else memoryview(contiguous.data)
