"""Plans as values, and as the integers of a program."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from rdflib import Variable

from counts import cases
from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.plan import (
    BACKWARD,
    CHECK,
    DIFFERENT,
    FORWARD,
    LEAST_CLASSES,
    LEAST_CLASSES_BACKWARD,
    LEAST_CONSTANTS,
    OBJECT,
    OBJECT_CLASS,
    SUBJECT,
    SUBJECT_CLASS,
    JoinPlan,
    PlanCode,
    PlanCondition,
    PlanStep,
    given_constants,
    home,
    looked_up_classes,
)
from pantarhei.rules.compilation.program import compile_
from strategies import EX, rules
from worlds import switches_everywhere

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
    found = [(plan.code[place], atom) for place, atom in plan.predicate_indexes]
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


x, y, z = (Variable(name) for name in "xyz")


def is_a(name, who=x):
    return Atom(EX[name], (who,))


def restrictions(count, *further):
    """`∃R.Fᵢ ⊑ Gᵢ`"""
    return [
        Rule("cls-svf1", (Atom(EX.R, (x, y)), is_a(f"F{i}", y), *further), is_a(f"G{i}"))
        for i in range(count)
    ]


def number(program, name):
    return [symbol.name for symbol in program.predicates].index(EX[name])


def tried(dispatch, predicate, keys):
    """The plans that a fact is tried with whose keys, (kind, value), are these."""
    first, end = dispatch.start[predicate], dispatch.unswitched[predicate]
    found = dispatch.plans[first:end].tolist()
    for switch in range(dispatch.switch_start[predicate], dispatch.switch_start[predicate + 1]):
        for kind, value in keys:
            if kind == dispatch.kinds[switch]:
                wanted = switch << 32 | value
                place = int(home(np.array([wanted]), dispatch.shift)[0])
                while dispatch.keys[place] not in (wanted, -1):
                    place += 1
                found += dispatch.plans[slice(*dispatch.ranges[place])].tolist()
    return sorted(found)


def keys_asked(plan):
    """(kind, value) of everything that can tell a plan apart."""
    for side in (SUBJECT, OBJECT):
        if plan.trigger[side] < NONE:
            yield side, -2 - plan.trigger[side]
        for kind, class_, who, other, _ in plan.steps:
            if kind == CHECK and other == NONE and who == plan.trigger[side]:
                yield SUBJECT_CLASS + side, class_


@given(rules(literals=True))
@settings(max_examples=cases(30, 200), deadline=None)
def test_each_plan_is_tried_with_the_facts_whose_keys_it_asks_for(given):
    without = compile_(given).plans
    with switches_everywhere():
        plans = compile_(given).plans
    code = plans.code.tolist()
    assert code == without.code.tolist()
    for switched, plain in ((plans.forward, without.forward), (plans.backward, without.backward)):
        assert switched.start.tolist() == plain.start.tolist()
        for predicate in range(len(plain.start) - 1):
            own = plain.plans[plain.start[predicate] : plain.start[predicate + 1]].tolist()
            mine = switched.plans[switched.start[predicate] : switched.start[predicate + 1]].tolist()
            assert sorted(mine) == sorted(own), "each plan of the predicate once"
            asked = {offset: set(keys_asked(JoinPlan.at(code, offset))) for offset in own}
            everything = set().union(*asked.values())
            assert tried(switched, predicate, sorted(everything)) == sorted(own)
            for offset, keys in asked.items():
                found = tried(switched, predicate, sorted(keys))
                assert offset in found and len(found) == len(set(found))
            always = tried(switched, predicate, [])
            assert set(always) == {offset for offset, keys in asked.items() if not keys}


@given(rules(literals=True))
@settings(deadline=None)
def test_few_plans_have_no_switch(given):
    plans = compile_(given[: LEAST_CONSTANTS - 1]).plans
    for dispatch in (plans.forward, plans.backward):
        assert not len(dispatch.kinds)
        assert dispatch.unswitched.tolist() == dispatch.start[1:].tolist()


@pytest.mark.parametrize(("count", "switches"), [(LEAST_CLASSES - 1, 0), (LEAST_CLASSES, 1)])
def test_as_many_restrictions_as_a_switch_is_worth_make_one(count, switches):
    program = compile_(restrictions(count))
    forward, related = program.plans.forward, number(program, "R")
    assert len(forward.kinds) == switches
    classes = [number(program, f"F{i}") for i in range(count)]
    for class_ in classes:
        found = tried(forward, related, [(OBJECT_CLASS, class_)])
        assert len(found) == (1 if switches else count)
    assert set(classes) <= set(program.plans.indexed_by_subject) or not switches


def test_what_all_plans_ask_for_tells_none_apart():
    """`R(x, y), Common(y), Fᵢ(y)`: the switch is by Fᵢ, whatever comes first."""
    program = compile_([replace(r, body=(*r.body, is_a("Common", y))) for r in restrictions(LEAST_CLASSES)])
    plans = program.plans
    related, common = number(program, "R"), number(program, "Common")
    assert tried(plans.forward, related, [(OBJECT_CLASS, common)]) == []
    assert len(tried(plans.forward, related, [(OBJECT_CLASS, number(program, "F3"))])) == 1


def test_constants_tell_plans_apart_on_either_side():
    by_object = [Rule("cls-hv2", (Atom(EX.R, (x, EX[f"v{i}"])),), is_a(f"C{i}")) for i in range(100)]
    by_subject = [Rule("cls-hv1", (Atom(EX.R, (EX[f"v{i}"], x)),), is_a(f"C{i}")) for i in range(100)]
    program = compile_([*by_object, *by_subject, Rule("prp-dom", (Atom(EX.R, (x, y)),), is_a("D"))])
    forward, related = program.plans.forward, number(program, "R")
    assert forward.kinds.tolist() == [OBJECT, SUBJECT]
    third = program.names.index(EX.v3)
    assert [len(tried(forward, related, [(kind, third)])) for kind in (OBJECT, SUBJECT)] == [2, 2]
    assert len(tried(forward, related, [])) == 1


def test_values_that_rules_give_tell_them_apart_when_support_is_sought():
    """`R(x, vᵢ) :- Cᵢ(x)`"""
    program = compile_(
        [Rule("cls-hv1", (is_a(f"C{i}"),), Atom(EX.R, (x, EX[f"v{i}"]))) for i in range(LEAST_CONSTANTS)]
    )
    backward, related = program.plans.backward, number(program, "R")
    assert len(tried(backward, related, [(OBJECT, program.names.index(EX.v3))])) == 1


def test_pairwise_disjoint_classes_are_found_by_the_other_class():
    count = LEAST_CLASSES + 1
    pairs = [(i, j) for i in range(count) for j in range(i)]
    program = compile_([Rule("cax-adc", (is_a(f"C{i}"), is_a(f"C{j}")), None) for i, j in pairs])
    one, other = number(program, "C0"), number(program, "C7")
    assert len(tried(program.plans.forward, one, [(SUBJECT_CLASS, other)])) == 1


@pytest.mark.parametrize("count", [LEAST_CLASSES_BACKWARD - 1, LEAST_CLASSES_BACKWARD])
def test_subclasses_are_chained_for_retraction_only_where_there_are_very_many(count):
    plans = compile_([Rule("cax-sco", (is_a(f"C{i}"),), is_a("Top")) for i in range(count)]).plans
    assert (
        len(plans.backward.kinds)
        == len(plans.indexed_by_subject) // count
        == (count >= LEAST_CLASSES_BACKWARD)
    )
