"""What the integers of the engine are."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Literal, Namespace

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.numbers import (
    FIRST_LITERAL,
    NO_FACTS,
    NO_FORMS,
    NONE,
    Encoded,
    Forms,
    Symbol,
    UsedTerms,
    as_tuples,
    by_predicate,
    distinct_facts,
    hash_keys,
    net_changes,
    signed,
)
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Atom, Member, Rule
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.value import value_of
from ranges import literal
from strategies import EX as StrategiesEX
from strategies import A, R, V, a, b, member, related, x, y


def test_a_class_has_no_object_and_a_literal_is_told_from_a_name_by_its_number():
    vocabulary = Vocabulary(compile_([]))
    rows = vocabulary.encode([member(A, a), (a, R, b), (a, V, Literal(1))]).facts
    assert (rows[:, 2] == NONE).tolist() == [True, False, False]
    assert (rows[:, 2] >= FIRST_LITERAL).tolist() == [False, False, True]
    assert rows.dtype == NO_FACTS.dtype and rows.shape[1] == NO_FACTS.shape[1]


def test_facts_as_tuples_are_equal_where_their_rows_are_and_can_be_keys():
    rows = np.array([(0, 1, NONE), (0, 1, 2), (0, 1, NONE)], np.int32)
    assert as_tuples(rows) == [(0, 1, -1), (0, 1, 2), (0, 1, -1)]
    assert len(set(as_tuples(rows))) == 2 and as_tuples(NO_FACTS) == []
    assert all(type(number) is int for fact in as_tuples(rows) for number in fact)


def test_a_class_and_a_property_of_one_name_are_two_symbols():
    vocabulary = Vocabulary(compile_([]))
    one, other = vocabulary.encode([member(A, a), (a, A, b)]).facts[:, 0].tolist()
    assert one != other
    assert [vocabulary.symbols[number] for number in (one, other)] == [Symbol(A, 1), Symbol(A, 2)]


def test_each_fact_stands_once_where_it_stood_first():
    rows = np.array([(3, 1, NONE), (1, 1, 2), (3, 1, NONE), (2, 0, 0), (1, 1, 2)], np.int32)
    assert as_tuples(distinct_facts(rows)) == [(3, 1, NONE), (1, 1, 2), (2, 0, 0)]
    assert (
        len(distinct_facts(rows[1:4])) == 3
        and len(distinct_facts(rows[:1])) == 1
        and not len(distinct_facts(NO_FACTS))
    )


def test_facts_whose_keys_are_the_same_are_told_apart():
    rows = np.array([(0, 0, 1), (1 << 8, 0, 0), (0, 0, 1)], np.int32)
    assert len(set(hash_keys(rows).tolist())) == 1
    assert as_tuples(distinct_facts(rows)) == [(0, 0, 1), (1 << 8, 0, 0)]


def test_what_came_and_went_adds_up():
    rows = np.array([(3, 1, NONE), (1, 1, 2)], np.int32)
    noted = np.concatenate([signed(rows, 1), signed(rows[:1], -1)])
    assert net_changes(noted).tolist() == [[1, 1, 2, 1]]


def test_facts_are_parted_by_their_predicates_in_their_order():
    given = np.array([(7, 3, NONE), (7, 1, NONE), (5, 2, NONE), (7, 2, NONE)], np.int32)
    parts = {predicate: part[:, 1].tolist() for predicate, part in by_predicate(given)}
    assert parts == {7: [3, 1, 2], 5: [2]}
    assert [predicate for predicate, _ in by_predicate(given[:2])] == [7]
    assert not list(by_predicate(NO_FACTS))


ONE, ZERO_ONE, PLUS = (Literal(text, datatype=XSD.integer) for text in ("1", "01", "+1"))
VALUE = 1 << 30  # whose first form is ONE


def facts(*given):
    return np.array([(0, who, VALUE) for who in given], np.int32)


def test_what_comes_before_counts_where_facts_follow_facts():
    first = Encoded(facts(1, 2), Forms({(0, 2, VALUE): PLUS}, {(2, VALUE): PLUS}))
    then = Encoded(facts(1, 2, 3), Forms({(0, who, VALUE): ZERO_ONE for who in (1, 2, 3)}))
    whole = Encoded.together([first, then])
    assert whole.facts.tolist() == facts(1, 2, 1, 2, 3).tolist()
    assert whole.forms == Forms({(0, 2, VALUE): PLUS, (0, 3, VALUE): ZERO_ONE}, {(2, VALUE): PLUS})


def as_table(triples):
    columns = zip(("subject", "predicate", "object"), zip(*triples, strict=True), strict=True)
    return pa.table({name: [term.n3() for term in terms] for name, terms in columns})


@pytest.mark.parametrize("give", [list, as_table])
@pytest.mark.parametrize("in_parts", [False, True])
@pytest.mark.parametrize("met_first", [ONE, ZERO_ONE, PLUS])
def test_it_does_not_matter_which_form_was_met_first(give, in_parts, met_first):
    copied = Rule("prp-spo1", (related(V, x, y),), related(StrategiesEX.W, x, y))
    reasoner = StreamReasoner(Ontology.from_rules([copied]), Window(10))
    reasoner.push(1, give([(StrategiesEX.a, V, met_first)]))
    given = [(StrategiesEX.b, V, ZERO_ONE), (StrategiesEX.b, V, PLUS)]
    for part in [[triple] for triple in given] if in_parts else [given]:
        reasoner.push(2, give(part))
    about_b = {triple for triple in reasoner.materialization() if triple[0] == StrategiesEX.b}
    assert about_b == {(StrategiesEX.b, V, ZERO_ONE), (StrategiesEX.b, StrategiesEX.W, ZERO_ONE)}


ZERO_ONE_OF_FORMS, PLUS_OF_FORMS = (
    Literal(text, datatype=XSD.integer, normalize=False) for text in ("01", "+1")
)


def test_the_form_given_first_counts():
    only_second = Forms.given(facts(1, 1, 2), {1: PLUS_OF_FORMS, 2: ZERO_ONE_OF_FORMS})
    assert only_second == Forms({(0, 2, VALUE): ZERO_ONE_OF_FORMS}, {(2, VALUE): ZERO_ONE_OF_FORMS})
    assert Forms.given(facts(1, 1), {0: PLUS_OF_FORMS, 1: ZERO_ONE_OF_FORMS}) == Forms(
        {(0, 1, VALUE): PLUS_OF_FORMS}, {(1, VALUE): PLUS_OF_FORMS}
    )
    assert Forms.given(facts(1), {}) is NO_FORMS


def test_there_are_forms_or_there_are_none():
    assert not NO_FORMS and len(NO_FORMS) == 0
    assert Forms({(0, 1, VALUE): PLUS_OF_FORMS}) and Forms({}, {(1, VALUE): PLUS_OF_FORMS})


def test_forms_come_back_from_their_rows():
    forms = Forms({(0, 1, VALUE): PLUS_OF_FORMS}, {(1, VALUE): PLUS_OF_FORMS, (2, VALUE): ZERO_ONE_OF_FORMS})
    rows = list(forms.rows())
    assert [fact for fact, _ in rows] == [(0, 1, VALUE), (NONE, 1, VALUE), (NONE, 2, VALUE)]
    assert Forms.of_rows(rows) == forms


EX = Namespace("http://example.org/")
NAMES = [EX[f"n{i}"] for i in range(6)]
PREDICATES, CLASSES = [EX.p, EX.q, EX.v], [EX.C, EX.D, BNode("c")]
VALUES = [[literal(f"{zeros}{i}", XSD.integer) for zeros in ("", "0", "00")] for i in range(4)]
VALUES += [[literal("x", XSD.integer)], [literal("x")]]
IN_RANGE = Rule("cls-svf1", (Atom(EX.v, (x, y)),), Atom(EX.C, (x,)), tests=(Member(y, Datatype(XSD.string)),))


def meaning(triple):
    return (*triple[:2], value_of(triple[2]))


forms = st.sampled_from([form for value in VALUES for form in value])
facts_of_renaming = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(NAMES), st.sampled_from(PREDICATES), st.one_of(st.sampled_from(NAMES), forms)
        ),
        st.tuples(st.sampled_from(NAMES), st.just(RDF.type), st.sampled_from(CLASSES)),
    ),
    max_size=10,
    unique_by=meaning,  # of one fact in two forms the last one counts
)


def vocabulary_of(triples):
    vocabulary = Vocabulary(compile_([IN_RANGE]))
    return vocabulary, vocabulary.encode(triples)


def forget(vocabulary, *kept, symbols=0):
    """The renaming that leaves the first symbols and what is in `kept`, which the vocabulary takes over."""
    used = UsedTerms(*vocabulary.counts)
    used.add_first(symbols)
    for facts, forms in kept:
        used.add(facts)
        used.add_forms(forms)
    renaming = used.renaming()
    vocabulary.replace_tables(vocabulary.tables.renamed(renaming))
    return renaming


@given(facts_of_renaming, facts_of_renaming, facts_of_renaming)
@settings(deadline=None)
def test_what_is_kept_means_the_same_in_fewer_numbers(gone, kept, later):
    vocabulary, _ = vocabulary_of(gone)
    encoded = vocabulary.encode(kept)
    before = list(vocabulary.decode(encoded.facts, encoded.forms.by_fact))
    bits = {n: bool(n >= FIRST_LITERAL and vocabulary.memberships[n - FIRST_LITERAL]) for n in ends(encoded)}
    ill_typed = vocabulary.ill_typed.among(encoded.facts[:, 2])
    common = len(compile_([IN_RANGE]).predicates)
    used = {*range(common), *encoded.facts[:, 0].tolist()}
    symbols = [symbol for number, symbol in enumerate(vocabulary.symbols) if number in used]
    renaming = forget(vocabulary, encoded, symbols=common)
    assert vocabulary.symbols == vocabulary.lexicon.symbols == symbols
    for number, (name, arity) in enumerate(symbols):
        find = vocabulary.find_class if arity == 1 else vocabulary.find_property
        assert find(name) == number
    facts, forms = renaming.facts(encoded.facts), renaming.forms(encoded.forms)
    assert list(vocabulary.decode(facts, forms.by_fact)) == before == kept
    assert sorted(ends((facts, forms))) == [
        *range(len(vocabulary.names)),
        *range(FIRST_LITERAL, FIRST_LITERAL + len(vocabulary.literals)),
    ]
    assert vocabulary.ill_typed.among(facts[:, 2]).tolist() == ill_typed.tolist()
    for old, new in zip(
        encoded.facts[:, 2].tolist() if len(facts) else [], facts[:, 2].tolist(), strict=True
    ):
        if new >= FIRST_LITERAL:
            assert bool(vocabulary.memberships[new - FIRST_LITERAL]) == bits[old]
    # what comes next finds what is kept, and is new else
    fresh = vocabulary.encode(later)
    assert list(vocabulary.decode(fresh.facts, fresh.forms.by_fact)) == later
    for one, triple in zip(fresh.facts.tolist(), later, strict=True):
        for other, left in zip(facts.tolist(), kept, strict=True):
            assert (one == other) is (meaning(triple) == meaning(left))
            assert (one[0] == other[0]) is (symbol_of(triple) == symbol_of(left))


def symbol_of(triple):
    return Symbol(triple[2], 1) if triple[1] == RDF.type else Symbol(triple[1], 2)


def ends(encoded):
    facts, _ = encoded
    return {int(n) for n in facts[:, 1:].ravel()} - {NONE}


def test_numbers_keep_their_order():
    vocabulary, encoded = vocabulary_of([(name, EX.p, VALUES[i % 4][0]) for i, name in enumerate(NAMES)])
    renaming = forget(vocabulary, (encoded.facts[[1, 4, 5]], NO_FORMS))
    assert list(vocabulary.names) == [NAMES[1], NAMES[4], NAMES[5]]
    assert vocabulary.literals == [VALUES[0][0], VALUES[1][0]]
    assert renaming.names.tolist()[-6:] == [NONE, 0, NONE, NONE, 1, 2]


def test_symbols_keep_their_order_and_the_first_ones_their_numbers():
    triples = [(EX.a, predicate, EX.a) for predicate in (EX.v, EX.p, EX.q, EX.r, EX.s)]
    vocabulary, encoded = vocabulary_of([*triples, (EX.a, RDF.type, EX.C), (EX.a, RDF.type, EX.p)])
    first = vocabulary.symbols[:2]
    renaming = forget(vocabulary, (encoded.facts[[2, 4, 6]], NO_FORMS), symbols=2)
    assert first == [Symbol(EX.C, 1), Symbol(EX.v, 2)]
    assert vocabulary.symbols == [*first, Symbol(EX.q, 2), Symbol(EX.s, 2), Symbol(EX.p, 1)]
    assert renaming.symbols.tolist() == [0, 1, NONE, 2, NONE, 3, 4]
    assert (vocabulary.find_property(EX.p), vocabulary.find_class(EX.p)) == (None, 4)
    assert vocabulary.find_property(EX.r) is None


def test_a_form_keeps_the_predicate_of_its_fact():
    vocabulary, _ = vocabulary_of([(EX.a, EX.gone, VALUES[1][0]), (EX.b, EX.p, VALUES[0][0])])
    facts, forms = vocabulary.encode([(EX.a, EX.p, VALUES[0][1])])
    assert (len(forms.by_fact), len(forms.by_pair)) == (1, 1)
    renaming = forget(vocabulary, (facts[:0], forms))
    assert vocabulary.symbols == [Symbol(EX.p, 2)]
    renamed = renaming.forms(forms)
    assert (*renamed.by_fact, *renamed.by_pair) == ((0, 0, FIRST_LITERAL), (0, FIRST_LITERAL))
