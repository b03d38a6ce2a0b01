"""Functions on terms (SPARQL 1.1, section 17.4.2)."""

import pytest
from rdflib import XSD, BNode, Literal

from oracle.answers.terms import ntriples, plain
from oracle_answers import result, rows


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("STR(:a)", '"urn:a"'),
        ("STR(01)", '"01"'),
        ("STR(BNODE())", "-"),
        ('LANG("a"@en)', '"en"'),
        ("LANG(1)", '""'),
        ("LANG(:a)", "-"),
        ('DATATYPE("a")', "string"),
        ('DATATYPE("a"@en)', "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"),
        ("DATATYPE(1.0)", "decimal"),
        ("DATATYPE(:a)", "-"),
        ('IRI("urn:a")', "a"),
        ("IRI(:a)", "a"),
        ('IRI("a b")', "-"),
        ("IRI(1)", "-"),
        ('STRDT("x", xsd:integer)', "x^integer"),
        ('STRDT("x", xsd:string)', '"x"'),
        ('STRDT("x"@en, xsd:integer)', "-"),
        ('STRDT("x", "y")', "-"),
        ('STRLANG("x", "en-GB")', '"x"@en-GB'),
        ('STRLANG("x", "")', "-"),
        ('STRLANG("x"@de, "en")', "-"),
        ("isIRI(:a)", "true^boolean"),
        ("isBLANK(BNODE())", "true^boolean"),
        ('isLITERAL("x"^^xsd:integer)', "true^boolean"),
        ('sameTerm("a", "a"^^xsd:string)', "true^boolean"),
    ],
)
def test_functions_on_terms(expression, expected):
    assert result(expression) == expected


def test_an_iri_is_resolved_against_the_base():
    assert rows('BASE <http://x.org/d/> SELECT (IRI("../e") AS ?i) {}') == ["http://x.org/e"]


def test_a_string_has_no_datatype():
    assert plain(Literal("a", datatype=XSD.string)) == Literal("a")
    assert ntriples(Literal('a"\\\n')) == '"a\\"\\\\\\n"'
    assert ntriples(BNode("b")) == "_:b"
