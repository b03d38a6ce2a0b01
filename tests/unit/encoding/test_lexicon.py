"""Names are text until somebody asks for them, and then the terms that were given."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest
from rdflib import RDF, XSD, BNode, Literal, Namespace, URIRef

from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.lexicon import NameTable, Tables, key_of, keys_of_iris
from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Symbol, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.term import Place
from pantarhei.rdf.triple_table import ColumnarTriples, TermColumn, TripleColumns
from pantarhei.rules.compilation.program import compile_
from strategies import EX as StrategiesEX

EX = Namespace("http://example.org/")
GIVEN = [EX.a, BNode("b"), EX.b, URIRef(""), BNode("http://example.org/a"), URIRef("with space")]


def test_names_come_back_with_their_kinds():
    names = NameTable([key_of(name) for name in GIVEN])
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
        NameTable([key_of(EX.a)])[1]


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


ONE, ZERO_ONE = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01"))


def forget(vocabulary, kept):
    """The renaming that leaves what is in the facts `kept`, which the vocabulary takes over."""
    used = UsedTerms(*vocabulary.counts)
    used.add(kept)
    renaming = used.renaming()
    vocabulary.replace_tables(vocabulary.tables.renamed(renaming))
    return renaming


def test_tables_in_other_numbers_are_others_and_leave_the_old_ones_as_they_were():
    vocabulary = Vocabulary(compile_([]))
    facts = vocabulary.encode(
        [
            (StrategiesEX.a, StrategiesEX.p, ONE),
            (StrategiesEX.b, StrategiesEX.q, ZERO_ONE),
            (StrategiesEX.c, RDF.type, StrategiesEX.A),
        ]
    ).facts
    used = UsedTerms(*vocabulary.counts)
    used.add(facts[1:])
    old = vocabulary.tables
    known = [dict(table) if isinstance(table, dict) else table for table in old]
    new = old.renamed(used.renaming())
    assert list(old) == known
    assert list(new.name_numbers.values()) == [0, 1] and new.lexicon.names[1] == StrategiesEX.c
    assert new.lexicon.symbols == [Symbol(StrategiesEX.q, 2), Symbol(StrategiesEX.A, 1)]
    assert (*new.properties.values(), *new.classes.values()) == (0, 1)
    assert new.lexicon.literals == [ONE] and new.literal_numbers == {ONE: FIRST_LITERAL}
    assert new.variants == []  # that the value was met in another form is remembered, in which it is not
    assert new.lexicon.varied.among(np.array([FIRST_LITERAL])).tolist() == [True]


def test_empty_tables_know_nothing_and_share_nothing():
    one, other = Tables.empty(), Tables.empty()
    one.texts[Place.SUBJECT]["<urn:a>"] = 0
    one.name_numbers["urn:a"] = 0
    assert not any(other.texts.values()) and other.texts.keys() == set(Place)
    assert not any(map(len, other[1:7])) and len(other.lexicon.names) == 0


@pytest.mark.parametrize(
    ("place", "known"), [(Place.PREDICATE, StrategiesEX.p), (Place.CLASS, StrategiesEX.C)]
)
def test_what_symbol_a_text_means_is_not_remembered_beyond_its_number(place, known):
    vocabulary = Vocabulary(compile_([]))
    texts = [f"<{StrategiesEX.gone}>", f"<{known}>"]
    for _ in range(3):
        numbers = vocabulary.numbers_of(texts, place, "").numbers.tolist()
        assert numbers == [0, 1]
    facts = np.array([(1, vocabulary.number(StrategiesEX.a), vocabulary.number(StrategiesEX.a))], np.int32)
    forget(vocabulary, facts)
    assert vocabulary.numbers_of(texts[::-1], place, "").numbers.tolist() == [0, 1]
    assert [symbol.name for symbol in vocabulary.symbols] == [known, StrategiesEX.gone]


def test_further_names_of_what_is_kept_are_kept():
    vocabulary = Vocabulary(compile_([]))
    vocabulary.merge(StrategiesEX.a, [StrategiesEX.other])
    encoded = vocabulary.encode(
        [
            (StrategiesEX.gone, StrategiesEX.p, StrategiesEX.b),
            (StrategiesEX.other, StrategiesEX.p, StrategiesEX.b),
        ]
    )
    renaming = forget(vocabulary, encoded.facts[1:])
    assert (
        vocabulary.find(StrategiesEX.other)
        == vocabulary.find(StrategiesEX.a)
        == renaming.facts(encoded.facts[1:])[0, 1]
    )
    assert vocabulary.find(StrategiesEX.gone) is None


def test_what_is_found_by_text_is_found_by_its_new_number():
    vocabulary = Vocabulary(compile_([]))
    texts = [f"<{StrategiesEX}n{i}>" for i in range(4)]
    for _ in range(3):
        before = vocabulary.numbers_of(texts, Place.OBJECT, "").numbers
    number = vocabulary.number_symbol(Symbol(StrategiesEX.p, 2))
    facts = np.array([(number, before[2], before[3])], np.int32)
    renaming = forget(vocabulary, facts)
    found = vocabulary.numbers_of(texts, Place.OBJECT, "").numbers.tolist()
    assert found[2:] == [0, 1] == renaming.facts(facts)[0, 1:].tolist()
    assert found[:2] == [2, 3] and len(vocabulary.names) == 4


@pytest.mark.parametrize("place", [Place.SUBJECT, Place.OBJECT])
def test_one_name_in_many_spellings_takes_no_room(place):
    vocabulary = Vocabulary(compile_([]))
    for number in range(300):
        escaped = "".join(f"\\u{ord(c):04X}" if number >> i & 1 else c for i, c in enumerate("exampleorg"))
        for _ in range(2):
            assert vocabulary.numbers_of([f"<http://{escaped}>"], place, "").numbers.tolist() == [0]
    assert vocabulary.size > 200
    forget(vocabulary, np.array([(NONE, 0, NONE)], np.int32))
    assert vocabulary.size < 100 and vocabulary.find(URIRef("http://exampleorg")) == 0


def test_an_earlier_lexicon_keeps_its_numbers():
    vocabulary = Vocabulary(compile_([]))
    triples = [(StrategiesEX.a, StrategiesEX.p, ONE), (StrategiesEX.b, StrategiesEX.p, ZERO_ONE)]
    encoded = vocabulary.encode(triples)
    lexicon = vocabulary.lexicon
    forget(vocabulary, NO_FACTS)
    vocabulary.encode(
        [
            (StrategiesEX.c, StrategiesEX.other, Literal("other")),
            (StrategiesEX.d, RDF.type, StrategiesEX.Other),
        ]
    )
    assert list(lexicon.decode(encoded.facts, encoded.forms.by_fact)) == triples


@pytest.mark.parametrize("merges", [False, True])
def test_names_that_have_the_number_of_another_keep_it(merges):
    vocabulary = Vocabulary(compile_([]))
    if merges:
        vocabulary.merge(StrategiesEX.a, [StrategiesEX.also])
    vocabulary.names.keys.append("<left behind>")
    numbers = [vocabulary.number(name) for name in (StrategiesEX.a, StrategiesEX.b, StrategiesEX.c)]
    used = UsedTerms(*vocabulary.counts)
    used.names[[numbers[0], numbers[2]]] = 1
    vocabulary.replace_tables(vocabulary.tables.renamed(used.renaming()))
    assert [vocabulary.find(name) for name in (StrategiesEX.a, StrategiesEX.b, StrategiesEX.c)] == [
        0,
        None,
        1,
    ]
    assert vocabulary.find(StrategiesEX.also) == (0 if merges else None)
