"""Registered queries are in step with the window, wherever a step was interrupted: what they answer is what a
query asked now answers, and what came and went since adds up to it.
"""

from collections import Counter
from functools import partial

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from counts import cases, some
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
    return "/pantarhei/query/" in file or "/pantarhei/engine/" in file


def where_queries_are_kept_up(file):
    return "/pantarhei/query/incremental/" in file or "/pantarhei/engine/" in file


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
        nth += cases(7, 3)
        going = interrupted(partial(STEPS[step], shaken), nth, in_the_house)
        found = answers(shaken)
        assert found in (before, after), nth
        assert {name: found[name] for name in asked(shaken)} == asked(shaken), nth
        if not going or found == after:
            assert go_on(shaken) == further, nth
            shaken = reasoner_of()


def test_what_waits_for_queries_is_kept_though_a_registration_is_interrupted():
    reasoner, at, nth, going = reasoner_of(), 2, 0, True
    while going:
        nth, at = nth + 5, at + 1
        reasoner.push(at, readings(at))  # nobody looks at the answers: what came waits
        register = partial(reasoner.register, HEAD + "SELECT ?y { ?y :in :house }", name="new")
        going = interrupted(register, nth, where_queries_are_kept_up)
        if "new" in reasoner.queries:
            reasoner.queries["new"].close()
        found = answers(reasoner)
        assert {name: found[name] for name in asked(reasoner)} == asked(reasoner), nth


SHAPES = {"sums": "SELECT (SUM(?v) AS ?s) { ?x :in NAME ; :v ?v }", "rows": "SELECT ?x { ?x :in NAME }"}
REGISTERED = {
    **{name: (options, HEAD + text) for name, (options, text) in QUERIES.items()},
    **{name: ({}, HEAD + text.replace("NAME", ":lab")) for name, text in SHAPES.items()},
    "closing": (
        {"on": "close", "emit": "rstream", "window": pr.Window(1, slide=1)},
        HEAD + QUERIES["pattern"][1],
    ),
    "asking": ({}, HEAD + "ASK { ?x :in :hall }"),
}


def kept_up(reasoner):
    """What is kept up: operators, patterns, contents, and queries, by count."""
    registry = reasoner._registrar._registry
    contents = list(registry._sources)
    bodies = [len(body.readers) for content in contents for body in content.patterns._bodies.values()]
    wanted = [len(leaf.parameter_values) for leaf in registry.network if hasattr(leaf, "parameter_values")]
    return len(list(registry.network)), sorted(bodies), sorted(wanted), len(contents), len(registry.queries)


@pytest.mark.parametrize("which", some(REGISTERED, ["pattern"]))
def test_a_query_whose_registration_is_interrupted_at_any_line_is_not_there(which):
    options, text = REGISTERED[which]
    fresh = reasoner_of()
    for name, shape in SHAPES.items():
        fresh.register(HEAD + shape.replace("NAME", ":hall"), name=name)
    before, present = kept_up(fresh), answers(fresh)
    nth, going = 0, True
    while going:
        nth += 1
        going = interrupted(
            partial(fresh.register, text, name="new", **options), nth, where_queries_are_kept_up
        )
        if going and "new" not in fresh.queries:
            assert (kept_up(fresh), answers(fresh)) == (before, present), nth
        elif going:
            fresh.queries["new"].close()
    steady = reasoner_of()
    for name, shape in SHAPES.items():
        steady.register(HEAD + shape.replace("NAME", ":hall"), name=name)
    steady.register(text, name="new", **options)
    assert kept_up(fresh) == kept_up(steady)
    assert go_on(fresh) == go_on(steady)


@pytest.mark.parametrize("which", some(SHAPES, ["sums"]))
def test_a_query_whose_closing_is_interrupted_at_any_line_is_closed_by_trying_again(which):
    def registered():
        reasoner = reasoner_of()
        for name in ("lab", "hall"):
            reasoner.register(HEAD + SHAPES[which].replace("NAME", f":{name}"), name=name)
        return reasoner

    steady = registered()
    steady.queries["lab"].close()
    kept, further = kept_up(steady), go_on(steady)
    nth, going = 0, True
    while going:
        nth += cases(31, 3)
        shaken = registered()
        going = interrupted(shaken.queries["lab"].close, nth, where_queries_are_kept_up)
        if nth % 2 and "lab" in shaken.queries:
            shaken.queries["lab"].close()
        with shaken.all_or_nothing():  # as it ends, what a closed query has left behind is let go of
            pass
        if "lab" in shaken.queries:
            shaken.queries["lab"].close()
        assert kept_up(shaken) == kept, nth
        assert go_on(shaken) == further, nth
