"""Functions by their names."""

from expressions import NOW, call, context
from pantarhei.query.expressions.functions import function_of


def test_now_is_the_time_of_the_query() -> None:
    assert call("NOW") == f'"{NOW}"^^xsd:dateTime'


def test_a_name_leads_to_a_function_of_terms() -> None:
    given = context()
    assert str(function_of("NOW", given)()) == NOW
    assert function_of("STR", given) is function_of("STR", given)


def test_a_function_that_nobody_knows_is_an_error() -> None:
    assert call("urn:nothing", "1") is None
