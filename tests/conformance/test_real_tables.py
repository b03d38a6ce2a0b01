"""Published tables as streams, against a few lines of plain Python over the same rows."""

import csv
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace

from pantarhei import StreamReasoner, Window, load_ontology, read_records
from pantarhei.io.tables.guess import first_rows, guess

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"
POLLUTION = FOLDER / "tables/pollution-wide.csv"
TRAFFIC = FOLDER / "tables/traffic.csv"
SERIES = sorted((FOLDER / "streams/nab/data").rglob("*.csv"))
EX = Namespace("http://example.org/city#")
SOSA = Namespace("http://www.w3.org/ns/sosa/")
AARHUS = ZoneInfo("Europe/Copenhagen")

needs_tables = pytest.mark.skipif(not POLLUTION.exists(), reason=f"no folder {POLLUTION.parent}")
needs_series = pytest.mark.skipif(not SERIES, reason=f"no series in {FOLDER / 'streams/nab'}")


def rows(path):
    with path.open(newline="") as file:
        yield from csv.DictReader(file)


def instant(text):
    return datetime.fromisoformat(text).replace(tzinfo=AARHUS).astimezone(UTC)


def literal(text, datatype):
    return Literal(text, datatype=datatype, normalize=False)


GASES = {
    "ozone": "Ozone",
    "particullate_matter": "ParticulateMatter",
    "carbon_monoxide": "CarbonMonoxide",
    "sulfure_dioxide": "SulphurDioxide",
    "nitrogen_dioxide": "NitrogenDioxide",
}


@needs_tables
def test_a_wide_table_is_melted_into_observations():
    melted = {column: {"property": f"ex:{name}"} for column, name in GASES.items()}
    mapping = {
        "prefixes": {"ex": str(EX), "sosa": str(SOSA)},
        "time": {"column": "timestamp", "zone": "Europe/Copenhagen"},
        "melt": {"columns": melted, "variable": "gas"},
        "mappings": {
            "observation": {
                "s": "ex:$(_row)/$(gas)",
                "po": [
                    ["a", "sosa:Observation"],
                    ["sosa:observedProperty", "$(property)~iri"],
                    ["sosa:hasSimpleResult", "$(value)", "xsd:integer"],
                ],
            }
        },
    }
    expected = []
    for number, row in enumerate(rows(POLLUTION), 1):
        triples = []
        for column, name in GASES.items():
            observation = EX[f"{number}/{column}"]
            triples += [
                (observation, RDF.type, SOSA.Observation),
                (observation, SOSA.observedProperty, EX[name]),
                (observation, SOSA.hasSimpleResult, literal(row[column], XSD.integer)),
            ]
        expected.append((instant(row["timestamp"]), tuple(triples)))
    assert len(expected) > 1_000
    assert [(at, tuple(triples)) for at, triples in read_records(POLLUTION, mapping)] == expected


@needs_tables
def test_a_traffic_table_says_what_it_says_row_by_row():
    mapping = {
        "prefixes": {"ex": str(EX)},
        "time": {"column": "TIMESTAMP", "zone": "Europe/Copenhagen"},
        "mappings": {
            "street": {
                "s": "ex:report/$(REPORT_ID)",
                "po": [
                    ["a", "ex:Street"],
                    ["ex:speed", "$(avgSpeed)", "xsd:decimal"],
                    ["ex:vehicles", "$(vehicleCount)", "xsd:integer"],
                    ["ex:status", "$(status)"],
                ],
            }
        },
    }
    expected: list = []
    for row in rows(TRAFFIC):
        street = EX[f"report/{row['REPORT_ID']}"]
        triples = (
            (street, RDF.type, EX.Street),
            (street, EX.speed, literal(row["avgSpeed"], XSD.decimal)),
            (street, EX.vehicles, literal(row["vehicleCount"], XSD.integer)),
            (street, EX.status, Literal(row["status"])),
        )
        at = instant(row["TIMESTAMP"])
        if expected and expected[-1][0] == at:
            triples = expected.pop()[1] + triples
        expected.append((at, triples))
    assert [(at, tuple(triples)) for at, triples in read_records(TRAFFIC, mapping)] == expected


@needs_series
@pytest.mark.parametrize("path", SERIES, ids=lambda path: path.stem)
def test_the_mapping_that_is_guessed_reads_a_series_as_it_stands(path):
    text = guess(*first_rows(str(path), None))
    reader = read_records(path, f"{text}\n")
    found = [(at, triple[2]) for at, triples in reader for triple in triples]
    assert [at for at, _ in found] == [
        datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC) for row in rows(path)
    ]
    assert [value.value for _, value in found] == [Decimal(row["value"]) for row in rows(path)]
    assert reader.skipped_count == 0


@needs_series
def test_a_threshold_is_met_by_the_readings_above_it_and_by_no_others():
    ontology = load_ontology(Graph().parse(data=_HOT))
    path = next(path for path in SERIES if path.stem.startswith("ambient"))
    mapping = {
        "prefixes": {"ex": str(EX)},
        "time": {"column": "timestamp", "zone": "UTC"},
        "mappings": {"room": {"s": "ex:room", "po": [["ex:temperature", "$(value)", "xsd:decimal"]]}},
    }
    reasoner = StreamReasoner(ontology, Window(range="PT0S"))
    hot = [
        (EX.room, RDF.type, EX.Hot) in reasoner.graph
        for update in reasoner.run(read_records(path, mapping), "PT1H")
    ]
    values: dict = {}
    for row in rows(path):
        values.setdefault(row["timestamp"], []).append(Decimal(row["value"]))
    assert hot == [max(given) >= 75 for _, given in sorted(values.items())]
    assert any(hot)


_HOT = f"""
    @prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :temperature a owl:DatatypeProperty .
    [ a owl:Restriction ; owl:onProperty :temperature ; owl:someValuesFrom
        [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ; owl:withRestrictions ([ xsd:minInclusive 75.0 ]) ] ]
        rdfs:subClassOf :Hot .
"""
