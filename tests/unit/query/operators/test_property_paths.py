"""Paths of any length: sets of pairs, ends that are no terms of the graph, loops that end."""

import pytest

from engine_answers import ask, rows

LINE = ":a :p :b . :b :p :c . :c :p :d ."
LOOP = LINE + " :d :p :b . :a :q :x ."


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":a :p+ ?x", ["b", "c", "d"]),
        (":a :p* ?x", ["a", "b", "c", "d"]),
        (":a :p? ?x", ["a", "b"]),
        ("?x :p+ :d", ["a", "b", "c"]),
        ("?x :p* :d", ["a", "b", "c", "d"]),
        (":a :p+ :d", [""]),
        (":d :p+ :a", []),
        (":d :p* :d", [""]),
        ("?x :p+ ?y", ["a b", "a c", "a d", "b c", "b d", "c d"]),
        ("?x (:p/:p)+ ?y", ["a c", "b d"]),
        ("?x (:p|^:p)+ :a", ["a", "b", "c", "d"]),
        (":a :p/:p*/:p ?x", ["c", "d"]),
        (":a (:p+)+ ?x", ["b", "c", "d"]),
        ("VALUES ?x { :c :d } ?x :p+ ?y", ["c d"]),
        ("VALUES ?y { :c :b } ?x :p+ ?y", ["b a", "c a", "c b"]),
        ("VALUES (?x ?y) { (:a :d) (:d :a) (:b UNDEF) } ?x :p+ ?y", ["a d", "b c", "b d"]),
    ],
)
def test_a_path_relates_what_its_steps_lead_to(pattern, expected):
    assert sorted(rows(f"SELECT * {{ {pattern} }}", LINE)) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x :p+ ?x", ["b", "c", "d"]),
        (":b :p+ :b", [""]),
        (":b :p+ ?x", ["b", "c", "d"]),
        ("?x :p* ?x", ["a", "b", "c", "d", "x"]),
        ("?x :p+ ?y . ?y :q ?z", []),
    ],
)
def test_a_loop_is_gone_through_once(pattern, expected):
    assert sorted(rows(f"SELECT * {{ {pattern} }}", LOOP)) == expected


def test_each_pair_comes_once_though_several_ways_lead_there():
    diamond = ":a :p :b, :c . :b :p :d . :c :p :d ."
    assert rows("SELECT ?x { :a :p+ ?x } ORDER BY ?x", diamond) == ["b", "c", "d"]
    assert rows("SELECT ?x { :a :p/:p ?x }", diamond) == ["d", "d"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":stranger :p* ?x", ["stranger"]),
        ("?x :p? :stranger", ["stranger"]),
        (":stranger :p* :stranger", [""]),
        (":stranger :p* :other", []),
        (":stranger :p+ ?x", []),
        ("1 :p* ?x", ["1^integer"]),
        ("VALUES ?x { :stranger } ?x :p* ?y", []),
        ("VALUES ?x { :stranger } ?x :p* :stranger", ["stranger"]),
    ],
)
def test_a_term_is_related_to_itself_if_it_is_written_at_an_end_or_in_the_graph(pattern, expected):
    assert rows(f"SELECT * {{ {pattern} }}", LINE) == expected


def test_open_ends_of_an_empty_path_are_the_terms_of_the_graph():
    assert rows("SELECT ?x ?y { ?x :none* ?y } ORDER BY ?x", ":a :p 1 .") == ["a a", "1^integer 1^integer"]


@pytest.mark.parametrize("path", ["(:p?)*", "(:p?)+", "(:p*)*", "((:p?)+)*"])
def test_a_step_that_stays_at_a_literal_leaves_it_in_the_form_of_each_way_there(path):
    data = [(f":n{i}", "0" * i + "2") for i in range(9)]
    query = f"SELECT ?x ?y {{ ?x {path} ?y FILTER(isIRI(?x) && isLiteral(?y)) }} ORDER BY ?x"
    found = rows(query, " ".join(f"{node} :p {number} ." for node, number in data))
    assert found == [f"{node[1:]} {number}^integer" for node, number in data]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x !:p ?y", ["a x"]),
        ("?x !(:p|:q) ?y", []),
        ("?x !:none :x", ["a"]),
        (":x !(^:p) ?y", ["a"]),
        ("?x !(:q|^:p) :b", ["a", "d"]),
        ("?x !:q ?x", []),
        ("VALUES ?x { :a :b } ?x !:q ?y", ["a b", "b c"]),
        ("VALUES (?x ?y) { (:a :x) (:a :b) } ?x !:p ?y", ["a x"]),
    ],
)
def test_a_negated_set_has_a_row_for_each_other_triple(pattern, expected):
    assert sorted(rows(f"SELECT * {{ {pattern} }}", LOOP)) == expected


def test_a_pair_of_a_negated_set_comes_once_for_each_triple():
    assert len(ask("SELECT * { ?x !:none ?y }", ":a :p :b ; :q :b .")) == 2


def test_a_long_chain_is_followed_to_its_end():
    chain = " ".join(f":n{i} :p :n{i + 1} ." for i in range(2000))
    assert rows("SELECT (COUNT(*) AS ?n) { :n0 :p+ ?x }", chain) == ["2000^integer"]
    assert rows("SELECT (COUNT(*) AS ?n) { ?x :p+ :n2000 }", chain) == ["2000^integer"]


def test_only_what_is_reached_is_gone_on_from():
    """From one start the pairs of the rest of the graph are not made."""
    chain = " ".join(f":n{i} :p :n{i + 1} ." for i in range(2000))
    assert len(ask("SELECT * { :n1990 :p+ ?x }", chain, max_bytes=100_000)) == 10
