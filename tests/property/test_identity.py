"""Identity where values are counted, keyed, enumerated or joined; equality in facets and comparisons.

OWL 2 Structural Specification, section 4.7: one instant in two zones is equal, not identical, as +0 and -0.
"""

from itertools import product

import pytest
from rdflib import OWL, RDF, XSD, Graph, Literal, Namespace

import pantarhei as pr

pytestmark = pytest.mark.usefixtures("quiet")

E = Namespace("http://example.org/")
HEAD = """
    @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :v a owl:DatatypeProperty .
"""


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=XSD[datatype], normalize=False)


# Values of one list are equal; those of one tuple are identical.
EQUAL = {
    "instants": [
        (typed("2020-01-01T00:00:00Z", "dateTime"), typed("2019-12-31T24:00:00+00:00", "dateTimeStamp")),
        (typed("2020-01-01T01:00:00+01:00", "dateTime"), typed("2020-01-01T01:00:00.0+01:00", "dateTime")),
        (typed("2019-12-31T19:30:00-04:30", "dateTime"),),
    ],
    "local times": [(typed("2020-01-01T00:00:00", "dateTime"), typed("2019-12-31T24:00:00.00", "dateTime"))],
    "doubles": [(typed("0", "double"), typed("0.0E0", "double")), (typed("-0.0", "double"),)],
    "floats": [(typed("0", "float"), typed("0e9", "float")), (typed("-0", "float"),)],
    "decimals": [(typed("1", "integer"), typed("1.00", "decimal"), typed("01", "byte"))],
    "strings": [(Literal("a"), typed("a", "token"))],
    "tagged": [(Literal("a", lang="en"), Literal("a", lang="EN"))],
    "binaries": [(typed("0a", "hexBinary"), typed("0A", "hexBinary"))],
}
PAIRS = [
    pytest.param(one, other, place == other_place, id=f"{kind}: {one} and {other}")
    for kind, values in EQUAL.items()
    for (place, ones), (other_place, others) in product(enumerate(values), repeat=2)
    for one, other in product(ones, others)
    if one is not other
]
WAYS = {
    "functional": ":v a owl:FunctionalProperty .",
    "max 1": ":C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :v ; owl:maxCardinality 1 ] .",
}


def write(literal: Literal) -> str:
    if literal.language:
        return f'"{literal}"@{literal.language}'
    return f'"{literal}"' + (f"^^<{literal.datatype}>" if literal.datatype else "")


def ontology(text: str) -> pr.Ontology:
    return pr.load_ontology(Graph().parse(data=HEAD + text))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("one", "other", "identical"), PAIRS)
def test_two_values_of_one_slot_contradict_unless_they_are_identical(way, one, other, identical):
    axioms = ontology(WAYS[way])
    for unique in (True, False):
        background = [(E.x, RDF.type, E.C)]
        window = pr.Window(range=5)
        reasoner = pr.StreamReasoner(axioms, window, background=background, unique_names=unique)
        reasoner.push(1, [(E.x, E.v, one)])
        update = reasoner.push(2, [(E.x, E.v, other)])
        assert update.repair.removed == (set() if identical else {(1, (E.x, E.v, one))})
    text = HEAD + WAYS[way] + f":x a :C ; :v {write(one)} , {write(other)} ."
    if identical:
        pr.load_ontology(Graph().parse(data=text))
    else:
        with pytest.raises(pr.InconsistentOntologyError):
            pr.load_ontology(Graph().parse(data=text))


@pytest.mark.parametrize(("one", "other", "identical"), PAIRS)
def test_values_are_enumerated_keyed_and_joined_by_identity_and_compared_by_equality(one, other, identical):
    axioms = ontology(
        f"""
        [ a owl:Restriction ; owl:onProperty :v ; owl:hasValue {write(one)} ] rdfs:subClassOf :Having .
        [ a owl:Restriction ; owl:onProperty :v ; owl:someValuesFrom
            [ a rdfs:Datatype ; owl:oneOf ( {write(one)} ) ] ] rdfs:subClassOf :Among .
        :K owl:hasKey ( :v ) . :x a :K . :y a :K .
        """
    )
    rules = pr.load_rules(
        "@prefix : <http://example.org/> .\n"
        ":joined(X) :- :v(X, V), :w(X, V).\n:equal(X) :- :v(X, V), :w(X, W), V = W."
    )
    reasoner = pr.StreamReasoner(axioms, pr.Window(range=5), temporal=rules, conclusions="default")
    reasoner.push(1, [(E.x, E.v, other), (E.x, E.w, one)])
    classes = {row.c for row in reasoner.query("SELECT ?c { :x a ?c }", initNs={"": str(E)})}
    assert classes - {OWL.Thing, E.K} == {E.equal, *((E.Having, E.Among, E.joined) if identical else ())}
    key = pr.StreamReasoner(axioms, pr.Window(range=5))
    key.push(1, [(E.x, E.v, one)])
    assert bool(key.push(2, [(E.y, E.v, other)]).repair.removed) is identical
    joined = reasoner.query("SELECT ?x { ?x :v ?v ; :w ?v }", initNs={"": str(E)})
    (told,) = reasoner.query("SELECT (?v = ?w AS ?same) { ?x :v ?v ; :w ?w }", initNs={"": str(E)})
    assert len(joined) == identical and told.same.toPython() is True


@pytest.mark.parametrize(("one", "other", "identical"), PAIRS)
def test_what_is_entailed_of_values_goes_by_identity(one, other, identical):
    having = (
        f"[ a owl:Restriction ; owl:onProperty :v ; owl:hasValue {write(one)} ] rdfs:subClassOf :Having ."
    )
    said = ontology(having + f":x :v {write(other)} .")
    assert said.entails([(E.x, RDF.type, E.Having)]) is identical
    assert said.entails([(E.x, E.v, one)]) is identical


@pytest.mark.parametrize("facet", ["minInclusive", "maxInclusive", "minExclusive", "maxExclusive"])
@pytest.mark.parametrize(
    ("one", "other", "identical"),
    [each for each in PAIRS if each.id.split(":")[0] in ("instants", "doubles", "floats")],
)
def test_facets_go_by_equality(facet, one, other, identical):
    datatype = one.datatype if one.datatype != XSD.dateTimeStamp else XSD.dateTime
    axioms = ontology(
        f"""
        [ a owl:Restriction ; owl:onProperty :v ; owl:someValuesFrom [ a rdfs:Datatype ;
            owl:onDatatype <{datatype}> ; owl:withRestrictions ( [ xsd:{facet} {write(one)} ] ) ]
        ] rdfs:subClassOf :Within .
        """
    )
    reasoner = pr.StreamReasoner(axioms, pr.Window(range=5))
    reasoner.push(1, [(E.x, E.v, other)])
    assert ((E.x, RDF.type, E.Within) in reasoner.graph) is facet.endswith("Inclusive")


# -- unknown values ----------------------------------------------------------------------------------

UNKNOWN = Literal("x", datatype=E.mine)
RANGES = {
    "string": "xsd:string",
    "number": "xsd:integer",
    "date": "xsd:date",
    "complement": "[ a rdfs:Datatype ; owl:datatypeComplementOf xsd:string ]",
    "facet": "[ a rdfs:Datatype ; owl:onDatatype xsd:decimal ;"
    " owl:withRestrictions ( [ xsd:minInclusive 5 ] ) ]",
    "values": '[ a rdfs:Datatype ; owl:oneOf ( "x" 7 ) ]',
    "union": "[ a rdfs:Datatype ; owl:unionOf ( xsd:string xsd:decimal ) ]",
}
DENIALS = {
    "range": ":v rdfs:range {} .",
    "all values": ":C rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :v ; owl:allValuesFrom {} ] .",
    "no value": ":C rdfs:subClassOf [ a owl:Class ; owl:complementOf "
    "[ a owl:Restriction ; owl:onProperty :v ; owl:someValuesFrom {} ] ] .",
}


@pytest.mark.parametrize("range_", RANGES)
@pytest.mark.parametrize("denial", DENIALS)
@pytest.mark.parametrize("unique", [True, False])
def test_a_literal_of_an_unrecognized_datatype_contradicts_no_range(range_, denial, unique):
    text = DENIALS[denial].format(RANGES[range_])
    reasoner = pr.StreamReasoner(ontology(text), pr.Window(range=5), unique_names=unique)
    reasoner.push(1, [(E.x, RDF.type, E.C)])
    assert not reasoner.push(2, [(E.x, E.v, UNKNOWN)]).repair.removed
    graph = pr.DynamicGraph(ontology(text))
    assert not graph.change(insert=[(E.x, RDF.type, E.C), (E.x, E.v, UNKNOWN)]).conflicts
    said = f":x a :C ; :v {write(UNKNOWN)} ."
    pr.StreamReasoner(ontology(text + said), pr.Window(range=5), unique_names=unique)


@pytest.mark.parametrize("range_", RANGES)
def test_a_literal_of_an_unrecognized_datatype_is_in_no_range_for_certain(range_):
    restriction = f"[ a owl:Restriction ; owl:onProperty :v ; owl:someValuesFrom {RANGES[range_]} ]"
    text = f"{restriction} rdfs:subClassOf :In ."
    reasoner = pr.StreamReasoner(ontology(text), pr.Window(range=5))
    reasoner.push(1, [(E.x, E.v, UNKNOWN)])
    assert (E.x, RDF.type, E.In) not in reasoner.graph


def test_the_same_unknown_literal_is_the_same_value():
    text = f"[ a owl:Restriction ; owl:onProperty :v ; owl:hasValue {write(UNKNOWN)} ] rdfs:subClassOf :In ."
    reasoner = pr.StreamReasoner(ontology(text), pr.Window(range=5))
    reasoner.push(1, [(E.x, E.v, UNKNOWN)])
    assert (E.x, RDF.type, E.In) in reasoner.graph


def test_two_unknown_literals_differ_as_names_do():
    other = Literal("y", datatype=E.mine)
    for unique in (True, False):
        reasoner = pr.StreamReasoner(ontology(WAYS["functional"]), pr.Window(range=5), unique_names=unique)
        reasoner.push(1, [(E.x, E.v, UNKNOWN)])
        assert bool(reasoner.push(2, [(E.x, E.v, other)]).repair.removed) is unique
    ontology(WAYS["functional"] + f":x :v {write(UNKNOWN)} , {write(other)} , 7 .")
