"""Rules without strata beside a reasoner: what is said to them, and what is refused."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from counts import cases
from pantarhei.errors import OptionError, TemporalRuleError
from pantarhei.temporal import answer_sets

EX = Namespace("http://example.org/")
ONTOLOGY = pr.load_ontology(
    Graph().parse(
        data="""
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :Hot owl:disjointWith :Cold . :Hot rdfs:subClassOf :Odd . :Cold rdfs:subClassOf :Odd ."""
    )
)
CHOICE = """
    open(X) :- :Odd(X) always in [1], not shut(X).
    shut(X) :- :Odd(X) always in [1], not open(X).
"""


def asking(text, window=None, **options):
    reasoner = pr.StreamReasoner(ONTOLOGY, window or pr.Window(range=2))
    return reasoner, pr.AnswerStreams(reasoner, text + "\n", prefixes={"": str(EX)}, **options)


def is_a(*names, of="v"):
    return [(EX[of], RDF.type, EX[name]) for name in names]


def names(answers):
    return [" ".join(sorted(str(atom).replace(str(EX), "") for atom in each.atoms)) for each in answers]


def test_what_is_negated_in_a_circle_has_several_answer_streams():
    pytest.importorskip("clingo", reason="the extra clingo is not installed")
    reasoner, asked = asking(CHOICE)
    assert asked.models() == ()
    reasoner.push(1, is_a("Hot"))
    assert names(asked.models()) == [""]
    reasoner.push(2, is_a("Cold"))  # the repair takes Hot out, and at 1 it was said
    assert names(asked.models()) == ["open(v)", "shut(v)"]
    assert len(asked.models(1)) == 1
    reasoner.push(3, is_a("Hot", of="w"))
    reasoner.push(4, is_a("Hot", of="w"))
    both = ["open(v) open(w)", "open(v) shut(w)", "open(w) shut(v)", "shut(v) shut(w)"]
    assert sorted(names(asked.models())) == sorted(both)


def test_rules_can_have_no_answer_stream():
    pytest.importorskip("clingo", reason="the extra clingo is not installed")
    reasoner, asked = asking("on(X) :- :Hot(X), not on(X).")
    reasoner.push(1, is_a("Cold"))
    assert names(asked.models()) == [""]
    reasoner.push(2, is_a("Hot", of="w"))
    assert asked.models() == ()


def test_conclusions_at_other_ticks_are_told_with_their_time():
    pytest.importorskip("clingo", reason="the extra clingo is not installed")
    reasoner, asked = asking("on(X) at T :- asserted :Hot(X) at T in [2], not :Odd(:w).", start=0)
    reasoner.push(1, is_a("Hot"))
    reasoner.push(2, [])
    (answer,) = asked.models()
    assert not answer.atoms
    assert {(at, atom.predicate, *atom.arguments) for at, atom in answer.elsewhere} == {(1, EX.on, EX.v)}


def test_data_is_numbers_to_clingo():
    pytest.importorskip("clingo", reason="the extra clingo is not installed")
    reasoner, asked = asking("on(X) :- :says(X, Y), not off(X).\noff(X) :- :says(X, Y), not on(X).")
    texts = ['"). p0(1,0). :-', "#script (python) import os #end.", "\\", "%*", "a.\n:- not b."]
    facts = [(EX[f"x).%0a:-{number}"], EX.says, Literal(text)) for number, text in enumerate(texts)]
    reasoner.push(1, facts[:3])
    assert len(asked.models()) == 8
    said, ticks = asked._recorder.recorded, asked._recorder.ticks
    program = answer_sets.AspProgram(asked.rules, said, ticks).text
    assert set(program) <= set("p0123456789qVKLR(),.:;-<=># \nshownt/") and len(facts) == 5


def test_clingo_that_is_missing_is_told_of(monkeypatch):
    def missing(name):
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(answer_sets, "import_module", missing)
    reasoner, asked = asking(CHOICE)
    reasoner.push(1, is_a("Hot"))
    with pytest.raises(pr.ClingoNotFoundError, match=r"No module named 'clingo'.*pip install 'pantarhei\[cl"):
        asked.models()


def test_what_has_no_answer_streams_is_refused():
    for text, said in (
        ("remember on.\non(X) :- :Hot(X).", "on is remembered"),
        (":Odd(X) :- :Hot(X).", "Odd is concluded, but belongs to the ontology"),
        ("on(X) :- not :Hot(X).", "is not bound"),
        ("on(X) in [3] :- :Hot(X).", "a head"),
    ):
        with pytest.raises(TemporalRuleError, match=said):
            asking(text)
    reasoner, asked = asking(CHOICE)
    with pytest.raises(OptionError, match="a name that no other"):
        pr.AnswerStreams(reasoner, asked.rules)
    for most in (-1, True, "2"):
        with pytest.raises(OptionError, match="most="):
            asked.models(most)
    reasoner = pr.StreamReasoner(ONTOLOGY, pr.Window(range=2))
    reasoner.push(1, [])
    with pytest.raises(OptionError, match=r"reasoner=.*expected a reasoner before its first push"):
        pr.AnswerStreams(reasoner, asked.rules)
    with pytest.raises(OptionError, match="rules="):
        pr.AnswerStreams(pr.StreamReasoner(ONTOLOGY, pr.Window(range=2)), ["on(X) :- :Hot(X)."])
    loaded = pr.load_rules("on(X) :- hot(X).", prefixes={"": "http://example.org/"})
    with pytest.raises(OptionError, match="such as the"):
        pr.AnswerStreams(pr.StreamReasoner(ONTOLOGY, pr.Window(range=2)), loaded)
    assert (
        pr.AnswerStreams(pr.StreamReasoner(ONTOLOGY, pr.Window(range=2)), loaded.rules).rules == loaded.rules
    )


STRATIFIED = """
    a(X) :- :Odd(X) always in [2], not asserted :Hot(X) in [3].
    b(X) :- asserted :Cold(X) at least 2 times in [4].
    c(X) :- asserted :Hot(X) in [3 #], not a(X).
    d(X) at T :- :Cold(X) at T in [2], :Hot(X) in [5].
    e(X) :- d(X) in [2], b(X).
"""


@settings(max_examples=cases(5, 60), deadline=None)
@given(seed=st.integers(0, 1 << 30))
def test_rules_with_strata_have_the_answer_stream_that_a_reasoner_concludes(seed):
    pytest.importorskip("clingo", reason="the extra clingo is not installed")
    rnd = random.Random(seed)
    slide = rnd.choice((1, 2))
    window = pr.Window(range=rnd.randint(slide - 1, 4), slide=slide)
    rules = pr.load_rules(STRATIFIED, prefixes={"": str(EX)})
    concluding = pr.StreamReasoner(ONTOLOGY, window, temporal=rules)
    reasoner = pr.StreamReasoner(ONTOLOGY, window)
    asked, at = pr.AnswerStreams(reasoner, rules.rules), 0
    for _ in range(8):
        for _ in range(rnd.choice((1, 1, 2))):
            facts = [fact for of in "vw" for fact in is_a(rnd.choice(("Hot", "Cold", "Odd")), of=of)]
            facts = rnd.sample(facts, rnd.randint(0, 2))
            with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing():
                reasoner.push(at + rnd.randint(0, 3), is_a("Hot", of="u"))
                raise ZeroDivisionError
            concluding.push(at, facts)
            reasoner.push(at, facts)
            (answer,) = asked.models()
            assert answer.atoms == concluding.atoms(), f"at {at}"
        at += rnd.choice((0, 1, 1, 2, 7))
