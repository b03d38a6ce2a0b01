"""Many bodies planned together."""

import pytest

from pantarhei import InvalidRuleError
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rules.compilation.body_plan import FactPattern
from pantarhei.rules.compilation.body_plans import plan_bodies
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, R, a, b, c, is_a, related, x, y, z


def planned(vocabulary, *bodies, known=()):
    return plan_bodies(bodies, vocabulary, dict(known))


def test_plans_hang_on_the_constants_and_on_what_is_wanted_where_they_begin():
    vocabulary = Vocabulary(compile_(()))
    atoms = (related(R, x, EX.k), is_a(A, x), related(R, y, x))
    plans = planned(
        vocabulary, FactPattern(atoms, (), (y, x), ((a, b), (a, b), (b, a))), FactPattern(atoms[:1])
    )
    number = vocabulary.number
    has, kind = vocabulary.find_property(R), vocabulary.find_class(A)
    k, one, other = map(number, (EX.k, a, b))
    assert plans.keys.tolist() == [
        [has, other, k, 0], [has, one, k, 1], [kind, other, NONE, 2], [kind, one, NONE, 3],
        [has, one, other, 4], [has, other, one, 5], [has, NONE, k, 6],
    ]  # fmt: skip
    assert plans.variables == ((y, x), (x,)) and (plans.most_parameters, plans.most_variables) == (2, 2)
    looks_further = (plans.starts[:, 1:] != NONE).all(axis=1)
    assert looks_further.tolist() == [True] * 4 + [False] * 3, "the keys of the third plan say it all"


def test_what_is_wanted_next_is_known_whatever_was_bound_before():
    vocabulary = Vocabulary(compile_(()))
    atoms = (related(R, x, y), related(R, y, z))
    plans = planned(vocabulary, FactPattern(atoms, (), (z, x), ((a, b), (a, c), (b, c))))
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
        vocabulary, FactPattern((related(R, x, y),), (), (x,), ((a,),)), FactPattern((is_a(A, x),))
    )
    second = planned(
        vocabulary,
        FactPattern((is_a(A, y),)),
        FactPattern((related(R, x, y),), (), (x,), ((b,),)),
        known=first.of_forms,
    )
    form = ((related(R, x, y),), (), (x,))
    assert second.of_forms[form] is first.of_forms[form] and len(second.of_forms) == 2
    assert second.keys[:, 1].tolist() == [NONE, vocabulary.number(b)]


def test_nothing_hangs_on_a_body_of_which_nothing_is_wanted():
    plans = planned(Vocabulary(compile_(())), FactPattern((related(R, x, y), is_a(A, y)), (), (x,), ()))
    assert len(plans.keys) == len(plans.steps) == 0 and len(plans.starts) == 0


def test_parameters_are_variables_of_the_body():
    with pytest.raises(InvalidRuleError, match="lacks z"):
        planned(Vocabulary(compile_(())), FactPattern((related(R, x, y),), (), (z, x), ((a, b),)))
