"""Terms come back as they were written."""

import contextlib

from rdflib import RDF, XSD, BNode, Literal, URIRef

from checkpoints import (
    COLUMNS,
    ODD,
    with_column,
)
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import CheckpointError
from strategies import EX

LITERALS = [
    Literal("plain"), Literal("plain", datatype=XSD.string), Literal("tagged", lang="EN-us"), Literal(""),
    Literal(1), Literal("01", datatype=XSD.integer, normalize=False), Literal("x", datatype=XSD.integer),
    Literal("<a/>", datatype=RDF.XMLLiteral), Literal("t", datatype=EX.unknown), Literal("\x00 𝒳"),
    Literal("2026-01-01T00:00:00Z", datatype=XSD.dateTime), Literal("9" * 5000, datatype=XSD.integer),
    Literal("a b", datatype=XSD.token),
]  # fmt: skip


def test_terms_come_back_as_they_were_written():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9), repair="off")
    odd = [URIRef("http://example.org/ü "), BNode("a b"), URIRef("")]
    for at, value in enumerate(LITERALS):
        reasoner.push(at, [(odd[at % 3], URIRef(f"urn:p{at}"), value)])
    restored = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology)
    written = [
        {
            (
                at,
                *t,
                type(t[2]),
                getattr(t[2], "language", None),
                None if t[2].datatype == RDF.XMLLiteral else t[2].value,
            )
            for at, t in r.assertions()
        }
        for r in (restored, reasoner)
    ]
    assert written[0] == written[1]


def test_a_term_of_another_kind_is_refused_or_gives_a_reasoner_that_works():
    marks = COLUMNS["facts.mark"]
    for place in range(len(marks)):
        for mark in set(marks.tolist()) - {marks[place]}:
            other = marks.copy()
            other[place] = mark
            with contextlib.suppress(CheckpointError):
                StreamReasoner.restore(with_column("facts.mark", other), ODD).materialization()
