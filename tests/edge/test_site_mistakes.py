"""What is said to those who err with several documents, site models, streams and numbers."""

import gzip
import warnings

import pytest
from rdflib import OWL, RDF, RDFS, XSD, Graph, Literal, Namespace
from typer.testing import CliRunner

from pantarhei import (
    CheckpointMismatchError,
    DynamicGraph,
    Foundation,
    InvalidTripleError,
    OptionError,
    PantarheiError,
    StreamReasoner,
    Window,
    load_ontology,
)
from pantarhei.cli.commands import app

EX = Namespace("http://example.org/")
PREFIXES = """
@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
VENDOR = ":Probe rdfs:subClassOf :Sensor . :Sensor owl:disjointWith :Room . :celsius a owl:DatatypeProperty ."
READING = '<urn:s> <http://example.org/celsius> "5" <urn:at:1> .\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "vendor.ttl": PREFIXES + VENDOR,
        "broken.ttl": PREFIXES + ":A rdfs:subClassOf",
        "importing.ttl": PREFIXES + "<urn:site> a owl:Ontology ; owl:imports <http://example.org/vendor> .",
        "against.ttl": PREFIXES + ":x a :Probe , :Room .",
        "notes.md": "# notes",
        "stream.nq": READING,
    }.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "empty").mkdir()
    (tmp_path / "packed.ttl").write_bytes(gzip.compress(b"<urn:a> <urn:b> <urn:c> ."))
    return tmp_path


RUN = ("run", "--stream", "stream.nq", "--range", "5", "--ontology")

AT_THE_COMMAND_LINE = [
    ((*RUN, "nowhere"), "nowhere cannot be read: No such file or directory"),
    ((*RUN, "empty"), "empty cannot be read: no file in this folder ends in .ttl,"),
    ((*RUN, "*.owl"), "*.owl cannot be read: no file matches this pattern"),
    ((*RUN, "vendor.ttl", "--ontology", "nowhere.ttl"), "nowhere.ttl cannot be read: No such file"),
    ((*RUN, "."), "broken.ttl, line"),
    (
        (*RUN, "importing.ttl"),
        "imports <http://example.org/vendor>, which is in no catalog; give its",
    ),
    ((*RUN, "vendor.ttl", "--background", "empty"), "empty cannot be read: no file in this folder ends in"),
    ((*RUN, "vendor.ttl", "--background", "site-*.ttl"), "site-*.ttl cannot be read: no file matches"),
    ((*RUN, "vendor.ttl", "--background", "broken.ttl"), "broken.ttl, line"),
    ((*RUN, "vendor.ttl", "--background", "against.ttl"), "the ontology is inconsistent with its background"),
    ((*RUN, "vendor.ttl", "--numbers", "exact"), "'exact' is not one of 'by_datatype', 'by_value'"),
    ((*RUN, "vendor.ttl", "--numbers"), "Option '--numbers' requires an argument"),
    (("run", "--stream", "stream.nq", "--range", "5"), "Missing option '--ontology'"),
    (("check", "vendor.ttl", "empty"), "empty cannot be read: no file in this folder"),
    (("check", "vendor.ttl", "packed.ttl"), "it is compressed (gzip)"),
    (("check",), "there is nothing to check: an ontology, --rules, or both"),
]


@pytest.mark.parametrize(("typed", "said"), AT_THE_COMMAND_LINE)
def test_a_mistake_at_the_command_line_is_told_in_a_sentence(folder, typed, said):
    done = CliRunner().invoke(app, list(typed))
    assert done.exit_code in (1, 2) and "Traceback" not in done.output
    text = " ".join(done.stderr.replace("│", " ").split())
    assert said in text, text


def loaded(text=VENDOR):
    return load_ontology(Graph().parse(data=PREFIXES + text))


def reasoner(background=None, **options):
    return StreamReasoner(loaded(), Window(5), background, **options)


def restored(text, background=None):
    saved = reasoner([(EX.A, RDFS.subClassOf, EX.B)]).snapshot()
    return StreamReasoner.restore(saved, loaded(text), background=background)


IN_PYTHON = [
    (lambda: load_ontology([]), OptionError, "source=[] is not possible: expected at least one document"),
    (
        lambda: load_ontology([(EX.A, RDF.type, OWL.Class)]),
        OptionError,
        "triples in an rdflib.Graph",
    ),
    (lambda: load_ontology(["vendor.ttl", None]), OptionError, "source=None is not possible"),
    (lambda: load_ontology({"vendor.ttl"}), OptionError, "expected a path, an rdflib.Graph"),
    (lambda: load_ontology("notes.md"), OptionError, "notes.md"),
    (lambda: reasoner("site.ttl"), OptionError, "a graph, triples or a pyarrow.Table; parse a file first"),
    (lambda: reasoner([EX.A, RDFS.subClassOf, EX.B]), InvalidTripleError, "expected a tuple"),
    (lambda: reasoner([(EX.A, RDFS.subClassOf, EX.B), ("A", 1)]), InvalidTripleError, "expected a tuple"),
    (
        lambda: reasoner([(EX.p, RDF.type, EX.Probe), (EX.Probe, RDFS.subClassOf, OWL.Nothing)]),
        PantarheiError,
        "repair the ontology or the background",
    ),
    (lambda: reasoner(numbers="decimal"), OptionError, "expected 'by_datatype' or 'by_value'"),
    (lambda: reasoner(numbers=True), OptionError, "numbers=True is not possible"),
    (lambda: Foundation.of(loaded(), numbers="value"), OptionError, "'by_datatype' or 'by_value'"),
    (lambda: DynamicGraph(loaded(), numbers="value"), OptionError, "'by_datatype' or 'by_value'"),
    (lambda: restored(":A a :B ."), CheckpointMismatchError, "ontology"),
    (lambda: restored(VENDOR, []), CheckpointMismatchError, "background"),
]


@pytest.mark.parametrize(("err", "error", "said"), IN_PYTHON)
def test_a_mistake_in_python_is_a_typed_error_that_says_what_is_expected(folder, err, error, said):
    with pytest.raises(error) as caught:
        err()
    assert said in str(caught.value)


def pushed(*triples):
    made = reasoner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made.push(1, triples)
        made.push(2, [(EX.s, EX.celsius, Literal("7", datatype=XSD.integer))])
    return str(made.unexpected())


IN_THE_STREAM = [
    (
        (EX.Own, RDFS.subClassOf, EX.Probe),
        "1 assertion writes an axiom, from which nothing follows",
    ),
    ((EX.Own, OWL.equivalentClass, EX.Probe), "writes an axiom"),
    ((EX.isIn, RDF.type, OWL.TransitiveProperty), "writes an axiom"),
    ((EX.celsius, RDFS.range, XSD.decimal), "writes an axiom"),
    ((EX.s, RDF.type, EX.Prob), "class Prob (did you mean Probe?)"),
    ((EX.s, RDF.type, EX.sensor), "class sensor (did you mean Sensor?)"),
    ((EX.s, EX.celcius, Literal(5)), "property celcius (did you mean celsius?)"),
    ((EX.s, RDF.type, Namespace("https://example.org/").Probe), "(did you mean http://example.org/Probe?)"),
    ((EX.s, EX.zzz, EX.t), "property zzz"),
    (
        (EX.s, EX.celsius, Literal(5.5)),
        'celsius has the values "5.5"^^xsd:double and "7"^^xsd:integer, which',
    ),
]


@pytest.mark.parametrize(("triple", "said"), IN_THE_STREAM)
def test_a_slip_in_the_stream_is_told_with_what_was_meant(triple, said):
    assert said in pushed(triple)
