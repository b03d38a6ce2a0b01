"""Casts: the table of SPARQL 1.1, section 17.5, and canonical forms."""

import pytest
from rdflib import XSD

from expressions import call


@pytest.mark.parametrize(
    ("name", "given", "result"),
    [
        ("integer", "3.9", "3"),
        ("integer", "-3.9e0", "-3"),
        ("integer", '" 007 "', "7"),
        ("integer", '"1.5"', None),
        ("integer", '"INF"^^xsd:double', None),
        ("integer", "true", "1"),
        ("integer", "<urn:a>", None),
        ("integer", '"1"@en', None),
        ("byte", "200", None),
        ("byte", "20", "20"),
        ("decimal", "1e-3", "0.001000000000000000020816681712"),
        ("decimal", "7", "7"),
        ("decimal", '"NaN"^^xsd:double', None),
        ("decimal", '"1e0"', None),
        ("double", "0.1", "1.0E-1"),
        ("double", '"INF"', "INF"),
        ("double", "1" + "0" * 400, "INF"),
        ("double", "false", "0.0E0"),
        ("float", "0.1e0", "1.0E-1"),
        ("float", "16777217", "1.6777216E7"),
        ("float", '"-INF"^^xsd:double', "-INF"),
        ("boolean", "0.0", "false"),
        ("boolean", '"NaN"^^xsd:double', "false"),
        ("boolean", '"1"', "true"),
        ("boolean", '"yes"', None),
        ("boolean", '"2020-01-01T00:00:00"^^xsd:dateTime', None),
        ("dateTime", '"2020-01-01T00:00:00Z"', "2020-01-01T00:00:00Z"),
        ("dateTime", '"2020-01-01"^^xsd:date', "2020-01-01T00:00:00"),
        ("dateTime", '"2020-02-30T00:00:00"', None),
        ("dateTime", "1", None),
        ("date", '"2020-01-01T10:00:00.5+01:00"^^xsd:dateTime', "2020-01-01+01:00"),
        ("date", '"2020-01-01"', "2020-01-01"),
        ("time", '"2020-01-01T10:00:00Z"^^xsd:dateTime', "10:00:00Z"),
        ("duration", '"P1D"', "P1D"),
    ],
)
def test_casts_result_in_canonical_forms_or_errors(name: str, given: str, result: str | None) -> None:
    assert call(XSD[name], given) == (None if result is None else f'"{result}"^^xsd:{name}')


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("<urn:a>", "urn:a"),
        ("_:a", None),
        ('"a"@en', "a"),
        ("007", "7"),
        ("1.50", "1.5"),
        ("3.0", "3"),
        ("1e0", "1"),
        ("1e-5", "0.00001"),
        ("1e7", "1.0E7"),
        ("0e0", "0"),
        ("-0.0e0", "-0"),
        ('"1"^^xsd:boolean', "true"),
        ('"x"^^xsd:integer', "x"),
        ('"2020-01-01T00:00:00Z"^^xsd:dateTime', "2020-01-01T00:00:00Z"),
    ],
)
def test_strings_of_values_are_as_short_as_xpath_writes_them(given: str, result: str | None) -> None:
    assert call(XSD.string, given) == (None if result is None else f'"{result}"')
