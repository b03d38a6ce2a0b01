"""What looking back costs, in words."""

import pytest
from rdflib import Graph, Namespace

import pantarhei as pr
from pantarhei.temporal.window_rewrites import FormulaCosts

EX = Namespace("http://example.org/")
CONCLUDED = "c(X) :- b(X). r(X) :- b(X). remember r. d(X) at T :- b(X) at T in [1]. remember d."


@pytest.mark.parametrize(
    ("condition", "cost"),
    [
        ("b(X) in [5]", "a row a fact, when it comes and when it goes; nothing as ticks pass"),
        ("not b(X) in [5]", "a row a fact, when it comes and when it goes; nothing as ticks pass"),
        ("asserted b(X) in [5]", "a row an event; nothing as ticks pass"),
        ("b(X) always in [5]", "a run a fact: when it begins, is long enough, and ends; nothing in between"),
        ("r(X) always in [5]", "a run a fact: when it begins, is long enough, and ends; nothing in between"),
        ("c(X) always in [5]", "a row a fact at each tick that it holds"),
        ("d(X) always in [5]", "a row a fact at each tick that it holds"),
        ("asserted b(X) always in [5]", "a look at what is asserted, at each tick"),
        ("asserted c(X) always in [5]", "a look at what is asserted, at each tick"),
        ("b(X) at least 2 times in [5]", "a queue of arrivals: what enters and what leaves"),
        ("r(X) at least 2 times in [5]", "a row a fact at each tick that it holds"),
        ("b(X) in [3 #]", "a queue of the last assertions: what enters and what leaves"),
        ("b(X) at T in [5]", "a row a fact at each tick that it holds"),
        ("asserted b(X) at T in [5]", "a row an event"),
        ("asserted b(X) at 3", "a row an event; all that was said is kept"),
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
    assert FormulaCosts(rules.rules, (), ontology.rules).of(formula).startswith("a row a fact at each tick")
