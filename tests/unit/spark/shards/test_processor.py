"""Rows go to the shard of their subject's key, or are refused."""

import pyarrow as pa
import pytest
from rdflib import RDF, BNode

from pantarhei import Ontology
from pantarhei.errors import BackgroundOnlyError, InvalidTripleError, TimestampError
from pantarhei.model.rule import Rule
from pantarhei.spark.shards.processor import FIRST_TICK, LAST_TICK, Router
from pantarhei.spark.shards.shard import ROWS
from strategies import (
    EX,
    INDIVIDUALS,
    A,
    B,
    R,
    S,
    a,
    b,
    is_a,
    related,
    x,
    y,
)

IN = EX.inBuilding
RULES = [
    Rule("joined", (is_a(A, x), related(IN, x, y)), is_a(B, y)),
    Rule("not both", (is_a(B, y), related(IN, x, y), is_a(EX.C, x)), None),
    Rule("told", (related(R, x, y),), related(S, y, x)),
]
PLACES = [(name, IN, EX[f"building{number % 2}"]) for number, name in enumerate((*INDIVIDUALS, EX.d, EX.e))]


def router(shards):
    report = Ontology.from_rules(RULES, PLACES).sharding_report(keys=[IN])
    return Router(report, IN, shards)


def test_a_name_goes_to_one_shard_however_it_is_written():
    texts = [["<http://example.org/a>"], ["<http://example.org/\\u0061>"], ["<http://example.org/c>"]]
    batches = [pa.record_batch([[1], text, [R.n3()], [b.n3()]], ROWS.names) for text in texts]
    first, again, other = (each["shard"][0].as_py() for each in router(1000).route(batches))
    assert first == again == other  # a and c are in one building
    assert router(1000)._shard("<http://example.org/b>") != first


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ((None, a.n3(), R.n3(), b.n3()), TimestampError),
        ((FIRST_TICK - 1, a.n3(), R.n3(), b.n3()), TimestampError),
        ((LAST_TICK + 1, a.n3(), R.n3(), b.n3()), TimestampError),
        ((1, None, R.n3(), b.n3()), InvalidTripleError),
        ((1, '"text"', R.n3(), b.n3()), InvalidTripleError),
        ((1, a.n3(), "_:p", b.n3()), InvalidTripleError),
        ((1, a.n3(), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>", '"text"'), InvalidTripleError),
        ((1, a.n3(), "<http://www.w3.org/1999/02/22-rdf-syntax-ns#\\u0074ype>", A.n3()), InvalidTripleError),
        ((1, a.n3(), IN.n3(), b.n3()), BackgroundOnlyError),
    ],
)
def test_a_row_that_is_no_triple_or_not_for_the_stream_is_refused(row, error):
    batch = pa.record_batch(
        [pa.array([cell], kind) for cell, kind in zip(row, ROWS.types, strict=True)], ROWS
    )
    with pytest.raises(error):
        list(router(4).route([batch]))


def test_shards_that_can_hold_a_triple_are_found_by_its_key():
    streaming = [A, R, EX.C]
    rules = [*RULES, Rule("known", (related(R, x, y),), is_a(EX.Known, y))]
    report = Ontology.from_rules(rules, PLACES).sharding_report(streaming, keys=[IN])
    found = Router(report, IN, 7)
    (building,) = {where for name, _, where in PLACES if name == a}
    own = [found.shard_of(a)]
    assert found.shards_with((a, RDF.type, A)) == found.shards_with((building, RDF.type, B)) == own
    assert (
        found.shards_with((a, R, EX.e)) == found.shards_with((EX.e, S, a)) == own
    )  # an inverse: at its object
    assert list(found.shards_with((a, RDF.type, EX.Known))) == list(range(7))  # in that of whoever says it
    assert list(found.shards_with((BNode("b"), RDF.type, A))) == list(range(7))  # its label is another there
    assert found.shards_with((a, IN, building)) == [0]  # in each
