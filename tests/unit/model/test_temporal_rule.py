"""Temporal rules as values: how they read."""

import pickle
from datetime import timedelta

import pytest
from rdflib import XSD, Literal, Namespace, Variable

from pantarhei.model.message_text import TextPosition
from pantarhei.model.rule import Builtin
from pantarhei.model.temporal_rule import (
    Formula,
    Mode,
    TemporalAtom,
    TemporalRule,
    TimeWindow,
    TupleWindow,
    builtin_text,
    duration_text,
    term_text,
)

EX = Namespace("http://example.org/")
V, T = Variable("V"), Variable("T")
HOT = TemporalAtom(EX.Hot, (V,))
SERVICED = TemporalAtom(EX.Serviced, (V,), is_asserted=True)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Formula(HOT), "Hot(V)"),
        (Formula(HOT, Mode.SOMETIME, TimeWindow(3)), "Hot(V) in [3]"),
        (Formula(HOT, Mode.ALWAYS, TimeWindow(timedelta(minutes=5))), "Hot(V) always in [5 min]"),
        (Formula(HOT, Mode.AT, time=T), "Hot(V) at T"),
        (Formula(HOT, Mode.AT, TimeWindow(3), T), "Hot(V) at T in [3]"),
        (Formula(HOT, Mode.SOMETIME, TimeWindow(9), times=3), "Hot(V) at least 3 times in [9]"),
        (
            Formula(SERVICED, Mode.SOMETIME, TupleWindow(2), is_negated=True),
            "not asserted Serviced(V) in [2 #]",
        ),
        (Formula(TemporalAtom(EX.Alarm)), "Alarm"),
    ],
)
def test_a_formula_reads_as_it_is_written(formula, text):
    assert str(formula) == text


def test_a_rule_reads_as_a_line():
    rule = TemporalRule(Formula(TemporalAtom(EX.Alarm, (V,))), (Formula(HOT), Formula(SERVICED)))
    assert str(rule) == "Alarm(V) :- Hot(V), asserted Serviced(V)."
    assert [formula.atom for formula in rule.formulas][1:] == [HOT, SERVICED]


def test_the_variables_of_a_formula_are_those_of_its_atom_and_its_time():
    assert Formula(HOT, Mode.AT, time=T).variables == {V, T}


def test_where_a_rule_is_written_makes_no_difference_and_pickles():
    here = TemporalRule(Formula(HOT), written=TextPosition(1, 1, "Hot(V)."))
    assert here == TemporalRule(Formula(HOT))
    assert pickle.loads(pickle.dumps(here)).written == here.written


SWRLB = Namespace("http://www.w3.org/2003/11/swrlb#")
X, Y, R = map(Variable, "XYR")


@pytest.mark.parametrize(
    ("term", "text"),
    [
        (X, "X"),
        (Variable("Temp1"), "Temp1"),
        (Variable("_1"), "_1"),
        (Variable("_"), "?_"),
        (Variable("x"), "?x"),
        (Variable("1x"), "?1x"),
        (Literal(-5), "-5"),
        (Literal("2.50", datatype=XSD.decimal, normalize=False), "2.50"),
        (Literal("5.", datatype=XSD.decimal, normalize=False), '"5."^^decimal'),
        (Literal("+5", datatype=XSD.integer, normalize=False), '"+5"^^integer'),
        (Literal("٥", datatype=XSD.integer, normalize=False), '"٥"^^integer'),
        (Literal('a "b"\\\n\t'), r'"a \"b\"\\\n\t"'),
        (Literal("a", lang="en"), '"a"@en'),
    ],
)
def test_a_term_is_written(term, text):
    assert term_text(term) == text


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(0), "0 d"),
        (timedelta(days=2), "2 d"),
        (timedelta(hours=36), "36 h"),
        (timedelta(minutes=90), "90 min"),
        (timedelta(seconds=90), "90 sec"),
        (timedelta(milliseconds=1500), "1500 ms"),
        (timedelta(microseconds=1), "0.000001 sec"),
        (timedelta(days=10**6, microseconds=10), "86400000000.00001 sec"),
    ],
)
def test_a_length_of_time_is_written_in_its_largest_unit(length, text):
    assert duration_text(length) == text


@pytest.mark.parametrize(
    ("builtin", "text"),
    [
        (Builtin(SWRLB.notEqual, (X, Y)), "X != Y"),
        (Builtin(SWRLB.greaterThanOrEqual, (X, Literal(5))), "X >= 5"),
        (Builtin(SWRLB.subtract, (R, X, Literal(-1))), "R = X - -1"),
        (Builtin(SWRLB.mod, (R, X, Y)), "R = X mod Y"),
        (Builtin(SWRLB.abs, (R, X)), "abs(R, X)"),
    ],
)
def test_a_built_in_is_written_with_its_sign(builtin, text):
    assert builtin_text(builtin) == text
