"""What no axiom uses goes where it belongs."""

from rdflib import OWL, RDF, RDFS, BNode, Literal

from pantarhei.owl.axiom import PropertyKind
from pantarhei.owl.expression_mapping import NameKinds, TripleIndex
from pantarhei.owl.leftover import sort_remainder
from strategies import EX

NODE = BNode("n")
KINDS = NameKinds({EX.p: PropertyKind.OBJECT, EX.note: PropertyKind.ANNOTATION}, frozenset())
DECLARED, SAID, NOTED = (EX.C, RDF.type, OWL.Class), (EX.a, EX.p, EX.b), (EX.a, EX.note, Literal("n"))
IDLE = [(NODE, RDF.type, OWL.Restriction), (NODE, OWL.onProperty, EX.p), (NODE, OWL.someValuesFrom, EX.C)]


def sorted_(triples, used=(), failed=()):
    return sort_remainder(TripleIndex(triples), KINDS, used, failed, frozenset((EX.C,)))


def test_each_triple_is_in_one_part():
    found = sorted_([DECLARED, SAID, NOTED, *IDLE])
    assert (found.declarations, found.assertions, found.annotations) == ({DECLARED}, {SAID}, {NOTED})
    (idle,) = found.leftovers
    assert set(idle.triples) == set(IDLE) and idle.is_idle


def test_what_was_used_is_nowhere_and_what_failed_is_left_with_its_reason():
    failed = (EX.C, RDFS.subClassOf, NODE)
    found = sorted_([SAID, failed], [SAID], [(failed, "no such node")])
    assert not found.assertions
    (left,) = found.leftovers
    assert (left.construct, left.triples, left.reason) == ("rdfs:subClassOf", (failed,), "no such node")
    assert not left.is_idle
