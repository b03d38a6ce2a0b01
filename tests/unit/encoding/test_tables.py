"""All that a vocabulary knows, in new numbers once some of it is forgotten."""

import numpy as np
import pytest
from rdflib import RDF, XSD, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FACTS, NONE, Symbol
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.encoding.tables import Tables
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.term import Place
from pantarhei.rules.compilation.program import compile_
from strategies import EX

ONE, ZERO_ONE = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01"))


def forget(vocabulary, kept):
    """The renaming that leaves what is in the facts `kept`, which the vocabulary takes over."""
    used = UsedTerms(*vocabulary.counts)
    used.add(kept)
    renaming = used.renaming()
    vocabulary.go_on_with(vocabulary.tables.renamed(renaming))
    return renaming


def test_tables_in_other_numbers_are_others_and_leave_the_old_ones_as_they_were():
    vocabulary = Vocabulary(compile_([]))
    facts = vocabulary.encode([(EX.a, EX.p, ONE), (EX.b, EX.q, ZERO_ONE), (EX.c, RDF.type, EX.A)]).facts
    used = UsedTerms(*vocabulary.counts)
    used.add(facts[1:])
    old = vocabulary.tables
    known = [dict(table) if isinstance(table, dict) else table for table in old]
    new = old.renamed(used.renaming())
    assert list(old) == known
    assert list(new.name_numbers.values()) == [0, 1] and new.lexicon.names[1] == EX.c
    assert new.lexicon.symbols == [Symbol(EX.q, 2), Symbol(EX.A, 1)]
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


@pytest.mark.parametrize(("place", "known"), [(Place.PREDICATE, EX.p), (Place.CLASS, EX.C)])
def test_what_symbol_a_text_means_is_not_remembered_beyond_its_number(place, known):
    vocabulary = Vocabulary(compile_([]))
    texts = [f"<{EX.gone}>", f"<{known}>"]
    for _ in range(3):
        numbers = vocabulary.numbers_of(texts, place, "").numbers.tolist()
        assert numbers == [0, 1]
    facts = np.array([(1, vocabulary.number(EX.a), vocabulary.number(EX.a))], np.int32)
    forget(vocabulary, facts)
    assert vocabulary.numbers_of(texts[::-1], place, "").numbers.tolist() == [0, 1]
    assert [symbol.name for symbol in vocabulary.symbols] == [known, EX.gone]


def test_further_names_of_what_is_kept_are_kept():
    vocabulary = Vocabulary(compile_([]))
    vocabulary.merge(EX.a, [EX.other])
    encoded = vocabulary.encode([(EX.gone, EX.p, EX.b), (EX.other, EX.p, EX.b)])
    renaming = forget(vocabulary, encoded.facts[1:])
    assert vocabulary.find(EX.other) == vocabulary.find(EX.a) == renaming.facts(encoded.facts[1:])[0, 1]
    assert vocabulary.find(EX.gone) is None


def test_what_is_found_by_text_is_found_by_its_new_number():
    vocabulary = Vocabulary(compile_([]))
    texts = [f"<{EX}n{i}>" for i in range(4)]
    for _ in range(3):
        before = vocabulary.numbers_of(texts, Place.OBJECT, "").numbers
    number = vocabulary.number_symbol(Symbol(EX.p, 2))
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
    triples = [(EX.a, EX.p, ONE), (EX.b, EX.p, ZERO_ONE)]
    encoded = vocabulary.encode(triples)
    lexicon = vocabulary.lexicon
    forget(vocabulary, NO_FACTS)
    vocabulary.encode([(EX.c, EX.other, Literal("other")), (EX.d, RDF.type, EX.Other)])
    assert list(lexicon.decode(encoded.facts, encoded.forms.by_fact)) == triples


@pytest.mark.parametrize("merges", [False, True])
def test_names_that_have_the_number_of_another_keep_it(merges):
    vocabulary = Vocabulary(compile_([]))
    if merges:
        vocabulary.merge(EX.a, [EX.also])
    vocabulary.names.keys.append("<left behind>")
    numbers = [vocabulary.number(name) for name in (EX.a, EX.b, EX.c)]
    used = UsedTerms(*vocabulary.counts)
    used.names[[numbers[0], numbers[2]]] = 1
    vocabulary.go_on_with(vocabulary.tables.renamed(used.renaming()))
    assert [vocabulary.find(name) for name in (EX.a, EX.b, EX.c)] == [0, None, 1]
    assert vocabulary.find(EX.also) == (0 if merges else None)
