"""clingo in its process: grounds and solves a program with its facts, and returns the atoms of each
predicate.
"""

from __future__ import annotations

import numpy as np

from bench.peers.answers import triple_digest
from bench.peers.nemo import Rows, columns
from bench.peers.stages import Stages, job


def main() -> None:
    import clingo

    task, stages = job(), Stages()
    control = clingo.Control(["--warn=none"])
    with stages.timed("import and reason"):
        control.load(task["program"])
        control.ground([("base", [])])
        control.solve()
    answers: dict[str, Rows] = {}
    with stages.timed("answers"):
        for name in task["predicates"]:
            atoms = control.symbolic_atoms.by_signature(name, 1 if name.startswith("c") else 2)
            answers[name] = [[argument.number for argument in atom.symbol.arguments] for atom in atoms]
    stages.print_result(triple_digest(*columns(answers, task["predicates"], np.load(task["hashes"]))))


if __name__ == "__main__":
    main()
