"""Why rules do not conclude something: the first part of the body that is not met, where most of it is."""

import json
import pickle

import pytest
from rdflib import RDF, Graph, Literal, Namespace, Variable

import pantarhei as pr
from pantarhei.model.temporal_rule import TemporalAtom

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
        (
            ":Jammed(X) in [2], :Heated(X)",
            ["sometime from 1 to 3: v is jammed", "it was never so in that time"],
        ),
        (
            "asserted :Heated(X) at least 3 times in [2]",
            ["at least 3 times asserted from 1 to 3: v is heated", "it was so at 1, 3"],
        ),
        (
            ":Heated(X), not :Served(X) in [2]",
            ["never from 1 to 3: v is served", "it was so at 2"],
        ),
        (":Heated(X) at T in [3], T > 4", ["T > 4, where T = 3, X = v"]),
        (":Heated(X), :near(X, Y)", ["at 3: near(v, Y)", "it is not so"]),
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


def test_what_was_so_and_is_not_now_is_told_as_that():
    reasoner = reasoner_after("alarmed(X) :- asserted :Heated(X), asserted :Jammed(X).", "Heated", "", "")
    lines = str(reasoner.why_not(ALARMED)).splitlines()
    assert lines[2:] == ["  it would be concluded if asserted at 2: v is heated", "  it is not so"]


@pytest.mark.parametrize(
    ("predicate", "arguments", "told"),
    [
        ("alarmed", (EX.v,), "at 1: v is jammed"),
        ("between", (EX.v, EX.a, EX.b), "at 1: b is near v"),
        ("on", (), "at 1: alarmed(X)"),
        ("level", (Literal(7),), "at 1: reads(X, 7)"),
    ],
)
def test_of_an_atom_it_is_told_too(predicate, arguments, told):
    rules = "alarmed(X) :- :Jammed(X). between(X, Y, Z) :- :near(X, Y), :near(Z, X)."
    reasoner = reasoner_after(f"{rules} on :- alarmed(X). level(N) :- :reads(X, N).", "Heated", "Heated")
    reasoner.push(1, [(EX.v, EX.near, EX.a)])
    absence = reasoner.why_not(TemporalAtom(EX[predicate], arguments))
    assert len(absence.temporal) == 1
    assert f"it would be concluded if {told}" in str(absence)
    assert pickle.loads(pickle.dumps(absence)) == absence
    is_triple = predicate == "alarmed"
    assert (absence.triple is not None, absence.atom is None) == (is_triple, is_triple)
    assert json.loads(json.dumps(absence.to_json())).get("atom") == (None if is_triple else str(absence.atom))


def test_an_atom_that_is_concluded_is_no_absence_and_one_with_variables_is_none():
    reasoner = reasoner_after("on :- :Heated(X).", "Heated")
    with pytest.raises(pr.EntailedError, match="on"):
        reasoner.why_not(TemporalAtom(EX.on))
    with pytest.raises(pr.InvalidTripleError, match="without variables"):
        reasoner.why_not(TemporalAtom(EX.on, (Variable("X"),)))
    assert "No rule concludes it" in str(reasoner.why_not(TemporalAtom(EX.off)))
