"""Interpretations written down: their own numbers, and tables of text."""

import pyarrow as pa
from rdflib import RDF, XSD, BNode, Literal

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.encoding.computed_forms import ComputedForms
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.interpretation.writing import InterpretationWriter, Texts, scope_beside
from pantarhei.model.rule import Rule
from pantarhei.rdf.ntriples import parse_term
from strategies import EX, A, B, R, V, is_a, member, related, x, y

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
    worker, texts = ABoxMaterializer(foundation), Texts(foundation)
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
    texts, worker = Texts(foundation), ABoxMaterializer(foundation)
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
    without = Texts(Foundation.of(ONTOLOGY))
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
    table = Texts(foundation).table(made)
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
