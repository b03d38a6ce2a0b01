"""The work of a repair follows the size of its lineage, whatever contradicts: by counting, not by timing."""

import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import pytest

import pantarhei.repair.conflict as conflict_module
import pantarhei.repair.cut as exact_module
from counts import some
from pantarhei import Budget, Ontology, StreamReasoner, Window
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Different, Rule
from strategies import EX, is_a, member, related, x, y, z

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning"),
]
AT, NEXT, BEFORE, HOLDS = EX["at"], EX.next, EX.before, EX.holds


class Shape(NamedTuple):
    """A stream whose last ABox contradicts.

    Args:
        rules: rules and constraints.
        pushes: facts of each timestamp, the contradicting ones last.
        removed: how many assertions the repair removes.
        background: what always holds.
    """

    rules: Sequence[Rule]
    pushes: Sequence[Sequence[object]]
    removed: int
    background: Sequence[object] = ()


# -- shapes ----------------------------------------------------------------------------------------

ONE_PLACE = Rule("prp-fp", (related(AT, x, y), related(AT, x, z)), None, (Different(y, z),))
OCCUPIED = [
    ONE_PLACE,
    Rule("prp-rng", (related(AT, x, y),), is_a(EX.Occupied, y)),
    Rule("cax-dw", (is_a(EX.Occupied, x), is_a(EX.Empty, x)), None),
]
TIE = Rule("cax-dw", (is_a(EX.A, x), is_a(EX.B, x)), None)
TIED = [member(EX.A, EX.i), member(EX.B, EX.i)]


def at(who, where):
    return EX[who], AT, EX[where]


def places_at_once(n):
    """One thing at n places, and at another one before."""
    return Shape([ONE_PLACE], [[at("x", "old")], [at("x", f"p{i}") for i in range(n)]], n + 1)


def people_in(room, n):
    return [at(f"{room}-{i}", room) for i in range(n)]


def room_found_empty_at_once(n):
    return Shape(OCCUPIED, [[*people_in("r", n), member(EX.Empty, EX.r)]], n + 1)


def room_found_empty_later(n):
    return Shape(OCCUPIED, [people_in("r", n), [member(EX.Empty, EX.r)]], n)


def room_found_empty_before(n):
    return Shape(OCCUPIED, [[member(EX.Empty, EX.r)], people_in("r", n)], 1)


def sensors_of_a_cold_room(n):
    """n hot sensors in a room, which is then found cold."""
    rules = [
        Rule("cls-svf1", (related(HOLDS, x, y), is_a(EX.Hot, y)), is_a(EX.HotRoom, x)),
        Rule("cax-dw", (is_a(EX.HotRoom, x), is_a(EX.ColdRoom, x)), None),
    ]
    sensors = [EX[f"s{i}"] for i in range(n)]
    hot = [member(EX.Hot, sensor) for sensor in sensors]
    cold = member(EX.ColdRoom, EX.room)
    return Shape(rules, [hot, [cold]], n, [(EX.room, HOLDS, sensor) for sensor in sensors])


def tied_rooms(n):
    """n rooms with five people each, found empty at the same time; all were elsewhere before."""
    people = [f"p{i}" for i in range(5 * n)]
    before = [at(who, f"r{(number + 7) % n}") for number, who in enumerate(people)]
    now = [at(who, f"r{number % n}") for number, who in enumerate(people)]
    empty = [member(EX.Empty, EX[f"r{i}"]) for i in range(n)]
    return Shape(OCCUPIED, [before, [*now, *empty]], 11 * n)


def two_ways(n):
    """n classes, each followed from either of two; nothing of another one is in all of them."""
    names = [(f"{side}{i}", f"H{i}") for i in range(n) for side in "PQ"]
    rules = [Rule("cax-sco", (is_a(EX[one], x),), is_a(EX[other], x)) for one, other in names]
    rules.append(Rule("cls-com", (*(is_a(EX[f"H{i}"], x) for i in range(n)), is_a(EX.No, x)), None))
    return rules


def many_conflict_sets(n):
    """2^n conflict sets; the cut is the oldest two."""
    older = [[member(EX[f"{side}{i}"], EX.i) for side in "PQ"] for i in range(n)]
    return Shape(two_ways(n), [*older, [member(EX.No, EX.i)]], 2)


ORDER = [
    Rule("prp-trp", (related(BEFORE, x, y), related(BEFORE, y, z)), related(BEFORE, x, z)),
    Rule("prp-irp", (related(BEFORE, x, x),), None),
]


def ring(n):
    return [(one, BEFORE, other) for one, other in pairwise([*(EX[f"n{i}"] for i in range(n)), EX.n0])]


def ring_closed_later(n):
    return Shape(ORDER, [[edge] for edge in ring(n)], 1)


def ring_at_once(n):
    return Shape(ORDER, [ring(n)], n)


def hub(classes):
    """Reports on a place put it in a chain of classes, the last of which excludes another one."""
    chain = [Rule("cax-sco", (is_a(EX[f"K{i}"], x),), is_a(EX[f"K{i + 1}"], x)) for i in range(classes)]
    excluded = Rule("cax-dw", (is_a(EX[f"K{classes}"], x), is_a(EX.No, x)), None)
    return [Rule("prp-rng", (related(AT, x, y),), is_a(EX.K0, y)), *chain, excluded]


def hub_contradicted_later(n):
    return Shape(hub(n), [people_in("r", n), [member(EX.No, EX.r)]], n)


def hub_contradicted_at_once(n):
    return Shape(hub(n), [[*people_in("r", n), member(EX.No, EX.r)]], n + 1)


def older_levels_against_a_tie(n):
    """n timestamps with a fact each that contradicts one of two facts that contradict each other."""
    rules = [TIE, Rule("c", (is_a(EX.A, x), related(AT, x, y)), None)]
    return Shape(rules, [*([at("i", f"p{k}")] for k in range(n)), TIED], n + 2)


def older_levels_joined_against_a_tie(n):
    """n timestamps with two facts each that together contradict one of two facts of one time."""
    rules = [TIE, Rule("c", (is_a(EX.A, x), related(AT, x, y), is_a(EX.Good, y)), None)]
    older = [[at("i", f"p{k}"), member(EX.Good, EX[f"p{k}"])] for k in range(n)]
    return Shape(rules, [*older, TIED], 2 * n + 2)


def chain_of_levels_behind_a_tie(n):
    """n timestamps whose facts contradict the fact before them, and with it one of two of one time."""
    rules = [TIE, Rule("c", (is_a(EX.A, x), related(AT, x, y), related(NEXT, y, z), related(AT, x, z)), None)]
    background = [(EX[f"p{k}"], NEXT, EX[f"p{k + 1}"]) for k in range(n)]
    return Shape(rules, [*([at("i", f"p{k}")] for k in range(n)), TIED], n // 2 + 2, background)


LINEAR = [
    room_found_empty_at_once,
    room_found_empty_later,
    room_found_empty_before,
    sensors_of_a_cold_room,
    tied_rooms,
    many_conflict_sets,
    hub_contradicted_later,
    hub_contradicted_at_once,
    older_levels_against_a_tie,
    older_levels_joined_against_a_tie,
    chain_of_levels_behind_a_tie,
]
LARGER = [places_at_once, ring_closed_later, ring_at_once]  # their lineages grow faster than they do


# -- counting --------------------------------------------------------------------------------------


class Done(NamedTuple):
    """Work of a repair.

    Args:
        size: rows, rule instances and violations of the lineage.
        kernel: steps of the kernel.
        lines: lines of Python run by the repair.
    """

    size: int
    kernel: int
    lines: int


class Counting:
    """Counts the work of a repair: that of its decisions, and of its lines."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.decisions: list[object] = []
        self.residues = self.lines = self.size = 0
        decide, residue, lineage = (
            conflict_module.decision_of,
            conflict_module.OpenRules.residue,
            WindowModel.lineage,
        )

        def deciding(*given):
            self.decisions.append(decide(*given))
            return self.decisions[-1]

        def grouping(rules):
            self.residues += len(rules.heads) + len(rules.bodies) + len(rules.levels)
            return residue(rules)

        def found(*given, **more):
            one = lineage(*given, **more)
            self.size += 0 if one is None else len(one.rows) + len(one.instances) + len(one.violations)
            return one

        for module in (exact_module, conflict_module):
            patch.setattr(module, "decision_of", deciding)
        patch.setattr(conflict_module.OpenRules, "residue", grouping)
        patch.setattr(WindowModel, "lineage", found)

    def during(self, step: Callable[[], object]) -> Done:
        """The work of a step."""
        self.decisions.clear()
        self.residues = self.lines = self.size = 0
        before = sys.gettrace()
        sys.settrace(self._trace)
        try:
            step()
        finally:
            sys.settrace(before)
        kernel = self.residues
        for decision in self.decisions:
            kernel += decision.possible.work
            kernel += decision.kept.work if decision.kept is not decision.possible else 0
        return Done(self.size, kernel, self.lines)

    def _trace(self, frame, event, argument):
        name = frame.f_code.co_filename
        return self._count if "pantarhei/repair" in name or "proofs/antichain" in name else None

    def _count(self, frame, event, argument):
        self.lines += event == "line"
        return self._count


@pytest.fixture
def counting(monkeypatch):
    return Counting(monkeypatch)


def repaired(counting, shape, budget=Budget()):  # noqa: B008
    """(work of the last push, its repair)."""
    reasoner = StreamReasoner(
        Ontology.from_rules(shape.rules), Window(100_000), shape.background, budget=budget
    )
    *before, last = shape.pushes
    for time, facts in enumerate(before):
        reasoner.push(time, facts)
    updates = []
    done = counting.during(lambda: updates.append(reasoner.push(len(before), last)))
    return done, updates[0].repair


@pytest.mark.parametrize("shape", some(LINEAR, LINEAR[:2]), ids=lambda shape: shape.__name__)
def test_work_grows_with_what_contradicts(counting, shape):
    done = []
    for size in (100, 400):
        work, repair = repaired(counting, shape(size))
        assert len(repair.removed) == shape(size).removed and not repair.undecided
        done.append(work)
    small, large = done
    assert small.size and large.size <= 4.2 * small.size
    assert large.kernel <= 5 * small.kernel, done
    assert large.lines <= 5 * small.lines, done


@pytest.mark.parametrize("shape", LARGER, ids=lambda shape: shape.__name__)
def test_work_grows_with_the_lineage(counting, shape):
    done = []
    for size in (12, 36):
        work, repair = repaired(counting, shape(size))
        assert len(repair.removed) == shape(size).removed and not repair.undecided
        done.append(work)
    small, large = done
    factor = large.size / small.size
    assert factor > 6
    assert large.kernel <= 1.25 * factor * small.kernel, done
    assert large.lines <= 1.5 * factor * small.lines, done


@pytest.mark.parametrize(("shape", "pairs"), [(room_found_empty_later, 1), (places_at_once, 2)])
def test_listing_conflict_sets_costs_their_number(counting, shape, pairs):
    lines, listed = [], []
    for size in (20, 80):
        repair = repaired(counting, shape(size))[1]
        lines.append(counting.during(lambda: list(repair.conflicts)).lines)  # noqa: B023
        listed.append(len(repair.conflicts))
    assert listed == [20**pairs // pairs + 10 * (pairs - 1), 80**pairs // pairs + 40 * (pairs - 1)]
    assert lines[1] <= 1.25 * listed[1] / listed[0] * lines[0]


def test_counting_conflict_sets_makes_none_of_them(counting):
    """More than a hundred thousand pairs of values are counted in some hundred lines of Python."""
    repair = repaired(counting, places_at_once(500))[1]
    assert counting.during(lambda: len(repair.conflicts)).lines < 500
    assert len(repair.conflicts) == 500 * 499 // 2 + 500


@pytest.mark.parametrize("size", [14, 40])
def test_exponentially_many_conflict_sets_are_listed_up_to_the_budget_and_their_cut_is_exact(counting, size):
    budget = Budget(sets=2000, steps=20_000)
    done, repair = repaired(counting, many_conflict_sets(size), budget)
    assert repair.removed == {(0, member(EX[f"{side}0"], EX.i)) for side in "PQ"} and not repair.undecided
    assert not repair.conflicts.complete and len(repair.conflicts) == 0
    assert done.lines < 500
    again = repaired(counting, many_conflict_sets(size), budget)[1]
    assert counting.during(lambda: list(again.conflicts)).lines < 20 * budget.steps


def test_exponentially_many_conflict_sets_of_one_time_are_searched_up_to_the_budget(counting):
    """Each of the facts is in some conflict set. Beyond the budget they are removed all the same."""

    def at_once(size):
        facts = [member(EX[f"{side}{i}"], EX.i) for i in range(size) for side in "PQ"]
        return Shape(two_ways(size), [facts, [member(EX.No, EX.i)]], 2 * size)

    few, repair = repaired(counting, at_once(6))
    assert len(repair.removed) == 12 and not repair.undecided and len(repair.conflicts) == 64
    budget = Budget(sets=2000, steps=20_000)
    many, repair = repaired(counting, at_once(30), budget)
    assert len(repair.removed) == 60 and repair.removed == repair.undecided
    assert few.lines < many.lines < 20 * budget.steps
