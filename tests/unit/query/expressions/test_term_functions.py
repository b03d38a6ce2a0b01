"""Functions of strings."""

import pytest

from expressions import call, truths


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("STR", ["<urn:a>"], '"urn:a"'),
        ("STR", ["007"], '"007"'),
        ("STR", ["_:a"], None),
        ("STRLEN", ['"naïve \U0001f600"'], '"7"^^xsd:integer'),
        ("STRLEN", ["1"], None),
        ("SUBSTR", ['"foobar"', "4"], '"bar"'),
        ("SUBSTR", ['"foobar"@en', "4", "1"], '"b"@en'),
        ("SUBSTR", ['"foobar"', "0", "3"], '"fo"'),
        ("SUBSTR", ['"foobar"', "-5", "7"], '"f"'),
        ("SUBSTR", ['"foobar"', "9"], '""'),
        ("SUBSTR", ['"foobar"', "2", "-1"], '""'),
        ("SUBSTR", ['"foobar"', "2", "1" + "0" * 30], '"oobar"'),
        ("SUBSTR", ['"foobar"', "1.5"], None),
        ("SUBSTR", ["1", "1"], None),
        ("UCASE", ['"straße"@de'], '"STRASSE"@de'),
        ("LCASE", ['"ÀB"'], '"àb"'),
        ("LCASE", ["<urn:A>"], None),
        ("STRSTARTS", ['"foobar"@en', '"foo"'], '"true"^^xsd:boolean'),
        ("STRSTARTS", ['"foobar"@en', '"foo"@EN'], '"true"^^xsd:boolean'),
        ("STRSTARTS", ['"foobar"@en', '"foo"@fr'], None),
        ("STRSTARTS", ['"foobar"', '"foo"@en'], None),
        ("STRENDS", ['"foobar"', '"bar"'], '"true"^^xsd:boolean'),
        ("STRENDS", ["12", '"2"'], None),
        ("CONTAINS", ['"foobar"', '"xyz"'], '"false"^^xsd:boolean'),
        ("CONTAINS", ['"foobar"', '""'], '"true"^^xsd:boolean'),
        ("CONTAINS", [None, '"a"'], None),
        ("STRBEFORE", ['"abc"@en', '"b"'], '"a"@en'),
        ("STRBEFORE", ['"abc"@en', '"xyz"'], '""'),
        ("STRBEFORE", ['"abc"@en', '""'], '""@en'),
        ("STRBEFORE", ['"abc"', '"b"@cy'], None),
        ("STRAFTER", ['"abc"', '"ab"'], '"c"'),
        ("STRAFTER", ['"abc"@en', '""'], '"abc"@en'),
        ("STRAFTER", ['"abc"@en', '"z"@en'], '""'),
        ("ENCODE_FOR_URI", ['"a b/ä~_.-"'], '"a%20b%2F%C3%A4~_.-"'),
        ("CONCAT", ['"a"', '"b"'], '"ab"'),
        ("CONCAT", ['"a"@en', '"b"@EN'], '"ab"@en'),
        ("CONCAT", ['"a"@en', '"b"'], '"ab"'),
        ("CONCAT", ['"a"@en', '"b"@fr'], '"ab"'),
        ("CONCAT", ['"a"', "1"], None),
        ("CONCAT", [], '""'),
        ("LANG", ['"a"@en-gb'], '"en-gb"'),
        ("LANG", ["1"], '""'),
        ("LANG", ["<urn:a>"], None),
        ("LANGMATCHES", ['"de-CH"', '"DE"'], '"true"^^xsd:boolean'),
        ("LANGMATCHES", ['"deu"', '"de"'], '"false"^^xsd:boolean'),
        ("LANGMATCHES", ['"de"', '"*"'], '"true"^^xsd:boolean'),
        ("LANGMATCHES", ['""', '"*"'], '"false"^^xsd:boolean'),
        ("LANGMATCHES", ['"de"', "1"], None),
        ("MD5", ['"abc"'], '"900150983cd24fb0d6963f7d28e17f72"'),
        ("SHA1", ['"abc"'], '"a9993e364706816aba3e25717850c26c9cd0d89d"'),
        ("SHA256", ['"abc"@en'], None),
        ("REGEX", ['"Alice"@en', '"^ali"', '"i"'], '"true"^^xsd:boolean'),
        ("REGEX", ['"Alice"', '"^ali"'], '"false"^^xsd:boolean'),
        ("REGEX", ['"a"', '"("'], None),
        ("REGEX", ['"a"', '"a"', '"y"'], None),
        ("REGEX", ["1", '"1"'], None),
        ("REPLACE", ['"abcb"@en', '"b"', '"Z"'], '"aZcZ"@en'),
        ("REPLACE", ['"abab"', '"(a)(b)"', '"$2$1"'], '"baba"'),
        ("REPLACE", ['"abc"', '"B"', '"$0$0"', '"i"'], '"abbc"'),
        ("REPLACE", ['"a.c"', '"."', '"$"', '"q"'], '"a$c"'),
        ("REPLACE", ['"abc"', '"b*"', '"x"'], None),
        ("REPLACE", ['"abc"', '"b"', '"$"'], None),
        ("REPLACE", ['"abc"', '"b"', '"\\\\"'], None),
    ],
)
def test_functions_of_strings(name: str, arguments: list[str | None], result: str | None) -> None:
    assert call(name, *arguments) == result


@pytest.mark.parametrize("name", ["SHA256", "SHA384", "SHA512"])
def test_hashes_have_the_length_of_their_names(name: str) -> None:
    found = call(name, '"abc"')
    assert found is not None and len(found) == 2 + int(name[3:]) // 4


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
