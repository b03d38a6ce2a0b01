"""What options say about reports, and what several reports of one step come to."""

from datetime import timedelta

import pytest

from pantarhei import OptionError
from pantarhei.model.time import TimeKind
from pantarhei.query.continuous_query import PLAIN, ReportPolicy, run_all


def test_by_default_a_query_says_at_each_step_what_changed():
    assert ReportPolicy.of("change", "delta") == PLAIN
    assert PLAIN.is_plain and not PLAIN.closes
    assert not ReportPolicy.of("change", "istream").is_plain


def test_conditions_and_a_period_stand_in_any_order():
    policy = ReportPolicy.of(("PT1H", "close", "non-empty"), "rstream")
    assert policy.conditions == {"close", "non-empty"} and policy.period == "PT1H"
    assert policy.closes


def test_a_period_lets_a_query_look_at_its_multiples():
    assert [
        now for now in range(9) if ReportPolicy.of(("change", 4), "delta").is_due(TimeKind.INTEGER, now)
    ] == [
        0,
        4,
        8,
    ]


@pytest.mark.parametrize("on", ["never", ("change", 1, 2), (), 0, -3, timedelta(0), None, object(), "PT0S"])
def test_what_is_no_condition_is_refused_with_what_there_is(on):
    with pytest.raises(OptionError, match="'change', 'close', 'non-empty', a duration") as caught:
        ReportPolicy.of(on, "delta")
    assert caught.value.option == "on"


def test_what_is_no_stream_of_answers_is_refused_with_those_that_there_are():
    with pytest.raises(OptionError, match="'delta' or 'istream' or 'dstream' or 'rstream'"):
        ReportPolicy.of("change", "stream")


def test_all_is_done_and_then_the_first_interrupt_raised():
    done = []

    def interrupted(name):
        done.append(name)
        raise KeyboardInterrupt(name)

    with pytest.raises(KeyboardInterrupt, match="first"):
        run_all([lambda: interrupted("first"), lambda: done.append("second"), lambda: interrupted("third")])
    assert done == ["first", "second", "third"]


def test_nothing_is_raised_where_nothing_was():
    done = []
    run_all(done.append for _ in range(0))
    run_all([lambda: done.append(1)])
    assert done == [1]
