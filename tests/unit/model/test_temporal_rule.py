"""Temporal rules as values: how they read."""

import pickle
from datetime import timedelta

import pytest
from rdflib import Namespace, Variable

from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow, TupleWindow
from pantarhei.model.written import Written

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
    here = TemporalRule(Formula(HOT), written=Written(1, 1, "Hot(V)."))
    assert here == TemporalRule(Formula(HOT))
    assert pickle.loads(pickle.dumps(here)).written == here.written
