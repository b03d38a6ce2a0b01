"""PB26's Examples 1 to 6 as printed, computed by the reference."""

from itertools import chain, combinations, pairwise

import pytest
from rdflib import Namespace, Variable

from oracle.conflicts import conflict_sets
from oracle.materialization import closure, instances, is_consistent
from oracle.window import INFINITY, interpretations
from oracle.window_repair import algorithm3, fold, maximal_consistent_subsets, precedes, repair
from pantarhei.model.rule import Rule
from strategies import is_a, member, related

EX = Namespace("http://example.org/")
A, B, C, D, E, R, a, b, c, car = (EX[name] for name in ("A", "B", "C", "D", "E", "R", "a", "b", "c", "car"))
x, y = Variable("x"), Variable("y")


def intersection(*parts, head=None):
    """`parts[0] ⊓ parts[1] ⊓ … ⊑ head`, or ⊑ ⊥ without a head."""
    return Rule("cls-int1", tuple(is_a(part, x) for part in parts), head and is_a(head, x))


def at(time, *classes, individual=a):
    """The assertions of an ABox that holds only memberships of one individual."""
    return {(time, member(class_, individual)) for class_ in classes}


def consistent_subsets(rules, assertions):
    every = chain.from_iterable(combinations(assertions, n) for n in range(len(assertions) + 1))
    return {frozenset(s) for s in every if is_consistent(rules, [fact for _, fact in s])}


class TestExample1:
    """Preferred repairs: the preference levels P1 = {A(a), B(a)} and P2 = {C(a)} are timestamps 1 and 2."""

    rules = (intersection(A, C), intersection(B, C))
    p1, p2 = at(1, A, B), at(2, C)

    def test_the_consistent_subsets_are_p2_p1_and_the_subsets_of_p1(self):
        """The paper lists P2, P1 and the two singletons, and leaves out the empty set, which is one too."""
        expected = {frozenset(s) for s in (self.p2, self.p1, at(1, A), at(1, B), ())}
        assert consistent_subsets(self.rules, self.p1 | self.p2) == expected

    def test_p1_is_below_p2(self):
        assert precedes(self.p1, self.p2) and not precedes(self.p2, self.p1)

    def test_p2_is_the_only_preferred_repair_so_that_only_c_is_entailed(self):
        assert maximal_consistent_subsets(self.rules, self.p1 | self.p2) == {frozenset(self.p2)}
        assert repair(self.rules, self.p1 | self.p2) == self.p2


class TestExample2:
    """Models of two ABoxes whose union is no model of the window: A(a) and B(a) with A ⊓ B ⊑ C."""

    rules = (intersection(A, B, head=C),)
    abox1, abox2 = {member(A, a)}, {member(B, a)}

    def test_each_abox_is_its_own_canonical_model(self):
        assert closure(self.rules, self.abox1) == self.abox1
        assert closure(self.rules, self.abox2) == self.abox2

    def test_the_direct_sum_of_the_models_is_no_model_of_the_window(self):
        union = self.abox1 | self.abox2
        assert [head for _, _, head in instances(self.rules, union)] == [member(C, a)]
        assert member(C, a) not in union

    def test_the_canonical_window_model_adds_what_is_missing_to_the_older_interpretation(self):
        model = interpretations(self.rules, {1: self.abox1, 2: self.abox2})
        assert model == {1: self.abox1 | {member(C, a)}, 2: self.abox2, INFINITY: frozenset()}


class TestExample3:
    """A car stops at a traffic light, seen through a window of two seconds that slides every second."""

    gas, brakes, clutch = (
        member(EX[name], car) for name in ("GasPedalPressed", "BreaksPressed", "ClutchPressed")
    )
    rules = (intersection(EX.GasPedalPressed, EX.BreaksPressed),)
    stream = ((0, {gas}), (1, {gas}), (2, set()), (3, {brakes}), (4, {brakes, clutch}))

    #   at:    0    1    2    3    4
    #         gas  gas
    #                        brk  brk, clutch
    #         [---------]                         window at 2
    #              [---------]                    window at 3: gas@1 contradicts brk@3
    #                   [---------]               window at 4
    @pytest.mark.parametrize(
        ("now", "kept"),
        [
            (0, {(0, gas)}),
            (1, {(0, gas), (1, gas)}),
            (2, {(0, gas), (1, gas)}),
            (3, {(3, brakes)}),
            (4, {(3, brakes), (4, brakes), (4, clutch)}),
        ],
    )
    def test_the_most_recent_pedal_is_believed(self, now, kept):
        assert fold(self.rules, self.stream, width=2)[now] == kept

    def test_unrepaired_the_window_at_3_is_inconsistent(self):
        assert is_consistent(self.rules, {self.gas})
        assert not is_consistent(self.rules, {self.gas, self.brakes})


class TestExample4:
    """The canonical window models of four windows, with A ⊓ C ⊑ D and B ⊓ D ⊑ E; all facts are about `a`.

    #   at:   1    2    3    4
    #         AB   C    A    B
    #         [----]              W1: D enters I_1, then E enters I_1
    #         [---------]         W2: D enters I_2
    #              [----]         W4: W2 without I_1
    #              [---------]    W3: E enters I_2
    """

    rules = (intersection(A, C, head=D), intersection(B, D, head=E))
    aboxes = ((1, {A, B}), (2, {C}), (3, {A}), (4, {B}))

    def model(self, first, last):
        """The classes of `a` in each interpretation of the window `[first, last]`."""
        window = {
            time: {member(k, a) for k in classes} for time, classes in self.aboxes if first <= time <= last
        }
        model = interpretations(self.rules, window)
        assert model.pop(INFINITY) == frozenset()
        assert all(subject == a for facts in model.values() for subject, _, _ in facts)
        return {time: {class_ for _, _, class_ in facts} for time, facts in model.items()}

    @pytest.mark.parametrize(
        ("window", "expected"),
        [
            ((1, 1), {1: {A, B}}),
            ((1, 2), {1: {A, B, D, E}, 2: {C}}),
            ((1, 3), {1: {A, B, D, E}, 2: {C, D}, 3: {A}}),
            ((2, 3), {2: {C, D}, 3: {A}}),
            ((2, 4), {2: {C, D, E}, 3: {A}, 4: {B}}),
        ],
        ids=["I1", "W1", "W2", "W4", "W3"],
    )
    def test_the_canonical_window_model_interpretation_by_interpretation(self, window, expected):
        assert self.model(*window) == expected

    def test_dropping_the_oldest_interpretation_of_w2_gives_w4(self):
        w2 = self.model(1, 3)
        del w2[1]
        assert w2 == self.model(2, 3)


class TestExample5:
    """A recursive constraint. The paper prints ∀R.B ⊑ B and argues with ∃R.B ⊑ B, which is what is tested."""

    rules = (Rule("cls-svf1", (related(R, x, y), is_a(B, y)), is_a(B, x)), intersection(A, B))

    def test_one_step_along_r_reaches_the_contradiction(self):
        assert not is_consistent(self.rules, {member(A, a), member(B, b), (a, R, b)})

    def test_and_so_do_two_steps(self):
        assert not is_consistent(self.rules, {member(A, a), member(B, c), (a, R, b), (b, R, c)})

    @pytest.mark.parametrize("steps", range(1, 7))
    def test_for_every_length_there_is_a_conflict_set_that_needs_it_whole(self, steps):
        path = [EX[f"i{n}"] for n in range(steps + 1)]
        facts = {member(A, path[0]), member(B, path[-1])} | {(s, R, o) for s, o in pairwise(path)}
        assertions = frozenset((1, fact) for fact in facts)
        assert conflict_sets(self.rules, assertions) == {assertions}


class TestExample6:
    """Conflicts are resolved from the most recent on: A ⊓ B ⊓ C ⊑ ⊥ and B ⊓ D ⊑ ⊥.

    #   at:   1    2    3
    #         A    B    C, D
    """

    rules = (intersection(A, B, C), intersection(B, D))
    assertions = at(1, A) | at(2, B) | at(3, C, D)
    s1 = frozenset(at(1, A) | at(2, B) | at(3, C))
    s2 = frozenset(at(2, B) | at(3, D))

    def test_there_are_two_conflict_sets(self):
        assert conflict_sets(self.rules, self.assertions) == {self.s1, self.s2}

    def test_removing_b_is_the_only_repair(self):
        assert maximal_consistent_subsets(self.rules, self.assertions) == {
            frozenset(self.assertions - at(2, B))
        }
        assert repair(self.rules, self.assertions) == self.assertions - at(2, B)

    def test_algorithm_3_removes_b_and_leaves_the_older_conflict_set_alone(self):
        assert algorithm3([self.s1, self.s2]) == at(2, B)

    def test_so_does_the_window_repair_step_by_step(self):
        stream = [(1, {member(A, a)}), (2, {member(B, a)}), (3, {member(C, a), member(D, a)})]
        assert fold(self.rules, stream, width=None)[-1] == self.assertions - at(2, B)
