"""Published readings through the engine, against a few lines of plain Python over the same rows.

The temperature of a machine, every five minutes for eleven weeks, until it fails. Each row asserts a reading
(a functional property) and one of three disjoint classes, so that a repair happens at nearly every row. On
one morning the clock was put back by an hour: an hour of rows comes twice, with different values.
"""

import csv
import random
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace

from arrivals import in_time_order
from pantarhei import StreamReasoner, Window, load_ontology

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"
READINGS = FOLDER / "streams/nab/data/realKnownCause/machine_temperature_system_failure.csv"
SOSA_FILE = FOLDER / "ontologies/sosa.nt"

EX = Namespace("http://example.org/plant#")
SOSA = Namespace("http://www.w3.org/ns/sosa/")
RANGE = timedelta(hours=6)
PLANT = """
    @prefix : <http://example.org/plant#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    [] a owl:AllDisjointClasses ; owl:members (:Low :Normal :High) .
    :Low rdfs:subClassOf :Cold .
    :High rdfs:subClassOf :Alarming .
    :Alarming rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :asks ; owl:hasValue :operator ] .
    :reading a owl:DatatypeProperty, owl:FunctionalProperty ; rdfs:domain :Measured .
    :asks a owl:ObjectProperty . :contains a owl:ObjectProperty ; owl:inverseOf :isIn .
    :isIn a owl:ObjectProperty , owl:TransitiveProperty .
    [ a owl:Restriction ; owl:onProperty :contains ; owl:someValuesFrom :Alarming ]
        rdfs:subClassOf :AlarmedPlace .
    :machine :isIn :hall . :hall :isIn :site .
"""


# -- a machine's temperature -----------------------------------------------------------------------

needs_readings = pytest.mark.skipif(not READINGS.exists(), reason=f"no file {READINGS}")
keeps = pytest.mark.parametrize("keep", ["newest", "every"])


def class_of(value):
    return EX.Low if value < 85 else EX.Normal if value < 95 else EX.High


def rows():
    """(time, value) of each row, in the order of the file."""
    with READINGS.open(newline="") as file:
        return [
            (datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC), Decimal(row["value"]))
            for row in csv.DictReader(file)
        ]


def abox(value):
    reading = Literal(str(value), datatype=XSD.decimal, normalize=False)
    return [(EX.machine, EX.reading, reading), (EX.machine, RDF.type, class_of(value))]


def one_by_one(given):
    """The readings in the order of their times, those of one time one after the other."""
    return [(at, value) for at, values in in_time_order(given, "PT1H") for value in values]


def plant(**options):
    return StreamReasoner(load_ontology(Graph().parse(data=PLANT)), Window(RANGE), **options)


def latest_run(by_time, now, key):
    """{time: value} back from the newest time, as long as every value there has the newest one's key.

    Newest wins: an older reading with another key has been cut, and two readings of one time with different
    keys cut each other and all before them.
    """
    run, newest = {}, None
    for at in sorted((at for at in by_time if now - RANGE <= at <= now), reverse=True):
        keys = {key(value) for value in by_time[at]}
        newest = newest or keys
        if len(keys) > 1 or keys != newest:
            break
        (run[at],) = keys
    return run


def expected(by_time, now):
    """(assertions kept, facts that follow from them and the background)."""
    classes = latest_run(by_time, now, class_of)
    values = latest_run(by_time, now, lambda value: value)
    kept = {(at, (EX.machine, RDF.type, name)) for at, name in classes.items()}
    kept |= {(at, abox(value)[0]) for at, value in values.items()}
    facts = {triple for _, triple in kept}
    facts |= {(EX.machine, EX.isIn, EX.hall), (EX.machine, EX.isIn, EX.site), (EX.hall, EX.isIn, EX.site)}
    facts |= {(o, EX.contains, s) for s, p, o in facts if p == EX.isIn}
    if values:
        facts.add((EX.machine, RDF.type, EX.Measured))
    if EX.Low in classes.values():
        facts.add((EX.machine, RDF.type, EX.Cold))
    if EX.High in classes.values():
        facts |= {(EX.machine, RDF.type, EX.Alarming), (EX.machine, EX.asks, EX.operator)}
        facts |= {(place, RDF.type, EX.AlarmedPlace) for place in (EX.hall, EX.site)}
    return kept, facts


@needs_readings
@pytest.mark.long
@keeps
def test_the_newest_reading_wins_at_every_row_of_the_morning_when_the_clock_was_put_back(keep):
    morning = datetime(2014, 1, 7, tzinfo=UTC)
    given = [row for row in rows() if abs(row[0] - morning) < timedelta(hours=18)]
    assert any(after[0] < before[0] for before, after in pairwise(given)), "no disorder"
    reasoner, by_time, repairs = plant(keep=keep), {}, 0
    for at, value in one_by_one(given):
        before = {one for one in reasoner.assertions() if at - RANGE <= one[0]}
        second = at in by_time
        by_time.setdefault(at, []).append(value)
        update = reasoner.push(at, abox(value))
        kept, facts = expected(by_time, at)
        assert reasoner.assertions() == kept
        assert reasoner.materialization() == facts
        if not second:
            assert update.repair.removed == (before | {(at, triple) for triple in abox(value)}) - kept
        repairs += bool(update.repair.removed)
    assert any(len(values) == 2 for values in by_time.values())
    assert {class_of(value) for _, value in given} == {EX.Low, EX.Normal, EX.High}
    assert repairs > 300


@pytest.mark.long
@needs_readings
def test_the_weeks_before_the_failure_agree_wherever_one_looks():
    reasoner, by_time, dice, looked = plant(), {}, random.Random(1), 0
    seen = set()
    stream = one_by_one(rows()[-9000:])
    for at, value in stream:
        by_time.setdefault(at, []).append(value)
        reasoner.push(at, abox(value))
        if dice.random() < 0.02:
            while at - next(iter(by_time)) > 2 * RANGE:
                del by_time[next(iter(by_time))]
            kept, facts = expected(by_time, at)
            assert reasoner.assertions() == kept
            assert reasoner.materialization() == facts
            assert set(reasoner.timestamps) == {time for time in by_time if time >= at - RANGE}
            alarmed = reasoner.query("SELECT ?place WHERE { ?place a :AlarmedPlace }")
            assert {row.place for row in alarmed} == {s for s, _, o in facts if o == EX.AlarmedPlace}
            seen |= {triple[2] for _, triple in kept}
            looked += 1
    assert looked > 120 and {EX.Low, EX.Normal, EX.High} <= seen
    reasoner.advance(stream[-1][0] + 2 * RANGE)
    assert reasoner.materialization() == expected({}, stream[-1][0])[1]


@needs_readings
def test_the_stream_of_the_file_runs_with_allowed_lateness():
    """`run` holds the disordered rows back until they are in order; those of one time are one ABox."""
    given = [row for row in rows() if row[0].date() == datetime(2014, 1, 7).date()]
    reasoner = plant()
    updates = list(reasoner.run(((at, abox(value)) for at, value in given), "PT1H"))
    assert [update.at for update in updates] == sorted({at for at, _ in given})
    assert len(updates) < len(given)
    assert all(update.end - update.start == RANGE for update in updates)


# -- observations with a published vocabulary ------------------------------------------------------


@pytest.mark.skipif(not SOSA_FILE.exists(), reason=f"no file {SOSA_FILE}")
@keeps
def test_observations_are_found_from_their_sensor_and_their_result(keep):
    #   t            10:00  10:05  10:10  10:15        window of 10 minutes
    #   observation    0      1      2      3
    reasoner = StreamReasoner(load_ontology(SOSA_FILE), Window("PT10M"), keep=keep)
    start = datetime(2026, 1, 1, 10, tzinfo=UTC)
    background = reasoner.materialization()
    given = {}
    for number in range(4):
        at = start + number * timedelta(minutes=5)
        observation, result = EX[f"observation{number}"], EX[f"result{number}"]
        time = Literal(at.isoformat(), datatype=XSD.dateTime)
        given[number] = [
            (observation, RDF.type, SOSA.Observation),
            (observation, SOSA.madeBySensor, EX.sensor),
            (observation, SOSA.hasResult, result),
            (observation, SOSA.hasFeatureOfInterest, EX.hall),
            (observation, SOSA.observedProperty, EX.temperature),
            (observation, SOSA.resultTime, time),
        ]
        reasoner.push(at, given[number])
    inside = {1, 2, 3}
    facts = {triple for number in inside for triple in given[number]}
    for number in inside:
        observation = EX[f"observation{number}"]
        facts |= {
            (EX.sensor, SOSA.madeObservation, observation),
            (EX[f"result{number}"], SOSA.isResultOf, observation),
            (EX.hall, SOSA.isFeatureOfInterestOf, observation),
        }
    assert reasoner.materialization() - background == facts
    rows = reasoner.query("SELECT ?o WHERE { ?sensor sosa:madeObservation/sosa:hasResult ?o }")
    assert {row.o for row in rows} == {EX[f"result{number}"] for number in inside}


@pytest.mark.skipif(not SOSA_FILE.exists(), reason=f"no file {SOSA_FILE}")
def test_what_is_hosted_is_known_from_either_side():
    """schema:domainIncludes says nothing in OWL: nothing becomes a platform by hosting."""
    reasoner = StreamReasoner(load_ontology(SOSA_FILE), Window(5))
    update = reasoner.push(1, [(EX.phone, SOSA.hosts, EX.sensor), (EX.room, SOSA.isActedOnBy, EX.door)])
    assert update.delta.added == {
        (EX.phone, SOSA.hosts, EX.sensor),
        (EX.sensor, SOSA.isHostedBy, EX.phone),
        (EX.room, SOSA.isActedOnBy, EX.door),
        (EX.door, SOSA.actsOnProperty, EX.room),
    }
    again = reasoner.push(2, [(EX.sensor, SOSA.isHostedBy, EX.phone)])
    assert not again.delta.added and not again.delta.removed
    gone = reasoner.advance(7)
    assert gone.delta.removed == {
        (EX.room, SOSA.isActedOnBy, EX.door),
        (EX.door, SOSA.actsOnProperty, EX.room),
    }
