"""Documents into triples: formats, lexical forms, errors, and what must never happen."""

from __future__ import annotations

import io
import socket
import subprocess
import sys
from pathlib import Path

import owlready2
import pytest
from rdflib import RDF, XSD, BNode, Dataset, Graph, Literal, URIRef

from pantarhei.errors import (
    InputError,
    InvalidTripleError,
    MalformedInputError,
    MissingFileError,
    OptionError,
    UnknownFormatError,
)
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import format_of, read_document

A, P = URIRef("http://example.org/a"), URIRef("http://example.org/p")


def read_graph(source, format=None):
    return read_document(source, format).triples


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


TURTLE = "@prefix : <urn:x/> . :a a :C ."
STATEMENT = "<http://example.org/a> a <urn:x/C> ."
JSON = '{"@id": "urn:a", "@type": "urn:C"}'
RDF_XML_OF_DOCUMENT_FORMAT = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'
OWL_XML_OF_DOCUMENT_FORMAT = '<Ontology xmlns="http://www.w3.org/2002/07/owl#"/>'
COMMENTED = "\n# <rdf:RDF\n  # {\r\n"


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.owl", TURTLE, "turtle"),
        ("a.owl", COMMENTED + TURTLE, "turtle"),
        ("a.owl", COMMENTED + "PREFIX ex: <urn:x/>", "turtle"),
        ("a.rdf", "prefix ex: <urn:x/>", "turtle"),
        ("a.xml", "BASE <urn:x/>", "turtle"),
        ("a.owl", STATEMENT, "turtle"),
        ("a.owl", "<> a <urn:o> .", "turtle"),
        ("a.owl", "<#a> a <urn:o> .", "turtle"),
        ("a.owl", "_:a a <urn:o> .", "turtle"),
        ("a.owl", "[ a <urn:o> ] .", "turtle"),
        ("a.nt", STATEMENT, "nt"),
        ("a.nq", STATEMENT, "nquads"),
        ("a.trig", STATEMENT, "trig"),
        ("a.trig", TURTLE, "trig"),
        ("a.nt", TURTLE, "turtle"),
        ("a.json", STATEMENT, "turtle"),
        ("a.ttl", RDF_XML_OF_DOCUMENT_FORMAT, "xml"),
        ("a.ttl", "<!-- <urn:a> -->" + RDF_XML_OF_DOCUMENT_FORMAT, "xml"),
        ("a.ttl", "<?xml version='1.0'?>" + OWL_XML_OF_DOCUMENT_FORMAT, "owl-xml"),
        ("a.rdf", OWL_XML_OF_DOCUMENT_FORMAT, "owl-xml"),
        ("a.owx", RDF_XML_OF_DOCUMENT_FORMAT, "xml"),
        ("a.ttl", JSON, "json-ld"),
        ("a.owl", "[ " + JSON + "]", "json-ld"),
        ("a.owl", "{}", "json-ld"),
        ("a.txt", TURTLE, "turtle"),
        ("ontology", RDF_XML_OF_DOCUMENT_FORMAT, "xml"),
        ("a.owl", "Prefix(:=<urn:x/>)", "functional"),
        ("a.owl", COMMENTED + "Ontology ( <urn:o>", "functional"),
        ("a.owl", "Prefix: : <urn:x/>", "manchester"),
        ("a.txt", "Ontology: <urn:o>", "manchester"),
        ("a.ofn", "SubClassOf(", "functional"),
        ("a.omn", "Class: <urn:A>", "manchester"),
        ("a.trig", "{ <urn:a> <urn:b> <urn:c> }", "trig"),
        ("a.ttl", "", "turtle"),
    ],
)
def test_content_decides_and_the_suffix_chooses_among_what_it_leaves(name, content, format):
    assert format_of(Path(name), content.encode(), None) == format


def test_what_is_given_goes_first():
    assert format_of(Path("a.owl"), TURTLE.encode(), "nt") == "nt"


def test_where_nothing_tells_the_error_says_what_would():
    with pytest.raises(UnknownFormatError, match=r"a\.txt is unknown: expected a name that ends in \.ttl"):
        format_of(Path("a.txt"), b"once upon a time", None)


@pytest.mark.parametrize("page", ["<!DOCTYPE html>", "<html lang='en'>", "\n<HTML>"])
def test_a_web_page_is_called_one(page):
    with pytest.raises(MalformedInputError, match="a web page, not an ontology; download the file"):
        format_of(Path("pizza.owl"), page.encode(), None)


def test_long_beginnings_take_no_time():
    for beginning in (" " * 10**6, "# x\n" * 10**5, "#" * 10**6, "<" + "a:" * 10**6, "<" + "a" * 10**6):
        format_of(Path("a.ttl"), beginning.encode(), None)


# ruff: noqa: E501  (premises stand on one line)


HEADER = (
    '<?xml version="1.0"?><Ontology xmlns="http://www.w3.org/2002/07/owl#" xml:base="http://example.org/" '
    'xmlns:xml="http://www.w3.org/XML/1998/namespace" ontologyIRI="http://example.org/">'
    '<Prefix name="" IRI="http://example.org/"/>'
)
A_OF_OWL_XML, B, C = (f'<Class IRI="{name}"/>' for name in "ABC")
P_OF_OWL_XML, Q, D = (
    '<ObjectProperty IRI="p"/>',
    '<ObjectProperty abbreviatedIRI=":q"/>',
    '<DataProperty IRI="d"/>',
)
IND, JND = '<NamedIndividual IRI="i"/>', '<NamedIndividual IRI="j"/>'
THREE = '<Literal datatypeIRI="http://www.w3.org/2001/XMLSchema#integer">03</Literal>'
INTEGER = '<Datatype abbreviatedIRI="xsd:integer"/>'
FACET = (
    f'<DatatypeRestriction>{INTEGER}<FacetRestriction facet="http://www.w3.org/2001/XMLSchema#minInclusive">'
    f"{THREE}</FacetRestriction></DatatypeRestriction>"
)

AXIOMS = {
    f"<SubClassOf>{A_OF_OWL_XML}{B}</SubClassOf>": "SubClassOf(A B)",
    f"<EquivalentClasses>{A_OF_OWL_XML}<ObjectIntersectionOf>{B}{C}</ObjectIntersectionOf></EquivalentClasses>": (
        "EquivalentClasses(A ObjectIntersectionOf(B C))"
    ),
    f"<SubClassOf><ObjectSomeValuesFrom><ObjectInverseOf>{P_OF_OWL_XML}</ObjectInverseOf>{A_OF_OWL_XML}</ObjectSomeValuesFrom>{B}</SubClassOf>": (
        "SubClassOf(ObjectSomeValuesFrom(ObjectInverseOf(p) A) B)"
    ),
    f"<SubClassOf>{A_OF_OWL_XML}<ObjectHasValue>{P_OF_OWL_XML}{IND}</ObjectHasValue></SubClassOf>": "SubClassOf(A ObjectHasValue(p i))",
    f"<SubClassOf>{A_OF_OWL_XML}<ObjectHasSelf>{P_OF_OWL_XML}</ObjectHasSelf></SubClassOf>": "SubClassOf(A ObjectHasSelf(p))",
    f'<SubClassOf>{A_OF_OWL_XML}<ObjectMaxCardinality cardinality="1">{P_OF_OWL_XML}{B}</ObjectMaxCardinality></SubClassOf>': (
        "SubClassOf(A ObjectMaxCardinality(1 p B))"
    ),
    f'<SubClassOf>{A_OF_OWL_XML}<DataMinCardinality cardinality="2">{D}{INTEGER}</DataMinCardinality></SubClassOf>': (
        "SubClassOf(A DataMinCardinality(2 d integer))"
    ),
    f"<SubClassOf>{A_OF_OWL_XML}<ObjectComplementOf><ObjectOneOf>{IND}{JND}</ObjectOneOf></ObjectComplementOf></SubClassOf>": (
        "SubClassOf(A ObjectComplementOf(ObjectOneOf(i j)))"
    ),
    f"<DisjointClasses>{A_OF_OWL_XML}{B}</DisjointClasses>": "DisjointClasses(A B)",
    f"<DisjointClasses>{A_OF_OWL_XML}{B}{C}</DisjointClasses>": "DisjointClasses(A B C)",
    f"<DisjointUnion>{A_OF_OWL_XML}{B}{C}</DisjointUnion>": "DisjointUnion(A B C)",
    f"<SubObjectPropertyOf>{P_OF_OWL_XML}{Q}</SubObjectPropertyOf>": "SubObjectPropertyOf(p q)",
    f"<SubObjectPropertyOf><ObjectPropertyChain>{P_OF_OWL_XML}{Q}</ObjectPropertyChain>{P_OF_OWL_XML}</SubObjectPropertyOf>": (
        "SubObjectPropertyOf(ObjectPropertyChain(p q) p)"
    ),
    f"<EquivalentObjectProperties>{P_OF_OWL_XML}{Q}</EquivalentObjectProperties>": "EquivalentObjectProperties(p q)",
    f"<DisjointObjectProperties>{P_OF_OWL_XML}{Q}</DisjointObjectProperties>": "DisjointObjectProperties(p q)",
    f"<InverseObjectProperties>{P_OF_OWL_XML}{Q}</InverseObjectProperties>": "InverseObjectProperties(p q)",
    f"<ObjectPropertyDomain>{P_OF_OWL_XML}{A_OF_OWL_XML}</ObjectPropertyDomain>": "ObjectPropertyDomain(p A)",
    f"<Declaration>{D}</Declaration><DataPropertyRange>{D}{FACET}</DataPropertyRange>": (
        'DataPropertyRange(d DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    f"<DataPropertyRange>{D}<DataUnionOf><DataComplementOf>{INTEGER}</DataComplementOf><DataOneOf>{THREE}</DataOneOf></DataUnionOf></DataPropertyRange>": (
        'DataPropertyRange(d DataUnionOf(DataComplementOf(integer) DataOneOf("03"^^<http://www.w3.org/2001/XMLSchema#integer>)))'
    ),
    f"<SubClassOf>{A_OF_OWL_XML}<DataAllValuesFrom>{D}<DataIntersectionOf>{INTEGER}{FACET}</DataIntersectionOf></DataAllValuesFrom></SubClassOf>": (
        'SubClassOf(A DataAllValuesFrom(d DataIntersectionOf(integer DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))))'
    ),
    f'<DatatypeDefinition><Datatype IRI="T"/>{FACET}</DatatypeDefinition>': (
        'DatatypeDefinition(T DatatypeRestriction(integer minInclusive "03"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    '<DatatypeDefinition><Datatype IRI="T"/><Datatype IRI="U"/></DatatypeDefinition>': "DatatypeDefinition(T U)",
    f"<SubClassOf>{A_OF_OWL_XML}<DataHasValue>{D}{THREE.replace('03', 'x')}</DataHasValue></SubClassOf>": (
        'SubClassOf(A DataHasValue(d "x"^^<http://www.w3.org/2001/XMLSchema#integer>))'
    ),
    f"<FunctionalObjectProperty>{P_OF_OWL_XML}</FunctionalObjectProperty>": "FunctionalObjectProperty(p)",
    f"<TransitiveObjectProperty>{P_OF_OWL_XML}</TransitiveObjectProperty>": "TransitiveObjectProperty(p)",
    f"<Declaration>{D}</Declaration><HasKey>{A_OF_OWL_XML}{P_OF_OWL_XML}{D}</HasKey>": "HasKey(A (p) (d))",
    f"<SameIndividual>{IND}{JND}</SameIndividual>": "SameIndividual(i j)",
    f"<DifferentIndividuals>{IND}{JND}</DifferentIndividuals>": "DifferentIndividuals(i j)",
    f"<NegativeObjectPropertyAssertion>{P_OF_OWL_XML}{IND}{JND}</NegativeObjectPropertyAssertion>": (
        "NegativeObjectPropertyAssertion(p i j)"
    ),
    f"<ClassAssertion><ObjectUnionOf>{A_OF_OWL_XML}{B}</ObjectUnionOf>{IND}</ClassAssertion>": (
        "ClassAssertion(ObjectUnionOf(A B) i)"
    ),
}


def read(tmp_path, body):
    path = tmp_path / "a.owl"  # told from RDF/XML by the first element
    path.write_text(f"{HEADER}{body}</Ontology>", "utf-8")
    triples = read_graph(path)
    reading = read_axioms(triples)
    reading.check_invariants(triples)
    return reading


@pytest.mark.parametrize("body", AXIOMS)
def test_an_axiom_reads_as_written(tmp_path, body):
    reading = read(tmp_path, body)
    assert [str(axiom) for axiom in reading.axioms] == [AXIOMS[body]]
    assert not reading.leftovers


def test_assertions_keep_their_literals(tmp_path):
    body = f"<DataPropertyAssertion>{D}{IND}{THREE}</DataPropertyAssertion><ClassAssertion>{A_OF_OWL_XML}{IND}</ClassAssertion>"
    assert sorted(str(o) for _, _, o in read(tmp_path, body).assertions) == ["03", "http://example.org/A"]


def test_an_inverse_in_an_assertion_turns_it_around(tmp_path):
    inverse = f"<ObjectInverseOf>{P_OF_OWL_XML}</ObjectInverseOf>"
    ((subject, _, object_),) = read(
        tmp_path, f"<ObjectPropertyAssertion>{inverse}{IND}{JND}</ObjectPropertyAssertion>"
    ).assertions
    assert (str(subject)[-1], str(object_)[-1]) == ("j", "i")


def test_annotated_axioms_are_axioms_with_annotations(tmp_path):
    note = (
        '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:comment"/><Literal>why</Literal></Annotation>'
    )
    reading = read(tmp_path, f"<SubClassOf>{note}{A_OF_OWL_XML}{B}</SubClassOf>")
    assert [str(axiom) for axiom in reading.axioms] == ["SubClassOf(A B)"]
    assert len(reading.annotations) == 5
    assert not reading.leftovers


X, Y = '<Variable IRI="urn:swrl#x"/>', '<Variable abbreviatedIRI=":y"/>'
BUILT_IN = 'BuiltInAtom IRI="http://www.w3.org/2003/11/swrlb#greaterThan"'
RULE = f"""<DLSafeRule><Body><ClassAtom>{A_OF_OWL_XML}{X}</ClassAtom><DataPropertyAtom>{D}{X}{Y}</DataPropertyAtom>
<{BUILT_IN}>{Y}{THREE}</BuiltInAtom><DataRangeAtom>{FACET}{Y}</DataRangeAtom></Body><Head>
<ObjectPropertyAtom>{P_OF_OWL_XML}{X}{IND}</ObjectPropertyAtom><SameIndividualAtom>{IND}{X}</SameIndividualAtom>
<DifferentIndividualsAtom>{JND}{X}</DifferentIndividualsAtom></Head></DLSafeRule>"""


def test_a_rule_reads_as_written(tmp_path):
    reading = read(tmp_path, RULE)
    three = '"03"^^<http://www.w3.org/2001/XMLSchema#integer>'
    facet = f"DatatypeRestriction(integer minInclusive {three})"
    assert [str(axiom) for axiom in reading.axioms] == [
        "DLSafeRule(Body(ClassAtom(A Variable(x)) DataPropertyAtom(d Variable(x) Variable(y)) "
        f"BuiltInAtom(greaterThan Variable(y) {three}) DataRangeAtom({facet} Variable(y))) "
        "Head(ObjectPropertyAtom(p Variable(x) i) SameIndividualAtom(i Variable(x)) "
        "DifferentIndividualsAtom(j Variable(x))))"
    ]
    assert not reading.leftovers and not reading.assertions


def test_annotations_of_a_rule_are_annotations(tmp_path):
    note = '<Annotation><AnnotationProperty abbreviatedIRI="rdfs:label"/><Literal>R1</Literal></Annotation>'
    reading = read(tmp_path, RULE.replace("<Body>", f"{note}<Body>", 1))
    assert len(reading.axioms) == 1
    assert [str(o) for _, _, o in reading.annotations] == ["R1"]


def test_an_element_tells_the_kind_of_its_property_without_a_declaration(tmp_path):
    reading = read(tmp_path, f"<FunctionalDataProperty>{D}</FunctionalDataProperty>")
    assert [str(axiom) for axiom in reading.axioms] == ["FunctionalDataProperty(d)"]
    note = '<AnnotationProperty IRI="note"/><IRI>i</IRI><Literal>n</Literal>'
    reading = read(tmp_path, f"<AnnotationAssertion>{note}</AnnotationAssertion>")
    assert len(reading.annotations) == 1 and not reading.assertions


@pytest.mark.parametrize(
    "body",
    [
        "<Unheard/>",
        f"<SubClassOf>{A_OF_OWL_XML}</SubClassOf>",
        f"<SubClassOf>{A_OF_OWL_XML}<Unheard/></SubClassOf>",
        '<SubClassOf><Class abbreviatedIRI="none:A"/><Class IRI="B"/></SubClassOf>',
        '<SubClassOf><Class/><Class IRI="B"/></SubClassOf>',
        "<DLSafeRule><Body/></DLSafeRule>",
        "<DLSafeRule><Body><Unheard/></Body><Head/></DLSafeRule>",
        f"<DLSafeRule><Body><ClassAtom>{A_OF_OWL_XML}</ClassAtom></Body><Head/></DLSafeRule>",
    ],
)
def test_what_is_no_owl_is_refused(tmp_path, body):
    with pytest.raises(MalformedInputError):
        read(tmp_path, body)


def test_deep_nesting_is_refused(tmp_path):
    deep = "<ObjectComplementOf>" * 10_000 + A_OF_OWL_XML + "</ObjectComplementOf>" * 10_000
    with pytest.raises(MalformedInputError, match="nested deeper"):
        read(tmp_path, f"<SubClassOf>{A_OF_OWL_XML}{deep}</SubClassOf>")


def test_a_triple_has_the_line_on_which_its_axiom_begins(tmp_path):
    path = tmp_path / "a.owx"
    body = f"\n<!-- of B\n-->\n<SubClassOf>{A_OF_OWL_XML}\n<ObjectComplementOf>\n{B}</ObjectComplementOf>\n</SubClassOf><SubClassOf\n>{C}{A_OF_OWL_XML}</SubClassOf>"
    path.write_text(f"{HEADER}{body}\n</Ontology>", "utf-8")
    ontology = load_ontology(path)
    found = [
        (rule.origin.axiom, rule.origin.source, rule.origin.line)
        for rule in (*ontology.rules, *ontology.constraints)
    ]
    assert found == [("SubClassOf(C A)", str(path), 7), ("SubClassOf(A ObjectComplementOf(B))", str(path), 4)]


@pytest.fixture
def onto():
    world = owlready2.World()
    onto = world.get_ontology("http://example.org/test#")
    with onto:

        class A(owlready2.Thing):
            pass

        class B(owlready2.Thing):
            pass

        class C(owlready2.Thing):
            pass

        class p(owlready2.ObjectProperty, owlready2.FunctionalProperty):
            domain = [A]  # noqa: RUF012

        class d(owlready2.DataProperty):
            pass

        A.equivalent_to.append(B & p.some(A))
        owlready2.AllDisjoint([A, C])
    a = A("a")
    a.p = A("b")
    a.d = ["v", 3, 0.5, True]
    return onto


def test_an_ontology_and_its_world_give_the_same_rules(onto):
    ours = load_ontology(onto)
    assert {str(rule) for rule in ours.rules} == {
        "A(?x) :- B(?x), p(?x, ?y), A(?y).",
        "A(?x) :- p(?x, ?y).",
        "B(?x) :- A(?x).",
    }
    assert len(ours.constraints) == 2
    assert set(load_ontology(onto.world).rules) == set(ours.rules)


def test_the_same_as_through_a_file_that_owlready2_writes(onto, tmp_path):
    file = io.BytesIO()
    onto.save(file, format="rdfxml")
    path = tmp_path / "saved.owl"
    path.write_bytes(file.getvalue())
    assert set(load_ontology(path).rules) == set(load_ontology(onto).rules)


def test_values_are_literals_of_their_datatype(onto):
    d = URIRef("http://example.org/test#d")
    assert {o for _, p, o in read_graph(onto) if p == d} == {
        Literal("v"),
        Literal("3", datatype=XSD.integer),
        Literal("0.5", datatype=XSD.decimal),
        Literal("true", datatype=XSD.boolean),
    }


def test_loaded_imports_are_read_too(onto):
    top = onto.world.get_ontology("http://example.org/top#")
    top.imported_ontologies.append(onto)
    assert set(load_ontology(top).rules) == set(load_ontology(onto).rules)


def test_reading_changes_nothing_in_the_world(onto):
    before = len(onto.world.graph)
    load_ontology(onto)
    assert len(onto.world.graph) == before


def test_other_objects_of_owlready2_are_refused(onto):
    with pytest.raises(OptionError, match="owlready2"):
        load_ontology(onto.A)
    with pytest.raises(OptionError, match="owlready2"):
        load_ontology(owlready2.class_construct.Not(onto.A))


def test_a_file_below_the_working_directory_is_shown_relative_to_it(tmp_path, monkeypatch):
    inside = tmp_path / "site" / "plant.ttl"
    inside.parent.mkdir()
    inside.write_text("<urn:a> a <urn:C> .")
    monkeypatch.chdir(tmp_path)
    assert read_document(inside).source == read_document("site/plant.ttl").source == "site/plant.ttl"
    monkeypatch.chdir(inside.parent)
    assert read_document(inside).source == "plant.ttl"
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert read_document(inside).source == str(inside)
    assert read_document("../site/plant.ttl").source == "../site/plant.ttl"
