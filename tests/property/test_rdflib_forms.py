"""Literals in rdflib's own forms are kept wherever they come in, and shown as XML Schema has them."""

import math
from datetime import UTC, datetime, timedelta, timezone
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rdflib import OWL, XSD, Dataset, Graph, Literal, Namespace

import pantarhei as pr
from counts import cases
from pantarhei.model.term import respelled
from pantarhei.query import run_query
from pantarhei.rdf.ntriples import write_term
from pantarhei.values.value import is_well_typed, value_of

pytestmark = pytest.mark.usefixtures("quiet")

E = Namespace("http://example.org/")
TRIPLE = (E.a, E.v)
EMPTY = pr.load_ontology(Graph())

ZONES = st.integers(-14 * 3600, 14 * 3600).map(lambda seconds: timezone(timedelta(seconds=seconds)))
PYTHON_VALUES = st.one_of(
    st.floats(),
    st.sampled_from([math.nan, math.inf, -math.inf]),
    st.booleans(),
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False, places=4),
    st.fractions(max_denominator=20),
    st.datetimes(datetime(2, 1, 1), datetime(9998, 1, 1), timezones=st.none() | ZONES),
    st.dates(),
    st.times(timezones=st.none() | st.just(UTC)),
    st.timedeltas(),
    st.text("aé \n", max_size=3),
)
SPECIAL = {
    "nan": [Literal(math.nan), Literal("NaN", datatype=XSD.double), Literal("NaN", datatype=XSD.float)],
    "inf": [Literal(math.inf), Literal("1E400", datatype=XSD.double), Literal("INF", datatype=XSD.float)],
    "-inf": [Literal(-math.inf), Literal("-INF", datatype=XSD.float)],
    "rational": [Literal(Fraction(2)), Literal(Fraction(-3, 1))],
    "zone": [Literal(datetime(1900, 1, 1, tzinfo=timezone(timedelta(minutes=19, seconds=32))))],
}
LITERALS = [literal for kind in SPECIAL.values() for literal in kind]


@settings(max_examples=cases(50, 1000, 20_000), deadline=None)
@given(PYTHON_VALUES)
@example(math.inf)
@example(Fraction(0))
def test_each_python_value_that_rdflib_writes_has_a_value_here(given_):
    literal = respelled(Literal(given_))
    assert is_well_typed(literal) and literal.datatype == Literal(given_).datatype
    assert respelled(literal) is literal
    if isinstance(given_, datetime) and given_.tzinfo is not None:
        plain = Literal(given_.astimezone(UTC).isoformat(), datatype=XSD.dateTime, normalize=False)
        ((found,),) = run_query(
            Graph(), f"SELECT ({write_term(literal)} = {write_term(plain)} AS ?same) {{}}"
        ).rows
        assert found.toPython() is True
    if isinstance(given_, Fraction):
        assert value_of(literal) == value_of(
            Literal(f"{given_.numerator}/{given_.denominator}", datatype=OWL.rational)
        )


def shown(graph) -> set[str]:
    return {str(value) for value in graph.objects(*TRIPLE)}


@pytest.mark.parametrize("literal", LITERALS, ids=lambda each: each.n3())
def test_such_a_literal_is_kept_at_every_door(literal, tmp_path):
    form = str(respelled(literal))
    assert form != str(literal) and is_well_typed(respelled(literal))
    triple = (*TRIPLE, literal)
    pushed = pr.StreamReasoner(EMPTY, pr.Window(range=3))
    assert not pushed.push(1, [triple]).repair.removed
    assert shown(pushed.graph) == {form} and triple in pushed.graph
    assert {str(value) for _, (_, _, value) in pushed.assertions()} == {form}
    assert len(pushed.query("SELECT ?x { ?x ?p ?v }", initBindings={"v": literal})) == 1
    assert [str(row.v) for row in pushed.query(f"SELECT ?v {{ ?x ?p {write_term(literal)}, ?v }}")] == [form]

    graph = Graph().add(triple)
    assert shown(pr.StreamReasoner(EMPTY, pr.Window(range=3), background=graph).graph) == {form}
    assert shown(pr.StreamReasoner(pr.load_ontology(graph), pr.Window(range=3)).graph) == {form}
    assert [str(row.v) for row in run_query(graph, "SELECT ?v { ?x ?p ?v }")] == [form]
    changed = pr.DynamicGraph(EMPTY)
    assert not changed.change(insert=[triple]).conflicts and shown(changed.graph) == {form}
    changed.change(delete=[triple])
    assert not shown(changed.graph)

    written = tmp_path / "data.nt"
    graph.serialize(written, format="nt")
    assert shown(pr.StreamReasoner(pr.load_ontology(written), pr.Window(range=3)).graph) == {form}
    quads = Dataset()
    quads.graph(E["at/1"]).add(triple)
    quads.serialize(tmp_path / "stream.nq", format="nquads")
    read = pr.StreamReasoner(EMPTY, pr.Window(range=3))
    for abox in pr.read_stream(tmp_path / "stream.nq"):
        assert not read.push(abox.at, abox.triples).repair.removed
    assert shown(read.graph) == {form}


INFINITE = '"INF"^^xsd:double'


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_rules_ranges_and_queries_compare_such_literals(value):
    axioms = Graph().parse(
        data="""
        @prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
        @prefix owl: <http://www.w3.org/2002/07/owl#> .
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        [ a owl:Restriction ; owl:onProperty :v ; owl:hasValue "INF"^^xsd:double ] rdfs:subClassOf :Endless .
        [ a owl:Restriction ; owl:onProperty :v ; owl:someValuesFrom
            [ a rdfs:Datatype ; owl:onDatatype xsd:double ;
              owl:withRestrictions ( [ xsd:minInclusive "INF"^^xsd:double ] ) ]
        ] rdfs:subClassOf :Topmost .
        :v a owl:DatatypeProperty .
        """
    )
    rules = pr.load_rules(
        "@prefix : <http://example.org/> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n"
        f":endless(X) :- :v(X, V), V = {INFINITE}.\n:less(X) :- :v(X, V), V < {INFINITE}."
    )
    reasoner = pr.StreamReasoner(
        pr.load_ontology(axioms), pr.Window(range=3), temporal=rules, conclusions="default"
    )
    reasoner.push(1, [(*TRIPLE, Literal(value))])
    classes = {row.c for row in reasoner.query("SELECT ?c { ?x a ?c }")}
    expected = {
        math.inf: {E.Endless, E.Topmost, E.endless},
        -math.inf: {E.less},
    }.get(value, set())
    assert classes - {OWL.Thing} == expected
    infinite = f'"INF"^^<{XSD.double}>'
    (row,) = reasoner.query(f"SELECT (?v = {infinite} AS ?same) (?v + 1 AS ?more) {{ ?x <{E.v}> ?v }}")
    assert row.same.toPython() is (value == math.inf)
    assert str(row.more) == str(respelled(Literal(value)))


MAPPING = {
    "time": {"column": "at", "unit": "number"},
    "mappings": {"each": {"s": f"{E}a", "po": [[f"{E}v", "$(v)"]]}},
}


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32()])
def test_columns_of_floats_keep_what_is_not_finite(kind):
    table = pa.table({"at": [1, 2, 3], "v": pa.array([math.nan, math.inf, -math.inf], kind)})
    for source in (table, table.to_pandas()):
        reasoner = pr.StreamReasoner(EMPTY, pr.Window(range=3))
        for abox in pr.read_records(source, MAPPING):
            assert not reasoner.push(abox.at, abox.triples).repair.removed
        assert shown(reasoner.graph) >= {"INF", "-INF"}
