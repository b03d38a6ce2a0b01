"""Why rules do not conclude something: the first part of the body that is not met, where most of it is."""

import json

import pytest
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr

EX = Namespace("http://example.org/")
NO_AXIOMS = pr.load_ontology(Graph())
ALARMED = (EX.v, RDF.type, EX.alarmed)


def reasoner_after(text, *pushed):
    """A reasoner with rules, which has been told of classes of v at 0, 1, and so on."""
    rules = pr.load_rules(f"{text}\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=rules)
    for tick, names in enumerate(pushed):
        reasoner.push(tick, [(EX.v, RDF.type, EX[name]) for name in names.split()])
    return reasoner


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (":Heated(X) always in [2]", ["always from 1 to 3: v is heated", "it was so at 1, 3"]),
        (":Jammed(X) in [2], :Heated(X)", ["sometime from 1 to 3: v is jammed", "it was never so"]),
        (
            "asserted :Heated(X) at least 3 times in [2]",
            ["at least 3 times asserted from 1 to 3: v is heated", "it was so at 1, 3"],
        ),
        (
            ":Heated(X), not :Served(X) in [2]",
            ["never from 1 to 3: v is served", "it was so at 2"],
        ),
        (":Heated(X) at T in [3], T > 4", ["T > 4, where T = 3, X = v"]),
        (":Heated(X), :near(X, Y)", ["at 3: near(v, Y)", "it was never so"]),
    ],
)
def test_the_part_that_is_not_met_is_told_with_what_there_is_of_it(body, told):
    reasoner = reasoner_after(f"alarmed(X) :- {body}.", "Heated", "Heated", "Served", "Heated")
    absence = reasoner.why_not(ALARMED)
    lines = str(absence).splitlines()
    assert lines[0] == "It does not hold at 3 that v is alarmed."
    assert lines[1].startswith("By alarmed(X) :- ")
    condition, *times = told
    assert lines[2:] == [f"  it would be concluded if {condition}", *(f"  {each}" for each in times)]
    assert json.loads(json.dumps(absence.to_json()))["temporal"][0]["rule"] == "temporal-1"


def test_the_way_that_comes_furthest_is_told():
    text = "alarmed(X) :- asserted :on(X, P), :Heated(P) in [9], :Jammed(P) in [9]."
    reasoner = reasoner_after(text, "", "")
    reasoner.push(3, [(EX.v, EX.on, EX.a), (EX.v, EX.on, EX.b), (EX.b, RDF.type, EX.Heated)])
    (found,) = reasoner.why_not(ALARMED).temporal
    assert dict(found.bindings)[next(name for name, _ in found.bindings if str(name) == "P")] == EX.b
    assert found.lacking.atom.triple == (EX.b, RDF.type, EX.Jammed)


def test_each_rule_that_concludes_such_facts_is_told_and_no_other():
    text = "alarmed(X) :- :Heated(X).\nalarmed(X) :- :Jammed(X).\nother(X) :- :Jammed(X)."
    reasoner = reasoner_after(text, "")
    assert [each.rule.name for each in reasoner.why_not(ALARMED).temporal] == ["temporal-1", "temporal-2"]
    assert reasoner.why_not((EX.v, RDF.type, EX.Heated)).temporal == ()


def test_what_is_concluded_is_no_absence_and_its_name_is_known():
    reasoner = reasoner_after("alarmed(X) :- :Heated(X).", "Heated")
    with pytest.raises(pr.EntailedError):
        reasoner.why_not(ALARMED)
    absence = reasoner.why_not((EX.w, RDF.type, EX.alarmed))
    assert EX.alarmed not in {each.name for each in absence.unknown}


def test_looking_leaves_no_trace():
    reasoner = reasoner_after("alarmed(X) :- :temp(X, T), T > 100, U = T + 1, U < 7.", "Heated")
    reasoner.push(1, [(EX.v, EX.temp, Literal(120))])
    before = reasoner.stats()
    (found,) = reasoner.why_not(ALARMED).temporal
    assert found.lacking == "U < 7" and reasoner.stats() == before
