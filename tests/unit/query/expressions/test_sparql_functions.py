"""Functions by name: of terms, drawn once a row, filters of many strings, and registered with rdflib."""

from collections.abc import Iterator

import numpy as np
import pytest
from rdflib import XSD, BNode, Literal, URIRef, Variable
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function

from expressions import NOW, X, call, context, table_of, term, truths
from pantarhei.query.algebra.nodes import Call
from pantarhei.query.expressions import compute, is_known_function, truth
from pantarhei.query.expressions.sparql_functions import function_of
from pantarhei.query.solutions import SolutionTable


def test_now_is_the_time_of_the_query() -> None:
    assert call("NOW") == f'"{NOW}"^^xsd:dateTime'


def test_a_name_leads_to_a_function_of_terms() -> None:
    given = context()
    assert str(function_of("NOW", given)()) == NOW
    assert function_of("STR", given) is function_of("STR", given)


def test_a_function_that_nobody_knows_is_an_error() -> None:
    assert call("urn:nothing", "1") is None


# -- drawn once a row


def test_every_row_has_its_own() -> None:
    given = context()
    rows = table_of([term("1")] * 5, given)
    for name, sort in (("RAND", Literal), ("UUID", URIRef), ("STRUUID", Literal), ("BNODE", BNode)):
        found = given.terms.terms(compute(Call(name, ()), rows, given))
        assert len(set(found)) == 5
        assert all(isinstance(each, sort) for each in found)
    assert truth(Call("<", (Call("RAND", ()), term("1"))), rows, given).tolist() == [1] * 5


def test_one_text_is_one_blank_node_in_a_row_and_others_in_other_rows() -> None:
    given = context()
    rows = table_of([term('"a"'), term('"a"'), term('"b"'), term("1"), None], given)
    first = compute(Call("BNODE", (X,)), rows, given)
    more = rows.with_column(Variable("y"), first)
    again = compute(Call("BNODE", (Call("CONCAT", (X, term('""'))),)), more, given)
    assert first.tolist() == again.tolist()
    assert len(set(first[:3].tolist())) == 3
    assert first[3:].tolist() == [-1, -1]


def test_other_rows_have_other_blank_nodes_for_the_same_text() -> None:
    given = context()
    one, other = table_of([term('"a"')], given), table_of([term('"a"')], given)
    found = [compute(Call("BNODE", (X,)), rows, given)[0] for rows in (one, other)]
    assert found[0] != found[1]


def test_a_row_without_columns_has_one_of_its_own() -> None:
    given = context()
    assert len(compute(Call("BNODE", (term('"a"'),)), SolutionTable({}, 1), given)) == 1
    assert compute(Call("UUID", ()), SolutionTable({}, 0), given).tolist() == np.empty(0).tolist()


# -- filters of many strings by one constant

TEXTS = ['"abc"', '"ABC"', '""', '"abc"@en', '"x"@fr', "1", "<urn:abc>", None, '"b"^^xsd:token', '"c\\n"']


@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:3]], ids=["all sorts", "strings"])
@pytest.mark.parametrize(
    ("name", "constants"),
    [
        ("CONTAINS", ['"b"']),
        ("CONTAINS", ['"b"@en']),
        ("CONTAINS", ["1"]),
        ("STRSTARTS", ['"a"']),
        ("STRENDS", ['"c"']),
        ("REGEX", ['"B"']),
        ("REGEX", ['"B"', '"i"']),
        ("REGEX", ['"c$"']),
        ("REGEX", ['"("']),
    ],
)
def test_each_row_has_the_truth_of_its_own_text(
    texts: list[str | None], name: str, constants: list[str]
) -> None:
    given = context()
    rows = table_of([None if text is None else term(text) for text in texts], given)
    found = truth(Call(name, (Variable("x"), *map(term, constants))), rows, given)
    assert found.tolist() == [truths(name, text, *constants) for text in texts]


# -- registered with rdflib

TWICE, RAW, BROKEN = URIRef("urn:f:twice"), URIRef("urn:f:raw"), URIRef("urn:f:broken")


@pytest.fixture
def functions() -> Iterator[None]:
    register_custom_function(TWICE, lambda given: Literal(str(given) * 2))  # type: ignore[arg-type, misc]
    register_custom_function(RAW, lambda given, _: Literal(len(given.expr)), raw=True)
    register_custom_function(BROKEN, lambda: 7)  # type: ignore[arg-type, misc, return-value]
    yield
    for iri in (TWICE, RAW, BROKEN):
        unregister_custom_function(iri)


@pytest.mark.usefixtures("functions")
def test_a_function_is_called_with_terms() -> None:
    assert call(str(TWICE), '"ab"') == '"abab"'
    assert call(str(RAW), '"a"', '"b"') == '"2"^^xsd:integer'


@pytest.mark.usefixtures("functions")
def test_wrong_arguments_and_results_are_errors() -> None:
    assert call(str(TWICE), '"a"', '"b"') is None
    assert call(str(TWICE), None) is None
    assert call(str(BROKEN)) is None
    assert call("urn:f:unknown", '"a"') is None


@pytest.mark.usefixtures("functions")
def test_casts_and_registered_functions_are_known() -> None:
    assert is_known_function(str(TWICE)) and is_known_function(str(XSD.integer))
    assert not is_known_function("urn:f:unknown")
