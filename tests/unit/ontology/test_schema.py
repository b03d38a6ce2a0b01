"""The entailed schema of names, and proofs of unsatisfiable ones."""

import pickle

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Namespace

from pantarhei.ontology.ontology import load_ontology

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> .
:p a owl:ObjectProperty . :q a owl:ObjectProperty . :r a owl:ObjectProperty .
:u a owl:DatatypeProperty . :v a owl:DatatypeProperty .
:A a owl:Class . :B a owl:Class . :C a owl:Class . :D a owl:Class .
"""


def ontology_of(text):
    return load_ontology(Graph().parse(data=PREFIXES + text, format="turtle"))


def schema_of(text):
    return ontology_of(text).schema


def some(on, filler="owl:Thing"):
    return f"[ a owl:Restriction ; owl:onProperty {on} ; owl:someValuesFrom {filler} ]"


# -- classes ----------------------------------------------------------------------------------------


def test_every_class_is_among_its_superclasses_and_nothing_else_without_axioms():
    schema = schema_of("")
    assert schema.superclasses == {name: {name} for name in (EX.A, EX.B, EX.C, EX.D)}
    assert list(schema.triples()) == []


def test_superclasses_are_all_of_them():
    schema = schema_of(":A rdfs:subClassOf :B . :B rdfs:subClassOf :C .")
    assert schema.superclasses[EX.A] == {EX.A, EX.B, EX.C}
    assert schema.superclasses[EX.C] == {EX.C}
    assert schema.subclasses(EX.C) == {EX.A, EX.B, EX.C}
    assert schema.subclasses(EX.Unheard) == frozenset()


def test_superclasses_come_from_any_axiom():
    schema = schema_of(
        f":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue :a ] . {some(':q')} "
        "rdfs:subClassOf :C . :p rdfs:domain :B ; rdfs:subPropertyOf :q . :a a :D ."
    )
    assert schema.superclasses[EX.A] == {EX.A, EX.B, EX.C}


def test_equivalent_classes_are_among_each_others_superclasses():
    schema = schema_of(":A owl:equivalentClass :B . :B rdfs:subClassOf :C .")
    triples = set(schema.triples())
    assert {(EX.A, OWL.equivalentClass, EX.B), (EX.B, OWL.equivalentClass, EX.A)} <= triples
    assert not {(EX.C, OWL.equivalentClass, EX.A), (EX.A, OWL.equivalentClass, EX.C)} & triples
    assert schema.superclasses[EX.A] == schema.superclasses[EX.B] == {EX.A, EX.B, EX.C}


def test_what_everything_is_in_is_a_superclass_of_all():
    schema = schema_of("owl:Thing rdfs:subClassOf :A .")
    assert all(EX.A in above for above in schema.superclasses.values())
    assert all(EX.A in schema.domains[name] for name in (EX.p, EX.u))
    assert EX.A in schema.ranges[EX.p]


# -- properties -------------------------------------------------------------------------------------


def test_properties_stand_below_others():
    schema = schema_of(
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :r . :r rdfs:subPropertyOf :q . "
        ":u rdfs:subPropertyOf :v ."
    )
    assert schema.superproperties[EX.p] == {EX.p, EX.q, EX.r}
    assert schema.superproperties[EX.u] == {EX.u, EX.v}
    assert schema.superproperties[EX.v] == {EX.v}
    triples = set(schema.triples())
    assert (EX.q, OWL.equivalentProperty, EX.r) in triples
    assert (EX.p, OWL.equivalentProperty, EX.r) not in triples


def test_domains_and_ranges_are_inherited_in_both_ways():
    schema = schema_of(
        ":q rdfs:domain :A ; rdfs:range :C . :A rdfs:subClassOf :B . "
        ":p rdfs:subPropertyOf :q ; rdfs:range :D ."
    )
    assert schema.domains[EX.p] == schema.domains[EX.q] == {EX.A, EX.B}
    assert schema.ranges[EX.p] == {EX.C, EX.D}
    assert schema.ranges[EX.q] == {EX.C}
    assert schema.domains[EX.r] == frozenset()


def test_domains_are_the_ranges_of_the_inverse():
    schema = schema_of(":p owl:inverseOf :q ; rdfs:domain :A ; rdfs:range :B .")
    assert schema.inverses[EX.p] == {EX.q}
    assert schema.inverses[EX.q] == {EX.p}
    assert schema.domains[EX.q] == {EX.B}
    assert schema.ranges[EX.q] == {EX.A}
    assert {(EX.p, OWL.inverseOf, EX.q), (EX.q, OWL.inverseOf, EX.p)} <= set(schema.triples())


def test_a_symmetric_property_is_its_own_inverse():
    assert schema_of(":p a owl:SymmetricProperty .").inverses[EX.p] == {EX.p}


def test_one_direction_of_an_inverse_is_not_said_to_be_one():
    schema = schema_of(":p rdfs:subPropertyOf [ owl:inverseOf :q ] .")
    assert schema.inverses[EX.p] == {EX.q}
    assert schema.inverses[EX.q] == frozenset()
    assert not [triple for triple in schema.triples() if triple[1] == OWL.inverseOf]


def test_ranges_can_be_datatypes():
    schema = schema_of(":u rdfs:range xsd:integer . :v rdfs:range xsd:decimal . :v rdfs:domain :A .")
    assert schema.ranges[EX.u] == {XSD.integer, XSD.decimal}
    assert schema.ranges[EX.v] == {XSD.decimal}
    assert schema.domains[EX.v] == {EX.A}
    assert (EX.v, RDFS.range, XSD.decimal) in set(schema.triples())


def test_a_functional_property_is_no_reason_for_more():
    schema = schema_of(":p a owl:FunctionalProperty . :q a owl:IrreflexiveProperty . :a :p :b . :b a :A .")
    assert schema.superproperties[EX.p] == {EX.p}
    assert schema.superproperties[EX.q] == {EX.q}
    assert schema.ranges[EX.p] == frozenset()


def test_keys_and_individuals_say_nothing_of_all_instances():
    schema = schema_of(
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :v ; owl:hasValue 1 ] ; owl:hasKey ( :v ) . "
        ":a a :A , :B ."
    )
    assert schema.superclasses[EX.A] == {EX.A}


# -- disjointness -----------------------------------------------------------------------------------


def test_classes_below_disjoint_ones_are_disjoint():
    schema = schema_of(":A owl:disjointWith :B . :C rdfs:subClassOf :A . :D rdfs:subClassOf :B .")
    for first, second in ((EX.A, EX.B), (EX.C, EX.D), (EX.C, EX.B), (EX.A, EX.D)):
        assert schema.are_disjoint(first, second)
        assert schema.are_disjoint(second, first)
    assert not schema.are_disjoint(EX.A, EX.C)
    assert not schema.are_disjoint(EX.A, EX.A)
    assert not schema.are_disjoint(EX.A, EX.Unheard)


def test_disjointness_does_not_go_up():
    schema = schema_of(":A owl:disjointWith :B . :A rdfs:subClassOf :C .")
    assert not schema.are_disjoint(EX.C, EX.B)


@pytest.mark.parametrize(
    "text",
    [
        "[] a owl:AllDisjointClasses ; owl:members ( :C :A :B ) .",
        ":A rdfs:subClassOf [ a owl:Class ; owl:complementOf :B ] .",
        ":D owl:disjointUnionOf ( :A :B ) .",
        "[ a owl:Class ; owl:intersectionOf ( :A :B ) ] rdfs:subClassOf owl:Nothing .",
    ],
)
def test_disjointness_has_many_forms(text):
    schema = schema_of(text)
    assert schema.are_disjoint(EX.A, EX.B)
    assert [pair for pair in schema.disjoint if set(pair) == {EX.A, EX.B}]


# -- what cannot be ---------------------------------------------------------------------------------


def steps_are_right(proof):
    """Each step is given or follows by its rule from steps before it, matched one to one; the last is ⊥."""
    for i, step in enumerate(proof.steps):
        assert all(premise < i for premise in step.premises)
        if step.rule is None:
            assert not step.premises
            continue
        assert len(step.premises) == len(step.rule.body)
        binding = {}
        atoms = [
            (atom, proof.steps[premise].fact)
            for atom, premise in zip(step.rule.body, step.premises, strict=True)
        ]
        if step.fact is not None:
            atoms.append((step.rule.head, step.fact))
        for atom, (subject, predicate, object_) in atoms:
            name, terms = (
                (object_, [subject]) if len(atom.arguments) == 1 else (predicate, [subject, object_])
            )
            assert atom.predicate == name
            for argument, term in zip(atom.arguments, terms, strict=True):
                assert binding.setdefault(argument, term) == term
    assert proof.steps[-1].fact is None
    assert proof.steps[-1].rule.is_constraint


UNSATISFIABLE = [
    (":A rdfs:subClassOf owl:Nothing .", {EX.A}),
    (":A rdfs:subClassOf :B , :C . :B owl:disjointWith :C .", {EX.A}),
    (":A rdfs:subClassOf :B , :C . :B owl:disjointWith :C . :D rdfs:subClassOf :A .", {EX.A, EX.D}),
    (":A owl:disjointWith :A .", {EX.A}),
    (":p rdfs:domain :A ; rdfs:range :B . :A owl:disjointWith :B .", set()),
    (":p rdfs:domain :A , :B . :A owl:disjointWith :B .", {EX.p}),
    (":p rdfs:domain :A , :B . :A owl:disjointWith :B . :q owl:inverseOf :p .", {EX.p, EX.q}),
    (":p rdfs:subPropertyOf owl:bottomObjectProperty .", {EX.p}),
    (":p a owl:SymmetricProperty , owl:AsymmetricProperty .", {EX.p}),
    (":p rdfs:subPropertyOf :q , :r . :q owl:propertyDisjointWith :r .", {EX.p}),
    (
        ":A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :u ; owl:hasValue 'x' ] . "
        ":u rdfs:range xsd:integer .",
        {EX.A},
    ),
    (":u rdfs:range xsd:integer , xsd:string .", {EX.u}),
    (":u rdfs:range xsd:integer . :v rdfs:range xsd:string ; rdfs:subPropertyOf :u .", {EX.v}),
    (":u rdfs:range xsd:integer , xsd:decimal .", set()),
    (":u rdfs:domain :A , :B . :A owl:disjointWith :B .", {EX.u}),
]


@pytest.mark.parametrize(("text", "names"), UNSATISFIABLE)
def test_what_can_have_no_instance_has_a_proof_and_stands_nowhere_else(text, names):
    schema = schema_of(text)
    assert set(schema.unsatisfiable) == names
    for name, proof in schema.unsatisfiable.items():
        steps_are_right(proof)
        assert any(step.fact is not None and name in step.fact for step in proof.steps if step.rule is None)
    tables = (schema.superclasses, schema.superproperties, schema.domains, schema.ranges, schema.inverses)
    assert not any(name in table for table in tables for name in names)
    assert not any(name in above for table in tables for above in table.values() for name in names)


def test_the_report_names_what_can_have_no_instance():
    ontology = ontology_of(UNSATISFIABLE[1][0])
    ((name, lines),) = ontology.report().unsatisfiable
    assert name == str(EX.A)
    assert lines == (
        "1. x is in class A (supposed)",
        "2. x is in class B (from 1 by cax-sco, A SubClassOf B)",
        "3. x is in class C (from 1 by cax-sco, A SubClassOf C)",
        "4. a contradiction: nothing is in both classes B and C (from 2, 3 by cax-dw, B DisjointWith C)",
    )


# -- as triples -------------------------------------------------------------------------------------

RICH = """
:A rdfs:subClassOf :B . :B owl:equivalentClass :C . :A owl:disjointWith :D .
:p rdfs:domain :A ; rdfs:range :B ; owl:inverseOf :q . :q rdfs:subPropertyOf :r . :r a owl:SymmetricProperty .
:u rdfs:range xsd:integer ; rdfs:subPropertyOf :v .
:a a :A ; :p :b ; owl:sameAs :aa ; owl:differentFrom :c .
:A owl:hasKey ( :u ) . :v rdfs:range [ a rdfs:Datatype ; owl:unionOf ( xsd:integer xsd:string ) ] .
:Hot a rdfs:Datatype ; owl:equivalentClass [ a rdfs:Datatype ; owl:onDatatype xsd:decimal ;
    owl:withRestrictions ( [ xsd:minInclusive 80 ] ) ] .
[ a owl:Restriction ; owl:onProperty :u ; owl:someValuesFrom :Hot ] rdfs:subClassOf :E .
:E rdfs:subClassOf [ a owl:Class ; owl:intersectionOf ( :B [ a owl:Class ; owl:complementOf :F ] ) ] .
"""
TEXTS = [
    RICH,
    *(text for text, _ in UNSATISFIABLE),
    ":p rdfs:subPropertyOf [ owl:inverseOf :q ] .",
    "owl:Thing rdfs:subClassOf :A .",
    ":p a owl:ReflexiveProperty .",
    ":p owl:propertyDisjointWith :q ; rdfs:subPropertyOf :r . :p a owl:IrreflexiveProperty .",
    ":p rdfs:subPropertyOf owl:topObjectProperty . :u rdfs:subPropertyOf owl:topDataProperty .",
    ":p rdfs:range :A . :A owl:oneOf ( :a ) .",
]


@pytest.mark.parametrize("text", TEXTS)
def test_the_triples_are_entailed_say_no_triviality_and_have_no_internal_name(text):
    ontology = ontology_of(text)
    triples = list(ontology.schema.triples())
    assert len(triples) == len(set(triples))
    assert not any("urn:pantarhei:" in term for triple in triples for term in triple)
    assert not any(subject == object_ for subject, _, object_ in triples)
    assert not any(object_ == OWL.Thing for _, _, object_ in triples)
    for triple in triples:
        assert ontology.entails([triple]), triple
    assert not triples or ontology.entails(triples)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_entailed_between_names_is_in_the_schema(text):
    ontology = ontology_of(text)
    schema = ontology.schema
    for first in schema.superclasses:
        for second in schema.superclasses:
            expected = ontology.entails([(first, RDFS.subClassOf, second)])
            assert (second in schema.superclasses[first]) is expected
    for first in (EX.p, EX.q, EX.r):
        for second in (EX.p, EX.q, EX.r):
            if first in schema.superproperties:
                expected = ontology.entails([(first, RDFS.subPropertyOf, second)])
                assert (second in schema.superproperties[first]) is expected
        for class_ in schema.superclasses:
            if first in schema.domains:
                assert (class_ in schema.domains[first]) is ontology.entails([(first, RDFS.domain, class_)])
                assert (class_ in schema.ranges[first]) is ontology.entails([(first, RDFS.range, class_)])
    for name in (EX.A, EX.B, EX.C, EX.D):
        expected = name in schema.unsatisfiable
        assert ontology.entails([(name, RDFS.subClassOf, OWL.Nothing)]) is expected


def test_the_triples_come_in_the_same_order_each_time():
    assert list(schema_of(RICH).triples()) == list(schema_of(RICH).triples())


def test_a_schema_pickles():
    schema = schema_of(RICH + ":G rdfs:subClassOf :A , :D .")
    copy = pickle.loads(pickle.dumps(schema))
    assert copy == schema
    assert list(copy.triples()) == list(schema.triples())
    assert copy.unsatisfiable[EX.G].lines() == schema.unsatisfiable[EX.G].lines()


def test_asking_for_the_schema_changes_no_answer():
    ontology = ontology_of(RICH)
    questions = [[(EX.A, RDFS.subClassOf, EX.C)], [(EX.C, RDFS.subClassOf, EX.A)], [(EX.b, RDF.type, EX.C)]]
    before = [ontology.entails(question) for question in questions]
    assert ontology.schema is ontology.schema
    assert [ontology.entails(question) for question in questions] == before
