import pickle
from ast import literal_eval

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, URIRef, Variable

import pantarhei as pr
from pantarhei.model import data_range as ranges
from pantarhei.model.rule import Atom, Origin, Rule
from pantarhei.owl import axiom as owl
from pantarhei.owl.axiom import Bound, PropertyKind, Trait
from pantarhei.owl.manchester import (
    AsideAnnotation,
    axiom_text,
    manchester_syntax,
    quoted,
    terms_of_axioms,
)
from pantarhei.proofs.sentences import class_phrase
from strategies import EX

A, B, C = (owl.Class(EX[name]) for name in "ABC")
p, q, r = (owl.Property(EX[name]) for name in "pqr")
d = owl.Property(EX.d, PropertyKind.DATA)
NUMBER = ranges.Datatype(XSD.decimal)
GREATER = URIRef("http://www.w3.org/2003/11/swrlb#greaterThan")
x, y = map(Variable, "xy")


def literal(text, of):
    return Literal(text, datatype=of, normalize=False)


def at_least(number):
    return ranges.DatatypeRestriction(NUMBER, ((XSD.minInclusive, literal(number, XSD.decimal)),))


EXPRESSIONS = [
    (A, "A"),
    (owl.THING, "owl:Thing"),
    (owl.IntersectionOf((A, B, C)), "A and B and C"),
    (owl.UnionOf((A, owl.IntersectionOf((B, C)))), "A or (B and C)"),
    (owl.ComplementOf(A), "not A"),
    (owl.ComplementOf(owl.UnionOf((A, B))), "not (A or B)"),
    (owl.OneOf((EX.a, EX.b)), "{a, b}"),
    (owl.SomeValuesFrom(p, A), "p some A"),
    (owl.SomeValuesFrom(p, owl.OneOf((EX.a,))), "p some {a}"),
    (owl.SomeValuesFrom(p, owl.AllValuesFrom(q, A)), "p some (q only A)"),
    (owl.SomeValuesFrom(owl.InverseOf(p), owl.THING), "(inverse p) some owl:Thing"),
    (owl.IntersectionOf((A, owl.SomeValuesFrom(p, B))), "A and (p some B)"),
    (owl.AllValuesFrom(p, owl.UnionOf((A, B))), "p only (A or B)"),
    (owl.HasValue(p, EX.a), "p value a"),
    (owl.HasValue(d, literal("1.5", XSD.decimal)), "d value 1.5"),
    (owl.HasSelf(p), "p Self"),
    (owl.Cardinality(Bound.MIN, 2, p, A), "p min 2 A"),
    (owl.Cardinality(Bound.MAX, 1, p), "p max 1"),
    (owl.Cardinality(Bound.EXACT, 3, d, NUMBER), "d exactly 3 xsd:decimal"),
    (owl.NaryDataRestriction("Some", (d, d), NUMBER), "d, d some xsd:decimal"),
    (owl.NaryDataRestriction("All", (d, d), NUMBER), "d, d only xsd:decimal"),
]

RANGES = [
    (NUMBER, "xsd:decimal"),
    (ranges.Datatype(EX.celsius), "celsius"),
    (at_least("80"), "xsd:decimal[>= 80]"),
    (at_least("high"), 'xsd:decimal[>= "high"^^xsd:decimal]'),
    (
        ranges.DatatypeRestriction(
            ranges.Datatype(XSD.double),
            ((XSD.minExclusive, literal("1E0", XSD.double)), (XSD.maxExclusive, literal("INF", XSD.double))),
        ),
        'xsd:double[> "1E0"^^xsd:double, < "INF"^^xsd:double]',
    ),
    (
        ranges.DatatypeRestriction(ranges.Datatype(XSD.string), ((XSD.pattern, Literal('a"b')),)),
        'xsd:string[pattern "a\\"b"]',
    ),
    (
        ranges.DataOneOf((literal("1", XSD.integer), Literal("one"), Literal("eins", lang="de"))),
        '{1, "one", "eins"@de}',
    ),
    (ranges.DataUnionOf((NUMBER, ranges.DataComplementOf(NUMBER))), "xsd:decimal or (not xsd:decimal)"),
    (
        ranges.DataIntersectionOf((NUMBER, ranges.Datatype(RDF.PlainLiteral))),
        "xsd:decimal and rdf:PlainLiteral",
    ),
]

AXIOMS = [
    (owl.SubClassOf(A, B), "A SubClassOf B"),
    (owl.SubClassOf(owl.IntersectionOf((A, owl.SomeValuesFrom(p, B))), C), "A and (p some B) SubClassOf C"),
    (owl.EquivalentClasses((A, B)), "A EquivalentTo B"),
    (owl.EquivalentClasses((A, B, C)), "EquivalentClasses: A, B, C"),
    (owl.DisjointClasses((A, B)), "A DisjointWith B"),
    (owl.DisjointClasses((A, B, C)), "DisjointClasses: A, B, C"),
    (owl.DisjointUnion(A, (B, C)), "A DisjointUnionOf B, C"),
    (owl.SubPropertyOf(p, q), "p SubPropertyOf q"),
    (owl.SubPropertyOf(owl.InverseOf(p), q), "inverse p SubPropertyOf q"),
    (owl.SubPropertyChainOf((p, owl.InverseOf(q)), r), "p o (inverse q) SubPropertyOf r"),
    (owl.EquivalentProperties((p, q)), "p EquivalentTo q"),
    (owl.EquivalentProperties((p, q, r)), "EquivalentProperties: p, q, r"),
    (owl.DisjointProperties((p, q)), "p DisjointWith q"),
    (owl.DisjointProperties((p, q, r)), "DisjointProperties: p, q, r"),
    (owl.InverseProperties(p, q), "p InverseOf q"),
    (owl.PropertyDomain(p, owl.UnionOf((A, B))), "p Domain A or B"),
    (owl.PropertyRange(d, NUMBER), "d Range xsd:decimal"),
    *((owl.Characteristic(trait, p), f"{trait.value}: p") for trait in Trait),
    (owl.HasKey(A, (p, d)), "A HasKey p, d"),
    (owl.DatatypeDefinition(ranges.Datatype(EX.t), NUMBER), "t EquivalentTo xsd:decimal"),
    (owl.SameIndividual((EX.a, EX.b)), "a SameAs b"),
    (owl.SameIndividual((EX.a, EX.b, EX.c)), "SameIndividual: a, b, c"),
    (owl.DifferentIndividuals((EX.a, EX.b)), "a DifferentFrom b"),
    (owl.DifferentIndividuals((EX.a, EX.b, EX.c)), "DifferentIndividuals: a, b, c"),
    (owl.ClassAssertion(owl.SomeValuesFrom(p, A), EX.a), "a Type p some A"),
    (owl.NegativePropertyAssertion(p, EX.a, EX.b), "not (a p b)"),
    (
        owl.SwrlRule(
            (
                owl.ClassAtom(owl.UnionOf((A, B)), x),
                owl.PropertyAtom(d, x, y),
                owl.DataRangeAtom(at_least("1"), y),
                owl.BuiltInAtom(GREATER, (y, literal("5", XSD.integer))),
                owl.DifferentAtom(x, EX.a),
            ),
            (owl.SameAtom(x, EX.b),),
        ),
        "(A or B)(?x) ^ d(?x, ?y) ^ xsd:decimal[>= 1](?y) ^ greaterThan(?y, 5) ^ differentFrom(?x, a)"
        " -> sameAs(?x, b)",
    ),
    (owl.SwrlRule((owl.ClassAtom(A, x),), ()), "A(?x) -> ⊥"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), [*EXPRESSIONS, *RANGES, *AXIOMS])
def test_a_value_is_written_in_one_line_of_manchester_syntax(value, text):
    assert manchester_syntax(value) == text


def test_every_kind_of_axiom_has_a_form_of_its_own():
    kinds = {type(axiom) for axiom, _ in AXIOMS}
    assert kinds == {*owl.Axiom.__args__, owl.SwrlRule}
    assert {type(value) for value, _ in EXPRESSIONS} >= {*owl.ClassExpression.__args__}
    assert not any(str(axiom) == text for axiom, text in [*EXPRESSIONS[2:], *AXIOMS])


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("open valve", "'open valve'"),
        ("valve", "'valve'"),
        ("Valve", "Valve"),
        ("Ohm's law", "'Ohm\\'s law'"),
        ("a\\b", "'a\\\\b'"),
        ("two\nlines \x1b[31m", "'two lines \\x1b[31m'"),
        ("a\\x1b", "'a\\\\x1b'"),
        ("and", "'and'"),
        ("<script>", "'<script>'"),
    ],
)
def test_a_label_is_in_quotes_and_cannot_end_them(name, shown):
    labels = {EX.Valve: name}
    assert manchester_syntax(owl.SubClassOf(owl.Class(EX.Valve), A), labels) == f"{shown} SubClassOf A"


@pytest.mark.usefixtures("quiet")  # the log would have half surrogates, which no report can contain
@given(st.text(st.sampled_from("ab \t\n\x00\x1b\x7f'\"\\\u00ad\u200f\u202e\ud800\U000e0001"), max_size=8))
def test_odd_characters_of_labels_names_and_literals_are_escaped_once(drawn):
    text = f"{drawn} (1)"  # not a single word, which would need no quotes
    labels = {EX.Valve: text}
    for shown in (
        quoted(text),
        manchester_syntax(Literal(text)),
        manchester_syntax(EX.Valve, labels),
        manchester_syntax(URIRef(f"{EX}{text}")),
        class_phrase(EX.Valve, labels).removeprefix("in class "),
        AsideAnnotation((), EX.Valve, OWL.hasKey).text(labels).removeprefix("annotation on the key of "),
    ):
        assert shown.isprintable() and literal_eval(shown) == " ".join(text.split())


@pytest.mark.parametrize(
    ("name", "shown"), [("a", "a"), ("some", "'some'"), ("a b", "'a b'"), ("p:a", "p:a")]
)
def test_a_name_is_in_quotes_only_where_it_could_be_misread(name, shown):
    assert quoted(name) == shown


def test_blank_nodes_and_names_of_the_standards_have_their_prefix():
    axiom = owl.ClassAssertion(owl.Class(RDFS.Class), BNode("b1"))
    assert manchester_syntax(axiom) == "_:b1 Type rdfs:Class"
    assert (
        manchester_syntax(owl.SubClassOf(owl.NOTHING, owl.Class(OWL.Axiom)))
        == "owl:Nothing SubClassOf owl:Axiom"
    )


def test_a_rule_without_an_axiom_is_shown_as_it_is():
    rule = Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,)))
    assert axiom_text(rule, {EX.A: "alarm"}) == "B(?x) :- A(?x)."
    named = Rule("cax-sco", rule.body, rule.head, origin=Origin("the definition of equality"))
    assert axiom_text(named) == "the definition of equality"
    assert list(terms_of_axioms([rule])) == [EX.A, EX.B]


ONTOLOGY = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :A rdfs:label "alarm"@en , "Alarm"@de . :B rdfs:label "hazard"@en . :p rdfs:label "watches"@en .
    [ a owl:Class ; owl:intersectionOf (:A [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :i ]) ]
        rdfs:subClassOf :B .
    :i rdfs:label "hall"@en ."""


def test_an_axiom_keeps_its_structure_without_a_change_of_rules_or_fingerprints():
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    (rule,) = ontology.rules
    text = "'alarm' and ('watches' value 'hall') SubClassOf 'hazard'"
    assert axiom_text(rule, ontology.labels) == text
    assert set(terms_of_axioms([rule])) >= {EX.A, EX.B, EX.p, EX.i}
    copy = pickle.loads(pickle.dumps(ontology))
    assert axiom_text(copy.rules[0], copy.labels) == text
    bare = Rule(rule.name, rule.body, rule.head, rule.different, Origin(rule.axiom), rule.tests)
    assert bare == rule and hash(bare) == hash(rule)
    assert pr.Ontology.from_rules([bare]).fingerprints.rules == ontology.fingerprints.rules
