"""Which plans a fact triggers, and which are spared."""

from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import EX, A, B, C, R, S, a, b, c, is_a, member, related, x, y, z

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
