"""Many bodies planned together."""

import pytest
from rdflib import Variable

from pantarhei import InvalidRuleError
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Different
from pantarhei.rules.compilation.body_plans import FactPattern, plan_bodies, plan_body
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, R, a, b, c, is_a, related, z
from strategies import x as x_of_strategies
from strategies import y as y_of_strategies


def planned(vocabulary, *bodies, known=()):
    return plan_bodies(bodies, vocabulary, dict(known))


def test_plans_hang_on_the_constants_and_on_what_is_wanted_where_they_begin():
    vocabulary = Vocabulary(compile_(()))
    atoms = (
        related(R, x_of_strategies, EX.k),
        is_a(A, x_of_strategies),
        related(R, y_of_strategies, x_of_strategies),
    )
    plans = planned(
        vocabulary,
        FactPattern(atoms, (), (y_of_strategies, x_of_strategies), ((a, b), (a, b), (b, a))),
        FactPattern(atoms[:1]),
    )
    number = vocabulary.number
    has, kind = vocabulary.find_property(R), vocabulary.find_class(A)
    k, one, other = map(number, (EX.k, a, b))
    assert plans.keys.tolist() == [
        [has, other, k, 0], [has, one, k, 1], [kind, other, NONE, 2], [kind, one, NONE, 3],
        [has, one, other, 4], [has, other, one, 5], [has, NONE, k, 6],
    ]  # fmt: skip
    assert plans.variables == ((y_of_strategies, x_of_strategies), (x_of_strategies,)) and (
        plans.most_parameters,
        plans.most_variables,
    ) == (2, 2)
    looks_further = (plans.starts[:, 1:] != NONE).all(axis=1)
    assert looks_further.tolist() == [True] * 4 + [False] * 3, "the keys of the third plan say it all"


def test_what_is_wanted_next_is_known_whatever_was_bound_before():
    vocabulary = Vocabulary(compile_(()))
    atoms = (related(R, x_of_strategies, y_of_strategies), related(R, y_of_strategies, z))
    plans = planned(vocabulary, FactPattern(atoms, (), (z, x_of_strategies), ((a, b), (a, c), (b, c))))
    first, second, third = (vocabulary.number(each) for each in (a, b, c))

    def wanted(state):
        begin, end = plans.first_steps[state : state + 2]
        return set(plans.steps[begin:end, 1].tolist())

    starts = {tuple(key[1:3]): plans.starts[key[3], 2] for key in plans.keys.tolist()}
    assert {key: wanted(state) for key, state in starts.items()} == {
        (second, NONE): {first}, (third, NONE): {first, second}, (NONE, first): {second, third},
        (NONE, second): {third},
    }  # fmt: skip
    assert len(plans.steps) == len(plans.first_steps) - 1 - 2, "each state is reached once, but for two"


def test_a_body_of_the_same_form_is_not_compiled_again_whatever_is_wanted():
    vocabulary = Vocabulary(compile_(()))
    first = planned(
        vocabulary,
        FactPattern((related(R, x_of_strategies, y_of_strategies),), (), (x_of_strategies,), ((a,),)),
        FactPattern((is_a(A, x_of_strategies),)),
    )
    second = planned(
        vocabulary,
        FactPattern((is_a(A, y_of_strategies),)),
        FactPattern((related(R, x_of_strategies, y_of_strategies),), (), (x_of_strategies,), ((b,),)),
        known=first.of_forms,
    )
    form = ((related(R, x_of_strategies, y_of_strategies),), (), (x_of_strategies,))
    assert second.of_forms[form] is first.of_forms[form] and len(second.of_forms) == 2
    assert second.keys[:, 1].tolist() == [NONE, vocabulary.number(b)]


def test_nothing_hangs_on_a_body_of_which_nothing_is_wanted():
    plans = planned(
        Vocabulary(compile_(())),
        FactPattern(
            (related(R, x_of_strategies, y_of_strategies), is_a(A, y_of_strategies)),
            (),
            (x_of_strategies,),
            (),
        ),
    )
    assert len(plans.keys) == len(plans.steps) == 0 and len(plans.starts) == 0


def test_parameters_are_variables_of_the_body():
    with pytest.raises(InvalidRuleError, match="lacks z"):
        planned(
            Vocabulary(compile_(())),
            FactPattern((related(R, x_of_strategies, y_of_strategies),), (), (z, x_of_strategies), ((a, b),)),
        )


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
