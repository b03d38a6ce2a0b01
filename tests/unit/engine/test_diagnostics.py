"""What a stream should not say: axioms, and names that nobody knows."""

from __future__ import annotations

import pickle
import warnings

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, Namespace, URIRef

from pantarhei import (
    AxiomsInStreamWarning,
    DynamicGraph,
    LateABoxError,
    MemoryLimitError,
    NumbersApartWarning,
    Ontology,
    StreamReasoner,
    Unexpected,
    Window,
    load_ontology,
)
from pantarhei.engine.diagnostics import conditions_on_numbers

EX, OTHER = Namespace("http://example.org/"), Namespace("http://example.org/other#")
ONTOLOGY = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Temperature_Sensor rdfs:subClassOf :Sensor . :note a owl:AnnotationProperty .
:isPartOf a owl:ObjectProperty .
"""
AXIOM = (EX.Own, RDFS.subClassOf, EX.Sensor)


def made(background=None, **options):
    return StreamReasoner(load_ontology(Graph().parse(data=ONTOLOGY)), Window(3), background, **options)


def test_an_axiom_in_a_stream_is_counted_each_time_and_warned_of_once():
    reasoner = made()
    with pytest.warns(AxiomsInStreamWarning, match=r"\(Own subClassOf Sensor\).*background"):
        reasoner.push(1, [AXIOM, (EX.x, RDF.type, EX.Own)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(2, [AXIOM, (EX.p, RDF.type, OWL.TransitiveProperty)])
    assert reasoner.stats().axioms == reasoner.unexpected().axioms == 3
    assert "3 assertions write axioms, from which nothing follows" in str(reasoner.unexpected())


def test_axioms_are_counted_in_tables_and_when_their_numbers_have_changed():
    reasoner = made()
    table = pa.table({"subject": ["<urn:A>"], "predicate": [f"<{RDFS.domain}>"], "object": ["<urn:B>"]})
    with pytest.warns(AxiomsInStreamWarning):
        reasoner.push(1, table)
    for at in range(2, 60):  # terms are forgotten meanwhile
        reasoner.push(at, [(EX[f"x{at}-{n}"], EX[f"p{at}"], EX.y) for n in range(300)])
    reasoner.push(60, table)
    assert reasoner.unexpected().axioms == 2


def test_equality_and_declarations_are_no_axioms():
    reasoner = made(unique_names=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(
            1, [(EX.x, OWL.sameAs, EX.y), (EX.x, OWL.differentFrom, EX.z), (EX.Own, RDF.type, OWL.Class)]
        )
    assert not reasoner.unexpected()


def test_a_warning_that_is_an_error_leaves_all_as_it_was():
    reasoner = made()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(AxiomsInStreamWarning):
                reasoner.push(1, [AXIOM])
    assert not reasoner.assertions() and not reasoner.unexpected()
    with pytest.warns(AxiomsInStreamWarning):
        assert reasoner.push(1, [AXIOM]).delta.added


def test_names_that_nobody_knows_are_told_with_the_nearest():
    reasoner = made([(EX.a, EX.feeds, EX.b), (EX.Only, EX.feeds, EX.b)])
    known = [
        (EX.x, RDF.type, EX.Sensor),
        (EX.x, EX.isPartOf, EX.y),
        (EX.x, EX.note, EX.y),
        (EX.x, EX.feeds, EX.y),
    ]
    known += [(EX.x, RDFS.label, Literal("x")), (EX.x, RDF.type, OWL.Thing), (EX.x, RDF.type, EX.Only)]
    reasoner.push(1, known)
    assert reasoner.stats().unknown == 0
    reasoner.push(2, [(EX.x, RDF.type, EX.Temprature_Sensor), (EX.x, EX.fedes, EX.y), (EX.x, EX.zzz, EX.y)])
    reasoner.push(3, [(EX.x, RDF.type, OTHER.Sensor), (EX.x, EX.zzz, EX.y)])
    assert reasoner.stats().unknown == 4
    found = reasoner.unexpected()
    assert [(each.name, each.kind) for each in found.unknown] == [
        (EX.Temprature_Sensor, "class"),
        (EX.fedes, "property"),
        (EX.zzz, "property"),
        (OTHER.Sensor, "class"),
    ]
    assert [each.nearest[:1] for each in found.unknown] == [
        (EX.Temperature_Sensor,),
        (EX.feeds,),
        (),
        (EX.Sensor,),
    ]
    assert str(found) == (
        "4 names of the stream known to neither ontology nor background: "
        "class Temprature_Sensor (did you mean Temperature_Sensor?); property fedes (did you mean feeds?); "
        "property zzz; class http://example.org/other#Sensor (did you mean http://example.org/Sensor?)"
    )


def test_a_push_that_is_refused_leaves_no_trace():
    reasoner = made(max_facts=2)
    with pytest.raises(Exception, match="max_facts"):
        reasoner.push(1, [(EX[f"x{n}"], EX.zzz, EX.y) for n in range(9)])
    assert not reasoner.unexpected()


def test_an_ontology_that_says_nothing_knows_no_names():
    reasoner = StreamReasoner(Ontology.from_rules(()), Window(3))
    reasoner.push(1, [(EX.x, EX.zzz, EX.y)])
    assert not reasoner.unexpected()


def test_the_usual_properties_of_times_are_known():
    reasoner = made()
    reasoner.push(1, [(EX.x, URIRef("http://www.w3.org/ns/sosa/resultTime"), Literal(1))])
    assert not reasoner.unexpected()


def test_many_unknown_names_are_told_in_one_line():
    reasoner = made()
    reasoner.push(1, [(EX.x, EX[f"q{n}x"], EX.y) for n in range(1500)])
    assert reasoner.stats().unknown == 1000
    (line,) = reasoner.unexpected().lines()
    assert line.endswith("… and 990 more")


def test_a_graph_without_time_tells_the_same():
    graph = DynamicGraph(load_ontology(Graph().parse(data=ONTOLOGY)))
    with pytest.warns(AxiomsInStreamWarning):
        graph.change(insert=[AXIOM, (EX.x, EX.fedes, EX.y)])
    assert (graph.stats().axioms, graph.stats().unknown) == (1, 1)
    assert len(list(graph.unexpected().lines())) == 2


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
def test_a_restored_reasoner_counts_on_and_warns_of_nothing_twice():
    half, whole = made(), made()
    first = [AXIOM, (EX.x, RDF.type, EX.Senser), (EX.x, EX.zzz, Literal(5)), (EX.x, EX.zzz, Literal(5.0))]
    second = [AXIOM, (EX.y, RDF.type, EX.Senser), (EX.x, EX.zzzz, Literal(6)), (EX.x, EX.zzz, Literal(6.0))]
    for reasoner in (half, whole):
        with pytest.warns(AxiomsInStreamWarning):
            reasoner.push(1, first)
    restored = StreamReasoner.restore(half.snapshot(), load_ontology(Graph().parse(data=ONTOLOGY)))
    assert restored.unexpected() == half.unexpected()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for reasoner in (restored, whole):
            reasoner.push(9, second)
            reasoner.push(10, [(EX.x, EX.zzz, Literal(7))])
            reasoner.push(11, [(EX.x, EX.zzz, Literal(7.5))])
    assert restored.unexpected() == whole.unexpected()
    assert (restored.unexpected().axioms, len(restored.unexpected().unknown)) == (2, 3)
    assert len(restored.unexpected().numbers) == 1


def test_the_warning_pickles():
    assert str(pickle.loads(pickle.dumps(AxiomsInStreamWarning("a")))) == str(AxiomsInStreamWarning("a"))


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
def test_what_parts_of_a_stream_have_is_told_together_as_of_the_whole():
    ontology = load_ontology(Graph().parse(data=ONTOLOGY))
    whole, parts = made(), [made(), made(), made()]
    stream = [
        [AXIOM, (EX.x, EX.zzz, Literal(5)), (EX.x, RDF.type, EX.Senser)],
        [AXIOM, (EX.y, EX.zzz, Literal(5.5)), (EX.y, RDF.type, EX.Senser), (EX.y, EX.fedes, EX.x)],
        [(EX.z, EX.zzz, Literal(6)), (EX.z, EX.other, Literal(1)), (EX.z, EX.other, Literal(1.5))],
    ]
    for at, abox in enumerate(stream):
        whole.push(at, abox)
        parts[at].push(at, abox)
    rules = (*ontology.rules, *ontology.constraints)
    together = Unexpected.together([part.unexpected() for part in parts], rules)
    assert (together.axioms, set(together.unknown)) == (2, set(whole.unexpected().unknown))
    assert sorted(together.numbers) == sorted(whole.unexpected().numbers) and len(together.numbers) == 2
    assert together.seen == whole.unexpected().seen
    assert Unexpected.together([], rules) == Unexpected()


EX_OF_NUMBER_WATCH = Namespace("http://example.org/")
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


def says(value, of=EX_OF_NUMBER_WATCH.celsius):
    return (EX_OF_NUMBER_WATCH.x, of, value if isinstance(value, Literal) else Literal(value))


def watched(text=DECIMALS, **options):
    return StreamReasoner(ontology(text), Window(5), **options)


@pytest.mark.parametrize("text", [DECIMALS, VALUE, DECIMALS + BELOW])
@pytest.mark.parametrize("datatype", [XSD.double, XSD.float])
def test_a_double_that_meets_no_condition_is_warned_of_once(text, datatype):
    reasoner = watched(text)
    of = EX_OF_NUMBER_WATCH.oven if BELOW in text else EX_OF_NUMBER_WATCH.celsius
    with pytest.warns(
        NumbersApartWarning, match=r'satisfies no condition .* require decimals; .*numbers="by_value"'
    ):
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
        reasoner.push(1, [says(85.5), says("a", EX_OF_NUMBER_WATCH.b), says("b", EX_OF_NUMBER_WATCH.b)])
    assert not reasoner.unexpected().numbers
    with pytest.warns(NumbersApartWarning):
        reasoner.push(1, [says(85.5)])
    assert len(reasoner.unexpected().numbers) == 1


def test_a_decimal_that_meets_no_condition_of_doubles_is_warned_of_too():
    reasoner = watched(DOUBLES)
    with pytest.warns(NumbersApartWarning, match="these require xsd:double or xsd:float"):
        reasoner.push(1, [says(85)])


CODES = """
[ a owl:Restriction ; owl:onProperty :celsius ; owl:hasValue "hot" ] rdfs:subClassOf :Hot .
"""


@pytest.mark.parametrize("text", [DECIMALS, DOUBLES, VALUE])
@pytest.mark.parametrize("value", [Literal("85.5"), Literal(" 8E1 ", datatype=XSD.string)])
def test_a_text_that_reads_as_a_number_is_warned_of_once(text, value):
    reasoner = watched(text)
    with pytest.warns(NumbersApartWarning, match=r"has the text .* require numbers; .* such as xsd:decimal"):
        reasoner.push(1, [says(value)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(2, [says("86.5")])
    (found,) = reasoner.unexpected().numbers
    assert found.is_text() and found.property == EX_OF_NUMBER_WATCH.celsius and reasoner.stats().apart == 1
    (line,) = reasoner.unexpected().lines()
    assert line.startswith("texts that read as numbers, without a numeric datatype: celsius has the text ")
    restored = StreamReasoner.restore(reasoner.snapshot(), ontology(text))
    assert str(restored.unexpected()) == str(reasoner.unexpected()).replace("^^xsd:string", "")


@pytest.mark.parametrize("text", ["", CODES, CODES + DECIMALS])
def test_a_text_is_not_spoken_of_where_conditions_take_texts_or_none_is_of_numbers(text):
    reasoner = watched(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reasoner.push(
            1, [says("85"), says(Literal("86", lang="en")), says("87", EX_OF_NUMBER_WATCH["count"]), says(88)]
        )
    assert not reasoner.unexpected().numbers


@pytest.mark.filterwarnings("ignore::pantarhei.NumbersApartWarning")
def test_a_double_and_a_text_are_told_of_both():
    reasoner = watched()
    reasoner.push(1, [says("85"), says(85.5)])
    assert sorted(found.is_text() for found in reasoner.unexpected().numbers) == [False, True]
    assert len(list(reasoner.unexpected().lines())) == 2


def test_values_of_both_kinds_are_warned_of():
    reasoner = watched()
    reasoner.push(1, [says(3.5, EX_OF_NUMBER_WATCH["count"])])
    said = r'count has the values "3.5"\^\^xsd:double and "4"\^\^xsd:integer, which never equal one another'
    with pytest.warns(NumbersApartWarning, match=said):
        reasoner.push(2, [says(4, EX_OF_NUMBER_WATCH["count"]), says(4, EX_OF_NUMBER_WATCH["count"])])
    assert "numbers that are not comparable without" in str(reasoner.unexpected())


@pytest.mark.parametrize(
    "pushed",
    [
        [says(85), says(Literal("85.5", datatype=XSD.decimal))],
        [says(1.5, EX_OF_NUMBER_WATCH["count"]), says(85)],
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


def test_a_graph_without_time_tells_the_same_of_number_watch():
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
    assert found == {EX_OF_NUMBER_WATCH.celsius: 1, EX_OF_NUMBER_WATCH.reading: 1, EX_OF_NUMBER_WATCH.oven: 1}


def test_the_warning_pickles_of_number_watch():
    assert str(pickle.loads(pickle.dumps(NumbersApartWarning("a")))) == str(NumbersApartWarning("a"))


@pytest.mark.parametrize("text", ["", DECIMALS, DOUBLES])
def test_a_restored_reasoner_knows_the_kinds_that_were_seen_before(text):
    whole = watched(text)
    whole.push(1, [says(3, EX_OF_NUMBER_WATCH["count"])])
    restored = StreamReasoner.restore(whole.snapshot(), ontology(text))
    for reasoner in (whole, restored):
        with pytest.warns(NumbersApartWarning, match='values "3".* and "4.5"'):
            reasoner.push(9, [says(4.5, EX_OF_NUMBER_WATCH["count"])])  # 3 has left the window
        reasoner.push(10, [says(5, EX_OF_NUMBER_WATCH["count"])])
    (found,) = restored.unexpected().numbers
    assert (found,) == whole.unexpected().numbers
    assert restored.unexpected().seen == whole.unexpected().seen
