"""Functional syntax into triples: every construct, places of entities, lines, and errors."""

import random
import re
import sys

import pytest

from pantarhei.errors import InputError, MalformedInputError, MissingPackageError
from pantarhei.ontology.ontology import load_ontology
from pantarhei.owl.axiom_mapping import read_axioms
from pantarhei.owl.document import read_document

HEAD = """Prefix(:=<http://example.org/>)
Prefix( xsd: = <http://www.w3.org/2001/XMLSchema#> )
Prefix(swrlb:=<http://www.w3.org/2003/11/swrlb#>)
Ontology(<http://example.org/o> <http://example.org/o/1>
"""


def document(tmp_path, *axioms):
    path = tmp_path / "a.ofn"
    path.write_text(HEAD + "\n".join(axioms) + "\n)", "utf-8")
    return path


# As they are read, they are shown, but for prefixes, datatypes and the order of what has none.
AXIOMS = [
    "SubClassOf(A B)",
    "EquivalentClasses(A ObjectIntersectionOf(B ObjectUnionOf(C D) ObjectComplementOf(E)))",
    "DisjointClasses(A B)",
    "DisjointClasses(A B C)",
    "DisjointUnion(A B C)",
    "SubClassOf(ObjectOneOf(a b) ObjectSomeValuesFrom(p A))",
    "SubClassOf(A ObjectAllValuesFrom(ObjectInverseOf(p) B))",
    "SubClassOf(A ObjectHasValue(p a))",
    "SubClassOf(A ObjectHasSelf(p))",
    "SubClassOf(A ObjectMinCardinality(2 p))",
    "SubClassOf(A ObjectMaxCardinality(1 p B))",
    "SubClassOf(A ObjectExactCardinality(0 p B))",
    "SubClassOf(A DataSomeValuesFrom(d DataUnionOf(xsd:string DataComplementOf(xsd:integer))))",
    "SubClassOf(A DataAllValuesFrom(d DatatypeRestriction(xsd:integer xsd:minInclusive "
    '"18"^^xsd:integer xsd:maxExclusive "80"^^xsd:integer)))',
    "SubClassOf(A DataAllValuesFrom(d DataIntersectionOf(xsd:integer dt)))",
    'SubClassOf(A DataHasValue(d "x"@en))',
    "SubClassOf(A DataMinCardinality(1 d))",
    "SubClassOf(A DataMaxCardinality(1 d xsd:string))",
    'SubClassOf(A DataAllValuesFrom(d DataOneOf("1"^^xsd:integer "a")))',
    "SubObjectPropertyOf(p q)",
    "SubObjectPropertyOf(ObjectPropertyChain(p ObjectInverseOf(q)) r)",
    "EquivalentObjectProperties(p q)",
    "DisjointObjectProperties(p q)",
    "InverseObjectProperties(p q)",
    "ObjectPropertyDomain(p A)",
    "ObjectPropertyRange(p A)",
    "FunctionalObjectProperty(p)",
    "InverseFunctionalObjectProperty(p)",
    "ReflexiveObjectProperty(p)",
    "IrreflexiveObjectProperty(p)",
    "SymmetricObjectProperty(p)",
    "AsymmetricObjectProperty(p)",
    "TransitiveObjectProperty(p)",
    "SubDataPropertyOf(d e)",
    "EquivalentDataProperties(d e)",
    "DisjointDataProperties(d e)",
    "DataPropertyDomain(d A)",
    "DataPropertyRange(d xsd:string)",
    "FunctionalDataProperty(d)",
    "DatatypeDefinition(dt xsd:integer)",
    "HasKey(A (p) (d))",
    "SameIndividual(a b)",
    "DifferentIndividuals(a b)",
    "DifferentIndividuals(a b c)",
    "ClassAssertion(ObjectUnionOf(A B) a)",
    "NegativeObjectPropertyAssertion(p a b)",
    'NegativeDataPropertyAssertion(d a "x")',
    "DLSafeRule(Body(ClassAtom(A Variable(x)) DataPropertyAtom(d Variable(x) Variable(y)) "
    'BuiltInAtom(swrlb:greaterThan Variable(y) "3"^^xsd:integer)) Head(ObjectPropertyAtom(p Variable(x) a)))',
]


def written(axiom):
    """The axiom with prefixes: a colon before each name that has none."""
    return re.sub(r'(?<![\w:@"<^])([a-z]\w*|[A-E])(?![\w:("])', r":\1", axiom)


def shown(axiom):
    """The same as an axiom shows it."""
    full = axiom.replace("^^xsd:integer", "^^<http://www.w3.org/2001/XMLSchema#integer>")
    return full.replace("xsd:", "").replace("swrlb:", "")


@pytest.mark.parametrize("axiom", AXIOMS)
def test_an_axiom_is_read_as_it_is_written(tmp_path, axiom):
    reading = read_axioms(read_document(document(tmp_path, written(axiom))).triples)
    assert [str(each) for each in reading.axioms] == [shown(axiom)]
    assert not reading.leftovers


def test_a_property_and_a_datatype_are_what_their_place_says(tmp_path):
    path = document(tmp_path, "SubClassOf(:A DataSomeValuesFrom(:d :dt))", "AnnotationAssertion(:n :a :b)")
    reading = read_axioms(read_document(path).triples)
    assert [str(axiom) for axiom in reading.axioms] == ["SubClassOf(A DataSomeValuesFrom(d dt))"]
    assert not reading.assertions and len(reading.annotations) == 1


def test_headers_imports_annotations_and_prefixes_are_kept(tmp_path):
    path = document(
        tmp_path,
        "Import(<http://example.org/other>)",
        r'Annotation(rdfs:label "a \"name\" \\ with (brackets) # and all"@EN-gb)',
        'Declaration(Annotation(rdfs:comment "why") Class(:A))',
        'SubClassOf(Annotation(Annotation(rdfs:label "inner") rdfs:comment "why") :A :B)',
        'ClassAssertion(:A _:x) DataPropertyAssertion(:d _:x "01"^^xsd:integer)',
    )
    read = read_document(path)
    assert read.prefixes[""] == "http://example.org/" and "swrlb" in read.prefixes
    texts = {str(o) for _, _, o in read.triples}
    assert {'a "name" \\ with (brackets) # and all', "inner", "why", "01", "http://example.org/o/1"} <= texts
    ontology = load_ontology(path, imports="skip")
    assert ontology.imports_skipped == ("http://example.org/other",)
    assert len(ontology.rules) == 1 and len(ontology.background) == 2


def test_an_axiom_has_its_line(tmp_path):
    path = document(tmp_path, "# :", "", 'AnnotationAssertion(:n :a "two\nlines")', "SubClassOf(:A\n:B)")
    (rule,) = load_ontology(path).rules
    assert rule.origin.line == 9


@pytest.mark.parametrize(
    ("axiom", "reason", "line"),
    [
        ("SubClassOf(:A)", r"SubClassOf\( has 1 argument, too few or too many", 5),
        ("SubClassOf(:A :B :C)", "has 3 arguments", 5),
        ("EquivalentClasses(:A)", "has 1 argument", 5),
        ("SubClasOf(:A :B)", r"SubClasOf\(…\) where an axiom is expected", 5),
        ("\nObjectSomeValuesFrom(:p :B)", r"\(…\) where an axiom is expected", 6),
        ("SubClassOf(:A DataOneOf(:a))", r"DataOneOf\(…\) where a class expression is expected", 5),
        ('SubClassOf(:A "text")', "the literal text where a class expression is expected", 5),
        ("ClassAssertion(:A 5)", "the number 5 where an individual is expected", 5),
        ("SubClassOf(:A ObjectMinCardinality(:p :B))", "where a number is expected", 5),
        ("SubClassOf(:A ex:B)", r"the prefix ex: is not declared; write Prefix\(ex:=<…>\) above", 5),
        ("SubClassOf(A :B)", "A is not a name; write a prefixed name, or an IRI in < >", 5),
        ('DataPropertyAssertion(:d :a "no end)', "a text without an end cannot be read", 5),
        ("DataPropertyAssertion(:d :a @en)", "@en without a text before it", 5),
        ('DataPropertyAssertion(:d :a "1"^^"2")', r"a datatype is expected after \^\^", 5),
        ("SubClassOf(:A :B))", r"\) is not expected here", 6),
        ("SubClassOf(:A :B) ) Ontology(", r"Ontology\(…\) after the end of Ontology", 5),
        ("SubClassOf(:A <a b>)", "cannot be read", 5),
        ("HasKey(:A :p)", "HasKey", 5),
        ("Import(:a :b)", "needs one IRI", 5),
        (":A", "where an axiom is expected", 5),
        ("SubClassOf(:A " + "ObjectComplementOf(" * 200 + ":B" + ")" * 201, "nested deeper than 100", 5),
        ("(" * 100_000, "nested deeper than 100", 5),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, axiom, reason, line):
    with pytest.raises(MalformedInputError, match=reason) as raised:
        read_document(document(tmp_path, axiom))
    assert raised.value.line == line


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", r"Ontology\(…\) is expected"),
        ("Prefix(:=<urn:x/>)", r"Ontology\(…\) is expected"),
        ("Prefix(a=<urn:x/>)", "a prefix is declared by"),
        ("Prefix(:=", "a prefix is declared by"),
        ("Ontology(<urn:o>", r"Ontology\( has no closing bracket"),
        ("Ontology() Ontology()", "after the end of Ontology"),
        ("SubClassOf(<urn:a> <urn:b>)", r"SubClassOf\( where Prefix\(…\) or Ontology\(…\) is expected"),
        ("Ontology", "Ontology where Prefix"),
        ("<urn:a>", "not expected here"),
    ],
)
def test_a_document_that_is_none_is_refused(tmp_path, text, reason):
    path = tmp_path / "a.fss"
    path.write_text(text)
    with pytest.raises(MalformedInputError, match=reason):
        read_document(path, "functional")


def test_bytes_that_are_no_text_are_told_with_their_line(tmp_path):
    (tmp_path / "a.ofn").write_bytes(b"Ontology(\n\xff)")
    with pytest.raises(MalformedInputError, match="it is not UTF-8") as raised:
        read_document(tmp_path / "a.ofn")
    assert raised.value.line == 2


def test_a_document_in_pieces_raises_typed_errors_only(tmp_path):
    path = document(tmp_path, *map(written, AXIOMS))
    pieces = re.findall(r"\s+|\w+|.", path.read_text("utf-8"))
    chance = random.Random(18)
    for _ in range(300):
        torn = list(pieces)
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(torn))
            torn[at] = chance.choice(["", *chance.sample(pieces, 3)])
        path.write_text("".join(torn), "utf-8")
        try:
            read_document(path, "functional")
        except InputError:
            continue


HEAD_OF_MANCHESTER_SYNTAX = """Prefix: : <http://example.org/>
Prefix: xsd: <http://www.w3.org/2001/XMLSchema#>
Prefix: rdfs: <http://www.w3.org/2000/01/rdf-schema#>
Ontology: <http://example.org/o> <http://example.org/o/1>
"""


@pytest.fixture
def document_of_manchester_syntax(tmp_path):
    pytest.importorskip("pyhornedowl", reason="py-horned-owl is not installed: pantarhei[manchester]")

    def write(*lines):
        path = tmp_path / "a.omn"
        path.write_text(HEAD_OF_MANCHESTER_SYNTAX + "\n".join(lines), "utf-8")
        return path

    return write


def axioms(path):
    return {str(axiom) for axiom in read_axioms(read_document(path).triples).axioms}


def test_frames_become_axioms(document_of_manchester_syntax):
    path = document_of_manchester_syntax(
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


def test_all_pairs_of_disjoint_classes_become_constraints(document_of_manchester_syntax):
    assert len(load_ontology(document_of_manchester_syntax("DisjointClasses: :A, :B, :C")).constraints) == 3


def test_texts_and_numbers_keep_how_they_are_written(document_of_manchester_syntax):
    path = document_of_manchester_syntax(
        "DataProperty: :d",
        "Individual: :i",
        r'  Annotations: rdfs:label "a \"name\"^^ \\ (of) # i"@en',
        '  Facts: :d 2.50, :d 1.5f, :d "01"^^xsd:integer',
    )
    texts = {str(o) for _, _, o in read_document(path).triples}
    assert {'a "name"^^ \\ (of) # i', "2.50", "1.5", "01"} <= texts


def test_prefixes_imports_and_the_version_are_kept_and_reading_twice_gives_the_same(
    document_of_manchester_syntax,
):
    path = document_of_manchester_syntax(
        "Import: <http://example.org/other>", "Class: :A SubClassOf: :p some :B"
    )
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
def test_what_is_wrong_is_told_with_its_line_of_manchester_syntax(
    document_of_manchester_syntax, line, reason, number
):
    with pytest.raises(MalformedInputError, match=f"not OWL Manchester syntax: .*{reason}") as raised:
        read_document(document_of_manchester_syntax("Class: :A", line))
    assert number is None or raised.value.line == number


DEEP = {
    "brackets": lambda n: "(" * n + ":B" + ")" * n,
    "negations": lambda n: "not (" * n + ":B" + ")" * n,
    "restrictions": lambda n: ":p some " * n + ":B",
    "both": lambda n: ":p some (" * n + ":B" + ")" * n,
    "never closed": lambda n: "(" * n,
}


@pytest.mark.parametrize("deep", DEEP.values(), ids=DEEP)
def test_what_would_end_the_process_is_refused(document_of_manchester_syntax, deep):
    with pytest.raises(MalformedInputError, match="nested deeper than 100 levels"):
        read_document(document_of_manchester_syntax("Class: :A", "  SubClassOf: " + deep(50_000)))


@pytest.mark.parametrize("deep", [DEEP["brackets"], DEEP["restrictions"]])
def test_what_is_allowed_is_read(document_of_manchester_syntax, deep):
    assert len(axioms(document_of_manchester_syntax("Class: :A", "  SubClassOf: " + deep(90)))) == 1


def test_wide_expressions_are_not_deep(document_of_manchester_syntax):
    many = " and ".join([":p some :B"] * 500)
    assert (
        len(axioms(document_of_manchester_syntax("Class: :A", f"  SubClassOf: {many}", *["Class: :B"] * 200)))
        == 1
    )


def test_without_the_extra_the_error_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyhornedowl", None)
    path = tmp_path / "a.owl"
    path.write_text(HEAD_OF_MANCHESTER_SYNTAX)
    text = r"Manchester syntax \(.*\) needs an optional package \(.*pyhornedowl.*\[manchester\]'"
    with pytest.raises(MissingPackageError, match=text):
        read_document(path)
