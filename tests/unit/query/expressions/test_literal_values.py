"""The values of a growing list of terms."""

import numpy as np
import pytest
from rdflib import XSD, BNode, Literal, URIRef

from expressions import literal_of, term
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.literal_values import (
    LiteralValues,
    are_ties,
    read_literals,
    read_one_by_one,
    to_singles,
)
from pantarhei.rdf.ntriples import typed_literal


def test_values_are_read_when_they_are_asked_for_first() -> None:
    class Counting(list[Literal]):
        asked = 0

        def __getitem__(self, place):  # type: ignore[no-untyped-def, override]
            Counting.asked += 1
            return super().__getitem__(place)

    values = LiteralValues(Counting(literal_of(str(n), "integer") for n in range(100)))
    assert values.at(np.array([3, 97, 3])).numbers.tolist() == [3, 97, 3]
    assert values.at(np.array([97])).numbers.tolist() == [97]
    assert Counting.asked == 2


def test_the_list_may_grow() -> None:
    literals = [Literal("a")]
    values = LiteralValues(literals)
    assert values.at(np.array([0])).kinds.tolist() == [kinds.STRING]
    literals += [literal_of(str(n), "decimal") for n in range(1000)]
    assert values.at(np.array([0, 1000])).numbers.tolist() == [1, 999]
    assert values.nbytes > 0


def test_terms_of_all_sorts_stand_side_by_side() -> None:
    terms = [URIRef("urn:a"), BNode("b"), Literal("a", lang="en"), literal_of("1", "byte"), Literal("")]
    found = LiteralValues(terms).at(np.arange(5))
    assert found.kinds.tolist() == [kinds.NAME, kinds.NAME, kinds.LANG_STRING, kinds.INTEGER, kinds.STRING]
    assert LiteralValues(terms).terms_at(np.array([1, 0])) == terms[1::-1]


def test_nothing_is_asked_of_no_places() -> None:
    assert len(LiteralValues([]).at(np.empty(0, np.intp)).kinds) == 0


FORMS = {
    "integer": ["0", "-0", "007", "+5", "9007199254740991", "9007199254740992", "1" * 30],
    "byte": ["127", "-128", "128", "-129"],
    "positiveInteger": ["1", "0", "99999999999999999999"],
    "decimal": ["0.1", "-.5", "5.", "123456789012345.6789", "0.00000000000000000000000001", "1" * 40, "+0.0"],
    "double": ["1", "-0.0", "1e400", "INF", "-INF", "NaN", "2.5E-3"],
    "float": ["0.1", "16777217", "16777217.0000001", "1e-45", "1e39", "NaN"],
    "boolean": ["true", "false", "1", "0"],
    "dateTime": [
        "2020-01-31T23:59:59Z",
        "2020-02-29T00:00:00.123456+14:00",
        "2021-02-29T00:00:00Z",
        "1969-12-31T23:59:59.5-13:59",
        "0001-01-01T00:00:00",
        "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z",
        "2020-13-01T00:00:00Z",
        "2020-00-01T00:00:00Z",
        "2020-12-31T10:00:00",
    ],
    "dateTimeStamp": ["2020-01-31T23:59:59Z", "2020-01-31T23:59:59+01:00"],
    "string": ["", "a"],
    "date": ["2020-01-01", "2020-01-01Z"],
    "anyURI": ["a"],
}
ODD = ["", " 7 ", "x", "1\n2", "1_000", "٣", "1e5", "2020-01-01T24:00:00Z", "2020-01-01T00:00:00.1234567Z"]


@pytest.mark.parametrize("odd", [[], ODD], ids=["usual", "with odd forms"])
@pytest.mark.parametrize("name", FORMS)
def test_bulk_reading_and_single_reading_agree(name: str, odd: list[str]) -> None:
    literals = [typed_literal(text, XSD[name]) for text in FORMS[name] + odd]
    together, singly = read_literals(XSD[name], literals), read_one_by_one(literals)
    assert together.kinds.tolist() == singly.kinds.tolist()
    np.testing.assert_array_equal(together.numbers, singly.numbers)
    have_scale = (singly.kinds == kinds.ZONED) | (singly.kinds == kinds.DECIMAL)
    # 1.0 may have one decimal or none
    assert (together.scales[have_scale] >= singly.scales[have_scale]).all()
    if name != "decimal":
        assert together.scales[have_scale].tolist() == singly.scales[have_scale].tolist()


def test_long_numbers_are_told_from_those_that_a_float64_holds() -> None:
    found = read_literals(
        XSD.integer, [literal_of("9007199254740991", "integer"), literal_of("9007199254740992", "integer")]
    )
    assert found.kinds.tolist() == [kinds.INTEGER, kinds.LONG_INTEGER]
    found = read_literals(
        XSD.decimal, [literal_of("0.123456789012345", "decimal"), literal_of("0.1234567890123456", "decimal")]
    )
    assert found.kinds.tolist() == [kinds.DECIMAL, kinds.LONG_DECIMAL]


def test_a_number_too_small_for_a_float64_is_not_zero() -> None:
    (number,) = read_literals(XSD.decimal, [literal_of("-0." + "0" * 400 + "1", "decimal")]).numbers
    assert number < 0


def test_instants_count_microseconds_and_zones_minutes() -> None:
    found = read_literals(XSD.dateTime, [literal_of("1970-01-01T00:30:00.5+01:00", "dateTime")])
    assert found.numbers.tolist() == [-1_799_500_000.0]
    assert found.scales.tolist() == [60]


def test_strings_tell_whether_they_are_empty() -> None:
    assert read_literals(None, [Literal(""), Literal("a")]).numbers.tolist() == [0, 1]
    assert read_one_by_one([Literal("a", lang="en"), Literal("")]).numbers.tolist() == [1, 0]


def test_unknown_datatypes_have_no_numbers() -> None:
    found = read_literals(URIRef("urn:other"), [Literal("1", datatype=URIRef("urn:other"))])
    assert (found.kinds.tolist(), found.numbers.tolist()) == ([kinds.OTHER], [0])


def test_ties_are_where_rounding_twice_may_go_wrong() -> None:
    doubles = np.array([16777217.0, 0.1, 1e-45, 1.5])
    assert are_ties(doubles).tolist() == [True, False, True, False]
    assert to_singles(np.array([1e39, 0.1])).tolist() == [float("inf"), 0.10000000149011612]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<urn:a>", kinds.NAME),
        ('"x"^^xsd:integer', kinds.ILL_TYPED),
        ('"x"^^<urn:other>', kinds.OTHER),
        ('"x"^^xsd:dateTime', kinds.OTHER),
        ('"0a"^^xsd:hexBinary', kinds.KNOWN),
        ('"x"@en', kinds.LANG_STRING),
        ('"2020-01-01T00:00:00"^^xsd:dateTime', kinds.UNZONED),
        ('"2020-01-01"^^xsd:date', kinds.TEMPORAL),
    ],
)
def test_kinds_say_what_operators_make_of_a_term(text: str, kind: int) -> None:
    assert read_one_by_one([term(text)]).kinds.tolist() == [kind]
