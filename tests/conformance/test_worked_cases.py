"""Small cases that a plausible implementation gets wrong, each with its answer worked out by hand.

Facts are classes of one individual and written as letters.
"""

import pytest
from rdflib import RDF, Namespace, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Different, Rule

EX = Namespace("http://example.org/")
x, y, z = Variable("x"), Variable("y"), Variable("z")
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def rule(text):
    """`"ab>h"` is a ∧ b → h, `"ab>"` is a ∧ b → ⊥."""
    body, head = text.split(">")
    atoms = tuple(Atom(EX[letter], (x,)) for letter in body)
    return Rule("cls-int1", atoms, Atom(EX[head], (x,)) if head else None)


def facts(letters):
    return {(EX.i, RDF.type, EX[letter]) for letter in letters}


def letters(triples):
    return "".join(sorted(triple[2][-1] for triple in triples))


def timed(text):
    """`"d1 c2"` is the set of the assertions d@1 and c@2."""
    return frozenset((int(one[1:]), (EX.i, RDF.type, EX[one[0]])) for one in text.split())


def reasoner(rules, range=10, background="", **options):
    ontology = Ontology.from_rules(map(rule, rules.split()))
    return StreamReasoner(ontology, Window(range), facts(background), **options)


def push_all(reasoner, stream):
    """`"a@1, bc@2"` in order; the last update."""
    update = None
    for part in filter(None, stream.split(", ")):
        what, at = part.split("@")
        update = reasoner.push(int(at), facts(what))
    return update


def interpretations(reasoner):
    return {at: letters(reasoner.interpretation(at)) for at in reasoner.timestamps}


def conflict_sets(update):
    return set(update.repair.conflict_sets)


# -- retraction ------------------------------------------------------------------------------------


@both_ways
def test_facts_that_derive_each_other_at_one_level_do_not_hold_each_other_up(keep):
    stream = reasoner("c>a a>b b>a cx>", keep=keep)
    push_all(stream, "c@1")
    assert letters(stream.materialization()) == "abc"
    update = push_all(stream, "x@2")
    assert letters(stream.materialization()) == "x"
    assert update.delta.removed == facts("abc")


@both_ways
def test_a_cycle_falls_back_to_its_older_support(keep):
    stream = reasoner("c>a d>b a>b b>a cx>", keep=keep)
    push_all(stream, "d@1, c@2")
    assert interpretations(stream) == {1: "d" if keep == "newest" else "abd", 2: "abc"}
    push_all(stream, "x@3")
    assert interpretations(stream) == {1: "abd", 2: "", 3: "x"}


@both_ways
def test_a_long_cycle_goes_with_its_only_support(keep):
    ring = " ".join(f"{a}>{b}" for a, b in zip("abcdefgh", "bcdefgha", strict=True))
    stream = reasoner(f"{ring} p>c q>f px> qx>", keep=keep)
    push_all(stream, "p@1, q@2")
    update = push_all(stream, "x@3")
    assert letters(stream.materialization()) == "x"
    assert update.repair.removed == timed("p1 q2")


def test_a_level_that_a_cut_vacates_lets_an_older_one_become_minimal():
    """p→a, a∧b→h; a@1, {p,b}@2. Cut p: h leaves I_2 and enters I_1, where it never was."""
    stream = reasoner("p>a ab>h px>", keep="every")
    push_all(stream, "a@1, pb@2")
    assert interpretations(stream) == {1: "a", 2: "abhp"}
    push_all(stream, "x@3")
    assert interpretations(stream) == {1: "ah", 2: "b", 3: "x"}


def test_a_fact_falls_to_the_level_of_its_other_support():
    """The same with each fact kept at its newest level only."""
    stream = reasoner("p>a ab>h px>")
    push_all(stream, "a@1, pb@2")
    assert interpretations(stream) == {1: "", 2: "abhp"}
    push_all(stream, "x@3")
    assert interpretations(stream) == {1: "ah", 2: "b", 3: "x"}


@pytest.mark.parametrize("order", ["abc", "acb", "bac", "bca", "cab", "cba"])
def test_bodies_are_matched_whole(order):
    """c@1, a@2, {b,c}@3: the only minimal set is {2, 3}. In halves, a∧b∧c→h would also enter I_1."""
    stream = reasoner(f"{order}>h", keep="every")
    push_all(stream, "c@1, a@2, bc@3")
    assert interpretations(stream) == {1: "c", 2: "ah", 3: "bc"}


@both_ways
def test_what_is_cut_may_still_follow(keep):
    """A cut fact loses its assertion; here it is derived from a newer fact that no conflict set contains."""
    stream = reasoner("a>b bx>", keep=keep)
    push_all(stream, "b@1, a@2")
    update = push_all(stream, "x@3")
    assert conflict_sets(update) == {timed("b1 x3"), timed("a2 x3")}
    assert update.repair.removed == timed("b1 a2")
    assert letters(stream.materialization()) == "x"


# -- time ------------------------------------------------------------------------------------------


@both_ways
def test_a_base_older_than_the_window_asserts_nothing(keep):
    #   t      1   2   3   4           g → f;  window of 2
    #   ABox   f   g   -   x
    stream = reasoner("g>f fx>", range=2, keep=keep)
    push_all(stream, "f@1, g@2, @3")
    update = push_all(stream, "x@4")
    assert conflict_sets(update) == {timed("g2 x4")}
    assert update.repair.removed == timed("g2")
    assert stream.assertions() == timed("x4")
    assert letters(stream.materialization()) == "x"


@both_ways
def test_a_repeated_assertion_outlives_its_first_occurrence(keep):
    stream = reasoner("ab>h h>k", range=2, keep=keep)
    push_all(stream, "a@1, b@2, ab@3")
    update = push_all(stream, "@5")
    assert letters(stream.materialization()) == "abhk"
    assert update.dropped == (1, 2)
    assert not update.delta.added and not update.delta.removed
    assert interpretations(stream) == {3: "abhk", 5: ""}
    assert stream.advance(6).delta.removed == facts("abhk")


@both_ways
def test_taking_an_assertion_back_leaves_its_earlier_one(keep):
    """Within timestamp 2, a and its contradiction x: both go, and with a also its occurrence at 1."""
    stream = reasoner("a>b ax>", keep=keep)
    push_all(stream, "a@1, a@2")
    assert letters(stream.materialization()) == "ab"
    update = push_all(stream, "x@2")
    assert conflict_sets(update) == {timed("a2 x2")}
    assert update.repair.removed == timed("a1 a2 x2")
    assert stream.materialization() == set()


@both_ways
def test_a_window_that_jumps_loses_everything_but_the_background(keep):
    stream = reasoner("a>b zb>c", range=2, keep=keep, background="z")
    push_all(stream, "a@1, a@2, a@3")
    update = push_all(stream, "x@1000")
    assert update.dropped == (1, 2, 3)
    assert letters(stream.materialization()) == "xz"
    push_all(stream, "a@1001")
    assert letters(stream.materialization()) == "abcxz"
    assert interpretations(stream) == {1000: "x", 1001: "abc"}


# -- repair ----------------------------------------------------------------------------------------


@both_ways
def test_an_assertion_that_implies_its_own_contradiction_is_a_conflict_set_alone(keep):
    """c→d, c∧d→⊥; d@1, c@2: {c} is inconsistent, so {c, d} is not minimal."""
    stream = reasoner("c>d cd>", keep=keep)
    update = push_all(stream, "d@1, c@2")
    assert conflict_sets(update) == {timed("c2")}
    assert update.repair.removed == timed("c2")
    assert letters(stream.materialization()) == "d"


@both_ways
def test_two_values_at_one_time_cut_each_other_and_the_older_one(keep):
    """No choice between the two new values is forced, and either disproves the old one."""
    functional = Rule("prp-fp", (Atom(EX.v, (x, y)), Atom(EX.v, (x, z))), None, (Different(y, z),))
    stream = StreamReasoner(Ontology.from_rules([functional]), Window(10), keep=keep)
    value = {number: (EX.i, EX.v, EX[f"v{number}"]) for number in (1, 2, 3)}
    stream.push(1, [value[1]])
    update = stream.push(2, [value[2], value[3]])
    assert conflict_sets(update) == {
        frozenset({(1, value[1]), (2, value[2])}),
        frozenset({(1, value[1]), (2, value[3])}),
        frozenset({(2, value[2]), (2, value[3])}),
    }
    assert update.repair.removed == {(1, value[1]), (2, value[2]), (2, value[3])}
    assert stream.materialization() == set()


@both_ways
def test_the_background_is_never_cut_even_where_the_stream_repeats_it(keep):
    stream = reasoner("z>a ax>", background="z", keep=keep)
    push_all(stream, "za@1")
    update = push_all(stream, "x@2")
    assert conflict_sets(update) == {timed("x2")}
    assert update.repair.removed == timed("x2")
    assert stream.assertions() == timed("z1 a1")
    assert letters(stream.materialization()) == "az"
    assert stream.advance(20).delta.removed == set()


@both_ways
def test_disproving_a_disproof_is_not_a_proof(keep):
    stream = reasoner("ab> bc>", keep=keep)
    push_all(stream, "a@1, b@2")
    assert letters(stream.materialization()) == "b"
    push_all(stream, "c@3")
    assert letters(stream.materialization()) == "c"
    push_all(stream, "a@4")
    assert stream.assertions() == timed("c3 a4")


@both_ways
@pytest.mark.parametrize(
    ("rules", "older", "first", "second"),
    [
        ("ab> bc>", "a", "b", "c"),  # the second part contradicts what cut a: all go
        ("ab> abc>", "a", "b", "c"),
        ("abc> cd>", "a", "b", "c"),
        ("a>e ex> xy>", "a", "x", "y"),
        ("a>e ex> e>x", "a", "b", "x"),
        ("ax> a>x", "b", "x", "a"),
        ("ab> cd>", "ac", "b", "d"),
        ("ab>", "a", "b", "a"),
        ("ab>", "a", "b", "b"),
        ("abc>d dx> ex>", "ae", "bc", "x"),
    ],
)
def test_a_second_part_after_a_repair_equals_one_push_of_both(keep, rules, older, first, second):
    stream, whole = reasoner(rules, keep=keep), reasoner(rules, keep=keep)
    for at, part in enumerate(older):
        push_all(stream, f"{part}@{at}"), push_all(whole, f"{part}@{at}")
    before = stream.materialization()
    one = push_all(stream, f"{first}@5")
    two = push_all(stream, f"{second}@5")
    expected = push_all(whole, f"{first}{second}@5")
    assert stream.assertions() == whole.assertions()
    assert stream.materialization() == whole.materialization()
    assert conflict_sets(two) == conflict_sets(expected)
    assert two.repair.removed == expected.repair.removed
    assert stream.timestamps == whole.timestamps
    if keep == "newest":
        assert interpretations(stream) == interpretations(whole)
    gained = ((before - one.delta.removed) | one.delta.added) - two.delta.removed | two.delta.added
    assert gained == stream.materialization()


@both_ways
def test_a_third_and_a_fourth_part_go_back_to_before_the_first(keep):
    stream = reasoner("ab> bc> cd>", keep=keep)
    push_all(stream, "a@1, b@2, c@2, d@2")
    expected = reasoner("ab> bc> cd>", keep=keep)
    push_all(expected, "a@1, bcd@2")
    assert stream.assertions() == expected.assertions()
    push_all(stream, "e@3")
    assert push_all(stream, "e@3").repair.removed == set()


@both_ways
def test_contradictions_are_only_reported_where_repair_is_off(keep):
    stream = reasoner("ab> a>c", keep=keep, repair="off")
    update = push_all(stream, "a@1, b@2")
    assert conflict_sets(update) == {timed("a1 b2")}
    assert update.repair.removed == frozenset()
    assert letters(stream.materialization()) == "abc"
