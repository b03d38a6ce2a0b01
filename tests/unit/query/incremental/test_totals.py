"""Sums are exact, of the greatest type that is there, and what has gone leaves nothing behind."""

import pytest

from pantarhei.materialize.kernel.groups import sum_up
from pantarhei.query.expressions.sums import written
from pantarhei.query.expressions.values import EXACT
from pantarhei.query.incremental.totals import NOTHING, Total, addend_of
from signed_bags import term

TYPED = '"{{}}"^^<http://www.w3.org/2001/XMLSchema#{}>'
DOUBLE, FLOAT, DECIMAL = map(TYPED.format, ("double", "float", "decimal"))


GROUP = (7,)


def plus(total, numbers, weight=1):
    """A total after so many copies of each number have come, or gone."""
    kept, addends = {GROUP: total}, dict(enumerate(addend_of(term(number)) for number in numbers))
    sum_up(kept, {GROUP: [((place,), weight) for place in addends]}, addends, NOTHING, EXACT.fma, [], None)
    return Total._make(kept[GROUP])


def total(*numbers):
    return plus(NOTHING, numbers)


def text(number):
    literal = written(number)
    return None if literal is None else str(literal)


def doubles(*numbers):
    return [DOUBLE.format(number) for number in numbers]


@pytest.mark.parametrize(
    ("numbers", "sum_", "average"),
    [
        ([], "0", "0"),
        (["1", "2"], "3", "1.5"),
        (["1", "0.10"], "1.1", "0.55"),
        (doubles("1e16", "1", "-1e16"), "1.0E0", "3.333333333333333E-1"),
        (doubles("1e308", "1e308", "-1e308"), "1.0E308", "3.333333333333333E307"),
        (doubles("1e308", "1e308"), "INF", "INF"),
        (doubles("INF", "-INF"), "NaN", "NaN"),
        (doubles("INF", "1"), "INF", "INF"),
        (doubles("5e-324"), "5.0E-324", "5.0E-324"),
        (doubles("5e-324", "1", "-1"), "5.0E-324", "0.0E0"),
        (doubles("1e-40", "1", "2e300", "-2e300"), "1.0E0", "2.5E-1"),
        (doubles("1e308", "1e-308", "-1e308"), "1.0E-308", "3.33333333333333E-309"),
        ([FLOAT.format("1e-40"), "1", "-1"], "1.0E-40", "3.3333E-41"),
        (doubles("-0"), "0.0E0", "0.0E0"),
        ([FLOAT.format("16777216"), "1"], "1.6777216E7", "8.388608E6"),
        ([FLOAT.format("1"), DOUBLE.format("0.1")], "1.1E0", "5.5E-1"),
        ([DECIMAL.format("9" * 30), "1"], "1" + "0" * 30 + ".0", "5" + "0" * 29 + ".0"),
        (["1", '"x"'], None, None),
        (["1", "a"], None, None),
    ],
)
def test_numbers_add_up(numbers, sum_, average):
    found = total(*numbers)
    assert (text(found.sum), text(found.average)) == (sum_, average)


def test_an_error_that_goes_leaves_the_sum_of_the_others():
    assert text(plus(total("1", '"x"'), ['"x"'], -1).sum) == "1"


def test_a_sum_has_the_type_of_the_numbers_that_are_left():
    mixed = total("1", "0.5", *doubles("0.25", "NaN"), FLOAT.format("INF"))
    left = plus(mixed, [*doubles("0.25", "NaN"), FLOAT.format("INF")], -1)
    assert text(left.sum) == "1.5"
    assert text(plus(left, ["0.5"], -1).sum) == "1"
    assert left.size == 2


def test_copies_count():
    assert text(plus(NOTHING, ["0.1"], 3).sum) == "0.3"
