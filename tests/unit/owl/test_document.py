"""Documents into triples: formats, lexical forms, errors, and what must never happen."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

import pytest
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef

from pantarhei.errors import (
    InputError,
    InvalidTripleError,
    MalformedInputError,
    MissingFileError,
    OptionError,
)
from pantarhei.owl.document import read_document, read_graph

A, P = URIRef("http://example.org/a"), URIRef("http://example.org/p")


def write(path, text):
    path.write_text(text, "utf-8")
    return path


@pytest.mark.parametrize("lexical", ["01", "+1", "1"])
def test_lexical_forms_are_kept(tmp_path, lexical):
    path = write(tmp_path / "a.ttl", f'<{A}> <{P}> "{lexical}"^^<{XSD.integer}> .')
    ((_, _, value),) = read_graph(path)
    assert str(value) == lexical


def test_a_string_is_the_plain_literal_of_rdflib(tmp_path):
    path = write(tmp_path / "a.ttl", f'<{A}> <{P}> "v", "v"^^<{XSD.string}>, "v"@en .')
    assert {o for _, _, o in read_graph(path)} == {Literal("v"), Literal("v", lang="en")}


def test_relative_names_stand_against_the_file(tmp_path):
    path = write(tmp_path / "a.ttl", "<#x> a <#C> .")
    assert read_graph(path) == ((URIRef(path.as_uri() + "#x"), RDF.type, URIRef(path.as_uri() + "#C")),)


def test_blank_nodes_of_two_documents_differ_and_reading_twice_gives_the_same(tmp_path):
    first = read_graph(write(tmp_path / "a.ttl", f"_:n <{P}> [] ."))
    second = read_graph(write(tmp_path / "b.ttl", f"_:n <{P}> [], [] ."))
    assert {t for s, _, o in first for t in (s, o)}.isdisjoint(t for s, _, o in second for t in (s, o))
    assert read_graph(tmp_path / "a.ttl") == first


def test_a_named_format_goes_before_the_suffix(tmp_path):
    path = write(tmp_path / "a.xml", f"<{A}> <{P}> 1 .")
    assert len(read_graph(path, "turtle")) == 1
    with pytest.raises(MalformedInputError):
        read_graph(path, "xml")
    with pytest.raises(OptionError, match="turtle"):
        read_graph(path, "cobol")


def test_named_graphs_are_read_together(tmp_path):
    path = write(tmp_path / "a.trig", f"<{A}> <{P}> 1 . <urn:g> {{ <{A}> <{P}> 2 }}")
    assert len(read_graph(path)) == 2
    dataset = Dataset()
    dataset.graph(URIRef("urn:g")).add((A, P, Literal(1)))
    dataset.add((A, P, Literal(2)))
    assert len(read_graph(dataset)) == 2


def test_a_graph_of_the_caller_keeps_its_blank_nodes_and_is_not_changed():
    graph = Graph()
    graph.add((BNode("n"), P, Literal(1)))
    assert read_graph(graph) == ((BNode("n"), P, Literal(1)),)
    assert len(graph) == 1


def test_a_graph_with_what_is_no_triple_is_refused():
    graph = Graph()
    graph.add((A, P, Graph()))
    with pytest.raises((InvalidTripleError, AssertionError)):
        read_graph(graph)


MALFORMED = {
    "a.ttl": f"<{A}> <{P}> 1 .\n<{A}> <{P} 1 .",
    "a.nt": f'<{A}> <{P}> "1" .\nnonsense .',
    "a.rdf": "<?xml version='1.0'?>\n<rdf:RDF>",
    "a.jsonld": '{"@id": ',
    "a.trig": "<urn:g> { ",
    "a.owx": "<Ontology",
}


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_text_names_file_and_reason(tmp_path, name):
    path = write(tmp_path / name, MALFORMED[name])
    with pytest.raises(MalformedInputError) as caught:
        read_graph(path)
    assert caught.value.source == str(path)
    assert caught.value.reason


def test_malformed_turtle_names_the_line(tmp_path):
    with pytest.raises(MalformedInputError) as caught:
        read_graph(write(tmp_path / "a.ttl", MALFORMED["a.ttl"]))
    assert caught.value.line == 2
    assert str(caught.value).count("line 2") == 1


def test_bytes_that_are_no_text_are_malformed(tmp_path):
    path = tmp_path / "a.ttl"
    path.write_bytes(b"\xff\xfe\x00<a>")
    with pytest.raises(MalformedInputError):
        read_graph(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFileError, match=r"nowhere\.ttl") as caught:
        read_graph(tmp_path / "nowhere.ttl")
    assert isinstance(caught.value, FileNotFoundError) and isinstance(caught.value, InputError)


@pytest.mark.parametrize("source", ["https://example.org/a.ttl", Path("https://example.org/a.ttl")])
def test_what_is_on_the_network_is_not_fetched(source):
    with pytest.raises(MissingFileError, match=r"nothing is fetched; download it") as caught:
        read_graph(source)
    assert caught.value.path == "https://example.org/a.ttl"


def test_a_folder_is_no_document(tmp_path):
    folder = tmp_path / "folder.ttl"
    folder.mkdir()
    with pytest.raises(MissingFileError, match=r"folder\.ttl"):
        read_graph(folder)


def test_other_objects_are_refused():
    with pytest.raises(OptionError, match="source"):
        read_graph(42)


# --- Security ---

ENTITIES = '<!ENTITY a0 "lol">' + "".join(f'<!ENTITY a{i} "{f"&a{i - 1};" * 10}">' for i in range(1, 9))
HIDDEN = '<!ENTITY a0 "lol"><!ENTITY a1 "&#38;a0;&#38;a0;">'
LONG = f'<!ENTITY a8 "{"x" * 100_000}">'
EXTERNAL = '<!ENTITY a8 SYSTEM "file:///etc/passwd">'
PARAMETER = '<!ENTITY % a8 "lol">'
RDF_XML = """<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [ {entities} ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://example.org/">
<rdf:Description rdf:about="http://example.org/a"><e:p>{text}</e:p></rdf:Description></rdf:RDF>"""
OWL_XML = """<?xml version="1.0"?>
<!DOCTYPE Ontology [ {entities} ]>
<Ontology xmlns="http://www.w3.org/2002/07/owl#" ontologyIRI="http://example.org/">
<Annotation><AnnotationProperty IRI="http://example.org/p"/><Literal>{text}</Literal></Annotation></Ontology>"""


@pytest.mark.parametrize("document", [RDF_XML, OWL_XML])
@pytest.mark.parametrize("entities", [ENTITIES, HIDDEN, LONG, EXTERNAL, PARAMETER])
def test_entities_are_not_expanded_without_bound(tmp_path, document, entities):
    path = write(tmp_path / "a.owl", document.format(entities=entities, text="&a8;"))
    with pytest.raises(MalformedInputError, match="entit"):
        read_graph(path)


def test_many_uses_of_one_entity_are_refused(tmp_path):
    entities = "".join(f'<!ENTITY e{i} "{"x" * 1000}">' for i in range(3))
    path = write(tmp_path / "a.owl", RDF_XML.format(entities=entities, text="&e1;" * 20_000))
    with pytest.raises(MalformedInputError, match="times its size"):
        read_graph(path)


@pytest.mark.parametrize(
    "written", ["utf-8", "iso-8859-1", "windows-1252", "utf-16", "utf-16-le", "utf-16-be"]
)
@pytest.mark.parametrize("declared", ["UTF-8", "ISO-8859-1", "utf-16", "utf-7", "cp037", "UTF-32"])
def test_no_encoding_hides_an_entity(tmp_path, written, declared):
    path = tmp_path / "a.owl"
    text = RDF_XML.format(entities=ENTITIES, text="&a8;").replace('"1.0"', f'"1.0" encoding="{declared}"')
    path.write_bytes(text.encode(written))
    with pytest.raises(MalformedInputError, match=r"entit|save it as UTF-8"):
        read_graph(path)


@pytest.mark.parametrize("document", [RDF_XML, OWL_XML])
@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "UTF-16", "us-ascii", "utf8"])
def test_an_encoding_that_is_declared_is_read(tmp_path, document, encoding):
    text = "plain" if encoding == "us-ascii" else "é"
    written = document.format(entities="", text=text).replace('"1.0"', f'"1.0" encoding="{encoding}"')
    (tmp_path / "a.owl").write_bytes(written.encode(encoding))
    assert Literal(text) in {o for _, _, o in read_graph(tmp_path / "a.owl")}


@pytest.mark.parametrize("document", [RDF_XML, OWL_XML])
def test_an_entity_that_shortens_a_name_is_allowed(tmp_path, document):
    path = write(
        tmp_path / "a.owl", document.format(entities='<!ENTITY e "http://example.org/">', text="&e;x")
    )
    assert Literal("http://example.org/x") in {o for _, _, o in read_graph(path)}


def test_nothing_is_fetched(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    path = write(
        tmp_path / "a.jsonld", '{"@context": "http://example.org/context", "@id": "urn:a", "urn:p": 1}'
    )
    with pytest.raises(MalformedInputError):
        read_graph(path)


PYTHON_MODULE = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#python_module"


def test_a_python_module_that_an_ontology_names_is_not_imported(tmp_path):
    write(tmp_path / "trap_module.py", "raise SystemExit('imported')")
    turtle = write(
        tmp_path / "a.ttl",
        f'<urn:o> a <http://www.w3.org/2002/07/owl#Ontology> ; <{PYTHON_MODULE}> "trap_module" .',
    )
    owl_xml = write(
        tmp_path / "a.owx",
        OWL_XML.format(entities="", text="trap_module").replace("http://example.org/p", PYTHON_MODULE),
    )
    program = (
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\n"
        "from pantarhei.ontology.ontology import load_ontology\n"
        f"for path in {[str(turtle), str(owl_xml)]!r}:\n"
        "    assert any('trap_module' == str(o) for _, _, o in load_ontology(path).triples)\n"
        "assert 'trap_module' not in sys.modules and 'owlready2' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_term_that_recurs_is_one_object(tmp_path):
    path = tmp_path / "terms.ttl"
    path.write_text('@prefix : <urn:x/> . :a :p "text" , :a , _:b . _:b :p "text" , _:b .')
    triples = read_graph(path)
    terms = [term for triple in triples for term in triple]
    assert len(set(map(id, terms))) == len(set(terms)) == 4


@pytest.mark.parametrize("suffix", [".nt", ".nq"])
def test_a_triple_has_the_line_on_which_it_is_said_first(tmp_path, suffix):
    one, other = "<urn:a> <urn:p> <urn:b> .", "_:c <urn:p> <urn:b> ."
    path = write(tmp_path / f"a{suffix}", "\n".join(["", one, one, "# x", other, one]))
    document = read_document(path)
    assert (len(document.triples), list(document.lines)) == (2, [2, 5])


def test_lines_of_another_system_are_read_and_not_told(tmp_path):
    one = "<urn:a> <urn:p> <urn:b> ."
    (tmp_path / "a.nt").write_bytes(f"# two\r{one}\r{one}\r_:c <urn:p> <urn:b> .".encode())
    document = read_document(tmp_path / "a.nt")
    assert (len(document.triples), document.lines) == (2, None)


def test_a_document_knows_its_file_and_an_object_has_none(tmp_path):
    path = write(tmp_path / "a.ttl", f"<urn:a> <{P}> 1 .")
    assert (read_document(path).source, read_document(path).lines) == (str(path), None)
    assert read_document(Graph()).source is None
