"""The OWL 2 RL closures of 24 published ontologies, as the MobiBench collection states them.

Each expected triple is entailed, and the schema and the facts derived on loading are the expected ones.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from pathlib import Path

import pytest
from rdflib import OWL, RDF, RDFS, XSD, URIRef

from counts import some
from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.model.data_range import Datatype
from pantarhei.owl.document import read_document
from pantarhei.values.emptiness import includes

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "mobibench-ore"
NAMES = sorted((path.stem for path in (FOLDER / "input").glob("*.nt")), key=int)
pytestmark = pytest.mark.skipif(not NAMES, reason=f"no ontologies in {FOLDER}")
each_ontology = pytest.mark.parametrize("name", some(NAMES, NAMES[::8]))

BUILT_IN_TYPES = frozenset({RDFS.Datatype, OWL.AnnotationProperty, OWL.Class})
SCHEMA = frozenset(
    {RDFS.subClassOf, OWL.equivalentClass, OWL.disjointWith}
    | {RDFS.subPropertyOf, OWL.equivalentProperty, OWL.inverseOf, RDFS.domain, RDFS.range}
)
DECLARED_AS = BUILT_IN_TYPES | {OWL.ObjectProperty, OWL.DatatypeProperty, OWL.NamedIndividual, OWL.Ontology}
TRAITS = frozenset({OWL.FunctionalProperty, OWL.TransitiveProperty, OWL.SymmetricProperty})


def is_built_in(term):
    """Whether OWL defines the name; some of these ontologies have names of their own in its namespace."""
    return any(term in vocabulary for vocabulary in (OWL, RDF, RDFS, XSD))


def is_misspelt(triple):
    return any(term == URIRef(f"{XSD}NMToken") for term in triple)


# What is expected and not asked for, and why. The kinds are asked in this order.
EXCLUDED = {
    "the datatype is xsd:NMTOKEN; xsd:NMToken is none": is_misspelt,
    "eq-ref: that each name is the same as itself says nothing": lambda triple: (
        triple[1] == OWL.sameAs and triple[0] == triple[2]
    ),
    "dt-type1, prp-ap, cls-thing, cls-nothing1: what OWL itself declares is in no ontology": lambda triple: (
        triple[1] == RDF.type and is_built_in(triple[0]) and triple[2] in BUILT_IN_TYPES
    ),
}


def expected(name):
    """What is expected of an ontology and not excluded."""
    stated = read_document(FOLDER / "expected-inferences" / f"{name}.nt").triples
    return {triple for triple in stated if not any(excludes(triple) for excludes in EXCLUDED.values())}


@cache
def ontology(name):
    return load_ontology(FOLDER / "input" / f"{name}.nt")


def is_trivial(triple):
    """Whether it holds in every ontology: `C ⊑ C`, `C ⊑ ⊤`, `⊥ ⊑ C`, and that something is in ⊤."""
    subject, _, object_ = triple
    return object_ == OWL.Thing or subject in (object_, OWL.Nothing)


def is_fact(triple):
    """Whether it is an assertion, rather than schema, a declaration or what a property is like."""
    return triple[1] not in SCHEMA and not (triple[1] == RDF.type and triple[2] in DECLARED_AS | TRAITS)


@each_ontology
def test_every_expected_triple_is_entailed(name):
    assert [triple for triple in sorted(expected(name)) if not ontology(name).entails([triple])] == []
    assert ontology(name).entails(expected(name)) is True


@each_ontology
def test_the_schema_is_the_expected_one_and_what_inverses_and_datatypes_add(name):
    """RL has no scm-* rule on inverses or wider datatypes, so the collection lacks what follows by them."""
    ours = set(ontology(name).schema.triples())
    theirs = {triple for triple in expected(name) if triple[1] in SCHEMA and not is_trivial(triple)}
    assert theirs - ours == set()
    read = ontology(name).triples
    turned = {end for s, p, o in read if p == OWL.inverseOf for end in (s, o)}
    turned |= {s for s, p, o in read if (p, o) == (RDF.type, OWL.SymmetricProperty)}
    assert {triple[0] for triple in ours - theirs - set(_ranges_around(theirs))} <= turned


def _ranges_around(triples):
    """A range of each data property whose datatype is wider than the one given (dt-type2 by value spaces)."""
    given = [(s, o) for s, p, o in triples if p == RDFS.range and o.startswith(XSD)]
    for (property_, narrow), (_, wide) in product(given, given):
        if includes(Datatype(wide), Datatype(narrow)):
            yield property_, RDFS.range, wide


@each_ontology
def test_the_facts_are_the_expected_ones(name):
    reasoner = StreamReasoner(ontology(name), Window(range=0), unique_names=False)
    facts = {triple for triple in expected(name) if is_fact(triple) and not is_trivial(triple)}
    assert reasoner.materialization() == facts


def test_declarations_are_those_of_the_ontologies():
    """So nothing that `entails` grants unseen hides among what is expected."""
    for name in NAMES:
        declared = {triple for triple in expected(name) if triple[1] == RDF.type and triple[2] in DECLARED_AS}
        assert declared <= set(ontology(name).triples)


def test_enough_is_asked_for_and_each_exclusion_is_needed():
    wanted = [triple for name in NAMES for triple in expected(name)]
    assert sum(triple[1] in SCHEMA and not is_trivial(triple) for triple in wanted) > 3_000
    assert sum(is_fact(triple) and not is_trivial(triple) for triple in wanted) > 40
    stated = [
        t for name in NAMES for t in read_document(FOLDER / "expected-inferences" / f"{name}.nt").triples
    ]
    assert all(any(map(excludes, stated)) for excludes in EXCLUDED.values())
