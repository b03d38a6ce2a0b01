"""What registered queries need to be derived."""

import pytest
from rdflib import URIRef

from answered import read
from asked import PREFIXES
from pantarhei.encoding.numbers import Symbol
from pantarhei.query.incremental.registered import needed_for
from pantarhei.query.incremental.reports import PLAIN, Policy

QUERY = read("SELECT * { ?x a :C }")
NAMED = {Symbol(URIRef(PREFIXES[""] + "C"), 1)}


def test_a_query_needs_what_it_names():
    assert needed_for(QUERY, PLAIN) == NAMED
    assert needed_for(read("SELECT * { ?x ?p ?y }"), PLAIN) is None


@pytest.mark.parametrize(
    ("on", "emit", "needed"),
    [
        ("change", "rstream", None),  # any fact may be the one that has changed
        (("change", "close"), "rstream", None),
        ("close", "rstream", NAMED),
        ("change", "istream", NAMED),
    ],
)
def test_one_that_tells_all_answers_whenever_something_has_changed_needs_all(on, emit, needed):
    assert needed_for(QUERY, Policy.of(on, emit)) == needed
