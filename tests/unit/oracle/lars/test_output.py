"""What is concluded at each tick, and what is remembered of it."""

from lars_programs import EX, always, at, atom, compared, computed, no, rule, some
from oracle.lars.output import output_stream
from oracle.lars.streams import Stream, canonical

c, e, a, b, x = (atom(name, "i") for name in "ceabx")


def ticks_of(output, wanted):
    """The ticks at which an atom is concluded."""
    return [tick for tick, atoms in output.items() if canonical(wanted) in atoms]


#   tick:  0   1   2   3   4
#          c
def test_a_conclusion_holds_as_long_as_its_body_does():
    assert ticks_of(output_stream([rule(a, some(c, 2))], Stream.of(0, 4, {0: [c]})), a) == [0, 1, 2]


def test_conclusions_are_forgotten_and_windows_over_them_see_the_present_alone():
    rules = [rule(b, c), rule(a, some(b, 2)), rule(x, always(b, 1))]
    output = output_stream(rules, Stream.of(0, 3, {0: [c], 1: [c]}))
    assert (ticks_of(output, a), ticks_of(output, x)) == ([0, 1], [0])


def test_what_is_remembered_is_data_at_later_ticks():
    rules = [rule(b, c), rule(a, some(b, 2)), rule(x, always(b, 1))]
    output = output_stream(rules, Stream.of(0, 4, {0: [c], 1: [c]}), remembered=[EX.b])
    assert (ticks_of(output, a), ticks_of(output, x)) == ([0, 1, 2, 3], [0, 1])


def test_a_latch_stays_until_it_is_reset():
    rules = [rule(a, c), rule(a, some(a, 1), no(e))]
    stream = Stream.of(0, 5, {1: [c], 4: [e]})
    assert ticks_of(output_stream(rules, stream, remembered=[EX.a]), a) == [1, 2, 3]
    assert ticks_of(output_stream(rules, stream), a) == [1]


def test_a_head_with_a_past_tick_is_seen_there_by_the_same_answer_only():
    rules = [rule(at(0, b), c), rule(a, some(b, 9)), rule(x, at(0, b))]
    output = output_stream(rules, Stream.of(0, 3, {2: [c]}))
    assert ticks_of(output, a) == ticks_of(output, x) == [2]
    assert ticks_of(output, b) == []


def test_a_head_with_the_present_tick_is_a_conclusion_and_one_outside_the_timeline_is_none():
    rules = [rule(at("U", a), at("T", c, 9), computed("U", "add", "T", 1))]
    output = output_stream(rules, Stream.of(0, 3, {0: [c], 3: [c]}))
    assert ticks_of(output, a) == [1]


def test_only_predicates_of_heads_are_concluded_and_what_holds_of_them_anyway_too():
    output = output_stream([rule(a, e)], Stream.of(0, 1, {0: [c, a], 1: [e]}))
    assert output == {0: {a}, 1: {a}}


def test_ticks_before_the_first_have_data_and_conclude_nothing():
    rules = [rule(a), rule(b, some(a, 9, times=2))]
    output = output_stream(rules, Stream.of(0, 4, {}), remembered=[EX.a], first=2)
    assert (ticks_of(output, a), ticks_of(output, b)) == ([2, 3, 4], [3, 4])


#   tick:  0   1   2   3      three readings above 1 in the last ten
#          0   2   2   2
def test_readings_are_compared_and_counted():
    readings = {tick: [atom("d", "i", 2 * (tick > 0))] for tick in range(4)}
    rules = [
        rule(b, atom("d", "i", "V"), compared("V", "greaterThan", 1)),
        rule(a, some(b, 9, times=3)),
    ]
    assert ticks_of(output_stream(rules, Stream.of(0, 3, readings), remembered=[EX.b]), a) == [3]


def test_a_time_is_a_number_of_a_conclusion():
    rules = [rule(atom("y", "X", "T"), at("T", atom("c", "X"), 1))]
    output = output_stream(rules, Stream.of(7, 9, {7: [c]}))
    assert ticks_of(output, atom("y", "i", 7)) == [7, 8]
