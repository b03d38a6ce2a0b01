"""Matches of bodies with given facts, whether these are stored or not, and with facts that came and went."""

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.constants import COLLECTED, DELTA_MINUS, DELTA_PLUS, TEMPORARY
from pantarhei.materialize.model import FOREVER, CapacityExceededError
from pantarhei.model.rule import Atom
from pantarhei.rules.compilation.body_plans import FactPattern
from rule_models import RuleModel
from strategies import EX, A, R, S, a, b, c, member, related, x, y, z

PATH = [related(R, x, y), related(S, y, z)]


def matched(model, body, facts, without=()):
    """{what the variables are bound to: the lowest level} of the matches; none recurs."""
    plan = model.model.plan(body)
    found = model.model.matches_with(plan, model.rows(facts), model.rows(without))
    bindings = [tuple(map(model.vocabulary.term, row)) for row in found.bindings.tolist()]
    assert len(bindings) == len(set(bindings))
    model.kernel.check_invariants()
    return dict(zip(bindings, found.levels.tolist(), strict=True))


def a_model():
    model = RuleModel()
    model.add(1, (a, R, b), (c, R, b))
    model.add(2, (b, S, c), (EX.d, S, c))
    return model


def test_only_matches_with_a_given_fact_are_found_from_either_atom():
    assert matched(a_model(), PATH, [(a, R, b)]) == {(a, b, c): 1}
    assert matched(a_model(), PATH, [(b, S, c)]) == {(a, b, c): 1, (c, b, c): 1}
    assert matched(a_model(), PATH, [(EX.d, S, c)]) == {}


def test_a_match_with_several_given_facts_is_found_once():
    assert matched(a_model(), PATH, [(a, R, b), (b, S, c), (a, R, b)]) == {(a, b, c): 1, (c, b, c): 1}
    loop = [related(R, x, y), related(R, y, x)]
    model = RuleModel()
    model.add(3, (a, R, a))
    assert matched(model, loop, [(a, R, a)]) == {(a, a): 3}


def test_what_is_gone_is_matched_as_if_it_were_there_and_is_not_there_afterwards():
    model = a_model()
    before = model.facts
    assert matched(model, PATH, [(EX.gone, R, b)]) == {(EX.gone, b, c): 2}
    assert matched(model, PATH, [(EX.gone, R, EX.d2), (EX.d2, S, a)]) == {(EX.gone, EX.d2, a): FOREVER}
    assert model.facts == before and len(model.model.take_changes()) == len(before)


def test_what_is_hidden_takes_no_part_and_is_there_again_afterwards():
    model = a_model()
    assert matched(model, PATH, [(b, S, c)], without=[(a, R, b)]) == {(c, b, c): 1}
    assert matched(model, PATH, [(a, R, b)], without=[(a, R, b)]) == {}
    assert matched(model, PATH, [(b, S, c)]) == {(a, b, c): 1, (c, b, c): 1}


def test_a_body_of_one_atom_matches_the_given_facts_of_its_predicate():
    model = a_model()
    model.add(3, member(A, a))
    given = [member(A, a), member(A, b), (a, R, b)]
    assert matched(model, [Atom(A, (x,))], given) == {(a,): 3, (b,): FOREVER}
    assert matched(model, [Atom(A, (x,))], []) == {}


def test_what_is_looked_at_is_counted_with_the_models_work():
    model = a_model()
    before = model.kernel.candidates
    matched(model, PATH, [(b, S, c)])
    assert model.kernel.candidates - before == 3


# -- by signed changes -----------------------------------------------------------------------------

CROSS = FactPattern((related(R, x, y), related(S, y, z)))


def signed(model, bodies, came=(), went=(), reformed=()):
    """{(place of the body, sign, *terms of its variables)}; none recurs."""
    plans = model.model.plan_bodies(bodies)
    noted = [(*fact, 1) for fact in model.rows(came)] + [(*fact, -1) for fact in model.rows(went)]
    noted = np.array(noted, np.int32).reshape(-1, 4)
    found = model.model.signed_matches(plans, noted, model.rows(reformed)).tolist()
    told = [
        (place, sign, *map(model.vocabulary.term, bound[: len(plans.variables[place])]))
        for place, sign, *bound in found
    ]
    assert len(told) == len(set(told))
    model.kernel.check_invariants()
    assert not model.flagged(DELTA_PLUS | DELTA_MINUS | TEMPORARY | COLLECTED)
    return set(told)


def test_matches_come_and_go_with_facts_of_both_states():
    model = a_model()  # before the step there were (EX.e, R, b), (b, S, a), and no (a, R, b), (b, S, c)
    came, went = [(a, R, b), (b, S, c)], [(EX.e, R, b), (b, S, a)]
    assert signed(model, [CROSS], came, went) == {
        (0, 1, a, b, c), (0, 1, c, b, c), (0, -1, EX.e, b, a), (0, -1, c, b, a),
    }  # fmt: skip
    assert signed(model, [CROSS]) == set()


@pytest.mark.parametrize(
    "atoms", [(related(R, x, y), related(R, y, x)), (related(R, x, y), related(R, x, y))]
)
def test_a_match_with_one_fact_for_two_atoms_comes_and_goes_once(atoms):
    model = RuleModel()
    model.add(0, (a, R, a))
    assert signed(model, [FactPattern(atoms)], came=[(a, R, a)]) == {(0, 1, a, a)}
    assert signed(model, [FactPattern(atoms)], went=[(b, R, b)]) == {(0, -1, b, b)}


def test_what_is_mentioned_an_even_number_of_times_did_neither():
    model, there, gone = a_model(), (a, R, b), (EX.e, R, b)
    assert signed(model, [CROSS], came=[there], went=[there]) == set()
    assert signed(model, [CROSS], came=[gone], went=[gone]) == set()
    assert signed(model, [CROSS], came=[gone, (b, S, c)], went=[gone]) == {(0, 1, a, b, c), (0, 1, c, b, c)}
    assert signed(model, [CROSS], came=[gone], went=[gone, (b, S, a)]) == {(0, -1, a, b, a), (0, -1, c, b, a)}
    assert signed(model, [CROSS], came=[there, there], went=[there]) == {(0, 1, a, b, c)}


def test_what_is_written_another_way_goes_and_comes():
    model = a_model()
    both = {(0, sign, a, b, c) for sign in (1, -1)}
    assert signed(model, [CROSS], reformed=[(a, R, b), (a, R, b)]) == both
    assert signed(model, [CROSS], came=[(c, R, b)], reformed=[(a, R, b)]) == both | {(0, 1, c, b, c)}
    assert signed(model, [CROSS], came=[(a, R, b)], reformed=[(a, R, b)]) == {(0, 1, a, b, c)}
    assert signed(model, [CROSS], went=[(EX.e, R, b)], reformed=[(EX.e, R, b)]) == {(0, -1, EX.e, b, c)}
    assert signed(model, [CROSS], reformed=[(EX.e, R, b)]) == set()


def test_bodies_are_told_apart_by_their_place_and_padded_to_the_widest():
    model = a_model()
    bodies = [FactPattern((Atom(A, (x,)),)), CROSS, FactPattern((related(R, x, y),), (), (y,), ((b,),))]
    assert signed(model, bodies, came=[(a, R, b)]) == {(1, 1, a, b, c), (2, 1, b, a)}
    plans = model.model.plan_bodies(bodies)
    assert plans.variables == ((x,), (x, y, z), (y, x))
    noted = np.array([(*fact, 1) for fact in model.rows([(a, R, b)])], np.int32)
    last = model.model.signed_matches(plans, noted)
    assert last.dtype == np.int32 and last[last[:, 0] == 2, 4].tolist() == [NONE]
    assert model.model.signed_matches(plans, noted[:0]).shape == (0, 5)
    assert model.model.signed_matches(model.model.plan_bodies([]), noted).shape == (0, 2)


def test_rows_that_what_has_gone_took_for_the_time_are_free_in_the_order_they_were():
    facts = [(EX[f"n{i}"], R, EX[f"n{i + 1}"]) for i in range(40)]
    rows = []
    for asks in (False, True):
        model = RuleModel()
        model.add(0, *facts)
        model.cut(*facts[::2])
        if asks:
            path = FactPattern((related(R, x, y), related(R, y, z)))
            assert len(signed(model, [path], went=facts[::2])) == 39
        model.model.take_changes()
        model.add(1, *facts[::2])
        rows.append([model.kernel.store.row_of(*fact) for fact in model.rows(facts).tolist()])
        assert len(model.model.take_changes()) == 20
    assert rows[0] == rows[1]


def test_after_an_error_in_the_midst_everything_is_as_before():
    model = a_model()
    before = model.facts
    model.model.take_changes()
    went = [(EX[f"n{i}"], R, b) for i in range(2000)]
    with model.model.limited(len(before) + 1000, None), pytest.raises(CapacityExceededError):
        signed(model, [CROSS], came=[(a, R, b)], went=went)
    model.kernel.check_invariants()
    assert model.facts == before and not model.flagged(DELTA_PLUS | DELTA_MINUS | TEMPORARY | COLLECTED)
    assert len(model.model.take_changes()) == 0
    assert len(signed(model, [CROSS], came=[(a, R, b)], went=went)) == 2001


@pytest.mark.parametrize("size", [10, 10_000])
def test_few_changes_cost_as_much_in_a_large_window(size):
    model = RuleModel()
    model.add(0, *((EX[f"n{i}"], R, EX[f"m{i}"]) for i in range(size)))
    model.add(1, (a, R, b), (b, S, c))
    before = model.kernel.candidates
    assert len(signed(model, [CROSS], came=[(a, R, b)], went=[(b, S, a)])) == 1
    assert model.kernel.candidates - before == 5


def test_what_no_body_asks_for_gets_no_row_for_the_time():
    """The rows are full: one more would be too many."""
    model = a_model()
    bodies = [CROSS, FactPattern((related(EX.T, x, y), Atom(A, (x,))), (), (x,), ((b,),))]
    with model.model.limited(len(model.facts), None):
        assert signed(model, bodies, went=[(a, EX.T, b), (a, EX.U, b), member(A, a)]) == set()
        with pytest.raises(CapacityExceededError):
            signed(model, bodies, went=[(b, EX.T, b)])
