"""ABoxes closed together come to what each comes to by itself."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.materialization import closure, instances
from pantarhei.encoding.numbers import FIRST_LITERAL
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk.aboxes import ABoxProgram, most_aboxes
from pantarhei.materialize.bulk.evaluation import TooManyError
from pantarhei.model.rule import Rule
from pantarhei.rules.compilation.program import compile_
from strategies import A, B, C, R, a, b, c, is_a, member, related, x, y, z

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("svf", (related(R, x, y), is_a(B, y)), is_a(A, x)),
    Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
]
DERIVING = RULES[:3]
BACKGROUND = {member(B, c), (c, R, c), member(A, c)}
TRIPLES = [(s, R, o) for s in (a, b, c) for o in (a, b, c)] + [
    member(class_, who) for class_ in (A, B, C) for who in (a, b, c)
]
aboxes = st.lists(st.lists(st.sampled_from(TRIPLES), max_size=6), min_size=1, max_size=4)


def close(given, **more):
    """Of each ABox which facts are first, what is derived, and whether it is contradictory."""
    program = compile_(RULES)
    vocabulary = Vocabulary(program)
    background = vocabulary.encode(sorted(closure(DERIVING, BACKGROUND))).facts
    facts = vocabulary.encode([triple for abox in given for triple in abox]).facts
    bounds = np.cumsum([0, *map(len, given)]).tolist()
    closing = ABoxProgram(program.plans, background)
    made = closing.close(facts, bounds, len(vocabulary.names), vocabulary, **more)
    derived = [list(vocabulary.decode(part)) for part in made.derived]
    firsts = [made.first[start:end].tolist() for start, end in pairwise(bounds)]
    return firsts, derived, made.contradictory


@settings(max_examples=80, deadline=None)
@given(aboxes)
def test_each_model_is_the_closure_of_its_abox_with_the_background_and_nothing_else(given):
    always = closure(DERIVING, BACKGROUND)
    firsts, derived, contradictory = close(given)
    for number, abox in enumerate(given):
        whole = closure(DERIVING, always | set(abox))
        assert sorted(derived[number]) == sorted(whole - always - set(abox))
        assert (number in contradictory) == any(
            member(B, who) in whole and member(C, who) in whole for who in (a, b, c)
        )
        assert firsts[number] == [triple not in abox[:place] for place, triple in enumerate(abox)]


def test_what_is_derived_comes_after_what_it_follows_from():
    abox = [(a, R, b), (b, R, c), member(A, b)]
    _, (derived,), _ = close([abox])
    known = closure(DERIVING, BACKGROUND) | set(abox)
    for fact in derived:
        known = known | {fact}
        assert any(head == fact and fact not in body for _, body, head in instances(DERIVING, known))


def test_all_models_together_may_have_no_more_facts_than_that():
    given = [[member(A, a)], [member(A, b)]]
    assert [len(part) for part in close(given, most=4)[1]] == [1, 1]
    with pytest.raises(TooManyError):
        close(given, most=3)


@pytest.mark.parametrize("names", [1, 2, 3, 1024, 1025, 1 << 30])
def test_the_number_of_an_abox_and_of_a_name_share_31_bits(names):
    most = most_aboxes(names)
    bits = (1 << 31) // most
    assert names <= bits and (names <= 2 or bits < 2 * names) and most >= 1
    assert bits // 2 <= FIRST_LITERAL
