"""Arrays as the kernel can read them, compiled or not."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pantarhei.materialize.kernel.rows import COMPILED


def readable(array: npt.NDArray[Any], dtype: npt.DTypeLike = np.int32) -> npt.NDArray[Any] | memoryview:
    """`array` for the kernel; uncompiled a memoryview, whose elements are Python ints."""
    contiguous = np.ascontiguousarray(array, dtype)
    return contiguous if COMPILED else memoryview(contiguous.data)
