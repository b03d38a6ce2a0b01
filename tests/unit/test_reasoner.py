"""The public face: what a user sees of a stream reasoner."""

import importlib
import logging
import pickle
import subprocess
import sys
import types
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pyarrow as pa
import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Dataset, Graph, Literal, Namespace, URIRef, Variable

import pantarhei
from pantarhei import (
    ABoxMaterializer,
    Budget,
    CheckpointMismatchError,
    ForeignInterpretationError,
    InconsistentOntologyError,
    InvalidTripleError,
    LateABoxError,
    Ontology,
    OptionError,
    PantarheiError,
    QueryError,
    QueryWindowError,
    StreamReasoner,
    TimestampError,
    Window,
    load_ontology,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import ReadOnlyError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.model.rule import Atom, Different, Rule
from pantarhei.rdf.ntriples import write_term
from pantarhei.rules.compilation.program import compile_

EX = Namespace("http://example.org/")
x, y, z = (Variable(name) for name in "xyz")
PREFIXES = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
VALVES = """
    :Open owl:disjointWith :Closed . :Open rdfs:subClassOf :Flowing .
    :locatedIn a owl:ObjectProperty , owl:FunctionalProperty .
"""
keeps = pytest.mark.parametrize("keep", ["newest", "every"])


def graph(text):
    return Graph().parse(data=PREFIXES + text)


def ontology(text=VALVES):
    return load_ontology(graph(text))


def valve(state, name="valve"):
    return (EX[name], RDF.type, EX[state])


@pytest.fixture
def reasoner():
    return StreamReasoner(ontology(), Window(2))


# -- updates ---------------------------------------------------------------------------------------


def test_an_update_says_where_the_window_stands():
    #   t      1   2   3   4   5   6   7   8          range 4, slide 2
    #   push   *       *           *
    #              [---------------]                  at 6
    reasoner = StreamReasoner(ontology(), Window(range=4, slide=2))
    first, second, third = (reasoner.push(at, [valve("Open")]) for at in (1, 3, 6))
    assert [(u.at, u.start, u.end) for u in (first, second, third)] == [(1, -2, 2), (3, 0, 4), (6, 2, 6)]
    assert [u.dropped for u in (first, second, third)] == [(), (), (1,)]
    last = reasoner.advance(9)
    assert (last.at, last.start, last.end, last.dropped) == (9, 6, 10, (3,))
    assert reasoner.timestamps == (6,)


def test_an_update_says_what_the_materialization_gained_and_lost(reasoner):
    first = reasoner.push(1, [valve("Open")])
    assert first.delta.added == {valve("Open"), valve("Flowing")}
    assert first.delta.removed == frozenset()
    second = reasoner.push(2, [valve("Closed")])
    assert second.delta.added == {valve("Closed")}
    assert second.delta.removed == {valve("Open"), valve("Flowing")}
    assert repr(second.delta) == "TripleDelta(+1 -2)"
    assert reasoner.push(3, [valve("Closed")]).delta.added == frozenset()


def test_an_update_has_the_repair_of_its_step(reasoner):
    quiet = reasoner.push(1, [valve("Open")]).repair
    assert (quiet.at, quiet.method, len(quiet.conflicts), quiet.removed) == (1, "exact", 0, frozenset())
    repair = reasoner.push(2, [valve("Closed"), valve("Open", "other")]).repair
    assert repair.removed == {(1, valve("Open"))}
    assert repair.undecided == frozenset()
    conflict_set = frozenset({(1, valve("Open")), (2, valve("Closed"))})
    assert list(repair.conflict_sets) == [conflict_set]
    assert len(repair.conflict_sets) == 1 and repair.conflict_sets[0] == conflict_set
    (conflict,) = repair.conflicts
    assert [rule.name for rule in conflict.constraints] == ["cax-dw"]
    assert "DisjointClasses" in conflict.constraints[0].origin.axiom
    assert str(repair) == (
        "at 2: 1 conflict, 1 assertion removed\n  at 2 removed: valve is open (at 1), "
        "contradicted by valve is closed; nothing is both closed and open"
    )


def test_an_update_stays_as_it_was_when_looked_at_late(reasoner):
    updates = [reasoner.push(at, [valve(s)]) for at, s in enumerate(("Open", "Closed", "Open", "Closed"))]
    reasoner.advance(100)
    assert [u.delta.added for u in updates] == [
        {valve("Open"), valve("Flowing")},
        {valve("Closed")},
        {valve("Open"), valve("Flowing")},
        {valve("Closed")},
    ]
    assert [u.repair.removed for u in updates] == [
        set(),
        {(0, valve("Open"))},
        {(1, valve("Closed"))},
        {(2, valve("Open"))},
    ]


def test_values_pickle(reasoner):
    reasoner.push(1, [valve("Open")])
    update = reasoner.push(2, [valve("Closed")])
    back = pickle.loads(pickle.dumps(update))
    assert (back.at, back.start, back.end, back.dropped) == (2, 0, 2, ())
    assert back.delta.added == update.delta.added and back.delta.removed == update.delta.removed
    assert back.repair.removed == update.repair.removed
    assert list(back.repair.conflicts) == list(update.repair.conflicts)
    assert str(back.repair) == str(update.repair)
    for value in (update.delta, update.repair, Window("PT1M", "PT1M"), Budget(3, 4)):
        assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_an_ontology_and_a_program_pickle_and_go_on_working():
    given = pickle.loads(pickle.dumps(ontology()))
    program = compile_((*given.rules, *given.constraints))
    assert pickle.loads(pickle.dumps(program)).predicates == program.predicates
    reasoner = StreamReasoner(given, Window(2))
    assert valve("Flowing") in reasoner.push(1, [valve("Open")]).delta.added


# -- time ------------------------------------------------------------------------------------------

ZONE = timezone(timedelta(hours=5, minutes=30))
NOON = datetime(2026, 3, 1, 12, tzinfo=ZONE)


@pytest.mark.parametrize(
    ("window", "times"),
    [
        (Window(2), (1, 2, 5)),
        (Window(2), (1.25, 2.5, 5.75)),
        (Window(2.5, 0.5), (1.0, 2.1, 5.3)),
        (Window("PT2S"), tuple(NOON + timedelta(seconds=s) for s in (1, 2, 5))),
        (Window(timedelta(seconds=2), "PT1S"), tuple(NOON + timedelta(seconds=s) for s in (1, 2, 5))),
    ],
)
def test_timestamps_come_back_as_they_were_given(window, times):
    reasoner = StreamReasoner(ontology(), window)
    first, second, third = times
    reasoner.push(first, [valve("Open")])
    update = reasoner.push(second, [valve("Closed")])

    def same(given, expected):
        assert given == expected and type(given) is type(expected)
        if isinstance(expected, datetime):
            assert given.utcoffset() == expected.utcoffset()

    same(update.at, second)
    same(update.repair.at, second)
    same(*(next(iter(update.repair.removed))[0], first))
    for at, _ in update.repair.conflict_sets[0]:
        same(at, first if at == first else second)
    same(reasoner.timestamps[0], first)
    same(next(iter(reasoner.assertions()))[0], second)
    assert reasoner.interpretation(second) == {valve("Closed")}
    for at in reasoner.push(third, []).dropped:
        same(at, first if at == first else second)
    assert reasoner.timestamps == (third,)


def test_one_instant_in_two_zones_is_one_timestamp():
    reasoner = StreamReasoner(ontology(), Window("PT2S"))
    reasoner.push(NOON, [valve("Open")])
    reasoner.push(NOON.astimezone(UTC), [valve("Open", "other")])
    assert reasoner.timestamps == (NOON,)
    assert len(reasoner.interpretation(NOON.astimezone(UTC))) == 4


@pytest.mark.parametrize(
    ("window", "first", "second"),
    [
        (Window(2), 1, 2.0),
        (Window(2), 1.0, NOON),
        (Window(2), NOON, None),
        (Window("PT2S"), 1, None),
        (Window("PT2S"), NOON.replace(tzinfo=None), None),
        (Window("PT2S"), NOON, 1),
        (Window(2), "1", None),
        (Window(2), True, None),
        (Window(2), None, None),
        (Window(2), float("nan"), None),
        (Window(2), float("inf"), None),
        (Window(2), 2**62 + 1, None),
    ],
)
def test_a_time_of_another_kind_is_refused(window, first, second):
    reasoner = StreamReasoner(ontology(), window)
    if second is not None:
        reasoner.push(first, [])
    with pytest.raises(TimestampError):
        reasoner.push(first if second is None else second, [])
    with pytest.raises(TimestampError):
        reasoner.advance(first if second is None else second)


def test_time_does_not_go_back(reasoner):
    reasoner.push(5, [])
    for step in (lambda: reasoner.push(4, []), lambda: reasoner.advance(4)):
        with pytest.raises(LateABoxError) as raised:
            step()
        assert (raised.value.at, raised.value.newest) == ("4", "5")
    assert str(raised.value) == "time does not go back: 4 is older than the newest time, 5"
    reasoner.advance(8)
    with pytest.raises(LateABoxError, match="newest time, 8"):
        reasoner.push(7, [])


@pytest.mark.parametrize("at", [0, 2, 4])
def test_an_interpretation_of_no_timestamp_of_the_window_is_refused(reasoner, at):
    """Before the window, between two timestamps, and after the newest."""
    with pytest.raises(TimestampError, match=r"reasoner\.timestamps"):
        reasoner.interpretation(at)
    for given in (0, 1, 3):
        reasoner.push(given, [valve("Open")])
    with pytest.raises(TimestampError, match=r"reasoner\.timestamps"):
        reasoner.interpretation(at)
    assert reasoner.interpretation(3) == {valve("Open"), valve("Flowing")}


@pytest.mark.parametrize("at", ["3", 3.0, None, NOON])
def test_an_interpretation_of_a_time_of_another_kind_is_refused(reasoner, at):
    reasoner.push(3, [])
    with pytest.raises(TimestampError):
        reasoner.interpretation(at)


@keeps
def test_a_second_push_at_the_newest_time_adds_to_it(keep):
    reasoner = StreamReasoner(ontology(), Window(2), keep=keep)
    reasoner.push(1, [valve("Open")])
    update = reasoner.push(1, [valve("Closed", "other")])
    assert update.at == 1 and update.dropped == ()
    assert update.delta.added == {valve("Closed", "other")}
    assert reasoner.timestamps == (1,)
    assert reasoner.interpretation(1) == {valve("Open"), valve("Flowing"), valve("Closed", "other")}


@keeps
def test_a_push_at_the_time_that_was_advanced_to(keep):
    reasoner = StreamReasoner(ontology(), Window(2), keep=keep)
    reasoner.push(1, [valve("Open")])
    assert reasoner.advance(3).dropped == ()
    update = reasoner.push(3, [valve("Closed")])
    assert update.repair.removed == {(1, valve("Open"))}
    assert reasoner.timestamps == (1, 3)
    reasoner.advance(3)
    again = reasoner.push(3, [valve("Open", "other")])
    assert again.delta.added == {valve("Open", "other"), valve("Flowing", "other")}
    assert reasoner.timestamps == (1, 3)


def test_timestamps_of_numpy_are_compared_as_pythons_own():
    reasoner = StreamReasoner(ontology(), Window(np.float32(2)))
    reasoner.push(1.0, [])
    update = reasoner.push(np.int32(2), [valve("Open")])
    assert (update.at, update.end) == (2, 2.0) and type(update.at) is int
    reasoner.push_materialized(np.float32(2.5), ABoxMaterializer(reasoner.foundation).materialize([]))
    reasoner.advance(np.float64(2.75))
    assert reasoner.timestamps == (1.0, 2, 2.5)
    assert {type(at) for at in reasoner.timestamps} == {int, float}
    assert reasoner.interpretation(np.int8(2)) == {valve("Open"), valve("Flowing")}


@pytest.mark.parametrize("at", [np.int64(1_700_000_000_000), 10**400, float("inf")])
def test_a_time_too_far_away_is_refused_and_nothing_has_changed(at):
    reasoner = StreamReasoner(ontology(), Window(2.0))
    reasoner.push(1, [valve("Open")])
    for refused in (reasoner.push, lambda at, _: reasoner.advance(at)):
        with pytest.raises(TimestampError, match="62 bits"):
            refused(at, [valve("Closed")])
    assert reasoner.timestamps == (1,)


def test_timestamps_of_numpy_are_put_in_order():
    reasoner = StreamReasoner(ontology(), Window(9))
    times = [np.int32(3), np.int64(2), np.int8(2), 5]
    assert [update.at for update in reasoner.run([(at, []) for at in times], 1)] == [2, 3, 5]


@pytest.mark.parametrize(("range_", "held"), [(1, (0.9, 1.1)), (0.5, (0.9, 1.1)), (0.1, (1.1,))])
def test_a_window_of_floats_moves_with_every_abox(range_, held):
    reasoner = StreamReasoner(ontology(), Window(range_))
    for at in (0.1, 0.9, 1.1):
        update = reasoner.push(at, [])
        assert (update.start, update.end) == (pytest.approx(at - range_), at)
    assert reasoner.timestamps == (held if range_ < 1 else (0.1, *held))


def test_run_pushes_what_comes(reasoner):
    updates = reasoner.run(iter([(1, [valve("Open")]), (3, [valve("Closed")]), (2, [])]), 5)
    assert [update.at for update in updates] == [1, 2, 3]
    assert reasoner.materialization() == {valve("Closed")}
    with pytest.raises(LateABoxError):
        list(reasoner.run([(4, []), (3, [])]))
    assert reasoner.timestamps[-1] == 4


@pytest.mark.parametrize("lateness", [1, 2])
def test_parts_that_lateness_holds_back_are_one_abox(lateness):
    #   comes    1   2   3   2   4        the two states at 2 contradict each other, so both go
    given = [(1, "Checked"), (2, "Open"), (3, "Checked"), (2, "Closed"), (4, "Checked")]
    reasoner = StreamReasoner(ontology(), Window(10))
    updates = list(reasoner.run([(at, [valve(state)]) for at, state in given], lateness))
    assert [update.at for update in updates] == [1, 2, 3, 4]
    assert updates[1].repair.removed == {(2, valve("Open")), (2, valve("Closed"))}
    assert not any(update.delta.added & {valve("Open"), valve("Flowing")} for update in updates)


def test_parts_that_are_held_back_may_be_graphs_tables_and_triples():
    table = pa.table({"subject": ["_:x"], "predicate": [RDF.type.n3()], "object": [EX.Checked.n3()]})
    parts = [Graph(), table, table, iter([valve("Checked")])]
    reasoner = StreamReasoner(ontology(), Window(10))
    (update,) = reasoner.run(((1, part) for part in parts), 1)
    assert len(update.delta.added) == 3, "blank nodes of two tables are two"


# -- options ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"repair": "newest"},
        {"repair": None},
        {"repair": "Exact"},
        {"keep": "all"},
        {"keep": None},
        {"unique_names": None},
        {"unique_names": "no"},
    ],
)
def test_an_option_that_does_not_exist_is_refused_by_name(options):
    ((name, value),) = options.items()
    with pytest.raises(OptionError) as raised:
        StreamReasoner(ontology(), Window(2), **options)
    assert raised.value.option == name
    assert raised.value.given == repr(value)
    assert raised.value.expected


@pytest.mark.parametrize("window", [{"closed": "neither"}, {"slide": 0}])
def test_a_window_that_cannot_be_is_refused(window):
    with pytest.raises(OptionError):
        Window(2, **window)


@pytest.mark.parametrize("window", [{"closed": "left"}, {"slide": 4}])
def test_a_window_that_only_a_query_may_have_is_refused_to_a_reasoner(window):
    with pytest.raises(QueryWindowError, match="a registered query may have such a window") as raised:
        StreamReasoner(ontology(), Window(2, **window))
    assert raised.value.option in window


def test_a_step_that_leaves_times_out_of_a_stream_of_floats_is_refused_when_they_come():
    reasoner = StreamReasoner(ontology(), Window(2, slide=3))
    with pytest.raises(QueryWindowError):
        reasoner.push(0.5, [valve("Open")])
    reasoner.push(1, [valve("Open")])
    assert reasoner.timestamps == (1,)


@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3", "off"])
def test_each_repair_names_its_method(method):
    reasoner = StreamReasoner(ontology(), Window(2), repair=method)
    reasoner.push(1, [valve("Open")])
    repair = reasoner.push(2, [valve("Closed")]).repair
    assert repair.method == method
    assert repair.removed == (set() if method == "off" else {(1, valve("Open"))})
    assert len(repair.conflicts) == 1


# -- background ------------------------------------------------------------------------------------

PLACES = ":hall :locatedIn :site . :valve a :Open ."


@pytest.mark.parametrize("given", ["graph", "list", "generator", "ontology"])
def test_the_background_may_come_in_any_form(given):
    triples = list(graph(PLACES))
    text, background = VALVES, None
    if given == "ontology":
        text += PLACES
    else:
        background = {"graph": graph(PLACES), "list": triples, "generator": iter(triples)}[given]
    reasoner = StreamReasoner(ontology(text), Window(2), background)
    assert reasoner.background == set(triples)
    assert reasoner.materialization() == {*triples, valve("Flowing")}
    assert reasoner.assertions() == set() and reasoner.timestamps == ()
    update = reasoner.push(1, [valve("Closed"), (EX.hall, EX.locatedIn, EX.elsewhere)])
    assert len(update.repair.conflicts) == 2
    assert update.repair.removed == {(1, valve("Closed")), (1, (EX.hall, EX.locatedIn, EX.elsewhere))}
    assert not update.delta.added and not update.delta.removed


def test_the_background_given_adds_to_the_ontologys():
    reasoner = StreamReasoner(ontology(VALVES + ":valve a :Open ."), Window(2), [valve("Closed", "other")])
    assert reasoner.background == {valve("Open"), valve("Closed", "other")}


def test_a_background_that_repeats_itself_is_there_once():
    reasoner = StreamReasoner(ontology(VALVES + PLACES), Window(2), graph(PLACES))
    assert reasoner.background == set(graph(PLACES))


def test_an_ontology_that_contradicts_itself_is_refused_on_loading():
    with pytest.raises(InconsistentOntologyError) as raised:
        ontology(VALVES + ":valve a :Open , :Closed .")
    (found,) = raised.value.contradictions
    assert [axiom.axiom for axiom in found.axioms] == ["DisjointClasses(Open Closed)"]
    assert found.triples == {(EX.valve, RDF.type, EX[state]) for state in ("Open", "Closed")}


def test_a_background_that_contradicts_the_ontology_is_refused():
    with pytest.raises(InconsistentOntologyError):
        StreamReasoner(ontology(), Window(2), [valve("Open"), valve("Closed")])
    with pytest.raises(InconsistentOntologyError):
        StreamReasoner(ontology(VALVES + ":valve a :Open ."), Window(2), [valve("Closed")])


def test_unique_names_are_the_reasoners_matter():
    """OWL would conclude that the two places are one; only the reasoner takes names to differ."""
    loaded = ontology(VALVES + ":valve :locatedIn :hall , :site .")
    with pytest.raises(InconsistentOntologyError) as raised:
        StreamReasoner(loaded, Window(2))
    (found,) = raised.value.contradictions
    assert [axiom.axiom for axiom in found.axioms] == ["FunctionalObjectProperty(locatedIn)"]
    assert len(found.triples) == 2


@pytest.mark.parametrize("background", [[("a", "b", "c")], [(EX.a, EX.b)], [(Literal(1), EX.b, EX.c)]])
def test_a_background_of_something_else_is_refused(background):
    with pytest.raises(InvalidTripleError):
        StreamReasoner(ontology(), Window(2), background)


SITE = ":Jammed rdfs:subClassOf :Open . :v1 a :Jammed ; rdfs:label 'the first' ."


@pytest.mark.parametrize("as_given", [graph, lambda text: iter(list(graph(text)))])
def test_axioms_of_a_background_are_the_reasoners(as_given):
    loaded = ontology()
    reasoner = StreamReasoner(loaded, Window(2), as_given(SITE))
    assert {axiom.axiom for axiom in reasoner.ontology.report().entries} >= {"SubClassOf(Jammed Open)"}
    assert loaded.fingerprint == ontology().fingerprint != reasoner.ontology.fingerprint
    assert (
        valve("Flowing", "v1") in reasoner.graph
        and (EX.Jammed, RDFS.subClassOf, EX.Open) not in reasoner.graph
    )
    assert (EX.v1, RDFS.label, Literal("the first")) in reasoner.graph
    reasoner.push(1, [valve("Jammed")])
    assert reasoner.push(2, [valve("Closed")]).repair.removed == {(1, valve("Jammed"))}


def test_a_table_may_say_axioms():
    rows = [list(map(write_term, triple)) for triple in graph(SITE)]
    table = pa.table(
        dict(zip(("subject", "predicate", "object"), map(list, zip(*rows, strict=True)), strict=True))
    )
    assert valve("Flowing", "v1") in StreamReasoner(ontology(), Window(2), table).graph


def test_who_materializes_and_who_restores_has_the_axioms_of_the_background_too():
    loaded, site = ontology(), graph(SITE)
    reasoner = StreamReasoner(loaded, Window(2), site)
    made = ABoxMaterializer(Foundation.of(loaded, site)).materialize([valve("Jammed")])
    assert made.foundation == reasoner.foundation.digest
    reasoner.push_materialized(1, made)
    assert valve("Flowing") in reasoner.graph
    for background in (None, site):
        again = StreamReasoner.restore(reasoner.snapshot(), loaded, background=background)
        assert again.ontology.fingerprint == reasoner.ontology.fingerprint
        assert again.materialization() == reasoner.materialization()
    with pytest.raises(CheckpointMismatchError):
        StreamReasoner.restore(reasoner.snapshot(), loaded, background=[valve("Open")])


def test_axioms_that_contradict_the_background_are_refused():
    with pytest.raises(InconsistentOntologyError, match="SubClassOf"):
        StreamReasoner(ontology(":v1 a :Open ."), Window(2), graph(":Open rdfs:subClassOf owl:Nothing ."))


# -- numbers by value ------------------------------------------------------------------------------

THRESHOLDS = """
    :celsius a owl:DatatypeProperty , owl:FunctionalProperty .
    [ a owl:Restriction ; owl:onProperty :celsius ; owl:someValuesFrom [ a rdfs:Datatype ;
      owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive 80 ] ) ] ] rdfs:subClassOf :Hot .
"""


def celsius(text, datatype=XSD.double, of="oven"):
    return (EX[of], EX.celsius, Literal(text, datatype=datatype, normalize=False))


@keeps
def test_a_double_meets_a_decimal_threshold_if_numbers_are_read_by_value(keep):
    for numbers, is_hot in (("by_datatype", False), ("by_value", True)):
        reasoner = StreamReasoner(ontology(THRESHOLDS), Window(5), keep=keep, numbers=numbers)
        update = reasoner.push(1, [celsius("85.5"), celsius("85.50", XSD.decimal)])
        assert bool(update.repair.removed) is not is_hot
        assert ((EX.oven, RDF.type, EX.Hot) in reasoner.graph) is is_hot
    assert list(reasoner.graph.objects(EX.oven, EX.celsius)) == [celsius("85.5")[2]]
    asked = "SELECT ?x { VALUES ?c { 85.5 } ?x <http://example.org/celsius> ?c }"
    assert reasoner.query(asked).rows == list(reasoner.register(asked).answers) == [(EX.oven,)]
    assert "celsius 85.5 (asserted at 1)" in str(reasoner.explain((EX.oven, RDF.type, EX.Hot)))
    reasoner.push(2, [celsius("20", of="hall")])
    assert reasoner.why_not((EX.hall, RDF.type, EX.Hot)).ways


def test_a_checkpoint_remembers_how_numbers_are_read():
    reasoner = StreamReasoner(ontology(THRESHOLDS), Window(5), numbers="by_value")
    reasoner.push(1, [celsius("85.5")])
    again = StreamReasoner.restore(reasoner.snapshot(), ontology(THRESHOLDS))
    assert again.options.numbers == "by_value" and again.foundation.digest == reasoner.foundation.digest
    assert not again.push(2, [celsius("85.50", XSD.decimal)]).repair.removed


def test_who_materializes_reads_numbers_in_the_same_way():
    reasoner = StreamReasoner(ontology(THRESHOLDS), Window(5), numbers="by_value")
    foundation = Foundation.of(ontology(THRESHOLDS), numbers="by_value")
    reasoner.push_materialized(1, ABoxMaterializer(foundation).materialize([celsius("85.5")]))
    assert (EX.oven, RDF.type, EX.Hot) in reasoner.graph
    other = ABoxMaterializer(Foundation.of(ontology(THRESHOLDS))).materialize([celsius("85.5")])
    with pytest.raises(ForeignInterpretationError, match="unique_names and numbers"):
        reasoner.push_materialized(2, other)


def test_another_reading_of_numbers_is_refused_with_those_that_there_are():
    said = "numbers='exact' is invalid: expected 'by_datatype' or 'by_value'"
    with pytest.raises(OptionError, match=said):
        StreamReasoner(ontology(), Window(2), numbers="exact")
    with pytest.raises(OptionError, match=said):
        Foundation.of(ontology(), numbers="exact")


@pytest.mark.filterwarnings("ignore::pantarhei.AxiomsInStreamWarning")
def test_an_ontology_of_owlready2_is_no_abox_and_what_makes_it_one_is_said(reasoner):
    owlready2 = pytest.importorskip("owlready2")
    world = owlready2.World()
    with (given := world.get_ontology(str(EX))):
        type("Valve", (owlready2.Thing,), {})("valve")
    for abox in (given, world):
        with pytest.raises(InvalidTripleError, match=r"ontology\.world\.as_rdflib_graph\(\)"):
            reasoner.push(1, abox)
    with pytest.raises(OptionError, match="background=get_ontology"):
        StreamReasoner(ontology(), Window(2), given)
    reasoner.push(1, world.as_rdflib_graph())
    assert (EX.valve, RDF.type, EX.Valve) in reasoner.graph


@pytest.mark.parametrize("stream", ["stream.nq", 7, None])
def test_what_is_no_stream_is_refused_when_it_is_to_be_run(reasoner, stream):
    with pytest.raises(OptionError, match="expected pairs of a timestamp and an ABox"):
        reasoner.run(stream)


@pytest.mark.parametrize("lateness", [None, 2])
def test_an_item_that_is_no_pair_is_refused_and_those_before_are_taken(reasoner, lateness):
    updates = reasoner.run([(1, [valve("Open")]), (1, [valve("Open")]), "ab"], allowed_lateness=lateness)
    with pytest.raises(TimestampError, match="'ab' is invalid: expected a pair"):
        list(updates)


# -- views -----------------------------------------------------------------------------------------


@keeps
def test_the_graph_is_live(keep):
    reasoner = StreamReasoner(ontology(VALVES + PLACES), Window(2), keep=keep)
    view = reasoner.graph
    assert view is reasoner.graph and isinstance(view, Graph)
    for at, state in enumerate(["Open", "Closed", "Open", None, "Open"]):
        reasoner.push(at, [valve(state, "other")] if state else [])
        assert set(view) == reasoner.materialization()
        assert len(view) == len(reasoner.materialization())
    assert (EX.other, RDF.type, EX.Flowing) in view
    assert set(view.subjects(RDF.type, EX.Flowing)) == {EX.valve, EX.other}
    reasoner.advance(100)
    assert set(view) == reasoner.materialization() == {*graph(PLACES), valve("Flowing")}
    assert set(Graph() + view) == set(view)


def test_the_graph_is_still_live_after_an_error(reasoner):
    view = reasoner.graph
    reasoner.push(1, [valve("Open")])
    with pytest.raises(InvalidTripleError):
        reasoner.push(2, [valve("Closed"), "nonsense"])
    assert set(view) == {valve("Open"), valve("Flowing")}
    reasoner.push(2, [valve("Closed")])
    assert set(view) == {valve("Closed")}


def test_views_are_read_only(reasoner):
    reasoner.push(1, [valve("Open")])
    for view in (reasoner.graph, reasoner.dataset):
        for write in (
            lambda view=view: view.add(valve("Closed")),
            lambda view=view: view.remove((None, None, None)),
            lambda view=view: view.update("INSERT DATA { <urn:a> <urn:b> <urn:c> }"),
        ):
            with pytest.raises(PantarheiError) as raised:
                write()
            assert isinstance(raised.value, ReadOnlyError | QueryError)
    assert reasoner.materialization() == {valve("Open"), valve("Flowing")}


def test_the_dataset_has_the_timestamps_and_the_ontology(reasoner):
    data = reasoner.dataset
    assert data is reasoner.dataset and isinstance(data, Dataset)
    reasoner.push(1, [valve("Open")])
    reasoner.push(2, [valve("Open", "other")])

    def named():
        return {g.identifier for g in data.graphs()} - {data.default_graph.identifier}

    names = [URIRef(f"urn:pantarhei:at:{at}") for at in (1, 2, 4)]
    ontology, schema = URIRef("urn:pantarhei:ontology"), URIRef("urn:pantarhei:schema")
    assert named() == {ontology, schema, names[0], names[1]}
    assert set(data.graph(names[0])) == reasoner.interpretation(1)
    assert (EX.Open, OWL.disjointWith, EX.Closed) in data.graph(ontology)
    reasoner.push(4, [])
    assert named() == {ontology, schema, names[1], names[2]}
    assert set(data.get_context(names[0])) == set()
    assert set(data.get_context(names[2])) == set()


def test_a_query_sees_the_window_as_it_is(reasoner):
    text = "SELECT ?v WHERE { ?v a :Flowing }"
    assert list(reasoner.query(text)) == []
    reasoner.push(1, [valve("Open")])
    answers = reasoner.query(text)
    reasoner.push(2, [valve("Closed")])
    assert [row.v for row in answers] == [EX.valve]
    assert list(reasoner.query(text)) == []
    assert reasoner.query("ASK { GRAPH ?g { ?v a :Closed } }").askAnswer
    schema = reasoner.query("SELECT ?c WHERE { GRAPH <urn:pantarhei:ontology> { ?c rdfs:subClassOf ?d } }")
    assert [row.c for row in schema] == [EX.Open]
    assert reasoner.query(text).to_arrow().num_rows == 0


@pytest.mark.parametrize(
    "text", ["SELECT", "INSERT DATA { <urn:a> <urn:b> <urn:c> }", "SELECT * FROM <urn:a> {}"]
)
def test_a_query_that_is_none_is_refused(reasoner, text):
    with pytest.raises(QueryError):
        reasoner.query(text)


def test_what_is_given_out_belongs_to_the_caller(reasoner):
    reasoner.push(1, [valve("Open")])
    for look in (reasoner.materialization, reasoner.assertions, lambda: reasoner.interpretation(1)):
        given, again = look(), look()
        given.clear()
        assert look() == again
    reasoner.background.add(valve("Closed"))
    assert reasoner.background == set()


def test_work_only_grows(reasoner):
    before = reasoner.work
    reasoner.push(1, [valve("Open")])
    after = reasoner.work
    assert after.firings > before.firings and after.pops > before.pops
    assert all(b >= a for a, b in zip(before, after, strict=True))


# -- the record of repairs -------------------------------------------------------------------------


@keeps
def test_the_repairs_of_the_windows_aboxes_are_kept(keep):
    #   t      1   2   3   4   5   6        range 2
    #   state  O   C   C   O   O   C
    #   cuts       *       *       *
    reasoner = StreamReasoner(ontology(), Window(2), keep=keep)
    expected = {1: [], 2: [2], 3: [2], 4: [2, 4], 5: [4], 6: [4, 6]}
    for at, state in enumerate(("Open", "Closed", "Closed", "Open", "Open", "Closed"), 1):
        update = reasoner.push(at, [valve(state)])
        assert [repair.at for repair in reasoner.repairs] == expected[at]
        if update.repair.removed:
            assert reasoner.repairs[-1] is update.repair
    assert reasoner.repairs[-1].removed == {(4, valve("Open")), (5, valve("Open"))}
    reasoner.advance(8)
    assert [repair.at for repair in reasoner.repairs] == [6]
    reasoner.advance(9)
    assert reasoner.repairs == ()


def test_a_second_part_replaces_the_record_of_the_first(reasoner):
    reasoner.push(1, [valve("Open"), valve("Open", "other")])
    reasoner.push(2, [valve("Closed")])
    reasoner.push(2, [valve("Closed", "other")])
    (repair,) = reasoner.repairs
    assert repair.removed == {(1, valve("Open")), (1, valve("Open", "other"))}
    reasoner.push(2, [])
    (repair,) = reasoner.repairs
    assert len(repair.conflicts) == 2


def test_a_reasoner_says_in_a_line_what_it_holds(reasoner):
    assert repr(reasoner).endswith("partitions=0, newest=none)")
    reasoner.push(1, [valve("Open")])
    facts = len(reasoner.materialization())
    how = f"{reasoner.window}, keep='newest', repair='exact'"
    assert repr(reasoner) == f"StreamReasoner({how}, facts={facts}, partitions=1, newest=1)"
    with pytest.raises(RuntimeError), reasoner.all_or_nothing():
        raise RuntimeError
    assert "facts=?" in repr(reasoner)
    assert reasoner._held.facts is None, "to look at it makes no model"


def test_each_repair_is_logged(reasoner, caplog):
    with caplog.at_level(logging.INFO, "pantarhei.repair"):
        reasoner.push(1, [valve("Open")])
        assert not caplog.records
        reasoner.push(2, [valve("Closed")])
        with caplog.at_level(logging.DEBUG, "pantarhei.repair"):
            reasoner.push(3, [valve("Open")])
    counted, _, worded = caplog.records
    assert {record.name for record in caplog.records} == {"pantarhei.repair"}
    assert (counted.levelno, worded.levelno) == (logging.INFO, logging.DEBUG)
    assert counted.getMessage() == "at 2: 1 conflict, 1 assertion removed"
    assert worded.getMessage() == f"at 3: {str(reasoner.repairs[1]).splitlines()[1].strip()}"


def test_nothing_is_logged_or_worded_below_the_level(reasoner, caplog):
    with caplog.at_level(logging.WARNING, "pantarhei.repair"):
        reasoner.push(1, [valve("Open")])
        reasoner.push(2, [valve("Closed")])
    assert not caplog.records


# -- ABoxes in all their forms ---------------------------------------------------------------------

FACTS = [
    valve("Open"),
    (EX.valve, EX.locatedIn, EX.hall),
    (EX.valve, EX.pressure, Literal("01", datatype=XSD.integer, normalize=False)),
    (EX.valve, EX.label, Literal("Ventil", lang="de")),
    (EX.valve, EX.label, Literal('a "quoted"\nline')),
]


def cells(triples):
    return {
        name: [
            triple[place].n3() if not isinstance(triple[place], Literal) else _literal(triple[place])
            for triple in triples
        ]
        for place, name in enumerate(("subject", "predicate", "object"))
    }


def _literal(term):
    text = str(term).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    tail = f"@{term.language}" if term.language else f"^^<{term.datatype}>" if term.datatype else ""
    return f'"{text}"{tail}'


def plain(triples):
    return pa.table({name: pa.array(column, pa.string()) for name, column in cells(triples).items()})


def dictionaries(triples):
    table = plain(triples)
    return pa.table({name: table.column(name).dictionary_encode() for name in table.column_names})


def chunked(triples):
    return pa.concat_tables([plain(triples[:2]), plain(triples[2:2]), plain(triples[2:])])


def chunked_dictionaries(triples):
    """Chunks with dictionaries of their own."""
    return pa.concat_tables([dictionaries(triples[:2]), dictionaries(triples[2:])])


def large_strings(triples):
    return pa.table({name: pa.array(column, pa.large_string()) for name, column in cells(triples).items()})


def sliced(triples):
    return plain([*triples, valve("Closed")]).slice(0, len(triples))


def more_columns(triples):
    return plain(triples).append_column("at", pa.array([1] * len(triples)))


TABLES = [plain, dictionaries, chunked, chunked_dictionaries, large_strings, sliced, more_columns]


@pytest.mark.parametrize("make", [list, set, iter, tuple, lambda facts: (f for f in facts), *TABLES])
def test_an_abox_may_come_in_any_form(make):
    reasoner = StreamReasoner(ontology(), Window(2))
    update = reasoner.push(1, make(FACTS))
    assert update.delta.added == {*FACTS, valve("Flowing")}
    assert {triple for _, triple in reasoner.assertions()} == set(FACTS)
    assert [t[2].n3() for t in reasoner.materialization() if t[1] == EX.pressure] == [
        f'"01"^^<{XSD.integer}>'
    ]


@pytest.mark.parametrize("make", [list, Graph, *TABLES])
def test_an_empty_abox_is_a_timestamp_nonetheless(reasoner, make):
    reasoner.push(1, make([]) if make is not Graph else Graph())
    assert reasoner.timestamps == (1,)
    assert reasoner.interpretation(1) == set()


def test_an_empty_table_whose_columns_have_no_type_is_empty(reasoner):
    """What `pa.table` makes of empty lists."""
    reasoner.push(1, pa.table({"subject": [], "predicate": [], "object": []}))
    assert reasoner.timestamps == (1,)


def test_a_table_without_chunks_is_empty(reasoner):
    schema = pa.schema([(name, pa.string()) for name in ("subject", "predicate", "object")])
    reasoner.push(1, pa.Table.from_batches([], schema))
    reasoner.push(2, schema.empty_table())
    assert reasoner.timestamps == (1, 2) and reasoner.materialization() == set()


@pytest.mark.parametrize("form", [plain, dictionaries])
@pytest.mark.parametrize("place", ["subject", "predicate", "object"])
@pytest.mark.parametrize("cell", [None, "", "http://example.org/a", "<relative>", "?x"])
def test_a_cell_that_holds_no_term_is_refused(reasoner, form, place, cell):
    columns = cells(FACTS)
    columns[place][1] = cell
    table = pa.table(columns)
    if form is dictionaries:
        table = pa.table({name: table.column(name).dictionary_encode() for name in table.column_names})
    with pytest.raises(InvalidTripleError) as raised:
        reasoner.push(1, table)
    assert cell is None or cell in str(raised.value)
    assert reasoner.timestamps == ()


@pytest.mark.parametrize("place", ["subject", "predicate", "object"])
def test_a_table_lacks_no_column(reasoner, place):
    with pytest.raises(InvalidTripleError, match=f"column {place}"):
        reasoner.push(1, plain(FACTS).drop_columns([place]))


def test_a_column_of_numbers_is_refused(reasoner):
    table = pa.table({"subject": ["<urn:a>"], "predicate": ["<urn:p>"], "object": [1]})
    with pytest.raises(InvalidTripleError, match="object of type int64"):
        reasoner.push(1, table)


def test_a_literal_class_in_a_table_is_refused(reasoner):
    with pytest.raises(InvalidTripleError, match="class"):
        reasoner.push(
            1, pa.table({"subject": ["<urn:a>"], "predicate": [f"<{RDF.type}>"], "object": ['"C"']})
        )


def test_a_value_outside_its_datatype_in_a_table_is_no_error(reasoner):
    table = pa.table({"subject": ["<urn:a>"], "predicate": ["<urn:p>"], "object": [f'"x"^^<{XSD.byte}>']})
    reasoner.push(1, table)


def test_one_text_may_be_a_class_a_property_and_an_individual(reasoner):
    facts = [(EX.a, RDF.type, EX.a), (EX.a, EX.a, EX.a), (EX.b, EX.p, RDF.type)]
    assert reasoner.push(1, plain(facts)).delta.added == set(facts)
    assert reasoner.push(2, facts).delta.added == set()


def test_blank_nodes_of_a_table_belong_to_it_alone(reasoner):
    fact = (BNode("b"), RDF.type, EX.Open)
    reasoner.push(1, plain([fact, (BNode("b"), EX.locatedIn, EX.hall)]))
    reasoner.push(2, plain([(BNode("b"), RDF.type, EX.Closed)]))
    found = {s for s, _, _ in reasoner.materialization()}
    assert len(found) == 2 and all(isinstance(node, BNode) for node in found)
    assert not reasoner.repairs


def test_blank_nodes_of_a_graph_are_the_graphs(reasoner):
    node = BNode()
    reasoner.push(1, [(node, RDF.type, EX.Open)])
    assert reasoner.push(2, [(node, RDF.type, EX.Closed)]).repair.removed == {(1, (node, RDF.type, EX.Open))}


def test_literals_of_one_value_are_one_and_come_back_as_first_seen(reasoner):
    first = (EX.valve, EX.pressure, Literal("1.0", datatype=XSD.decimal, normalize=False))
    second = (EX.valve, EX.pressure, Literal("01", datatype=XSD.integer, normalize=False))
    reasoner.push(1, [first])
    assert reasoner.push(2, [second]).delta.added == frozenset()
    assert [triple[2].n3() for triple in reasoner.materialization()] == [first[2].n3()]
    assert len(reasoner.assertions()) == 2


def test_a_functional_datum_with_two_spellings_of_a_value_is_no_conflict():
    functional = Rule("prp-fp", (Atom(EX.v, (x, y)), Atom(EX.v, (x, z))), None, (Different(y, z),))
    reasoner = StreamReasoner(Ontology.from_rules([functional]), Window(5))
    for at, spelling in enumerate(("1", "01", "+1")):
        literal = Literal(spelling, datatype=XSD.integer, normalize=False)
        assert not reasoner.push(at, [(EX.a, EX.v, literal)]).repair.conflicts
    assert reasoner.push(3, [(EX.a, EX.v, Literal(2))]).repair.conflicts
    assert len(reasoner.assertions()) == 1


def test_numbers_of_terms_are_given_once_a_stream(reasoner):
    reasoner.push(1, FACTS)
    vocabulary = reasoner._held.vocabulary
    assert isinstance(vocabulary, Vocabulary)
    known = len(vocabulary.names), len(vocabulary.literals), len(vocabulary.symbols)
    reasoner.push(2, plain(FACTS))
    reasoner.push(3, iter(FACTS))
    assert (len(vocabulary.names), len(vocabulary.literals), len(vocabulary.symbols)) == known


# -- the package -----------------------------------------------------------------------------------


def test_importing_the_package_loads_nothing_heavy():
    script = (
        "import sys, pantarhei; heavy = {'pyspark', 'pandas', 'owlready2', 'pyarrow', 'rich', 'typer'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_importing_the_package_sets_nothing_global():
    script = """
import logging, numpy, rdflib, warnings
def state():
    return rdflib.NORMALIZE_LITERALS, logging.root.handlers[:], logging.root.level, warnings.filters[:]
before = state()
import pantarhei, pantarhei.cli
assert state() == before
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_public_names_exist_and_are_sorted():
    assert list(pantarhei.__all__) == sorted(pantarhei.__all__)
    assert all(hasattr(pantarhei, name) for name in pantarhei.__all__)


def test_dir_has_the_public_names_and_no_other_modules():
    import pantarhei.spark
    import pantarhei.temporal

    assert dir(pantarhei) == sorted([*pantarhei.__all__, "__version__", "spark", "temporal"])
    assert all(hasattr(pantarhei, name) for name in dir(pantarhei))
    for module in (pantarhei.spark, pantarhei.temporal):
        assert dir(module) == sorted(module.__all__)
        assert not any(isinstance(getattr(module, name), types.ModuleType) for name in dir(module))


def test_all_public_names_are_imported_at_once_and_nothing_else():
    for module in ("pantarhei", "pantarhei.spark", "pantarhei.temporal"):
        names: dict[str, object] = {}
        exec(f"from {module} import *", names)
        assert set(names) - {"__builtins__"} == set(importlib.import_module(module).__all__)


def test_the_names_are_completed_and_spark_is_loaded_when_it_is_first_used():
    script = """
import sys, pantarhei
names = dir(pantarhei)
assert "spark" in names and "pyspark" not in sys.modules
assert callable(pantarhei.spark.materialize_aboxes) and "pyspark" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("old, new", [("Gone", "RetractedAssertion"), ("WouldHold", "Abduction")])
def test_old_names_of_public_classes_warn(old, new):
    with pytest.warns(DeprecationWarning, match=f"use pantarhei.{new}$"):
        assert getattr(pantarhei, old) is getattr(pantarhei, new)
    assert old not in pantarhei.__all__ and not hasattr(pantarhei, "Nothing")


def test_conflicts_are_those_of_the_window_as_it_is_now():
    told = StreamReasoner(ontology(), Window(3), repair="off")
    assert told.conflicts() == ()
    told.push(1, [valve("Open")])
    told.push(2, [valve("Closed")])
    told.push(3, [valve("Closed", "other")])
    expected = [frozenset({(1, valve("Open")), (2, valve("Closed"))})]
    for _ in range(2):
        assert [conflict.assertions for conflict in told.conflicts()] == expected
    told.advance(4)
    assert len(told.conflicts()) == 1
    told.advance(5)
    assert told.conflicts() == ()


def test_there_are_no_conflicts_where_they_are_repaired(reasoner):
    reasoner.push(1, [valve("Open")])
    assert len(reasoner.push(2, [valve("Closed")]).repair.conflicts) == 1
    assert reasoner.conflicts() == ()


@pytest.mark.parametrize("given", ["a(X) :- b(X).", [], "alarms.lars"])
def test_temporal_rules_are_loaded_first(given):
    with pytest.raises(OptionError, match=r"temporal=.* TemporalRules from load_rules\(text\)"):
        StreamReasoner(Ontology.from_rules([]), Window(2), temporal=given)


def test_conclusions_are_joined_only_where_rules_conclude():
    with pytest.raises(OptionError, match=r"conclusions='default'.*temporal=load_rules"):
        StreamReasoner(Ontology.from_rules([]), Window(2), conclusions="default")
    with pytest.raises(OptionError, match="'graph' or 'default'"):
        StreamReasoner(Ontology.from_rules([]), Window(2), conclusions="everywhere")


@pytest.fixture
def cars(tmp_path):
    """A file with one assertion, an ontology with one axiom, and the fact that follows."""
    path = tmp_path / "cars.ttl"
    path.write_text("<urn:k> a <urn:Car> .")
    car, vehicle = URIRef("urn:Car"), URIRef("urn:Vehicle")
    ontology = load_ontology(Graph().add((car, RDFS.subClassOf, vehicle)))
    return path, ontology, (URIRef("urn:k"), RDF.type, vehicle)


def _reasoner(ontology):
    return StreamReasoner(ontology, Window(range=5))


FACES = {
    "background": lambda ontology, given: StreamReasoner(ontology, Window(5), given).materialization(),
    "push": lambda ontology, given: _reasoner(ontology).push(1, given).delta.added,
    "run": lambda ontology, given: next(_reasoner(ontology).run([(1, given)])).delta.added,
    "run out of order": lambda ontology, given: next(_reasoner(ontology).run([(1, given)], 3)).delta.added,
    "abox_stream": lambda ontology, given: (
        _reasoner(ontology).push(*next(pantarhei.abox_stream([(1, given)]))).delta.added
    ),
    "background of a graph": lambda ontology, given: pantarhei.DynamicGraph(ontology, given).graph,
    "change": lambda ontology, given: pantarhei.DynamicGraph(ontology).change(insert=given).delta.added,
    "materializer": lambda ontology, given: (
        _reasoner(ontology)
        .push_materialized(1, ABoxMaterializer(Foundation.of(ontology)).materialize(given))
        .delta.added
    ),
}


@pytest.mark.parametrize("face", FACES)
def test_a_file_is_an_argument_wherever_a_graph_is(cars, face):
    path, ontology, derived = cars
    for given in (path, str(path), [path], (path,), str(path.with_name("*.ttl"))):
        assert derived in FACES[face](ontology, given)
    if face.startswith("background"):
        assert derived in FACES[face](ontology, (str(path),))
    else:  # the items of an ABox can be untrusted data: a text among them is not a path
        with pytest.raises(pantarhei.InvalidTripleError):
            FACES[face](ontology, [str(path)])
    with pytest.raises(pantarhei.MissingFileError):
        FACES[face](ontology, path.with_name("missing.ttl"))


def test_a_file_that_cannot_be_read_is_handed_over_as_an_invalid_abox(cars):
    path, ontology, derived = cars
    missing, refused = path.with_name("missing.ttl"), []
    stream = [(1, missing), (2, path)]
    updates = list(_reasoner(ontology).run(stream, on_invalid=lambda *given: refused.append(given)))
    assert [update.at for update in updates] == [2] and derived in updates[0].delta.added
    ((at, given, error),) = refused
    assert (at, given, type(error)) == (1, missing, pantarhei.MissingFileError)


def test_an_entailment_of_a_file_is_decided_and_explained(cars):
    path, ontology, (_, _, vehicle) = cars
    axiom = path.with_name("axiom.ttl")
    axiom.write_text("<urn:Car> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Vehicle> .")
    triple = (URIRef("urn:Car"), RDFS.subClassOf, vehicle)
    for given in (axiom, str(axiom), [axiom], (axiom,)):
        assert ontology.entails(given)
        assert ontology.explain(given) == ontology.explain(triple)
