from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import RDF, XSD, BNode, Namespace

from pantarhei.encoding.forms import NO_FORMS
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Symbol
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Atom, Member, Rule
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.value import value_of
from ranges import literal
from strategies import x, y

EX = Namespace("http://example.org/")
NAMES = [EX[f"n{i}"] for i in range(6)]
PREDICATES, CLASSES = [EX.p, EX.q, EX.v], [EX.C, EX.D, BNode("c")]
VALUES = [[literal(f"{zeros}{i}", XSD.integer) for zeros in ("", "0", "00")] for i in range(4)]
VALUES += [[literal("x", XSD.integer)], [literal("x")]]
IN_RANGE = Rule("cls-svf1", (Atom(EX.v, (x, y)),), Atom(EX.C, (x,)), tests=(Member(y, Datatype(XSD.string)),))


def meaning(triple):
    return (*triple[:2], value_of(triple[2]))


forms = st.sampled_from([form for value in VALUES for form in value])
facts = st.lists(
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
    vocabulary.go_on_with(vocabulary.tables.renamed(renaming))
    return renaming


@given(facts, facts, facts)
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
