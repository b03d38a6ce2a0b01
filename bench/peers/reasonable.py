"""reasonable in its process: ontology and data from Turtle; all triples out, as rdflib's terms.

Its `reason` gives the triples it found as Python objects; there is no way to have one without the other.
"""

from __future__ import annotations

import json
from pathlib import Path

from rdflib import XSD, Literal, URIRef
from rdflib.term import Node

from bench.peers.answers import on_individuals
from bench.peers.stages import Stages, job


def main() -> None:
    import reasonable

    task, stages = job(), Stages()
    reasoner = reasonable.PyReasoner()
    with stages.timed("load"):
        reasoner.load_file(task["ontology"])
        reasoner.load_file(task["data"])
    with stages.timed("reason"):
        triples = reasoner.reason()
    texts = (tuple(map(text, triple)) for triple in triples)
    same, surplus = on_individuals(texts, json.loads(Path(task["individuals"]).read_text()))
    stages.tell(same, surplus=surplus)


def text(term: Node) -> str:
    """A term in N-Triples syntax; RDF 1.1 has no difference between a string with its type and without."""
    if isinstance(term, URIRef):
        return f"<{term}>"
    if isinstance(term, Literal) and term.datatype == XSD.string:
        return Literal(str(term)).n3()
    return term.n3()  # type: ignore[attr-defined, no-any-return]


if __name__ == "__main__":
    main()
