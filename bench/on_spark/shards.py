"""CPU of a sharded batch of 48,000 rows on two cores, beside one reasoner that writes the same changes.

800 trucks tell three facts each in each of the 20 seconds of a batch: a state, which is one of two disjoint
classes, and reversed in one of a hundred cases; a speed; and a temperature. Contradictions are repaired,
facts are derived, and they leave a window of ten seconds. Each Parquet file is one batch. The one reasoner
reads the files with pyarrow, and writes its changes as N-Triples terms to Parquet. "Files" are written by
`output=`; "sink" writes the DataFrame of each batch to nowhere. The ways take turns, each in a process of its
own, and their changes are checked to add up to the same facts.

The first half of the batches is not counted: Java compiles.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bench.measuring import Figure, check, figure, ratios
from bench.on_spark.processes import CpuSeconds, run_job

TRUCKS, SECONDS, WINDOW = 800, 20, 10
ROWS = 3 * TRUCKS * SECONDS
TERMS = ("subject", "predicate", "object")
TARGET = 2.5  # times the CPU of one reasoner
_NAME, _INTEGER = "http://example.org/fleet#", "http://www.w3.org/2001/XMLSchema#integer"
_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_ONTOLOGY = """
    @prefix : <http://example.org/fleet#> .
    @prefix owl: <http://www.w3.org/2002/07/owl#> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
    :Moving a owl:Class ; rdfs:subClassOf :Truck ; owl:disjointWith :Parked .
    :Parked a owl:Class ; rdfs:subClassOf :Truck .
    :Truck a owl:Class . :Alarm a owl:Class . :Hot a owl:Class ; rdfs:subClassOf :Alarm .
    :speed a owl:DatatypeProperty . :temperature a owl:DatatypeProperty ; rdfs:domain :Monitored .
    :Monitored a owl:Class .
    [ a owl:Restriction ; owl:onProperty :temperature ; owl:someValuesFrom [
        a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 95 ] ) ] ]
        rdfs:subClassOf :Hot .
"""


def measure(quick: bool) -> Iterator[Figure]:
    """Yield CPU seconds per batch, and their ratios."""
    batches, rounds = (6, 1) if quick else (12, 3)
    used: dict[str, list[dict[str, float]]] = {"one": [], "files": [], "sink": []}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        write_files(Path(folder), batches)
        for _ in range(rounds):
            facts = None
            for way, found in used.items():
                output = run_job(__name__, folder=folder, way=way, batches=batches)
                found.append(output["cpu"])
                if output["facts"] is not None:
                    check(f"facts, {way}", output["facts"], facts or output["facts"])
                    facts = output["facts"]
    where = f"sharded batch of {ROWS:,} rows"
    for way, found in used.items():
        for kind in ("java", "workers", "driver") if way != "one" else ("driver",):
            yield figure(where, f"{way}, CPU of {kind}", [each[kind] for each in found], "s")
    total = {way: [sum(each.values()) for each in found] for way, found in used.items()}
    for way in ("files", "sink"):
        times = ratios(total[way], total["one"])
        yield figure(where, f"{way} : one reasoner", times, "times", at_most=TARGET)


def write_files(folder: Path, batches: int) -> None:
    """Write a Parquet file for each batch, with ascending times of change, by which Spark orders them."""
    (folder / "in").mkdir()
    for batch in range(batches):
        path = folder / "in" / f"{batch:03}.parquet"
        pq.write_table(_table(batch), path)
        os.utime(path, (1e9 + batch, 1e9 + batch))


def _table(batch: int) -> pa.Table:
    columns: list[list[Any]] = [[], [], [], []]
    names = [f"<{_NAME}truck{truck}>" for truck in range(TRUCKS)]
    for at in range(batch * SECONDS, (batch + 1) * SECONDS):
        for truck, name in enumerate(names):
            moves = (truck // 7 + at // 30) % 3 > 0
            if (truck * 7919 + at * 104_729) % 100 == 0:
                moves = not moves
            speed, heat = (at * 3 + truck) % 90 if moves else 0, 60 + (truck * 31 + at) % 40
            columns[0] += [at] * 3
            columns[1] += [name] * 3
            columns[2] += [_TYPE, f"<{_NAME}speed>", f"<{_NAME}temperature>"]
            columns[3] += [f"<{_NAME}{'Moving' if moves else 'Parked'}>"]
            columns[3] += [f'"{value}"^^<{_INTEGER}>' for value in (speed, heat)]
    return pa.table(columns, names=["timestamp", *TERMS])


# -- job in a process of its own -----------------------------------------------------------------------------


_Done = tuple[list[dict[str, float]], list[Path]]  # CPU seconds of each batch, and the files of changes


def job(folder: str, way: str, batches: int) -> dict[str, Any]:
    """Return the CPU seconds per batch by kind of process, and the number of facts that hold at the end."""
    with tempfile.TemporaryDirectory(prefix="bench-") as made:
        run = _one_reasoner if way == "one" else _shards
        used, paths = run(Path(folder) / "in", Path(made), batches, way)
        later = used[len(used) // 2 :]
        cpu = {kind: sum(each[kind] for each in later) / len(later) for kind in later[0]}
        return {"cpu": cpu, "facts": None if way == "sink" else _facts(paths)}


def _facts(paths: list[Path]) -> int:
    """Return the number of facts whose changes add up to 1."""
    total: Counter[tuple[Any, ...]] = Counter()
    for path in paths:
        table = pq.read_table(path)
        for *terms, change in zip(*(table[name].to_pylist() for name in (*TERMS, "change")), strict=True):
            total[tuple(terms)] += change
    return sum(number == 1 for number in total.values())


def _one_reasoner(
    given: Path, made: Path, batches: int, way: str
) -> tuple[list[dict[str, float]], list[Path]]:
    import pantarhei as pr
    from pantarhei.rdf.ntriples import write_term

    reasoner = pr.StreamReasoner(_ontology(), pr.Window(WINDOW))
    used = []
    for path in sorted(given.iterdir()):
        before = time.process_time()
        table, rows = pq.read_table(path), list[tuple[Any, ...]]()
        times = table["timestamp"].to_numpy()
        bounds = [0, *(np.flatnonzero(np.diff(times)) + 1).tolist(), len(times)]
        for start, end in pairwise(bounds):
            update = reasoner.push(int(times[start]), table.slice(start, end - start).select(TERMS))
            for facts, change in ((update.delta.removed, -1), (update.delta.added, 1)):
                rows += [(update.at, *map(write_term, fact), change) for fact in facts]
        columns = list(map(list, zip(*rows, strict=True)))
        pq.write_table(pa.table(columns, ["at", *TERMS, "change"]), made / path.name)
        used.append({"driver": time.process_time() - before})
    assert len(used) == batches
    return used, sorted(made.iterdir())


def _shards(given: Path, made: Path, batches: int, way: str) -> _Done:
    import pantarhei as pr
    from pantarhei.spark import reason_stream, session

    spark = session("local[2]")
    schema = "timestamp long, subject string, predicate string, object string"
    stream = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(given))
    marks = [CpuSeconds.now()]
    results: dict[str, Any] = {"output": str(made / "out")}
    if way == "sink":
        results = {"sink": lambda rows, batch: rows.write.format("noop").mode("overwrite").save()}
    query = reason_stream(
        stream,
        _ontology(),
        pr.Window(WINDOW),
        shard_by="subject",
        streaming=_streamed(),
        checkpoint=str(made / "checkpoint"),
        trigger={"availableNow": True},
        on_batch=lambda report: marks.append(CpuSeconds.now()),
        **results,
    )
    query.await_termination()
    spark.stop()
    used = [now.since(before)._asdict() for before, now in pairwise(marks)][:batches]
    return used, sorted((made / "out").rglob("*.parquet"))


def _ontology() -> Any:
    from rdflib import Graph

    import pantarhei as pr

    return pr.load_ontology(Graph().parse(data=_ONTOLOGY, format="turtle"), strict=True)


def _streamed() -> list[Any]:
    from rdflib import URIRef

    return [URIRef(_NAME + name) for name in ("Moving", "Parked", "speed", "temperature")]
