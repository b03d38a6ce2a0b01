"""Temporal rules cannot be read or kept."""

from __future__ import annotations

from pantarhei.errors.base import PantarheiError
from pantarhei.errors.queries import _marked


class TemporalRuleError(PantarheiError):
    """A temporal rule that is refused.

    Args:
        problem: what is wrong.
        expected: what would do instead.
        line, column: where it is written, both counted from 1; None for what was not read from a text.
        source_line: the line as it is written.
        source: the file that it was read from, None for none.
    """

    def __init__(
        self,
        problem: str,
        expected: str,
        line: int | None = None,
        column: int | None = None,
        source_line: str = "",
        source: str | None = None,
    ) -> None:
        super().__init__(problem, expected, line, column, source_line, source)
        self.problem, self.expected = problem, expected
        self.line, self.column, self.source_line, self.source = line, column, source_line, source

    _WHAT = "temporal rule refused"

    def __str__(self) -> str:
        said = f"{self.problem}; expected {self.expected}"
        if self.line is None or self.column is None:
            return f"{self._WHAT}: {said}"
        file = f"{self.source}, " if self.source else ""
        place = f"{self._WHAT}, {file}line {self.line}, column {self.column}"
        return f"{place}: {said}{_marked(self.column, self.source_line)}"


class TemporalTextError(TemporalRuleError):
    """The text of temporal rules cannot be read on, at a certain place."""

    _WHAT = "malformed temporal rules"


class NotKeyLocalRuleError(TemporalRuleError):
    """What Spark concludes by a rule, each shard alone, would not be what one reasoner concludes."""

    _WHAT = "temporal rule refused on Spark"


class ClingoNotFoundError(PantarheiError):
    """Answer streams are asked for, and clingo, which finds them, is not there.

    Args:
        reason: why it cannot be imported.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"answer streams are found by clingo ({self.reason}); pip install 'pantarhei[clingo]'"
