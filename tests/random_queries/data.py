"""Vocabulary of the queries, and random triples over it."""

from __future__ import annotations

from random import Random

from rdflib import OWL, RDF, XSD, BNode, Literal, Namespace, URIRef

from pantarhei.model.term import Term, Triple
from pantarhei.values.value import value_of

EX = Namespace("urn:x:")
PREFIXES = {"": str(EX), "xsd": str(XSD), "owl": str(OWL)}

NAMES = tuple(EX[name] for name in "abcd")
ELSEWHERE = EX.e  # a name that is never in the data
CLASSES = tuple(EX[name] for name in ("A", "B", "C"))
OBJECT_PROPERTIES = tuple(EX[name] for name in "rst")
DATA_PROPERTIES = tuple(EX[name] for name in "pq")
BLANK_NODES = tuple(BNode(name) for name in ("b1", "b2"))
GRAPHS = (EX.g1, EX.g2)

# Subclasses and subproperties, a transitive and a functional property, disjoint classes: many facts are
# derived, and some are repaired.
ONTOLOGY = """
    @prefix : <urn:x:> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :A rdfs:subClassOf :B . :A owl:disjointWith :C . :r rdfs:subPropertyOf :s . :p a owl:DatatypeProperty ;
    rdfs:subPropertyOf :q . :t a owl:TransitiveProperty, owl:ObjectProperty .
    :q rdfs:domain :B . :s a owl:ObjectProperty ; owl:inverseOf :u .
"""


def literal(text: str, datatype: URIRef | None = None, language: str | None = None) -> Literal:
    """Return a literal with exactly this text, without rdflib's conversion and its warnings."""
    made: Literal = str.__new__(Literal, text)
    made._language, made._datatype, made._value, made._ill_typed = language, datatype, None, None
    return made


# Literals in canonical form, with distinct values.
PLAIN_LITERALS = (
    *(literal(text, XSD.integer) for text in ("0", "1", "2", "3", "-1", "12345678901234567890")),
    *(literal(text, XSD.decimal) for text in ("1.5", "0.1", "-2.25")),
    *(literal(text, XSD.double) for text in ("1.0E0", "1.0E-1", "2.5E0", "1.0E20")),
    *(literal(text, XSD.float) for text in ("1.0E0", "1.0E-1")),
    *(literal(text) for text in ("a", "b", "1", "", "ab c", "é")),
    *(literal(text, language=tag) for text in "ab" for tag in ("en", "de")),
    *(literal(text, XSD.boolean) for text in ("true", "false")),
    *(literal(text, XSD.dateTime) for text in ("2020-01-01T00:00:00Z", "2021-06-30T12:30:15.5Z")),
)
LITERALS = (
    *PLAIN_LITERALS,
    *(literal(text, XSD.integer) for text in ("01", "+1", "007", "-0", "x", "1.0")),
    *(literal(text, datatype) for text in ("1", "2") for datatype in (XSD.byte, XSD.nonNegativeInteger)),
    *(literal(text, XSD.decimal) for text in ("1.0", "1.50", "2", ".1", "1e0")),
    *(literal(text, XSD.double) for text in ("1", "1e0", "NaN", "INF", "-INF", "-0.0", "0", "0.1")),
    *(literal(text, XSD.float) for text in ("1", "0.1", "NaN", "16777216")),
    *(literal(text, XSD.string) for text in ("a", "c")),
    literal("a", language="en-GB"),
    *(literal(text, XSD.boolean) for text in ("1", "0", "maybe")),
    *(
        literal(text, XSD.dateTime)
        for text in ("2020-01-01T01:00:00+01:00", "2020-01-01T00:00:00", "2019-12-31T24:00:00Z", "yesterday")
    ),
    *(literal(text, XSD.date) for text in ("2020-01-01", "2020-01-02", "2020-01-01Z")),
    literal("12:30:00+01:00", XSD.time),
    *(literal(text, XSD.dayTimeDuration) for text in ("PT36H", "P1DT12H", "PT9.5S", "P1M")),
    *(literal(text, XSD.yearMonthDuration) for text in ("P1Y", "P13M")),
    literal("a", XSD.token),
    literal("1/2", OWL.rational),
    *(literal(text, EX.datatype) for text in "ab"),
)


def random_dataset(
    random: Random, *, is_plain: bool = False
) -> tuple[list[Triple], dict[URIRef, list[Triple]]]:
    """Return a default graph of 10 to 60 triples, and the smaller named graphs of `GRAPHS`.

    Args:
        is_plain: true if every value has one lexical form, and no literal is ill-typed or of an unknown
            datatype.
    """
    literals = PLAIN_LITERALS if is_plain else LITERALS
    chosen = random.sample(literals, min(len(literals), random.choice((3, 5, 10, 60))))
    default = _triples(random, max(random.randint(10, 60) for _ in range(2)), chosen)
    return default, {name: _triples(random, random.randint(0, 25), chosen) for name in GRAPHS}


def _triples(random: Random, count: int, literals: list[Literal]) -> list[Triple]:
    """Return triples that differ by value."""
    triples = (_triple(random, literals) for _ in range(count))
    return list({tuple(map(value_of, triple)): triple for triple in triples}.values())


def _triple(random: Random, literals: list[Literal]) -> Triple:
    subject: Term = random.choice((*NAMES, *NAMES, *BLANK_NODES))
    kind = random.random()
    if kind < 0.2:
        return subject, RDF.type, random.choice(CLASSES)
    if kind < 0.6:
        return subject, random.choice(OBJECT_PROPERTIES), random.choice((*NAMES, *NAMES, *BLANK_NODES))
    return subject, random.choice(DATA_PROPERTIES), random.choice(literals)
