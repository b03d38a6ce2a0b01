"""Many bodies planned together."""

import pytest

from pantarhei import InvalidRuleError
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rules.compilation.body_plan import Body
from pantarhei.rules.compilation.body_plans import plan_bodies
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, R, a, b, is_a, related, x, y, z


def planned(vocabulary, *bodies, known=()):
    return plan_bodies(bodies, vocabulary, dict(known))


def test_plans_hang_on_the_constants_and_on_what_is_wanted_where_they_begin():
    vocabulary = Vocabulary(compile_(()))
    atoms = (related(R, x, EX.k), is_a(A, x), related(R, y, x))
    plans = planned(vocabulary, Body(atoms, (), (y, x), ((a, b), (a, b), (b, a))), Body(atoms[:1]))
    number = vocabulary.number
    has, kind = vocabulary.find_property(R), vocabulary.find_class(A)
    k, one, other = map(number, (EX.k, a, b))
    assert plans.keys.tolist() == [
        [has, other, k, 0], [has, one, k, 0], [kind, other, NONE, 1], [kind, one, NONE, 1],
        [has, one, other, 2], [has, other, one, 2], [has, NONE, k, 3],
    ]  # fmt: skip
    assert plans.variables == ((y, x), (x,)) and plans.parameters == (2, 0) and plans.most_variables == 2
    looks_further = (plans.plans[:, 1:] != NONE).all(axis=1)
    assert looks_further.tolist() == [True, True, False, False], "the key of the third plan says it all"


def test_a_body_of_the_same_form_is_not_compiled_again_whatever_is_wanted():
    vocabulary = Vocabulary(compile_(()))
    first = planned(vocabulary, Body((related(R, x, y),), (), (x,), ((a,),)), Body((is_a(A, x),)))
    second = planned(
        vocabulary, Body((is_a(A, y),)), Body((related(R, x, y),), (), (x,), ((b,),)), known=first.of_forms
    )
    form = ((related(R, x, y),), (), (x,))
    assert second.of_forms[form] is first.of_forms[form] and len(second.of_forms) == 2
    assert second.keys[:, 1].tolist() == [NONE, vocabulary.number(b)]


def test_nothing_hangs_on_a_body_of_which_nothing_is_wanted():
    plans = planned(Vocabulary(compile_(())), Body((related(R, x, y), is_a(A, y)), (), (x,), ()))
    assert len(plans.keys) == len(plans.steps) == 0 and len(plans.plans) == 2


def test_parameters_are_variables_of_the_body():
    with pytest.raises(InvalidRuleError, match="lacks z"):
        planned(Vocabulary(compile_(())), Body((related(R, x, y),), (), (z, x), ((a, b),)))
