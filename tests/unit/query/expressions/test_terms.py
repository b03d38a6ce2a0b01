"""Functions of terms."""

import pytest

from expressions import call, truths


@pytest.mark.parametrize(
    ("given", "kind"),
    [("<urn:a>", "ISIRI"), ("_:a", "ISBLANK"), ("1", "ISLITERAL"), ('"a"@en', "ISLITERAL")],
)
def test_each_term_is_of_one_kind(given: str, kind: str) -> None:
    assert [name for name in ("ISIRI", "ISBLANK", "ISLITERAL") if truths(name, given)] == [kind]
    assert truths("ISURI", given) == truths("ISIRI", given)
    assert truths(kind, None) == -1


@pytest.mark.parametrize(
    ("given", "expected"),
    [("1", 1), ("1.5", 1), ("1" * 40, 1), ('"1"', 0), ('"x"^^xsd:integer', 0), ("<urn:a>", 0), (None, -1)],
)
def test_well_typed_numbers_are_numeric(given: str | None, expected: int) -> None:
    assert truths("ISNUMERIC", given) == expected


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("DATATYPE", ["1"], "<http://www.w3.org/2001/XMLSchema#integer>"),
        ("DATATYPE", ['"a"'], "<http://www.w3.org/2001/XMLSchema#string>"),
        ("DATATYPE", ['"a"@en'], "<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>"),
        ("DATATYPE", ["<urn:a>"], None),
        ("IRI", ["<urn:a>"], "<urn:a>"),
        ("IRI", ['"b"'], "<http://example.org/b>"),
        ("IRI", ['"urn:b"'], "<urn:b>"),
        ("IRI", ['"a b"'], None),
        ("IRI", ["1"], None),
        ("IRI", ['"a"@en'], None),
        ("STRDT", ['"7"', "<http://www.w3.org/2001/XMLSchema#integer>"], '"7"^^xsd:integer'),
        ("STRDT", ['"a"', "<http://www.w3.org/2001/XMLSchema#string>"], '"a"'),
        ("STRDT", ['"a"@en', "<urn:t>"], None),
        ("STRDT", ["1", "<urn:t>"], None),
        ("STRDT", ['"a"', '"b"'], None),
        ("STRLANG", ['"a"', '"en"'], '"a"@en'),
        ("STRLANG", ['"a"', '""'], None),
        ("STRLANG", ['"a"', '"no tag"'], None),
        ("STRLANG", ['"a"@en', '"en"'], None),
        ("SAMETERM", ["1", "01"], '"false"^^xsd:boolean'),
        ("SAMETERM", ["1", "1"], '"true"^^xsd:boolean'),
        ("SAMETERM", ["1", None], None),
    ],
)
def test_functions_of_terms(name: str, arguments: list[str | None], result: str | None) -> None:
    assert call(name, *arguments, base="http://example.org/a") == result
