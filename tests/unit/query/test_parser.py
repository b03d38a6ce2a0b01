"""Threads ask at once: none breaks the parser for the others, and none sees another's answers."""

import subprocess
import sys
import threading

import pytest
import rdflib.plugins.sparql.parser
from rdflib import RDF, Graph, Literal, Namespace

from pantarhei.query import run_query

EX = Namespace("http://example.org/")

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


def test_a_query_that_another_thread_asks_in_between_does_not_change_an_answer():
    """The second thread asks the same text of its own graph while the first evaluates a filter."""
    text = f"SELECT ?s {{ ?s a <{EX.Sensor}> FILTER(EXISTS {{ ?s <{EX.value}> ?v }} && ?s = <{EX.first}>) }}"

    def graph_of(sensor):
        return Graph().add((sensor, RDF.type, EX.Sensor)).add((sensor, EX.value, Literal(1)))

    class Interrupted(Graph):
        def triples(self, pattern):
            if pattern[1] == EX.value:
                other = threading.Thread(target=run_query, args=(graph_of(EX.second), text))
                other.start()
                other.join()
            yield from super().triples(pattern)

    answer = run_query(Interrupted().__iadd__(graph_of(EX.first)), text)
    assert [row.s for row in answer] == [EX.first]
