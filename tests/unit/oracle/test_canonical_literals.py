"""One literal for each value: `canonical` agrees with `value_of`."""

from itertools import combinations_with_replacement

import pytest
from rdflib import OWL, RDF, XSD, BNode, Literal

from oracle.canonical_literals import (
    canonical_facts,
    canonical_literal,
    canonical_rule,
    canonical_term,
)
from pantarhei.values.value import value_of
from strategies import EX, ONE, ONE_POINT_ZERO, OVER_LITERALS, TWO, V, a


def literal(text, datatype):
    return Literal(text, datatype=datatype, normalize=False)


LEXICAL_FORMS = {
    XSD.decimal: "0 -0.0 1 +1.50 1.5 -12.30 100 123456789012345678901234567890.5",
    XSD.integer: "0 -0 01 1 1000 123456789012345678901234567890",
    XSD.byte: "1 200 x",
    XSD.double: "1 1.0E0 0 -0 INF -INF NaN 0.1 1e300",
    XSD.float: "1 0.1 0.10000000149011612 1e300 INF NaN -0",
    XSD.boolean: "true 1 false 0",
    XSD.dateTime: """
        2026-03-02T10:00:00Z 2026-03-02T11:00:00+01:00 2026-03-02T10:00:00.000Z 2026-03-02T10:00:00
        2026-03-02T10:00:00.250Z 2026-03-01T24:00:00Z 2026-03-02T00:00:00Z 1999-12-31T23:59:59Z
        0001-01-01T00:00:00 0000-01-01T00:00:00Z 0000-01-01T01:00:00+02:00 -0001-12-31T23:00:00Z
        -12000-02-29T00:00:00.5Z 12345-06-07T08:09:10Z""",
    XSD.dateTimeStamp: "2026-03-02T10:00:00Z",
    XSD.hexBinary: "0aFF 0AFF",
    XSD.base64Binary: "Cv8= AAAA",
    XSD.anyURI: "token 1",
    OWL.rational: "1/2 2/4 3/2 1/3 -2/6 2/6 4/2 7/1",
    RDF.PlainLiteral: "token@ token@en token@EN token 1@",
    RDF.XMLLiteral: "token 1",
    XSD.date: "2026-03-02 2026-03-02Z",
    XSD.token: "token",
    XSD.NCName: "token 1",
    XSD.string: "token 1",
    EX.unknown: "token 1",
    OWL.real: "1",
}
LITERALS = [
    *(literal(text, datatype) for datatype, texts in LEXICAL_FORMS.items() for text in texts.split()),
    *(literal(" 1 ", XSD.unsignedLong), literal("9" * 10_001, XSD.integer), literal("", XSD.hexBinary)),
    *(literal("1" * 9_000, XSD.integer), literal("1" * 4_999 + "/" + "3" * 5_000, OWL.rational)),
    *(Literal("token"), Literal("1"), Literal("")),
    *(Literal("token", lang=language) for language in ("en", "EN", "nl")),
]


def test_canonical_literals_are_equal_exactly_if_the_values_are():
    for left, right in combinations_with_replacement(LITERALS, 2):
        same_value = value_of(left) == value_of(right)
        assert (canonical_literal(left) == canonical_literal(right)) == same_value, (left.n3(), right.n3())


@pytest.mark.parametrize("given", LITERALS, ids=lambda given: given.n3()[:60])
def test_a_canonical_literal_has_the_value_it_stands_for_and_stands_for_itself(given):
    canonical = canonical_literal(given)
    assert value_of(canonical) == value_of(given)
    assert canonical_literal(canonical).n3() == canonical.n3()


def test_names_stay_as_they_are():
    blank = BNode()
    assert canonical_term(EX.a) == EX.a
    assert canonical_term(blank) is blank


def test_triples_whose_literals_have_equal_values_are_one_fact():
    assert len(canonical_facts([(a, V, ONE), (a, V, ONE_POINT_ZERO), (a, V, TWO)])) == 2


def test_the_constants_of_a_rule_become_canonical():
    has_one, gets_one, *_ = OVER_LITERALS
    assert canonical_rule(has_one).body[0].arguments[1] == canonical_rule(gets_one).head.arguments[1]


def test_an_ill_typed_literal_stands_for_itself():
    ill_typed = literal("one", XSD.integer)
    assert canonical_literal(ill_typed) == ill_typed
    assert canonical_literal(literal("one", XSD.byte)) != ill_typed
