"""Bodies without a head as plans of their own."""

import pytest
from rdflib import Variable

from pantarhei import InvalidRuleError
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Different
from pantarhei.rules.compilation.body_plan import FactPattern, plan_body
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import compile_
from strategies import EX

x, y = Variable("x"), Variable("y")


def test_there_is_a_plan_from_each_atom_on():
    vocabulary = Vocabulary(compile_(()))
    plan = plan_body(FactPattern((Atom(EX.R, (x, y)), Atom(EX.A, (y,))), (Different(x, EX.a),)), vocabulary)
    related, a_class = vocabulary.find_property(EX.R), vocabulary.find_class(EX.A)
    assert plan.variables == (x, y) and plan.triggers[:, 0].tolist() == [related, a_class]
    plans = [JoinPlan.at(plan.code.tolist(), offset) for offset in plan.triggers[:, 1].tolist()]
    assert [[step.predicate for step in each.steps] for each in plans] == [[a_class], [related]]
    assert [len(each.conditions) for each in plans] == [1, 1]
    assert (plan.by_subject, plan.by_object) == (frozenset(), {related})


def test_what_a_body_speaks_of_has_a_number_from_then_on():
    vocabulary = Vocabulary(compile_(()))
    plan_body(FactPattern((Atom(EX.R, (x, EX.a)),)), vocabulary)
    assert vocabulary.find_property(EX.R) is not None and vocabulary.find(EX.a) is not None


def test_inequalities_are_of_variables_that_the_body_has():
    with pytest.raises(InvalidRuleError, match="lacks y"):
        plan_body(FactPattern((Atom(EX.A, (x,)),), (Different(x, y),)), Vocabulary(compile_(())))
