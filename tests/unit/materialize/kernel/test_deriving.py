"""What becomes of matches: heads are derived and counted, violations noted where they are wanted."""

from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import A, B, C, R, a, b, c, is_a, member, related, x, y

SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(B, x))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)
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
