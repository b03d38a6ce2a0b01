"""What both forms of the window model have."""

import numpy as np
import pytest
from rdflib import XSD, Literal

from pantarhei.materialize.kernel_values import contiguous
from pantarhei.materialize.model import FOREVER
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Member, Rule
from rule_models import RuleModel
from strategies import A, B, C, R, V, a, b, is_a, member, related, x, y

SVF = Rule("svf", (related(R, x, y), is_a(A, y)), is_a(B, x))
DISJOINT = Rule("disjoint", (is_a(B, x), is_a(C, x)), None)
IN_RANGE = Rule("range", (related(V, x, y),), is_a(A, x), tests=(Member(y, Datatype(XSD.integer)),))
keeps = pytest.mark.parametrize("keep", ["newest", "every"])


@keeps
def test_a_violation_is_noted_when_it_arises_and_found_again_when_it_is_looked_for(keep):
    model = RuleModel(SVF, DISJOINT, keep=keep)
    model.add(0, (a, R, b), member(A, b))
    model.add(1, member(C, a))
    violation = ("disjoint", [member(B, a), member(C, a)])
    assert set(map(str, model.violations())) == {str(violation)}
    assert model.violations() == []
    model.model.find_violations()
    assert model.violations() == [violation]


@keeps
def test_levels_and_bases_of_rows_are_the_newest_that_hold_and_that_assert(keep):
    model = RuleModel(SVF, keep=keep)
    model.model.add_background(model.rows([(a, R, b)]))
    model.add(2, member(A, b))
    rows = [model.kernel.store.row_of(*fact) for fact in model.rows([(a, R, b), member(A, b), member(B, a)])]
    levels, bases = model.kernel.levels_of(contiguous(np.array(rows, np.int32)))
    assert levels.tolist() == [FOREVER, 2, 2] and bases.tolist() == [FOREVER, 2, -1]


@keeps
def test_plans_ask_the_literals_that_came_since(keep):
    model = RuleModel(IN_RANGE, keep=keep)
    for level in range(3):
        values = [Literal(number) for number in range(100 * level, 100 * level + 100)]
        model.add(level, *((a, V, value) for value in values), (b, V, Literal(f"text {level}")))
    assert member(A, a) in model.facts and member(A, b) not in model.facts


@keeps
def test_work_is_counted_and_nothing_done_is_no_work(keep):
    model = RuleModel(SVF, keep=keep)
    assert model.kernel.pops == model.kernel.firings == model.kernel.candidates == 0
    model.add(0, (a, R, b), member(A, b))
    done = model.kernel.pops, model.kernel.firings, model.kernel.candidates
    assert all(done)
    model.facts, model.violations()
    assert (model.kernel.pops, model.kernel.firings, model.kernel.candidates) == done


@keeps
def test_only_what_is_walked_has_chains_from_the_beginning(keep):
    model = RuleModel(SVF, keep=keep)
    model.add(0, (a, R, b), (b, R, b), (a, V, b))
    walked, other = (model.vocabulary.find_property(name) for name in (R, V))
    end = model.vocabulary.find(b)
    assert len(model.kernel.store.select(walked, -1, end, 1)) == 2
    assert len(model.kernel.store.select(other, -1, end, 1)) == 0
