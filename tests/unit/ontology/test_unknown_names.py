"""Unknown names and suggestions."""

import pytest
from rdflib import RDF, RDFS, BNode, Literal

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.interpretation.foundation import FoundationCounts
from pantarhei.model.rule import Rule
from pantarhei.ontology.unknown_names import KnownNames
from pantarhei.rules.compilation.program import compile_
from strategies import EX, is_a, related, x, y

PROGRAM = compile_([Rule("prp-dom", (related(EX.watches, x, y),), is_a(EX.Camera, x))])


@pytest.fixture
def names():
    vocabulary = Vocabulary(PROGRAM)
    common = FoundationCounts(*vocabulary.counts)
    asserted = vocabulary.encode([(EX.roof, EX.covers, EX.hall)]).facts
    vocabulary.encode([(EX.stray, EX.strays, EX.away)])  # numbered, and of no stream
    return KnownNames(vocabulary, common.symbols, common.names, asserted, {EX.Declared})


def told(names, triple):
    return [(each.name, each.kind, each.nearest) for each in names.unknown_in(triple)]


def test_what_rules_stream_and_ontology_use_is_known(names):
    for triple in [
        (EX.roof, EX.watches, EX.hall),
        (EX.hall, EX.covers, Literal(1)),
        (EX.roof, RDF.type, EX.Camera),
        (EX.roof, RDF.type, EX.Declared),
    ]:
        assert told(names, triple) == []


def test_a_name_that_only_has_a_number_is_unknown(names):
    assert (EX.stray, "name", ()) in told(names, (EX.stray, EX.covers, EX.hall))


@pytest.mark.parametrize(
    ("triple", "expected"),
    [
        ((EX.roof, EX.watch, EX.hall), (EX.watch, "property", (EX.watches,))),
        ((EX.roof, RDF.type, EX.camera), (EX.camera, "class", (EX.Camera,))),
        ((EX.roofs, EX.covers, EX.hall), (EX.roofs, "name", (EX.roof,))),
        ((EX.roof, RDF.type, EX.Zebra), (EX.Zebra, "class", ())),
    ],
)
def test_the_nearest_name_of_its_kind_is_told(names, triple, expected):
    assert told(names, triple) == [expected]


def test_a_class_is_no_property(names):
    assert told(names, (EX.roof, EX.Camera, EX.hall))[0][:2] == (EX.Camera, "property")


def test_blank_nodes_and_words_of_owl_are_told_as_such(names):
    blank = BNode("b")
    assert told(names, (blank, EX.covers, EX.hall)) == [(blank, "blank node", ())]
    assert told(names, (EX.roof, RDFS.subClassOf, EX.hall)) == [(RDFS.subClassOf, "word of OWL", ())]
