"""What goes on, and should be known."""

from __future__ import annotations


class AxiomsInStreamWarning(UserWarning):
    """A stream asserts axioms, which are plain facts there. Said once a reasoner.

    Args:
        axiom: the first of them, as text.
    """

    def __init__(self, axiom: str) -> None:
        super().__init__(axiom)
        self.axiom = axiom

    def __str__(self) -> str:
        return (
            f"the stream asserts an axiom ({self.axiom}), and nothing follows from it there: axioms are read "
            "before the stream comes; give them as part of the ontology, or of the background"
        )


class MissingMemberWarning(UserWarning):
    """No row of JSON so far has a member that the mapping refers to. Emitted once per member and reader.

    Args:
        source: the file.
        member: the member.
        rows: how many rows have been read.
        hint: what to do, as text.
    """

    def __init__(self, source: str, member: str, rows: int, hint: str = "") -> None:
        super().__init__(source, member, rows, hint)
        self.source, self.member, self.rows, self.hint = source, member, rows, hint

    def __str__(self) -> str:
        return (
            f"{self.source}: none of {self.rows:,} rows has a value in {self.member}, to which the mapping "
            f"refers; no triple is made of it{self.hint}"
        )


class NumbersApartWarning(UserWarning):
    """Numbers of a stream can never meet: some are xsd:double or xsd:float, others decimals. Said once a
    kind: of conditions that no value meets, and of values that are never equal.

    Args:
        what: the property and its values, as text.
        of_conditions: whether it is of the first kind.
        of_texts: whether the values are texts that read as numbers, which meet no condition on numbers.
    """

    def __init__(self, what: str, of_conditions: bool = False, of_texts: bool = False) -> None:
        super().__init__(what, of_conditions, of_texts)
        self.what, self.of_conditions, self.of_texts = what, of_conditions, of_texts

    def __str__(self) -> str:
        if self.of_texts:
            return f"{self.what}; write it with a datatype of numbers, such as xsd:decimal"
        way_out = 'read numbers by value (numbers="by_value"), or write both with datatypes of one kind'
        return f"{self.what}; {way_out}"


class TimesCutWarning(UserWarning):
    """Times of a stream are finer than microseconds and were cut. Emitted once per reader.

    Args:
        source: the file, or what else has the times.
        text: the first of them, as text.
    """

    def __init__(self, source: str, text: str) -> None:
        super().__init__(source, text)
        self.source, self.text = source, text

    def __str__(self) -> str:
        return (
            f"{self.source}: the time {self.text} is cut to microseconds, as all finer times are; times that "
            'differ in nanoseconds become equal. times_cut counts them, precision="exact" refuses them'
        )


class UndecidedRepairWarning(UserWarning):
    """A repair reached a limit and removed facts that it had not decided. Emitted once per reasoner;
    `stats().undecided` counts on.

    Args:
        at: the timestamp of the repair, as text.
        facts: how many facts it removed so.
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
    """The kernel runs uncompiled: correct, and some hundred times slower. Said once a process."""
