"""Imports: from the catalog and from nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from pantarhei.errors import MalformedInputError, MissingFileError, MissingImportError, OptionError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.imports import CATALOG_NAME, read_catalog, sources_of

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


HEAD = """<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<catalog prefer="public" xmlns="urn:oasis:names:tc:entity:xmlns:xml:catalog">
"""
GROUP = """<group id="Folder Repository, directory=, recursive=true" prefer="public" xml:base="{}">
{}</group>"""


def catalog(folder, *says, name=CATALOG_NAME):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(HEAD + "\n".join(says) + "</catalog>", "utf-8")
    return folder / name


def uri(name, target):
    return f'<uri id="User Entered Import Resolution" name="urn:{name}" uri="{target}"/>'


def ontology(folder, name, *imports):
    folder.mkdir(exist_ok=True)
    imported = "".join(f"<owl:imports rdf:resource='urn:{each}'/>" for each in imports)
    path = folder / f"{name}.owl"
    path.write_text(
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' "
        "xmlns:owl='http://www.w3.org/2002/07/owl#'>"
        f"<owl:Ontology rdf:about='urn:{name}'>{imported}</owl:Ontology></rdf:RDF>",
        "utf-8",
    )
    return path


def test_names_stand_against_the_folder_the_group_and_the_base(tmp_path):
    path = catalog(
        tmp_path,
        uri("a", "a.owl"),
        GROUP.format("", uri("b", "sub/b%20c.owl")),
        GROUP.format("sub/", uri("c", "c.owl") + GROUP.format("../other/", uri("d", "d.owl"))),
        uri("e", "file:/elsewhere/e.owl"),
        uri("a", "second.owl"),
    )
    assert read_catalog(path) == {
        "urn:a": tmp_path / "a.owl",
        "urn:b": tmp_path / "sub/b c.owl",
        "urn:c": tmp_path / "sub/c.owl",
        "urn:d": tmp_path / "other/d.owl",
        "urn:e": Path("/elsewhere/e.owl"),
    }


def test_what_would_be_fetched_is_left_out(tmp_path):
    path = catalog(
        tmp_path,
        uri("a", "http://example.org/a.owl"),
        uri("b", "file://server/b.owl"),
        '<nextCatalog catalog="https://example.org/catalog.xml"/>',
    )
    assert read_catalog(path) == {}


def test_further_catalogs_are_read_and_circles_end(tmp_path):
    path = catalog(tmp_path, '<nextCatalog catalog="sub/next.xml"/>', uri("a", "a.owl"))
    back = f'<nextCatalog catalog="../{CATALOG_NAME}"/>'
    catalog(tmp_path / "sub", back, uri("a", "not.owl"), uri("b", "b.owl"), name="next.xml")
    assert read_catalog(path) == {"urn:a": tmp_path / "a.owl", "urn:b": tmp_path / "sub/b.owl"}


def test_a_catalog_that_is_given_leads_anywhere(tmp_path):
    ontology(tmp_path / "far", "b")
    top = ontology(tmp_path / "near", "a", "b")
    given = catalog(tmp_path, uri("b", "far/b.owl"), name="mine.xml")
    for each in (given, str(given)):
        assert len(load_ontology(top, catalog=each).report().documents) == 2


def test_a_catalog_beside_the_ontology_is_used_by_itself(tmp_path):
    top = ontology(tmp_path, "a", "b")
    ontology(tmp_path / "parts", "b", "c")
    ontology(tmp_path / "parts", "c")
    catalog(tmp_path, uri("b", "parts/b.owl"))
    catalog(tmp_path / "parts", uri("c", "c.owl"))
    assert len(load_ontology(top).report().documents) == 3


def test_a_catalog_in_the_folder_that_is_given_is_used(tmp_path):
    ontology(tmp_path / "parts", "b")
    catalog(tmp_path / "parts", uri("other", "b.owl"))
    top = ontology(tmp_path, "a", "other")
    assert len(load_ontology(top, catalog=tmp_path / "parts").report().documents) == 2


def test_a_catalog_beside_the_ontology_cannot_leave_its_folder(tmp_path):
    top = ontology(tmp_path / "inside", "a", "b")
    secret = ontology(tmp_path, "b")
    (tmp_path / "inside" / "link.owl").symlink_to(secret)
    for target in ("../b.owl", secret.as_uri(), "link.owl", "%00", "x" * 5000, "b.owl"):
        catalog(tmp_path / "inside", uri("b", target))
        with pytest.raises(MissingImportError, match="urn:b"):
            load_ontology(top)
    catalog(tmp_path, uri("b", "b.owl"), name="outside.xml")
    catalog(tmp_path / "inside", '<nextCatalog catalog="../outside.xml"/>')
    with pytest.raises(MissingImportError, match="urn:b"):
        load_ontology(top)


def test_a_broken_catalog_is_told_where_it_is_needed(tmp_path):
    (tmp_path / CATALOG_NAME).write_text("<catalog")
    assert load_ontology(ontology(tmp_path, "b")).report().documents
    with pytest.raises(MalformedInputError, match=rf"{CATALOG_NAME}, line 1: not an XML catalog"):
        load_ontology(ontology(tmp_path, "a", "c"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<rdf:RDF xmlns:rdf='urn:x'/>", "not an XML catalog: the root element is"),
        ("<!DOCTYPE a [<!ENTITY b '&c;&c;'>]><a/>", "refers to other entities"),
        ("<?xml version='1.0' encoding='cp037'?><a/>", "which is not supported"),
        ("<a>" * 10_000, "nested deeper"),
        (HEAD + "<group>" * 200 + "</group>" * 200 + "</catalog>", "groups nested deeper than 100"),
        (HEAD + uri("a", "http://[") + "</catalog>", "is not a URI"),
    ],
)
def test_a_file_that_is_no_catalog_is_refused(tmp_path, text, reason):
    (tmp_path / "c.xml").write_text(text)
    with pytest.raises(MalformedInputError, match=reason):
        read_catalog(tmp_path / "c.xml")


def test_a_catalog_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(OptionError, match=r"an XML catalog \(catalog-v001\.xml\)"):
        load_ontology(ontology(tmp_path, "a"), catalog=tmp_path / "none.xml")
    with pytest.raises(MissingFileError, match=r"next\.xml"):
        read_catalog(catalog(tmp_path, '<nextCatalog catalog="next.xml"/>'))


PREFIXES = "@prefix : <urn:x#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
IMPORTING = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"


@pytest.fixture
def folder_of_sources(tmp_path):
    (tmp_path / "b.ttl").write_text(PREFIXES + ":B rdfs:subClassOf :C .")
    (tmp_path / "a.ttl").write_text(PREFIXES + ":A rdfs:subClassOf :B .")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.TTL").write_text(PREFIXES + ":C rdfs:subClassOf :D .")
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "catalog-v001.xml").write_text("<catalog/>")
    return tmp_path


def test_a_folder_is_the_ontologies_directly_in_it_by_name(folder_of_sources):
    assert (
        sources_of(folder_of_sources)
        == sources_of(str(folder_of_sources))
        == (folder_of_sources / "a.ttl", folder_of_sources / "b.ttl")
    )
    assert sources_of(folder_of_sources / "deep") == (folder_of_sources / "deep" / "c.TTL",)


def test_a_glob_is_the_files_that_it_matches_by_name(folder_of_sources):
    assert sources_of(f"{folder_of_sources}/?.ttl") == (
        folder_of_sources / "a.ttl",
        folder_of_sources / "b.ttl",
    )
    assert sources_of(folder_of_sources / "**" / "*.[tT]*") == (
        folder_of_sources / "a.ttl",
        folder_of_sources / "b.ttl",
        folder_of_sources / "deep" / "c.TTL",
    )


def test_a_file_whose_name_looks_like_a_glob_is_that_file(folder_of_sources):
    odd = folder_of_sources / "a[b].ttl"
    odd.write_text("")
    assert sources_of(odd) == (odd,)


def test_what_is_given_twice_is_read_once(folder_of_sources):
    graph = Graph()
    given = [
        graph,
        folder_of_sources / "b.ttl",
        folder_of_sources,
        graph,
        f"{folder_of_sources}/deep/../a.ttl",
    ]
    assert sources_of(given) == (graph, folder_of_sources / "b.ttl", folder_of_sources / "a.ttl")


def test_several_documents_are_one_ontology_and_each_axiom_names_its_file(folder_of_sources):
    further = Graph().parse(data=PREFIXES + ":D rdfs:subClassOf :E .")
    ontology = load_ontology([folder_of_sources, further, folder_of_sources / "deep"])
    written = [rule.origin.source for rule in ontology.rules]
    assert written == [
        str(folder_of_sources / "a.ttl"),
        str(folder_of_sources / "b.ttl"),
        str(folder_of_sources / "deep" / "c.TTL"),
        None,
    ]
    assert ontology.report().documents == tuple(written[:3])
    line = f"read from: {folder_of_sources / 'a.ttl'} (1 axiom), {folder_of_sources / 'b.ttl'} (1 axiom), "
    assert line in str(ontology.report())
    assert "read from" not in str(load_ontology(folder_of_sources / "a.ttl").report())


def test_what_one_document_imports_may_be_another_of_them(tmp_path):
    base, site = tmp_path / "base.ttl", tmp_path / "site.ttl"
    base.write_text(IMPORTING + "<urn:base> a owl:Ontology .")
    site.write_text(IMPORTING + "<urn:site> a owl:Ontology ; owl:imports <urn:base> .")
    assert len(load_ontology([site, base]).triples) == 3
    with pytest.raises(MissingImportError):
        load_ontology([site, site])


def test_the_prefixes_are_those_of_all_of_them_and_the_first_prevails(tmp_path):
    one, other = tmp_path / "one.ttl", tmp_path / "other.ttl"
    one.write_text("@prefix a: <urn:a#> . @prefix b: <urn:b#> .")
    other.write_text("@prefix a: <urn:x#> . @prefix c: <urn:c#> .")
    prefixes = dict(load_ontology([one, other]).prefixes)
    assert prefixes == {"a": "urn:a#", "b": "urn:b#", "c": "urn:c#"}


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ("empty", MissingFileError, "no file in this folder ends in .ttl, .rdf, .owl, .nt,"),
        ("*.owl", MissingFileError, "no file matches this pattern"),
        ("nowhere.ttl", MissingFileError, "No such file"),
        (["a.ttl", "nowhere.ttl"], MissingFileError, "nowhere.ttl cannot be read"),
        ([], OptionError, "expected at least one document"),
        ([("a", "b", "c")], OptionError, "expected triples in an rdflib.Graph: Graph().add(triple)"),
        (["a.ttl", None], OptionError, "source=None is invalid"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(folder_of_sources, monkeypatch, given, error, said):
    monkeypatch.chdir(folder_of_sources)
    (folder_of_sources / "empty").mkdir()
    with pytest.raises(error) as caught:
        load_ontology(given)
    assert said in str(caught.value)


def test_the_hint_to_files_in_folders_below_does_not_depend_on_their_order(tmp_path, monkeypatch):
    for name in ("z/o.ttl", "b/o.owl", "a/deep/o.nt"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text("")
    found = Path.glob

    def turned(path, pattern):
        return reversed(list(found(path, pattern)))

    said = set()
    for glob in (found, turned):
        monkeypatch.setattr(Path, "glob", glob)
        with pytest.raises(MissingFileError) as refused:
            sources_of(tmp_path)
        said.add(str(refused.value))
    (text,) = said
    assert text.endswith("**/*.owl")
