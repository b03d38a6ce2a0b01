"""reasonable in its process: reads ontology and data from Turtle, and returns all triples as rdflib's terms.

Its `reason` returns the derived triples as Python objects, so that reasoning and conversion are one stage.
"""

from __future__ import annotations

import json
from pathlib import Path

from rdflib import XSD, Literal, URIRef
from rdflib.term import Node

from bench.peers.answers import individuals_digest
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
    same, surplus = individuals_digest(texts, json.loads(Path(task["individuals"]).read_text()))
    stages.print_result(same, surplus=surplus)


def text(term: Node) -> str:
    """Return a term in N-Triples syntax; strings with and without xsd:string are equal, as in RDF 1.1."""
    if isinstance(term, URIRef):
        return f"<{term}>"
    if isinstance(term, Literal) and term.datatype == XSD.string:
        return Literal(str(term)).n3()
    return term.n3()  # type: ignore[attr-defined, no-any-return]


if __name__ == "__main__":
    main()
