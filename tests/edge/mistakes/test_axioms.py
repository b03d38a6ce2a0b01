"""What typically goes wrong with axioms in background and stream, and what a stranger is told then."""

from __future__ import annotations

import re
import warnings

import pytest
from rdflib import OWL, RDF, RDFS, XSD, BNode, Graph, Literal, Namespace

from mistakes import at_least_twenty, message_of
from pantarhei import DynamicGraph, StreamReasoner, Window, load_ontology

EX = Namespace("http://example.org/")
PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
VENDOR = ":Probe rdfs:subClassOf :Sensor . :Sensor owl:disjointWith :Room . :celsius a owl:DatatypeProperty ."
SITE = ":Own rdfs:subClassOf :Probe . :p a :Own ."


def graph(text):
    return Graph().parse(data=PREFIXES + text)


def vendor():
    return load_ontology(graph(VENDOR))


def reasoner(background=None):
    return StreamReasoner(vendor(), Window(5), background)


def background(text):
    return lambda: reasoner(graph(text))


def restored(text, given=None):
    saved = reasoner(graph(SITE)).snapshot()
    return lambda: StreamReasoner.restore(saved, load_ontology(graph(text)), background=given)


def pushed(*triples, background=None):
    """What a reasoner says afterwards of what was pushed, as `pantarhei run` does in its summary."""
    made = reasoner(background)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.push(1, triples)
    return str(made.unexpected())


def told(wrong):
    """What is said: of triples in a stream afterwards, of all else in an error."""
    return pushed(*wrong) if isinstance(wrong, list) else message_of(wrong)


RESTRICTION = BNode("r")

# Of each mistake the triples of a stream, or what is done in Python; and what is said.
MISTAKES = {
    "a subclass in the stream": (
        [(EX.Own, RDFS.subClassOf, EX.Probe)],
        (
            "1 assertion writes an axiom, from which nothing follows: axioms belong in the "
            "ontology or in a background"
        ),
    ),
    "two axioms in the stream": (
        [(EX.Own, RDFS.subClassOf, EX.Probe), (EX.isIn, RDFS.range, EX.Room)],
        (
            "2 assertions write axioms, from which nothing follows: axioms belong in the ontology"
            " or in a background"
        ),
    ),
    "an equivalence in the stream": (
        [(EX.Own, OWL.equivalentClass, EX.Probe)],
        (
            "1 assertion writes an axiom, from which nothing follows: axioms belong in the "
            "ontology or in a background"
        ),
    ),
    "a kind of property in the stream": (
        [(EX.isIn, RDF.type, OWL.TransitiveProperty)],
        (
            "1 assertion writes an axiom, from which nothing follows: axioms belong in the "
            "ontology or in a background"
        ),
    ),
    "a range in the stream": (
        [(EX.celsius, RDFS.range, XSD.decimal)],
        (
            "1 assertion writes an axiom, from which nothing follows: axioms belong in the "
            "ontology or in a background"
        ),
    ),
    "a restriction in the stream": (
        [(RESTRICTION, RDF.type, OWL.Restriction), (RESTRICTION, OWL.onProperty, EX.celsius)],
        (
            "1 assertion writes an axiom, from which nothing follows: axioms belong in the "
            "ontology or in a background"
        ),
    ),
    "a class that is misspelt": (
        [(EX.s, RDF.type, EX.Prob)],
        ("1 name of the stream known to neither ontology nor background: class Prob (did you mean Probe?)"),
    ),
    "a class in other case": (
        [(EX.s, RDF.type, EX.sensor)],
        (
            "1 name of the stream known to neither ontology nor background: class sensor (did you"
            " mean Sensor?)"
        ),
    ),
    "a property that is misspelt": (
        [(EX.s, EX.celcius, Literal(5))],
        (
            "1 name of the stream known to neither ontology nor background: property celcius (did"
            " you mean celsius?)"
        ),
    ),
    "a class in another namespace": (
        [(EX.s, RDF.type, Namespace("https://example.org/").Probe)],
        (
            "1 name of the stream known to neither ontology nor background: class "
            "https://example.org/Probe (did you mean http://example.org/Probe?)"
        ),
    ),
    "a slash for the hash": (
        [(EX.s, RDF.type, Namespace("http://example.org#").Probe)],
        (
            "1 name of the stream known to neither ontology nor background: class "
            "http://example.org#Probe (did you mean http://example.org/Probe?)"
        ),
    ),
    "a property that nobody knows": (
        [(EX.s, EX.zzz, EX.t)],
        ("1 name of the stream known to neither ontology nor background: property zzz"),
    ),
    "several names that nobody knows": (
        [(EX.s, EX.zzz, EX.t), (EX.s, RDF.type, EX.Prob)],
        (
            "2 names of the stream known to neither ontology nor background: property zzz; class "
            "Prob (did you mean Probe?)"
        ),
    ),
    "a background against its own axioms": (
        background(f"{SITE} :p a :Room ."),
        (
            "the ontology is inconsistent: p is a room and a sensor, which are disjoint; this follows from: "
            "p is an own repair the ontology or the background; only streamed ABoxes are repaired"
        ),
    ),
    "a class of the background that can have nothing": (
        background(":Own rdfs:subClassOf owl:Nothing . :p a :Own ."),
        (
            "the ontology is inconsistent: p is an own; excluded by: Own SubClassOf owl:Nothing repair the "
            "ontology or the background; only streamed ABoxes are repaired"
        ),
    ),
    "a single triple as background": (
        lambda: reasoner((EX.Own, RDFS.subClassOf, EX.Probe)),
        (
            "not a triple: rdflib.term.URIRef('http://example.org/Own'): expected a tuple "
            "(subject, predicate, object) of rdflib terms; write a single triple as [triple]"
        ),
    ),
    "a triple of two": (
        lambda: reasoner([(EX.Own, RDFS.subClassOf)]),
        (
            "not a triple: (rdflib.term.URIRef('http://example.org/Own'), "
            "rdflib.term.URIRef('http://www.w3.org/2000/01/rdf-schema#subClassOf')): expected a "
            "tuple (subject, predicate, object) of rdflib terms"
        ),
    ),
    "texts for terms": (
        lambda: reasoner([("Own", "subClassOf", "Probe")]),
        ("not a triple: ('Own', 'subClassOf', 'Probe'): the subject must be an IRI or a blank node"),
    ),
    "a path as background": (
        lambda: reasoner("site.ttl"),
        ("site.ttl cannot be read: No such file or directory"),
    ),
    "an ontology as background": (
        lambda: reasoner(vendor()),
        (
            "background=Ontology(1 rule, 1 constraint, 0 assertions) is invalid: expected a "
            "graph, triples, a path or a pyarrow.Table"
        ),
    ),
    "a literal as a class in the stream": (
        lambda: reasoner().push(1, [(EX.s, RDF.type, Literal("Probe"))]),
        (
            "not a triple: (rdflib.term.URIRef('http://example.org/s'), "
            "rdflib.term.URIRef('http://www.w3.org/1999/02/22-rdf-syntax-ns#type'), "
            "rdflib.term.Literal('Probe')): the object of rdf:type must be a class, not a literal"
        ),
    ),
    "another ontology for a checkpoint": (
        restored(":A a :B ."),
        (
            "the checkpoint of … bytes: it was written with other rules or constraints of the "
            "ontology (fingerprint "
            "4dd7dddb1aa9a09e3d870ec106dd2ae7362bf71d40762594defa5d8f9ea7ccfa) than the given ones"
            " (fingerprint e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855); "
            "restore it with the original ones, or create a new StreamReasoner and push the window's ABoxes "
            "to it"
        ),
    ),
    "no background for a checkpoint that has one": (
        restored(VENDOR, []),
        (
            "the checkpoint of … bytes: it was written with other triples as background (fingerprint "
            "83a9838da28fabcfed1c36761e622e39783c5747521dfe26dd670b0120ae3a94) than the given ones"
            " (fingerprint e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855); "
            "restore it with the original ones, or create a new StreamReasoner and push the window's ABoxes "
            "to it"
        ),
    ),
    "another background for a checkpoint": (
        restored(VENDOR, graph(":q a :Own .")),
        (
            "the checkpoint of … bytes: it was written with other triples as background (fingerprint "
            "83a9838da28fabcfed1c36761e622e39783c5747521dfe26dd670b0120ae3a94) than the given ones"
            " (fingerprint c38272c6417f48b251ce611abcf3ffcc8c0394e019b8df2871efc4ccd5dae6b1); "
            "restore it with the original ones, or create a new StreamReasoner and push the window's ABoxes "
            "to it"
        ),
    ),
    "an axiom into a graph without time": (
        lambda: DynamicGraph(vendor(), graph(":Own rdfs:subClassOf [] . :x a :Probe , :Room .")),
        (
            "the ontology is inconsistent: x is a room and a sensor, which are disjoint; this follows from: "
            "x is a probe repair the ontology or the background; only streamed ABoxes are repaired"
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    wrong, expected = MISTAKES[name]
    message = re.sub(r"(checkpoint of) \d{4} (bytes)", r"\1 … \2", told(wrong))  # as many as zlib makes
    assert message == expected
