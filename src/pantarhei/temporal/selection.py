"""Selections: base rows that filter and project single events, evaluated by the kernel.

`hot(S) at T :- asserted temp(S, V) at T in [20], V >= 100` derives a conclusion from each event alone, with
its tick and its expiry. The conclusion is stored together with the event, as a base row (see `unfolding`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NO_FACTS, NONE, Fact, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel.constants import IN_RANGES, IS_NAME, IS_TERM, TIME_ARGUMENT
from pantarhei.materialize.kernel.fact_selection import FactSelection
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.materialize.kernel_values import contiguous
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Argument, Atom, Member, Rule
from pantarhei.model.term import Term
from pantarhei.temporal.literal_tests import Bits, RangeMemberships

TICK_PLACE: Final = 0
"""Position of the tick's time in `Selection.arguments`; the arguments of an event have positions from 1."""


class ArgumentCondition(NamedTuple):
    """Condition on an argument of an event.

    Args:
        place: position of the argument, from 1.
        operand: the term that the argument must equal, or the data range that must contain it. An IRI or a
            blank node is in no data range.
    """

    place: int
    operand: DataRange | Term


class Selection(NamedTuple):
    """Filter and projection of events.

    Args:
        arguments: for each argument of the row the position of the event's argument, or a constant;
            `TICK_PLACE`, if present, is last.
        conditions: conditions on the event's arguments.
    """

    arguments: tuple[int | Term, ...]
    conditions: tuple[ArgumentCondition, ...] = ()

    @property
    def is_dated(self) -> bool:
        """Test whether the tick is the last argument of the row."""
        return self.arguments[-1] == TICK_PLACE

    def through(self, atom: Atom, rule: Rule) -> Selection | None:
        """Compose the selection of the rows of `atom` with a rule that reads no other atom.

        Returns: The selection of the rows that the rule derives; None if there is none.

        >>> x, n, t = map(Variable, "xnt")
        >>> rule = Rule("", (Atom("b", (x, n, t)),), Atom("a", (x, t)))
        >>> Selection((1, 2, TICK_PLACE)).through(rule.body[0], rule)
        Selection(arguments=(1, 0), conditions=())
        """
        bound = dict(zip(atom.arguments, self.arguments, strict=False))
        is_one_to_one = len(bound) == len(atom.arguments) == len(self.arguments)
        if rule.head is None or rule.different or not is_one_to_one:
            return None
        conditions_on: list[tuple[Argument, DataRange | Term]]
        conditions_on = [(each, each) for each in bound if not isinstance(each, Variable)]
        for test in rule.tests:
            if not isinstance(test, Member) or not test.inside:
                return None
            conditions_on.append((test.argument, test.range))
        conditions = [*self.conditions]
        for argument, operand in conditions_on:
            place = bound.get(argument)
            if not isinstance(place, int) or place == TICK_PLACE:
                return None
            conditions.append(ArgumentCondition(place, operand))
        head = rule.head.arguments
        return _selection(
            [bound.get(each) if isinstance(each, Variable) else each for each in head], conditions
        )


def _selection(
    arguments: Sequence[int | Term | None], conditions: Iterable[ArgumentCondition]
) -> Selection | None:
    """Return the selection with these arguments; None if a base row cannot have them."""
    known = tuple(each for each in arguments if each is not None)
    if len(known) < len(arguments) or known[0] == TICK_PLACE or isinstance(known[0], Literal):
        return None
    if TICK_PLACE in known[:-1] or len(known) > (3 if known[-1] == TICK_PLACE else 2):
        return None
    return Selection(known, tuple(dict.fromkeys(conditions)))


class NumberedSelection(NamedTuple):
    """Selection in numbers, in the form of the kernel's `FactSelection`.

    Args:
        taken: for each argument except the tick, the position of the event's argument and `NONE`, or 0 and
            the number of a constant.
        conditions: for each condition its kind, the position of the argument, and two numbers of the operand.
    """

    taken: tuple[tuple[int, int], ...]
    conditions: tuple[tuple[int, int, int, int], ...] = ()


class NumberedSelections:
    """The selections of a program in numbers.

    Args:
        selections: the selections; None stands for all events, and is ignored.
        vocabulary: numbers terms, and decides membership in its data ranges.
    """

    def __init__(self, selections: Iterable[Selection | None], vocabulary: Vocabulary) -> None:
        given = list(dict.fromkeys(each for each in selections if each))
        operand = (condition.operand for each in given for condition in each.conditions)
        known = list(vocabulary.ranges)
        added = dict.fromkeys(each for each in operand if not isinstance(each, Term) and each not in known)
        self._ranges, self._number = [*known, *added], vocabulary.number
        self._width = (len(self._ranges) + 7) // 8
        self._memberships = RangeMemberships(self._ranges, vocabulary)
        self._of: dict[Selection | None, NumberedSelection] = {each: self._selector(each) for each in given}

    def of(self, selection: Selection | None) -> NumberedSelection | None:
        """Return a selection in numbers; None for None."""
        return self._of.get(selection)

    def _selector(self, selection: Selection) -> NumberedSelection:
        given = selection.arguments[:-1] if selection.is_dated else selection.arguments
        taken = tuple((each, NONE) if isinstance(each, int) else (0, self._number(each)) for each in given)
        bits: defaultdict[tuple[int, int], int] = defaultdict(int)
        conditions = []
        for place, operand in selection.conditions:
            if isinstance(operand, Term):
                conditions.append((IS_TERM, place, self._number(operand), NONE))
            else:
                byte, bit = divmod(self._ranges.index(operand), 8)
                bits[place, byte] |= 1 << bit
        conditions += [(IN_RANGES, place, byte, mask) for (place, byte), mask in bits.items()]
        if (
            taken[0][0] > 1
        ):  # the subject of a row is not a literal; only an argument after the first can be one
            conditions.append((IS_NAME, taken[0][0], NONE, NONE))
        return NumberedSelection(taken, tuple(conditions))

    def selecting(self, kinds: int, by_source: Mapping[int, Iterable[RowMapping[int]]]) -> FactSelection:
        """Return the kernel's `FactSelection` for rows, grouped by the predicate of their facts."""
        starts, codes, conditions = [0], list[tuple[int, ...]](), list[tuple[int, int, int, int]]()
        for source in range(max(by_source, default=-1) + 1):
            for mapping in by_source.get(source, ()):
                begin, taken = len(conditions), (*mapping.selector.taken, (TIME_ARGUMENT, NONE))[:2]
                conditions += mapping.selector.conditions
                (subject, object_) = taken
                codes.append((mapping.kind, mapping.target, *subject, *object_, begin, len(conditions)))
            starts.append(len(codes))
        return FactSelection(starts, np.ravel(codes), np.ravel(conditions), kinds, self._width)

    @property
    def memberships(self) -> Bits:
        """Membership bits of all literals, for `FactSelection`. Reading costs time linear in the new
        literals.
        """
        return self._memberships.bits


ALL_ARGUMENTS: Final = NumberedSelection(((1, NONE), (2, NONE)))
"""Selection of all facts, with both arguments."""

FIRST_ARGUMENT: Final = NumberedSelection(((1, NONE),))
"""Selection of all facts, with the first argument, and with the tick if the rows have one."""

K = TypeVar("K", bound=Hashable)


class RowMapping(NamedTuple, Generic[K]):
    """Rows that the facts of one predicate derive, one fact each.

    Args:
        source: predicate of the facts.
        target: predicate of the rows.
        kind: label of the rows, chosen by the caller.
        selector: filter and projection of the facts.
    """

    source: int
    target: int
    kind: K
    selector: NumberedSelection = ALL_ARGUMENTS


class RowPart(NamedTuple, Generic[K]):
    """Rows with one label.

    Args:
        kind: the label.
        rows: the rows, shape (n, 3).
        places: for each row the index of the fact that derives it.
    """

    kind: K
    rows: Integers
    places: Integers


class RowMapper(Generic[K]):
    """Evaluator of row mappings.

    Args:
        selectors: the program's selections.
        mappings: the mappings.

    Attributes:
        sources: predicates of the facts.
        targets: predicates of the rows, one for each mapping.
        is_one_to_one: true if each row has all arguments of its fact.
    """

    def __init__(self, selectors: NumberedSelections, mappings: Iterable[RowMapping[K]]) -> None:
        given = list(mappings)
        self._selectors, self._kinds = selectors, list(dict.fromkeys(each.kind for each in given))
        index_of = {kind: index for index, kind in enumerate(self._kinds)}
        by_source: defaultdict[int, list[RowMapping[int]]] = defaultdict(list)
        for source, target, kind, selector in given:
            by_source[source].append(RowMapping(source, target, index_of[kind], selector))
        self._selecting = selectors.selecting(len(self._kinds), by_source)
        self.sources = frozenset(by_source)
        self.targets = [each.target for each in given]
        self.is_one_to_one = all(each.selector in (ALL_ARGUMENTS, FIRST_ARGUMENT) for each in given)

    def rows_from(self, facts: Integers, time: int = NONE) -> list[RowPart[K]]:
        """Return the rows that facts derive, by label. Costs time linear in the facts and the rows.

        Args:
            time: number of the tick's time, stored in the free argument; `NONE` if rows have no tick.
        """
        if not len(facts) or not self.sources:
            return []
        rows, places, ranges = self._selecting.rows(contiguous(facts), self._selectors.memberships, time)
        return [RowPart(self._kinds[kind], rows[begin:end], places[begin:end]) for kind, begin, end in ranges]

    def followed(self, facts: Integers) -> Integers:
        """Return the facts whose predicates some mapping follows."""
        if not len(facts) or not self.sources:
            return NO_FACTS
        if len(self.sources) == 1:
            (predicate,) = self.sources
            found: Integers = facts[facts[:, 0] == predicate]
            return found
        return facts[np.isin(facts[:, 0], list(self.sources))]

    def add_runs(self, runs: Runs, facts: Integers) -> None:
        """Add the rows of facts to the kernel's runs."""
        if len(facts) and self.sources:
            runs.add(self._selecting, contiguous(facts), self._selectors.memberships)

    def remove_runs(self, runs: Runs, facts: Integers) -> None:
        """Remove rows of facts that were added at the present tick from the kernel's runs."""
        if len(facts) and self.sources:
            runs.withdraw(self._selecting, contiguous(facts), self._selectors.memberships)


class SupportCounts:
    """Number of facts at the present tick that derive each row.

    Counting begins with the first removal in a tick, which costs time linear in all facts of the tick. If no
    two facts derive equal rows, nothing is counted.

    Args:
        mappers: the mappings from facts to rows.
    """

    def __init__(self, *mappers: RowMapper[Any]) -> None:
        targets = [target for mapper in mappers for target in mapper.targets]
        is_shared = len(set(targets)) < len(targets)
        self._is_needed = is_shared or not all(each.is_one_to_one for each in mappers)
        self._counts: Counter[Fact] | None = None

    def reset(self) -> None:
        """Discard the counts at the start of a tick."""
        self._counts = None

    def add(self, rows: Integers) -> None:
        """Count the rows of added facts."""
        if self._counts is not None:
            self._counts.update(as_tuples(rows))

    def unsupported(
        self, lost: Sequence[Integers], remaining: Callable[[], Iterable[Integers]]
    ) -> list[Integers]:
        """Return the rows of removed facts that no remaining fact derives.

        Args:
            lost: the rows of the removed facts.
            remaining: returns the rows of all other facts, except those to be added next.
        """
        if not self._is_needed or not any(map(len, lost)):
            return list(lost)
        if self._counts is None:
            self._counts = Counter(row for rows in remaining() for row in as_tuples(rows))
        else:
            self._counts.subtract(row for rows in lost for row in as_tuples(rows))
        counts = self._counts
        return [rows[np.array([counts[row] <= 0 for row in as_tuples(rows)], bool)] for rows in lost]
