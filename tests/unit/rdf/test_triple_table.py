"""Triples by column are, to those who look, the tuple of the triples."""

import pickle

import pyarrow as pa
import pytest
from rdflib import RDF, Literal, URIRef

from pantarhei.errors import InvalidTripleError, OptionError
from pantarhei.rdf.triple_table import NAMES, ColumnarTriples, columns_of, is_table, triples_of

TRIPLES = [
    (URIRef(f"urn:{i % 3}"), RDF.type if i % 2 else URIRef("urn:p"), URIRef("urn:o")) for i in range(9)
]
TABLE = pa.table({name: [triple[i].n3() for triple in TRIPLES] for i, name in enumerate(NAMES)})


def test_in_whole_or_in_part_they_equal_the_tuple_and_pickle_as_one():
    columns = columns_of(TABLE)
    more = (URIRef("urn:x"), URIRef("urn:p"), Literal("01"))
    made = ColumnarTriples([columns.slice(0, 4), (more,), columns.slice(4, 9)])
    expected = (*TRIPLES[:4], more, *TRIPLES[4:])
    assert len(made) == 10 and made._made is None
    assert made == expected and made[4] == more and more in made and hash(made) == hash(expected)
    again = pickle.loads(pickle.dumps(made))
    assert type(again) is tuple and again == expected


def test_a_column_of_some_rows_has_the_terms_of_these_alone_in_their_order():
    some = columns_of(TABLE).subject.occurring(slice(4, 6))
    assert (some.codes.tolist(), some.distinct.tolist()) == ([0, 1], ["<urn:1>", "<urn:2>"])


@pytest.mark.parametrize(
    "columns",
    [{"subject": ["<urn:a>"]}, {"subject": [None], "predicate": ["<urn:p>"], "object": ["<urn:o>"]}],
    ids=["a column is missing", "a cell is null"],
)
def test_a_table_that_holds_no_triples_is_refused(columns):
    with pytest.raises(InvalidTripleError):
        columns_of(pa.table(columns))


def test_background_is_a_graph_triples_or_a_table_and_nothing_else():
    assert triples_of(None) == () and list(triples_of(TRIPLES)) == TRIPLES
    assert list(triples_of(TABLE)) == TRIPLES
    assert is_table(TABLE) and not is_table(TRIPLES)
    with pytest.raises(OptionError, match="background"):
        triples_of("background.ttl")
