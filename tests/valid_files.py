"""Small valid files in each format, for tests that damage them."""

VERSION = b'VERSION "1.2-messages"\n'
TIME = b"<http://www.w3.org/ns/sosa/resultTime>"
STREAMS = {
    "nquads": b'<urn:a> <urn:b> "0.5"@en <urn:at:1> .\n_:x <urn:b> "7"^^<urn:d> <urn:at:2> .\n' * 2,
    "trig": b'@prefix : <urn:> .\n:at:1 { :a :b """x""" , 7.5 }\n:at:2 { [] a :C ; :d ( 1 true ) }\n',
    "ntriples": VERSION + b'<urn:a> %b "1" .\nMESSAGE\n_:b %b "2" .\n' % (TIME, TIME),
    "turtle": VERSION + b'@prefix : <urn:> .\n:a %b 1 ; :b "x"@en .\n@message .\n:a %b 2 .\n' % (TIME, TIME),
    "jsonld": b'[{"@context": {"@vocab": "urn:", "at": "http://www.w3.org/ns/prov#generatedAtTime"},\n'
    b' "@id": "urn:g", "at": 1, "@graph": [{"@id": "urn:a", "b": [1, 2.5, {"@id": "urn:c"}]}]}]\n',
}
LINES = b'{"time": "2026-01-01T10:00Z", "id": "a", "free": 1, "in": {"x": [1]}}\n' * 3
ONTOLOGIES = {
    "a.ttl": b"""@prefix : <urn:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:o a owl:Ontology . :A rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :p ; owl:hasValue 7 ] .""",
    "a.rdf": b"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE rdf:RDF [ <!ENTITY e "urn:e:"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:owl="http://www.w3.org/2002/07/owl#">
<owl:Class rdf:about="&e;A"><owl:disjointWith rdf:resource="&e;B"/></owl:Class></rdf:RDF>""",
    "a.owx": b"""<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="urn:o">
<Prefix name="e" IRI="urn:e:"/>
<SubClassOf><Class abbreviatedIRI="e:A"/><ObjectSomeValuesFrom><ObjectProperty IRI="urn:p"/>
<Class IRI="urn:B"/></ObjectSomeValuesFrom></SubClassOf>
</Ontology>""",
    "a.ofn": b"""Prefix(:=<urn:>)
Ontology(<urn:o>
SubClassOf(:A ObjectAllValuesFrom(:p :B))
DataPropertyRange(:d DatatypeRestriction(xsd:decimal xsd:minInclusive "7"^^xsd:decimal)))
""",
    "a.jsonld": b'{"@context": {"owl": "http://www.w3.org/2002/07/owl#"}, "@id": "urn:A"}',
    "a.nt": b'<urn:A> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:B> .\n<urn:A> <urn:p> "x" .\n',
    "a.trig": b"@prefix : <urn:> .\n:g { :A a :B . }\n:C a :D .\n",
}
