"""Plans are tried with the facts whose constants and classes they ask for."""

import pytest

from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, R, a, b, is_a, member, related, x, y

MANY = range(60)
VALUES = [Rule("cls-hv2", (related(R, x, EX[f"v{i}"]),), is_a(EX[f"C{i}"], x)) for i in MANY]
SUBJECTS = [Rule("hv", (related(R, EX[f"v{i}"], y),), is_a(EX[f"C{i}"], y)) for i in MANY]
CLASSES = [Rule("svf", (related(R, x, y), is_a(EX[f"D{i}"], y)), is_a(EX[f"C{i}"], x)) for i in MANY]


def begun(model, *triples):
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
    assert begun(model, fact) < 10 and model.facts == {fact, derived}
    assert begun(model, (a, R, EX.other)) == 0, "no plan asks for that"


def test_of_many_plans_with_a_class_those_of_the_terms_classes_are_begun():
    model = RuleModel(*CLASSES)
    model.add(0, member(EX.D7, b), member(EX.D9, b), member(EX.E, b))
    assert begun(model, (a, R, b)) < 15
    assert {member(EX.C7, a), member(EX.C9, a)} <= model.facts and len(model.facts) == 6
    assert begun(model, (a, R, EX.in_no_class)) == 0


def test_a_term_in_more_classes_than_there_are_plans_is_not_asked_for_them():
    few = CLASSES[:20]
    model = RuleModel(*few)
    model.add(0, *(member(EX[f"E{i}"], b) for i in range(500)), member(EX.D7, b))
    assert begun(model, (a, R, b)) <= len(few)
    assert member(EX.C7, a) in model.facts


def test_all_keys_of_a_large_switch_are_found():
    model = RuleModel(*VALUES)
    model.add(0, *((a, R, EX[f"v{i}"]) for i in MANY))
    assert {member(EX[f"C{i}"], a) for i in MANY} <= model.facts
