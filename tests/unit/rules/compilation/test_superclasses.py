"""What is above each class, in an order in which each follows from one before it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Variable

from counts import cases
from pantarhei.encoding.numbers import NONE
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.rules.compilation.plan import JoinPlan
from pantarhei.rules.compilation.program import compile_
from pantarhei.rules.compilation.superclasses import MOST_SUPERCLASSES, superclasses
from strategies import EX

x, y = Variable("x"), Variable("y")
COUNT = 12
hierarchies = st.dictionaries(
    st.integers(0, COUNT - 1), st.lists(st.integers(0, COUNT - 1), min_size=1, max_size=4, unique=True)
)


def reached(above, start):
    """All classes above one, itself left out."""
    found, waiting = set(), [start]
    while waiting:
        for higher in above.get(waiting.pop(), ()):
            if higher not in found:
                found.add(higher)
                waiting.append(higher)
    return found - {start}


def walk(found, class_):
    """(class, where what follows from it ends) of each superclass."""
    first, end = found.start[class_ : class_ + 2].tolist()
    ends = [end - first for end in found.ends[first:end].tolist()]
    return list(zip(found.classes[first:end].tolist(), ends, strict=True))


@given(above=hierarchies, most=st.sampled_from((1, 2, 5, MOST_SUPERCLASSES)))
@settings(max_examples=cases(100, 300), deadline=None)
def test_all_that_is_above_is_listed_behind_what_it_follows_from(above, most):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pantarhei.rules.compilation.superclasses.MOST_SUPERCLASSES", most)
        found = superclasses(above, COUNT)
    for class_ in range(COUNT):
        listed = [one for one, _ in walk(found, class_)]
        everything = reached(above, class_)
        assert len(listed) == len(set(listed))
        assert set(listed) == (everything if len(everything) <= most else set())
        for at, (one, end) in enumerate(walk(found, class_)):
            assert at < end <= len(listed)
            assert any(one in above.get(lower, ()) for lower in (class_, *listed[:at]))
            assert set(listed[at + 1 : end]) <= reached(above, one)


def test_a_deep_hierarchy_takes_room_in_proportion_to_its_depth():
    depth = 5000
    above = {i: [i + 1] for i in range(depth)}
    found = superclasses(above, depth + 1)
    assert len(found.classes) <= MOST_SUPERCLASSES * MOST_SUPERCLASSES
    assert len(walk(found, depth - MOST_SUPERCLASSES)) == MOST_SUPERCLASSES
    assert walk(found, 0) == []


def is_a(name, who=x):
    return Atom(EX[name], (who,))


@pytest.mark.parametrize(
    ("rule", "is_one"),
    [
        (Rule("cax-sco", (is_a("C"),), is_a("D")), True),
        (Rule("cls-int1", (is_a("C"), is_a("E")), is_a("D")), False),
        (Rule("cls-oo", (is_a("C", EX.a),), is_a("D", EX.a)), False),
        (Rule("r", (is_a("C"),), Atom(EX.p, (x, EX.a))), False),
        (Rule("prp-dom", (Atom(EX.p, (x, y)),), is_a("D")), False),
        (Rule("r", (is_a("C"),), is_a("D"), (Different(x, EX.a),)), False),
        (Rule("cax-dw", (is_a("C"),), None), False),
    ],
)
def test_inclusions_are_between_classes_of_the_same_individual(rule, is_one):
    program = compile_([rule])
    plan = JoinPlan.at(program.plans.code.tolist(), int(program.plans.forward.plans[0]))
    assert (plan.inclusion != NONE) is is_one
    assert len(program.plans.superclasses.classes) == is_one
