"""What the stream may assert, and what is promised of it."""

import pytest
from rdflib import RDF

from pantarhei import Ontology, OptionError
from pantarhei.encoding.numbers import Symbol
from pantarhei.model.rule import Rule
from strategies import EX, A, B, R, S, a, b, is_a, related, x, y

ONTOLOGY = Ontology.from_rules(
    [Rule("r", (is_a(A, x), related(R, x, y), is_a(B, y)), None)], [(a, EX.inBuilding, b)]
)


@pytest.mark.parametrize(
    ("streaming", "colocated", "message"),
    [
        (None, str(R), "the IRIs .* of several properties"),
        (None, 5, "the IRIs .* of several properties"),
        (None, ["R"], "IRIs .* of properties"),
        (None, [RDF.type], "IRIs .* of properties"),
        (None, [A], "this is a class"),
        ([A, R], [A], "this is a class"),
        ([A, B], [R], "in streaming="),
        (None, [EX.inBuilding], "has facts in the background"),
    ],
)
def test_only_a_property_that_streams_can_be_promised(streaming, colocated, message):
    with pytest.raises(OptionError, match=message):
        ONTOLOGY.sharding_report(streaming, colocated=colocated)


def test_a_promise_of_a_property_that_no_rule_has_is_kept_for_queries():
    report = ONTOLOGY.sharding_report(keys=[EX.inBuilding], colocated=[S, R])
    assert report.colocated == (S, R) and report.needed == {EX.inBuilding: {R}}
    assert "the ontology does not need colocated=[S]" in str(report)
    assert report.positions(EX.inBuilding, Symbol(S, 2)) == {0, 1}
