"""Each row once, as long as there is one."""

from pantarhei.query.algebra.nodes import Distinct
from pantarhei.query.incremental.distinct import DistinctOperator
from signed_bags import Bench


def test_the_first_copy_comes_and_the_last_goes():
    bench = Bench()
    child = bench.input("x y")
    distinct = DistinctOperator(Distinct(child.node), bench.shared, child)
    assert bench.change(distinct, {"a b": 2, "a 1": 1, "a 01": 1}) == {"a b": 1, "a 1": 1, "a 01": 1}
    assert bench.change(distinct, {"a b": -1, "a c": 1}) == {"a c": 1}
    assert bench.change(distinct, {"a b": -1}) == {"a b": -1}


def test_what_nobody_can_name_makes_no_difference():
    bench = Bench()
    child = bench.input("x #y")
    distinct = DistinctOperator(Distinct(child.node), bench.shared, child)
    assert bench.change(distinct, {"a b": 1, "a c": 1}) == {"a -": 1}
    assert bench.change(distinct, {"a b": -1}) == {}
