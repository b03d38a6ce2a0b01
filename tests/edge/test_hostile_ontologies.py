"""Ontologies that would run code, open connections or use up the process: each ends as data or an error."""

from __future__ import annotations

import resource
import socket
import subprocess
import sys

import owlready2
import pytest
from rdflib import OWL, RDF, RDFS, BNode, Graph, Literal, URIRef

import pantarhei as pr
from counts import some
from pantarhei.errors import InputError, MalformedInputError, MissingImportError

PYTHON_MODULE = "http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#python_module"
A, ONTOLOGY = URIRef("http://example.org/A"), URIRef("http://example.org/o")
DEEP = 10_000
RDF_XML = (
    f'<?xml version="1.0"?><rdf:RDF xmlns:rdf="{RDF}" xmlns:rdfs="{RDFS}" xmlns:owl="{OWL}" '
    'xmlns:r="http://www.lesfleursdunormal.fr/static/_downloads/owlready_ontology.owl#">%s</rdf:RDF>'
)
OWL_XML = (
    f'<?xml version="1.0"?><Ontology xmlns="{OWL}" ontologyIRI="{ONTOLOGY}" xml:base="http://example.org/">'
    "%s</Ontology>"
)
HEADER = f"<{ONTOLOGY}> <{RDF.type}> <{OWL.Ontology}> "


def write(path, text):
    path.write_text(text, "utf-8")
    return path


# --- Code ---

TRAPS = {
    "o.ttl": f'<{ONTOLOGY}> a <{OWL.Ontology}> ; <{PYTHON_MODULE}> "trap_module" .',
    "o.nt": f'{HEADER}.\n<{ONTOLOGY}> <{PYTHON_MODULE}> "trap_module" .\n',
    "o.nq": f'{HEADER}.\n<{ONTOLOGY}> <{PYTHON_MODULE}> "trap_module" <urn:g> .\n',
    "o.trig": f'<urn:g> {{ <{ONTOLOGY}> a <{OWL.Ontology}> ; <{PYTHON_MODULE}> "trap_module" }}',
    "o.jsonld": f'{{"@id": "{ONTOLOGY}", "@type": "{OWL.Ontology}", "{PYTHON_MODULE}": "trap_module"}}',
    "o.rdf": RDF_XML
    % f'<owl:Ontology rdf:about="{ONTOLOGY}"><r:python_module>trap_module</r:python_module></owl:Ontology>',
    "o.owx": OWL_XML
    % f'<Annotation><AnnotationProperty IRI="{PYTHON_MODULE}"/><Literal>trap_module</Literal></Annotation>',
}
LOAD = """
import sys
sys.path.insert(0, {folder!r})
import pantarhei as pr
{source}
assert any(str(o) == "trap_module" for _, _, o in pr.load_ontology(source).triples)
assert "trap_module" not in sys.modules
"""
HAND_OVER = f"""
import owlready2
source = owlready2.World().get_ontology("{ONTOLOGY}")
world = source.world
source._set_data_triple_spod(source.storid, world._abbreviate("{PYTHON_MODULE}"), "trap_module", "")
"""


@pytest.mark.parametrize("name", some([*TRAPS, "an owlready2 ontology"], ["o.ttl"]))
def test_a_python_module_that_an_ontology_names_is_not_imported(tmp_path, name):
    write(tmp_path / "trap_module.py", "raise SystemExit('imported')")
    source = HAND_OVER
    if name in TRAPS:
        source = f"source = {str(write(tmp_path / name, TRAPS[name]))!r}"
    program = LOAD.format(folder=str(tmp_path), source=source)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


# --- Connections ---

FAR = "http://example.com/far"
IMPORTING = {
    "o.ttl": f"<{ONTOLOGY}> a <{OWL.Ontology}> ; <{OWL.imports}> <{FAR}> .",
    "o.nt": f"{HEADER}.\n<{ONTOLOGY}> <{OWL.imports}> <{FAR}> .\n",
    "o.jsonld": f'{{"@id": "{ONTOLOGY}", "@type": "{OWL.Ontology}", "{OWL.imports}": {{"@id": "{FAR}"}}}}',
    "o.rdf": RDF_XML
    % f'<owl:Ontology rdf:about="{ONTOLOGY}"><owl:imports rdf:resource="{FAR}"/></owl:Ontology>',
    "o.owx": OWL_XML % f"<Import>{FAR}</Import>",
}


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*arguments, **more):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def check_import_is_not_fetched(source):
    with pytest.raises(MissingImportError, match=FAR):
        pr.load_ontology(source)
    assert pr.load_ontology(source, imports="skip").imports_skipped == (FAR,)


@pytest.mark.parametrize("name", IMPORTING)
def test_imports_open_no_connection(tmp_path, name, no_network):
    check_import_is_not_fetched(write(tmp_path / name, IMPORTING[name]))


def test_imports_of_a_graph_and_of_an_owlready2_ontology_open_no_connection(no_network):
    check_import_is_not_fetched(Graph().parse(data=IMPORTING["o.ttl"], format="turtle"))
    ontology = owlready2.World().get_ontology(str(ONTOLOGY))
    ontology._add_obj_triple_spo(
        ontology.storid, ontology.world._abbreviate(str(OWL.imports)), ontology.world._abbreviate(FAR)
    )
    check_import_is_not_fetched(ontology)


@pytest.mark.parametrize(
    "document",
    [
        '<!DOCTYPE Ontology SYSTEM "http://example.com/far.dtd">' + OWL_XML.partition("?>")[2] % "",
        '<!DOCTYPE rdf:RDF PUBLIC "far" "http://example.com/far.dtd">' + RDF_XML.partition("?>")[2] % "",
        '<!DOCTYPE Ontology [ <!ENTITY far SYSTEM "http://example.com/far"> ]>'
        + OWL_XML.partition("?>")[2] % "",
    ],
)
def test_document_types_open_no_connection(tmp_path, document, no_network):
    path = write(tmp_path / "o.owl", document)
    try:
        assert len(pr.load_ontology(path).triples) <= 1
    except InputError as error:
        assert "entit" in str(error)


def test_a_remote_context_opens_no_connection(tmp_path, no_network):
    path = write(tmp_path / "o.jsonld", f'{{"@context": "{FAR}", "@id": "urn:a", "urn:p": 1}}')
    with pytest.raises(MalformedInputError):
        pr.load_ontology(path)


# --- Depth ---

INNERMOST = "http://example.org/B"
NESTED = {
    "o.ttl": f"<{A}> <{RDFS.subClassOf}> "
    + f"[ <{OWL.complementOf}> " * DEEP
    + f"<{INNERMOST}>"
    + " ]" * DEEP
    + " .",
    "o.nt": f"<{A}> <{RDFS.subClassOf}> _:n0 .\n"
    + "".join(f"_:n{i} <{OWL.complementOf}> _:n{i + 1} .\n" for i in range(DEEP - 1))
    + f"_:n{DEEP - 1} <{OWL.complementOf}> <{INNERMOST}> .\n",
    "o.jsonld": f'{{"@id": "{A}", "{RDFS.subClassOf}": '
    + f'{{"{OWL.complementOf}": ' * DEEP
    + f'{{"@id": "{INNERMOST}"}}'
    + "}" * (DEEP + 1),
    "o.rdf": RDF_XML
    % (
        f'<owl:Class rdf:about="{A}"><rdfs:subClassOf>'
        + "<owl:Class><owl:complementOf>" * DEEP
        + f'<owl:Class rdf:about="{INNERMOST}"/>'
        + "</owl:complementOf></owl:Class>" * DEEP
        + "</rdfs:subClassOf></owl:Class>"
    ),
    "o.owx": OWL_XML
    % (
        f'<SubClassOf><Class IRI="{A}"/>'
        + "<ObjectComplementOf>" * DEEP
        + f'<Class IRI="{INNERMOST}"/>'
        + "</ObjectComplementOf>" * DEEP
        + "</SubClassOf>"
    ),
}


def check_is_lost(source):
    """Assert that what is nested ends as one loss, or that the document is refused."""
    try:
        ontology = pr.load_ontology(source)
    except MalformedInputError:
        return "refused"
    (loss,) = ontology.report().losses
    assert any("nested deeper" in reason for reason in loss.reasons)
    return "lost"


@pytest.mark.parametrize("name", NESTED)
def test_ten_thousand_nested_class_expressions_are_lost_or_refused(tmp_path, name):
    expected = "lost" if name in ("o.ttl", "o.nt") else "refused"
    assert check_is_lost(write(tmp_path / name, NESTED[name])) == expected


@pytest.mark.long
def test_ten_thousand_nested_class_expressions_of_a_graph_or_of_owlready2_are_lost(tmp_path):
    graph = Graph()
    nodes = [A, *(BNode(f"n{i}") for i in range(DEEP)), URIRef(INNERMOST)]
    for i, node in enumerate(nodes[:-1]):
        graph.add((node, OWL.complementOf if i else RDFS.subClassOf, nodes[i + 1]))
    assert check_is_lost(graph) == "lost"
    path = write(tmp_path / "o.nt", NESTED["o.nt"])
    assert check_is_lost(owlready2.World().get_ontology(path.as_uri()).load()) == "lost"


@pytest.mark.parametrize(
    ("predicate", "inner"),
    [
        (RDFS.range, OWL.datatypeComplementOf),
        (OWL.propertyChainAxiom, RDF.rest),
        (RDFS.subPropertyOf, OWL.inverseOf),
    ],
)
def test_other_constructs_nested_without_end_are_lost(predicate, inner):
    nodes = [A, *(BNode(f"n{i}") for i in range(DEEP)), URIRef(INNERMOST)]
    graph = Graph()
    for i, node in enumerate(nodes[:-1]):
        graph.add((node, inner if i else predicate, nodes[i + 1]))
    assert pr.load_ontology(graph).report().losses


@pytest.mark.long
def test_a_rule_of_ten_thousand_atoms_is_lost():
    swrl = "http://www.w3.org/2003/11/swrl#"
    rule, cells, graph = URIRef("urn:r"), [BNode(f"c{i}") for i in range(DEEP)], Graph()
    graph.add((rule, RDF.type, URIRef(swrl + "Imp")))
    graph.add((rule, URIRef(swrl + "body"), cells[0]))
    graph.add((rule, URIRef(swrl + "head"), RDF.nil))
    for i, (cell, rest) in enumerate(zip(cells, [*cells[1:], RDF.nil], strict=True)):
        atom = BNode(f"a{i}")
        graph.add((cell, RDF.first, atom))
        graph.add((cell, RDF.rest, rest))
        graph.add((atom, RDF.type, URIRef(swrl + "ClassAtom")))
        graph.add((atom, URIRef(swrl + "classPredicate"), URIRef(f"urn:C{i}")))
        graph.add((atom, URIRef(swrl + "argument1"), URIRef("urn:swrl#x")))
    (loss,) = pr.load_ontology(graph).report().losses
    assert "more than 500 atoms" in loss.reasons[0]


@pytest.mark.parametrize("depth", [101, 100_000])
@pytest.mark.parametrize("name", ["o.ttl", "o.nt", "o.nq", "o.trig"])
def test_triple_terms_inside_one_another_are_refused(tmp_path, name, depth):
    term = "<<( <urn:s> <urn:p> " * depth + "<urn:o>" + " )>>" * depth
    path = write(tmp_path / name, f"<{A}> <urn:p> {term} .\n")
    with pytest.raises(MalformedInputError, match="triple terms nested"):
        pr.load_ontology(path)


@pytest.mark.parametrize(
    "opening", ['{"urn:p":', '{"@graph":', '{"@context": {"a": {"@id": "urn:a", "@context":']
)
def test_objects_inside_one_another_are_refused(tmp_path, opening):
    with pytest.raises(MalformedInputError, match="objects nested"):
        pr.load_ontology(write(tmp_path / "o.jsonld", opening * 100_000))


def test_braces_in_strings_are_no_nesting(tmp_path):
    path = write(tmp_path / "o.jsonld", f'{{"@id": "{A}", "urn:p": "{"{" * 1000} \\\\\\" {{{{"}}')
    assert len(pr.load_ontology(path).triples) == 1


# --- Size ---

LONG = 200_000_000
SIZED = {
    "o.ttl": (f'<{A}> <urn:p> "', '" .'),
    "o.nt": (f'<{A}> <urn:p> "', '" .\n'),
    "o.jsonld": (f'{{"@id": "{A}", "urn:p": "', '"}'),
    "o.rdf": tuple((RDF_XML % f'<rdf:Description rdf:about="{A}"><r:p>|</r:p></rdf:Description>').split("|")),
    "o.owx": tuple(
        (
            OWL_XML % '<DataPropertyAssertion><DataProperty IRI="p"/><NamedIndividual IRI="A"/>'
            "<Literal>|</Literal></DataPropertyAssertion>"
        ).split("|")
    ),
}
MEASURED = """
import resource, sys
import pantarhei as pr
resource.setrlimit(resource.RLIMIT_AS, ({bytes}, {bytes}))
try:
    ontology = pr.load_ontology({path!r})
    assert max(len(o) for _, _, o in ontology.triples) == {length} and ontology.report().text()
    print("loaded")
except pr.PantarheiError as error:
    assert len(str(error)) < 1000, "the error quotes the literal"
    print("refused:", error)
"""


@pytest.mark.parametrize("name", some(SIZED, ["o.ttl"]))
def test_a_literal_of_200_megabytes_loads_or_is_refused(tmp_path, name):
    before, after = SIZED[name]
    path = tmp_path / name
    with path.open("w") as file:
        file.write(before)
        for _ in range(LONG // 1_000_000):
            file.write("x" * 1_000_000)
        file.write(after)
    program = MEASURED.format(bytes=6_000_000_000, path=str(path), length=LONG)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.startswith("refused" if name in ("o.ttl", "o.nt", "o.jsonld") else "loaded")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 4_000_000  # kilobytes
    path.unlink()


def test_the_refusal_of_a_long_literal_says_how_long_one_may_be(tmp_path):
    path = write(tmp_path / "o.nt", f'<{A}> <urn:p> "{"x" * 17_000_000}" .\n')
    with pytest.raises(MalformedInputError, match="16 MiB"):
        pr.load_ontology(path)


def test_a_literal_of_ten_megabytes_is_read_in_an_axiom(tmp_path):
    long = "x" * 10_000_000
    text = f'[ <{OWL.onProperty}> <urn:p> ; <{OWL.hasValue}> "{long}" ]'
    path = write(tmp_path / "o.ttl", f"<{A}> <{RDFS.subClassOf}> {text} .")
    ontology = pr.load_ontology(path)
    assert ontology.rules[0].head.arguments[1] == Literal(long)
