"""clingo maintains a repaired window: at each tick it solves anew for the kept facts and the new ones.

The program has a choice for each given fact and a heuristic that prefers the newest, so that the first model
is maximal, newest first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from bench.peers.answers import triple_digest
from bench.peers.nemo import Rows, columns
from bench.peers.stages import Stages, job

Fact = tuple[str, int]


def main() -> None:
    task, stages = job(), Stages()
    program = Path(task["program"]).read_text()
    ticks = json.loads(Path(task["stream"]).read_text())
    kept: dict[Fact, int] = {}
    for tick, rows in enumerate(ticks):
        stage = "timed" if tick >= len(ticks) - task["timed"] else "fill"
        with stages.timed(stage):
            kept = {fact: at for fact, at in kept.items() if at > tick - task["width"]}
            kept.update(((name, subject), tick) for name, subject in rows)
            atoms = kept_facts(program, kept)
            kept = {fact: at for fact, at in kept.items() if fact in atoms}
    names = task["predicates"]
    stages.print_result(
        triple_digest(*columns(consequences(program, kept, names), names, np.load(task["hashes"])))
    )


def kept_facts(program: str, given: dict[Fact, int]) -> set[Fact]:
    """Return the facts kept by the first model."""
    return {
        (symbol.name.removeprefix("kept_"), symbol.arguments[0].number)
        for symbol in _model(program, given)
        if symbol.name.startswith("kept_")
    }


def consequences(program: str, given: dict[Fact, int], names: dict[str, str]) -> dict[str, Rows]:
    """Return all facts that hold if the facts `given`, which are consistent, are kept."""
    answers: dict[str, Rows] = {name: [] for name in names}
    for symbol in _model(program, given):
        if symbol.name in answers:
            answers[symbol.name].append([argument.number for argument in symbol.arguments])
    return answers


def _model(program: str, given: dict[Fact, int]) -> list[Any]:
    import clingo

    control = clingo.Control(["--warn=none", "--heuristic=Domain"])
    facts = "".join(f"given_{name}({subject},{at})." for (name, subject), at in given.items())
    control.add("base", [], program + facts)
    control.ground([("base", [])])
    with control.solve(yield_=True) as handle:
        for model in handle:
            return list(model.symbols(atoms=True))
    raise AssertionError("there is always a model: nothing kept is one")


if __name__ == "__main__":
    main()
