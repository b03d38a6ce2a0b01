"""What the nodes of a query came to, taken down."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, Literal, URIRef, Variable

from engine_answers import ask, rows
from pantarhei.encoding.numbers import NONE
from pantarhei.errors import QueryMemoryError
from pantarhei.query.operators import executor
from pantarhei.query.operators import pattern_joins as matching
from pantarhei.query.operators.pattern_joins import (
    compatible,
    first_occurrences,
    join,
    row_codes,
    row_mask,
    split_by_unbound,
)
from pantarhei.query.solutions import QueryLimits, SolutionTable, TermSpace
from pantarhei.query.sources.view import GraphFacts

ANY = QueryLimits()
NAMES = TermSpace()
NUMBERS = NAMES.ids_of([URIRef(f"urn:{i}") for i in range(4)]).tolist()
X, Y, Z = map(Variable, "xyz")

cells = st.sampled_from([NONE, *NUMBERS[:3]])


def tables(*variables):
    row = st.tuples(*(cells for _ in variables))
    return st.lists(row, max_size=6).map(lambda rows: table(variables, rows))


def table(variables, rows):
    columns = list(zip(*rows, strict=True)) or [()] * len(variables)
    return SolutionTable(
        {v: np.array(c, np.int64) for v, c in zip(variables, columns, strict=True)}, len(rows)
    )


def solutions(made):
    """The rows as mappings of what is bound."""
    columns = {v: column.tolist() for v, column in made.columns.items()}
    return [{v: c[i] for v, c in columns.items() if c[i] != NONE} for i in range(made.size)]


def agree(one, other):
    return all(other.get(v, value) == value for v, value in one.items())


def bag(rows):
    return sorted(tuple(sorted(row.items())) for row in rows)


@given(tables(X, Y), tables(Y, Z))
def test_a_join_has_the_unions_of_compatible_rows(left, right):
    expected = [a | b for a in solutions(left) for b in solutions(right) if agree(a, b)]
    assert bag(solutions(join(left, right, NAMES, ANY))) == bag(expected)


@given(tables(X, Y), tables(X, Y))
def test_rows_overlap_where_both_bind_a_variable(left, right):
    rows, places = compatible(left, right, NAMES, ANY, overlap=True)
    mine, other = solutions(left), solutions(right)
    expected = [
        (i, j) for i, a in enumerate(mine) for j, b in enumerate(other) if agree(a, b) and a.keys() & b.keys()
    ]
    assert sorted(zip(rows.tolist(), places.tolist(), strict=True)) == expected


def test_joins_go_by_value_and_show_the_form_of_the_left():
    terms = TermSpace()
    one, padded = terms.ids_of([Literal(1), Literal("01", datatype=XSD.integer, normalize=False)]).tolist()
    joined = join(table((X,), [(padded,)]), table((X, Y), [(one, one)]), terms, ANY)
    assert [terms.terms(joined.columns[v]) for v in (X, Y)] == [[terms.term(padded)], [terms.term(one)]]


def test_a_join_that_is_too_large_is_refused_before_it_is_made():
    many = table((X,), [(NUMBERS[0],)] * 1000)
    other = SolutionTable({Y: many.columns[X]}, many.size)
    for right in (many, other):
        with pytest.raises(QueryMemoryError) as raised:
            join(many, right, NAMES, QueryLimits(max_bytes=1 << 20))
        assert raised.value.rows == 1_000_000


@given(st.lists(st.tuples(cells, cells), max_size=8))
def test_equal_rows_have_one_code_and_are_counted(rows):
    columns = [np.array(c, np.int64) for c in (zip(*rows, strict=True) if rows else ((), ()))]
    found, count = row_codes(columns, len(rows))
    assert count == len(set(rows)) == len(set(found.tolist()))
    assert [found[rows.index(row)] for row in rows] == found.tolist()
    first = first_occurrences(columns, len(rows))
    assert first.tolist() == [i for i, row in enumerate(rows) if rows.index(row) == i]
    assert (
        first_occurrences(columns[:1], len(rows)).tolist()
        == first_occurrences([columns[0]] * 2, len(rows)).tolist()
    )


def test_rows_without_columns_are_all_equal():
    assert first_occurrences([], 3).tolist() == [0] and first_occurrences([], 0).tolist() == []
    found, count = row_codes([], 3)
    assert (found.tolist(), count) == ([0, 0, 0], 1)


def test_codes_of_many_wide_columns_stay_within_a_number():
    wide = [np.arange(100_000)] * 6
    found, count = row_codes(wide, 100_000)
    assert count == 100_000 and found.tolist() == list(range(100_000))


@given(tables(X, Y, Z))
def test_rows_are_split_into_parts_that_bind_the_same(rows):
    parts = split_by_unbound(rows, [X, Y])
    assert bag(row for part in parts for row in solutions(part)) == bag(solutions(rows))
    for part in parts:
        assert all((part.columns[v] != NONE).all() for v in (X, Y) if v in part.columns)


def test_marked_rows_are_a_mask():
    assert row_mask(np.array([2, 0, 2]), 4).tolist() == [True, False, True, False]


DATA = """
    :a a :C ; :p :b ; :v 1 . :b a :C, :D ; :p :c, :b ; :v 01, 2 . :c :p :a ; :v 1.0 .
    :p a :Property .
"""


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("?x a :D", ["b"]),
        ("?x a ?y", ["a C", "b C", "b D", "p Property"]),
        (":a ?x ?y", ["p b", "rdf:type C", "v 1^integer"]),
        ("?x :p ?x", ["b"]),
        ("?x ?y ?x", ["b p"]),
        (":a :p :b", [""]),
        (":a :p :c", []),
        ("?x :v 1", ["a", "b", "c"]),
        ("?x :p ?y . ?y :p ?z . ?z :p ?x", ["a b c", "b b b", "b c a", "c a b"]),
        ("?x :p ?y . ?x a ?c . ?y a ?c", ["a b C", "b b C", "b b D"]),
        ("?x a ?c . ?y ?q ?c . :a :p ?y", ["a C b rdf:type", "b C b rdf:type", "b D b rdf:type"]),
        ("?x ?q ?y . ?q a :Property", ["a p b", "b p b", "b p c", "c p a"]),
        ("?x a :D . ?y a :Property", ["b p"]),
        ("?x :none ?y", []),
        ('"a" :p ?x', []),
    ],
)
def test_patterns_match_together(pattern, expected):
    found = [row.replace(str(RDF), "rdf:") for row in rows(f"SELECT * {{ {pattern} }}", DATA)]
    assert sorted(found) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (":a :v ?v . :b :v ?v", ["1^integer"]),
        (":b :v ?v . :a :v ?v", ["01^integer"]),
        ("?x :v ?v . ?y :v ?v FILTER(?x = :a && ?y = :b)", ["1^integer"]),
        ("VALUES ?v { 001 } :b :v ?v", ["001^integer"]),
        (":b :v ?v VALUES ?v { 001 }", ["01^integer"]),
    ],
)
def test_matches_agree_by_value_and_show_the_form_of_the_first_in_the_text(pattern, expected):
    assert rows(f"SELECT ?v {{ {pattern} }}", DATA) == expected


def test_two_forms_of_a_value_are_two_facts():
    assert rows("SELECT ?v { :x :v ?v } ORDER BY STR(?v)", ":x :v 1, 01 .") == ["01^integer", "1^integer"]


STAR = " ".join(f":s{i} a :Sensor ; :kind :k{i % 2} ; :v {i} ; :room :r{i % 100} ." for i in range(500))


def steps(query, data=STAR):
    """The predicates of the patterns in the order in which they are matched, and the rows after each."""
    lines = [line.strip() for line in ask(query, data).plan().splitlines() if " actual" in line]
    return [(line.split()[1], int(line.split()[-2].replace(",", ""))) for line in lines]


def test_the_most_selective_pattern_is_matched_first_wherever_it_stands():
    query = "SELECT ?x { ?x :kind ?k . ?x :v ?v . ?x :room :r7 }"
    assert steps(query)[0] == ("urn:room", 5)
    assert all(count <= 5 for _, count in steps(query))


def test_patterns_are_gone_on_from_rows_that_are_there_before_others_are_begun():
    order = [name for name, _ in steps("SELECT * { :s1 :room ?r . ?y :kind ?k . ?y :room ?r }")]
    assert order == ["urn:room", "urn:room", "urn:kind"]


def test_nothing_is_matched_any_more_once_no_row_is_left():
    assert steps("SELECT * { :s1 :room :r2 . ?y :kind ?k . ?y :v ?v }") == [("urn:room", 0)]


def test_a_condition_is_tested_before_the_next_pattern(monkeypatch):
    sizes = []
    test = matching.truth

    def noted(condition, table, context):
        sizes.append(table.size)
        return test(condition, table, context)

    monkeypatch.setattr(matching, "truth", noted)
    query = "SELECT * { ?x :v ?v . ?y :v ?w . ?x :room ?r FILTER(?v = 3 && ?w = 4) }"
    assert len(ask(query, STAR)) == 1
    assert max(sizes) <= 500, "the product of 500 times 500 rows is never made"


def test_a_limit_without_an_order_does_not_match_all_facts(monkeypatch):
    sizes = []
    make = executor.join_patterns

    def noted(*arguments):
        found, steps = make(*arguments)
        sizes.append(found.size)
        return found, steps

    monkeypatch.setattr(executor, "join_patterns", noted)
    assert len(ask("SELECT * { ?x :kind ?k . ?y :kind ?k } LIMIT 3", STAR)) == 3
    assert sum(sizes) < 500 * 250 / 4
    sizes.clear()
    assert ask("ASK { ?x :kind ?k . ?y :kind ?k }", STAR).askAnswer
    assert sum(sizes) < 500 * 250 / 4


def test_a_graph_is_asked_for_each_predicate_once(monkeypatch):
    asked = []
    relation = GraphFacts.relation
    monkeypatch.setattr(GraphFacts, "relation", lambda self, name: asked.append(name) or relation(self, name))
    ask("SELECT * { ?x :v ?v . ?x :room ?r }", STAR)
    assert {str(name) for name in asked} == {"urn:v", "urn:room"}


def test_rows_that_leave_a_variable_open_are_matched_by_themselves():
    query = "SELECT * { VALUES (?x ?v) { (:s1 UNDEF) (UNDEF 2) (:s3 4) } ?x :v ?v }"
    assert sorted(rows(query, STAR)) == ["s1 1^integer", "s2 2^integer"]
