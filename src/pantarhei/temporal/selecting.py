"""Rules of one event at its own tick: their heads are base rows, and the event needs none.

`hot(S) at T :- asserted temp(S, V) at T in [20], V >= 100` says of each event alone what holds at its tick,
and how long that is seen. So the heads come with the event, from the events that meet the comparisons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rdflib import Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.language.data_range import DataRange
from pantarhei.language.rule import Member
from pantarhei.language.temporal_rule import Formula, Mode, TemporalRule, TupleWindow
from pantarhei.literals.builtin import as_member
from pantarhei.temporal.memberships import Memberships


class Condition(NamedTuple):
    """What an argument of an event is to meet.

    Args:
        place: which argument, from 1.
        range: what it is to be in; a name is in none.
    """

    place: int
    range: DataRange


class Selection(NamedTuple):
    """Which events heads come from.

    Args:
        arity: how many arguments of the event the head has, from the first on.
        conditions: what the events meet.
    """

    arity: int
    conditions: tuple[Condition, ...] = ()


def selection_of(rule: TemporalRule) -> Selection | None:
    """How the head of a rule comes with an event; None for a rule that has more to look at.

    >>> from pantarhei.temporal.rules import load_rules
    >>> text = "a(X) at T :- asserted b(X, N) at T in [9], N > 4. a(X) at T :- asserted b(X, T) at T in [9]."
    >>> for rule in load_rules(text, prefixes={"": "http://example.org/"}).rules:
    ...     selection = selection_of(rule)
    ...     print(selection and (selection.arity, *map(str, selection.conditions[0])))
    (1, '2', 'Compared(greaterThan "4"^^<http://www.w3.org/2001/XMLSchema#integer>)')
    None
    """
    if len(rule.body) != 1 or not _is_event_at_its_tick(rule.body[0], rule.head):
        return None
    event, head = rule.body[0].atom.arguments, rule.head.atom.arguments
    if not 0 < len(head) <= len(event) <= 2 or head != event[: len(head)]:
        return None
    if len({*event, rule.head.time}) <= len(event) or not all(isinstance(each, Variable) for each in event):
        return None
    conditions = list[Condition]()
    for test in map(as_member, rule.tests):
        if not isinstance(test, Member) or test.argument not in event:
            return None
        conditions.append(Condition(event.index(test.argument) + 1, test.range))
    return Selection(len(head), tuple(conditions))


def _is_event_at_its_tick(formula: Formula, head: Formula) -> bool:
    is_event = formula.mode is Mode.AT and formula.atom.is_asserted and not formula.is_negated
    is_at_tick = head.mode is Mode.AT and isinstance(head.time, Variable) and formula.time == head.time
    return is_event and is_at_tick and not isinstance(formula.window, TupleWindow)


class Selector:
    """Selects among the facts of a stream.

    Args:
        selection: what is selected.
        ranges: the data ranges, as `memberships` numbers them.
        memberships: which literals are in them.
    """

    def __init__(self, selection: Selection, ranges: Sequence[DataRange], memberships: Memberships) -> None:
        self._arity, self._memberships, self._width = selection.arity, memberships, (len(ranges) + 7) // 8
        self._wanted: dict[tuple[int, int], int] = {}  # bits that are set, by argument and byte
        for place, range_ in selection.conditions:
            byte, bit = divmod(ranges.index(range_), 8)
            self._wanted[place, byte] = self._wanted.get((place, byte), 0) | 1 << bit

    def selected(self, facts: Integers) -> Integers:
        """The heads' arguments, as facts of the events' predicate. Costs the facts."""
        for (place, byte), wanted in self._wanted.items():
            literals = facts[:, place] - FIRST_LITERAL
            which = (literals >= 0).nonzero()[0]
            bits = self._memberships.bits.take(literals[which] * self._width + byte)
            facts = facts.take(which[bits & wanted == wanted], axis=0)
        if self._arity == 1 and len(facts) and facts[0, 2] != NONE:
            facts = facts.copy()
            facts[:, 2] = NONE
        return facts


def selectors(
    selections: Iterable[Selection | None], vocabulary: Vocabulary
) -> dict[Selection | None, Selector | None]:
    """The selectors of selections; None has none."""
    given = list(dict.fromkeys(selections))
    conditions = (condition for each in given if each for condition in each.conditions)
    known = list(vocabulary.ranges)
    ranges = [*known, *dict.fromkeys(each.range for each in conditions if each.range not in known)]
    memberships = Memberships(ranges, vocabulary)
    return {each: Selector(each, ranges, memberships) if each else None for each in given}
