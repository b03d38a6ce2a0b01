"""This engine in a process like those of its peers.

`ids`: the facts are integers in memory before the clock starts. They are materialized column by column, the
first stage of a model with so many facts; then a new model adds background and facts, once in fresh memory of
the process, and once again in reused memory. `file`: from an ontology and an N-Quads file to a window that
can be queried, including constraints and repair.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

import pantarhei as pr
from bench.engine import OpenReasoner
from bench.peers.answers import TYPE, TripleDigest, hashes, triple_digest
from bench.peers.stages import Stages, job
from pantarhei.encoding.encode import encode_abox
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk.evaluation import BulkProgram
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_


def main() -> None:
    task, stages = job(), Stages()
    way: Callable[[dict[str, Any], Stages], tuple[Vocabulary, WindowModel]] = {
        "ids": _by_ids,
        "file": _by_file,
    }[task["way"]]
    vocabulary, model = way(task, stages)
    stages.print_result(facts_digest(vocabulary, model.facts(), task["individuals"]))


def _by_ids(task: dict[str, Any], stages: Stages) -> tuple[Vocabulary, WindowModel]:
    ontology = pr.load_ontology(task["ontology"], imports="skip")
    program = compile_(ontology.rules)
    vocabulary = Vocabulary(program)
    background = vocabulary.encode(ontology.background).facts
    with pa.OSFile(task["table"]) as file:
        facts = encode_abox(vocabulary, pa.ipc.open_file(file).read_all(), "b").facts
    everything = np.concatenate([background, facts])
    with stages.timed("by column"):
        came = (
            BulkProgram(program.plans)
            .closure({}, everything, np.zeros(len(everything), np.int32), vocabulary)
            .came
        )
    for stage in ("reason", "reason again"):
        model = None  # releases its memory for reuse
        with stages.timed(stage):
            model = WindowModel(program, "newest", vocabulary)
            model.add_background(background)
            model.add(facts, 0)
    if came != len(model):
        raise AssertionError(f"{came} facts by column, {len(model)} in the model")
    return vocabulary, model


def _by_file(task: dict[str, Any], stages: Stages) -> tuple[Vocabulary, WindowModel]:
    with stages.timed("ontology"):
        ontology = pr.load_ontology(task["ontology"], imports="skip")
    with stages.timed("read and reason"):
        reasoner = OpenReasoner(ontology, pr.Window(range=0))
        repairs = [len(update.repair.conflicts) for update in reasoner.run(pr.read_stream(task["stream"]))]
    if any(repairs) or len(repairs) != 1:
        raise AssertionError(f"one time without contradictions was expected: {repairs}")
    with stages.timed("answers"):
        reasoner.materialization()
    return reasoner.vocabulary, reasoner.model


def facts_digest(vocabulary: Vocabulary, facts: np.ndarray, individuals: str | None) -> TripleDigest:
    """Return the digest of facts as triples. Each term is serialized once."""
    subjects, predicates, objects = _texts(vocabulary, facts)
    (types,) = hashes([TYPE])
    is_class = facts[:, 2] < 0
    symbol = hashes(predicates[0])[predicates[1]]
    other = np.zeros(len(facts), np.uint64)
    other[is_class] = symbol[is_class]
    other[~is_class] = hashes(objects[0])[objects[1]]
    symbol[is_class] = types
    return triple_digest(hashes(subjects[0])[subjects[1]], symbol, other, individuals)


_Column = tuple[list[str], np.ndarray]


def _texts(vocabulary: Vocabulary, facts: np.ndarray) -> tuple[_Column, _Column, _Column]:
    """Return distinct subjects, symbols and objects, each with its index for every fact; only properties have
    objects.
    """

    def column(of: np.ndarray, place: int) -> _Column:
        _, first, codes = np.unique(of[:, place], return_index=True, return_inverse=True)
        triples = list(vocabulary.decode(of[first]))
        ours = {1: 0, 2: 2}
        if place in ours:
            return [triple[ours[place]].n3() for triple in triples], codes
        classes = (of[first, 2] < 0).tolist()
        return [t[2 if is_class else 1].n3() for t, is_class in zip(triples, classes, strict=True)], codes

    return column(facts, 1), column(facts, 0), column(facts[facts[:, 2] >= 0], 2)


if __name__ == "__main__":
    main()
