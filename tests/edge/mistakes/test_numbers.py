"""What typically goes wrong with numbers, and what a stranger is told then."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable
from typing import NamedTuple

import pytest
from rdflib import XSD, Graph, Literal, Namespace

from mistakes import at_least_twenty, message_of, on_one_line
from pantarhei import DynamicGraph, Foundation, StreamReasoner, Window, load_ontology, read_records

EX = Namespace("http://example.org/")
PREFIXES = """@prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""
FACET = """[ a owl:Restriction ; owl:onProperty {} ; owl:someValuesFrom
  [ a rdfs:Datatype ; owl:onDatatype {} ; owl:withRestrictions ( [ xsd:minInclusive {} ] ) ] ]
"""
HOT = FACET.format(":celsius", "xsd:decimal", 80) + "rdfs:subClassOf :Hot ."
IN_DOUBLES = FACET.format(":celsius", "xsd:double", '"80"^^xsd:double') + "rdfs:subClassOf :Hot ."
VALUE = "[ a owl:Restriction ; owl:onProperty :celsius ; owl:hasValue 80 ] rdfs:subClassOf :Boiling ."
BELOW = ":fahrenheit rdfs:subPropertyOf :celsius ." + HOT
RANGE = ":celsius a owl:DatatypeProperty , owl:FunctionalProperty ; rdfs:range xsd:decimal ."
DOUBLE, FLOAT = XSD.double, XSD.float


def ontology(text):
    return load_ontology(Graph().parse(data=PREFIXES + text))


def reasoner(text=HOT, **options):
    return StreamReasoner(ontology(text), Window(5), **options)


def pushed(text, *values, of=EX.celsius, **options):
    """What a reasoner says of values in a stream: in a warning, and in its summary."""
    made = reasoner(text, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        updates = [made.push(at, [(EX.s, of, value)]) for at, value in enumerate(values)]
    cut = [on_one_line(each.repair) for each in updates if each.repair.removed]
    return [*(str(each.message) for each in caught), *made.unexpected().lines(), *cut]


def table(*numbers, datatype="xsd:double", text=HOT):
    """What is said of the values of a column of a table."""
    mapping = {
        "prefixes": {"": str(EX)},
        "time": {"column": "at", "unit": "number"},
        "mappings": {"m": {"s": "http://example.org/s", "po": [[str(EX.celsius), "$(x)", datatype]]}},
    }
    rows = "".join(f"{at},{number}\n" for at, number in enumerate(numbers))
    made = reasoner(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        list(made.run(read_records(io.BytesIO(b"at,x\n" + rows.encode()), mapping, format="csv")))
    return list(made.unexpected().lines())


class Refused(NamedTuple):
    """Work that ends in an error."""

    work: Callable[[], object]


def told(wrong):
    """What is said: all of it on one line, or the error."""
    if isinstance(wrong, Refused):
        return message_of(wrong.work)
    return " | ".join(map(on_one_line, wrong()))


def literal(text, datatype):
    return Literal(text, datatype=datatype, normalize=False)


# Of each mistake what is done, and what is said.
MISTAKES = {
    "a float of Python against a threshold": (
        lambda: pushed(HOT, Literal(85.5)),
        (
            'celsius has the value "85.5"^^xsd:double, which satisfies no condition on its '
            'values: these require decimals; read numbers by value (numbers="by_value"), or '
            "write both with datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": celsius has the value "85.5"^^xsd:double, which satisfies no '
            "condition on its values: these require decimals"
        ),
    ),
    "an xsd:float against a threshold": (
        lambda: pushed(HOT, literal("85.5", FLOAT)),
        (
            'celsius has the value "85.5"^^xsd:float, which satisfies no condition on its '
            'values: these require decimals; read numbers by value (numbers="by_value"), or '
            "write both with datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": celsius has the value "85.5"^^xsd:float, which satisfies no '
            "condition on its values: these require decimals"
        ),
    ),
    "a decimal against a threshold of doubles": (
        lambda: pushed(IN_DOUBLES, Literal("85.5", datatype=XSD.decimal)),
        (
            'celsius has the value "85.5"^^xsd:decimal, which satisfies no condition on its '
            "values: these require xsd:double or xsd:float; read numbers by value "
            '(numbers="by_value"), or write both with datatypes of one kind | numbers that are '
            'not comparable without numbers="by_value": celsius has the value '
            '"85.5"^^xsd:decimal, which satisfies no condition on its values: these require '
            "xsd:double or xsd:float"
        ),
    ),
    "an integer against a threshold of doubles": (
        lambda: pushed(IN_DOUBLES, Literal(85)),
        (
            'celsius has the value "85"^^xsd:integer, which satisfies no condition on its '
            "values: these require xsd:double or xsd:float; read numbers by value "
            '(numbers="by_value"), or write both with datatypes of one kind | numbers that are '
            'not comparable without numbers="by_value": celsius has the value '
            '"85"^^xsd:integer, which satisfies no condition on its values: these require '
            "xsd:double or xsd:float"
        ),
    ),
    "a float against a value": (
        lambda: pushed(VALUE, Literal(80.0)),
        (
            'celsius has the value "80.0"^^xsd:double, which satisfies no condition on its '
            'values: these require decimals; read numbers by value (numbers="by_value"), or '
            "write both with datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": celsius has the value "80.0"^^xsd:double, which satisfies no '
            "condition on its values: these require decimals"
        ),
    ),
    "a float of a property below": (
        lambda: pushed(BELOW, Literal(85.5), of=EX.fahrenheit),
        (
            'fahrenheit has the value "85.5"^^xsd:double, which satisfies no condition on its '
            'values: these require decimals; read numbers by value (numbers="by_value"), or '
            "write both with datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": fahrenheit has the value "85.5"^^xsd:double, which satisfies '
            "no condition on its values: these require decimals"
        ),
    ),
    "doubles and integers of one property": (
        lambda: pushed(RANGE[:31] + " .", Literal(5), Literal(5.0)),
        (
            'celsius has the values "5"^^xsd:integer and "5.0"^^xsd:double, which never equal '
            'one another; read numbers by value (numbers="by_value"), or write both with '
            "datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": celsius has the values "5"^^xsd:integer and "5.0"^^xsd:double, '
            "which never equal one another"
        ),
    ),
    "integers, then doubles, of a functional property": (
        lambda: pushed(
            ":celsius a owl:DatatypeProperty , owl:FunctionalProperty .", Literal(5), Literal(5.0)
        ),
        (
            'celsius has the values "5"^^xsd:integer and "5.0"^^xsd:double, which never equal '
            'one another; read numbers by value (numbers="by_value"), or write both with '
            "datatypes of one kind | numbers that are not comparable without "
            'numbers="by_value": celsius has the values "5"^^xsd:integer and "5.0"^^xsd:double, '
            "which never equal one another | at 1: 1 conflict, 1 assertion removed at 1 s celsius: "
            '"5.0"^^xsd:double replaces "5"^^xsd:integer (at 0); one value allowed'
        ),
    ),
    "a float where the range is decimal": (
        lambda: pushed(RANGE, Literal(85.5)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"85.5"^^xsd:double (at 0); celsius Range xsd:decimal'
        ),
    ),
    "a text where the range is decimal": (
        lambda: pushed(RANGE, Literal("85.5")),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"85.5"^^xsd:string (at 0); celsius Range xsd:decimal'
        ),
    ),
    "a decimal comma": (
        lambda: pushed(RANGE, literal("85,5", XSD.decimal)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"85,5"^^xsd:decimal (at 0); not a valid xsd:decimal'
        ),
    ),
    "a word as a decimal": (
        lambda: pushed(HOT, literal("hot", XSD.decimal)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"hot"^^xsd:decimal (at 0); not a valid xsd:decimal'
        ),
    ),
    "an exponent in a decimal": (
        lambda: pushed(HOT, literal("8.5E1", XSD.decimal)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"8.5E1"^^xsd:decimal (at 0); not a valid xsd:decimal'
        ),
    ),
    "NaN as a decimal": (
        lambda: pushed(HOT, literal("NaN", XSD.decimal)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"NaN"^^xsd:decimal (at 0); not a valid xsd:decimal'
        ),
    ),
    "a byte that is too large": (
        lambda: pushed(HOT, literal("300", XSD.byte)),
        (
            "at 0: 1 conflict, 1 assertion removed at 0 removed: s celsius "
            '"300"^^xsd:byte (at 0); not a valid xsd:byte'
        ),
    ),
    "a mapping to doubles": (
        lambda: table("85.5"),
        (
            'numbers that are not comparable without numbers="by_value": celsius has the value '
            '"85.5"^^xsd:double, which satisfies no condition on its values: these require '
            "decimals"
        ),
    ),
    "a mapping that makes both": (
        lambda: table("85.5", "21.0", datatype="xsd:float"),
        (
            'numbers that are not comparable without numbers="by_value": celsius has the value '
            '"85.5"^^xsd:float, which satisfies no condition on its values: these require '
            "decimals"
        ),
    ),
    "a number by value that is no word of it": (
        Refused(lambda: reasoner(numbers="decimal")),
        ("numbers='decimal' is invalid: expected 'by_datatype' or 'by_value'"),
    ),
    "true for by value": (
        Refused(lambda: reasoner(numbers=True)),
        ("numbers=True is invalid: expected 'by_datatype' or 'by_value'"),
    ),
    "the same for a foundation": (
        Refused(lambda: Foundation.of(ontology(HOT), numbers="value")),
        ("numbers='value' is invalid: expected 'by_datatype' or 'by_value'"),
    ),
    "the same for a graph without time": (
        Refused(lambda: DynamicGraph(ontology(HOT), numbers="value")),
        ("numbers='value' is invalid: expected 'by_datatype' or 'by_value'"),
    ),
    "a facet that is no number": (
        lambda: [ontology(HOT.replace("80", '"high"^^xsd:decimal')).report()],
        (
            "1 axiom: 1 not supported Lost in whole or in part: 1 axiom the value "
            '"high"^^<http://www.w3.org/2001/XMLSchema#decimal> of the facet minInclusive is '
            'not a well-typed literal celsius some xsd:decimal[>= "high"^^xsd:decimal] SubClassOf Hot'
        ),
    ),
    "a facet that is a text": (
        lambda: [ontology(HOT.replace("80", '"80"')).report()],
        (
            '1 axiom: 1 not supported Lost in whole or in part: 1 axiom the limit "80" is not '
            "comparable with the values of decimal "
            'celsius some xsd:decimal[>= "80"] SubClassOf Hot'
        ),
    ),
    "a facet of doubles on decimals": (
        lambda: [ontology(HOT.replace("80", '"80"^^xsd:double')).report()],
        (
            "1 axiom: 1 not supported Lost in whole or in part: 1 axiom the limit "
            '"80.0"^^<http://www.w3.org/2001/XMLSchema#double> is not comparable with the values '
            'of decimal celsius some xsd:decimal[>= "80.0"^^xsd:double] SubClassOf Hot'
        ),
    ),
}


@pytest.mark.parametrize("name", at_least_twenty(MISTAKES))
def test_a_stranger_is_told_what_is_wrong_and_what_to_do(name):
    wrong, expected = MISTAKES[name]
    assert told(wrong) == expected
