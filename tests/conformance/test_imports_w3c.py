"""Imports come from the catalog alone, as in the W3C's test cases on imports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rdflib import OWL, RDF

from pantarhei.errors import MissingImportError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.document import read_document

FOLDER = Path(__file__).resolve().parents[2].parent / "shared" / "conformance" / "w3c-owl2-rl"
MANIFEST = FOLDER / "manifest.json"
CASES = json.loads(MANIFEST.read_text(encoding="utf-8"))["cases"] if MANIFEST.is_file() else []
IMPORTING = {case["id"]: case for case in CASES if case.get("imports")}
with_cases = pytest.mark.skipif(not CASES, reason=f"no test cases in {FOLDER}")


def document(case):
    return FOLDER / (case.get("premise") or case["input"])


def catalog(case):
    return {each["iri"]: FOLDER / each["file"] for each in case["imports"]}


@with_cases
def test_the_cases_that_import_are_these():
    assert IMPORTING.keys() == {"WebOnt-imports-011", "WebOnt-imports-013"}


@with_cases
@pytest.mark.parametrize("name", IMPORTING)
def test_what_is_imported_is_read_from_the_catalog(name):
    case = IMPORTING[name]
    ontology = load_ontology(document(case), catalog=catalog(case))
    assert ontology.imports_skipped == ()
    for path in catalog(case).values():
        assert set(read_document(path).triples) <= set(ontology.triples)


@with_cases
def test_imports_011_the_imported_axiom_has_consequences():
    case = IMPORTING["WebOnt-imports-011"]
    conclusion = read_document(FOLDER / case["conclusion"]).triples
    assert load_ontology(document(case), catalog=catalog(case)).entails(conclusion) is True
    assert load_ontology(document(case), imports="skip").entails(conclusion) is False


@with_cases
def test_imports_013_an_import_without_an_ontology_header_is_included():
    case = IMPORTING["WebOnt-imports-013"]
    (path,) = catalog(case).values()
    assert not any(o == OWL.Ontology for _, _, o in read_document(path).triples)
    ontology = load_ontology(document(case), catalog=catalog(case))
    (declared,) = ((s, p, o) for s, p, o in read_document(path).triples if p == RDF.type)
    assert declared in ontology.triples
    assert not ontology.report().losses


@with_cases
@pytest.mark.parametrize("name", IMPORTING)
def test_a_missing_import_is_an_error_that_names_it(name):
    case = IMPORTING[name]
    with pytest.raises(MissingImportError, match=case["imports"][0]["iri"]):
        load_ontology(document(case))


@with_cases
@pytest.mark.parametrize("name", IMPORTING)
def test_the_report_names_an_import_that_was_skipped(name):
    case = IMPORTING[name]
    iris = tuple(each["iri"] for each in case["imports"])
    ontology = load_ontology(document(case), imports="skip")
    assert ontology.imports_skipped == iris
    assert ontology.report().imports_skipped == iris
    assert all(iri in str(ontology.report()) for iri in iris)


def test_ontologies_that_import_each_other_are_read_once(tmp_path):
    both = {f"http://example.org/{name}": tmp_path / f"{name}.nt" for name in ("first", "second")}
    for (iri, path), imported in zip(both.items(), reversed(both), strict=True):
        path.write_text(f"<{iri}> <{RDF.type}> <{OWL.Ontology}> .\n<{iri}> <{OWL.imports}> <{imported}> .\n")
    ontology = load_ontology(tmp_path / "first.nt", catalog=both)
    assert len(ontology.triples) == 4
