"""Anchors: the positions of a fact that have its key, followed through rules."""

from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Rule
from pantarhei.rules.sharding.key_flow import KeyFlow
from pantarhei.rules.sharding.key_map import SUBJECT, KeyMap
from pantarhei.rules.sharding.streaming_program import StreamingProgram
from strategies import EX, A, B, R, S, a, b, c, is_a, related, x, y, z

CLASS, LINK, TURNED, PART = Symbol(A, 1), Symbol(R, 2), Symbol(S, 2), Symbol(EX.part, 2)
AT_SUBJECT, AT_OBJECT = frozenset({0}), frozenset({1})


def flow(*rules, keys=None, facts=None):
    streaming = frozenset(
        {CLASS, LINK, *(Symbol(r.head.predicate, len(r.head.arguments)) for r in rules if r.head)}
    )
    situation = StreamingProgram(
        rules, facts or {}, frozenset({CLASS, LINK}), streaming, frozenset({PART.name})
    )
    return KeyFlow(situation, KeyMap(SUBJECT, keys or {}))


def test_what_is_asserted_is_with_its_subject_and_an_inverse_with_its_object():
    found = flow(Rule("prp-inv1", (related(R, x, y),), related(S, y, x)))
    assert (found.anchors[LINK], found.anchors[TURNED]) == ({AT_SUBJECT}, {AT_OBJECT})
    assert found.obstacles() == []


def test_a_head_without_the_key_may_be_anywhere_and_to_join_it_is_an_obstacle():
    lost = Rule("range", (related(R, x, y),), is_a(B, y))
    joined = Rule("join", (is_a(B, x), is_a(A, x)), is_a(EX.C, x))
    found = flow(lost, joined)
    assert found.anchors[Symbol(B, 1)] == {frozenset()}
    assert [each.rule for each in found.obstacles()] == [joined]
    assert "any shard" in found.obstacles()[0].reason


def test_names_that_the_background_links_within_one_key_are_together():
    rule = Rule("r", (is_a(A, x), related(EX.part, x, y), is_a(A, y)), None)
    together, apart = ({PART: [(a, b)]}, {PART: [(a, c)]})
    keys = {a: EX.h, b: EX.h, c: EX.other}
    assert not flow(rule, keys=keys, facts=together).obstacles()
    assert flow(rule, keys=keys, facts=apart).obstacles()


def test_an_anchor_that_says_more_goes_where_one_that_says_less_comes():
    two = Rule("sub", (related(R, x, y), is_a(A, x)), related(S, x, x))
    one = Rule("some", (related(R, x, z), is_a(A, x)), related(S, x, z))
    assert flow(two).anchors[TURNED] == {frozenset({0, 1})}
    assert flow(two, one).anchors[TURNED] == {AT_SUBJECT}
