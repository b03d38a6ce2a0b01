"""What follows from one event by itself: which events, and which of their arguments it has.

`hot(S) at T :- asserted temp(S, V) at T in [20], V >= 100` says of each event alone what holds at its tick,
and how long that is seen. So what it says comes with the event, as a base row (see `unfolding`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, reduce
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, by_predicate
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.data_range import DataRange
from pantarhei.language.rule import Argument, Atom, Member, Rule
from pantarhei.language.term import Term
from pantarhei.temporal.memberships import Memberships

TIME: Final = 0
"""The place of the tick's time: the arguments of an event stand behind it."""


class Condition(NamedTuple):
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
        arguments: places of the event's arguments, and terms; `TIME` is the last if it is there.
        conditions: what the events meet.
    """

    arguments: tuple[int | Term, ...]
    conditions: tuple[Condition, ...] = ()

    @property
    def is_dated(self) -> bool:
        """Whether the tick is the last argument."""
        return self.arguments[-1] == TIME

    def through(self, atom: Atom, rule: Rule) -> Selection | None:
        """What follows by a rule from an atom of its body that is as this says, and from no other; None where
        that is not to be had.

        >>> x, n, t = map(Variable, "xnt")
        >>> rule = Rule("", (Atom("b", (x, n, t)),), Atom("a", (x, t)))
        >>> Selection((1, 2, TIME)).through(rule.body[0], rule)
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
            if not isinstance(place, int) or place == TIME:
                return None
            conditions.append(Condition(place, wanted))
        head = rule.head.arguments
        return _selection(
            [bound.get(each) if isinstance(each, Variable) else each for each in head], conditions
        )


def _selection(arguments: Sequence[int | Term | None], conditions: Iterable[Condition]) -> Selection | None:
    """With these arguments, if rows can have them."""
    known = tuple(each for each in arguments if each is not None)
    if len(known) < len(arguments) or known[0] == TIME or isinstance(known[0], Literal):
        return None
    if TIME in known[:-1] or len(known) > (3 if known[-1] == TIME else 2):
        return None
    return Selection(known, tuple(dict.fromkeys(conditions)))


Places = npt.NDArray[np.intp]


class Batch:
    """Facts of one predicate; what selectors look up of them they do once.

    Args:
        facts: shape (n, 3).
    """

    def __init__(self, facts: Integers) -> None:
        self.facts = facts
        self._bits: dict[tuple[int, int], npt.NDArray[np.uint8]] = {}
        self._selected: dict[_Conditions, tuple[Integers, Places]] = {}

    def bits(self, place: int, byte: int, memberships: Memberships, width: int) -> npt.NDArray[np.uint8]:
        """A byte of the data ranges that the argument at a place is in; names are in none."""
        found = self._bits.get((place, byte))
        if found is None:
            literals = self.facts[:, place].astype(np.int64) - FIRST_LITERAL
            which = (literals >= 0).nonzero()[0]
            found = self._bits[place, byte] = np.zeros(len(literals), np.uint8)
            found[which] = memberships.bits.take(literals.take(which) * width + byte)
        return found

    def selected(self, selector: Selector) -> tuple[Integers, Places]:
        """The facts that are selected, and their places."""
        found = self._selected.get(selector.conditions)
        if found is None:
            which = selector.selected(self)
            found = self._selected[selector.conditions] = self.facts.take(which, axis=0), which
        return found


class Batches:
    """Facts by their predicates.

    Args:
        facts: shape (n, 3).
    """

    def __init__(self, facts: Integers) -> None:
        self.facts = facts

    @cached_property
    def by_predicate(self) -> dict[int, Batch]:
        """The facts of each predicate that is there."""
        return {predicate: Batch(part) for predicate, part in by_predicate(self.facts)}


class _Conditions(NamedTuple):
    """What a selector asks of facts.

    Args:
        bits: by argument and byte of the data ranges, which bits are set.
        terms: by argument, what it is.
        names: arguments that are names.
    """

    bits: tuple[tuple[int, int, int], ...]
    terms: tuple[tuple[int, int], ...]
    names: tuple[int, ...]


class Selector:
    """Selects among the facts of a stream.

    Args:
        selection: what is selected.
        ranges: the data ranges, as `memberships` numbers them.
        memberships: which literals are in them.
        number: of terms.
    """

    def __init__(
        self,
        selection: Selection,
        ranges: Sequence[DataRange],
        memberships: Memberships,
        number: Callable[[Term], int],
    ) -> None:
        self._memberships, self._width = memberships, (len(ranges) + 7) // 8
        bits: defaultdict[tuple[int, int], int] = defaultdict(int)
        terms = []
        for place, wanted in selection.conditions:
            if isinstance(wanted, Term):
                terms.append((place, number(wanted)))
            else:
                byte, bit = divmod(ranges.index(wanted), 8)
                bits[place, byte] |= 1 << bit
        taken = selection.arguments[:-1] if selection.is_dated else selection.arguments
        self._taken = [each if isinstance(each, int) else NONE for each in taken]
        self._constants = [NONE if isinstance(each, int) else number(each) for each in taken]
        names = (self._taken[0],) if self._taken[0] > 1 else ()  # what something is said of is no literal
        self.conditions = _Conditions(tuple((*key, byte) for key, byte in bits.items()), tuple(terms), names)

    def selected(self, batch: Batch) -> Places:
        """The places of the facts that meet all conditions. Costs the facts."""
        facts, (bits, terms, names) = batch.facts, self.conditions
        masks = [
            batch.bits(place, byte, self._memberships, self._width) & wanted == wanted
            for place, byte, wanted in bits
        ]
        masks += [facts[:, place] == term for place, term in terms]
        masks += [facts[:, place] < FIRST_LITERAL for place in names]
        return reduce(np.logical_and, masks).nonzero()[0] if masks else np.arange(len(facts))

    def rows(self, batch: Batch, target: int) -> tuple[Integers, Places]:
        """What follows from the facts that are selected, as rows of a predicate, without a tick; and the
        places of these facts.
        """
        facts, which = batch.selected(self)
        rows = np.empty((len(facts), 3), np.int32)
        rows[:, 0], rows[:, 2] = target, NONE
        for column, (place, constant) in enumerate(zip(self._taken, self._constants, strict=True), 1):
            rows[:, column] = constant if place == NONE else facts[:, place]
        return rows, which


def selectors(
    selections: Iterable[Selection | None], vocabulary: Vocabulary
) -> Mapping[Selection | None, Selector | None]:
    """The selectors of selections; None has none."""
    given = list(dict.fromkeys(selections))
    wanted = (condition.wanted for each in given if each for condition in each.conditions)
    known = list(vocabulary.ranges)
    added = dict.fromkeys(each for each in wanted if not isinstance(each, Term) and each not in known)
    ranges = [*known, *added]
    memberships = Memberships(ranges, vocabulary)
    return {each: Selector(each, ranges, memberships, vocabulary.number) if each else None for each in given}
