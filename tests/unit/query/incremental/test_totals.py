"""Sums are exact, of the greatest type that is there, and what has gone leaves nothing behind."""

import pytest

from pantarhei.materialize.kernel.groups import NOTHING, result_of, update_totals
from pantarhei.query.expressions.aggregates import sum_literal
from pantarhei.query.incremental.persistent_terms import numeric_of
from pantarhei.query.incremental.totals import Total, addend_of, plain_number
from pantarhei.values.numeric import EXACT
from pantarhei.values.value import value_of
from signed_bags import term

TYPED = '"{{}}"^^<http://www.w3.org/2001/XMLSchema#{}>'
DOUBLE, FLOAT, DECIMAL = map(TYPED.format, ("double", "float", "decimal"))


GROUP = (7,)


def plus(total, numbers, weight=1):
    """A total after so many copies of each number have come, or gone."""
    kept, addends = {GROUP: total}, dict(enumerate(addend_of(term(number)) for number in numbers))
    update_totals(kept, {GROUP: [((place,), weight) for place in addends]}, addends, EXACT.fma, [], None)
    return kept[GROUP]


def total(*numbers):
    return plus(NOTHING, numbers)


def as_sum(total):
    return text(Total.of(total).sum)


def text(number):
    literal = sum_literal(number)
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
        ([DECIMAL.format("9" * 30), "1"], "1" + "0" * 30, "5" + "0" * 29),
        (["1", '"x"'], None, None),
        (["1", "a"], None, None),
    ],
)
def test_numbers_add_up(numbers, sum_, average):
    for found in (total(*numbers), plus(total(), numbers)):
        whole = Total.of(found)
        assert (text(whole.sum), text(whole.average)) == (sum_, average)


def test_an_error_that_goes_leaves_the_sum_of_the_others():
    assert as_sum(plus(total("1", '"x"'), ['"x"'], -1)) == "1"


def test_a_sum_has_the_type_of_the_numbers_that_are_left():
    mixed = total("1", "0.5", *doubles("0.25", "NaN"), FLOAT.format("INF"))
    left = plus(mixed, [*doubles("0.25", "NaN"), FLOAT.format("INF")], -1)
    assert as_sum(left) == "1.5"
    assert as_sum(plus(left, ["0.5"], -1)) == "1"
    assert Total.of(left).size == 2


def test_copies_count():
    assert as_sum(plus(NOTHING, ["0.1"], 3)) == "0.3"


@pytest.mark.parametrize(
    ("numbers", "is_alike"),
    [
        (["1", "-2", "16777216"], True),
        (["1", "16777217"], False),  # as an xsd:float it is another number
        (doubles("0.1", "-5"), True),
        (doubles("0.1", "1e-300"), False),
        (doubles("0.1", "INF"), False),
        (["1", *doubles("0.1")], False),
        (["0.5"], False),
    ],
)
def test_totals_of_numbers_that_are_alike_are_short(numbers, is_alike):
    found = total(*numbers)
    assert (len(found) == 3) is is_alike
    assert as_sum(plus(found, [FLOAT.format(7)])) == as_sum(total(FLOAT.format(7), *numbers))


def test_an_average_divides_the_sum_as_it_is_shown():
    long = DECIMAL.format("0." + "3" * 46)
    found = total(long, "2")
    number, _ = plain_number(result_of(found, True))
    assert number == Total.of(found).average.value
    assert str(number)[-7:] == "6666666"


def test_an_integer_is_added_to_decimals_exactly():
    many = DECIMAL.format("1" + "0" * 27 + "." + "0" * 20 + "1")
    left = plus(plus(total(many), ["1"]), [many], -1)
    assert as_sum(left) == "1"


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ((5, 2, False), "2.5"),
        ((4, 2, False), "2"),
        ((4, 0, False), "4"),
        ((4, 0, True), "4"),
        (0.5, "5.0E-1"),
    ],
)
def test_a_plain_number_has_the_key_of_its_literal(result, expected):
    number, key = plain_number(result)
    literal = sum_literal(numeric_of(number))
    assert str(literal) == expected
    assert value_of(literal) == key
