"""The levels a rule's head is attached to are those of the definition: the oldest ones of minimal sets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Namespace, Variable

from counts import cases
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import FOREVER, WindowModel
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_

EX = Namespace("http://example.org/")
x = Variable("x")
# Levels at both sides of the borders between words of 64 bits.
LEVELS = (0, 1, 62, 63, 64, 65, 127, 128, 130)


def oldest_of_minimal_sets(bodies):
    """The oldest members of the minimal sets that meet each of `bodies`, by looking at all sets."""
    levels = sorted(set().union(*bodies))
    subsets = [set(chosen) for size in range(len(levels) + 1) for chosen in combinations(levels, size)]
    meeting = [chosen for chosen in subsets if all(chosen & body for body in bodies)]
    return {min(chosen) for chosen in meeting if not any(other < chosen for other in meeting)}


def model_of(bodies):
    """A model of `h :- c0, c1, …` in which the i-th class holds at the levels `bodies[i]`."""
    classes = [Atom(EX[f"c{i}"], (x,)) for i in range(len(bodies))]
    program = compile_([Rule("cls-int1", tuple(classes), Atom(EX.h, (x,)))])
    model = WindowModel(program, "every", Vocabulary(program))
    numbers = [model.vocabulary.find_class(EX[f"c{i}"]) for i in range(len(bodies))]
    everlasting = [number for number, body in zip(numbers, bodies, strict=True) if FOREVER in body]
    model.add_background(rows(everlasting))
    for level in sorted(set().union(*bodies) - {FOREVER}):
        model.add(
            rows([number for number, body in zip(numbers, bodies, strict=True) if level in body]), level
        )
    return model


def rows(classes):
    return np.array([(number, 0, NONE) for number in classes], np.int32).reshape(-1, 3)


def attached(model, levels):
    head = model.vocabulary.find_class(EX.h)
    return {level for level in levels if [head, 0, NONE] in model.interpretation(level).tolist()}


bodies = st.lists(st.sets(st.sampled_from(LEVELS), min_size=1, max_size=5), min_size=1, max_size=4).filter(
    lambda drawn: len(set().union(*drawn)) <= 7
)


@settings(max_examples=cases(50, 300), deadline=None)
@given(bodies)
def test_the_oldest_levels_of_the_minimal_sets(bodies):
    assert attached(model_of(bodies), LEVELS) == oldest_of_minimal_sets(bodies)


@settings(max_examples=60, deadline=None)
@given(bodies)
def test_what_holds_for_ever_takes_no_part_in_the_sets(bodies):
    model = model_of([*bodies, {FOREVER}])
    assert attached(model, LEVELS) == oldest_of_minimal_sets(bodies)
    assert not attached(model, [FOREVER])


@settings(max_examples=cases(15, 100), deadline=None)
@given(bodies, st.sampled_from(LEVELS[1:]))
def test_a_slide_leaves_the_younger_levels_as_they_were(bodies, oldest):
    model = model_of(bodies)
    before = attached(model, LEVELS)
    model.slide(oldest)
    model.kernel.check_invariants()
    younger = [level for level in LEVELS if level >= oldest]
    assert attached(model, younger) == before & set(younger)


@settings(max_examples=cases(15, 100), deadline=None)
@given(bodies, st.data())
def test_a_withdrawn_abox_leaves_what_holds_without_it(bodies, data):
    """The newest level is taken back: the minimal sets are those of the levels before."""
    model = model_of(bodies)
    newest = max(set().union(*bodies))
    numbers = [model.vocabulary.find_class(EX[f"c{i}"]) for i in range(len(bodies))]
    chosen = rows(number for number, body in zip(numbers, bodies, strict=True) if newest in body)
    if data.draw(st.booleans()):
        chosen = chosen[: data.draw(st.integers(0, len(chosen)))]
    gone = set(chosen[:, 0].tolist())
    model.withdraw(chosen, np.full(len(chosen), -1, np.int32), newest)
    left = [body - {newest} if number in gone else body for number, body in zip(numbers, bodies, strict=True)]
    model.kernel.check_invariants()
    assert attached(model, LEVELS) == (oldest_of_minimal_sets(left) if all(left) else set())


def test_a_body_that_holds_for_ever_makes_its_head_hold_for_ever():
    model = model_of([{FOREVER}, {FOREVER}])
    assert attached(model, [FOREVER]) == {FOREVER}


@pytest.mark.parametrize(
    ("bodies", "expected"),
    [
        ([{1}, {2}], {1}),
        ([{1, 2}, {2}], {2}),
        ([{1, 3}, {2}], {1, 2}),
        ([{2}, {1, 3}, {3}], {2}),
        ([{1}], {1}),
        ([{1, 2, 3}], {1, 2, 3}),
    ],
)
def test_cases_worked_out_by_hand(bodies, expected):
    assert oldest_of_minimal_sets(bodies) == expected
    assert attached(model_of(bodies), range(5)) == expected
