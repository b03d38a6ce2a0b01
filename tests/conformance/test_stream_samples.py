"""JSON-LD streams that others wrote: RSP-QL's examples and TripleWave's."""

from __future__ import annotations

import json
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest
from rdflib import URIRef

from pantarhei.errors import MalformedInputError, TimestampError
from pantarhei.io import read_stream

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "streams"
RSP_QL = FOLDER / "rsp-ql-examples" / "Example_RDF_Streams"
SAMPLED = "http://www.w3.org/2005/Incubator/ssn/ssnx/ssn#observationSamplingTime"
needs_data = pytest.mark.skipif(not FOLDER.exists(), reason=f"no folder {FOLDER}")


def is_json(path):
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


@needs_data
def test_each_stream_of_graphs_in_blank_nodes_is_read_whole():
    paths = sorted(RSP_QL.rglob("BGN_*.json"))
    for path in paths:
        graphs = json.loads(path.read_bytes())["@graph"]
        aboxes = list(read_stream(path, time=SAMPLED, zone="UTC", base="http://example.org/"))
        assert [abox.at.strftime("%Y-%m-%dT%H:%M:%S") for abox in aboxes] == list(
            dict.fromkeys(each["observedAt"] for each in graphs)
        )
        assert sum(len(abox.triples) for abox in aboxes) == sum(len(each["@graph"]) for each in graphs)
    assert len(paths) == 6


@needs_data
def test_numbers_and_texts_are_the_same_decimals():
    readings = []
    for name in ("Merged", "Unioned"):  # temperatures as numbers of JSON, and as texts
        path = RSP_QL / f"BGN_Location_TempC_Minute_{name}.json"
        aboxes = read_stream(path, time=SAMPLED, zone="UTC", base="http://example.org/")
        readings.append([sorted((s, Decimal(str(value))) for s, _, value in abox.triples) for abox in aboxes])
    assert readings[0] == readings[1]


@needs_data
def test_what_is_no_json_is_refused_with_its_line_and_so_are_graphs_that_are_elsewhere():
    refused = 0
    for path in sorted(RSP_QL.glob("*.json")):
        if not is_json(path):
            with pytest.raises(MalformedInputError, match=rf"{path.name}, line \d+: "):
                list(read_stream(path, time=SAMPLED, zone="UTC", base="http://example.org/"))
            refused += 1
    assert refused == 3
    with pytest.raises(TimestampError, match="a message with the times"):
        path = RSP_QL / "RGN_Location_TempC_Minute_Berlin.json"
        list(read_stream(path, time=SAMPLED, zone="UTC", base="http://example.org/"))


@needs_data
def test_their_times_have_no_zone_and_are_refused_without_one():
    with pytest.raises(TimestampError, match="option zone"):
        list(
            read_stream(RSP_QL / "BGN_Location_TempC_Minute_Berlin.json", time=SAMPLED, base="http://x.org/")
        )


@needs_data
def test_a_recorded_triplewave_stream_is_read_document_by_document():
    path = FOLDER / "triplewave" / "examples" / "rdfstream" / "stream.rs"
    documents = json.loads(path.read_bytes())
    aboxes = list(read_stream(path, format="jsonld"))
    times = {each["http://www.w3.org/ns/prov#generatedAtTime"] for each in documents}
    assert len(aboxes) == len(times) and all(first.at <= second.at for first, second in pairwise(aboxes))
    likes = sum("ldbc:likes" in item for each in documents for item in each["@graph"])
    predicate = URIRef("http://www.ldbc.eu/ldbc_socialnet/1.0/vocabulary/likes")
    assert sum(p == predicate for abox in aboxes for _, p, _ in abox.triples) == likes > 0


@needs_data
def test_a_context_elsewhere_is_never_fetched():
    path = FOLDER / "triplewave" / "examples" / "rdfstream" / "stream.1.rs"
    with pytest.raises(MalformedInputError, match=r"line 1: the context http.* is not known"):
        list(read_stream(path, format="jsonld"))
