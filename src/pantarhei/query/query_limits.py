"""Limits of a query: its text's length, its time, and the bytes of its rows and texts."""

from __future__ import annotations

import math
from time import monotonic

from pantarhei.errors import QueryLengthError, QueryMemoryError, QueryTimeoutError

MAX_LENGTH = 1_000_000
"""Characters that the text of a query may have by default."""

# A text that functions make is in memory up to three times: as a text, as a term, and as the term's value.
COPIES = 3

_LONGEST = 1e9  # seconds, some thirty years
_ANY_ROWS = (1 << 31) - 1  # the kernel counts in 32 bits
_BETWEEN_CHECKS = 1 << 20  # bytes of texts; making them takes some milliseconds


class QueryLimits:
    """The limits of one evaluation, checked by every operator, and before large arrays and texts are made.

    Args:
        timeout: seconds from now on, None for any time.
        max_bytes: the largest size of the columns that one operator may make, and of all texts that functions
            make; None for any.
        max_length: number of characters of the query's text, None for any.
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

    def check_length(self, text: str) -> None:
        """Check the length of the query's text.

        Raises:
            QueryLengthError: it is too long.
        """
        if self.max_length is not None and len(text) > self.max_length:
            raise QueryLengthError(len(text), self.max_length)

    def check_rows(self, rows: int) -> None:
        """Check whether `rows` matches may be found at once, each in three columns at least.

        Raises:
            QueryMemoryError, QueryTimeoutError: as `check_room`.
        """
        self.check_room(rows, 3)

    @property
    def most_rows(self) -> int:
        """How many matches `check_rows` lets pass."""
        return _ANY_ROWS if self.max_bytes is None else min(_ANY_ROWS, self.max_bytes // 24)

    def check_room(self, rows: int, columns: int) -> None:
        """Check whether a table of this size may be made.

        Raises:
            QueryMemoryError: it may not.
            QueryTimeoutError: the time is over.
        """
        self.check()
        if self.max_bytes is not None and 8 * rows * columns > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, 8 * rows * columns, rows)

    def restart(self) -> None:
        """Forget the texts that were counted: another evaluation begins."""
        self._texts = self._checked = 0

    def check_text(self, size: int) -> None:
        """Check whether a text of `size` bytes may be made, beside those made before.

        Raises:
            QueryMemoryError: it may not.
            QueryTimeoutError: the time is over.
        """
        if size > _BETWEEN_CHECKS:
            self.check()
        needed = self._texts + COPIES * size
        if self.max_bytes is not None and needed > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, needed)

    def count_text(self, text: str) -> None:
        """Count a text that was made, and is kept until the evaluation ends.

        Raises: as `check_text`.
        """
        self._texts += COPIES * size_of(text)
        if self.max_bytes is not None and self._texts > self.max_bytes:
            raise QueryMemoryError(self.max_bytes, self._texts)
        if self._texts - self._checked > _BETWEEN_CHECKS:
            self._checked = self._texts
            self.check()


def size_of(text: str) -> int:
    """Return the bytes that a text takes at most.

    >>> size_of("abc"), size_of("über")
    (3, 16)
    """
    return len(text) if text.isascii() else 4 * len(text)


NO_LIMITS = QueryLimits()
