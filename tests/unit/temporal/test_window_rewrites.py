"""What looking back costs, in words."""

import pytest
from rdflib import Graph, Namespace

import pantarhei as pr
from pantarhei.temporal.window_rewrites import FormulaCosts

EX = Namespace("http://example.org/")
RUN = "a run per fact: work when it begins, is long enough, and ends; none in between"
CONCLUDED = "c(X) :- b(X). r(X) :- b(X). remember r. d(X) at T :- b(X) at T in [1]. remember d."


@pytest.mark.parametrize(
    ("condition", "cost"),
    [
        ("b(X) in [5]", "a row per fact: work when it begins and ends; none as ticks pass"),
        ("not b(X) in [5]", "a row per fact: work when it begins and ends; none as ticks pass"),
        ("asserted b(X) in [5]", "a row per event; no work as ticks pass"),
        ("b(X) always in [5]", RUN),
        ("r(X) always in [5]", RUN),
        ("c(X) always in [5]", "a row per fact and tick at which it holds"),
        ("d(X) always in [5]", "a row per fact and tick at which it holds"),
        ("asserted b(X) always in [5]", "a check of the assertions at each tick"),
        ("asserted c(X) always in [5]", "a check of the assertions at each tick"),
        ("b(X) at least 2 times in [5]", "a queue of arrivals: work when one enters or leaves"),
        ("r(X) at least 2 times in [5]", "a row per fact and tick at which it holds"),
        ("b(X) in [3 #]", "a queue of the last assertions: work when one enters or leaves"),
        ("b(X) at T in [5]", "a row per fact and tick at which it holds"),
        ("asserted b(X) at T in [5]", "a row per event"),
        ("asserted b(X) at 3", "a row per event; the whole history is kept"),
    ],
)
def test_a_formula_costs(condition, cost):
    rules = pr.load_rules(f"{CONCLUDED} a(X) :- b(X), {condition}.", prefixes={"": str(EX)})
    assert FormulaCosts(rules.rules, rules.remembered).of(rules.rules[-1].body[-1]) == cost


def test_what_the_ontology_concludes_is_concluded():
    turtle = "ex:Hot <http://www.w3.org/2000/01/rdf-schema#subClassOf> ex:Odd ."
    ontology = pr.load_ontology(Graph().parse(data=f"@prefix ex: <{EX}> . {turtle}"))
    rules = pr.load_rules(":Hot(X) :- b(X). a(X) :- :Odd(X) at least 2 times in [5].", prefixes={"": str(EX)})
    formula = rules.rules[1].body[0]
    assert FormulaCosts(rules.rules, ()).of(formula).startswith("a queue")
    assert FormulaCosts(rules.rules, (), ontology.rules).of(formula).startswith("a row per fact and tick")
