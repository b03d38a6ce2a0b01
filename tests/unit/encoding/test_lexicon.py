"""Names are text until somebody asks for them, and then the terms that were given."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest
from rdflib import RDF, BNode, Namespace, URIRef

from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.lexicon import Names, key_of, keys_of_iris
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.rdf.triple_table import ColumnarTriples, TermColumn, TripleColumns
from pantarhei.rules.compilation.program import compile_

EX = Namespace("http://example.org/")
GIVEN = [EX.a, BNode("b"), EX.b, URIRef(""), BNode("http://example.org/a"), URIRef("with space")]


def test_names_come_back_with_their_kinds():
    names = Names([key_of(name) for name in GIVEN])
    assert [*names] == GIVEN and [*map(type, names)] == [*map(type, GIVEN)]
    assert names[1:3] == GIVEN[1:3] and names[-1] == GIVEN[-1] and len(names) == len(GIVEN)


def test_classes_and_properties_come_back_as_rdflibs_own_terms():
    class Mine(URIRef):
        pass

    vocabulary = Vocabulary(compile_([]))
    facts = vocabulary.encode([(EX.a, Mine(EX.p), EX.b), (EX.a, RDF.type, Mine(EX.C))]).facts
    found = list(vocabulary.decode(facts))
    assert [type(found[0][1]), type(found[1][2])] == [URIRef, URIRef]
    assert found == list(
        vocabulary.decode(vocabulary.encode([(EX.a, EX.p, EX.b), (EX.a, RDF.type, EX.C)]).facts)
    )


def test_a_subclass_of_blank_nodes_is_a_blank_node():
    class Own(BNode):
        pass

    assert key_of(Own("b")) == key_of(BNode("b"))


ODD = [URIRef("line\nbreak"), URIRef("a>\n<b"), URIRef("\n"), URIRef(""), URIRef("c>")]


@pytest.mark.parametrize("odd", [[], *([each] for each in ODD), ODD])
def test_many_iris_have_the_keys_that_they_have_one_by_one(odd):
    names = [*(EX[f"n{i}"] for i in range(9)), *odd, EX.last]
    assert keys_of_iris(names) == list(map(key_of, names))
    assert {*map(type, keys_of_iris(names))} == {str}


ODD_NODES = [BNode("b"), BNode("b>"), BNode("\n<")]


@pytest.mark.parametrize("odd", [[], *([each] for each in ODD), [*ODD, *ODD_NODES]])
@pytest.mark.parametrize("is_last", [True, False])
def test_many_facts_have_the_names_that_they_have_one_by_one(odd, is_last):
    vocabulary, iris = Vocabulary(compile_([])), [EX[f"n{i}"] for i in range(9)]
    names = [*iris, *odd] if is_last else [*odd, *iris]
    triples = [(name, EX.p, name) for name in names]
    facts = np.concatenate([vocabulary.encode([triple]).facts for triple in triples])
    found = list(vocabulary.decode(facts))
    assert found == triples
    assert [type(subject) for subject, _, _ in found] == list(map(type, names))


def test_there_is_no_name_beyond_the_last():
    with pytest.raises(IndexError):
        Names([key_of(EX.a)])[1]


def test_in_one_look_each_name_is_made_once():
    vocabulary = Vocabulary(compile_([]))
    facts = vocabulary.encode([(EX.a, EX.p, EX.b), (EX.b, EX.p, EX.a), (EX.a, RDF.type, EX.C)]).facts
    (first, second, third) = vocabulary.decode(facts)
    assert first[0] is second[2] is third[0] and first[2] is second[0]


@pytest.mark.parametrize("by_column", [True, False])
def test_a_vocabulary_holds_no_term_for_a_name(by_column):
    vocabulary = Vocabulary(compile_([]))
    texts = [f"<http://example.org/x{i}>" for i in range(50)]
    if by_column:
        columns = [TermColumn.of(coded(column)) for column in (texts, [EX.p.n3()] * 50, texts[::-1])]
        encode_abox(vocabulary, ColumnarTriples([TripleColumns(*columns)]), "")
    else:
        vocabulary.encode([(EX[f"x{i}"], EX.p, EX[f"x{49 - i}"]) for i in range(50)])
    assert len(vocabulary.names) == 50
    gc.collect()
    assert not [held for held in reachable(vocabulary.tables) if isinstance(held, URIRef) and "/x" in held]


def test_a_lexicon_can_be_pickled():
    vocabulary = Vocabulary(compile_([]))
    facts = vocabulary.encode([(EX.a, EX.p, BNode("b"))]).facts
    lexicon = pickle.loads(pickle.dumps(vocabulary.lexicon))
    assert list(lexicon.decode(facts)) == [(EX.a, EX.p, BNode("b"))]


def coded(texts):
    import pyarrow as pa

    return pa.array(texts).dictionary_encode()


def reachable(root):
    """What a value holds, but for code."""
    found, left = {}, [root]
    while left:
        held = left.pop()
        if id(held) in found or callable(held):
            continue
        found[id(held)] = held
        left += gc.get_referents(held)
    return found.values()
