"""How long a query may take, and how many bytes."""

from __future__ import annotations

import math
from time import monotonic

from pantarhei.errors import QueryMemoryError, QueryTimeoutError

_LONGEST = 1e9  # seconds, some thirty years
_ANY_ROWS = (1 << 31) - 1  # the kernel counts in 32 bits


class Guard:
    """The limits of one evaluation, asked at every operator, and before large arrays are made.

    Args:
        timeout: seconds from now on, None for any time.
        max_bytes: the largest size of the columns that one operator may make, None for any.
    """

    def __init__(self, timeout: float | None = None, max_bytes: int | None = None) -> None:
        self.timeout, self.max_bytes = timeout, max_bytes
        self._end = math.inf if timeout is None else monotonic() + min(timeout, _LONGEST)

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without a limit.

        Raises:
            QueryTimeoutError: none are.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise QueryTimeoutError(self.timeout or 0.0)
        return left

    def check(self) -> None:
        """Raises: QueryTimeoutError: the time is over."""
        if self.timeout is not None and monotonic() >= self._end:
            raise QueryTimeoutError(self.timeout)

    def check_rows(self, rows: int) -> None:
        """Whether so many matches may be found at once, each of which takes three columns at least.

        Raises:
            QueryMemoryError, QueryTimeoutError: as `check_room`.
        """
        self.check_room(rows, 3)

    @property
    def most_rows(self) -> int:
        """How many matches `check_rows` lets pass."""
        return _ANY_ROWS if self.max_bytes is None else min(_ANY_ROWS, self.max_bytes // 24)

    def check_room(self, rows: int, columns: int) -> None:
        """Whether a table of this size may be made.

        Raises:
            QueryMemoryError: it may not.
            QueryTimeoutError: the time is over.
        """
        self.check()
        if self.max_bytes is not None and 8 * rows * columns > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, 8 * rows * columns, rows)


NO_LIMITS = Guard()
