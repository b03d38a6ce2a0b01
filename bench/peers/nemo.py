"""Nemo in its process: runs a program with its imports, and returns the facts of each predicate.

Nemo reads its imports while it reasons, so both are one stage; a program without rules measures the import
alone. Facts are read through its Python binding.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from bench.peers.answers import TYPE, Hashes, hashes, triple_digest
from bench.peers.stages import Stages, job

Rows = list[list[Any]]


def main() -> None:
    import nmo_python

    task, stages = job(), Stages()
    text = Path(task["program"]).read_text()
    with stages.timed("import and reason"):
        engine = nmo_python.NemoEngine(nmo_python.load_string(text))
        engine.reason()
    answers: dict[str, Rows] = {}
    with stages.timed("answers"):
        for name in task["predicates"]:
            answers[name] = list(engine.result(name))
    if not task["compare"]:
        stages.print_result(None, rows=sum(map(len, answers.values())))
        return
    numbered = np.load(task["hashes"]) if task["hashes"] else None
    stages.print_result(triple_digest(*columns(answers, task["predicates"], numbered), task["individuals"]))


def columns(answers: dict[str, Rows], predicates: dict[str, str], numbered: Hashes | None) -> list[Hashes]:
    """Return the hashes of subjects, predicates and objects of all answers."""
    subjects: list[Any] = []
    others: list[Any] = []
    middle, is_class = [], []
    for name, rows in answers.items():
        unary = name.startswith("c")
        subjects += [row[0] for row in rows]
        others += [predicates[name]] * len(rows) if unary else [row[1] for row in rows]
        middle += [TYPE if unary else predicates[name]] * len(rows)
        is_class += [unary] * len(rows)
    if numbered is None:
        texts = [subjects, middle, [_text(value) for value in others]]
        return [_hashed(column) for column in texts]
    classes = np.array(is_class)
    objects = np.empty(len(others), np.uint64)
    objects[classes] = _hashed([text for text, unary in zip(others, is_class, strict=True) if unary])
    objects[~classes] = numbered[[value for value, unary in zip(others, is_class, strict=True) if not unary]]
    return [numbered[subjects], _hashed(middle), objects]


def _hashed(texts: list[str]) -> Hashes:
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return hashes(list(places))[[places[text] for text in texts]] if places else np.zeros(0, np.uint64)


def _text(value: Any) -> str:
    """Convert a value of Nemo to a text in N-Triples syntax; strings have this syntax already."""
    if isinstance(value, str):
        return value
    if hasattr(value, "datatype"):
        return f'"{value.value()}"^^<{value.datatype()}>'
    return repr(value)  # a boolean or number from the ontology, which is not compared


if __name__ == "__main__":
    main()
