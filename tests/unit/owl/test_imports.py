"""Imports: from the catalog and from nowhere else."""

from __future__ import annotations

import pytest
from rdflib import Graph

from pantarhei.errors import MalformedInputError, MissingImportError, OptionError
from pantarhei.ontology.ontology import load_ontology

OWL = "http://www.w3.org/2002/07/owl#"
SUB = "<http://www.w3.org/2000/01/rdf-schema#subClassOf>"


def document(folder, name, *imports, says=""):
    iri = f"http://example.org/{name}"
    lines = [f"<{iri}> a <{OWL}Ontology> .", *(f"<{iri}> <{OWL}imports> <{i}> ." for i in imports), says]
    path = folder / f"{name}.ttl"
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_an_import_in_the_catalog_is_read(tmp_path):
    top = document(tmp_path, "top", "http://example.org/v2/base")
    base = document(tmp_path, "base", says=f"<urn:x/A> {SUB} <urn:x/B> .")
    for path in (base, str(base)):
        assert len(load_ontology(top, catalog={"http://example.org/v2/base": path}).rules) == 1


def test_an_import_is_found_in_a_folder_by_its_last_part(tmp_path):
    top = document(tmp_path, "top", "http://example.org/base", "http://example.org/other#")
    document(tmp_path, "base", says=f"<urn:x/A> {SUB} <urn:x/B> .")
    document(tmp_path, "other", says=f"<urn:x/B> {SUB} <urn:x/C> .")
    for catalog in (tmp_path, str(tmp_path)):
        assert len(load_ontology(top, catalog=catalog).rules) == 2


def test_imports_of_imports_are_read_and_circles_end(tmp_path):
    a = document(tmp_path, "a", "http://example.org/b")
    document(tmp_path, "b", "http://example.org/c", says=f"<urn:x/A> {SUB} <urn:x/B> .")
    document(
        tmp_path, "c", "http://example.org/a", "http://example.org/c", says=f"<urn:x/B> {SUB} <urn:x/C> ."
    )
    assert len(load_ontology(a, catalog=tmp_path).rules) == 2


def test_a_missing_import_is_an_error_that_names_it(tmp_path):
    top = document(tmp_path, "top", "http://example.org/nowhere")
    with pytest.raises(MissingImportError) as caught:
        load_ontology(top)
    assert caught.value.iri == "http://example.org/nowhere"
    assert caught.value.importing == str(top)


def test_a_missing_import_of_an_import_names_who_imports_it(tmp_path):
    top = document(tmp_path, "top", "http://example.org/base")
    base = document(tmp_path, "base", "http://example.org/nowhere")
    with pytest.raises(MissingImportError) as caught:
        load_ontology(top, catalog=tmp_path)
    assert caught.value.importing == str(base)


def test_skipped_imports_are_reported(tmp_path):
    ontology = load_ontology(document(tmp_path, "top", "http://example.org/nowhere"), imports="skip")
    assert ontology.imports_skipped == ("http://example.org/nowhere",)
    assert "http://example.org/nowhere" in str(ontology.report())


def test_an_import_that_is_malformed_is_named(tmp_path):
    top = document(tmp_path, "top", "http://example.org/base")
    document(tmp_path, "base", says="nonsense")
    with pytest.raises(MalformedInputError, match="base"):
        load_ontology(top, catalog=tmp_path)


def test_an_import_cannot_leave_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    document(tmp_path, "secret")
    top = document(inside, "top", "http://example.org/..")
    with pytest.raises(MissingImportError):
        load_ontology(top, catalog=inside)


def test_other_ways_to_treat_imports_are_refused(tmp_path):
    with pytest.raises(OptionError, match="imports"):
        load_ontology(document(tmp_path, "top"), imports="maybe")


def test_each_axiom_names_the_document_that_says_it_first(tmp_path):
    both = f"<urn:x/C> {SUB} <urn:x/D> ."
    top = document(
        tmp_path,
        "top",
        "http://example.org/base",
        "http://example.org/lines",
        says=f"<urn:x/A> {SUB} <urn:x/B> .",
    )
    base = document(tmp_path, "base", says=f"<urn:x/B> {SUB} <urn:x/C> . {both}")
    lines = tmp_path / "lines.nt"
    lines.write_text(f"# said before\n{both}\n\n<urn:x/D> {SUB} <urn:x/E> .\n", "utf-8")
    rules = load_ontology(top, catalog=tmp_path).rules
    assert {rule.origin.axiom: (rule.origin.source, rule.origin.line) for rule in rules} == {
        "SubClassOf(A B)": (str(top), None),
        "SubClassOf(B C)": (str(base), None),
        "SubClassOf(C D)": (str(base), None),
        "SubClassOf(D E)": (str(lines), 4),
    }


def test_what_a_graph_imports_names_its_file(tmp_path):
    base = document(tmp_path, "base", says=f"<urn:x/A> {SUB} <urn:x/B> .")
    graph = Graph().parse(
        document(tmp_path, "top", "http://example.org/base", says=f"<urn:x/B> {SUB} <urn:x/C> .")
    )
    rules = load_ontology(graph, catalog=tmp_path).rules
    assert {rule.origin.axiom: rule.origin.source for rule in rules} == {
        "SubClassOf(A B)": str(base),
        "SubClassOf(B C)": None,
    }
