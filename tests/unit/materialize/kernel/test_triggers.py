"""What becomes of matches: heads are derived and counted, violations noted where they are wanted."""

from __future__ import annotations

import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, C, R, S, a, b, c, is_a, member, related, x, y, z

MANY = range(60)
VALUES = [Rule("cls-hv2", (related(R, x, EX[f"v{i}"]),), is_a(EX[f"C{i}"], x)) for i in MANY]
SUBJECTS = [Rule("hv", (related(R, EX[f"v{i}"], y),), is_a(EX[f"C{i}"], y)) for i in MANY]
CLASSES = [Rule("svf", (related(R, x, y), is_a(EX[f"D{i}"], y)), is_a(EX[f"C{i}"], x)) for i in MANY]


def plans_begun(model, *triples):
    """How many plans were begun, and rows looked at, to add triples."""
    before = model.kernel.candidates
    model.add(0, *triples)
    return model.kernel.candidates - before


@pytest.mark.parametrize(
    ("rules", "fact", "derived"),
    [
        (VALUES, (a, R, EX.v7), member(EX.C7, a)),
        (SUBJECTS, (EX.v7, R, a), member(EX.C7, a)),
    ],
)
def test_of_many_plans_with_a_constant_those_of_the_facts_constant_are_begun(rules, fact, derived):
    model = RuleModel(*rules)
    assert plans_begun(model, fact) < 10 and model.facts == {fact, derived}
    assert plans_begun(model, (a, R, EX.other)) == 0, "no plan asks for that"


def test_of_many_plans_with_a_class_those_of_the_terms_classes_are_begun():
    model = RuleModel(*CLASSES)
    model.add(0, member(EX.D7, b), member(EX.D9, b), member(EX.E, b))
    assert plans_begun(model, (a, R, b)) < 15
    assert {member(EX.C7, a), member(EX.C9, a)} <= model.facts and len(model.facts) == 6
    assert plans_begun(model, (a, R, EX.in_no_class)) == 0


def test_a_term_in_more_classes_than_there_are_plans_is_not_asked_for_them():
    few = CLASSES[:20]
    model = RuleModel(*few)
    model.add(0, *(member(EX[f"E{i}"], b) for i in range(500)), member(EX.D7, b))
    assert plans_begun(model, (a, R, b)) <= len(few)
    assert member(EX.C7, a) in model.facts


def test_all_keys_of_a_large_switch_are_found():
    model = RuleModel(*VALUES)
    model.add(0, *((a, R, EX[f"v{i}"]) for i in MANY))
    assert {member(EX[f"C{i}"], a) for i in MANY} <= model.facts


SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
DOMAIN = Rule("prp-dom", (related(R, x, y),), is_a(A, x))
JOIN = Rule("chain", (related(R, x, y), related(S, y, z)), related(EX.T, x, z))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)


def begun(model, act):
    before = model.kernel.candidates
    act()
    return model.kernel.candidates - before


def test_a_fact_of_a_predicate_that_no_body_has_triggers_nothing():
    model = RuleModel(SUBCLASS, JOIN)
    model.vocabulary.encode([(a, EX.unknown, b), member(EX.Unknown, a), (a, EX.T, b)])
    facts = (a, EX.unknown, b), member(EX.Unknown, a), (a, EX.T, b), member(B, a)
    assert begun(model, lambda: model.add(0, *facts)) == 0


def test_a_plan_is_begun_once_for_each_fact_of_its_trigger():
    model = RuleModel(JOIN)
    assert begun(model, lambda: model.add(0, (a, R, b), (b, R, c), (b, S, c))) == 3
    assert (a, EX.T, c) in model.facts
    assert begun(model, lambda: model.add(1, (a, R, b), (b, S, c))) == 0, "they are there already"


def test_each_violation_is_found_once_when_all_are_looked_for():
    model = RuleModel(SUBCLASS, DISJOINT)
    model.add(0, member(A, a), member(C, a), member(C, b))
    model.violations()
    model.model.find_violations()
    assert model.violations() == [("disjoint", [member(B, a), member(C, a)])]


def test_of_a_finished_interpretation_only_the_plans_fire_that_can_cross_to_what_was_there():
    """The domain says nothing that is not known of each fact alone; the chain can go on from an older one."""
    asserted, derived = [(a, R, b), (b, S, c)], [(a, EX.T, c), member(A, a)]
    added, merged = RuleModel(DOMAIN, JOIN), RuleModel(DOMAIN, JOIN)
    for model in (added, merged):
        model.add(0, (EX.old, R, b))
    added.add(1, *asserted)
    merged.merge(1, asserted, derived)
    assert merged.kernel.firings == added.kernel.firings - 1 and merged.facts == added.facts
    assert (EX.old, EX.T, c) in merged.facts


def test_a_constraint_is_begun_for_a_finished_interpretation_too():
    model = RuleModel(SUBCLASS, DISJOINT)
    model.merge(0, [member(A, a), member(C, a)], [member(B, a)])
    assert ("disjoint", [member(B, a), member(C, a)]) in model.violations()


SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(B, x))
NOTHING = Rule("nothing", (related(R, x, x),), None)


def test_each_rule_instance_fires_once_whatever_it_is_met_from():
    model = RuleModel(SVF)
    model.add(0, (a, R, b), (a, R, c), (b, R, c), member(A, b), member(A, c))
    assert model.kernel.firings == 3
    assert model.facts >= {member(B, a), member(B, b)}


def test_a_violation_is_the_constraint_and_the_rows_of_its_body_in_order_padded():
    model = RuleModel(SVF, DISJOINT, NOTHING)
    model.add(0, member(C, a), (a, R, b), member(A, b), (c, R, c))
    found = model.model.violations()
    assert found.shape[1] == 3
    told = {(model.model.program.rules[rule].name, *model.triples_of(rows)) for rule, *rows in found.tolist()}
    assert told == {("disjoint", member(B, a), member(C, a)), ("nothing", (c, R, c))}
    assert sorted((found == NONE).sum(axis=1).tolist()) == [0, 1]


def test_violations_are_handed_over_once():
    model = RuleModel(DISJOINT)
    model.add(0, member(B, a), member(C, a))
    assert len(model.violations()) == 1 and model.violations() == []
    model.add(1, member(B, a))
    assert model.violations() == [], "it is no new one"


def test_no_violation_is_noted_while_none_is_wanted():
    model = RuleModel(DISJOINT)
    model.kernel.detect = False
    model.add(0, member(B, a), member(C, a))
    assert model.violations() == []
    model.kernel.detect = True
    model.add(0, member(B, b), member(C, b))
    assert model.violations() == [("disjoint", [member(B, b), member(C, b)])]
