"""What is asked for, or to be done, is not to be had."""

from __future__ import annotations

from pantarhei.errors.base import PantarheiError


class NotEntailedError(PantarheiError):
    """A proof is asked for of what does not hold.

    Args:
        statement: what was asked, in N-Triples syntax or as an axiom.
        at: the time it was asked for; None where no time has passed.
        reason: what is known of it besides.
    """

    def __init__(self, statement: str, at: str | None = None, reason: str | None = None) -> None:
        super().__init__(statement, at, reason)
        self.statement, self.at, self.reason = statement, at, reason

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        return f"{self.statement} does not hold{when}: {self.reason or 'why_not says what is missing'}"


class EntailedError(PantarheiError):
    """What is missing for a triple to hold is asked for, and it holds.

    Args:
        statement: what was asked, in N-Triples syntax.
        at: the time it was asked for; None where no time has passed.
    """

    def __init__(self, statement: str, at: str | None = None) -> None:
        super().__init__(statement, at)
        self.statement, self.at = statement, at

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        return f"{self.statement} holds{when}, so nothing is missing; explain says why it does"


class DeltaNotKeptError(PantarheiError):
    """What a step changed in the materialization is asked for, where only what is needed is derived."""

    def __str__(self) -> str:
        return (
            'update.delta is not known with derive="needed", by which only what registered queries and '
            'constraints need is derived; register a query for what is to be followed, or take derive="all"'
        )


class ReadOnlyError(PantarheiError):
    """An attempt to write to a live view of the materialization."""

    def __init__(self, attempt: str) -> None:
        super().__init__(attempt)
        self.attempt = attempt

    def __str__(self) -> str:
        return (
            f"cannot {self.attempt}: this graph is a read-only view of what holds; "
            "what is asserted changes by push, or by change of a DynamicGraph; "
            "a copy that can be written to is rdflib.Graph() + graph"
        )
