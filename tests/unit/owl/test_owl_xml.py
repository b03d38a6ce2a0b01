"""OWL/XML documents: the axioms that come out, and what is refused."""

# ruff: noqa: E501  (premises stand on one line)

from __future__ import annotations

import pytest

from pantarhei.errors import MalformedInputError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_graph

HEADER = (
    '<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://example.org/" '
    'xmlns:xml="http://www.w3.org/XML/1998/namespace" ontologyIRI="http://example.org/">'
    '<Prefix name="" IRI="http://example.org/"/>'
)
A, B, C = (f'<Class IRI="{name}"/>' for name in "ABC")
P, Q, D = '<ObjectProperty IRI="p"/>', '<ObjectProperty abbreviatedIRI=":q"/>', '<DataProperty IRI="d"/>'
IND, JND = '<NamedIndividual IRI="i"/>', '<NamedIndividual IRI="j"/>'
THREE = '<Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#integer">03</Literal>'
INTEGER = '<Datatype abbreviatedIRI="xsd:integer"/>'
FACET = (
    f'<DatatypeRestriction>{INTEGER}<FacetRestriction facet="http://www.w3.org/2001/XMLSchema#minInclusive">'
    f"{THREE}</FacetRestriction></DatatypeRestriction>"
)

AXIOMS = {
    f"<SubClassOf>{A}{B}</SubClassOf>": "SubClassOf(A B)",
    f"<EquivalentClasses>{A}<ObjectIntersectionOf>{B}{C}</ObjectIntersectionOf></EquivalentClasses>": (
        "EquivalentClasses(A ObjectIntersectionOf(B C))"
    ),
    f"<SubClassOf><ObjectSomeValuesFrom><ObjectInverseOf>{P}</ObjectInverseOf>{A}</ObjectSomeValuesFrom>{B}</SubClassOf>": (
        "SubClassOf(ObjectSomeValuesFrom(ObjectInverseOf(p) A) B)"
    ),
    f"<SubClassOf>{A}<ObjectHasValue>{P}{IND}</ObjectHasValue></SubClassOf>": "SubClassOf(A ObjectHasValue(p i))",
    f"<SubClassOf>{A}<ObjectHasSelf>{P}</ObjectHasSelf></SubClassOf>": "SubClassOf(A ObjectHasSelf(p))",
    f'<SubClassOf>{A}<ObjectMaxCardinality cardinality="1">{P}{B}</ObjectMaxCardinality></SubClassOf>': (
        "SubClassOf(A ObjectMaxCardinality(1 p B))"
    ),
    f'<SubClassOf>{A}<DataMinCardinality cardinality="2">{D}{INTEGER}</DataMinCardinality></SubClassOf>': (
        "SubClassOf(A DataMinCardinality(2 d integer))"
    ),
    f"<SubClassOf>{A}<ObjectComplementOf><ObjectOneOf>{IND}{JND}</ObjectOneOf></ObjectComplementOf></SubClassOf>": (
        "SubClassOf(A ObjectComplementOf(ObjectOneOf(i j)))"
    ),
    f"<DisjointClasses>{A}{B}</DisjointClasses>": "DisjointClasses(A B)",
    f"<DisjointClasses>{A}{B}{C}</DisjointClasses>": "DisjointClasses(A B C)",
    f"<DisjointUnion>{A}{B}{C}</DisjointUnion>": "DisjointUnion(A B C)",
    f"<SubObjectPropertyOf>{P}{Q}</SubObjectPropertyOf>": "SubObjectPropertyOf(p q)",
    f"<SubObjectPropertyOf><ObjectPropertyChain>{P}{Q}</ObjectPropertyChain>{P}</SubObjectPropertyOf>": (
        "SubObjectPropertyOf(ObjectPropertyChain(p q) p)"
    ),
    f"<EquivalentObjectProperties>{P}{Q}</EquivalentObjectProperties>": "EquivalentObjectProperties(p q)",
    f"<DisjointObjectProperties>{P}{Q}</DisjointObjectProperties>": "DisjointObjectProperties(p q)",
    f"<InverseObjectProperties>{P}{Q}</InverseObjectProperties>": "InverseObjectProperties(p q)",
    f"<ObjectPropertyDomain>{P}{A}</ObjectPropertyDomain>": "ObjectPropertyDomain(p A)",
    f"<Declaration>{D}</Declaration><DataPropertyRange>{D}{FACET}</DataPropertyRange>": (
        'DataPropertyRange(d DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    f"<DataPropertyRange>{D}<DataUnionOf><DataComplementOf>{INTEGER}</DataComplementOf><DataOneOf>{THREE}</DataOneOf></DataUnionOf></DataPropertyRange>": (
        'DataPropertyRange(d DataUnionOf(DataComplementOf(integer) DataOneOf("03"^^<http://www.w3.org/2001/XMLSchema#integer>)))'
    ),
    f"<SubClassOf>{A}<DataAllValuesFrom>{D}<DataIntersectionOf>{INTEGER}{FACET}</DataIntersectionOf></DataAllValuesFrom></SubClassOf>": (
        'SubClassOf(A DataAllValuesFrom(d DataIntersectionOf(integer DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))))'
    ),
    f'<DatatypeDefinition><Datatype IRI="T"/>{FACET}</DatatypeDefinition>': (
        'DatatypeDefinition(T DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    '<DatatypeDefinition><Datatype IRI="T"/><Datatype IRI="U"/></DatatypeDefinition>': "DatatypeDefinition(T U)",
    f"<SubClassOf>{A}<DataHasValue>{D}{THREE.replace('03', 'x')}</DataHasValue></SubClassOf>": (
        'SubClassOf(A DataHasValue(d "x"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    f"<FunctionalObjectProperty>{P}</FunctionalObjectProperty>": "FunctionalObjectProperty(p)",
    f"<TransitiveObjectProperty>{P}</TransitiveObjectProperty>": "TransitiveObjectProperty(p)",
    f"<Declaration>{D}</Declaration><HasKey>{A}{P}{D}</HasKey>": "HasKey(A (p) (d))",
    f"<SameIndividual>{IND}{JND}</SameIndividual>": "SameIndividual(i j)",
    f"<DifferentIndividuals>{IND}{JND}</DifferentIndividuals>": "DifferentIndividuals(i j)",
    f"<NegativeObjectPropertyAssertion>{P}{IND}{JND}</NegativeObjectPropertyAssertion>": (
        "NegativeObjectPropertyAssertion(p i j)"
    ),
    f"<ClassAssertion><ObjectUnionOf>{A}{B}</ObjectUnionOf>{IND}</ClassAssertion>": (
        "ClassAssertion(ObjectUnionOf(A B) i)"
    ),
}


def read(tmp_path, body):
    path = tmp_path / "a.owl"  # told from RDF/XML by the first element
    path.write_text(f"{HEADER}{body}</Ontology>", "utf-8")
    triples = read_graph(path)
    reading = read_axioms(triples)
    reading.check_invariants(triples)
    return reading


@pytest.mark.parametrize("body", AXIOMS)
def test_an_axiom_reads_as_written(tmp_path, body):
    reading = read(tmp_path, body)
    assert [str(axiom) for axiom in reading.axioms] == [AXIOMS[body]]
    assert not reading.leftovers


def test_assertions_keep_their_literals(tmp_path):
    body = f"<DataPropertyAssertion>{D}{IND}{THREE}</DataPropertyAssertion><ClassAssertion>{A}{IND}</ClassAssertion>"
    assert sorted(str(o) for _, _, o in read(tmp_path, body).assertions) == ["03", "http://example.org/A"]


def test_an_inverse_in_an_assertion_turns_it_around(tmp_path):
    inverse = f"<ObjectInverseOf>{P}</ObjectInverseOf>"
    ((subject, _, object_),) = read(
        tmp_path, f"<ObjectPropertyAssertion>{inverse}{IND}{JND}</ObjectPropertyAssertion>"
    ).assertions
    assert (str(subject)[-1], str(object_)[-1]) == ("j", "i")


def test_annotated_axioms_are_axioms_with_annotations(tmp_path):
    note = (
        '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:comment"/><Literal>why</Literal></Annotation>'
    )
    reading = read(tmp_path, f"<SubClassOf>{note}{A}{B}</SubClassOf>")
    assert [str(axiom) for axiom in reading.axioms] == ["SubClassOf(A B)"]
    assert len(reading.annotations) == 5
    assert not reading.leftovers


X, Y = '<Variable IRI="urn:swrl#x"/>', '<Variable abbreviatedIRI=":y"/>'
BUILT_IN = 'BuiltInAtom IRI="http://www.w3.org/2003/11/swrlb#greaterThan"'
RULE = f"""<DLSafeRule><Body><ClassAtom>{A}{X}</ClassAtom><DataPropertyAtom>{D}{X}{Y}</DataPropertyAtom>
<{BUILT_IN}>{Y}{THREE}</BuiltInAtom><DataRangeAtom>{FACET}{Y}</DataRangeAtom></Body><Head>
<ObjectPropertyAtom>{P}{X}{IND}</ObjectPropertyAtom><SameIndividualAtom>{IND}{X}</SameIndividualAtom>
<DifferentIndividualsAtom>{JND}{X}</DifferentIndividualsAtom></Head></DLSafeRule>"""


def test_a_rule_reads_as_written(tmp_path):
    reading = read(tmp_path, RULE)
    three = '"03"^^<http://www.w3.org/2001/XMLSchema#integer>'
    facet = f"DatatypeRestriction(integer minInclusive {three})"
    assert [str(axiom) for axiom in reading.axioms] == [
        "DLSafeRule(Body(ClassAtom(A Variable(x)) DataPropertyAtom(d Variable(x) Variable(y)) "
        f"BuiltInAtom(greaterThan Variable(y) {three}) DataRangeAtom({facet} Variable(y))) "
        "Head(ObjectPropertyAtom(p Variable(x) i) SameIndividualAtom(i Variable(x)) "
        "DifferentIndividualsAtom(j Variable(x))))"
    ]
    assert not reading.leftovers and not reading.assertions


def test_annotations_of_a_rule_are_annotations(tmp_path):
    note = '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/><Literal>R1</Literal></Annotation>'
    reading = read(tmp_path, RULE.replace("<Body>", f"{note}<Body>", 1))
    assert len(reading.axioms) == 1
    assert [str(o) for _, _, o in reading.annotations] == ["R1"]


def test_an_element_tells_the_kind_of_its_property_without_a_declaration(tmp_path):
    reading = read(tmp_path, f"<FunctionalDataProperty>{D}</FunctionalDataProperty>")
    assert [str(axiom) for axiom in reading.axioms] == ["FunctionalDataProperty(d)"]
    note = '<AnnotationProperty IRI="note"/><IRI>i</IRI><Literal>n</Literal>'
    reading = read(tmp_path, f"<AnnotationAssertion>{note}</AnnotationAssertion>")
    assert len(reading.annotations) == 1 and not reading.assertions


@pytest.mark.parametrize(
    "body",
    [
        "<Unheard/>",
        f"<SubClassOf>{A}</SubClassOf>",
        f"<SubClassOf>{A}<Unheard/></SubClassOf>",
        '<SubClassOf><Class abbreviatedIRI="none:A"/><Class IRI="B"/></SubClassOf>',
        '<SubClassOf><Class/><Class IRI="B"/></SubClassOf>',
        "<DLSafeRule><Body/></DLSafeRule>",
        "<DLSafeRule><Body><Unheard/></Body><Head/></DLSafeRule>",
        f"<DLSafeRule><Body><ClassAtom>{A}</ClassAtom></Body><Head/></DLSafeRule>",
    ],
)
def test_what_is_no_owl_is_refused(tmp_path, body):
    with pytest.raises(MalformedInputError):
        read(tmp_path, body)


def test_deep_nesting_is_refused(tmp_path):
    deep = "<ObjectComplementOf>" * 10_000 + A + "</ObjectComplementOf>" * 10_000
    with pytest.raises(MalformedInputError, match="nested deeper"):
        read(tmp_path, f"<SubClassOf>{A}{deep}</SubClassOf>")


def test_a_triple_has_the_line_on_which_its_axiom_begins(tmp_path):
    path = tmp_path / "a.owx"
    body = f"\n<!-- of B\n-->\n<SubClassOf>{A}\n<ObjectComplementOf>\n{B}</ObjectComplementOf>\n</SubClassOf><SubClassOf\n>{C}{A}</SubClassOf>"
    path.write_text(f"{HEADER}{body}\n</Ontology>", "utf-8")
    ontology = load_ontology(path)
    found = [
        (rule.origin.axiom, rule.origin.source, rule.origin.line)
        for rule in (*ontology.rules, *ontology.constraints)
    ]
    assert found == [("SubClassOf(C A)", str(path), 7), ("SubClassOf(A ObjectComplementOf(B))", str(path), 4)]
