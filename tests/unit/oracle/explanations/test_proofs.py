"""The checker accepts a right proof, and refuses it once any one thing of it is changed."""

import pickle
from dataclasses import dataclass, replace

import pytest
from rdflib import Literal

from oracle.explanations.proofs import WrongProofError, check_proof
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Builtin, Different, Member, Rule
from pantarhei.values.scalar_functions import SWRLB
from strategies import (
    EX,
    ONE,
    ONE_POINT_ZERO,
    OVER_LITERALS,
    TRANSITIVE,
    TWO,
    A,
    B,
    C,
    R,
    V,
    a,
    b,
    c,
    is_a,
    member,
    related,
    x,
    y,
    z,
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    fact: tuple | None
    rule: Rule | None = None
    premises: tuple[int, ...] = ()
    at: int | None = None


@dataclass(frozen=True)
class Steps:
    steps: tuple[Step, ...]


def check(steps, conclusion, rules=(), assertions=(), background=()):
    check_proof(Steps(tuple(steps)), rules, assertions, background, conclusion)


SMOKE, DANGER, ALARM, SAFE = (member(EX[name], a) for name in ("Smoke", "Danger", "Alarm", "Safe"))
SMOKE_IS_DANGER = Rule("cax-sco", (is_a(EX.Smoke, x),), is_a(EX.Danger, x))
DANGER_IS_ALARM = Rule("cax-sco", (is_a(EX.Danger, x),), is_a(EX.Alarm, x))
SAFE_IS_NO_ALARM = Rule("cax-dw", (is_a(EX.Safe, x), is_a(EX.Alarm, x)), None)
OPEN = member(EX.Open, a)
IN_THE_OPEN = Rule("cls-int1", (is_a(EX.Alarm, x), is_a(EX.Open, x)), is_a(EX.Loud, x))
RULES = (SMOKE_IS_DANGER, DANGER_IS_ALARM, SAFE_IS_NO_ALARM, IN_THE_OPEN, TRANSITIVE[0])
ASSERTIONS = {(1, SMOKE), (4, SMOKE), (2, SAFE), (3, (a, R, b)), (3, (b, R, c)), (3, (c, R, a)), (3, DANGER)}
WORLD = {"rules": RULES, "assertions": ASSERTIONS, "background": {OPEN}}

CONTRADICTION = (
    Step(SAFE, at=2),
    Step(SMOKE, at=4),
    Step(DANGER, SMOKE_IS_DANGER, (1,)),
    Step(ALARM, DANGER_IS_ALARM, (2,)),
    Step(None, SAFE_IS_NO_ALARM, (0, 3)),
)
LOUD = (
    Step(OPEN),
    Step(DANGER, at=3),
    Step(ALARM, DANGER_IS_ALARM, (1,)),
    Step(member(EX.Loud, a), IN_THE_OPEN, (2, 0)),
)
CYCLE = (
    Step((a, R, b), at=3),
    Step((b, R, c), at=3),
    Step((c, R, a), at=3),
    Step((a, R, c), TRANSITIVE[0], (0, 1)),
    Step((a, R, a), TRANSITIVE[0], (3, 2)),
)


def test_a_whole_chain_up_to_a_contradiction_is_accepted():
    check(CONTRADICTION, None, **WORLD)


def test_background_assertions_and_conclusions_may_meet():
    check(LOUD, LOUD[-1].fact, **WORLD)


def test_a_path_around_a_cycle_is_accepted():
    check(CYCLE, (a, R, a), **WORLD)


def test_a_given_fact_is_its_own_proof():
    check([Step(SMOKE, at=4)], SMOKE, **WORLD)
    check([Step(OPEN)], OPEN, **WORLD)


def changed(steps, place, **fields):
    return [replace(step, **fields) if number == place else step for number, step in enumerate(steps)]


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        (changed(CONTRADICTION, 3, rule=SMOKE_IS_DANGER), "no instance"),
        (changed(CONTRADICTION, 3, rule=None), "it has premises and no rule"),
        (changed(CONTRADICTION, 3, rule=replace(DANGER_IS_ALARM, name="mine")), "not among the rules"),
        (changed(CONTRADICTION, 4, rule=replace(SAFE_IS_NO_ALARM, head=is_a(C, x))), "not among the rules"),
        (changed(CONTRADICTION, 4, premises=(3,)), "no instance"),
        (changed(CONTRADICTION, 4, premises=()), "no instance"),
        (changed(CONTRADICTION, 4, premises=(3, 0)), "no instance"),
        (changed(CONTRADICTION, 4, premises=(0, 3, 3)), "no instance"),
        (changed(CONTRADICTION, 4, premises=(0, 2)), "no instance"),
        (changed(CONTRADICTION, 2, premises=(3,)), "stand before it"),
        (changed(CONTRADICTION, 2, premises=(2,)), "stand before it"),
        (changed(CONTRADICTION, 2, premises=(-4,)), "stand before it"),
        (changed(CONTRADICTION, 3, premises=(9,)), "stand before it"),
        (changed(CONTRADICTION, 1, at=1), "not the newest timestamp"),
        (changed(CONTRADICTION, 1, at=5), "not the newest timestamp"),
        (changed(CONTRADICTION, 1, at=None), "not in the background"),
        (changed(CONTRADICTION, 1, fact=member(EX.Smoke, b)), "not the newest timestamp"),
        (changed(CONTRADICTION, 2, at=3), "the timestamp of a fact that is concluded"),
        (changed(CONTRADICTION, 2, fact=member(EX.Danger, b)), "no instance"),
        (changed(CONTRADICTION, 3, fact=SMOKE), "is stated by step 1 already"),
        (changed(CONTRADICTION, 4, fact=ALARM), "is stated by step 3 already"),
        (CONTRADICTION[:-1], "is to be proved"),
        (CONTRADICTION[1:], "stand before it"),
        ((*CONTRADICTION[:4], Step(OPEN), *CONTRADICTION[4:]), "no later step uses it"),
        ((*CONTRADICTION, Step(OPEN)), "is to be proved"),
        ((*CONTRADICTION, CONTRADICTION[-1]), "is stated by step 4 already"),
        ((), "is to be proved"),
    ],
)
def test_a_right_proof_with_one_thing_changed_is_refused(steps, reason):
    with pytest.raises(WrongProofError, match=reason):
        check(steps, None, **WORLD)


def test_a_background_fact_has_no_timestamp():
    with pytest.raises(WrongProofError, match="not the newest timestamp"):
        check(changed(LOUD, 0, at=3), LOUD[-1].fact, **WORLD)


def test_what_is_given_has_no_premises():
    with pytest.raises(WrongProofError, match="premises and no rule"):
        check(changed(LOUD, 1, premises=(0,)), LOUD[-1].fact, **WORLD)


def test_another_fact_than_the_one_that_is_proved_is_refused():
    with pytest.raises(WrongProofError, match="is to be proved"):
        check(LOUD, ALARM, **WORLD)


@pytest.mark.parametrize("first", [ALARM, DANGER])
def test_facts_that_rest_on_one_another_prove_nothing(first):
    back = Rule("cax-sco", (is_a(EX.Alarm, x),), is_a(EX.Danger, x))
    there, again = Step(ALARM, DANGER_IS_ALARM, (1,)), Step(DANGER, back, (0,))
    if first == DANGER:
        there, again = Step(DANGER, back, (1,)), Step(ALARM, DANGER_IS_ALARM, (0,))
    with pytest.raises(WrongProofError, match="stand before it"):
        check([there, again], again.fact, rules=(*RULES, back))


def test_a_shorter_path_that_is_not_there_is_refused():
    with pytest.raises(WrongProofError, match="no instance"):
        check([*CYCLE[:2], Step((a, R, a), TRANSITIVE[0], (0, 1))], (a, R, a), **WORLD)


# ----- literals, inequalities and tests -----------------------------------------------------------

ONE_IS_A = OVER_LITERALS[0]
FUNCTIONAL_V = next(rule for rule in OVER_LITERALS if rule.different)


def test_literals_count_by_value():
    steps = [Step((a, V, ONE_POINT_ZERO), at=1), Step(member(A, a), ONE_IS_A, (0,))]
    check(steps, member(A, a), [ONE_IS_A], {(1, (a, V, ONE))})
    twice = [Step((a, V, ONE), at=1), Step((a, V, ONE_POINT_ZERO), at=1), steps[1]]
    with pytest.raises(WrongProofError, match="stated by step 0 already"):
        check(twice, member(A, a), [ONE_IS_A], {(1, (a, V, ONE))})
    with pytest.raises(WrongProofError, match="no instance"):
        check(changed(steps, 0, fact=(a, V, TWO)), member(A, a), [ONE_IS_A], {(1, (a, V, TWO))})


def test_an_inequality_of_the_rule_must_hold():
    values = {(1, (a, V, ONE)), (2, (a, V, TWO))}
    steps = [Step((a, V, ONE), at=1), Step((a, V, TWO), at=2), Step(None, FUNCTIONAL_V, (0, 1))]
    check(steps, None, [FUNCTIONAL_V], values)
    with pytest.raises(WrongProofError, match="no instance"):
        check([steps[0], Step(None, FUNCTIONAL_V, (0, 0))], None, [FUNCTIONAL_V], values)


def test_a_premise_may_stand_for_two_atoms():
    loop, rule = (a, R, a), Rule("pr-self", (related(R, x, y), related(R, y, x)), is_a(A, x))
    check([Step(loop, at=1), Step(member(A, a), rule, (0, 0))], member(A, a), [rule], {(1, loop)})


def test_an_inequality_with_a_constant_must_hold():
    rule = Rule("pr-other", (related(R, x, y),), is_a(A, x), (Different(y, b),))
    with pytest.raises(WrongProofError, match="no instance"):
        check([Step((a, R, b), at=1), Step(member(A, a), rule, (0,))], member(A, a), [rule], {(1, (a, R, b))})


def test_a_data_range_and_a_computed_value_must_be_right():
    whole = Member(y, Datatype(ONE.datatype))
    rule = Rule(
        "swrl", (related(V, x, y),), related(EX.W, x, z), tests=(whole, Builtin(SWRLB.add, (z, y, ONE)))
    )
    steps = [Step((a, V, ONE), at=1), Step((a, EX.W, TWO), rule, (0,))]
    check(steps, (a, EX.W, TWO), [rule], {(1, (a, V, ONE))})
    three, half = (a, EX.W, Literal(3)), (a, V, Literal(0.5))
    with pytest.raises(WrongProofError, match="no instance"):
        check(changed(steps, 1, fact=three), three, [rule], {(1, (a, V, ONE))})
    with pytest.raises(WrongProofError, match="no instance"):
        check(changed(steps, 0, fact=half), (a, EX.W, TWO), [rule], {(1, half)})


def test_class_membership_is_a_triple_to_a_rule_over_properties():
    rule = Rule("pr-typed", (related(DANGER[1], x, y),), related(R, x, y))
    steps = [Step(member(B, a), at=1), Step((a, R, B), rule, (0,))]
    check(steps, (a, R, B), [rule], {(1, member(B, a))})


def test_the_error_says_which_step_and_why_and_pickles():
    with pytest.raises(WrongProofError) as raised:
        check(changed(CONTRADICTION, 3, premises=(9,)), None, **WORLD)
    error = pickle.loads(pickle.dumps(raised.value))
    assert (error.place, str(error)) == (3, "step 3: not all of its premises [9] stand before it")
