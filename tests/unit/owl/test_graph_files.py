"""Graphs given as files: paths, folders and patterns, and what is not a path."""

from pathlib import Path

import pytest
from rdflib import BNode, Graph, Literal, Namespace, URIRef

import pantarhei as pr
from pantarhei.errors import MalformedInputError, MissingFileError, OptionError, UnknownFormatError
from pantarhei.owl.graph_files import documents_at, graph_at

EX = Namespace("http://example.org/")
FACT, OTHER = (EX.a, EX.p, EX.b), (EX.c, EX.p, EX.d)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "one.ttl").write_text(
        "<http://example.org/a> <http://example.org/p> <http://example.org/b> ."
    )
    Graph().add(OTHER).serialize(tmp_path / "two.rdf", format="xml")
    (tmp_path / "notes.txt").write_text("not RDF")
    return tmp_path


def test_each_form_of_a_path_is_read(folder):
    one, two = folder / "one.ttl", folder / "two.rdf"
    for given in (one, str(one), [one], (str(one),), str(folder / "*.ttl")):
        assert set(graph_at(given, "background", several=True)) == {FACT}
    for given in (folder, str(folder), [one, two], [str(two), one], str(folder / "*.[tr][td][lf]")):
        assert set(graph_at(given, "background", several=True)) == {FACT, OTHER}
    assert [each.source for each in documents_at([one, two], "background")] == [str(one), str(two)]


@pytest.mark.parametrize(
    "given",
    [
        *(None, (), [], [FACT], (FACT,), {FACT}, Graph(), EX.a, FACT, 7, iter([FACT])),
        *(BNode("b"), [BNode("b")], (BNode("b"), EX.p, Literal("x")), Literal("one.ttl"), ["one.ttl", FACT]),
    ],
)
def test_another_value_is_returned_unchanged(given):
    assert documents_at(given, "background") is None
    assert graph_at(given, "background") is given


@pytest.mark.parametrize("kind", [list, tuple])
def test_texts_in_an_abox_are_never_paths(folder, kind):
    path = str(folder / "one.ttl")
    given = kind([path])
    assert graph_at(given, "abox") is given
    reasoner = pr.StreamReasoner(pr.Ontology.from_rules([]), pr.Window(1))
    with pytest.raises(pr.InputError):
        reasoner.push(1, given)
    with pytest.raises(pr.InputError):
        list(reasoner.run([(1, given)]))
    assert reasoner.push(1, path).assertions.arrived == {FACT}


class _Unread(list):
    def __iter__(self):
        yield FACT
        raise AssertionError("the second triple was read")


def test_a_list_of_triples_is_recognized_by_the_first_one():
    given = _Unread([FACT] * 2)
    assert graph_at(given, "background") is given


def test_blank_nodes_of_two_files_are_distinct(tmp_path):
    for name in "bc":
        (tmp_path / f"{name}.nt").write_text(f"_:x <http://example.org/p> <http://example.org/{name}> .\n")
    subjects = {subject for subject, _, _ in graph_at(tmp_path, "background")}
    assert len(subjects) == 2 and all(isinstance(each, BNode) for each in subjects)


def test_a_missing_file_is_an_error(tmp_path):
    for given in ("missing.ttl", Path("missing.ttl"), "no graph at all", str(tmp_path / "*.ttl"), tmp_path):
        with pytest.raises(MissingFileError):
            graph_at(given, "background")


def test_a_text_of_rdf_is_refused_with_a_hint():
    with pytest.raises(OptionError) as raised:
        graph_at("<urn:a> <urn:p> <urn:b> .\n<urn:a> <urn:p> <urn:c> .", "static")
    assert str(raised.value).startswith("static=")
    assert "expected a path; parse a text by rdflib.Graph().parse(data=text, format=…)" in str(raised.value)


def test_malformed_files_and_unknown_formats_are_errors(tmp_path):
    (tmp_path / "bad.ttl").write_text("<urn:a> <urn:p>")
    with pytest.raises(MalformedInputError, match=r"bad\.ttl"):
        graph_at(tmp_path / "bad.ttl", "background")
    (tmp_path / "notes.txt").write_text("not RDF")
    with pytest.raises(UnknownFormatError) as raised:
        graph_at(tmp_path / "notes.txt", "background")
    assert "the option" not in str(raised.value)


def test_an_iri_is_not_a_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("name").write_text("")
    assert documents_at(URIRef("name"), "axiom") is None
