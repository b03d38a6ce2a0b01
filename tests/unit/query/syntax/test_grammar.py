"""Parsing of query texts: keywords, places of errors, escapes, threads, long and deep texts."""

import pickle
import subprocess
import sys
import threading

import pytest
from rdflib import RDF, XSD, Graph, Literal, URIRef

from engine_answers import read
from oracle.answers import answers
from pantarhei.errors import QueryError, QueryTextError
from pantarhei.query import run_query
from pantarhei.query.languages import read_stream_text
from pantarhei.query.syntax import read_query
from pantarhei.query.syntax.grammar import QueryText, all_subtrees, parse

FIRST_QUERIES = """
import sys, threading
from rdflib import RDF, Graph, Literal, URIRef
from pantarhei import Ontology, StreamReasoner, Window
sys.setswitchinterval(1e-6)
sensor, value = URIRef("urn:sensor"), URIRef("urn:value")
answers, all_there = [], threading.Barrier(4)

def ask(number):
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(5))
    reasoner.push(1, [(sensor, value, Literal(number))])
    all_there.wait()
    for _ in range(5):
        query = "SELECT ?v { ?s <urn:value> ?v FILTER(?v >= 0 && EXISTS { ?s ?p ?v } && ?v != 9) }"
        answers.append((number, [row.v.value for row in reasoner.query(query)]))

threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert sorted(answers) == sorted((number, [number]) for number in range(4) for _ in range(5)), answers
assert len(Graph().query("SELECT * { ?s ?p ?o FILTER(?o != 5 && ?o > 1) }")) == 0
"""


@pytest.mark.timeout(120)
def test_the_first_queries_of_several_threads_at_once_are_answered():
    subprocess.run([sys.executable, "-c", FIRST_QUERIES], check=True)


def test_literals_keep_their_form_and_a_negated_set_its_predicates():
    sets = read_query('SELECT * { ?x !(^a) 01, "x"^^<urn:t> }').node.child
    ends = [(repr(each.subject), each.predicates) for each in (sets.left, sets.right)]
    assert ends == [
        (repr(end), {RDF.type})
        for end in (
            Literal("01", datatype=XSD.integer, normalize=False),
            Literal("x", datatype=URIRef("urn:t")),
        )
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("ASK { ?x a ?c ) }", r"line 1, column 15: unexpected \); expected"),
        ("REGISTER QUERY q ASK { }", "line 1, column 18: unexpected ASK; expected AS, COMPUTE"),
        ("ASK { ?x a ?c", "line 1, column 14: unexpected end of the text"),
        ("SELECT * { ?x a ?c } }", "line 1, column 22: unexpected }; expected"),
    ],
)
def test_an_error_has_its_place_and_the_expected_words(text, problem):
    with pytest.raises(QueryTextError, match=problem):
        read_stream_text(text)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("a\tb", "a\tb"),
        ("\\u0041BCDE", "ABCDE"),
        ("\\U00000041BCDE", "ABCDE"),
        ("\\u00e9\\u00E9", "éé"),
    ],
)
def test_a_literal_has_the_characters_that_are_written(written, meant):
    made = Graph()
    made.add((URIRef("urn:x"), URIRef("urn:p"), Literal(meant)))
    text = f'SELECT ?x {{ ?x ?p "{written}" }}'
    assert len(run_query(made, text)) == 1
    assert len(answers(text, made).rows_in_order) == 1


def test_a_group_may_have_more_triples_than_python_nests_calls():
    count = 2 * sys.getrecursionlimit()
    asked = read_query("CONSTRUCT { " + "?x ?y ?z . " * count + "} { " + "?x ?y ?z . " * count + "}")
    assert len(asked.node.patterns) == len(asked.template) == count


@pytest.mark.parametrize("end", ["", " .", ". "])
def test_the_dot_after_the_last_triple_may_be_left_out(end):
    assert len(read_query(f"ASK {{ ?x ?y ?z . ?x ?y ?z{end} }}").node.patterns) == 2
    with pytest.raises(QueryError):
        read_query("ASK { ?x ?y ?z . . }")


# -- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the query is empty: expected SELECT"),
        ("# only a comment\n", "the query is empty"),
        ("queries/rooms.rq", "queries/rooms.rq is a path: expected a query; read its text with"),
        (
            "SELECT ?x WHERE { ?x a :A ",
            'line 1, column 26: unexpected end of the text; expected "}"',
        ),
        ("SELEC ?x { ?x ?y ?z }", "line 1, column 1: unexpected SELEC; expected ASK, .* PREFIX or SELECT"),
        ("SELECT ?x\n{ ?x ?y }", "line 2, column 9: unexpected }; expected a term\n"),
        ("ASK { ?x }", "column 10: unexpected }; expected a property\n"),
        ("ASK { ?x ?y ?z FILTER(?z >) }", r"column 27: unexpected \); expected an expression\n"),
        (
            "ASK { FILTER(STRLENGTH(?z) > 2) }",
            r"STRLENGTH; expected an expression \(did you mean STRLEN\?\)\n",
        ),
        ("SELECT ?x { ?x ?y ?z }}", "line 1, column 23: unexpected }; expected GROUP, HAVING"),
        ("SELECT ?x { ?x a nonesuch:B }", "the prefix nonesuch: is not declared"),
        ('ASK { ?x :p "\\uD800" }', "an unpaired surrogate"),
        ('ASK { ?x :p "\ud800" }', "an unpaired surrogate"),
        ('ASK { ?x :p "\\UFFFFFFFF" }', "malformed query, line 1, column 14: .UFFFFFFFF is not a character"),
        ("ASK { ?x :p ?y FILTER(1 = ) }", "line 1, column 27"),
        ("ASK {\n GRAPH :g {\n ?x :p ?y .\n ?x :q } }", "line 4, column 8"),
        ("ASK { ?x :p ?y OPTIONAL { ?x :q ?z FILTR(?z) } }", "line 1, column 36"),
        ("ASK { ?x a foo }", "line 1, column 12"),
        ("ASK { ?x a :b; <c d> 3 }", "line 1, column 16"),
        (
            "ASK { GRAPH ?g { ?x :p ?y ",
            'line 1, column 26: unexpected end of the text; expected "}"',
        ),
        ("PREFIX a <urn:a> ASK {}", "line 1, column 8: unexpected a; expected a prefixed name"),
        ("INSERT DATA { :a :b :c }", "this is an update: the materialization is read-only"),
        ("LOAD <http://example.org/>", "this is an update"),
        ("register query q AS ASK {}", "column 1: REGISTER belongs to C-SPARQL, .*pantarhei.register"),
        ("ASK FROM STREAM <urn:s> [RANGE 4 STEP 1] { ?x a :A }", "column 10: STREAM belongs to"),
        ("ASK FROM NAMED WINDOW :w ON :s [RANGE 4] { }", "column 16: WINDOW belongs to"),
        ("ASK { STREAM :s [NOW] { ?x a :A } }", "column 7: STREAM belongs to"),
        ("SELECT ISTREAM ?x { ?x a :A }", "column 8: ISTREAM belongs to"),
        ("ASK { ?x a :A ; STREAMS }", "unexpected STREAMS"),
    ],
)
def test_a_malformed_text_is_refused_with_its_place(text, reason):
    with pytest.raises(QueryError, match=reason) as raised:
        read(text)
    assert "Expected" not in str(raised.value)
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)


def test_the_line_is_shown_with_a_mark_below_the_place():
    with pytest.raises(QueryError) as raised:
        read("SELECT ?x\nWHERE { ?x a }")
    assert str(raised.value).splitlines()[1:] == ["    WHERE { ?x a }", "                 ^"]


def test_the_place_is_that_in_the_text_as_it_is_written():
    """Tabs are one character, and an escape as many as it has."""
    with pytest.raises(QueryTextError) as raised:
        read('ASK {\r\n\t?x ?y "\\u0041\t\\U00000042" .\t?x }')
    error = raised.value
    assert (error.line, error.column) == (2, 33)
    assert error.source_line == '\t?x ?y "\\u0041\t\\U00000042" .\t?x }'
    assert error.source_line[error.column - 1 :] == "}"


def test_of_a_long_line_what_is_near_the_place_is_shown():
    with pytest.raises(QueryError) as raised:
        read("ASK { " + "?x ?y ?z . " * 1000 + "?x ?y }")
    _, line, mark = str(raised.value).splitlines()
    assert len(line) < 120
    assert line[mark.index("^") :] == "}"


@pytest.mark.parametrize("opening", ["{", "OPTIONAL {", "FILTER NOT EXISTS {"])
def test_a_text_that_is_nested_too_deeply_is_refused(opening):
    with pytest.raises(QueryError, match="nested too deeply"):
        read("ASK { " + opening * 5000 + "}" * 5001)


# -- words of stream languages --------------------------------------------------------------------------


CLAUSES = ("prefix", "base", "register", "window_block", "stream_block", "stream", "string", "nil")


def clauses(text):
    """The clauses of a text, in order, without its words."""
    return [str(part.data) for part in all_subtrees(parse(QueryText(text)), *CLAUSES)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("SELECT * { ?x a ?c }", []),
        ("PREFIX a: <urn:a> BASE <urn:b> ASK {}", ["prefix", "base"]),
        ("ASK { { } ( ( ) ) }", ["nil"]),
        ("REGISTER QUERY q AS PREFIX a: <urn:a> ASK { }", ["register", "prefix"]),
        ("ASK { WINDOW ?w { } }", ["window_block"]),
        ("ASK { WINDOW:w WINDOW: ?x . window-s:a ?y WINDOW.s:b }", []),
        ("ASK { ?x ?y 'WINDOW <w> {' # WINDOW <w> {\n }", ["string"]),
        ('ASK { """"WINDOW"" \\" <w> {""" ?x \'\'\'{\'\'\' }', ["string", "string"]),
    ],
)
def test_only_a_keyword_where_one_can_stand_is_one(text, found):
    assert clauses(text) == found


def test_threads_read_at_once():
    texts = [
        f"SELECT * FROM STREAM <s{each}> [RANGE {each + 1}s STEP 1s] {{ ?x a ?c }}" for each in range(40)
    ]
    found = {}

    def read(each):
        found[each] = parse(QueryText(texts[each]))

    threads = [threading.Thread(target=read, args=(each,)) for each in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {each: parse(QueryText(text)) for each, text in enumerate(texts)}


@pytest.mark.parametrize("name", ["?é", "$größe", "?x\u0300", "ü:ö", "a:😀", "_:b·c", ":日本"])
def test_names_have_the_characters_of_the_specification(name):
    parse(QueryText(f"PREFIX ü: <urn:u> ASK {{ ?s ?p {name} }}"))


@pytest.mark.parametrize(
    ("name", "column"),
    [("?x→y", 15), ("?\u0300x", 14), ("a:\u2040", 15), ("a:b\u3000", 16), ("_:b\ue000", 16)],
)
def test_other_characters_in_names_are_refused_with_their_place(name, column):
    with pytest.raises(QueryTextError, match="unexpected") as raised:
        parse(QueryText(f"ASK {{ ?s ?p {name} }}"))
    assert raised.value.column == column
