"""The rule instances behind facts: all of them, those of what is asserted too."""

import pytest

from pantarhei.model.rule import Rule
from rule_models import RuleModel
from strategies import A, B, C, R, a, b, c, is_a, member, related, x, y

SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
SVF = Rule("svf", (related(R, x, y), is_a(B, y)), is_a(B, x))
OTHER = Rule("other", (is_a(A, x),), is_a(C, x))


def lineage(model, *facts, most=100, background=False):
    return model.model.lineage_of(model.rows(facts), most, explains_background=background)


def told(model, found):
    """(head, rule, body) of each instance."""
    rules = model.model.program.rules
    return {
        (*model.triples_of([head]), rules[rule].name, *model.triples_of(body))
        for head, rule, *body in found.instances.tolist()
    }


def test_all_instances_behind_a_fact_are_found_and_no_others():
    model = RuleModel(SUBCLASS, SVF, OTHER)
    model.add(0, (a, R, b), (c, R, b), member(A, b), member(A, a))
    found = lineage(model, member(B, a))
    assert told(model, found) == {
        (member(B, a), "sub", member(A, a)),
        (member(B, a), "svf", (a, R, b), member(B, b)),
        (member(B, b), "sub", member(A, b)),
    }
    assert len(found.instances) == 3 and not found.cut_short


def test_what_is_asserted_is_explained_too():
    model = RuleModel(SUBCLASS)
    model.add(0, member(A, a))
    model.add(1, member(B, a))
    assert told(model, lineage(model, member(B, a))) == {(member(B, a), "sub", member(A, a))}


def test_a_cycle_comes_to_an_end_with_each_of_its_instances_once():
    model = RuleModel(SUBCLASS, SVF)
    model.add(0, (a, R, b), (b, R, a), member(A, a))
    found = lineage(model, member(B, a))
    assert len(found.instances) == len(told(model, found)) == 3


def test_what_holds_for_ever_is_explained_on_demand():
    model = RuleModel(SUBCLASS, SVF)
    model.model.add_background(model.rows([member(A, b)]))
    model.add(0, (a, R, b))
    assert len(lineage(model, member(B, a)).instances) == 1
    assert len(lineage(model, member(B, a), background=True).instances) == 2


@pytest.mark.parametrize(("most", "cut_short"), [(4, False), (3, True)])
def test_past_the_bound_the_instances_are_left_out_and_the_rows_are_not(most, cut_short):
    model = RuleModel(SUBCLASS, SVF)
    model.add(0, (a, R, b), (b, R, c), member(A, c), member(A, a))
    found = lineage(model, member(B, a), most=most)
    assert found.cut_short is cut_short and bool(len(found.instances)) is not cut_short
    assert set(model.triples_of(found.rows.tolist())) == model.facts
    model.kernel.check_invariants()
