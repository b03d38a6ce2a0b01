"""Plans as values, and as the integers of a program."""

import numpy as np
import pytest
from hypothesis import given

from pantarhei.encoding.numbers import NONE
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    DIFFERENT,
    FORWARD,
    OBJECT,
    SUBJECT,
    JoinPlan,
    PlanCode,
    PlanCondition,
    PlanStep,
    given_constants,
    looked_up_classes,
)
from pantarhei.rules.compilation.program import compile_
from strategies import rules

PLAIN = JoinPlan(0, (7, 0, NONE), (0, NONE), 0, (), ())  # 7(x) :- …(x)
LONG = JoinPlan(
    4,
    (9, 0, 2),
    (0, -2 - 5),  # from …(x, 5) on
    1,
    (
        PlanStep(FORWARD, 3, 0, 2, 0),
        PlanStep(CHECK, 6, 0, NONE, 2),
        PlanStep(CHECK, 8, 2, NONE, 3),
        PlanStep(CHECK, 3, 0, 0, 4),
    ),
    (PlanCondition(DIFFERENT, 0, 2),),
)
CONSTRAINT = JoinPlan(2, (NONE, NONE, NONE), (1, 0), 0, (PlanStep(BACKWARD, 3, 2, 1, 1),), ())


def test_a_plan_is_found_in_the_code_at_the_offset_that_writing_it_gave():
    code = PlanCode()
    offsets = [code.write(plan) for plan in (PLAIN, LONG, CONSTRAINT)]
    assert [JoinPlan.at(code.integers.tolist(), offset) for offset in offsets] == [PLAIN, LONG, CONSTRAINT]
    assert len(code) == sum(len(plan.code) for plan in (PLAIN, LONG, CONSTRAINT)) == len(code.integers)


@given(rules(literals=True))
def test_a_plan_is_read_as_it_was_written(given):
    program = compile_(given)
    code, offset = program.plans.code.tolist(), 0
    while offset < len(code) and program.rules:
        plan = JoinPlan.at(code, offset)
        assert plan.code == code[offset : offset + len(plan.code)]
        assert len(plan.steps) == len(program.rules[plan.rule].body) - (plan.atom != NONE)
        offset += len(plan.code)
    assert offset == len(code) or not program.rules


def test_the_code_of_no_plans_has_an_integer_to_point_at():
    assert len(PlanCode()) == 0 and len(PlanCode().integers) == 1


@pytest.mark.parametrize("plan", [PLAIN, LONG, CONSTRAINT])
def test_predicate_places_are_where_the_code_has_the_predicates_of_head_and_steps(plan):
    found = [(plan.code[place], atom) for place, atom in plan.predicate_places]
    head = [] if plan is CONSTRAINT else [(plan.head[0], NONE)]
    assert found == head + [(step.predicate, step.atom) for step in plan.steps]


@pytest.mark.parametrize(
    ("plan", "inclusion"),
    [
        (PLAIN, 7),
        (PLAIN._replace(trigger=(0, 1)), NONE),  # 7(x) :- p(x, y)
        (PLAIN._replace(head=(7, 0, 1), trigger=(0, 1)), NONE),  # 7(x, y) :- p(x, y)
        (PLAIN._replace(head=(7, 0, 0)), NONE),  # p(x, x) :- C(x)
        (PLAIN._replace(head=(7, -2, NONE)), NONE),  # 7(a) :- C(x)
        (PLAIN._replace(head=(NONE, NONE, NONE)), NONE),
        (PLAIN._replace(steps=(PlanStep(CHECK, 1, 0, NONE, 1),)), NONE),
        (PLAIN._replace(conditions=(PlanCondition(DIFFERENT, 0, -2),)), NONE),
    ],
)
def test_an_inclusion_is_a_plan_that_says_of_each_member_of_a_class_that_it_is_in_another(plan, inclusion):
    assert plan.inclusion == inclusion


def test_the_constants_of_triggers_are_told_by_side():
    code = PlanCode()
    offsets = np.array([code.write(plan) for plan in (PLAIN, LONG)], np.int32)
    assert given_constants(code.integers, offsets, OBJECT).tolist()[1] == 5
    assert given_constants(code.integers, offsets, OBJECT)[0] < 0
    assert (given_constants(code.integers, offsets, SUBJECT) < 0).all()


def test_the_classes_that_are_looked_up_of_the_triggers_variable_are_found_with_their_plans():
    code = PlanCode()
    offsets = np.array([code.write(plan) for plan in (CONSTRAINT, LONG)], np.int32)
    places, classes = looked_up_classes(code.integers, offsets, SUBJECT)
    assert (places.tolist(), classes.tolist()) == ([1], [6])  # 8 is asked of another variable, 3 is no class
    assert [part.tolist() for part in looked_up_classes(code.integers, offsets, OBJECT)] == [[], []]
