"""Temporal rules read as DatalogMTL, over the whole timeline."""

import pytest

from lars_programs import always, at, atom, compared, no, rule, some
from oracle.datalog_mtl import materialize, ticks_of
from oracle.lars.strata import NotStratifiedError
from oracle.lars.streams import Stream

C, LATCHED = atom("c", "i"), atom("a", "i")


def held(stream, given):
    return [tick for tick, atoms in sorted(stream.items()) if given in atoms]


@pytest.mark.parametrize(
    ("formula", "ticks"),
    [
        (some(C, 2), {1, 2, 3, 4, 5, 6}),
        (always(C, 1), {2, 5}),
        (always(C, 0), {1, 2, 4, 5}),
        (no(some(C, 0)), {0, 3, 6}),
        (no(always(C, 1)), {0, 1, 3, 4, 6}),
    ],
)
def test_windows_are_sets_of_ticks(formula, ticks):
    #   tick: 0 1 2 3 4 5 6
    #   c       x x   x x
    assert ticks_of(formula, {C: frozenset((1, 2, 4, 5))}, range(7)) == ticks


def test_what_is_derived_at_a_tick_is_looked_back_at():
    stream = Stream.of(0, 6, {2: [C]})
    rules = (
        rule(LATCHED, C),
        rule(LATCHED, some(LATCHED, 1), no(atom("b", "i", "i"))),
        rule(atom("x", "X"), always(atom("a", "X"), 2)),
    )
    found = materialize(rules, stream)
    assert held(found, LATCHED) == [2, 3, 4, 5, 6] and held(found, atom("x", "i")) == [4, 5, 6]


def test_what_only_one_of_the_languages_has_is_refused():
    stream = Stream.of(0, 3, {})
    for given in (
        rule(at("T", atom("a", "X")), at("T", atom("c", "X"), 3)),
        rule(atom("a", "X"), some(atom("asserted c", "X"), "3 #")),
        rule(atom("a", "X"), some(atom("c", "X"), 3, times=2)),
        rule(atom("a", "X"), atom("v", "X", "V"), compared("V", "lessThan", 3)),
    ):
        with pytest.raises(ValueError, match="expected"):
            materialize((given,), stream)
    with pytest.raises(NotStratifiedError):
        materialize((rule(LATCHED, C, no(LATCHED)),), stream)
