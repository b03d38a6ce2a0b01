"""XML catalogs as Protégé writes them."""

from pathlib import Path

import pytest

from pantarhei.errors import MalformedInputError, MissingFileError, MissingImportError, OptionError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.catalog_file import CATALOG_NAME, read_catalog

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
    with pytest.raises(MalformedInputError, match=rf"{CATALOG_NAME}, line 1: no XML catalog"):
        load_ontology(ontology(tmp_path, "a", "c"))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<rdf:RDF xmlns:rdf='urn:x'/>", "no XML catalog: it begins with"),
        ("<!DOCTYPE a [<!ENTITY b '&c;&c;'>]><a/>", "made of entities"),
        ("<?xml version='1.0' encoding='cp037'?><a/>", "which is not read"),
        ("<a>" * 10_000, "nested deeper"),
        (HEAD + "<group>" * 200 + "</group>" * 200 + "</catalog>", "groups nested deeper than 100"),
        (HEAD + uri("a", "http://[") + "</catalog>", "is no URI"),
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
