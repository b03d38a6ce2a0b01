"""clingo in its process: at each tick it grounds and solves the reports of the window anew."""

from __future__ import annotations

from bench.peers.stages import Stages, job


def main() -> None:
    import clingo

    task, stages = job(), Stages()
    texts = [
        "".join(f"{task['report']}({','.join(map(str, row))},{tick})." for row in rows)
        for tick, rows in enumerate(task["stream"])
    ]
    counts = []
    with stages.timed("ticks"):
        for now in range(len(texts)):
            first = max(0, now - task["window"])
            control = clingo.Control(["--warn=none", "-c", f"now={now}", "-c", f"k={now - first + 1}"])
            control.add("base", [], task["program"] + "".join(texts[first : now + 1]))
            control.ground([("base", [])])
            with control.solve(yield_=True) as models:
                counts.append(len(next(iter(models)).symbols(shown=True)))
    stages.print_result(counts)


if __name__ == "__main__":
    main()
