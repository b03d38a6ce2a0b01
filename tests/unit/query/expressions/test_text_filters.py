"""Filters of many strings by one constant say of each what the function does."""

import pytest
from rdflib import Variable

from expressions import context, table_of, term, truths
from pantarhei.query.algebra.expressions import Call
from pantarhei.query.expressions import truth

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
