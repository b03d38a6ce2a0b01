"""LIMIT and OFFSET: the first rows by the keys, then by N-Triples text, a row counting with its copies."""

import random

import pytest
from rdflib import Variable

from engine_answers import read
from pantarhei.encoding.numbers import NONE
from pantarhei.query.algebra.nodes import OrderKey, Slice
from pantarhei.query.expressions import order
from pantarhei.query.expressions.comparison import order_key
from pantarhei.query.incremental import slices
from pantarhei.query.incremental.operator import table_of
from pantarhei.query.incremental.slices import SliceOperator, slice_parts
from random_queries.data import LITERALS, NAMES
from signed_bags import Bench

X, Y = Variable("x"), Variable("y")


BY_Y = (OrderKey(Y),)


def slice_(bench, offset=0, limit=None, keys=BY_Y):
    child = bench.input("x y")
    return SliceOperator(Slice(child.node, offset, limit), bench.shared, child, keys)


def test_the_first_rows_move_up_when_one_goes():
    bench = Bench()
    first = slice_(bench, limit=2)
    assert bench.change(first, {"a 3": 1, "b 1": 1, "c 2": 1}) == {"b 1": 1, "c 2": 1}
    assert bench.change(first, {"b 1": -1}) == {"b 1": -1, "a 3": 1}
    assert bench.change(first, {"d 0": 1, "e 9": 1}) == {"d 0": 1, "a 3": -1}


def test_copies_count():
    bench = Bench()
    first = slice_(bench, 1, 3)
    assert bench.change(first, {"a 1": 3, "b 2": 5}) == {"a 1": 2, "b 2": 1}
    assert bench.change(first, {"a 1": -2}) == {"a 1": -2, "b 2": 2}


def test_without_a_limit_all_but_the_first_are_there():
    bench = Bench()
    rest = slice_(bench, 2)
    assert bench.change(rest, {"a 1": 1, "b 2": 1, "c 3": 2}) == {"c 3": 2}
    assert bench.change(rest, {"d 0": 1}) == {"b 2": 1}


def test_a_key_may_descend_and_unbound_is_least():
    bench = Bench()
    first = slice_(bench, limit=2, keys=(OrderKey(Y, True), OrderKey(X)))
    assert bench.change(first, {"a 1": 1, "b -": 1, 'c "x"': 1, "d 5": 1, "e 5": 1}) == {'c "x"': 1, "d 5": 1}
    assert bench.change(first, {'c "x"': -1}) == {'c "x"': -1, "e 5": 1}


def test_rows_that_are_alike_follow_their_text():
    bench = Bench()
    first = slice_(bench, limit=1)
    assert bench.change(first, {"b 1": 1, "a 1.0": 1}) == {"a 1.0": 1}
    assert bench.change(first, {"a 01": 1}) == {"a 1.0": -1, "a 01": 1}


def test_a_term_is_looked_at_once_and_texts_are_written_of_rows_alike(monkeypatch):
    bench, keyed, written = Bench(), [], []
    first = slice_(bench, limit=1)
    key, write = slices.order_key, slices.write_term
    monkeypatch.setattr(slices, "order_key", lambda term: keyed.append(str(term)) or key(term))
    monkeypatch.setattr(slices, "write_term", lambda term: written.append(str(term)) or write(term))

    def change(rows):
        return bench.shown(first.change(bench.bag(rows)))

    assert change({"a 1": 1, "b 2": 1}) == {"a 1": 1}
    assert change({"c 3": 1, "a 1": -1}) == {"a 1": -1, "b 2": 1}
    assert (keyed, written) == (["1", "2", "3"], [])
    assert change({"a 2": 1}) == {"b 2": -1, "a 2": 1}
    assert len(keyed) == 3 and sorted(written) == ["2", "2", "urn:a", "urn:b"]
    first.clear_caches()
    assert change({"c 3": -1}) == {} and sorted(keyed) == ["1", "2", "2", "3"]


def test_without_keys_text_alone_counts():
    bench = Bench()
    first = slice_(bench, limit=1, keys=())
    assert bench.change(first, {"b 1": 1, "c 0": 1}) == {"b 1": 1}


def test_one_row_among_many_costs_few_comparisons():
    bench = Bench()
    first = slice_(bench, limit=3)
    first.change(bench.bag({f"n{number} {number}": 1 for number in range(500)}))
    ranked, inner = [], first._ranked
    first._ranked = lambda rows: ranked.extend(rows) or inner(rows)
    assert bench.shown(first.change(bench.bag({"a 2": 1, "n7 7": -1}))) == {"a 2": 1, "n2 2": -1}
    assert len(ranked) == 1
    assert first._in_order == sorted(first._ranks.values())


def test_a_change_behind_the_slice_is_not_looked_for_in_it():
    bench = Bench()
    first = slice_(bench, limit=2)
    bench.change(first, {"a 1": 1, "b 2": 1, "c 3": 1})
    first.change(bench.bag({"d 0": 1, "d 4": 1}))
    looked, inner = [], first._current_rows
    first._current_rows = lambda: looked.append(1) or inner()
    assert first.change(bench.bag({"c 3": -1, "e 5": 1})) == {}
    assert not looked
    assert bench.shown(first.change(bench.bag({"a 1": -1}))) == {"a 1": -1, "b 2": 1}
    assert looked


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_is_that_of_order_by(seed, is_descending):
    rng, bench = random.Random(seed), Bench()
    terms = [*LITERALS, *NAMES, None]
    rows = [(bench.row("a")[0], NONE if t is None else bench.terms.id_of(t)) for t in terms]
    rng.shuffle(rows)
    keys = (OrderKey(Y, is_descending),)
    first = slice_(bench, limit=10, keys=keys)
    taken_ = first.change(dict.fromkeys(rows, 1))
    places = order(keys, table_of(rows, (X, Y)), bench.shared.context).tolist()
    ranks = {rows[place]: rank for rank, place in enumerate(places)}
    least = max(ranks[row] for row in taken_)
    alike = [order_key(bench.terms.term(row[1])) for row in (rows[places[least]],) if row[1] != NONE]
    passed = [row for row in rows if ranks[row] < least and row not in taken_]
    assert [order_key(bench.terms.term(row[1])) for row in passed] == alike * len(passed)


@pytest.mark.parametrize(
    ("query", "is_known"),
    [
        ("SELECT ?x { ?x :p ?y } ORDER BY ?y LIMIT 1", True),
        ("SELECT DISTINCT ?x { ?x :p ?y } ORDER BY ?x LIMIT 1", True),
        ("SELECT DISTINCT ?x { ?x :p ?y } ORDER BY ?y LIMIT 1", False),
        ("SELECT ?x { ?x :p ?y } ORDER BY RAND() LIMIT 1", False),
        ("SELECT ?x { ?x :p ?y } LIMIT 1", True),
    ],
)
def test_the_order_is_that_of_something_that_rows_have(query, is_known):
    node = read(query).node
    while not isinstance(node, Slice):
        (node,) = node.children
    assert (slice_parts(node) is not None) is is_known
