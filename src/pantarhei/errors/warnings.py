"""Warnings."""

from __future__ import annotations

from pantarhei.errors.base import parameter


class AxiomsInStreamWarning(UserWarning):
    """A stream asserts axioms, which have no effect there. Emitted once per reasoner.

    Args:
        axiom: the first axiom, as text.
    """

    def __init__(self, axiom: str) -> None:
        super().__init__(axiom)
        self.axiom = axiom

    def __str__(self) -> str:
        return (
            f"the stream asserts an axiom ({self.axiom}), which has no effect: axioms are read before the "
            "stream; put them into the ontology or the background"
        )


class MissingMemberWarning(UserWarning):
    """No row of JSON so far has a member that the mapping refers to. Emitted once per member and reader.

    Args:
        source: the file.
        member: the member.
        rows: number of rows read.
        hint: a remedy, as text.
    """

    def __init__(self, source: str, member: str, rows: int, hint: str = "") -> None:
        super().__init__(source, member, rows, hint)
        self.source, self.member, self.rows, self.hint = source, member, rows, hint

    def __str__(self) -> str:
        return (
            f"{self.source}: none of {self.rows:,} rows has a value in {self.member}, to which the mapping "
            f"refers; it produces no triples{self.hint}"
        )


class NumbersApartWarning(UserWarning):
    """Numbers of a stream that are never equal: some are xsd:double or xsd:float, others decimals.

    Emitted once for conditions that no value fulfils, and once for values that are never equal.

    Args:
        what: the property and its values, as text.
        of_conditions: whether a condition is concerned.
        of_texts: whether the values are texts that look like numbers, which fulfil no condition on numbers.
    """

    def __init__(self, what: str, of_conditions: bool = False, of_texts: bool = False) -> None:
        super().__init__(what, of_conditions, of_texts)
        self.what, self.of_conditions, self.of_texts = what, of_conditions, of_texts

    def __str__(self) -> str:
        if self.of_texts:
            return f"{self.what}; write it with a datatype of numbers, such as xsd:decimal"
        by_value = parameter("numbers", '"by_value"')
        return f"{self.what}; read numbers by value ({by_value}), or write both with datatypes of one kind"


class TimesCutWarning(UserWarning):
    """Times of a stream are finer than microseconds and were cut. Emitted once per reader.

    Args:
        source: the file or other source.
        text: the first such time, as text.
    """

    def __init__(self, source: str, text: str) -> None:
        super().__init__(source, text)
        self.source, self.text = source, text

    def __str__(self) -> str:
        exact = parameter("precision", '"exact"')
        return (
            f"{self.source}: the time {self.text} is cut to microseconds, as all finer times are; times that "
            f"differ in nanoseconds become equal. times_cut counts them, {exact} refuses them"
        )


class UndecidedRepairWarning(UserWarning):
    """A repair reached a limit and removed undecided facts. Emitted once per reasoner; `stats().undecided`
    counts all.

    Args:
        at: the timestamp of the repair, as text.
        facts: number of facts removed undecided.
    """

    def __init__(self, at: str, facts: int) -> None:
        super().__init__(at, facts)
        self.at, self.facts = at, facts

    def __str__(self) -> str:
        removed = "1 fact" if self.facts == 1 else f"{self.facts:,} facts"
        return (
            f"the repair at {self.at} reached a limit of its budget and removed {removed} undecided; "
            "update.repair.undecided has them, stats().undecided counts all of the stream; a larger budget "
            "(budget=Budget(...)) decides more"
        )


class UncompiledKernelWarning(RuntimeWarning):
    """The kernel runs uncompiled, some hundred times slower. Emitted once per process."""
