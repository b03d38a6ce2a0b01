"""When extended atoms hold."""

import pytest
from rdflib import XSD, Literal

from lars_programs import always, at, atom, no, now, some
from oracle.lars.satisfaction import literal_of, satisfies, tick_of
from oracle.lars.streams import Stream
from pantarhei.model.temporal_rule import Formula, Mode

c, e, s = atom("asserted c", "i"), atom("asserted e", "i"), atom("s", "i")

#   tick:  1   2   3   4
#          c       c   e
#              s   s   s
STREAM = Stream.of(1, 4, {1: [c], 2: [s], 3: [c, s], 4: [e, s]})


@pytest.mark.parametrize(
    "formula",
    [
        now(e),
        no(c),
        some(c, 1),
        no(some(c, 0)),
        some(c, 3, times=2),
        no(some(c, 2, times=2)),
        always(s, 2),
        no(always(s, 3)),
        no(always(c, 2)),
        at(3, c),
        at(3, c, 1),
        no(at(1, c, 2)),
        no(at(2, c)),
        no(at(0, c)),
        no(at(5, c)),
        some(c, "2 #"),
        no(some(c, "1 #")),
        always(e, "1 #"),
        no(always(c, "2 #")),
        at(3, c, "2 #"),
        no(at(1, c, "2 #")),
        some(atom("c", "i"), "2 #"),
        no(some(s, "9 #")),
    ],
    ids=str,
)
def test_at_tick_four_these_hold(formula):
    assert satisfies(STREAM, 4, formula)
    assert not satisfies(STREAM, 4, no(formula) if not formula.is_negated else _positive(formula))


def _positive(formula):
    return Formula(formula.atom, formula.mode, formula.window, formula.time, times=formula.times)


def test_always_looks_back_no_further_than_the_stream():
    assert satisfies(Stream.of(2, 4, STREAM.atoms), 4, always(s, 9))


def test_without_a_window_a_formula_looks_at_the_whole_timeline():
    assert satisfies(STREAM, 4, Formula(c, Mode.SOMETIME, times=2))
    assert not satisfies(STREAM, 4, Formula(s, Mode.ALWAYS))


def test_a_tick_is_named_by_a_whole_number():
    assert tick_of(Literal(3)) == tick_of(Literal("3.0", datatype=XSD.decimal)) == tick_of(literal_of(3)) == 3
    assert tick_of(Literal("0.5", datatype=XSD.decimal)) is tick_of(Literal("3")) is tick_of(None) is None
    assert tick_of(Literal("3", datatype=XSD.double)) is None
