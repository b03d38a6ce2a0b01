"""What is wrong with a text is said with its place, and without the parser's words."""

import pickle

import pytest

from answered import read
from pantarhei.errors import QueryError, QueryTextError
from pantarhei.query.syntax.mistakes import parsed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the query is empty: expected SELECT"),
        ("# only a comment\n", "the query is empty"),
        ("SELECT ?x WHERE { ?x a :A ", "line 1, column 26: it ends before it is complete"),
        ("SELEC ?x { ?x ?y ?z }", "line 1, column 1: neither .* nor SELECT"),
        ("SELECT ?x\n{ ?x ?y }", "line 2, column 9: what begins here is not complete"),
        ("SELECT ?x { ?x ?y ?z }}", "line 1, column 23: what begins here is not complete, or no part"),
        ("SELECT ?x { ?x a nonesuch:B }", "the prefix nonesuch: is not declared"),
        ('ASK { ?x :p "\\uD800" }', "half of a character"),
        ('ASK { ?x :p "\ud800" }', "half of a character"),
        ('ASK { ?x :p "\\UFFFFFFFF" }', "malformed query"),
        ("ASK { ?x :p ?y FILTER(1 = ) }", "line 1, column 27"),
        ("ASK {\n GRAPH :g {\n ?x :p ?y .\n ?x :q } }", "line 4, column 8"),
        ("ASK { ?x :p ?y OPTIONAL { ?x :q ?z FILTR(?z) } }", "line 1, column 36"),
        ("ASK { ?x a foo }", "line 1, column 12"),
        ("ASK { ?x a :b; <c d> 3 }", "line 1, column 16"),
        ("ASK { GRAPH ?g { ?x :p ?y ", "line 1, column 26: it ends before it is complete"),
        ("PREFIX a <urn:a> ASK {}", "line 1, column 1: neither a whole PREFIX"),
        ("INSERT DATA { :a :b :c }", "this is an update: the materialization is read-only"),
        ("LOAD <http://example.org/>", "this is an update"),
        ("register query q AS ASK {}", "column 1: REGISTER is a word of C-SPARQL, .*pantarhei.register"),
        ("ASK FROM STREAM <urn:s> [RANGE 4 STEP 1] { ?x a :A }", "column 10: STREAM is a word of"),
        ("ASK FROM NAMED WINDOW :w ON :s [RANGE 4] { }", "column 16: WINDOW is a word of"),
        ("ASK { STREAM :s [NOW] { ?x a :A } }", "column 7: STREAM is a word of"),
        ("SELECT ISTREAM ?x { ?x a :A }", "column 8: ISTREAM is a word of"),
        ("ASK { ?x a :A ; STREAMS }", "what begins here is not complete"),
    ],
)
def test_a_malformed_text_is_refused_with_its_place(text, reason):
    with pytest.raises(QueryError, match=reason) as raised:
        read(text)
    assert "Expected" not in str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_the_line_is_shown_with_a_mark_below_the_place():
    with pytest.raises(QueryError) as raised:
        parsed("SELECT ?x\nWHERE { ?x a }")
    assert str(raised.value).splitlines()[1:] == ["    WHERE { ?x a }", "                 ^"]


def test_the_place_is_that_in_the_text_as_it_is_written():
    """Tabs are one character, and an escape as many as it has."""
    with pytest.raises(QueryTextError) as raised:
        parsed('ASK {\r\n\t?x ?y "\\u0041\t\\U00000042" .\t?x }')
    error = raised.value
    assert (error.line, error.column) == (2, 33)
    assert error.source_line == '\t?x ?y "\\u0041\t\\U00000042" .\t?x }'
    assert error.source_line[error.column - 1 :] == "}"


def test_of_a_long_line_what_is_near_the_place_is_shown():
    with pytest.raises(QueryError) as raised:
        parsed("ASK { " + "?x ?y ?z . " * 1000 + "?x ?y }")
    _, line, mark = str(raised.value).splitlines()
    assert len(line) < 120
    assert line[mark.index("^") :] == "}"


@pytest.mark.parametrize("opening", ["{", "OPTIONAL {", "FILTER NOT EXISTS {"])
def test_a_text_that_is_nested_too_deeply_is_refused(opening):
    with pytest.raises(QueryError, match="nested too deeply"):
        read("ASK { " + opening * 5000 + "}" * 5001)
