"""Published ontologies load, and every triple of them is accounted for."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.report import LOST

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "ontologies"
FILES = sorted(FOLDER.glob("*.nt"))
pytestmark = pytest.mark.skipif(not FILES, reason=f"no ontologies in {FOLDER}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_an_ontology_loads_with_every_triple_accounted_for(path):
    ontology = load_ontology(path, imports="skip")
    reading = read_axioms(ontology.triples)
    reading.check_invariants(ontology.triples)
    report = ontology.report()
    assert len(report.entries) == len(reading.axioms) + len(reading.leftovers)
    assert all(entry.reasons for entry in report.entries if entry.outcome in LOST)
    assert ontology.background >= reading.assertions
    assert json.loads(report.to_json())["axioms"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_rules_are_safe_connected_and_have_their_origin(path):
    ontology = load_ontology(path, imports="skip")
    for rule in (*ontology.rules, *ontology.constraints):
        in_body = {argument for atom in rule.body for argument in atom.arguments}
        assert rule.head is None or set(rule.head.arguments) - in_body <= _constants(rule.head.arguments)
        compared = {argument for d in rule.different for argument in (d.left, d.right)}
        assert compared - in_body <= _constants(compared)
        assert len(_components(rule)) == 1
        assert rule.origin
        assert rule.head not in rule.body


def test_the_rules_of_an_ontology_do_not_depend_on_the_order_of_its_triples():
    path = FILES[0]
    triples = load_ontology(path, imports="skip").triples
    assert read_axioms(triples).axioms == read_axioms(reversed(triples)).axioms


def test_a_published_ontology_pickles():
    ontology = load_ontology(FILES[0], imports="skip")
    assert pickle.loads(pickle.dumps(ontology)) == ontology


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_inconsistency_normal_form_is_shown_without_multiplying_out(path):
    form = load_ontology(path, imports="skip").inconsistency_normal_form(depth=2)
    assert len(form.constraints) <= 1000
    assert str(form) or not form.constraints


def _constants(arguments):
    return {argument for argument in arguments if not argument.n3().startswith("?")}


def _components(rule):
    groups = []
    for atom in rule.body:
        touching = [group for group in groups if group & set(atom.arguments)]
        groups = [group for group in groups if group not in touching]
        groups.append(set(atom.arguments).union(*touching))
    return groups
