"""Times of a source that are cut to microseconds: their number, and one warning."""

from __future__ import annotations

import warnings
from typing import get_args

from pantarhei.errors import TimesCutWarning, check_choice
from pantarhei.language.time import Precision


class CutTimes:
    """Number of times of a source that were cut; the first one emits a `TimesCutWarning`.

    Args:
        source: the file, or what else has the times.

    Attributes:
        count: how many messages or rows had such a time.
    """

    def __init__(self, source: str) -> None:
        self._source, self.count = source, 0

    def __call__(self, text: str, count: int = 1) -> None:
        """Count messages or rows; `text` is the time of the first."""
        if count and not self.count:
            warnings.warn(TimesCutWarning(self._source, text), stacklevel=2)
        self.count += count


def check_precision(given: object) -> None:
    """Check a `precision`.

    Raises:
        OptionError: it is neither "microseconds" nor "exact".
    """
    check_choice("precision", given, get_args(Precision))
