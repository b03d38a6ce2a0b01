"""What is asked for, or to be done, is not to be had."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError


def doubt_of(lost: int) -> str:
    """Explain why a denial is uncertain where axioms of the ontology are lost.

    >>> doubt_of(144)
    '144 axioms of the ontology are lost (report() and pantarhei check list them), so it may still be true'
    """
    subject = "1 axiom of the ontology is" if lost == 1 else f"{lost:,} axioms of the ontology are"
    return f"{subject} lost (report() and pantarhei check list them), so it may still be true"


class NotEntailedError(PantarheiError):
    """A proof is requested for a statement that cannot be derived.

    Args:
        statement: the statement, in N-Triples syntax or as an axiom.
        at: the time of the question; None where no time has passed.
        reason: why there is no proof.
        unknown: the names in the statement that occur nowhere, each an `UnknownName` with similar names.
        lost: number of axioms of the ontology that are lost in whole or in part; above 0 the denial is
            uncertain.
    """

    def __init__(
        self,
        statement: str,
        at: str | None = None,
        reason: str | None = None,
        unknown: Sequence[object] = (),
        lost: int = 0,
    ) -> None:
        super().__init__(statement, at, reason, tuple(unknown), lost)
        self.statement, self.at, self.reason = statement, at, reason
        self.unknown, self.lost = tuple(unknown), lost

    def __str__(self) -> str:
        when = "" if self.at is None else f" at {self.at}"
        far = ", as far as the rules derive" if self.lost else ""
        reasons = [self.reason or "why_not says what is missing", *map(str, self.unknown)]
        reasons += [doubt_of(self.lost)] if self.lost else []
        return f"{self.statement} does not hold{when}{far}: {'; '.join(reasons)}"


class EntailedError(PantarheiError):
    """Missing facts are requested for a statement that holds.

    Args:
        statement: the statement, in N-Triples syntax.
        at: the time of the question; None where no time has passed.
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
