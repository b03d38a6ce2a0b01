"""Functions that are registered with rdflib."""

from collections.abc import Iterator

import pytest
from rdflib import XSD, Literal, URIRef
from rdflib.plugins.sparql.operators import register_custom_function, unregister_custom_function

from expressions import call
from pantarhei.query.expressions import is_known_function

TWICE, RAW, BROKEN = URIRef("urn:f:twice"), URIRef("urn:f:raw"), URIRef("urn:f:broken")


@pytest.fixture(autouse=True)
def functions() -> Iterator[None]:
    register_custom_function(TWICE, lambda given: Literal(str(given) * 2))  # type: ignore[arg-type, misc]
    register_custom_function(RAW, lambda given, _: Literal(len(given.expr)), raw=True)
    register_custom_function(BROKEN, lambda: 7)  # type: ignore[arg-type, misc, return-value]
    yield
    for iri in (TWICE, RAW, BROKEN):
        unregister_custom_function(iri)


def test_a_function_is_called_with_terms() -> None:
    assert call(str(TWICE), '"ab"') == '"abab"'
    assert call(str(RAW), '"a"', '"b"') == '"2"^^xsd:integer'


def test_wrong_arguments_and_results_are_errors() -> None:
    assert call(str(TWICE), '"a"', '"b"') is None
    assert call(str(TWICE), None) is None
    assert call(str(BROKEN)) is None
    assert call("urn:f:unknown", '"a"') is None


def test_casts_and_registered_functions_are_known() -> None:
    assert is_known_function(str(TWICE)) and is_known_function(str(XSD.integer))
    assert not is_known_function("urn:f:unknown")
