"""LA17: Examples 1 to 9 with what has to be corrected in them, and the smallest cases for its errors.

`evaluate` and `annotated` are the paper's Algorithms 1 and 2, line by line, over rules without variables.
Each case in which they differ from the definitions has a test; where a line can be mended, it is,
and they agree.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import product

import pytest

from lars_programs import Case, always, at, atom, compared, no, rule, some
from lars_reasoners import as_pushed, expected, reasoner_for, triple
from oracle.lars.answers import answer_stream, answer_streams, is_model
from oracle.lars.grounding import ground
from oracle.lars.output import output_stream
from oracle.lars.satisfaction import satisfies, tick_of
from oracle.lars.streams import Stream, canonical, time_window, tuple_window
from pantarhei.model.temporal_rule import Formula, Mode, TemporalAtom, TemporalRule, TimeWindow

Annotated = tuple[Formula, float, float]

# -- the algorithms --------------------------------------------------------------------------------

LINE_1_9 = "Algorithm 1, line 9: what a body annotates has passed"
LINE_2_3 = "Algorithm 2, line 3: a window begins before the timeline"
LINE_2_8 = "Algorithm 2, line 8: annotations of neighbouring ticks do not overlap"


def evaluate(
    rules: Iterable[TemporalRule], data: Stream, mended: Collection[str] = ()
) -> dict[int, frozenset[TemporalAtom]]:
    """Algorithm 1: the output stream, as printed but for the lines that are `mended`."""
    program = ground(rules, data)
    asserted: set[Annotated] = set()  # S
    known: set[Annotated] = set()  # I
    output = {}
    for now in data.timeline:
        asserted |= {(Formula(each), now, now) for each in data.at(now)}  # 3
        known = asserted | {each for each in known if now <= each[2]}  # 4
        while True:  # 5
            before = set(known)  # 6
            for each in program:  # 7
                bodies = [annotated(beta, before, data.start, now, mended) for beta in each.body]
                known = known.union(*bodies)  # 8
                alternatives = [[one for one in known if one[0] == beta] for beta in each.body]
                for body in product(*alternatives):  # 9, 10
                    begin, end = max(c for _, c, _ in body), min(h for _, _, h in body)
                    is_current = LINE_1_9 not in mended or now <= end
                    if begin <= now and any(c == now for _, c, _ in body) and is_current:
                        known.add((each.head, begin, end))
                known |= {  # 11
                    (Formula(found.atom), now, now)
                    for found, c, _ in known
                    if found.mode is Mode.AT and found.window is None and tick_of(found.time) == now == c
                }
            if known == before:  # 13
                break
        concluded = {each.head.atom for each in program}
        output[now] = (
            frozenset(  # 15
                found.atom for found, c, h in known if found == Formula(found.atom) and c <= now <= h
            )
            & concluded
        )
    return output


def annotated(
    alpha: Formula, known: set[Annotated], begin: int, end: int, mended: Collection[str] = ()
) -> set[Annotated]:
    """Algorithm 2, `grd`: annotations of a formula."""
    if isinstance(alpha.window, TimeWindow):  # ⊞n β
        size = alpha.window.size
        beta = replace(alpha, window=None)
        inner = annotated(beta, known, max(begin if LINE_2_3 in mended else 0, end - size), end, mended)  # 3
        return inner | {(alpha, c, min(c + size, h)) for found, c, h in inner if found == beta}  # 4
    inner = {each for each in known if each[0] == Formula(alpha.atom)}  # 2
    match alpha.mode:
        case Mode.SOMETIME:  # 5
            return inner | {(alpha, c, math.inf) for _, c, _ in inner}
        case Mode.ALWAYS:  # 6 to 9
            gap = 1 if LINE_2_8 in mended else 0
            return inner | ({(alpha, end, end)} if _is_covered(inner, begin, end, gap) else set())
        case Mode.AT:  # 10 to 12
            tick = tick_of(alpha.time)
            explicit = {each for each in known if each[0] == alpha}
            here = {(alpha, c, math.inf) for _, c, h in inner if c <= tick <= h and begin <= tick <= end}
            return inner | explicit | here
    return inner


def _is_covered(annotations: set[Annotated], begin: int, end: int, gap: int) -> bool:
    """Whether annotations reach from `begin` to `end`, each beginning before the one before it has ended."""
    reached = max([h for _, c, h in annotations if c <= begin], default=-math.inf)
    while True:
        further = max([h for _, c, h in annotations if c <= reached + gap], default=-math.inf)
        if further <= reached:
            return reached >= end
        reached = further


# -- the examples ----------------------------------------------------------------------------------


def a(x: str) -> TemporalAtom:
    return atom("asserted a", x, "y")


B = atom("asserted b", "y", "z")

#   tick:   35  36     37  38          39  40     41  42
#               a(x1)      a(x2) b         a(x3)
D = Stream.of(35, 42, {36: [a("x1")], 38: [a("x2"), B], 40: [a("x3")]})
QUERY = rule(
    atom("q", "X", "Y", "Z"), some(atom("asserted a", "X", "Y"), 3), some(atom("asserted b", "Y", "Z"), "3 #")
)


def q(x: str) -> TemporalAtom:
    return atom("q", x, "y", "z")


def asserted(stream: Stream) -> dict[int, list[TemporalAtom]]:
    return {
        tick: atoms
        for tick in stream.timeline
        if (atoms := [one for one in stream.at(tick) if one.is_asserted])
    }


def test_example_1_the_time_window_of_size_3_ends_at_41_and_so_does_the_tuple_window():
    last_three = {38: [a("x2"), B], 40: [a("x3")]}
    for window in (time_window(D, 41, 3), tuple_window(D, 41, 3)):
        assert (window.start, window.end, asserted(window)) == (38, 41, last_three)
    assert (tuple_window(D, 40, 3).start, tuple_window(D, 40, 3).end) == (38, 40)


def test_example_1_the_tuple_window_of_size_2_drops_what_arrived_first_at_38():
    window = tuple_window(D, 41, 2)
    assert (window.start, window.end, asserted(window)) == (38, 41, {38: [B], 40: [a("x3")]})


def of_example_3(predicate: str) -> list[TemporalRule]:
    return [rule(atom(predicate, x, "y", "z"), some(a(x), 3), some(B, "3 #")) for x in ("x1", "x2", "x3")]


def test_examples_2_and_3_the_answer_stream_at_41():
    answer = D.until(41).joined({41: [q("x2"), q("x3")]})
    assert answer_stream([QUERY], D.until(41)) == answer
    assert answer_streams(of_example_3("q"), D.until(41)) == [answer]


def test_example_3_has_no_answer_stream_where_the_tuple_window_counts_conclusions():
    """They come last, and push b(y, z) out, on which they rest."""
    assert answer_streams(of_example_3("asserted q"), D.until(41)) == []


def test_example_4_the_output_at_42_is_of_x3_alone():
    early, late = frozenset({q("x1"), q("x2")}), frozenset({q("x2"), q("x3")})
    nothing: frozenset[TemporalAtom] = frozenset()
    assert output_stream([QUERY], D) == {
        **dict.fromkeys((35, 36, 37), nothing),
        **dict.fromkeys((38, 39), early),
        **dict.fromkeys((40, 41), late),
        42: frozenset({q("x3")}),
    }


def held(formula: Formula, stream: Stream) -> list[int]:
    """The ticks at which a formula holds, each seen from the stream up to it."""
    return [tick for tick in stream.timeline if satisfies(stream.until(tick), tick, formula)]


def annotations(
    formula: Formula, stream: Stream, now: int, mended: Collection[str] = ()
) -> list[tuple[float, float]]:
    known = {(Formula(each), tick, tick) for tick in range(stream.start, now + 1) for each in stream.at(tick)}
    found = annotated(formula, known, stream.start, now, mended)
    return sorted((c, h) for each, c, h in found if each == formula)


def test_example_5_a_window_atom_holds_until_its_horizon():
    alpha = some(a("x1"), 3)
    assert annotations(alpha, D, 36) == [(36, 39)]
    assert held(alpha, D) == [36, 37, 38, 39]


def test_example_6_annotations_of_one_formula_may_overlap():
    c = atom("c", "y")
    stream = Stream.of(0, 20, {5: [c], 8: [c]})
    assert annotations(some(c, 9), stream, 5) == [(5, 14)]
    assert annotations(some(c, 9), stream, 8) == [(5, 14), (8, 17)]
    assert held(some(c, 9), stream) == list(range(5, 18))


def test_example_7_the_window_limits_what_sometime_leaves_open():
    c = atom("c", "y")
    stream = Stream.of(0, 20, {5: [c]})
    assert annotations(Formula(c), stream, 5) == [(5, 5)]
    assert annotations(Formula(c, Mode.SOMETIME), stream, 5) == [(5, math.inf)]
    assert annotations(some(c, 9), stream, 5) == [(5, 14)]


def test_example_8_always_in_a_window_holds_at_7_by_the_definition_and_not_by_line_8():
    c = atom("c", "y")
    stream = Stream.of(0, 8, {5: [c], 6: [c], 7: [c]})
    assert held(always(c, 2), stream) == [7]
    assert annotations(always(c, 2), stream, 7) == []
    assert annotations(always(c, 2), stream, 7, {LINE_2_8}) == [(7, 7)]
    assert annotations(always(c, 2), stream, 8, {LINE_2_8}) == []


#   assertion:   1st    2nd    3rd  4th    5th       6th
def test_example_9_the_third_assertion_is_in_a_tuple_window_of_3_until_the_fifth():
    stream = Stream.of(36, 43, {**asserted(D), 41: [a("x4")], 43: [a("x5")]})
    assert held(some(B, "3 #"), stream) == [38, 39, 40, 41, 42]


# -- the errors ------------------------------------------------------------------------------------

C, E, P, Q, R = (atom(name) for name in "cepqr")


def ticks(output: dict[int, frozenset[TemporalAtom]], wanted: TemporalAtom) -> list[int]:
    return [tick for tick, atoms in output.items() if wanted in atoms]


def test_proposition_1_fails_where_a_tuple_window_counts_conclusions():
    """`p ← ⊞#1◇e`: with p, e is not the last any more; without p, the rule is broken."""
    e = atom("asserted e")
    data = Stream.of(0, 1, {0: [e]})
    assert answer_streams([rule(atom("asserted p"), some(e, "1 #"))], data) == []
    assert answer_streams([rule(P, some(e, "1 #"))], data) == [data.joined({1: [P]})]


def test_proposition_1_fails_for_a_head_outside_the_timeline():
    """`@_1 p ← c` with T = [0, 0]: no interpretation satisfies the head."""
    data, program = Stream.of(0, 0, {0: [C]}), [rule(at(1, P), C)]
    models = [
        other for other in (data, data.joined({0: [P]}), data.joined({1: [P]})) if is_model(other, program)
    ]
    assert models == []
    assert answer_streams(program, data) == [data]


def test_algorithm_1_line_9_lets_a_body_hold_whose_annotations_do_not_meet():
    program, data = [rule(Q, C, E), rule(R, some(Q, 1))], Stream.of(0, 1, {0: [C], 1: [E]})
    assert ticks(evaluate(program, data), R) == [1]
    assert ticks(evaluate(program, data, {LINE_1_9}), R) == ticks(output_stream(program, data), R) == []


def test_algorithm_2_line_8_asks_annotations_to_overlap_that_can_only_be_neighbours():
    program, data = [rule(Q, always(C, 1))], Stream.of(0, 1, {0: [C], 1: [C]})
    assert ticks(evaluate(program, data), Q) == [0]
    assert ticks(evaluate(program, data, {LINE_2_8}), Q) == ticks(output_stream(program, data), Q) == [0, 1]


def test_algorithm_2_line_3_lets_a_window_begin_before_the_timeline():
    program, data = [rule(Q, always(C, 1))], Stream.of(1, 1, {1: [C]})
    assert ticks(evaluate(program, data), Q) == []
    assert ticks(evaluate(program, data, {LINE_2_3}), Q) == ticks(output_stream(program, data), Q) == [1]


def test_theorem_1_is_false_since_the_algorithm_remembers_conclusions():
    program, data = [rule(P, C), rule(Q, some(P, 1))], Stream.of(0, 1, {0: [C]})
    assert ticks(evaluate(program, data), Q) == [0, 1]
    assert ticks(output_stream(program, data), Q) == [0]
    assert ticks(output_stream(program, data, remembered=[P.predicate]), Q) == [0, 1]


@pytest.mark.parametrize(
    "program",
    [
        [rule(at(0, P), C), rule(Q, some(P, 1))],
        [rule(at(0, P), C), rule(at(1, P), C), rule(Q, always(P, 1))],
    ],
    ids=["sometime", "always"],
)
def test_heads_at_past_ticks_are_not_seen_by_windows_of_the_algorithm(program):
    data = Stream.of(0, 1, {1: [C]})
    assert ticks(evaluate(program, data, {LINE_1_9, LINE_2_3, LINE_2_8}), Q) == []
    assert ticks(output_stream(program, data), Q) == [1]


def test_heads_at_future_ticks_never_become_true_in_the_algorithm():
    program, data = [rule(at(1, P), some(C, 1))], Stream.of(0, 1, {0: [C]})
    assert ticks(evaluate(program, data), P) == []
    assert ticks(output_stream(program, data), P) == [1]


def test_figure_4_the_alarm_fires_at_the_first_tick_only_by_the_algorithm():
    steam, is_steam, alarm = atom("steam", "V"), atom("isSteam"), atom("alarm")
    program = [
        rule(at("T", steam), at("T", atom("temp", "V"), 2), compared("V", "greaterThanOrEqual", 100)),
        rule(at("T", is_steam), at("T", steam, 2)),
        rule(alarm, always(is_steam, 2)),
    ]
    data = Stream.of(0, 3, {tick: [atom("temp", 120)] for tick in range(4)})
    assert ticks(output_stream(program, data), alarm) == [0, 1, 2, 3]
    assert ticks(evaluate(program, data), alarm) == [0]
    assert ticks(evaluate(program, data, {LINE_1_9, LINE_2_3, LINE_2_8}), alarm) == [0]


def test_figure_4_with_negation_freezes_where_it_is_neither_steam_nor_liquid():
    steam, liquid, freeze, hot = atom("steam", "V"), atom("liquid", "V"), atom("freeze"), atom("veryHot", "T")
    alarm, normal, is_steam, is_liquid = atom("alarm"), atom("normal"), atom("isSteam"), atom("isLiquid")
    temp = at("T", atom("temp", "V"), 1)
    program = [
        rule(at("T", steam), temp, compared("V", "greaterThanOrEqual", 100)),
        rule(at("T", liquid), temp, compared("V", "greaterThanOrEqual", 1), compared("V", "lessThan", 100)),
        rule(at("T", is_steam), at("T", steam, 1)),
        rule(at("T", is_liquid), at("T", liquid, 1)),
        rule(alarm, always(is_steam, 1)),
        rule(normal, always(is_liquid, 1)),
        rule(freeze, no(alarm), no(normal)),
        rule(hot, at("T", steam, 1), compared("V", "greaterThanOrEqual", 150)),
    ]
    #   tick:  0    1    2    3    4
    #          50   60   120  160  0
    values = (50, 60, 120, 160, 0)
    data = Stream.of(0, 4, {tick: [atom("temp", value)] for tick, value in enumerate(values)})
    output = output_stream(program, data)
    assert [ticks(output, each) for each in (normal, alarm, freeze)] == [[0, 1], [3], [2, 4]]
    assert ticks(output, canonical(atom("veryHot", 3))) == [3, 4]


# -- where the algorithms are right ----------------------------------------------------------------


def all_streams(start: int, end: int) -> list[Stream]:
    """All streams of two atoms over a timeline."""
    choices = [(), (C,), (E,), (C, E)]
    every = range(start, end + 1)
    return [
        Stream.of(start, end, dict(zip(every, chosen, strict=True)))
        for chosen in product(choices, repeat=len(every))
    ]


@pytest.mark.parametrize(
    ("program", "mended"),
    [
        ([rule(Q, some(C, 1), some(E, 2))], ()),
        ([rule(Q, C, some(E, 1)), rule(R, Q)], ()),
        ([rule(Q, always(C, 1))], {LINE_2_3, LINE_2_8}),
    ],
    ids=["two windows", "a rule after another", "always"],
)
def test_elsewhere_the_algorithms_give_the_output_of_the_definitions(program, mended):
    for data in all_streams(1, 3):
        assert evaluate(program, data, mended) == output_stream(program, data), str(data.atoms)


# -- where implementations err: the smallest cases, by the definitions and by the engine -------------


def concluded(
    program: list[TemporalRule], told: dict[int, list[TemporalAtom]], until: int
) -> list[list[str]]:
    """What is concluded at each tick from 0 on, the same by the definitions and by the engine."""
    case = Case(tuple(program), as_pushed(Stream.of(0, until, told)))
    reasoner, output = reasoner_for(case), expected(case)
    for tick in case.stream.timeline:
        reasoner.push(tick, [triple(each) for each in case.stream.at(tick) if each.is_asserted])
        assert reasoner.atoms() == output[tick]
    return [sorted(map(str, output[tick])) for tick in case.stream.timeline]


def test_negation_in_a_recursion_supports_nothing_by_itself():
    """`b(X) ← a(X), not d(X)` and back: once c has passed, what was asked of d keeps neither alive."""
    a, b, d = (atom(name, "X") for name in "abd")
    program = [rule(a, some(atom("asserted c", "X"), 1)), rule(b, a, no(d)), rule(a, b)]
    i, j = atom("asserted c", "i"), atom("asserted c", "j")
    told = {0: [i, j], 1: [atom("asserted d", "j")]}
    assert concluded([*program, rule(d, some(atom("asserted d", "X"), 1))], told, 3) == [
        ["a(i)", "a(j)", "b(i)", "b(j)"],
        ["a(i)", "a(j)", "b(i)", "d(j)"],
        ["d(j)"],
        [],
    ]


def test_a_box_in_a_join_ends_with_its_last_tick():
    program = [rule(atom("q", "X"), always(atom("c", "X"), 1), some(atom("e", "X"), 1))]
    told = {0: [atom("c", "i"), atom("e", "i")], 1: [atom("c", "i"), atom("c", "j"), atom("e", "j")]}
    assert concluded(program, told, 2) == [["q(i)"], ["q(i)"], []]


def test_a_join_of_three_ends_with_the_oldest():
    steps = [some(atom("d", one, other), 2) for one, other in ("XY", "YZ", "ZW")]
    told = {tick: [atom("d", *pair)] for tick, pair in enumerate(("ij", "jk", "kl"))}
    assert concluded([rule(atom("q", "X", "W"), *steps)], told, 3) == [[], [], ["q(i, l)"], []]


def test_a_negation_with_arguments_is_about_each_of_them():
    program = [rule(atom("q", "X"), some(atom("c", "X"), 1), no(some(atom("e", "X"), 1)))]
    told = {0: [atom("c", "i"), atom("c", "j")], 1: [atom("e", "i")]}
    assert concluded(program, told, 2) == [["q(i)", "q(j)"], ["q(j)"], []]


def test_a_tuple_window_counts_what_comes_within_a_tick_in_its_order():
    program = [rule(atom("q", "X"), some(atom("asserted c", "X"), "2 #"))]
    told = {0: [atom("asserted c", "i")], 1: [atom("asserted c", "j"), atom("asserted c", "k")]}
    told[3] = [atom("asserted e", "i")]
    assert concluded(program, told, 3) == [["q(i)"], ["q(j)", "q(k)"], ["q(j)", "q(k)"], ["q(k)"]]


def test_rules_in_a_chain_hold_as_long_as_what_they_begin_with():
    program = [rule(atom("a", "X"), atom("x", "X")), rule(atom("x", "X"), some(atom("c", "X"), 2))]
    program.append(rule(atom("q", "X"), some(atom("a", "X"), 1)))
    assert concluded(program, {0: [atom("c", "i")]}, 3) == [["a(i)", "q(i)", "x(i)"]] * 3 + [[]]
