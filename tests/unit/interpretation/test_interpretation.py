"""An interpretation is a value that whoever has the foundation can read."""

import pickle

import pyarrow as pa
import pytest
from rdflib import RDF, XSD, BNode, Literal
from rdflib.util import from_n3

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.vocabulary import ComputedForms
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import (
    ClosedABox,
    InterpretationTables,
    InterpretationWriter,
    encode,
    scope_beside,
    split,
)
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.rdf.ntriples import parse_term
from strategies import EX, A, B, C, R, V, a, b, is_a, member, related, x, y

RULES = [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("disjoint", (is_a(B, x), is_a(C, x)), None)]
ABOX = [(EX.own, EX.p, a), member(EX.Own, EX.own), member(A, EX.own), (EX.own, V, Literal("v"))]


def foundation():
    return Foundation.of(Ontology.from_rules(RULES), [(a, R, a), (a, V, Literal("known"))])


def made_of(abox):
    return ABoxMaterializer(foundation()).materialize(abox)


def read(made):
    """The triples of an interpretation by what `Interpretation` and `OwnTerms` say of its numbers."""
    vocabulary, common = foundation().vocabulary, foundation().common
    own = [tuple(map(from_n3, texts)) for texts in made.terms]
    symbols = [*(symbol.name for symbol in vocabulary.symbols[: common.symbols]), *own[0], *own[1]]
    names = [*vocabulary.names[: common.names], *own[2]]
    literals = [*vocabulary.literals[: common.literals], *own[3]]
    return [
        (names[who], RDF.type, symbols[predicate])
        if what == NONE
        else (
            names[who],
            symbols[predicate],
            literals[what - FIRST_LITERAL] if what >= FIRST_LITERAL else names[what],
        )
        for predicate, who, what in made.facts.tolist()
    ]


def test_its_numbers_mean_the_terms_of_any_equal_foundation_and_then_its_own():
    made = made_of(ABOX)
    assert set(read(made)) == {*ABOX, member(B, EX.own)}
    assert set(read(made)[: made.asserted]) == set(ABOX)


def test_conflicts_are_places_of_asserted_facts():
    made = made_of([member(C, EX.own), *ABOX])
    (conflict,) = made.conflicts
    assert made.contradictory
    assert {read(made)[place] for place in conflict} == {member(A, EX.own), member(C, EX.own)}


def test_it_comes_back_from_a_pickle_and_does_not_depend_on_what_was_made_before():
    maker = ABoxMaterializer(foundation())
    maker.materialize([member(EX.Other, EX.other), (EX.other, EX.q, EX.another)])
    made = maker.materialize(ABOX)
    again = pickle.loads(pickle.dumps(made))
    assert read(again) == read(made) == read(made_of(ABOX))
    assert pickle.dumps(again) == pickle.dumps(made_of(ABOX))
    assert again.foundation == foundation().digest


SUBCLASS = Rule("sub", (is_a(A, x),), is_a(B, x))
COPY = Rule("copy", (related(V, x, y),), related(EX.W, x, y))
RANGE = Rule("range", (related(R, x, y),), is_a(A, y))
ONTOLOGY = Ontology.from_rules([SUBCLASS, COPY, RANGE])


def rows_of(table):
    return list(zip(*table.to_pydict().values(), strict=True))


def triples_of(table):
    """(asserted, derived)"""
    found = (set(), set())
    for *texts, derived in rows_of(table):
        found[derived].add(tuple(map(parse_term, texts)))
    return found


def test_forms_of_literals_are_kept_and_given_on_to_what_is_derived_about_the_same_subject():
    foundation = Foundation.of(ONTOLOGY)
    worker, texts = ABoxMaterializer(foundation), InterpretationTables(foundation)
    one, other = (Literal(form, datatype=XSD.integer, normalize=False) for form in ("1", "01"))
    for first, second in ((one, other), (other, one)):
        made = worker.materialize([(EX.a, V, first), (EX.b, V, second), (EX.c, V, Literal("x\n", lang="en"))])
        asserted, derived = triples_of(texts.table(made))
        assert derived == {(who, EX.W, value) for who, _, value in asserted}
        assert {(who, str(value)) for who, _, value in asserted} == {
            (EX.a, str(first)),
            (EX.b, str(second)),
            (EX.c, "x\n"),
        }


def test_blank_nodes_keep_their_labels_and_are_told_from_the_backgrounds_on_demand():
    background = [(EX.a, R, BNode("b")), member(A, BNode("m"))]
    foundation = Foundation.of(ONTOLOGY, background)
    texts, worker = InterpretationTables(foundation), ABoxMaterializer(foundation)
    table = pa.table(
        [["_:b", "_:m"], [R.n3(), RDF.type.n3()], ["_:c", "_:b"]], ["subject", "predicate", "object"]
    )
    made = worker.materialize(table)
    assert {row[0] for row in rows_of(texts.table(made))} == {"_:b", "_:c", "_:m"}
    assert {row[0] for row in rows_of(texts.table(made, apart=True))} == {"_:mmb", "_:mmc", "_:mmm"}
    assert {row[2] for row in rows_of(texts.table(made, apart=True))} >= {"_:mmb", "_:mmc"}
    own = worker.materialize([(BNode("b"), R, EX.x)])  # in triples a blank node is itself
    assert rows_of(texts.table(own, apart=True))[0][0] == "_:b"
    reasoner = StreamReasoner(ONTOLOGY, Window(3), background)
    update = reasoner.push_materialized(1, made)
    assert member(A, BNode("b")) not in update.delta.added | update.delta.removed
    without = InterpretationTables(Foundation.of(ONTOLOGY))
    made = ABoxMaterializer(Foundation.of(ONTOLOGY)).materialize(table)
    assert without.table(made).equals(without.table(made, apart=True))


def test_own_terms_are_numbered_in_the_order_in_which_they_stand_classes_before_properties():
    foundation = Foundation.of(ONTOLOGY)
    vocabulary, common = foundation.vocabulary, foundation.common
    vocabulary.encode([member(EX.Skipped, EX.skipped), (EX.skipped, EX.skipped, Literal("skipped"))])
    asserted, forms = vocabulary.encode(
        [(EX.b, EX.p, EX.a), member(EX.Own, EX.b), (EX.a, V, Literal("v")), (EX.a, EX.q, EX.b)]
    )
    writer = InterpretationWriter(vocabulary, common, "", {}, ComputedForms(FIRST_LITERAL))
    facts, terms = writer.written(asserted, asserted[:0], forms.by_fact)
    assert terms.classes == (EX.Own.n3(),) and terms.properties == (EX.p.n3(), EX.q.n3())
    assert terms.names == (EX.b.n3(), EX.a.n3()) and terms.literals == ('"v"',)
    symbol, name = (lambda place: common.symbols + place), (lambda place: common.names + place)
    assert facts.tolist() == [
        [symbol(1), name(0), name(1)],
        [symbol(0), name(0), NONE],
        [vocabulary.find_property(V), name(1), FIRST_LITERAL + common.literals],
        [symbol(2), name(1), name(0)],
    ]


def test_a_table_says_of_each_fact_whether_it_was_derived():
    foundation = Foundation.of(ONTOLOGY, [member(B, EX.known)])
    made = ABoxMaterializer(foundation).materialize([member(A, EX.known), member(A, EX.new)])
    table = InterpretationTables(foundation).table(made)
    assert table.schema.names == ["subject", "predicate", "object", "derived"]
    assert triples_of(table) == ({member(A, EX.known), member(A, EX.new)}, {member(B, EX.new)})


def test_a_text_is_written_once_but_for_a_blank_node():
    foundation = Foundation.of(ONTOLOGY)
    texts = {}
    writer = InterpretationWriter(
        foundation.vocabulary, foundation.common, "", texts, ComputedForms(FIRST_LITERAL)
    )
    asserted, forms = foundation.vocabulary.encode([(EX.a, R, BNode("n"))])
    writer.written(asserted, asserted[:0], forms.by_fact)
    assert list(texts.values()) == [EX.a.n3()]


def test_a_scope_is_a_prefix_of_no_blank_node_of_the_background_and_empty_where_there_are_none():
    assert scope_beside(Foundation.of(ONTOLOGY)) == ""
    labels = ("b", "mb", "mmb")
    scope = scope_beside(Foundation.of(ONTOLOGY, [member(A, BNode(label)) for label in labels]))
    assert scope and not any(label.startswith(scope) for label in labels)


ONTOLOGY_OF_CLOSED_ABOX = Ontology.from_rules(
    [Rule("sub", (is_a(A, x),), is_a(B, x)), Rule("copy", (related(V, x, y),), related(EX.W, x, y))]
)
ONE, ZERO_ONE = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01"))


def table(*rows, **more):
    columns = zip(("subject", "predicate", "object"), zip(*rows, strict=True), strict=True)
    return pa.table({**{name: [term.n3() for term in terms] for name, terms in columns}, **more})


def encoded(vocabulary, given):
    return split(given, encode_abox(vocabulary, given.select(["subject", "predicate", "object"]), ""))


def test_the_facts_of_a_table_are_split_by_its_column_asserted_ones_first():
    vocabulary = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX).vocabulary
    given = table(member(B, a), member(A, a), (a, R, b), derived=[True, False, False])
    found = encoded(vocabulary, given)
    assert list(vocabulary.decode(found.facts)) == [member(A, a), (a, R, b), member(B, a)]
    assert list(vocabulary.decode(found.asserted.facts)) == [member(A, a), (a, R, b)]
    assert found.finished


def test_only_forms_of_asserted_facts_are_kept():
    vocabulary = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX).vocabulary
    vocabulary.encode([(b, V, ONE)])
    given = table((a, V, ZERO_ONE), (a, EX.W, ZERO_ONE), derived=[False, True])
    ((fact, form),) = encoded(vocabulary, given).asserted.forms.by_fact.items()
    assert (fact[0], form) == (vocabulary.find_property(V), ZERO_ONE)


@pytest.mark.parametrize("derived", [None, ["yes"], [None], [0]])
def test_a_table_without_a_boolean_in_each_row_is_refused(derived):
    given = table(member(A, a), **({} if derived is None else {"derived": derived}))
    with pytest.raises(InvalidTripleError, match="exactly one column derived of booleans"):
        encoded(Foundation.of(ONTOLOGY_OF_CLOSED_ABOX).vocabulary, given)


def test_an_interpretation_means_the_same_to_a_reasoner_that_has_numbered_other_terms():
    abox = [member(A, a), member(EX.New, EX.new), (EX.new, EX.p, b), (a, V, ZERO_ONE), (b, V, ONE)]
    made = ABoxMaterializer(Foundation.of(ONTOLOGY_OF_CLOSED_ABOX, [(a, R, b)])).materialize(abox)
    here = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX, [(a, R, b)])
    here.vocabulary.encode([(EX.here, EX.q, Literal("here")), member(EX.Here, EX.here), (EX.here, V, ONE)])
    found = encode(made, here.vocabulary, here.common, "")
    forms = found.asserted.forms.by_fact
    assert set(here.vocabulary.decode(found.asserted.facts, forms)) == set(abox)
    derived = found.facts[len(found.asserted.facts) :]
    assert {triple[:2] for triple in here.vocabulary.decode(derived)} == {
        member(B, a)[:2],
        (a, EX.W),
        (b, EX.W),
    }


def test_blank_nodes_of_an_interpretation_belong_to_the_message_that_is_named():
    made = ABoxMaterializer(Foundation.of(ONTOLOGY_OF_CLOSED_ABOX)).materialize([member(A, BNode("n"))])
    here = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX)
    subjects = [encode(made, here.vocabulary, here.common, scope).facts[0, 1] for scope in ("1", "2", "1")]
    assert subjects[0] == subjects[2] != subjects[1]


def test_what_follows_from_several_parts_together_is_not_known():
    vocabulary = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX).vocabulary
    one, other = (
        encoded(vocabulary, table(member(A, who), member(B, who), derived=[False, True])) for who in (a, b)
    )
    assert ClosedABox.together([one]) is one and one.finished
    together = ClosedABox.together([one, other])
    assert not together.finished
    assert list(vocabulary.decode(together.facts)) == [member(A, a), member(A, b)]


def test_what_is_derived_of_a_predicate_is_left_out_and_what_is_asserted_stays():
    vocabulary = Foundation.of(ONTOLOGY_OF_CLOSED_ABOX).vocabulary
    given = table(member(B, a), member(B, b), member(A, b), derived=[False, True, False])
    found = encoded(vocabulary, given).without([vocabulary.find_class(B)])
    assert list(vocabulary.decode(found.facts)) == [member(B, a), member(A, b)]
    assert list(vocabulary.decode(found.asserted.facts)) == [member(B, a), member(A, b)]
