"""Which part of a background says axioms, and which part is facts."""

from __future__ import annotations

import pyarrow as pa
import pytest
from rdflib import OWL, RDF, RDFS, Graph, Namespace

from pantarhei.owl.background_axioms import axioms_of, has_axioms, table_has_axioms
from pantarhei.owl.document import Document, read_document
from pantarhei.rdf.ntriples import write_term

PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix swrl: <http://www.w3.org/2003/11/swrl#> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""
EX = Namespace("http://example.org/")

FACTS = [
    ":x a :A ; :p 1 , :y ; rdfs:label 'x' .",
    ":x owl:sameAs :y ; owl:differentFrom :z ; a owl:Thing , owl:NamedIndividual .",
    ":x :tracks ( :one :two ) .",
    ":A a owl:Class . :p a owl:DatatypeProperty . <urn:site> a owl:Ontology ; owl:versionInfo '2' .",
]
AXIOMS = [
    ":A rdfs:subClassOf :B .",
    ":p rdfs:domain :A .",
    ":p rdfs:range xsd:decimal ; a owl:FunctionalProperty .",
    "[ a owl:AllDifferent ; owl:distinctMembers ( :x :y ) ] .",
    "[ owl:sourceIndividual :x ; owl:assertionProperty :p ; owl:targetIndividual :y ;"
    " a owl:NegativePropertyAssertion ] .",
    ":x a [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue 1 ] .",
    "[ a owl:Restriction ; owl:onProperty :p ; owl:someValuesFrom [ a rdfs:Datatype ;"
    " owl:onDatatype xsd:decimal ; owl:withRestrictions ( [ xsd:minInclusive 80 ]"
    " [ xsd:maxInclusive 90 ] ) ] ] rdfs:subClassOf :Hot .",
    ":q owl:propertyChainAxiom ( :p [ owl:inverseOf :r ] ) .",
    "[ a swrl:Imp ; swrl:body [ a swrl:AtomList ; rdf:first [ a swrl:ClassAtom ; swrl:classPredicate :A ;"
    " swrl:argument1 :v ] ; rdf:rest rdf:nil ] ; swrl:head [ a swrl:AtomList ; rdf:first [ a swrl:ClassAtom ;"
    " swrl:classPredicate :B ; swrl:argument1 :v ] ; rdf:rest rdf:nil ] ] . :v a swrl:Variable .",
]


def document(text):
    return Document(tuple(Graph().parse(data=PREFIXES + text)), None, {}, None)


def table(triples):
    columns = zip(*([write_term(term) for term in triple] for triple in triples), strict=True)
    return pa.table(dict(zip(("subject", "predicate", "object"), map(list, columns), strict=True)))


@pytest.mark.parametrize("text", FACTS)
def test_facts_say_no_axiom(text):
    given = document(text)
    assert not has_axioms(given.triples) and not table_has_axioms(table(given.triples))
    assert axioms_of(given) is None


@pytest.mark.parametrize("text", AXIOMS)
def test_an_axiom_is_taken_with_all_that_it_is_written_with(text):
    given = document(text)
    assert has_axioms(given.triples) and table_has_axioms(table(given.triples))
    found = axioms_of(document(text + FACTS[0] + FACTS[2]))
    assert len(found.triples) == len(given.triples)


def test_declarations_and_headers_go_with_axioms():
    found = axioms_of(document(AXIOMS[0] + FACTS[3]))
    assert len(found.triples) == 5


def test_what_lists_of_axioms_hold_is_not_taken_with_them():
    given = document("[ a owl:AllDifferent ; owl:members ( _:a :y ) ] . _:a :p 5 ; a :A ; owl:sameAs :z .")
    facts = set(given.triples) - set(axioms_of(given).triples)
    assert {(p, o) for _, p, o in facts if p != EX.p} == {(RDF.type, EX.A), (OWL.sameAs, EX.z)}


def test_axioms_keep_their_file_and_lines(tmp_path):
    path = tmp_path / "site.nt"
    sub = f"<{RDFS.subClassOf}>"
    path.write_text(f"<urn:x> <urn:p> <urn:y> .\n<urn:A> {sub} <urn:B> .\n<urn:z> <urn:p> <urn:y> .\n")
    found = axioms_of(read_document(path))
    assert (found.source, list(found.lines), len(found.triples)) == (str(path), [2], 1)


def test_an_empty_table_says_no_axiom():
    assert not table_has_axioms(pa.table({name: [] for name in ("subject", "predicate", "object")}))
