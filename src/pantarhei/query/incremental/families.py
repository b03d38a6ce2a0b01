"""Queries that differ in names alone: one plan keeps the answers of all of them.

Each of its rows ends with what the parameters of the shape stand for, and so says whose it is. Who joins
brings rows, and who leaves takes them away, as a step does.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from pantarhei.materialize.kernel.bags import put
from pantarhei.model.term import Term
from pantarhei.query.incremental.leaves import PatternLeaf
from pantarhei.query.incremental.operator import Bag, Operator, Row
from pantarhei.query.incremental.patterns import Patterns


@dataclass(eq=False)
class FamilyMember:
    """The queries of a family that have the same names.

    Args:
        names: what the parameters stand for.
        numbers: the numbers of the names.
    """

    names: tuple[Term, ...]
    numbers: Row


class Family:
    """The queries of one shape over one content.

    Args:
        root: the operator of their answers. Each above its leaf has one input.
        patterns: tell its leaf what comes and goes.
        number: gives the number of a name.
    """

    def __init__(self, root: Operator, patterns: Patterns, number: Callable[[Term], int]) -> None:
        self.root, self._patterns, self._number = root, patterns, number
        self._members: dict[Row, FamilyMember] = {}
        self._left: list[FamilyMember] = []  # who left, and whose rows are still there
        self._above: list[Operator] = []
        while root.inputs:
            self._above.insert(0, root)
            (root,) = root.inputs
        assert isinstance(root, PatternLeaf), "a shape has a pattern below"
        self._leaf = root

    @property
    def is_used(self) -> bool:
        """Whether it has any query."""
        return len(self._left) < len(self._members)

    @property
    def next_to_go(self) -> FamilyMember | None:
        """Whose rows `let_go` lets go of, None where nobody has left whose rows are there."""
        return self._left[-1] if self._left else None

    def join(self, names: tuple[Term, ...]) -> tuple[FamilyMember, Bag | None]:
        """One query more, and its rows; None if there is another one with these names. No step is under way,
        and nobody has left whose rows are there.
        """
        numbers = self._numbers(names)
        member, rows = self._members.get(numbers), None
        if member is None:
            member = FamilyMember(names, numbers)
            self._add(member)
            rows = {row[: -len(numbers)]: weight for row, weight in self._told(member, 1).items()}
        return member, rows

    def keep(self, members: Container[FamilyMember | None], undone: bool) -> None:
        """Have no members but these; `undone` as `SharedPlans.keep` takes it."""
        for member in list(self._members.values()):
            if member not in members and member not in self._left:
                if undone:
                    self._forget(member)
                else:
                    self._left.append(member)

    def let_go(self) -> None:
        """Have the rows of one of those no more that have left. No step is under way, nor a block of steps.

        Where it is broken off, whoever called it takes back what has been journaled, and then calls `stay`.
        """
        self._told(self._left[-1], -1)
        self._forget(self._left.pop())

    def stay(self, left: FamilyMember) -> None:
        """Have the rows of one still that has left, whose going was broken off."""
        if left not in self._left:
            self._left.append(left)
        self._add(left)
        for operator in (self._leaf, *self._above):
            operator.forget()

    def renumber(self) -> bool:
        """Look up the numbers of names again; gives whether any is another one."""
        members = list(self._members.values())
        if all(self._numbers(member.names) == member.numbers for member in members):
            return False
        self._leaf.wanted.clear()
        self._members.clear()
        for member in members:
            member.numbers = self._numbers(member.names)
            self._add(member)
        return True

    def _forget(self, member: FamilyMember) -> None:
        self._members.pop(member.numbers, None)
        self._leaf.wanted.pop(member.numbers, None)
        self._patterns.look_again()

    def _add(self, member: FamilyMember) -> None:
        self._members[member.numbers], self._leaf.wanted[member.numbers] = member, member.names
        self._patterns.look_again()

    def _numbers(self, names: tuple[Term, ...]) -> Row:
        return tuple(map(self._number, names))

    def _told(self, member: FamilyMember, sign: int) -> Mapping[Row, int]:
        """What comes out when the rows of a member come (1) or go (-1)."""
        rows = self._leaf.rows_with(member.names, member.numbers)
        change: Bag = {row: sign * weight for row, weight in rows.items()}
        for operator in self._above:
            made = dict(operator.change(change))
            more = operator.enter(member.numbers) if sign > 0 else operator.leave(member.numbers)
            for row, weight in more.items():
                put(made, row, weight)
            change = made
        return change
