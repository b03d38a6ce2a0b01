"""Durations are compared where XML Schema's partial order decides, and alike wherever they are compared."""

from datetime import UTC, datetime
from random import Random

import numpy as np
import pytest
from rdflib import RDF, XSD, Graph, Literal, Namespace, Variable

import pantarhei as pr
from counts import cases
from expressions import NOW, context
from oracle.answers import algebra
from oracle.answers.context import Context as ReferenceContext
from oracle.answers.expressions import Expressions
from oracle.answers.graph import Graph as ReferenceGraph
from oracle.canonical_literals import canonical_literal
from pantarhei.model.data_range import Datatype, DatatypeRestriction
from pantarhei.model.temporal_rule import RELATIONS
from pantarhei.query.algebra.nodes import Call, OrderKey
from pantarhei.query.expressions import compute, order
from pantarhei.query.solutions import SolutionTable
from pantarhei.values.membership import contains
from pantarhei.values.scalar_functions import SWRLB, holds, is_true
from pantarhei.values.value import value_of

pytestmark = pytest.mark.usefixtures("quiet")

E = Namespace("http://example.org/")
X, Y = Variable("x"), Variable("y")
FACETS = {
    "minInclusive": "greaterThanOrEqual",
    "minExclusive": "greaterThan",
    "maxInclusive": "lessThanOrEqual",
    "maxExclusive": "lessThan",
}


def typed(text: str, datatype: str = "duration") -> Literal:
    return Literal(text, datatype=XSD[datatype], normalize=False)


DAYS = (0, 1, 27, 28, 29, 30, 31, 32, 58, 59, 62, 364, 365, 366, 367)


def random_duration(random: Random) -> Literal:
    sign = random.choice(("", "", "", "-"))
    months = "".join(random.choice(("", f"{random.randint(0, 14)}{unit}")) for unit in "YM")
    days = random.choice(
        ("", f"{random.choice((0, 1, 27, 28, 29, 30, 31, 32, 58, 59, 62, 364, 365, 366, 367))}D")
    )
    clock = "".join(random.choice(("", f"{random.randint(0, 90)}{unit}")) for unit in "HM")
    clock += random.choice(("", "", "0.50S", "3600S"))
    kind = random.choice(("duration", "duration", "yearMonthDuration", "dayTimeDuration"))
    if kind == "yearMonthDuration":
        days = clock = ""
    elif kind == "dayTimeDuration":
        months = ""
    body = months + days + (f"T{clock}" if clock else "")
    return typed(f"{sign}P{body or ('0M' if kind == 'yearMonthDuration' else 'T0S')}", kind)


def defined(sign: str, one: Literal, other: Literal) -> bool | None:
    where = ReferenceContext(
        ReferenceGraph(()), {}, datetime.fromisoformat(NOW).astimezone(UTC), None, {}, {}
    )
    found = Expressions({}, where, lambda *_: False).value_or_none(algebra.Call(sign, (one, other)))
    return None if found is None else str(found) == "true"


@pytest.mark.parametrize("ten", range(cases(5, 30, 1000)))
def test_a_comparison_has_one_result_wherever_it_is_made(ten: int) -> None:
    random = Random(ten)
    rows = [(random_duration(random), random_duration(random)) for _ in range(10)]
    here = context()
    columns = {v: here.terms.ids_of([row[place] for row in rows]) for place, v in enumerate((X, Y))}
    for name, sign in RELATIONS.items():
        told = here.terms.terms(compute(Call(sign, (X, Y)), SolutionTable(columns, len(rows)), here))
        for row, found in zip(rows, told, strict=True):
            expected = defined(sign, *row)
            assert (None if found is None else str(found) == "true") == expected, (sign, row)
            assert holds(SWRLB[name], *row) == is_true(SWRLB[name], *row) == (expected is True), (name, row)
    for one, other in rows:
        for facet, name in FACETS.items():
            within = DatatypeRestriction(Datatype(XSD.duration), ((XSD[facet], other),))
            assert contains(within, one) == holds(SWRLB[name], one, other)
        assert (value_of(one) == value_of(other)) == holds(SWRLB.equal, one, other)
        assert value_of(canonical_literal(one)) == value_of(one)


@pytest.mark.parametrize("seed", range(cases(5, 30, 1000)))
def test_order_by_extends_the_partial_order(seed: int) -> None:
    random = Random(seed)
    terms = [random_duration(random) for _ in range(12)]
    here = context()
    table = SolutionTable({X: here.terms.ids_of(terms)}, len(terms))
    ordered = [terms[place] for place in order([OrderKey(X, False)], table, here).tolist()]
    for place, one in enumerate(ordered):
        assert not any(holds(SWRLB.lessThan, other, one) for other in ordered[place + 1 :])
    assert np.unique(table.columns[X]).size <= len(terms)


# XML Schema 1.1, section 3.3.6.1: what is known of lengths of months and years.
KNOWN = [
    ("P1Y", "P364D", ">"), ("P1Y", "P365D", None), ("P1Y", "P366D", None), ("P1Y", "P367D", "<"),
    ("P1M", "P27D", ">"), ("P1M", "P28D", None), ("P1M", "P29D", None), ("P1M", "P30D", None),
    ("P1M", "P31D", None), ("P1M", "P32D", "<"),
    ("P5M", "P149D", ">"), ("P5M", "P150D", None), ("P5M", "P153D", None), ("P5M", "P154D", "<"),
    ("P12M", "P1Y", "="), ("PT24H", "P1D", "="), ("PT60M", "PT3600S", "="), ("-P1D", "PT0S", "<"),
]  # fmt: skip


@pytest.mark.parametrize(("one", "other", "relation"), KNOWN)
def test_months_have_28_to_31_days(one: str, other: str, relation: str | None) -> None:
    first, second = typed(one), typed(other)
    found = {name for name in ("lessThan", "greaterThan", "equal") if holds(SWRLB[name], first, second)}
    assert {RELATIONS[name] for name in found} == ({relation} if relation else set())


def test_rules_ranges_and_queries_see_durations_in_a_stream() -> None:
    axioms = pr.load_ontology(
        Graph().parse(
            data="""
            @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
            @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
            @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
            :took a owl:DatatypeProperty , owl:FunctionalProperty .
            [ a owl:Restriction ; owl:onProperty :took ; owl:someValuesFrom [ a rdfs:Datatype ;
                owl:onDatatype xsd:duration ;
                owl:withRestrictions ( [ xsd:minInclusive "PT2H"^^xsd:duration ] ) ] ] rdfs:subClassOf :Long .
            """
        )
    )
    rules = pr.load_rules(
        "@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        ':slow(X) :- :took(X, D), D > "PT90M"^^xsd:duration.'
    )
    reasoner = pr.StreamReasoner(axioms, pr.Window(range=5), temporal=rules, conclusions="default")
    text = "SELECT ?x { ?x :took ?d FILTER(?d > 'PT90M'^^<http://www.w3.org/2001/XMLSchema#duration>) }"
    followed = reasoner.register(f"PREFIX : <{E}> {text}")
    reasoner.push(1, [(E[name], E.took, typed(took)) for name, took in (("a", "PT1H"), ("b", "PT120M"))])
    assert not reasoner.push(2, [(E.b, E.took, typed("PT2H", "dayTimeDuration"))]).repair.removed  # one value
    assert set(reasoner.query(text, initNs={"": str(E)}).rows) == set(followed.answers) == {(E.b,)}
    members = {(row.x, row.c) for row in reasoner.query("SELECT ?x ?c { ?x a ?c }")}
    assert members == {(E.b, E.Long), (E.b, E.slow)}
    assert reasoner.push(3, [(E.a, E.took, typed("PT3H"))]).repair.removed == {
        (1, (E.a, E.took, typed("PT1H")))
    }
    (row,) = reasoner.query(
        "SELECT (MAX(?d) AS ?most) (MIN(?d) AS ?least) { ?x <http://example.org/took> ?d }"
    )
    assert [str(row.most), str(row.least)] == ["PT3H", "PT120M"]
    assert (E.a, RDF.type, E.Long) in reasoner.graph
