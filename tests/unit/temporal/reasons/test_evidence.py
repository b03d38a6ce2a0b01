"""What a formula rests on: how much of what was said and is concluded, and which of it is enough."""

import pytest

from lars_programs import always, atom, no, now, some
from pantarhei.proofs.temporal import Known
from pantarhei.temporal.reasons.evidence import Atom, Evidence
from pantarhei.temporal.reasons.occasions import Run

A = atom("a", "X")


# ticks:    1   2   3   4   5   6
# given         |===|       |
# drawn                 |       |
def evidence(formula, given=((2, 3), (5, 5)), drawn=(4, 6), first=1, last=6):
    runs = tuple(Run(*ends, Known.HELD) for ends in given)
    return Evidence(formula, (7,), first, last, runs, drawn)


def at(tick):
    return Atom(A.predicate, (7,), tick)


@pytest.mark.parametrize(
    ("formula", "first", "lacking", "is_met"),
    [
        (some(A, 5), 1, 0, True),
        (some(A, 5, times=3), 1, 0, True),
        (some(A, 5, times=4), 1, 1, True),
        (some(A, 5, times=6), 1, 3, False),
        (always(A, 4), 2, 2, True),
        (always(A, 5), 1, 3, False),
    ],
)
def test_what_is_lacking_may_be_concluded(formula, first, lacking, is_met):
    met = evidence(formula, first=first)
    assert (met.lacking, met.is_met, met.is_open) == (lacking, is_met, lacking > 0)


def test_what_is_negated_rests_on_no_conclusion():
    assert not evidence(no(some(A, 5, times=9))).is_open
    assert evidence(no(some(A, 5, times=9))).ticks == [2, 3, 4, 5, 6]


def test_the_newest_ticks_are_enough_where_they_are_counted():
    assert evidence(some(A, 5)).enough(()) == (Run(5, 5, Known.HELD),)
    assert evidence(some(A, 5)).enough([at(6)]) == (at(6),)
    assert evidence(some(A, 5, times=3)).enough([at(4)]) == (
        Run(3, 3, Known.HELD), at(4), Run(5, 5, Known.HELD),
    )  # fmt: skip


def test_all_ticks_are_told_of_what_is_always_so():
    told = evidence(always(A, 4), first=2).enough([at(6), at(4)])
    assert told == (Run(2, 3, Known.HELD), at(4), Run(5, 5, Known.HELD), at(6))
    assert evidence(now(A), given=(), drawn=(6,), first=6).enough([at(6)]) == (at(6),)
