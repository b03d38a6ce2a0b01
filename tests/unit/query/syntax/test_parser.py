"""Threads ask at once: none breaks the parser for the others, and none sees another's answers."""

import subprocess
import sys

import pytest
import rdflib.plugins.sparql.parser
from rdflib import Graph, Literal, URIRef

from oracle.answers import answers
from pantarhei.errors import QueryError
from pantarhei.query import run_query
from pantarhei.query.syntax import read_query
from pantarhei.query.syntax.parser import parse_query

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


def test_a_parser_of_rdflib_that_others_broke_is_not_used(monkeypatch):
    def broken(*_, **__):
        raise TypeError("<lambda>() missing 1 required positional argument: 'x'")

    monkeypatch.setattr(rdflib.plugins.sparql.parser.Query, "parse_string", broken)
    assert run_query(Graph(), "ASK { FILTER(1 + 1 = 2) }").askAnswer


def test_literals_keep_their_form_and_an_inverse_in_a_negated_set_stays_one():
    tree = parse_query('SELECT * { ?x !(^a) 01, "x"^^<urn:t> }')[1]
    text = repr(tree)
    assert "InversePath" in text and "'01'" in text and "urn:t" in text


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
