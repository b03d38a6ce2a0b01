"""owlrl in its process: reads ontology and data from Turtle into an rdflib graph and expands it in place."""

from __future__ import annotations

import json
from pathlib import Path

import rdflib

from bench.peers.answers import individuals_digest
from bench.peers.reasonable import text
from bench.peers.stages import Stages, job


def main() -> None:
    import owlrl

    rdflib.NORMALIZE_LITERALS = False
    task, stages = job(), Stages()
    graph = rdflib.Graph()
    with stages.timed("load"):
        graph.parse(task["ontology"], format="turtle")
        graph.parse(task["data"], format="nt")
    with stages.timed("reason"):
        owlrl.DeductiveClosure(owlrl.OWLRL_Semantics).expand(graph)
    texts = (tuple(map(text, triple)) for triple in graph)
    same, surplus = individuals_digest(texts, json.loads(Path(task["individuals"]).read_text()))
    stages.print_result(same, surplus=surplus)


if __name__ == "__main__":
    main()
