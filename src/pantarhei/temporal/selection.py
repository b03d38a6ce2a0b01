"""What follows from one event by itself: which events, and which of their arguments it has.

`hot(S) at T :- asserted temp(S, V) at T in [20], V >= 100` says of each event alone what holds at its tick,
and how long that is seen. So what it says comes with the event, as a base row (see `unfolding`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import NONE, Fact, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel.constants import IN_RANGES, IS_NAME, IS_TERM, TIME_PLACE
from pantarhei.materialize.kernel.runs import Runs
from pantarhei.materialize.kernel.selecting import Selecting
from pantarhei.materialize.kernel_values import readable
from pantarhei.model.data_range import DataRange
from pantarhei.model.rule import Argument, Atom, Member, Rule
from pantarhei.model.term import Term
from pantarhei.temporal.literal_tests import Bits, RangeMemberships

TICK_PLACE: Final = 0
"""The place of the tick's time: the arguments of an event stand behind it."""


class ArgumentCondition(NamedTuple):
    """What an argument of an event is to meet.

    Args:
        place: which argument, from 1.
        wanted: what it is to be, or to be in; a name is in no data range.
    """

    place: int
    wanted: DataRange | Term


class Selection(NamedTuple):
    """Which events something follows from, and its arguments.

    Args:
        arguments: places of the event's arguments, and terms; `TIME_VARIABLE` is the last if it is there.
        conditions: what the events meet.
    """

    arguments: tuple[int | Term, ...]
    conditions: tuple[ArgumentCondition, ...] = ()

    @property
    def is_dated(self) -> bool:
        """Whether the tick is the last argument."""
        return self.arguments[-1] == TICK_PLACE

    def through(self, atom: Atom, rule: Rule) -> Selection | None:
        """What follows by a rule from an atom of its body that is as this says, and from no other; None where
        that is not to be had.

        >>> x, n, t = map(Variable, "xnt")
        >>> rule = Rule("", (Atom("b", (x, n, t)),), Atom("a", (x, t)))
        >>> Selection((1, 2, TIME_VARIABLE)).through(rule.body[0], rule)
        Selection(arguments=(1, 0), conditions=())
        """
        bound = dict(zip(atom.arguments, self.arguments, strict=False))
        is_one_to_one = len(bound) == len(atom.arguments) == len(self.arguments)
        if rule.head is None or rule.different or not is_one_to_one:
            return None
        asked: list[tuple[Argument, DataRange | Term]]
        asked = [(each, each) for each in bound if not isinstance(each, Variable)]
        for test in rule.tests:
            if not isinstance(test, Member) or not test.inside:
                return None
            asked.append((test.argument, test.range))
        conditions = [*self.conditions]
        for argument, wanted in asked:
            place = bound.get(argument)
            if not isinstance(place, int) or place == TICK_PLACE:
                return None
            conditions.append(ArgumentCondition(place, wanted))
        head = rule.head.arguments
        return _selection(
            [bound.get(each) if isinstance(each, Variable) else each for each in head], conditions
        )


def _selection(
    arguments: Sequence[int | Term | None], conditions: Iterable[ArgumentCondition]
) -> Selection | None:
    """With these arguments, if rows can have them."""
    known = tuple(each for each in arguments if each is not None)
    if len(known) < len(arguments) or known[0] == TICK_PLACE or isinstance(known[0], Literal):
        return None
    if TICK_PLACE in known[:-1] or len(known) > (3 if known[-1] == TICK_PLACE else 2):
        return None
    return Selection(known, tuple(dict.fromkeys(conditions)))


class NumberedSelection(NamedTuple):
    """A selection in numbers, as the kernel's `Selecting` takes them.

    Args:
        taken: for each argument of what follows, but for the tick, the place of the event's argument, or 0
            and the number of a term.
        conditions: what is asked, of the argument at which place, and the numbers that say what it is to be.
    """

    taken: tuple[tuple[int, int], ...]
    conditions: tuple[tuple[int, int, int, int], ...] = ()


class NumberedSelections:
    """The selectors of selections.

    Args:
        selections: all of them; None has none.
        vocabulary: numbers terms, and knows the literals that are in its ranges.
    """

    def __init__(self, selections: Iterable[Selection | None], vocabulary: Vocabulary) -> None:
        given = list(dict.fromkeys(each for each in selections if each))
        wanted = (condition.wanted for each in given for condition in each.conditions)
        known = list(vocabulary.ranges)
        added = dict.fromkeys(each for each in wanted if not isinstance(each, Term) and each not in known)
        self._ranges, self._number = [*known, *added], vocabulary.number
        self._width = (len(self._ranges) + 7) // 8
        self._memberships = RangeMemberships(self._ranges, vocabulary)
        self._of: dict[Selection | None, NumberedSelection] = {each: self._selector(each) for each in given}

    def of(self, selection: Selection | None) -> NumberedSelection | None:
        """The selector of one of the selections."""
        return self._of.get(selection)

    def _selector(self, selection: Selection) -> NumberedSelection:
        given = selection.arguments[:-1] if selection.is_dated else selection.arguments
        taken = tuple((each, NONE) if isinstance(each, int) else (0, self._number(each)) for each in given)
        bits: defaultdict[tuple[int, int], int] = defaultdict(int)
        conditions = []
        for place, wanted in selection.conditions:
            if isinstance(wanted, Term):
                conditions.append((IS_TERM, place, self._number(wanted), NONE))
            else:
                byte, bit = divmod(self._ranges.index(wanted), 8)
                bits[place, byte] |= 1 << bit
        conditions += [(IN_RANGES, place, byte, asked) for (place, byte), asked in bits.items()]
        if taken[0][0] > 1:  # what something is said of is no literal
            conditions.append((IS_NAME, taken[0][0], NONE, NONE))
        return NumberedSelection(taken, tuple(conditions))

    def selecting(self, kinds: int, by_source: Mapping[int, Iterable[_Feed]]) -> Selecting:
        """The kernel's `Selecting` for feeds by the predicates of the stream that they follow."""
        starts, codes, conditions = [0], list[tuple[int, ...]](), list[tuple[int, int, int, int]]()
        for source in range(max(by_source, default=-1) + 1):
            for feed in by_source.get(source, ()):
                begin, taken = len(conditions), (*feed.selector.taken, (TIME_PLACE, NONE))[:2]
                conditions += feed.selector.conditions
                (subject, object_) = taken
                codes.append((feed.kind, feed.target, *subject, *object_, begin, len(conditions)))
            starts.append(len(codes))
        return Selecting(starts, np.ravel(codes), np.ravel(conditions), kinds, self._width)

    @property
    def memberships(self) -> Bits:
        """Which literals are in the ranges, for `Selecting`. Costs the literals that are new."""
        return self._memberships.bits


class _Feed(NamedTuple):
    kind: int
    target: int
    selector: NumberedSelection


ALL_ARGUMENTS: Final = NumberedSelection(((1, NONE), (2, NONE)))
"""All facts, with both of their arguments."""

FIRST_ARGUMENT: Final = NumberedSelection(((1, NONE),))
"""All facts, with their first argument, and the tick where what follows is dated."""

K = TypeVar("K", bound=Hashable)


class RowMapping(NamedTuple, Generic[K]):
    """What rows follow from facts of one predicate.

    Args:
        source: the predicate of the facts.
        target: that of the rows.
        kind: tells rows apart, as their owner likes.
        selector: selects among the facts.
    """

    source: int
    target: int
    kind: K
    selector: NumberedSelection = ALL_ARGUMENTS


class RowPart(NamedTuple, Generic[K]):
    """Rows of one kind.

    Args:
        places: those of the facts that they follow from.
    """

    kind: K
    rows: Integers
    places: Integers


class RowMapper(Generic[K]):
    """The rows that follow from facts one by one.

    Args:
        selectors: those of the program.
        followed: which rows follow from which facts.

    Attributes:
        targets: predicates of the rows, one for each of `followed`.
        is_one_to_one: whether a row of each of `followed` has all arguments of its fact.
    """

    def __init__(self, selectors: NumberedSelections, followed: Iterable[RowMapping[K]]) -> None:
        given = list(followed)
        self._selectors, self._kinds = selectors, list(dict.fromkeys(each.kind for each in given))
        place_of = {kind: place for place, kind in enumerate(self._kinds)}
        by_source: defaultdict[int, list[_Feed]] = defaultdict(list)
        for source, target, kind, selector in given:
            by_source[source].append(_Feed(place_of[kind], target, selector))
        self._selecting = selectors.selecting(len(self._kinds), by_source)
        self.sources = frozenset(by_source)
        self.targets = [each.target for each in given]
        self.is_one_to_one = all(each.selector in (ALL_ARGUMENTS, FIRST_ARGUMENT) for each in given)

    def rows_from(self, facts: Integers, time: int = NONE) -> list[RowPart[K]]:
        """The rows that follow from facts, by their kinds. Costs the facts, and what follows from them.

        Args:
            time: the tick, which follows where there is one argument; `NONE` where rows have no ticks.
        """
        if not len(facts) or not self.sources:
            return []
        rows, places, ranges = self._selecting.rows(readable(facts), self._selectors.memberships, time)
        return [RowPart(self._kinds[kind], rows[begin:end], places[begin:end]) for kind, begin, end in ranges]

    def add_runs(self, runs: Runs, facts: Integers) -> None:
        """Notify the kernel's `Runs` that what follows from facts is there."""
        if len(facts) and self.sources:
            runs.tell(self._selecting, readable(facts), self._selectors.memberships)

    def remove_runs(self, runs: Runs, facts: Integers) -> None:
        """Notify the kernel's `Runs` that these facts, added at the present tick, are removed."""
        if len(facts) and self.sources:
            runs.take_back(self._selecting, readable(facts), self._selectors.memberships)


class SupportCounts:
    """Counts of the facts that rows follow from, kept from the first loss in a tick on.

    Without counts where different facts have different rows. The first loss costs all facts of the tick.

    Args:
        followings: which rows follow from which facts.
    """

    def __init__(self, *followings: RowMapper[Any]) -> None:
        targets = [target for following in followings for target in following.targets]
        is_shared = len(set(targets)) < len(targets)
        self._is_needed = is_shared or not all(each.is_one_to_one for each in followings)
        self._counts: Counter[Fact] | None = None

    def reset(self) -> None:
        """Begin a tick, without supported rows."""
        self._counts = None

    def add(self, rows: Integers) -> None:
        """Count rows of added facts."""
        if self._counts is not None:
            self._counts.update(as_tuples(rows))

    def unsupported(
        self, lost: Sequence[Integers], remaining: Callable[[], Iterable[Integers]]
    ) -> list[Integers]:
        """Return the rows of lost facts that no other fact supports.

        Args:
            lost: the rows of the lost facts.
            remaining: returns the rows of all other facts, without the ones to be added next.
        """
        if not self._is_needed or not any(map(len, lost)):
            return list(lost)
        if self._counts is None:
            self._counts = Counter(row for rows in remaining() for row in as_tuples(rows))
        else:
            self._counts.subtract(row for rows in lost for row in as_tuples(rows))
        counts = self._counts
        return [rows[np.array([counts[row] <= 0 for row in as_tuples(rows)], bool)] for rows in lost]
