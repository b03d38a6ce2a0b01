"""Files and functions visited by one action, and its moves between rooms: `python -m bench.walks`.

A reader who follows an action through the code opens these files. Calls of Python functions in
`src/pantarhei` are counted; the compiled kernel is not traced. A move is a call into another room than that
of the last call; the modules at the root of the package are one room.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from rdflib import OWL, RDF, RDFS, Graph, Literal, Namespace

import pantarhei as pr

EX = Namespace("http://example.org/walks#")
PACKAGE = str(Path(pr.__file__).parent) + "/"
ONTOLOGY = f"""
    @prefix : <{EX}> . @prefix owl: <{OWL}> . @prefix rdfs: <{RDFS}> .
    :Hot rdfs:subClassOf :Reading . :Cold rdfs:subClassOf :Reading . :Hot owl:disjointWith :Cold .
    :in a owl:ObjectProperty ; rdfs:domain :Reading .
"""
Walk = tuple[str, int, int, int, int]


def walk(name: str, action: Callable[[], Any]) -> Walk:
    """Run an action; return its name, and the numbers of files, functions, calls and moves between rooms."""
    functions: set[CodeType] = set()
    rooms: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        path = frame.f_code.co_filename
        if event == "call" and path.startswith(PACKAGE):
            functions.add(frame.f_code)
            folder, _, file = path.removeprefix(PACKAGE).partition("/")
            rooms.append(folder if file else "")

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    moves = sum(before != after for before, after in pairwise(rooms))
    return name, len({code.co_filename for code in functions}), len(functions), len(rooms), moves


def reasoner(**options: Any) -> pr.StreamReasoner:
    """Return a reasoner with a window of five ticks that holds some readings."""
    made = pr.StreamReasoner(
        pr.load_ontology(Graph().parse(data=ONTOLOGY)),
        pr.Window(range=5),
        background=[(EX.lab, RDF.type, EX.Room)],
        **options,
    )
    for at in range(4):
        made.push(at, reading(at))
    return made


def reading(at: int, kind: str = "Hot") -> list[tuple[Any, Any, Any]]:
    return [
        (EX[f"r{at}"], RDF.type, EX[kind]),
        (EX[f"r{at}"], EX["in"], EX.lab),
        (EX[f"r{at}"], EX.value, Literal(at)),
    ]


def walks() -> Iterator[Walk]:
    """Yield the counts of each action. A similar action runs before it, so that caches are filled."""
    pushed = reasoner()
    yield walk("push", lambda: pushed.push(4, reading(4)))
    pushed.push(5, reading(4, "Cold"))
    yield walk("push with a cut", lambda: pushed.push(6, reading(3, "Cold")))

    text = f"SELECT ?r {{ ?r a <{EX.Hot}> ; <{EX['in']}> ?room }}"
    list(pushed.query(text))
    yield walk("query", lambda: list(pushed.query(text.replace("?r ", "?s "))))

    registered = reasoner()
    registered.register(text)
    registered.push(4, reading(4))
    yield walk(
        "change of a registered query",
        lambda: next(iter(registered.push(5, reading(5)).answers.values())).added,
    )

    rules = pr.load_rules(f"@prefix : <{EX}> . warm(R) :- :Hot(R) in [2].")
    temporal = reasoner(temporal=rules)
    temporal.push(4, reading(4))
    yield walk("temporal event", lambda: temporal.push(5, reading(5)).conclusions)

    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder, "t.csv")
        table.write_text("at,id,value\n1,a,2\n")
        po = [["a", "ex:Hot"], ["ex:value", "$(value)", "xsd:integer"]]
        mapping = {
            "prefixes": {"ex": str(EX)},
            "time": {"column": "at", "unit": "number"},
            "mappings": {"row": {"s": "ex:$(id)", "po": po}},
        }
        list(pr.read_records(table, mapping))
        yield walk("CSV row", lambda: list(pr.read_records(table, mapping)))

    stream = [(at, reading(at)) for at in range(6)]
    report = f"SELECT ?r FROM STREAM <{EX.s}> [RANGE 4 STEP 2] {{ ?r a <{EX.Hot}> }}"
    ontology = pr.load_ontology(Graph().parse(data=ONTOLOGY))
    pr.register(report, ontology, streams={EX.s: stream})
    yield walk("registering a stream's text", lambda: pr.register(report, ontology, streams={EX.s: stream}))
    ready = pr.register(report, ontology, streams={EX.s: stream})
    yield walk("running it", lambda: list(ready.run()))


if __name__ == "__main__":
    print(f"{'':32}{'files':>7}{'functions':>11}{'calls':>8}{'moves':>7}")
    for name, files, functions, calls, moves in walks():
        print(f"{name:32}{files:7}{functions:11}{calls:8}{moves:7}")
