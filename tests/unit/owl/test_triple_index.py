"""The index: one order whatever the order given, and each triple by its subject, predicate and class."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, Namespace

from pantarhei.owl.triple_index import TripleIndex, triple_key

EX = Namespace("http://example.org/")
NODES = (EX.a, EX.b, BNode("a"), BNode("b"))
OBJECTS = (*NODES, Literal("a"), Literal("a", lang="en"), Literal("1"), Literal("1", datatype=XSD.integer))
TRIPLES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from((RDF.type, EX.p, EX.q)), st.sampled_from(OBJECTS))
)


@given(TRIPLES, st.integers(0, 1000))
def test_triples_are_each_once_in_the_order_of_their_keys_whatever_order_they_come_in(triples, seed):
    shuffled = Random(seed).sample(triples, len(triples))
    expected = tuple(sorted(set(triples), key=triple_key))
    assert TripleIndex(triples).triples == expected
    assert TripleIndex(iter(shuffled)).triples == expected


@given(TRIPLES)
def test_look_ups_give_what_a_scan_gives(triples):
    index = TripleIndex(triples)
    assert set(index.terms) == {term for triple in triples for term in triple}
    assert set(index.predicates()) == {p for _, p, _ in triples}
    for node in NODES:
        assert list(index.about(node)) == [t for t in index.triples if t[0] == node]
        for predicate in (RDF.type, EX.p):
            found = [o for s, p, o in index.triples if (s, p) == (node, predicate)]
            assert index.objects(node, predicate) == found
    for term in OBJECTS:
        assert index.instances(term) == [s for s, p, o in index.triples if (p, o) == (RDF.type, term)]
    assert index.with_predicate(EX.p) == [t for t in index.triples if t[1] == EX.p]


def test_of_triples_that_differ_only_in_the_case_of_a_language_the_first_stays():
    first, second = ((EX.a, EX.p, Literal("x", lang=lang)) for lang in ("en", "EN"))
    assert [t[2].n3() for t in TripleIndex([first, second]).triples] == ['"x"@en']
    assert [t[2].n3() for t in TripleIndex([second, first]).triples] == ['"x"@EN']
