"""ABoxes as triples, by column and as tables come to the same numbers."""

import pyarrow as pa
import pytest
from rdflib import RDF, XSD, BNode, Graph, Literal

from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidTripleError
from pantarhei.rules.compilation.program import compile_
from strategies import A, B, R, V, a, b, c, member

ZERO_ONE = Literal("01", datatype=XSD.integer, normalize=False)
TRIPLES = [member(A, a), (a, R, b), (b, V, Literal(1)), (c, V, ZERO_ONE), member(B, b), (a, R, b)]


def table(triples):
    columns = zip(("subject", "predicate", "object"), zip(*triples, strict=True), strict=True)
    return pa.table({name: [term.n3() for term in terms] for name, terms in columns})


def fresh():
    return Vocabulary(compile_([]))


def test_a_table_says_the_same_as_its_triples_in_their_order():
    vocabulary = fresh()
    by_row = encode_abox(vocabulary, TRIPLES, "")
    by_column = encode_abox(vocabulary, table(TRIPLES), "")
    assert by_column.facts.tolist() == by_row.facts.tolist()
    assert by_column.forms == by_row.forms and len(by_row.forms.by_fact) == 1
    known = by_row.forms.by_fact
    assert list(vocabulary.decode(by_column.facts, known)) == TRIPLES


@pytest.mark.parametrize("give", [iter, lambda triples: Graph().__iadd__(triples)], ids=["iterator", "graph"])
def test_a_graph_and_an_iterator_say_the_same_as_their_triples(give):
    vocabulary = fresh()
    found, forms = encode_abox(vocabulary, give(TRIPLES), "")
    assert set(vocabulary.decode(found, forms.by_fact)) == set(TRIPLES)


def test_blank_nodes_of_a_table_belong_to_its_scope_and_those_of_triples_are_what_they_are():
    vocabulary = fresh()
    triples = [(BNode("n"), R, BNode("n"))]
    one, other, same = (encode_abox(vocabulary, table(triples), scope).facts for scope in ("x", "y", "x"))
    plain = encode_abox(vocabulary, triples, "x").facts
    assert one.tolist() == same.tolist()
    assert len({row[1] for found in (one, other, plain) for row in found.tolist()}) == 3
    assert set(vocabulary.names) == {BNode("xn"), BNode("yn"), BNode("n")}


def test_rdf_type_is_known_however_it_is_written():
    vocabulary = fresh()
    escaped = f"<{RDF.type}>".replace("#type", "#\\u0074ype")
    rows = {"subject": ["<urn:a>"], "predicate": [escaped], "object": ["<urn:A>"]}
    assert encode_abox(vocabulary, pa.table(rows), "").facts[0, 2] == NONE
    assert [symbol.arity for symbol in vocabulary.symbols] == [1]


@pytest.mark.parametrize("place", ["subject", "predicate", "object"])
@pytest.mark.parametrize("cell", [None, "no term"])
def test_a_cell_that_is_no_term_is_refused_in_each_column(place, cell):
    rows = {"subject": ["<urn:a>"], "predicate": ["<urn:p>"], "object": ["<urn:b>"], place: [cell]}
    with pytest.raises(InvalidTripleError):
        encode_abox(
            fresh(), pa.table({name: pa.array(cells, pa.string()) for name, cells in rows.items()}), ""
        )


def test_a_table_of_no_rows_has_no_facts():
    empty = pa.table({name: pa.array([], pa.string()) for name in ("subject", "predicate", "object")})
    assert encode_abox(fresh(), empty, "").facts.shape == (0, 3)
