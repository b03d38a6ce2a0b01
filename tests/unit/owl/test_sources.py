"""Several documents, folders and globs as one ontology."""

from __future__ import annotations

from pathlib import Path

import pytest
from rdflib import Graph

from pantarhei.errors import MissingFileError, MissingImportError, OptionError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.sources import sources_of

PREFIXES = "@prefix : <urn:x#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
IMPORTING = "@prefix owl: <http://www.w3.org/2002/07/owl#> .\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b.ttl").write_text(PREFIXES + ":B rdfs:subClassOf :C .")
    (tmp_path / "a.ttl").write_text(PREFIXES + ":A rdfs:subClassOf :B .")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.TTL").write_text(PREFIXES + ":C rdfs:subClassOf :D .")
    (tmp_path / "settings.json").write_text("{}")
    (tmp_path / "catalog-v001.xml").write_text("<catalog/>")
    return tmp_path


def test_a_folder_is_the_ontologies_directly_in_it_by_name(folder):
    assert sources_of(folder) == sources_of(str(folder)) == (folder / "a.ttl", folder / "b.ttl")
    assert sources_of(folder / "deep") == (folder / "deep" / "c.TTL",)


def test_a_glob_is_the_files_that_it_matches_by_name(folder):
    assert sources_of(f"{folder}/?.ttl") == (folder / "a.ttl", folder / "b.ttl")
    assert sources_of(folder / "**" / "*.[tT]*") == (
        folder / "a.ttl",
        folder / "b.ttl",
        folder / "deep" / "c.TTL",
    )


def test_a_file_whose_name_looks_like_a_glob_is_that_file(folder):
    odd = folder / "a[b].ttl"
    odd.write_text("")
    assert sources_of(odd) == (odd,)


def test_what_is_given_twice_is_read_once(folder):
    graph = Graph()
    given = [graph, folder / "b.ttl", folder, graph, f"{folder}/deep/../a.ttl"]
    assert sources_of(given) == (graph, folder / "b.ttl", folder / "a.ttl")


def test_several_documents_are_one_ontology_and_each_axiom_names_its_file(folder):
    further = Graph().parse(data=PREFIXES + ":D rdfs:subClassOf :E .")
    ontology = load_ontology([folder, further, folder / "deep"])
    written = [rule.origin.source for rule in ontology.rules]
    assert written == [str(folder / "a.ttl"), str(folder / "b.ttl"), str(folder / "deep" / "c.TTL"), None]
    assert ontology.report().documents == tuple(written[:3])
    line = f"read from: {folder / 'a.ttl'} (1 axiom), {folder / 'b.ttl'} (1 axiom), "
    assert line in str(ontology.report())
    assert "read from" not in str(load_ontology(folder / "a.ttl").report())


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
        (["a.ttl", None], OptionError, "source=None is not possible"),
    ],
)
def test_what_cannot_be_read_is_named_with_what_to_do(folder, monkeypatch, given, error, said):
    monkeypatch.chdir(folder)
    (folder / "empty").mkdir()
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
