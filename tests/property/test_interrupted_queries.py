"""Registered queries are in step with the window, wherever a step was interrupted: what they answer is what a
query asked now answers, and what came and went since adds up to it.
"""

from collections import Counter
from functools import partial

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from counts import some
from interrupting import interrupted

EX = "http://example.org/"
HEAD = f"PREFIX : <{EX}> "
QUERIES = {
    "pattern": ({}, "SELECT ?x ?v { ?x a :A ; :v ?v }"),
    "group": ({}, "SELECT ?x (SUM(?v) AS ?s) { ?x :v ?v } GROUP BY ?x"),
    "optional": (
        {},
        "SELECT ?x ?w { ?x a :A OPTIONAL { ?x :v ?v BIND(?v * 2.5 AS ?w) } MINUS { ?x :in :lab } }",
    ),
    "path": ({}, "SELECT ?x { ?x :in+ :house } ORDER BY ?x LIMIT 2"),
    "window": ({"window": pr.Window(1)}, "SELECT ?x { ?x a :A }"),
}


def in_the_house(file):
    return "/pantarhei/query/" in file or "/pantarhei/registrar" in file or "/pantarhei/engine/" in file


def ex(name):
    return URIRef(EX + name)


def reasoner_of():
    data = f"@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A owl:disjointWith :B ."
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph().parse(data=data)), pr.Window(range=2))
    for name, (options, text) in QUERIES.items():
        reasoner.register(HEAD + text, name=name, **options)
    for at in (1, 2):
        reasoner.push(at, readings(at))
    return reasoner


def readings(at):
    x = ex(f"x{at}")
    return [
        (x, RDF.type, ex("A")),
        (x, ex("v"), Literal(at)),
        (
            x,
            ex("v"),
            Literal(f"{at}.0", datatype="http://www.w3.org/2001/XMLSchema#decimal", normalize=False),
        ),
        (x, ex("in"), ex("lab" if at % 2 else "hall")),
        (ex("lab"), ex("in"), ex("house")),
    ]


STEPS = {
    "a push": lambda reasoner: reasoner.push(4, [*readings(4), (ex("x2"), RDF.type, ex("B"))]),
    "a further part": lambda reasoner: reasoner.push(2, [*readings(3), (ex("x2"), RDF.type, ex("B"))]),
    "time": lambda reasoner: reasoner.advance(4),
}


def answers(reasoner):
    return {name: Counter(dict(query.answers)) for name, query in reasoner.queries.items()}


def asked(reasoner):
    return {
        name: Counter(reasoner.query(HEAD + text).rows)
        for name, (options, text) in QUERIES.items()
        if not options
    }


def go_on(reasoner):
    """What further steps change."""
    said = []
    for at in (5, 5, 7):
        update = reasoner.push(at, readings(at + len(said)))
        said.append({q.name: (update.answers[q].added, update.answers[q].removed) for q in update.answers})
    return said, answers(reasoner)


@pytest.mark.parametrize("step", some(STEPS, ["a push"]))
def test_a_step_interrupted_at_any_line_leaves_queries_in_step(step):
    steady = reasoner_of()
    before = answers(steady)
    STEPS[step](steady)
    after = answers(steady)
    further = go_on(steady)
    shaken, nth, going = reasoner_of(), 0, True
    while going:
        nth += 3
        going = interrupted(partial(STEPS[step], shaken), nth, in_the_house)
        found = answers(shaken)
        assert found in (before, after), nth
        assert {name: found[name] for name in asked(shaken)} == asked(shaken), nth
        if not going or found == after:
            assert go_on(shaken) == further, nth
            shaken = reasoner_of()
