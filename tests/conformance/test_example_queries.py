"""The queries of the examples, answered over the window as pyoxigraph answers them over a copy of it.

LUBM's fourteen are asked over a university, the sensors' twenty over twelve minutes of a building.
"""

from __future__ import annotations

import io
import re
import runpy
from collections import Counter
from pathlib import Path

import pyoxigraph
import pytest
from rdflib import XSD, Graph, Literal

import pantarhei as pr
from pantarhei.query import timestamp_graph
from pantarhei.rdf.ntriples import to_rdflib, write_term
from university import ONTOLOGY, University

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
NUMBERS = {XSD.integer, XSD.decimal, XSD.double}
SENSORS, MINUTES = 32, 12


def queries(example):
    return [pytest.param(path.read_text("utf-8"), id=path.stem) for path in folder(example).glob("*.rq")]


def folder(example):
    return EXAMPLES / example / "queries"


@pytest.fixture(scope="module")
def university():
    """Its reasoner and a copy."""
    reasoner = pr.StreamReasoner(pr.load_ontology(ONTOLOGY), pr.Window(range=1))
    reasoner.push(0, University(seed=10, universities=1, departments=1).triples)
    return reasoner, copy_of(reasoner)


@pytest.fixture(scope="module")
def building():
    """The reasoner of its sensors, and a copy."""
    lines, stream = runpy.run_path(str(EXAMPLES / "sensors" / "generate.py"))["generate"](
        sensors=SENSORS, minutes=MINUTES
    )
    nquads = "\n".join(line for _, minute in stream for line in minute)
    reasoner = pr.StreamReasoner(
        pr.load_ontology(ROOT / "ontologies" / "sensors.ttl"),
        pr.Window(range=f"PT{MINUTES}M", closed="right"),
        background=Graph().parse(data="\n".join(lines), format="turtle"),
    )
    for at, triples in pr.read_stream(io.BytesIO(nquads.encode()), format="nquads"):
        reasoner.push(at, triples)
    return reasoner, copy_of(reasoner)


def copy_of(reasoner):
    """The materialization in a store of pyoxigraph's, and the newest interpretation as its named graph."""
    store, last = pyoxigraph.Store(), reasoner.timestamps[-1]
    load(store, reasoner.materialization(), pyoxigraph.DefaultGraph())
    load(store, reasoner.interpretation(last), pyoxigraph.NamedNode(timestamp_graph(last)))
    return store


def load(store, triples, graph):
    lines = "".join(f"{' '.join(map(write_term, triple))} .\n" for triple in triples)
    store.load(lines.encode(), pyoxigraph.RdfFormat.N_TRIPLES, to_graph=graph)


def bag(rows):
    """The rows with their numbers; of a number its value counts."""
    return Counter(row if isinstance(row, bool) else tuple(map(comparable, row)) for row in rows)


def comparable(term):
    if isinstance(term, Literal) and term.datatype in NUMBERS:
        return f"{float(term):.9g}"
    return None if term is None else term.n3()


def asked(store, text):
    """pyoxigraph's answer as rdflib's terms."""
    found = store.query(text)
    if isinstance(found, pyoxigraph.QueryBoolean):
        return [bool(found)]
    return [tuple(None if term is None else to_rdflib(term) for term in row) for row in found]


@pytest.mark.parametrize("text", queries("university"))
def test_lubms_queries_are_answered_as_pyoxigraph_answers_them(university, text):
    reasoner, store = university
    # here who and what is in a department is named after it
    text = re.sub(r":((academic|course)0)\b", r":department0-\1", text)
    expected = bag(asked(store, text))
    assert expected
    assert bag(reasoner.query(text)) == expected


@pytest.mark.parametrize("text", queries("sensors"))
def test_the_queries_about_sensors_are_answered_as_pyoxigraph_answers_them(building, text):
    reasoner, store = building
    expected = bag(asked(store, text))
    assert expected
    assert bag(reasoner.query(text)) == expected


def test_there_are_fourteen_and_twenty():
    assert (len(queries("university")), len(queries("sensors"))) == (14, 20)
