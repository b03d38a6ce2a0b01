"""The order in which a body is matched, from each of its atoms on and from the head."""

import pytest
from rdflib import XSD, Literal, Variable

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidRuleError
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Atom, Builtin, Different, Member, Rule
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    COMPUTE,
    DIFFERENT,
    FORWARD,
    IDENTICAL,
    INSIDE,
    OUTSIDE,
)
from pantarhei.rules.compilation.planning import Numbering, RulePlanner
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.scalar_functions import SWRLB
from strategies import EX, A, B, R, V, a, b, member
from strategies import is_a as is_a_of_strategies
from strategies import related as related_of_strategies
from strategies import x as x_of_strategies
from strategies import y as y_of_strategies

w, x, y, z = (Variable(name) for name in "wxyz")


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def related(name, one=x, other=y):
    return Atom(EX[name], (one, other))


def plan(rule, position):
    trigger = rule.head if position == NONE else rule.body[position]
    return RulePlanner(rule, 0, Numbering()).plan_from(trigger, position)


def order(rule, position):
    return [(step.kind, step.atom) for step in plan(rule, position).steps]


def test_look_ups_come_before_walks():
    """Triggered by p(x, y), C(x) can be looked up at once, q(y, z) is to be walked."""
    rule = Rule("r", (related("p"), related("q", y, z), is_a("C")), is_a("D"))
    assert order(rule, 0) == [(CHECK, 2), (FORWARD, 1)]


def test_a_walk_goes_from_the_end_that_is_known():
    rule = Rule("r", (related("p"), related("q", y, z)), related("s", x, z))
    assert order(rule, 0) == [(FORWARD, 1)] and order(rule, 1) == [(BACKWARD, 0)]
    assert order(rule, NONE) == [(FORWARD, 0), (CHECK, 1)]


def test_of_walks_that_comes_first_which_binds_what_is_to_be_bound_first():
    rule = Rule("pr", (is_a("A"), related("R", x, y), related("S", x, z), related("T", w, x)), None)
    for first, order in (((), [1, 2, 3]), ((z,), [2, 1, 3]), ((w,), [3, 1, 2])):
        steps = RulePlanner(rule, 0, Numbering(), first).plan_from(rule.body[0], 0).steps
        assert [step.atom for step in steps] == order


def test_an_atom_is_looked_up_as_soon_as_a_walk_has_bound_it():
    rule = Rule("r", (related("p"), related("q", y, z), related("s", z, w), is_a("C", z)), is_a("D"))
    assert order(rule, 0) == [(FORWARD, 1), (CHECK, 3), (FORWARD, 2)]


def test_an_atom_with_a_constant_can_be_reached_from_anywhere():
    rule = Rule("r", (is_a("C"), related("p", EX.a, y), related("q", x, y)), is_a("D"))
    assert order(rule, 0) == [(FORWARD, 1), (CHECK, 2)]


def test_inequalities_and_tests_are_conditions_in_that_order():
    integer = Datatype(XSD.integer)
    tests = Member(y, integer), Member(x, integer, inside=False)
    rule = Rule("r", (related("p"),), is_a("D"), (Different(x, EX.a),), tests=tests)
    conditions = plan(rule, 0).conditions
    assert [condition[:3] for condition in conditions] == [
        (DIFFERENT, 0, -2),
        (INSIDE, 1, 0),
        (OUTSIDE, 0, 1),
    ]


def test_what_is_computed_is_bound_or_compared_where_the_head_gives_it():
    sum_ = Builtin(SWRLB.add, (z, x, y))
    rule = Rule("r", (related("p"),), related("s", x, z), (Different(z, EX.a),), tests=(sum_,))
    forward, backward = plan(rule, 0).conditions, plan(rule, NONE).conditions
    assert [one.kind for one in forward] == [COMPUTE, DIFFERENT] and forward[0][-1] == 2  # z itself
    assert [one.kind for one in backward] == [COMPUTE, IDENTICAL, DIFFERENT]
    assert backward[0][-1] == backward[1].first == 3 and backward[1].second == 2


@pytest.mark.parametrize(
    "rule",
    [
        Rule("r", (is_a("C"),), is_a("D", y)),
        Rule("r", (is_a("C"),), related("p", x, y)),
        Rule("r", (is_a("C"), is_a("D", y)), None),
        Rule("r", (related("p"), related("q", z, w)), None),
        Rule("r", (related("p"), related("q", EX.a, z)), None),
        Rule("r", (related("p"),), None, (Different(y, z),)),
    ],
)
def test_rules_that_cannot_be_evaluated_are_refused(rule):
    with pytest.raises(InvalidRuleError) as raised:
        planner = RulePlanner(rule, 0, Numbering())
        for position, atom in enumerate(rule.body):
            planner.plan_from(atom, position)
    assert raised.value.rule == str(rule)


ONE, ONE_POINT_ZERO = Literal(1), Literal("1.0", datatype=XSD.decimal, normalize=False)


def test_predicates_and_names_are_numbered_in_the_order_in_which_they_are_met():
    numbering = Numbering()
    assert [
        numbering.predicate(atom)
        for atom in (
            is_a_of_strategies(A, x_of_strategies),
            related_of_strategies(R, x_of_strategies, y_of_strategies),
            is_a_of_strategies(A, y_of_strategies),
        )
    ] == [0, 1, 0]
    assert [numbering.argument(name, {}) for name in (b, a, b)] == [-2, -3, -2]
    assert list(numbering.predicates) == [Symbol(A, 1), Symbol(R, 2)] and list(numbering.names) == [b, a]


def test_a_class_and_a_property_of_one_name_have_two_numbers():
    numbering = Numbering()
    assert numbering.predicate(is_a_of_strategies(A, x_of_strategies)) != numbering.predicate(
        related_of_strategies(A, x_of_strategies, y_of_strategies)
    )


def test_an_argument_is_the_number_of_its_variable_or_stands_for_a_constant():
    numbering = Numbering()
    assert numbering.atom(
        related_of_strategies(R, x_of_strategies, y_of_strategies), {x_of_strategies: 0, y_of_strategies: 1}
    ) == (0, 0, 1)
    assert numbering.atom(
        related_of_strategies(R, y_of_strategies, a), {x_of_strategies: 0, y_of_strategies: 1}
    ) == (0, 1, -2)
    assert numbering.atom(
        is_a_of_strategies(A, y_of_strategies), {x_of_strategies: 0, y_of_strategies: 1}
    ) == (1, 1, NONE)


def test_literals_of_one_value_are_one_constant():
    numbering = Numbering()
    arguments = [numbering.argument(each, {}) for each in (ONE, ONE_POINT_ZERO, Literal("1"))]
    assert [-2 - argument - FIRST_LITERAL for argument in arguments] == [0, 0, 1]
    assert [literal.n3() for _, literal in numbering.literals.values()] == [ONE.n3(), Literal("1").n3()]


def test_what_has_numbers_already_keeps_them():
    vocabulary = Vocabulary(compile_([]))
    vocabulary.encode([member(B, b), (a, V, Literal("first")), (a, V, ONE)])
    numbering = Numbering(vocabulary)
    assert numbering.predicate(is_a_of_strategies(B, x_of_strategies)) == vocabulary.find_class(B)
    assert numbering.argument(a, {}) == -2 - vocabulary.find(a)
    assert numbering.argument(ONE_POINT_ZERO, {}) == -2 - vocabulary.find(ONE)
    assert numbering.argument(EX.new, {}) == -2 - len(vocabulary.names)


def test_data_ranges_and_built_ins_are_numbered_apart():
    numbering = Numbering()
    ranges = [Datatype(XSD.integer), Datatype(XSD.string), Datatype(XSD.integer)]
    assert [numbering.range(each) for each in ranges] == [0, 1, 0]
    assert [numbering.builtin(name) for name in (EX.less, EX.add, EX.less)] == [0, 1, 0]
