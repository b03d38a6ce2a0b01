"""Columns that share their distinct terms: each is looked up once, as long as numbers mean what they do."""

import pickle
import sys
from functools import partial
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, Namespace, URIRef, Variable

from counts import some
from interrupting import interrupted
from pantarhei import InvalidTripleError
from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.vocabulary import NumberedColumns, Vocabulary
from pantarhei.model.rule import Atom, Rule
from pantarhei.model.term import Place
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.triple_table import ColumnarTriples, TermColumn, columns_of
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.value import value_of

EX = Namespace("http://example.org/")


def literal(text, datatype=None, lang=None):
    return Literal(text, datatype=datatype, lang=lang, normalize=False)


# Names and texts that a careless key would confuse.
SUBJECTS = [EX.a, EX.b, URIRef("b"), BNode("b"), URIRef("_:b"), BNode("_:b"), URIRef("")]
LITERALS = [
    literal("b"), literal("_:b"), literal("b", lang="en"), literal("b", lang="EN"), literal("1", XSD.integer),
    literal("01", XSD.integer), literal("1.0", XSD.decimal), literal("1", XSD.double), literal("1"),
    literal("1", XSD.string), literal("http://example.org/a"), literal("1", EX.own),
    literal("true", XSD.boolean),
]  # fmt: skip
PREDICATES = [EX.a, EX.p, URIRef("b"), RDF.first]
triples = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(SUBJECTS), st.sampled_from(PREDICATES), st.sampled_from(SUBJECTS + LITERALS)
        ),
        st.tuples(st.sampled_from(SUBJECTS), st.just(RDF.type), st.sampled_from(SUBJECTS)),
    ),
    max_size=12,
)


def empty():
    return Vocabulary(compile_([]))


def key(triple):
    return (*triple[:2], value_of(triple[2]))


@given(triples)
@settings(deadline=None)
def test_triples_come_back_with_equal_values(given):
    vocabulary = empty()
    facts = vocabulary.encode(given).facts
    back = list(vocabulary.decode(facts))
    assert list(map(key, back)) == list(map(key, given))
    assert vocabulary.encode(back).facts.tolist() == facts.tolist()


@given(triples)
@settings(deadline=None)
def test_facts_are_equal_exactly_if_their_triples_are(given):
    facts = list(map(tuple, empty().encode(given).facts.tolist()))
    for one, first in zip(given, facts, strict=True):
        for other, second in zip(given, facts, strict=True):
            assert (first == second) is (key(one) == key(other))


@given(triples)
@settings(deadline=None)
def test_looking_up_finds_what_was_met_and_adds_nothing(given):
    vocabulary = empty()
    facts = vocabulary.encode(given).facts
    counts = len(vocabulary.names), len(vocabulary.literals), len(vocabulary.symbols)
    for (subject, predicate, object_), (symbol, who, what) in zip(given, facts.tolist(), strict=True):
        assert vocabulary.find(subject) == who
        if predicate == RDF.type:
            assert vocabulary.find_class(object_) == symbol and what == NONE
        else:
            assert vocabulary.find_property(predicate) == symbol
            assert vocabulary.find(object_) == what
            assert value_of(vocabulary.term(what)) == value_of(object_)
            assert (what >= FIRST_LITERAL) is isinstance(object_, Literal)
    for term in (EX.unmet, BNode("unmet"), literal("unmet"), literal("x", XSD.integer)):
        assert vocabulary.find(term) is None
    assert vocabulary.find_class(EX.unmet) is None and vocabulary.find_property(EX.unmet) is None
    assert (len(vocabulary.names), len(vocabulary.literals), len(vocabulary.symbols)) == counts


@given(triples)
@settings(deadline=None)
def test_a_table_has_the_numbers_of_its_triples(given):
    given = [t for t in given if all(isinstance(term, Literal) or "://" in term for term in t)]
    # N-Triples says of a simple literal that it is an xsd:string (RDF 1.1)
    given = [t for t in given if getattr(t[2], "datatype", None) != XSD.string]
    vocabulary = empty()
    facts, forms = vocabulary.encode(given)
    table = pa.table(
        {
            name: pa.array([triple[place].n3() for triple in given], pa.string())
            for place, name in enumerate(("subject", "predicate", "object"))
        }
    )
    whole = encode_abox(vocabulary, table, "m-")
    assert whole.facts.tolist() == facts.tolist() and whole.forms == forms
    half = encode_abox(vocabulary, table.slice(0, len(given) // 2), "n-")
    assert half.facts.tolist() == facts.tolist()[: len(given) // 2]


def test_the_program_is_numbered_first_and_as_it_numbers_itself():
    x = Variable("x")
    rules = [Rule("cls-hv1", (Atom(EX.C, (x,)),), Atom(EX.v, (x, literal("1", XSD.integer))))]
    rules += [Rule("cls-hv2", (Atom(EX.p, (x, EX.a)),), Atom(EX.D, (x,)))]
    program = compile_(rules)
    vocabulary = Vocabulary(program)
    assert tuple(vocabulary.symbols) == program.predicates
    assert tuple(vocabulary.names) == program.names and tuple(vocabulary.literals) == program.literals
    assert vocabulary.find(literal("1.0", XSD.decimal)) == FIRST_LITERAL


def test_a_class_and_a_property_of_one_name_are_two_symbols():
    vocabulary = empty()
    (first, second) = vocabulary.encode([(EX.a, RDF.type, EX.p), (EX.a, EX.p, EX.a)]).facts.tolist()
    assert first[0] != second[0]
    assert vocabulary.find_class(EX.p) == first[0] and vocabulary.find_property(EX.p) == second[0]


def test_an_error_leaves_the_numbers_given_so_far_in_force():
    vocabulary = empty()
    good = [(EX.a, EX.p, literal("1", XSD.integer)), (EX.b, RDF.type, EX.C)]
    before = vocabulary.encode(good).facts.tolist()
    with pytest.raises(InvalidTripleError):
        vocabulary.encode([(EX.new, EX.q, EX.a), (EX.a, EX.p)])
    assert vocabulary.encode(good).facts.tolist() == before
    assert list(vocabulary.decode(vocabulary.encode([(EX.new, EX.q, EX.a)]).facts)) == [(EX.new, EX.q, EX.a)]


HALF = "\ud83d"  # of an emoji's two


@pytest.mark.parametrize(
    "triple",
    [
        (URIRef(HALF), EX.p, EX.a),
        (EX.a, URIRef(HALF), EX.a),
        (EX.a, EX.p, BNode(HALF)),
        (EX.a, RDF.type, URIRef(HALF)),
        (EX.a, EX.p, literal(HALF)),
        (EX.a, EX.p, literal("1", URIRef(HALF))),
    ],
)
def test_half_a_character_is_refused_where_it_stands_and_leaves_nothing(triple):
    vocabulary = empty()
    with pytest.raises(InvalidTripleError, match="half a character"):
        vocabulary.encode([(EX.a, EX.q, EX.b), triple])
    known = [*vocabulary.symbols, *vocabulary.names, *vocabulary.literals]
    assert not any(HALF in str(each) for each in known)
    whole = (EX.a, EX.p, literal("😀"))
    assert list(vocabulary.decode(vocabulary.encode([whole]).facts)) == [whole]


def test_nothing_is_an_empty_array():
    assert empty().encode([]).facts.shape == (0, 3)
    assert list(empty().decode(empty().encode([]).facts)) == []


def test_what_memory_held_before_decides_no_form(monkeypatch):
    """Of what is given about a subject first, a class has no form, whatever stood in the array of facts."""
    given = [(EX.a, RDF.type, EX.A), (EX.a, EX.p, literal("01", XSD.integer))]
    forms = []
    for number in (NONE, FIRST_LITERAL):
        vocabulary = Vocabulary(compile_(()))
        vocabulary.number(literal("1", XSD.integer))
        with monkeypatch.context() as patch:
            patch.setattr(np, "empty", lambda shape, dtype, number=number: np.full(shape, number, dtype))
            forms.append(encoded_by_text(vocabulary, given).forms)
    assert forms[0] == forms[1]
    assert len(forms[0]) == 2, "by fact, and by subject and value"


# -- numbering is broken off -----------------------------------------------------------------------

KNOWN = [(EX.a, EX.p, literal("1", XSD.integer)), (EX.b, RDF.type, EX.A)]
BROKEN = [
    (EX.new, EX.q, literal("01", XSD.integer)),
    (EX.newer, RDF.type, EX.B),
    (EX.new, EX.q, literal("x", XSD.integer)),
    (EX.newer, EX.q, EX.newest),
]
OTHER = [
    (EX.other, EX.r, literal("7", XSD.integer)),
    (EX.others, RDF.type, EX.C),
    (EX.others, EX.r, literal("+7", XSD.integer)),
]


def table(triples):
    columns = zip(("subject", "predicate", "object"), zip(*triples, strict=True), strict=True)
    return pa.table({name: list(map(write_term, terms)) for name, terms in columns})


def encoded_by_text(vocabulary, given):
    return encode_abox(vocabulary, table(given), "m-")


def encoded_by_column(vocabulary, given):
    return encode_abox(vocabulary, ColumnarTriples([columns_of(table(given))]), "")


def numbering_broken_off(encode):
    """Vocabularies where the numbering of `BROKEN` broke off, at each line, with the marks of before."""
    files = {sys.modules[each.__module__].__file__ for each in (Vocabulary, encode_abox)}
    nth, going = 0, True
    while going:
        nth += 1
        vocabulary = Vocabulary(compile_(()))
        encode(vocabulary, KNOWN)
        mark = vocabulary.mark
        going = interrupted(partial(encode, vocabulary, BROKEN), nth, files.__contains__)
        yield vocabulary, mark


ENCODINGS = [Vocabulary.encode, encoded_by_text, encoded_by_column]
ways = pytest.mark.parametrize("encode", some(ENCODINGS, [encoded_by_text]))


@ways
def test_two_terms_have_two_numbers_wherever_numbering_broke_off(encode):
    for vocabulary, _ in numbering_broken_off(encode):
        for triples in (OTHER, BROKEN, KNOWN):
            facts, forms = encode(vocabulary, triples)
            assert list(vocabulary.decode(facts, forms.by_fact)) == triples
        ill_typed = {vocabulary.number(term) for _, _, term in BROKEN if str(term) == "x"}
        assert {n for n in range(FIRST_LITERAL, FIRST_LITERAL + 9) if n in vocabulary.ill_typed} == ill_typed


@ways
def test_what_was_numbered_before_numbering_broke_off_can_be_forgotten(encode):
    for vocabulary, mark in numbering_broken_off(encode):
        vocabulary.roll_back_to(mark)
        fresh = Vocabulary(compile_(()))
        encode(fresh, KNOWN)
        assert vocabulary.counts == fresh.counts
        assert vocabulary.size == fresh.size
        for triples in (OTHER, BROKEN):
            assert encode(vocabulary, triples).facts.tolist() == encode(fresh, triples).facts.tolist()
        assert vocabulary.counts == fresh.counts


# -- columns at a time -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_many_triples_have_the_facts_that_they_have_one_by_one(seed):
    rnd = Random(seed)
    objects = [
        EX.a,
        EX.b,
        EX["é"],
        BNode("b"),
        *(Literal(text, datatype=XSD.integer) for text in ("1", "01")),
    ]
    objects += [Literal("1.0", datatype=XSD.decimal), Literal(float("nan")), EX.c]
    objects = rnd.sample(objects, rnd.randint(1, len(objects)))
    predicates = [EX.p, EX.q, *[RDF.type] * (rnd.random() < 0.2)]
    subjects = [EX.a, EX.d, *[BNode("b")] * (rnd.random() < 0.2)]
    given = [tuple(map(rnd.choice, (subjects, predicates, objects))) for _ in range(20)]
    given = [each for each in given if each[1] != RDF.type or not isinstance(each[2], Literal)]
    told = []
    for ways in ((list, tuple), (iter, iter)):
        vocabulary = Vocabulary(compile_([]))
        for way, part in zip(ways, (given, [*given[::-1], (EX.e, EX.p, EX.f)]), strict=True):
            encoded = vocabulary.encode(way(part))
            told.append(list(vocabulary.decode(encoded.facts, encoded.forms.by_fact)))
            assert list(vocabulary.decode(encoded.facts)) == list(vocabulary.decode(encoded.facts.tolist()))
        assert vocabulary.counts[1] == len(vocabulary.names) == len(set(vocabulary.names))
    assert told[:2] == told[2:]


def test_of_many_triples_none_is_numbered_if_the_text_of_a_name_is_no_unicode():
    vocabulary = Vocabulary(compile_([]))
    given = [(EX[f"s{number}"], EX.p, EX.o) for number in range(20)]
    with pytest.raises(InvalidTripleError, match="half a character"):
        vocabulary.encode([*given, (EX["\ud800"], EX.p, EX.o)])
    assert vocabulary.counts[1] == 0
    assert list(vocabulary.decode(vocabulary.encode(given).facts)) == given


@pytest.mark.parametrize(
    "bad", [(EX.a, EX.p), [EX.a, EX.p, EX.b], (Literal(1), EX.p, EX.b), (EX.a, BNode(), EX.b)]
)
def test_among_many_triples_too_what_is_none_is_refused(bad):
    given = [(EX[f"s{number}"], EX.p, EX.o) for number in range(20)]
    with pytest.raises(InvalidTripleError):
        Vocabulary(compile_([])).encode([*given, bad])


TEXTS = np.array(["<urn:c>", "<urn:a>", "<urn:b>", '"01"'], object)
FORM = Literal("01", datatype=XSD.integer, normalize=False)


class LookUp:
    """Numbers texts in the order in which they come, and notes what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        numbers = np.arange(len(self.asked), len(self.asked) + len(texts), dtype=np.int32)
        self.asked += texts
        return numbers, {texts.index('"01"'): FORM} if '"01"' in texts else {}


def column(*codes, texts=TEXTS):
    return TermColumn(np.array(codes, np.int32), texts)


def test_a_term_is_looked_up_where_it_comes_first_and_not_again():
    columns, look_up = NumberedColumns(), LookUp()
    first, _ = columns.numbers_of(column(2, 1, 2), Place.SUBJECT, 1, look_up)
    second, _ = columns.numbers_of(column(1, 0, 2), Place.SUBJECT, 1, look_up)
    assert (first.tolist(), second.tolist()) == ([0, 1, 0], [1, 2, 0])
    assert look_up.asked == ["<urn:b>", "<urn:a>", "<urn:c>"]


def test_a_form_is_told_of_each_row_that_has_it():
    columns, look_up = NumberedColumns(), LookUp()
    assert columns.numbers_of(column(3, 1, 3), Place.OBJECT, 1, look_up)[1] == {0: FORM, 2: FORM}
    assert columns.numbers_of(column(1, 3), Place.OBJECT, 1, look_up)[1] == {1: FORM}
    assert columns.numbers_of(column(1), Place.OBJECT, 1, look_up)[1] == {}


def test_places_and_other_columns_are_apart_and_a_revision_ends_all():
    columns, look_up = NumberedColumns(), LookUp()
    for place, revision, texts in (
        (Place.SUBJECT, 1, TEXTS),
        (Place.OBJECT, 1, TEXTS),
        (Place.OBJECT, 1, TEXTS.copy()),
        (Place.OBJECT, 2, TEXTS),
    ):
        columns.numbers_of(column(1, texts=texts), place, revision, look_up)
    assert look_up.asked == ["<urn:a>"] * 4


def test_only_the_newest_columns_are_kept_and_none_in_another_process():
    columns, look_up = NumberedColumns(), LookUp()
    held = [TEXTS.copy() for _ in range(20)]
    for _ in range(2):
        for texts in held:
            columns.numbers_of(column(1, texts=texts), Place.SUBJECT, 1, look_up)
    assert len(look_up.asked) == 40
    columns.numbers_of(column(1, texts=held[-1]), Place.SUBJECT, 1, look_up)
    assert len(look_up.asked) == 40
    assert pickle.loads(pickle.dumps(columns))._known == {}
