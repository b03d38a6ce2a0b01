import pyarrow as pa
import pytest
from rdflib import XSD, URIRef

from pantarhei.io.mapping.cell_columns import column_values
from pantarhei.io.mapping.mapped_rows import map_terms
from pantarhei.io.mapping.record_mapping import TermKind, TermTemplate, TextTemplate
from pantarhei.rdf.ntriples import parse_term, write_term

WHOLE = TextTemplate(("", ""), ("x",))


def made(values, kind=TermKind.LITERAL, template=WHOLE, datatype=None, decimal=".", **options):
    """The terms of a column, and why those are wrong that are."""
    cells = {"x": column_values(pa.array(values) if isinstance(values, list) else values, frozenset({""}))}
    terms = map_terms(TermTemplate(template, kind, datatype, **options), cells, len(values), decimal)
    texts = terms.texts.to_pylist()
    wrong = [] if terms.wrong is None else terms.wrong.nonzero()[0].tolist()
    return [texts[code] if code >= 0 else None for code in terms.codes], [
        terms.reason(code) for code in wrong
    ]


@pytest.mark.parametrize(
    "text", ["a", 'say "hi"', "back\\slash", "two\nlines\r", "\ttab", "é 😀", "\x7f\x00"]
)
def test_a_text_is_a_canonical_term(text):
    ((term,), wrong) = made([text])
    assert not wrong
    assert str(parse_term(term)) == text
    assert write_term(parse_term(term)) == term


@pytest.mark.parametrize("text", ["a/b c", "é", "%", "<>", "100 %", "a~b-c_d.e", "😀", "\ue000"])
def test_a_value_in_an_iri_makes_one_that_is_read_back(text):
    ((term,), wrong) = made([text], TermKind.IRI, TextTemplate(("urn:", ""), ("x",)))
    assert not wrong
    assert write_term(parse_term(term)) == term
    assert isinstance(parse_term(term), URIRef)


def test_the_number_of_terms_is_that_of_distinct_values():
    cells = {"x": column_values(pa.array(["a", "b", "a", ""]), frozenset({""}))}
    terms = map_terms(TermTemplate(WHOLE, TermKind.LITERAL), cells, 4, ".")
    assert terms.codes.tolist() == [0, 1, 0, -1]
    assert len(terms.texts) == 3


@pytest.mark.parametrize(
    ("datatype", "right", "wrong"),
    [
        (XSD.integer, ["1", "-02", " 3 ", "+4"], ["1.0", "x", "1e3", "１"]),
        (XSD.decimal, ["1", "-.5", "5."], ["1e3", ".", "1,5"]),
        (XSD.double, ["1", "1e-3", "INF", "NaN"], ["inf", "1e", "1.2.3"]),
        (XSD.byte, ["127"], ["128"]),
        (XSD.boolean, ["true", "False", "1"], ["yes"]),
        (XSD.dateTime, ["2026-03-02T07:00:00Z"], ["2026-03-02 07:00"]),
        (XSD.string, ["anything"], []),
    ],
)
def test_a_value_that_its_datatype_has_not_is_wrong(datatype, right, wrong):
    assert made(right, datatype=datatype)[1] == []
    assert len(made(wrong, datatype=datatype)[1]) == len(wrong)


def test_a_double_becomes_the_decimal_or_integer_that_is_asked_for():
    whole = pa.array([12.0, 1e20])
    assert made(whole, datatype=XSD.integer)[0] == [
        f'"12"^^<{XSD.integer}>',
        f'"100000000000000000000"^^<{XSD.integer}>',
    ]
    assert made(pa.array([1e-7]), datatype=XSD.decimal)[0] == [f'"0.0000001"^^<{XSD.decimal}>']
    assert len(made(pa.array([float("nan"), float("inf")]), datatype=XSD.decimal)[1]) == 2
    assert made(pa.array([1.5]))[0] == [f'"1.5"^^<{XSD.double}>']


def test_a_decimal_comma_is_a_point():
    assert made(["0,50"], datatype=XSD.decimal, decimal=",")[0] == [f'"0.50"^^<{XSD.decimal}>']
    assert 'decimal: "."' in made(["0.5.1", "0.5"], datatype=XSD.decimal, decimal=",")[1][1]


def test_a_language_is_said_behind_the_text():
    assert made(["hus"], language="da")[0] == ['"hus"@da']
