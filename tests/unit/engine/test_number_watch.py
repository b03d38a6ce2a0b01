"""Numbers that never meet are told at first sight, with the way out."""

from __future__ import annotations

import pickle
import warnings

import pytest
from rdflib import XSD, Graph, Literal, Namespace

from pantarhei import (
    DynamicGraph,
    LateABoxError,
    MemoryLimitError,
    NumbersApartWarning,
    StreamReasoner,
    Window,
    load_ontology,
)
from pantarhei.engine.number_watch import conditions_on_numbers

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:celsius a owl:DatatypeProperty . :count a owl:DatatypeProperty .
"""
FACET = """
[ a owl:Restriction ; owl:onProperty :celsius ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype %s ;
  owl:withRestrictions ( [ xsd:minInclusive "80"^^%s ] ) ] ] rdfs:subClassOf :Hot .
"""
DECIMALS, DOUBLES = FACET % ("xsd:decimal", "xsd:integer"), FACET % ("xsd:double", "xsd:double")
VALUE = "[ a owl:Restriction ; owl:onProperty :celsius ; owl:hasValue 80 ] rdfs:subClassOf :Hot ."
BELOW = ":oven rdfs:subPropertyOf :reading . :reading rdfs:subPropertyOf :celsius ."


def ontology(text=DECIMALS):
    return load_ontology(Graph().parse(data=PREFIXES + text))


def says(value, of=EX.celsius):
    return (EX.x, of, value if isinstance(value, Literal) else Literal(value))


def watched(text=DECIMALS, **options):
    return StreamReasoner(ontology(text), Window(5), **options)


@pytest.mark.parametrize("text", [DECIMALS, VALUE, DECIMALS + BELOW])
@pytest.mark.parametrize("datatype", [XSD.double, XSD.float])
def test_a_double_that_meets_no_condition_is_warned_of_once(text, datatype):
    reasoner = watched(text)
    of = EX.oven if BELOW in text else EX.celsius
    with pytest.warns(NumbersApartWarning, match=r'meets no condition .* of decimals; .*numbers="by_value"'):
        reasoner.push(1, [says(Literal("85.5", datatype=datatype), of)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(2, [says(Literal("86.5", datatype=datatype), of)])
    (found,) = reasoner.unexpected().numbers
    assert (found.property, str(found.value), found.other) == (of, "85.5", None)
    assert reasoner.stats().apart == 1


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
@pytest.mark.parametrize("known", [False, True])
def test_what_was_seen_in_a_step_that_is_undone_is_seen_anew(known):
    reasoner = watched("")
    reasoner.push(1, [says(86)] if known else [])
    for stop in (lambda: reasoner.push(0, []), lambda: 1 / 0):  # a step that fails by itself, and a block
        with pytest.raises((ArithmeticError, LateABoxError)), reasoner.all_or_nothing():
            reasoner.push(2, [says(85.5), says(86)])
            stop()
        assert not reasoner.unexpected().numbers
    reasoner.push(2, [says(85.5)])
    assert bool(reasoner.unexpected().numbers) == known
    reasoner.push(3, [says(86)])
    assert len(reasoner.unexpected().numbers) == 1


def test_what_a_push_that_fails_has_seen_is_seen_anew():
    reasoner = watched(max_facts=2)
    with pytest.raises(MemoryLimitError), pytest.warns(NumbersApartWarning):
        reasoner.push(1, [says(85.5), says("a", EX.b), says("b", EX.b)])
    assert not reasoner.unexpected().numbers
    with pytest.warns(NumbersApartWarning):
        reasoner.push(1, [says(85.5)])
    assert len(reasoner.unexpected().numbers) == 1


def test_a_decimal_that_meets_no_condition_of_doubles_is_warned_of_too():
    reasoner = watched(DOUBLES)
    with pytest.warns(NumbersApartWarning, match="these are of xsd:double or xsd:float"):
        reasoner.push(1, [says(85)])


CODES = """
[ a owl:Restriction ; owl:onProperty :celsius ; owl:hasValue "hot" ] rdfs:subClassOf :Hot .
"""


@pytest.mark.parametrize("text", [DECIMALS, DOUBLES, VALUE])
@pytest.mark.parametrize("value", [Literal("85.5"), Literal(" 8E1 ", datatype=XSD.string)])
def test_a_text_that_reads_as_a_number_is_warned_of_once(text, value):
    reasoner = watched(text)
    with pytest.warns(NumbersApartWarning, match=r"has the text .* of numbers; .* such as xsd:decimal"):
        reasoner.push(1, [says(value)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(2, [says("86.5")])
    (found,) = reasoner.unexpected().numbers
    assert found.is_text() and found.property == EX.celsius and reasoner.stats().apart == 1
    (line,) = reasoner.unexpected().lines()
    assert line.startswith("numbers that are texts, for want of a datatype: celsius has the text ")
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology(text))
    assert str(restored.unexpected()) == str(reasoner.unexpected()).replace("^^xsd:string", "")


@pytest.mark.parametrize("text", ["", CODES, CODES + DECIMALS])
def test_a_text_is_not_spoken_of_where_conditions_take_texts_or_none_is_of_numbers(text):
    reasoner = watched(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(1, [says("85"), says(Literal("86", lang="en")), says("87", EX["count"]), says(88)])
    assert not reasoner.unexpected().numbers


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
def test_a_double_and_a_text_are_told_of_both():
    reasoner = watched()
    reasoner.push(1, [says("85"), says(85.5)])
    assert sorted(found.is_text() for found in reasoner.unexpected().numbers) == [False, True]
    assert len(list(reasoner.unexpected().lines())) == 2


def test_values_of_both_kinds_are_warned_of():
    reasoner = watched()
    reasoner.push(1, [says(3.5, EX["count"])])
    said = r'count has the values "3.5"\^\^xsd:double and "4"\^\^xsd:integer, which never equal one another'
    with pytest.warns(NumbersApartWarning, match=said):
        reasoner.push(2, [says(4, EX["count"]), says(4, EX["count"])])
    assert "numbers that never meet" in str(reasoner.unexpected())


@pytest.mark.parametrize(
    "pushed",
    [
        [says(85), says(Literal("85.5", datatype=XSD.decimal))],
        [says(1.5, EX["count"]), says(85)],
        [says("warm"), says(Literal(True))],
        [says(Literal("x", datatype=XSD.date))],
    ],
)
def test_numbers_that_can_meet_are_not_spoken_of(pushed):
    reasoner = watched()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(1, pushed)
        reasoner.push(2, pushed)
    assert not reasoner.unexpected().numbers


def test_conditions_of_both_kinds_take_both():
    reasoner = watched(DECIMALS + DOUBLES)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(1, [says(85.5), says(85)])


def test_by_value_there_is_nothing_to_say():
    reasoner = watched(numbers="by_value")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(1, [says(85.5), says(85)])
    assert reasoner.stats().apart == 0


def test_a_graph_without_time_tells_the_same():
    graph = DynamicGraph(ontology())
    with pytest.warns(NumbersApartWarning):
        graph.change(insert=[says(85.5)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hot = DynamicGraph(ontology(), numbers="by_value")
        hot.change(insert=[says(85.5)])
    assert len(hot.materialization()) == 2


def test_the_conditions_on_a_property_are_found_through_what_follows_from_it():
    found = conditions_on_numbers(ontology(DECIMALS + BELOW).rules)
    assert found == {EX.celsius: 1, EX.reading: 1, EX.oven: 1}


def test_the_warning_pickles():
    assert str(pickle.loads(pickle.dumps(NumbersApartWarning("a")))) == str(NumbersApartWarning("a"))


@pytest.mark.parametrize("text", ["", DECIMALS, DOUBLES])
def test_a_restored_reasoner_knows_the_kinds_that_were_seen_before(text):
    whole = watched(text)
    whole.push(1, [says(3, EX["count"])])
    restored = StreamReasoner.restore(whole.snapshot(), ontology(text))
    for reasoner in (whole, restored):
        with pytest.warns(NumbersApartWarning, match='values "3".* and "4.5"'):
            reasoner.push(9, [says(4.5, EX["count"])])  # 3 has left the window
        reasoner.push(10, [says(5, EX["count"])])
    (found,) = restored.unexpected().numbers
    assert (found,) == whole.unexpected().numbers
    assert restored.unexpected().seen == whole.unexpected().seen
