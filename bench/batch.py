"""Batch reasoning: materialize all facts at once, compared with other reasoners.

The data are the university ontology with 0.1 and 1 million generated triples, and Brick 1.4 with a campus of
0.1 million triples.

- in ids: our facts are integer ids in memory. Nemo gets the same integers as CSV, one file per predicate, and
  our rules. Nemo's import without rules is measured too; the difference is its reasoning time.
- end to end: from one N-Quads file to facts that can be queried. Nemo splits quads into predicates by its own
  rules. These rules are generated beforehand, so reading the ontology is not part of Nemo's time.
- reasonable and owlrl read ontology and data from Turtle. They do not support chains, or deviate from the
  standard in keys and inverse functional properties, so these axioms are removed for them and for us.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from rdflib import OWL, RDF, Graph

from bench.cases import Case, NemoCase
from bench.dataset import buildings, universities
from bench.measuring import SEED, Figure, remark
from bench.peers.process import TITLES, Job, Outcome, figure_of, ratio_of, run_in_turn

ROOT = Path(__file__).resolve().parents[1]
UNIVERSITY = ROOT / "ontologies" / "university.ttl"
LEFT_OUT = (OWL.propertyChainAxiom, OWL.hasKey)

Runs = dict[str, Outcome]


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the figures of all sizes. A peer takes part up to the size that it finishes in a few minutes."""
    with TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        for triples in (20_000,) if quick else (100_000, 1_000_000):
            yield from _against_nemo(_university(triples, folder), 2 if quick else 3, triples > 100_000)
        for triples in (20_000,) if quick else (100_000, 250_000):
            # needs more than 22 GB for a million triples
            aim = 20.0 if triples == 250_000 else None
            yield from _against_graph_reasoners(_university(triples, folder), "reasonable", 2, aim)
        small = 2_000 if quick else 10_000
        yield from _against_graph_reasoners(_university(small, folder), "owlrl", 1)
        path = brick_file()
        if path is None:
            yield remark("batch, Brick", "left out: the package brickschema is not installed")
            return
        campus = buildings(10_000 if quick else 100_000, SEED)
        case = Case(f"batch, Brick {_short(len(campus.rows))}", path, campus, folder)
        yield from _against_nemo(case, 2 if quick else 3, False)
        yield from _against_graph_reasoners(case, "reasonable", 1 if quick else 2)


def _university(triples: int, folder: Path) -> Case:
    return Case(f"batch, university {_short(triples)}", UNIVERSITY, universities(triples, SEED), folder)


def brick_file() -> Path | None:
    """Return the file of Brick 1.4, or None if its package is not installed."""
    package = find_spec("brickschema")
    if package is None or package.origin is None:
        return None
    return Path(package.origin).parent / "ontologies" / "1.4" / "Brick.ttl"


def _short(count: int) -> str:
    return f"{round(count, -3) / 1e6:.1f} M" if count >= 1_000_000 else f"{round(count, -3) // 1000} k"


# -- Nemo ----------------------------------------------------------------------------------------------------


def _against_nemo(case: Case, rounds: int, large: bool) -> Iterator[Figure]:
    alone, ids, file = NemoCase(case).jobs()
    task = {"ontology": str(case.path), **case.files}
    ours = Job("pantarhei", "ids", {**task, "way": "ids"}), Job("pantarhei", "file", {**task, "way": "file"})
    runs: Runs = {}
    yield from _run_jobs(case, [ours[0], ids, alone, ours[1], file], rounds, runs)
    brick = "Brick" in case.name
    yield from _in_ids(case.name, runs, large, brick)
    yield from _end_to_end(case.name, runs, large, brick)


def _run_jobs(case: Case, jobs: Sequence[Job], rounds: int, runs: Runs) -> Iterator[Figure]:
    """Run the jobs in turn. Outcomes are added to `runs`; a job that cannot run yields a remark with the
    reason.
    """
    for job, outcome in run_in_turn(case.name, jobs, rounds, case.folder):
        if isinstance(outcome, Outcome):
            runs[job.name] = outcome
        else:
            yield remark(case.name, f"{job.name}: {outcome}")


def _in_ids(workload: str, runs: Runs, large: bool, brick: bool) -> Iterator[Figure]:
    ours = runs["ids"]
    mine = ours.seconds("reason"), ours.wall_seconds("reason")
    yield Figure(workload, "facts", ours.found[0], "facts")
    limit = 0.7 if large else None
    columns = ours.seconds("by column"), ours.wall_seconds("by column")
    yield figure_of(workload, "in ids: pantarhei, closed by column", *columns)
    yield _with_limit(figure_of(workload, "in ids: pantarhei, in a window model", *mine), limit)
    again = ours.seconds("reason again"), ours.wall_seconds("reason again")
    yield figure_of(workload, "in ids: pantarhei, in another window model after it", *again)
    if "Nemo, ids" not in runs or "Nemo, import" not in runs:
        return
    whole, alone = runs["Nemo, ids"], runs["Nemo, import"]
    stage = "import and reason"
    theirs = whole.seconds(stage), whole.wall_seconds(stage)
    imported = alone.seconds(stage), alone.wall_seconds(stage)
    reasoned = tuple(
        [a - b for a, b in zip(*pair, strict=True)] for pair in zip(theirs, imported, strict=True)
    )
    yield figure_of(workload, "in ids: Nemo, with its import of numbers", *theirs)
    yield figure_of(workload, "in ids: Nemo, the import alone", *imported)
    aim = 4.0 if brick else 5.0 if large else None
    without = reasoned[0], reasoned[1]
    for way, own in ((", closed by column", columns), (", in a window model", mine)):
        yield ratio_of(workload, f"in ids, Nemo with its import : pantarhei{way}", theirs, own, aim)
        yield ratio_of(workload, f"in ids, Nemo without its import : pantarhei{way}", without, own)


def _end_to_end(workload: str, runs: Runs, large: bool, brick: bool) -> Iterator[Figure]:
    ours, stage = runs["file"], "read and reason"
    mine = ours.seconds(stage), ours.wall_seconds(stage)
    limit = 3.0 if large else None
    yield _with_limit(figure_of(workload, "end to end: pantarhei", *mine), limit)
    loaded = ours.seconds("ontology"), ours.wall_seconds("ontology")
    yield figure_of(workload, "end to end: pantarhei, the ontology before", *loaded)
    both = ours.seconds("ontology", stage), ours.wall_seconds("ontology", stage)
    if brick:
        yield _with_limit(figure_of(workload, "end to end: pantarhei, both", *both), 2.0)
    answers = ours.seconds("answers"), ours.wall_seconds("answers")
    yield figure_of(workload, "answers out as rdflib triples: pantarhei", *answers)
    yield Figure(workload, "end to end: pantarhei, memory", max(ours.megabytes), "MB")
    if "Nemo, file" not in runs:
        return
    theirs = runs["Nemo, file"]
    nemo = theirs.seconds("import and reason"), theirs.wall_seconds("import and reason")
    yield figure_of(workload, "end to end: Nemo, rules ready made", *nemo)
    out = theirs.seconds("answers"), theirs.wall_seconds("answers")
    yield figure_of(workload, "answers out as Python values: Nemo", *out)
    yield Figure(workload, "end to end: Nemo, memory", max(theirs.megabytes), "MB")
    yield ratio_of(
        workload, "end to end, Nemo : pantarhei", nemo, mine, 1.0 if large else 4.0 if brick else None
    )


def _with_limit(figure: Figure, at_most: float | None) -> Figure:
    return replace(figure, at_most=at_most)


# -- reasonable and owlrl ------------------------------------------------------------------------------------


def _against_graph_reasoners(
    case: Case, peer: str, rounds: int, at_least: float | None = None
) -> Iterator[Figure]:
    """Compare with reasoners on RDF graphs: the ontology is part of their input, its consequences part of
    their output.
    """
    ontology, data = case.file("reduced.ttl"), case.file("data.ttl")
    _write_reduced(case.path, ontology)
    case.data.write_ntriples(data)
    task = {"ontology": str(ontology), "data": str(data), **case.files}
    jobs = [
        Job("pantarhei", "ids", {**task, "way": "ids"}),
        Job("pantarhei", "file", {**task, "way": "file"}),
        Job(peer, peer, task),
    ]
    runs: Runs = {}
    yield from _run_jobs(case, jobs, rounds, runs)
    if peer not in runs:
        return
    theirs, title = runs[peer], TITLES[peer]
    whole = theirs.seconds(), theirs.wall_seconds()
    reasoned = theirs.seconds("reason"), theirs.wall_seconds("reason")
    yield figure_of(case.name, f"{title}, load and reason", *whole)
    yield figure_of(case.name, f"{title}, reason alone", *reasoned)
    mine = runs["ids"].seconds("reason"), runs["ids"].wall_seconds("reason")
    stages = "ontology", "read and reason"
    file = runs["file"].seconds(*stages), runs["file"].wall_seconds(*stages)
    yield figure_of(case.name, f"pantarhei in ids, as {title}", *mine)
    yield figure_of(case.name, f"pantarhei end to end, as {title}", *file)
    yield ratio_of(case.name, f"{title}, reason alone : pantarhei in ids", reasoned, mine, at_least)
    yield ratio_of(case.name, f"{title}, load and reason : pantarhei end to end", whole, file)
    for kind, count in theirs.notes["surplus"].items():
        yield Figure(case.name, f"{title}: left out of the comparison, {kind}", count, "triples")


def _write_reduced(path: Path, to: Path) -> None:
    """Write the ontology without the axioms that these peers do not support. Larger ontologies are copied
    unchanged.
    """
    if path != UNIVERSITY:
        to.write_bytes(path.read_bytes())
        return
    graph = Graph().parse(path)
    for triple in list(graph):
        if triple[1] in LEFT_OUT or triple[1:] == (RDF.type, OWL.InverseFunctionalProperty):
            graph.remove(triple)
    graph.serialize(to, format="turtle")
