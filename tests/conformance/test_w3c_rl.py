"""The W3C's OWL 2 test cases of the profile RL.

A case is tested once for each of its kinds. Three cases are of the RDF-Based Semantics alone. To that an
annotation is a fact, to the Direct Semantics it says nothing, so two of the three have a counterpart
(…-Direct) with the same triples and the opposite answer.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from pantarhei.errors import InconsistentOntologyError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.document import read_document

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "w3c-owl2-rl"
MANIFEST = FOLDER / "manifest.json"
CASES = json.loads(MANIFEST.read_text(encoding="utf-8"))["cases"] if MANIFEST.is_file() else []
pytestmark = pytest.mark.skipif(not CASES, reason=f"no test cases in {FOLDER}")

KNOWN_FAILURES = {
    ("WebOnt-I4.6-003", "PositiveEntailment"): (
        "of the RDF-Based Semantics alone, where sameAs between two individuals says something of the "
        "classes of the same names; in the Direct Semantics it does not"
    ),
}


def cases(kind):
    """The cases of one kind as parameters, known failures marked."""
    return [_parameter(case, kind) for case in CASES if kind in case["types"]]


def _parameter(case, kind):
    reason = KNOWN_FAILURES.get((case["id"], kind))
    marks = [pytest.mark.xfail(reason=reason, raises=AssertionError)] if reason else []
    return pytest.param(case, id=case["id"].replace(" ", "_"), marks=marks)


def premise(case):
    catalog = {each["iri"]: FOLDER / each["file"] for each in case.get("imports", ())}
    return load_ontology(FOLDER / case["premise"], catalog=catalog)


def of_rdf_alone(case):
    return "direct" not in case["semantics"]


@pytest.mark.parametrize("case", cases("Consistency"))
def test_a_consistent_ontology_loads(case):
    assert premise(case).triples


@pytest.mark.parametrize("case", cases("Inconsistency"))
def test_an_inconsistent_ontology_is_refused(case):
    with pytest.raises(InconsistentOntologyError):
        premise(case)


@pytest.mark.parametrize("case", cases("PositiveEntailment"))
def test_a_conclusion_is_entailed(case):
    conclusion = read_document(FOLDER / case["conclusion"]).triples
    assert premise(case).entails(conclusion, annotations=of_rdf_alone(case)) is True


@pytest.mark.parametrize("case", cases("NegativeEntailment"))
def test_what_is_no_conclusion_is_not_entailed(case):
    nonconclusion = read_document(FOLDER / case["nonconclusion"]).triples
    assert premise(case).entails(nonconclusion, annotations=of_rdf_alone(case)) is False


def test_every_case_is_there_and_every_known_failure_is_a_case():
    kinds = Counter(kind for case in CASES for kind in case["types"])
    assert kinds == {
        "Consistency": 79,
        "Inconsistency": 14,
        "PositiveEntailment": 32,
        "NegativeEntailment": 7,
    }
    assert KNOWN_FAILURES.keys() <= {(case["id"], kind) for case in CASES for kind in case["types"]}
