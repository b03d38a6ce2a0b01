"""The values of terms are read once, and forgotten when numbers get another meaning."""

from pantarhei.encoding.numbers import NONE
from pantarhei.query.expressions import kinds
from pantarhei.query.incremental.term_values import ODD, Name
from pantarhei.values.numeric import Numeric
from signed_bags import Bench


def value(bench, text):
    (number,) = bench.row(text)
    return bench.shared.values[number]


def test_terms_have_the_values_that_operators_look_at():
    bench = Bench()
    assert value(bench, "05") == Numeric(kinds.INTEGER, 5)
    assert value(bench, '"x"') == "x"
    assert value(bench, "b").number == bench.row("b")[0]
    assert isinstance(value(bench, "a"), Name)
    assert value(bench, '"x"@en') is ODD
    assert value(bench, "-") is None


def test_what_is_forgotten_is_read_again():
    bench = Bench()
    value(bench, "5")
    bench.shared.values.forget()
    assert dict(bench.shared.values) == {NONE: None}
    assert value(bench, "5") == Numeric(kinds.INTEGER, 5)
