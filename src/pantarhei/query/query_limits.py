"""Limits of a query: length of its text, time, and bytes of its rows and strings."""

from __future__ import annotations

import math
from time import monotonic

from pantarhei.errors import QueryLengthError, QueryMemoryError, QueryTimeoutError

MAX_LENGTH = 1_000_000
"""Default limit of the characters of a query's text."""

# A computed string is in memory up to three times: as a string, as a term, and as the term's value.
COPIES = 3

_LONGEST = 1e9  # seconds, some thirty years
_ANY_ROWS = (1 << 31) - 1  # the kernel counts in 32 bits
_BETWEEN_CHECKS = 1 << 20  # bytes of strings; computing them takes some milliseconds


class QueryLimits:
    """Limits of one evaluation, checked by every operator, and before large arrays and strings are allocated.

    Args:
        timeout: seconds from now, None for no limit.
        max_bytes: greatest size of the columns of one operator, and of all computed strings; None for no
            limit.
        max_length: greatest number of characters of the query's text, None for no limit.
    """

    def __init__(
        self,
        timeout: float | None = None,
        max_bytes: int | None = None,
        max_length: int | None = MAX_LENGTH,
    ) -> None:
        self.timeout, self.max_bytes, self.max_length = timeout, max_bytes, max_length
        self._end = math.inf if timeout is None else monotonic() + min(timeout, _LONGEST)
        self._texts = self._checked = 0

    @property
    def left(self) -> float:
        """Remaining seconds; infinite without a limit.

        Raises:
            QueryTimeoutError: no time remains.
        """
        left = self._end - monotonic()
        if left <= 0:
            raise QueryTimeoutError(self.timeout or 0.0)
        return left

    def check(self) -> None:
        """Raises: QueryTimeoutError: the time is over."""
        if self.timeout is not None and monotonic() >= self._end:
            raise QueryTimeoutError(self.timeout)

    def check_length(self, text: str) -> None:
        """Check the length of the query's text.

        Raises:
            QueryLengthError: it is too long.
        """
        if self.max_length is not None and len(text) > self.max_length:
            raise QueryLengthError(len(text), self.max_length)

    def check_rows(self, rows: int) -> None:
        """Validate that `rows` matches, of three columns each, fit into the limit.

        Raises:
            QueryMemoryError, QueryTimeoutError: as `check_room`.
        """
        self.check_room(rows, 3)

    @property
    def most_rows(self) -> int:
        """Greatest number of matches that `check_rows` accepts."""
        return _ANY_ROWS if self.max_bytes is None else min(_ANY_ROWS, self.max_bytes // 24)

    def check_room(self, rows: int, columns: int) -> None:
        """Validate that a table of this size fits into the limit.

        Raises:
            QueryMemoryError: it does not.
            QueryTimeoutError: the time is over.
        """
        self.check()
        if self.max_bytes is not None and 8 * rows * columns > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, 8 * rows * columns, rows)

    def restart(self) -> None:
        """Reset the count of strings for another evaluation."""
        self._texts = self._checked = 0

    def check_text(self, size: int) -> None:
        """Validate that a string of `size` bytes fits into the limit beside the counted ones.

        Raises:
            QueryMemoryError: it does not.
            QueryTimeoutError: the time is over.
        """
        if size > _BETWEEN_CHECKS:
            self.check()
        needed = self._texts + COPIES * size
        if self.max_bytes is not None and needed > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, needed)

    def count_text(self, text: str) -> None:
        """Count a string that is kept until the evaluation ends.

        Raises: as `check_text`.
        """
        self._texts += COPIES * size_of(text)
        if self.max_bytes is not None and self._texts > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, self._texts)
        if self._texts - self._checked > _BETWEEN_CHECKS:
            self._checked = self._texts
            self.check()


def size_of(text: str) -> int:
    """Return an upper bound of the bytes of a string.

    >>> size_of("abc"), size_of("über")
    (3, 16)
    """
    return len(text) if text.isascii() else 4 * len(text)


NO_LIMITS = QueryLimits()
