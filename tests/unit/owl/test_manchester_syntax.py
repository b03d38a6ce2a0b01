"""Manchester syntax into triples, by py-horned-owl."""

import sys

import pytest

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_document

HEAD = """Prefix: : <http://example.org/>
Prefix: xsd: <http://www.w3.org/2001/XMLSchema#>
Prefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>
Ontology: <http://example.org/o> <http://example.org/o/1>
"""


@pytest.fixture
def document(tmp_path):
    pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed: pantarhei[manchester]")

    def write(*lines):
        path = tmp_path / "a.omn"
        path.write_text(HEAD + "\n".join(lines), "utf-8")
        return path

    return write


def axioms(path):
    return {str(axiom) for axiom in read_axioms(read_document(path).triples).axioms}


def test_frames_become_axioms(document):
    path = document(
        "DataProperty: :d",
        "ObjectProperty: :p",
        "  Characteristics: Transitive",
        "  SubPropertyChain: :p o :q",
        "ObjectProperty: :q",
        "Class: :A",
        "  SubClassOf: :p only (:B and not :C), :d some xsd:integer[>= 18], :p max 1",
        "  HasKey: :p, :d",
        "Class: :B",
        "Class: :C",
        "Individual: :i",
        "  Facts: not :p :j, not :d true",
        "DisjointClasses: :A, :B, :C",
    )
    assert axioms(path) == {
        "TransitiveObjectProperty(p)",
        "SubObjectPropertyOf(ObjectPropertyChain(p q) p)",
        "SubClassOf(A ObjectAllValuesFrom(p ObjectIntersectionOf(B ObjectComplementOf(C))))",
        "SubClassOf(A DataSomeValuesFrom(d DatatypeRestriction(integer minInclusive "
        '"18"^^<http://www.w3.org/2001/XMLSchema#integer>)))',
        "SubClassOf(A ObjectMaxCardinality(1 p))",
        "HasKey(A (p) (d))",
        "NegativeObjectPropertyAssertion(p i j)",
        'NegativeDataPropertyAssertion(d i "true"^^<http://www.w3.org/2001/XMLSchema#boolean>)',
        "DisjointClasses(A B C)",
    }


def test_all_pairs_of_disjoint_classes_become_constraints(document):
    assert len(load_ontology(document("DisjointClasses: :A, :B, :C")).constraints) == 3


def test_texts_and_numbers_keep_how_they_are_written(document):
    path = document(
        "DataProperty: :d",
        "Individual: :i",
        r'  Annotations: rdfs:label "a \"name\"^^ \\ (of) # i"@en',
        '  Facts: :d 2.50, :d 1.5f, :d "01"^^xsd:integer',
    )
    texts = {str(o) for _, _, o in read_document(path).triples}
    assert {'a "name"^^ \\ (of) # i', "2.50", "1.5", "01"} <= texts


def test_prefixes_imports_and_the_version_are_kept_and_reading_twice_gives_the_same(document):
    path = document("Import: <http://example.org/other>", "Class: :A SubClassOf: :p some :B")
    read = read_document(path)
    assert read.prefixes[""] == "http://example.org/" and read.lines is None
    assert load_ontology(path, imports="skip").imports_skipped == ("http://example.org/other",)
    assert read_document(path) == read


@pytest.mark.parametrize(
    ("line", "reason", "number"),
    [
        ("  SubClasOf: :B", "'SubClasOf: :B' cannot be read; expected .*Frame", 6),
        ("  SubClassOf: :p sme :B", "cannot be read", 6),
        ("  SubClassOf: ex:B", "undefined prefix: ex:", 6),
        ("  SubClassOf: (:B", "something is missing|cannot be read", None),
    ],
)
def test_what_is_wrong_is_told_with_its_line(document, line, reason, number):
    with pytest.raises(MalformedInputError, match=f"not OWL Manchester syntax: .*{reason}") as raised:
        read_document(document("Class: :A", line))
    assert number is None or raised.value.line == number


DEEP = {
    "brackets": lambda n: "(" * n + ":B" + ")" * n,
    "negations": lambda n: "not (" * n + ":B" + ")" * n,
    "restrictions": lambda n: ":p some " * n + ":B",
    "both": lambda n: ":p some (" * n + ":B" + ")" * n,
    "never closed": lambda n: "(" * n,
}


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_what_would_end_the_process_is_refused(document, deep):
    with pytest.raises(MalformedInputError, match="nested deeper than 100 levels"):
        read_document(document("Class: :A", "  SubClassOf: " + deep(50_000)))


@pytest.mark.parametrize("deep", [DEEP["brackets"], DEEP["restrictions"]])
def test_what_is_allowed_is_read(document, deep):
    assert len(axioms(document("Class: :A", "  SubClassOf: " + deep(90)))) == 1


def test_wide_expressions_are_not_deep(document):
    many = " and ".join([":p some :B"] * 500)
    assert len(axioms(document("Class: :A", f"  SubClassOf: {many}", *["Class: :B"] * 200))) == 1


def test_without_the_extra_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhornedowl", None)
    path = tmp_path / "a.owl"
    path.write_text(HEAD)
    with pytest.raises(OptionError, match=r"py-horned-owl.*: pip install 'pantarhei\[manchester\]'"):
        read_document(path)
