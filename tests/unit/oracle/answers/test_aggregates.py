"""Aggregates (SPARQL 1.1, section 18.5.1), and what the package's docstrings decide beside it."""

import pytest

from oracle_answers import rows


@pytest.mark.parametrize(
    ("aggregate", "values", "expected"),
    [
        ("COUNT(*)", "1 UNDEF 1", "3^integer"),
        ("COUNT(DISTINCT *)", "1 01 1 UNDEF", "3^integer"),
        ("COUNT(?v)", "1 UNDEF 1", "2^integer"),
        ("COUNT(DISTINCT ?v)", "1 01 1", "2^integer"),
        ("COUNT(?v + 1)", '1 "x" :a', "1^integer"),
        ("SUM(DISTINCT ?v)", "1 01 1", "2^integer"),
        ("AVG(?v)", "1 2", "1.5^decimal"),
        ("AVG(?v)", "2 2", "2^decimal"),
        ("AVG(?v)", "", "0^integer"),
        ("AVG(?v)", "1 UNDEF", "-"),
        ("AVG(?v)", "1 :a", "-"),
        ("AVG(COALESCE(?v, 3))", "1 UNDEF", "2^decimal"),
        ("MIN(?v)", '2 "a" :a 01 1.0', ":a"),
        ("MIN(?v)", "2 1.0 01", "01^integer"),
        ("MAX(?v)", '2 "a" :a', '"a"'),
        ("MAX(?v)", "2.0 1 02", "02^integer"),
        ("MIN(?v)", "UNDEF 3", "3^integer"),
        ("MAX(?v)", "", "-"),
        ("SAMPLE(?v)", '"b" 7 "a" UNDEF', "7^integer"),
        ("SAMPLE(?v)", "", "-"),
        ("GROUP_CONCAT(?v)", '"b" 7 "a"@en :x "a"', '"urn:x 7 a b a"'),
        ('GROUP_CONCAT(DISTINCT ?v; SEPARATOR = "|")', "1 01 1", '"01|1"'),
        ("GROUP_CONCAT(?v)", "UNDEF", '""'),
        ("(SUM(?v) + COUNT(*))", "1 2", "5^integer"),
    ],
)
def test_aggregates(aggregate, values, expected):
    found = rows(f"SELECT ({aggregate} AS ?a) {{ VALUES ?v {{ {values} }} }}")
    assert found == [expected.removeprefix(":")]


def test_blank_nodes_have_no_text_in_a_concatenation():
    assert rows("SELECT (GROUP_CONCAT(?v) AS ?a) { :a :p ?v }", ':a :p [], "x" .') == ['"x"']
