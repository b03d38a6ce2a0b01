"""Brick loads, in the versions in which most buildings are described; owlready2 aborts on it.

The files are those of the package brickschema. Their imports are elsewhere and are skipped.
"""

from __future__ import annotations

import pickle
from functools import cache

import pytest
from rdflib import OWL

from brick_building import brick_file
from counts import some
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_document
from pantarhei.owl.report import LOST
from pantarhei.rules.compilation.program import compile_

VERSIONS = ("1.4", "1.5")
MOST_BYTES = 20_000_000
pytestmark = pytest.mark.skipif(brick_file("1.4") is None, reason="the package brickschema is not installed")
each_version = pytest.mark.parametrize("version", some(VERSIONS, ["1.4"]))


@cache
def brick(version):
    return load_ontology(brick_file(version), imports="skip")


@each_version
def test_every_triple_is_accounted_for(version):
    ontology = brick(version)
    reading = read_axioms(ontology.triples)
    reading.check_invariants(ontology.triples)
    report = ontology.report()
    assert set(ontology.triples) == set(read_document(brick_file(version)).triples)
    assert len(report.entries) == len(reading.axioms) + len(reading.leftovers)
    assert all(entry.reasons for entry in report.entries if entry.outcome in LOST)


@each_version
def test_the_report_names_each_missing_import(version):
    wanted = {str(o) for _, p, o in read_document(brick_file(version)).triples if p == OWL.imports}
    assert wanted
    assert set(brick(version).report().imports_skipped) == wanted
    assert all(iri in str(brick(version).report()) for iri in wanted)


@each_version
def test_nothing_is_lost(version):
    """What SHACL's shapes list (`sh:or`, `sh:in`) says nothing in OWL, and counts among the annotations."""
    assert not brick(version).report().losses


@each_version
def test_the_compiled_program_is_small_enough_to_send_to_every_worker(version):
    program = compile_((*brick(version).rules, *brick(version).constraints))
    content = pickle.dumps(program)
    assert len(content) < MOST_BYTES
    assert pickle.dumps(pickle.loads(content)) == content


@each_version
def test_a_pickled_ontology_is_equal(version):
    assert pickle.loads(pickle.dumps(brick(version))) == brick(version)
