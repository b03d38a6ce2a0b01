"""Of many bodies those begin with a fact that its predicate, constants and wanted terms are the keys of."""

from __future__ import annotations

import random

import numpy as np
import pytest

from pantarhei.encoding.numbers import NONE
from pantarhei.materialize.kernel.arrays import CACHE_LINE
from pantarhei.materialize.kernel.cells import Cells, new_cells, room_for
from pantarhei.rules.compilation.body_plans import FactPattern
from rule_models import RuleModel
from strategies import EX, A, R, S, a, b, c, is_a, member, related, x, y, z


@pytest.mark.parametrize("keys", [0, 1, 5, 6, 10, 11, 682, 683, 100_000])
@pytest.mark.parametrize("size", [8, 1024])
def test_room_is_the_least_doubling_that_is_two_thirds_full_at_most(size, keys):
    room = room_for(size, keys)
    assert room % size == 0 and 3 * keys <= 2 * room
    assert room == size or 3 * keys > 2 * (room // 2)


def test_new_cells_are_empty_and_begin_with_a_line_of_the_cache():
    cells = np.asarray(new_cells(64))
    assert (cells == NONE).all() and len(cells) == 128
    assert cells.ctypes.data % CACHE_LINE == 0


def test_a_table_grows_and_never_shrinks():
    cells = Cells(16)
    assert (cells.size, cells.keys, cells.count()) == (16, 0, 0)
    cells.grow_to(64)
    cells.grow_to(32)
    assert (cells.size, cells.count()) == (64, 0)
    assert cells.size_for(10) == 64 and cells.size_for(43) == 128


def test_every_row_is_found_while_others_come_and_go():
    """A row removed from a run of cells leaves no gap before those that had to stand further on."""
    model, chance, there = RuleModel(), random.Random(3), set()
    for _ in range(12):
        came = {(0, chance.randrange(4000), NONE) for _ in range(600)}
        model.model.add(np.array(sorted(came), np.int32), 0)
        there |= came
        gone = set(chance.sample(sorted(there), 400))
        model.model.cut(np.array(sorted(gone), np.int32))
        there -= gone
        found = {(0, who, NONE) for who in range(4000) if model.kernel.store.row_of(0, who, NONE) >= 0}
        assert found == there
    model.kernel.check_invariants()


MANY = 1000
FAR = tuple((EX[f"far{i}"],) for i in range(MANY))


def begun(bodies, *triples):
    """How many plans are begun, and rows looked at, and how many matches there are, when triples come."""
    model = RuleModel()
    plans = model.model.plan_bodies(bodies)
    model.model.take_changes()
    model.add(1, *triples)
    before = model.kernel.candidates
    found = model.model.signed_matches(plans, model.model.take_changes())
    model.kernel.check_invariants()
    return model.kernel.candidates - before, len(found)


@pytest.mark.parametrize(
    "atom",
    [
        lambda i: related(EX[f"P{i}"], x, y),
        lambda i: related(R, x, EX[f"v{i}"]),
        lambda i: related(R, EX[f"v{i}"], x),
        lambda i: related(R, EX[f"v{i}"], EX[f"v{i + 1}"]),
        lambda i: is_a(EX[f"C{i}"], x),
        lambda i: is_a(A, EX[f"v{i}"]),
    ],
)
def test_only_bodies_that_a_fact_can_be_part_of_begin_with_it(atom):
    bodies = [FactPattern((atom(i),)) for i in range(MANY)]
    assert begun(bodies, (a, R, b), (a, S, b), member(A, a), member(EX.B, a)) == (0, 0)
    pairs = [(EX[f"v{i}"], EX[f"v{i + 1}"]) for i in (3, 5)]
    facts = [(one, R, other) for one, other in pairs]
    facts += [fact for i in (3, 5) for fact in ((a, EX[f"P{i}"], b), member(EX[f"C{i}"], a))]
    facts += [member(A, one) for one, _ in pairs]
    count, matches = begun(bodies, *facts)
    assert 2 <= matches == count <= 4


@pytest.mark.parametrize(
    ("atom", "parameters", "near"),
    [
        (related(R, x, y), (x,), (a,)),
        (related(R, x, y), (y,), (b,)),
        (related(R, x, y), (y, x), (b, a)),
        (related(R, a, y), (y,), (b,)),
        (related(R, x, x), (x,), (c,)),
        (is_a(A, x), (x,), (a,)),
    ],
)
def test_a_body_with_parameters_begins_with_what_is_wanted_for_them(atom, parameters, near):
    facts = [(a, R, b), (c, R, c), member(A, a)]
    far = tuple(tuple(EX[f"far{i}"] for _ in parameters) for i in range(MANY))
    assert begun([FactPattern((atom,), (), parameters, far)], *facts) == (0, 0)
    assert begun([FactPattern((atom,), (), parameters, ())], *facts) == (0, 0)
    assert begun([FactPattern((atom,), (), parameters, (*far, near, near))], *facts) == (1, 1)


@pytest.mark.parametrize(("count", "work"), [(1, 1), (5, 5), (1000, 50)])
def test_a_parameter_is_bound_before_others_by_its_chain_or_by_what_is_wanted_whichever_is_less(count, work):
    model = RuleModel()
    model.add(0, *((a, each, EX[f"n{i}"]) for i in range(50) for each in (R, S)))
    atoms = (related(S, x, z), related(R, x, y), is_a(A, x))
    for wanted, expected in ((FAR[:count], (work, 0)), (((EX.n7,), *FAR[1:count]), (work + 50, 50))):
        plans = model.model.plan_bodies([FactPattern(atoms, (), (y,), wanted)])
        model.model.take_changes()
        model.add(1, member(A, a))
        before = model.kernel.candidates
        found = model.model.signed_matches(plans, model.model.take_changes())
        assert (model.kernel.candidates - before - 1, len(found)) == expected
        model.cut(member(A, a))


def test_parameters_are_wanted_together_not_each_for_itself():
    body = FactPattern((related(R, x, y), related(S, y, z)), (), (z, x), ((c, a), (b, EX.d), (EX.d, b)))
    assert begun([body], (a, R, b), (b, S, c))[1] == 1
    assert begun([body], (a, R, b), (b, S, b))[1] == 0
    assert begun([body], (EX.d, R, b), (b, S, b))[1] == 1


def test_several_bodies_hang_on_one_key():
    bodies = [
        FactPattern((related(R, x, b),)),
        FactPattern((related(R, x, b), is_a(A, x))),
        FactPattern((related(R, x, y),)),
    ]
    assert begun(bodies, (a, R, b), member(A, a))[1] == 3
