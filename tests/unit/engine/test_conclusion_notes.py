"""What has come and gone is kept for who asks, and no longer."""

import pytest
from rdflib import RDF, Graph, Namespace

import pantarhei as pr
from pantarhei.engine import conclusion_notes
from pantarhei.temporal.conclusion_sets import concluded_triples

EX = Namespace("http://example.org/")
ONTOLOGY = pr.load_ontology(Graph())


def reasoner_with(text):
    rules = pr.load_rules(text + "\n", prefixes={"": str(EX)})
    return pr.StreamReasoner(ONTOLOGY, pr.Window(range=0), temporal=rules)


def is_a(*names):
    return [(EX.v, RDF.type, EX[name]) for name in names]


def test_conclusions_asked_for_again_are_those_of_now():
    reasoner = reasoner_with("a(X) :- asserted :Hot(X) in [1]. b(X) :- :Cold(X) in [1]. n.")
    asked = frozenset()
    for tick, given in enumerate(["Hot", "Cold", "", "Hot", "", "", "Cold"]):
        change = reasoner.push(tick, is_a(*given.split())).conclusions
        asked, before = reasoner.conclusions(), asked
        assert asked == before - change.removed | change.added
        assert asked == frozenset(concluded_triples(reasoner.atoms()))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
        reasoner.push(9, is_a("Hot"))
        assert reasoner.conclusions() != asked
        raise ZeroDivisionError
    assert reasoner.conclusions() == asked


def test_conclusions_that_nobody_asks_for_again_are_not_kept():
    reasoner = reasoner_with("a(X) :- asserted :Hot(X) in [1].")
    reasoner.conclusions()
    for tick in range(3 * conclusion_notes._FEW):
        reasoner.push(tick, [(EX[f"x{tick}"], RDF.type, EX.Hot)])
    assert len(reasoner._held._concluding._notes._unknown) <= conclusion_notes._FEW + 2
    assert len(reasoner.conclusions()) == 2
