"""What foundations have in common, and how they are told apart."""

import subprocess
import sys

import pytest
from rdflib import OWL, RDF, Namespace, URIRef, Variable

from pantarhei import Foundation, Ontology, Rule
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Atom, Member

ONE, TWO = Namespace("http://one.example/"), Namespace("http://two.example/")
X, Y = Variable("x"), Variable("y")
A_OF_A = (ONE.a, RDF.type, ONE.A)


def subclass(lower, upper):
    return Rule("cax-sco", (Atom(lower, (X,)),), Atom(upper, (X,)))


def of_datatype(datatype):
    body = (Atom(ONE.V, (X, Y)),)
    return Rule("pr-data", body, Atom(ONE.B, (X,)), tests=(Member(Y, Datatype(datatype)),))


FIRST = Rule("pr-first", tuple(Atom(c, (X,)) for c in (ONE.A, TWO.A, ONE.B, ONE.C)), Atom(ONE.D, (X,)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (([], [A_OF_A]), ([], [A_OF_A, (ONE.a, OWL.sameAs, ONE.b)])),
        (
            ([FIRST, subclass(ONE.A, ONE.B), subclass(TWO.A, ONE.C)], []),
            ([FIRST, subclass(TWO.A, ONE.B), subclass(ONE.A, ONE.C)], []),
        ),
        (([of_datatype(ONE.t)], []), ([of_datatype(TWO.t)], [])),
        (([], [A_OF_A]), ([], [(ONE.b, RDF.type, ONE.A)])),
    ],
)
def test_foundations_that_do_not_understand_one_another_have_other_digests(one, other):
    digests = {
        Foundation.of(Ontology.from_rules(rules), background).digest for rules, background in (one, other)
    }
    assert len(digests) == 2


def test_a_foundation_is_shown_in_a_line():
    foundation = Foundation.of(Ontology.from_rules([subclass(ONE.A, ONE.B)]), [A_OF_A])
    assert repr(foundation) == "Foundation(1 rule, 1 background fact, unique_names=True)"


def test_the_reading_of_names_is_in_the_digest():
    ontology = Ontology.from_rules([subclass(ONE.A, ONE.B)])
    assert Foundation.of(ontology).digest != Foundation.of(ontology, unique_names=False).digest


def test_a_digest_is_the_same_in_another_process_with_another_seed_of_hashes():
    script = (
        "import pantarhei as pr; print(pr.Foundation.of(pr.load_ontology('ontologies/building.ttl')).digest)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1 and len(found.pop().strip()) == 64


def test_numbers_below_the_common_ones_mean_the_same_terms():
    ontology = Ontology.from_rules([subclass(ONE.A, ONE.B)], [A_OF_A])
    one, other = (Foundation.of(ontology, [(ONE.z, ONE.p, ONE.y)]) for _ in "12")
    one.vocabulary.encode([(URIRef("urn:later"), ONE.p, ONE.a)])
    assert one.common == other.common and one.digest == other.digest
    assert one.vocabulary.names[: one.common.names] == list(other.vocabulary.names)
