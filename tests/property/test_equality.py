"""Without unique names: engine and reference side by side, the reference equality written out."""

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counts import cases, of_many
from equality import AXIOMS, CLASSES, DIFFERENT, EQUALITY, LINKED, NAMES, PAIRS, SAME, VALUES, matching
from oracle.materialization import is_consistent
from pantarhei import Ontology, StreamReasoner, Window
from strategies import R, S, V, a, b, c, member
from worlds import SideBySide, arrivals, windows

STEPS = Counter()
EQUAL = st.sampled_from([(one, SAME, other) for one, other in PAIRS])
FACTS = st.one_of(
    EQUAL,
    st.sampled_from([(one, DIFFERENT, other) for one, other in PAIRS]),
    st.sampled_from([member(each, name) for name, each in product(NAMES, CLASSES)]),
    st.sampled_from([(one, P, other) for one, other, P in product(NAMES, NAMES, (R, S, LINKED))]),
    st.sampled_from([(name, V, value) for name, value in product(NAMES, VALUES)] + [(a, V, b)]),
)


@st.composite
def worlds(draw):
    """Rules as given, the same written out, a consistent background, and a pool of facts."""
    axioms = draw(st.lists(st.sampled_from(AXIOMS), min_size=1, max_size=7, unique_by=id))
    given = tuple(rule for rule, _ in axioms)
    written = EQUALITY + tuple(dict.fromkeys(each for _, rules in axioms for each in rules))
    background = draw(st.one_of(st.just([]), st.lists(FACTS, max_size=3)))
    while not is_consistent(written, background):
        background.pop()
    names = draw(st.sampled_from(((a, b), (b, c), NAMES)))
    asked_for = st.sampled_from(sorted(set(matching(given, names)), key=str))
    drawn = (asked_for, asked_for, EQUAL, asked_for, FACTS, asked_for, EQUAL, FACTS)
    return given, written, background, [draw(each) for each in drawn]


@pytest.mark.parametrize("keep", ["newest", "every"])
@given(world=worlds(), window=windows, arrivals=arrivals)
@settings(max_examples=cases(12, 250), deadline=None)
def test_equality_is_what_its_rules_say(keep, world, window, arrivals):
    rules, written, background, pool = world
    ontology = Ontology.from_rules(rules)
    reasoner = StreamReasoner(ontology, Window(*window), background, keep=keep, unique_names=False)
    both = SideBySide(reasoner, written, background)
    both.follow(pool, arrivals)
    STEPS[keep] += both.steps


@of_many
def test_there_were_enough_steps():
    if len(STEPS) < 2:
        pytest.skip("equality was not tested both ways")
    assert sum(STEPS.values()) >= 1000
