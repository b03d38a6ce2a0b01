"""The estimate of a vocabulary's bytes, held against what was allocated for it."""

import gc
import tracemalloc

import pyarrow as pa
import pytest
from rdflib import RDF, XSD, BNode, Literal, URIRef

from counts import some
from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rules.compilation.program import compile_

COUNT = 20_000
A, P, C = URIRef("urn:x:a"), URIRef("urn:x:p"), URIRef("urn:x:C")


def literals(form):
    return lambda vocabulary: vocabulary.encode((A, P, form(i)) for i in range(COUNT))


TABLE = pa.table(
    {
        "subject": [f"<http://example.org/sensors/{i}>" for i in range(COUNT)],
        "predicate": [f"<{P}>"] * COUNT,
        "object": [f'"{i}.5"^^<{XSD.decimal}>' for i in range(COUNT)],
    }
)


MANY = {
    "names": lambda v: v.encode(
        (URIRef(f"http://example.org/sensors/{i}"), RDF.type, C) for i in range(COUNT)
    ),
    "long names": lambda v: v.encode((URIRef(f"urn:{'x' * 200}{i}"), RDF.type, C) for i in range(COUNT)),
    "blank nodes": lambda v: v.encode((BNode(f"sensor{i}"), RDF.type, C) for i in range(COUNT)),
    "strings": literals(lambda i: Literal(f"reading {i}")),
    "strings of a language": literals(lambda i: Literal(f"reading {i}", lang="en")),
    "integers": literals(Literal),
    "decimals": literals(lambda i: Literal(f"{i}.25", datatype=XSD.decimal)),
    "values in two forms": literals(lambda i: Literal(f"{i // 2}.{'0' * (1 + i % 2)}", datatype=XSD.decimal)),
    "classes": lambda v: v.encode(
        (A, RDF.type, URIRef(f"http://example.org/kinds/{i}")) for i in range(COUNT)
    ),
    "properties": lambda v: v.encode((A, URIRef(f"http://example.org/kinds/{i}"), A) for i in range(COUNT)),
    "a table": lambda v: encode_abox(v, TABLE, "m1-"),
}


@pytest.mark.parametrize("kind", some(MANY, ["names", "properties"]))
def test_the_estimate_is_within_a_quarter_of_what_was_allocated(kind):
    vocabulary = Vocabulary(compile_(()))
    vocabulary.encode([(A, P, Literal("warm"))])
    before = vocabulary_bytes(vocabulary)
    gc.collect()
    tracemalloc.start()
    try:
        MANY[kind](vocabulary)
        gc.collect()
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    estimated = vocabulary_bytes(vocabulary) - before
    assert 0.75 * allocated <= estimated <= 1.25 * allocated, (estimated / COUNT, allocated / COUNT)


@pytest.mark.long
def test_the_estimate_looks_at_a_sample_however_many_there_are(monkeypatch):
    import pantarhei.encoding.footprint as footprint

    measured = []
    whole = footprint._allocated
    monkeypatch.setattr(footprint, "_allocated", lambda value: measured.append(1) or whole(value))
    counts = []
    for size in (1000, 50_000):
        vocabulary = Vocabulary(compile_(()))
        vocabulary.encode((URIRef(f"urn:x:{i}"), P, Literal(i)) for i in range(size))
        measured.clear()
        vocabulary_bytes(vocabulary)
        counts.append(len(measured))
    assert counts[1] <= counts[0] + 10
