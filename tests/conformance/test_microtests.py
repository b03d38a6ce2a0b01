"""Constructs that owlready2's objects hide or change, read from each form of an ontology without loss.

Each construct is written as Turtle and, where OWL/XML has it, as OWL/XML. The Turtle is read as it is, as
RDF/XML, and from an owlready2 ontology that has loaded it. Where owlready2 has dropped something before it
hands the ontology over, the case says what (docs/ontologies.md: it has rewritten numbers when it loaded them).
"""

# ruff: noqa: E501  (premises stand on one line)

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from pathlib import Path

import owlready2
import pytest
from rdflib import OWL, RDF, BNode, Graph
from rdflib.namespace import XSD

from pantarhei.model.term import short
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_document

NAMES = (
    Path(__file__).resolve().parents[2].parent
    / "shared"
    / "conformance"
    / "ontologies"
    / "owlready2-microtests.json"
)


@dataclass(frozen=True)
class Case:
    """One construct and what is read from it, as text.

    Args:
        xml: the same in OWL/XML; None if that language cannot say it.
        leftovers: constructs that are reported as not read.
        handed_over: what differs in what owlready2 hands over.
        refused: owlready2 itself does not load it, or only where it meets the names in another order.
    """

    turtle: str
    xml: str | None
    axioms: tuple[str, ...] = ()
    assertions: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    declarations: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    handed_over: tuple[tuple[str, tuple[str, ...]], ...] = ()
    refused: bool = False


def case(turtle, xml, *axioms, handed_over=(), refused=False, **parts):
    parts = {name: (value,) if isinstance(value, str) else tuple(value) for name, value in parts.items()}
    return Case(turtle, xml, axioms, handed_over=handed_over, refused=refused, **parts)


def number(lexical, datatype="integer"):
    return f'"{lexical}"^^<{XSD[datatype]}>'


def value(lexical, datatype="integer", handed_over=()):
    """A literal as the value of a data property."""
    literal = number(lexical, datatype)
    if handed_over:
        handed_over = (("assertions", (f"x d {number(handed_over, datatype)}",)),)
    xml = f'<Literal datatypeIRI="{XSD[datatype]}">{lexical}</Literal>'
    return case(f":x :d {literal} .", has(D, xml), assertions=f"x d {literal}", handed_over=handed_over)


def has(on, value, subject=None):
    kind = "Object" if on.startswith("<Object") else "Data"
    return f"<{kind}PropertyAssertion>{on}{subject or X}{value}</{kind}PropertyAssertion>"


A, B, C, THING, NOTHING = (
    f'<Class IRI="{iri}"/>' for iri in ("#A", "#B", "#C", str(OWL.Thing), str(OWL.Nothing))
)
P, Q, R = (f'<ObjectProperty IRI="#{name}"/>' for name in "pqr")
D = '<DataProperty IRI="#d"/>'
X, Y, Z = (f'<NamedIndividual IRI="#{name}"/>' for name in "xyz")
INT, STRING, FLOAT, SHORT, YEAR = (
    f'<Datatype IRI="{XSD[name]}"/>' for name in ("integer", "string", "float", "short", "gYear")
)
LITERAL = '<Datatype IRI="http://www.w3.org/2000/01/rdf-schema#Literal"/>'
LABEL = '<AnnotationProperty IRI="http://www.w3.org/2000/01/rdf-schema#label"/>'
COMMENT = '<AnnotationProperty IRI="http://www.w3.org/2000/01/rdf-schema#comment"/>'
LANG_RANGE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langRange"
NOTE = '<AnnotationProperty IRI="#note"/>'


def lit(lexical, datatype="integer"):
    return f'<Literal datatypeIRI="{XSD[datatype]}">{lexical}</Literal>'


def facets(datatype, *pairs):
    parts = "".join(f'<FacetRestriction facet="{facet}">{text}</FacetRestriction>' for facet, text in pairs)
    return f"<DatatypeRestriction>{datatype}{parts}</DatatypeRestriction>"


def el(name, *parts, **attributes):
    given = "".join(f' {key}="{text}"' for key, text in attributes.items())
    return f"<{name}{given}>{''.join(parts)}</{name}>"


def sub(*parts):
    return el("SubClassOf", *parts)


def restricted(turtle, xml, text):
    return case(
        f":A rdfs:subClassOf [ a owl:Restriction ; {turtle} ] .", sub(A, xml), f"SubClassOf(A {text})"
    )


def ranged(turtle, xml, text):
    return case(f":d rdfs:range {turtle} .", el("DataPropertyRange", D, xml), f"DataPropertyRange(d {text})")


def defined(predicate, turtle, xml, text):
    """A definition written directly on a named class."""
    return case(
        f":A owl:{predicate} {turtle} .", el("EquivalentClasses", A, xml), f"EquivalentClasses(A {text})"
    )


DISJOINT_UNION = case(
    ":C owl:disjointUnionOf (:A :B) .", el("DisjointUnion", C, A, B), "DisjointUnion(C A B)"
)
ANNOTATED = "owl:annotatedSource {} ; owl:annotatedProperty {} ; owl:annotatedTarget {}"
RULE = """[] a swrl:Imp ; swrl:body ([ a swrl:ClassAtom ; swrl:classPredicate :A ; swrl:argument1 <urn:swrl#v> ]
    [ a swrl:DatavaluedPropertyAtom ; swrl:propertyPredicate :d ; swrl:argument1 <urn:swrl#v> ; swrl:argument2 <urn:swrl#w> ]
    [ a swrl:BuiltinAtom ; swrl:builtin swrlb:greaterThan ; swrl:arguments (<urn:swrl#w> 5) ]) ;
    swrl:head ([ a swrl:IndividualPropertyAtom ; swrl:propertyPredicate :p ; swrl:argument1 <urn:swrl#v> ; swrl:argument2 :x ]) .
    <urn:swrl#v> a swrl:Variable . <urn:swrl#w> a swrl:Variable ."""
V, W = '<Variable IRI="urn:swrl#v"/>', '<Variable IRI="urn:swrl#w"/>'
RULE_XML = el(
    "DLSafeRule",
    el(
        "Body",
        el("ClassAtom", A, V),
        el("DataPropertyAtom", D, V, W),
        el("BuiltInAtom", W, lit(5), IRI="http://www.w3.org/2003/11/swrlb#greaterThan"),
    ),
    el("Head", el("ObjectPropertyAtom", P, V, X)),
)
FIVE = number(5)

CASES = {
    # --- Classes ---
    "SubClassOf named": case(":A rdfs:subClassOf :B .", sub(A, B), "SubClassOf(A B)"),
    "disjointWith pair": case(
        ":A owl:disjointWith :B .", el("DisjointClasses", A, B), "DisjointClasses(A B)"
    ),
    "AllDisjointClasses": case(
        "[] a owl:AllDisjointClasses ; owl:members (:A :B :C) .",
        el("DisjointClasses", A, B, C),
        "DisjointClasses(A B C)",
    ),
    "disjointUnionOf": DISJOINT_UNION,
    "disjointUnionOf via disjoint_classes()": DISJOINT_UNION,
    "hasKey": case(":A owl:hasKey (:p :d) .", el("HasKey", A, P, D), "HasKey(A (p) (d))"),
    "hasSelf": restricted("owl:onProperty :p ; owl:hasSelf true", el("ObjectHasSelf", P), "ObjectHasSelf(p)"),
    "someValuesFrom inverse": restricted(
        "owl:onProperty [ owl:inverseOf :p ] ; owl:someValuesFrom :B",
        el("ObjectSomeValuesFrom", el("ObjectInverseOf", P), B),
        "ObjectSomeValuesFrom(ObjectInverseOf(p) B)",
    ),
    "maxQualifiedCardinality 1": restricted(
        "owl:onProperty :p ; owl:maxQualifiedCardinality 1 ; owl:onClass :B",
        el("ObjectMaxCardinality", P, B, cardinality=1),
        "ObjectMaxCardinality(1 p B)",
    ),
    "maxQualifiedCardinality onDataRange": restricted(
        "owl:onProperty :d ; owl:maxQualifiedCardinality 1 ; owl:onDataRange xsd:integer",
        el("DataMaxCardinality", D, INT, cardinality=1),
        "DataMaxCardinality(1 d integer)",
    ),
    "maxCardinality 0": restricted(
        'owl:onProperty :p ; owl:maxCardinality "0"^^xsd:nonNegativeInteger',
        el("ObjectMaxCardinality", P, cardinality=0),
        "ObjectMaxCardinality(0 p)",
    ),
    "maxCardinality xsd:int": restricted(
        'owl:onProperty :p ; owl:maxCardinality "1"^^xsd:int',
        el("ObjectMaxCardinality", P, cardinality=1),
        "ObjectMaxCardinality(1 p)",
    ),
    "hasValue literal": restricted(
        "owl:onProperty :d ; owl:hasValue 5", el("DataHasValue", D, lit(5)), f"DataHasValue(d {FIVE})"
    ),
    "hasValue individual": restricted(
        "owl:onProperty :p ; owl:hasValue :x", el("ObjectHasValue", P, X), "ObjectHasValue(p x)"
    ),
    "ObjectOneOf": case(
        ":A owl:equivalentClass [ a owl:Class ; owl:oneOf (:x :y) ] .",
        el("EquivalentClasses", A, el("ObjectOneOf", X, Y)),
        "EquivalentClasses(A ObjectOneOf(x y))",
    ),
    "oneOf directly on named class": defined("oneOf", "(:x :y)", el("ObjectOneOf", X, Y), "ObjectOneOf(x y)"),
    "intersectionOf directly on named class": defined(
        "intersectionOf", "(:B :C)", el("ObjectIntersectionOf", B, C), "ObjectIntersectionOf(B C)"
    ),
    "unionOf directly on named class": defined(
        "unionOf", "(:B :C)", el("ObjectUnionOf", B, C), "ObjectUnionOf(B C)"
    ),
    "complementOf directly on named class": defined(
        "complementOf", ":B", el("ObjectComplementOf", B), "ObjectComplementOf(B)"
    ),
    "GCI subClassOf bnode": case(
        "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] rdfs:subClassOf :A .",
        sub(el("ObjectSomeValuesFrom", P, B), A),
        "SubClassOf(ObjectSomeValuesFrom(p B) A)",
    ),
    "GCI bnode equivalentClass bnode": case(
        "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] owl:equivalentClass [ a owl:Class ; owl:unionOf (:A :C) ] .",
        el("EquivalentClasses", el("ObjectSomeValuesFrom", P, B), el("ObjectUnionOf", A, C)),
        "EquivalentClasses(ObjectSomeValuesFrom(p B) ObjectUnionOf(A C))",
    ),
    "disjointWith class expression": case(
        ":A owl:disjointWith [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .",
        el("DisjointClasses", A, el("ObjectSomeValuesFrom", P, B)),
        "DisjointClasses(A ObjectSomeValuesFrom(p B))",
    ),
    "owl:Nothing subclass": case(
        ":A rdfs:subClassOf owl:Nothing .", sub(A, NOTHING), "SubClassOf(A owl:Nothing)"
    ),
    "equivalent to Nothing": case(
        ":A owl:equivalentClass owl:Nothing .",
        el("EquivalentClasses", A, NOTHING),
        "EquivalentClasses(A owl:Nothing)",
    ),
    "deprecated class": case(
        ":A owl:deprecated true .",
        el(
            "AnnotationAssertion",
            f'<AnnotationProperty IRI="{OWL.deprecated}"/>',
            el("IRI", "#A"),
            lit("true", "boolean"),
        ),
        annotations=f"A deprecated {number('true', 'boolean')}",
    ),
    "subclass cycle": case(
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A .",
        sub(A, B) + sub(B, A),
        "SubClassOf(A B)",
        "SubClassOf(B A)",
    ),
    "subclass self": case(":A rdfs:subClassOf :A .", sub(A, A), "SubClassOf(A A)"),
    "is_a MRO conflict": case(
        ":D1 a owl:Class ; rdfs:subClassOf :A, :B . :D2 a owl:Class ; rdfs:subClassOf :B, :A . :E a owl:Class ; rdfs:subClassOf :D1, :D2 .",
        "".join(
            sub(f'<Class IRI="#{pair[0]}"/>', f'<Class IRI="#{pair[1]}"/>')
            for pair in (("D1", "A"), ("D1", "B"), ("D2", "A"), ("D2", "B"), ("E", "D1"), ("E", "D2"))
        ),
        "SubClassOf(D1 A)",
        "SubClassOf(D1 B)",
        "SubClassOf(D2 A)",
        "SubClassOf(D2 B)",
        "SubClassOf(E D1)",
        "SubClassOf(E D2)",
    ),
    # --- Properties ---
    "propertyDisjointWith pair": case(
        ":p owl:propertyDisjointWith :q .",
        el("DisjointObjectProperties", P, Q),
        "DisjointObjectProperties(p q)",
    ),
    "AllDisjointProperties": case(
        "[] a owl:AllDisjointProperties ; owl:members (:p :q :r) .",
        el("DisjointObjectProperties", P, Q, R),
        "DisjointObjectProperties(p q r)",
    ),
    "propertyChainAxiom": case(
        ":r owl:propertyChainAxiom (:p :q) .",
        el("SubObjectPropertyOf", el("ObjectPropertyChain", P, Q), R),
        "SubObjectPropertyOf(ObjectPropertyChain(p q) r)",
    ),
    "propertyChain with inverse": case(
        ":r owl:propertyChainAxiom ([ owl:inverseOf :p ] :q) .",
        el("SubObjectPropertyOf", el("ObjectPropertyChain", el("ObjectInverseOf", P), Q), R),
        "SubObjectPropertyOf(ObjectPropertyChain(ObjectInverseOf(p) q) r)",
    ),
    "FunctionalProperty only (no Object/Data)": case(
        ":fp a owl:FunctionalProperty .",
        el("FunctionalObjectProperty", '<ObjectProperty IRI="#fp"/>'),
        "FunctionalObjectProperty(fp)",
    ),
    "SymmetricProperty only": case(
        ":sp a owl:SymmetricProperty .",
        el("SymmetricObjectProperty", '<ObjectProperty IRI="#sp"/>'),
        "SymmetricObjectProperty(sp)",
    ),
    "characteristics": case(
        ":p a owl:AsymmetricProperty, owl:TransitiveProperty, owl:IrreflexiveProperty, owl:ReflexiveProperty, owl:InverseFunctionalProperty .",
        "".join(
            el(f"{trait}ObjectProperty", P)
            for trait in ("Asymmetric", "Transitive", "Irreflexive", "Reflexive", "InverseFunctional")
        ),
        "AsymmetricObjectProperty(p)",
        "InverseFunctionalObjectProperty(p)",
        "IrreflexiveObjectProperty(p)",
        "ReflexiveObjectProperty(p)",
        "TransitiveObjectProperty(p)",
    ),
    "inverseOf named": case(
        ":p owl:inverseOf :q .", el("InverseObjectProperties", P, Q), "InverseObjectProperties(p q)"
    ),
    "two inverses": case(
        ":p owl:inverseOf :q, :r .",
        el("InverseObjectProperties", P, Q) + el("InverseObjectProperties", P, R),
        "InverseObjectProperties(p q)",
        "InverseObjectProperties(p r)",
    ),
    "subPropertyOf inverse expr": case(
        ":p rdfs:subPropertyOf [ owl:inverseOf :q ] .",
        el("SubObjectPropertyOf", P, el("ObjectInverseOf", Q)),
        "SubObjectPropertyOf(p ObjectInverseOf(q))",
    ),
    "equivalentProperty": case(
        ":p owl:equivalentProperty :q .",
        el("EquivalentObjectProperties", P, Q),
        "EquivalentObjectProperties(p q)",
    ),
    "domain union": case(
        ":p rdfs:domain [ a owl:Class ; owl:unionOf (:A :B) ] .",
        el("ObjectPropertyDomain", P, el("ObjectUnionOf", A, B)),
        "ObjectPropertyDomain(p ObjectUnionOf(A B))",
    ),
    "topObjectProperty super": case(
        ":p rdfs:subPropertyOf owl:topObjectProperty .",
        el("SubObjectPropertyOf", P, f'<ObjectProperty IRI="{OWL.topObjectProperty}"/>'),
        "SubObjectPropertyOf(p topObjectProperty)",
    ),
    "subproperty cycle": case(
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p .",
        el("SubObjectPropertyOf", P, Q) + el("SubObjectPropertyOf", Q, P),
        "SubObjectPropertyOf(p q)",
        "SubObjectPropertyOf(q p)",
    ),
    # --- Data ranges ---
    "facets minInclusive": restricted(
        "owl:onProperty :d ; owl:someValuesFrom [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ([ xsd:minInclusive 1 ] [ xsd:maxExclusive 9 ]) ]",
        el("DataSomeValuesFrom", D, facets(INT, (XSD.minInclusive, lit(1)), (XSD.maxExclusive, lit(9)))),
        f"DataSomeValuesFrom(d DatatypeRestriction(integer minInclusive {number(1)} maxExclusive {number(9)}))",
    ),
    "facets pattern": ranged(
        '[ a rdfs:Datatype ; owl:onDatatype xsd:string ; owl:withRestrictions ([ xsd:pattern "[a-z]+" ]) ]',
        facets(STRING, (XSD.pattern, "<Literal>[a-z]+</Literal>")),
        'DatatypeRestriction(string pattern "[a-z]+")',
    ),
    "facets on xsd:float / dateTime": ranged(
        '[ a rdfs:Datatype ; owl:onDatatype xsd:float ; owl:withRestrictions ([ xsd:minInclusive "1.5"^^xsd:float ]) ]',
        facets(FLOAT, (XSD.minInclusive, lit(1.5, "float"))),
        f"DatatypeRestriction(float minInclusive {number(1.5, 'float')})",
    ),
    "facet on unsupported datatype (xsd:gYear)": ranged(
        '[ a rdfs:Datatype ; owl:onDatatype xsd:gYear ; owl:withRestrictions ([ xsd:minInclusive "2000"^^xsd:gYear ]) ]',
        facets(YEAR, (XSD.minInclusive, lit(2000, "gYear"))),
        f"DatatypeRestriction(gYear minInclusive {number(2000, 'gYear')})",
    ),
    "rdf:langRange facet": ranged(
        '[ a rdfs:Datatype ; owl:onDatatype rdf:PlainLiteral ; owl:withRestrictions ([ rdf:langRange "en" ]) ]',
        facets(f'<Datatype IRI="{RDF.PlainLiteral}"/>', (LANG_RANGE, "<Literal>en</Literal>")),
        'DatatypeRestriction(PlainLiteral langRange "en")',
    ),
    "DataUnionOf range": ranged(
        "[ a rdfs:Datatype ; owl:unionOf (xsd:integer xsd:string) ]",
        el("DataUnionOf", INT, STRING),
        "DataUnionOf(integer string)",
    ),
    "DataIntersectionOf range": ranged(
        "[ a rdfs:Datatype ; owl:intersectionOf (xsd:integer xsd:float) ]",
        el("DataIntersectionOf", INT, FLOAT),
        "DataIntersectionOf(integer float)",
    ),
    "DataComplementOf": ranged(
        "[ a rdfs:Datatype ; owl:datatypeComplementOf xsd:integer ]",
        el("DataComplementOf", INT),
        "DataComplementOf(integer)",
    ),
    "DataOneOf": ranged(
        "[ a rdfs:Datatype ; owl:oneOf (1 2 3) ]",
        el("DataOneOf", lit(1), lit(2), lit(3)),
        f"DataOneOf({number(1)} {number(2)} {number(3)})",
    ),
    "DatatypeDefinition": case(
        ":dt a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:oneOf (1 2) ] . :d rdfs:range :dt .",
        el("DatatypeDefinition", '<Datatype IRI="#dt"/>', el("DataOneOf", lit(1), lit(2)))
        + el("DataPropertyRange", D, '<Datatype IRI="#dt"/>'),
        f"DatatypeDefinition(dt DataOneOf({number(1)} {number(2)}))",
        "DataPropertyRange(d dt)",
    ),
    "range xsd:short (int subtypes)": ranged("xsd:short", SHORT, "short"),
    "range xsd:gYear": ranged("xsd:gYear", YEAR, "gYear"),
    "range rdfs:Literal": ranged("rdfs:Literal", LITERAL, "Literal"),
    # --- Individuals ---
    "differentFrom pair": case(
        ":x owl:differentFrom :y .", el("DifferentIndividuals", X, Y), "DifferentIndividuals(x y)"
    ),
    "AllDifferent members": case(
        "[] a owl:AllDifferent ; owl:members (:x :y :z) .",
        el("DifferentIndividuals", X, Y, Z),
        "DifferentIndividuals(x y z)",
    ),
    "AllDifferent distinctMembers": case(
        "[] a owl:AllDifferent ; owl:distinctMembers (:x :y :z) .",
        el("DifferentIndividuals", X, Y, Z),
        "DifferentIndividuals(x y z)",
    ),
    "sameAs": case(":x owl:sameAs :y .", el("SameIndividual", X, Y), "SameIndividual(x y)"),
    "NegativeObjectPropertyAssertion": case(
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :x ; owl:assertionProperty :p ; owl:targetIndividual :y .",
        el("NegativeObjectPropertyAssertion", P, X, Y),
        "NegativeObjectPropertyAssertion(p x y)",
    ),
    "NegativeDataPropertyAssertion": case(
        "[] a owl:NegativePropertyAssertion ; owl:sourceIndividual :x ; owl:assertionProperty :d ; owl:targetValue 5 .",
        el("NegativeDataPropertyAssertion", D, X, lit(5)),
        f"NegativeDataPropertyAssertion(d x {FIVE})",
    ),
    "class assertion of expression": case(
        ":x a [ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom :B ] .",
        el("ClassAssertion", el("ObjectSomeValuesFrom", P, B), X),
        "ClassAssertion(ObjectSomeValuesFrom(p B) x)",
    ),
    "anonymous individual": case(
        ":x :p [ a :A ] .",
        has(P, '<AnonymousIndividual nodeID="_:n"/>')
        + el("ClassAssertion", A, '<AnonymousIndividual nodeID="_:n"/>'),
        assertions=("x p _:", "_: type A"),
    ),
    "undeclared individual (type only)": case(
        ":u1 a :A .",
        el("ClassAssertion", A, '<NamedIndividual IRI="#u1"/>'),
        assertions="u1 type A",
    ),
    "undeclared individual (property only)": case(
        ":x :p :u2 .", has(P, '<NamedIndividual IRI="#u2"/>'), assertions="x p u2"
    ),
    "undeclared property": case(":x :up :y .", has('<ObjectProperty IRI="#up"/>', Y), assertions="x up y"),
    "undeclared class in type": case(
        ":u3 a :Undeclared .",
        el("ClassAssertion", '<Class IRI="#Undeclared"/>', '<NamedIndividual IRI="#u3"/>'),
        assertions="u3 type Undeclared",
    ),
    "data property on object value": case(
        ':x :p "lit" .',
        has('<DataProperty IRI="#p"/>', "<Literal>lit</Literal>"),
        assertions='x p "lit"',
    ),
    # --- Names ---
    "rdfs:Class only": case(":RC a rdfs:Class .", None, declarations="RC type Class"),
    "rdf:Property only": case(":rp a rdf:Property .", None, declarations="rp type Property"),
    "class/individual punning": case(
        ":A a :B ; :p :x .",
        el("ClassAssertion", B, '<NamedIndividual IRI="#A"/>') + has(P, X, '<NamedIndividual IRI="#A"/>'),
        assertions=("A type B", "A p x"),
    ),
    "object/data property punning": case(
        ":d a owl:ObjectProperty . :x :d :y, 5 .",
        el("Declaration", '<ObjectProperty IRI="#d"/>')
        + has('<ObjectProperty IRI="#d"/>', Y)
        + has(D, lit(5)),
        assertions=("x d y", f"x d {FIVE}"),
        declarations=("d type ObjectProperty", "d type DatatypeProperty"),
    ),
    "property/class punning": case(
        ":p a owl:Class . :x a :p ; :p :y .",
        el("Declaration", '<Class IRI="#p"/>') + el("ClassAssertion", '<Class IRI="#p"/>', X) + has(P, Y),
        assertions=("x type p", "x p y"),
        refused=True,
    ),
    "IRI with unicode/percent": case(
        ":été a :A . <http://example.org/o#a%20b> a :A .",
        el("ClassAssertion", A, '<NamedIndividual IRI="#été"/>')
        + el("ClassAssertion", A, '<NamedIndividual IRI="#a%20b"/>'),
        assertions=("été type A", "a%20b type A"),
    ),
    # --- Annotations ---
    "axiom annotation": case(
        f':A rdfs:subClassOf :B . [] a owl:Axiom ; {ANNOTATED.format(":A", "rdfs:subClassOf", ":B")} ; rdfs:comment "why" .',
        sub(el("Annotation", COMMENT, "<Literal>why</Literal>"), A, B),
        "SubClassOf(A B)",
        annotations='_: comment "why"',
    ),
    "annotation on annotation": case(
        f':A rdfs:label "a" . _:l a owl:Axiom ; {ANNOTATED.format(":A", "rdfs:label", chr(34) + "a" + chr(34))} ; rdfs:comment "c1" .'
        f' [] a owl:Annotation ; {ANNOTATED.format("_:l", "rdfs:comment", chr(34) + "c1" + chr(34))} ; rdfs:comment "c2" .',
        el(
            "AnnotationAssertion",
            el(
                "Annotation",
                el("Annotation", COMMENT, "<Literal>c2</Literal>"),
                COMMENT,
                "<Literal>c1</Literal>",
            ),
            LABEL,
            el("IRI", "#A"),
            "<Literal>a</Literal>",
        ),
        annotations=('A label "a"', '_: comment "c1"', '_: comment "c2"'),
    ),
    "annotated property assertion (timestamp)": case(
        f':x :p :y . [] a owl:Axiom ; {ANNOTATED.format(":x", ":p", ":y")} ; :note "2024-01-01T00:00:00Z"^^xsd:dateTime .',
        el(
            "ObjectPropertyAssertion",
            el("Annotation", NOTE, lit("2024-01-01T00:00:00Z", "dateTime")),
            P,
            X,
            Y,
        ),
        assertions="x p y",
        annotations=f"_: note {number('2024-01-01T00:00:00Z', 'dateTime')}",
    ),
    # --- Literals ---
    'literal "01"^^xsd:integer': value("01", handed_over="1"),
    "literal decimal 1.50": value("1.50", "decimal", handed_over="1.5"),
    "literal xsd:short": value("5", "short"),
    "literal float NaN/INF": case(
        f":x :d {number('NaN', 'float')}, {number('INF', 'float')}, {number('-INF', 'double')} .",
        has(D, lit("NaN", "float")) + has(D, lit("INF", "float")) + has(D, lit("-INF", "double")),
        assertions=(
            f"x d {number('NaN', 'float')}",
            f"x d {number('INF', 'float')}",
            f"x d {number('-INF', 'double')}",
        ),
    ),
    "literal dateTime Z": value("2024-01-01T00:00:00Z", "dateTime"),
    "literal dateTime frac": value("2024-01-01T00:00:00.123456789Z", "dateTime"),
    "literal dateTimeStamp": value("2024-01-01T00:00:00Z", "dateTimeStamp"),
    "literal duration": value("PT5S", "duration"),
    "literal boolean 1": value("1", "boolean"),
    "literal illtyped": replace(value("five"), refused=True),
    "literal unknown datatype": case(
        ':x :d "v"^^:unknown .',
        has(D, '<Literal datatypeIRI="http://example.org/o#unknown">v</Literal>'),
        assertions='x d "v"^^<http://example.org/o#unknown>',
    ),
    "literal newline": case(
        r':x :d "line1\nline2 \"q\" \\ tab\t" .',
        has(D, '<Literal>line1\nline2 "q" \\ tab\t</Literal>'),
        assertions='x d """line1\nline2 "q" \\\\ tab\t"""',
    ),
    "literal lang": case(
        ':x :d "hello"@en-GB .',
        has(D, '<Literal xml:lang="en-GB">hello</Literal>'),
        assertions='x d "hello"@en-gb',
    ),
    "literal xsd:string vs plain": case(
        ':x :d "a", "b"^^xsd:string .',
        has(D, "<Literal>a</Literal>") + has(D, lit("b", "string")),
        assertions=('x d "a"', 'x d "b"'),
    ),
    "literal anyURI": value("http://a/b", "anyURI"),
    "literal double 1e0": value("1e0", "double", handed_over="1.0"),
    "big integer": replace(value("12345678901234567890123"), refused=True),
    # --- Others ---
    "rdf:List custom data": case(
        ":x :p (:y :z) .",
        None,
        assertions=("x p _:", "_: first y", "_: first z", "_: rest _:", "_: rest nil"),
    ),
    "named graph/quads (no)": case(":A rdfs:subClassOf :B .", sub(A, B), "SubClassOf(A B)"),
    "SWRL rule": case(
        RULE,
        RULE_XML,
        "DLSafeRule(Body(ClassAtom(A Variable(v)) DataPropertyAtom(d Variable(v) Variable(w)) "
        f"BuiltInAtom(greaterThan Variable(w) {FIVE})) Head(ObjectPropertyAtom(p Variable(v) x)))",
    ),
}

TURTLE = """@prefix : <http://example.org/o#> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix swrl: <http://www.w3.org/2003/11/swrl#> .
@prefix swrlb: <http://www.w3.org/2003/11/swrlb#> . <http://example.org/o> a owl:Ontology .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :p a owl:ObjectProperty . :q a owl:ObjectProperty .
:r a owl:ObjectProperty . :d a owl:DatatypeProperty . :note a owl:AnnotationProperty .
:x a owl:NamedIndividual . :y a owl:NamedIndividual . :z a owl:NamedIndividual .
"""
OWL_XML = f"""<?xml version="1.0"?>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://example.org/o" xml:base="http://example.org/o">
{"".join(el("Declaration", entity) for entity in (A, B, C, P, Q, R, D, X, Y, Z, NOTE))}
%s</Ontology>"""
WRITTEN_WITH = {OWL.annotatedSource, OWL.annotatedProperty, OWL.annotatedTarget, RDF.type}


def shown(term):
    return "_:" if isinstance(term, BNode) else short(term)


def texts(triples):
    return sorted(" ".join(map(shown, triple)) for triple in triples)


def check(triples, expected):
    """Assert that what is read from `triples` is what the case expects."""
    reading = read_axioms(triples)
    reading.check_invariants(triples)
    assert sorted(re.sub(r"_:\w+", "_:", str(axiom)) for axiom in reading.axioms) == sorted(expected.axioms)
    assert texts(reading.assertions) == sorted(expected.assertions)
    assert texts(t for t in reading.annotations if t[1] not in WRITTEN_WITH) == sorted(expected.annotations)
    assert sorted(leftover.construct for leftover in reading.leftovers) == sorted(expected.leftovers)
    assert set(expected.declarations) <= set(texts(reading.declarations))


@pytest.fixture
def turtle(tmp_path):
    def write(text):
        path = tmp_path / "o.ttl"
        path.write_text(TURTLE + text, "utf-8")
        return path

    return write


def converted(path, format, suffix):
    """The file in another format, literals as they stand."""
    graph = Graph()
    for triple in read_document(path).triples:
        graph.add(triple)
    target = path.with_suffix(suffix)
    graph.serialize(target, format=format, encoding="utf-8")
    return target


@pytest.mark.parametrize("name", CASES)
def test_a_construct_is_read_from_turtle(name, turtle):
    check(read_document(turtle(CASES[name].turtle)).triples, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_a_construct_is_read_from_rdf_xml(name, turtle):
    check(read_document(converted(turtle(CASES[name].turtle), "xml", ".rdf")).triples, CASES[name])


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.xml is not None])
def test_a_construct_is_read_from_owl_xml(name, tmp_path):
    path = tmp_path / "o.owx"
    path.write_text(OWL_XML % CASES[name].xml, "utf-8")
    check(read_document(path).triples, CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_a_construct_is_read_from_owlready2(name, turtle):
    path, case = converted(turtle(CASES[name].turtle), "nt", ".nt"), CASES[name]
    ontology = owlready2.World().get_ontology(path.as_uri())
    try:
        ontology.load()
    except (TypeError, owlready2.OwlReadyOntologyParsingError):
        assert case.refused
    else:
        check(read_document(ontology).triples, replace(case, **dict(case.handed_over)))


def test_named_graphs_are_read_as_one(tmp_path):
    path = tmp_path / "o.trig"
    path.write_text(TURTLE + ":A rdfs:subClassOf :B . :g { :B rdfs:subClassOf :C }", "utf-8")
    assert [str(axiom) for axiom in read_axioms(read_document(path).triples).axioms] == [
        "SubClassOf(A B)",
        "SubClassOf(B C)",
    ]


def test_what_owlready2_drops_is_documented():
    assert any(case.handed_over for case in CASES.values())
    docs = Path(__file__).resolve().parents[2] / "docs" / "ontologies.md"
    assert "owlready2 has rewritten numbers" in docs.read_text("utf-8")


@pytest.mark.skipif(not NAMES.exists(), reason=f"no {NAMES}")
def test_each_known_construct_has_a_case():
    known = {entry["construct"] for entry in json.loads(NAMES.read_text("utf-8"))}
    assert known == set(CASES)
