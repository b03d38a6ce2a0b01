"""Tables as streams: from CSV and Parquet to terms and ids, compared with pandas reading the same file.

The data are readings of a thousand sensors, one per sensor and minute, with a value of one decimal: two
triples per row. Before anything is measured, the triples read are compared with the rows written. Memory is
compared between a process that reads a table and one that reads a table four times as long.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.csv
import pyarrow.parquet

import pantarhei as pr
from bench.measuring import SEED, Figure, check, cpu_seconds, figure
from pantarhei.encoding.encode import encode_abox

ROOT = Path(__file__).resolve().parents[1]
SENSORS = 1_000
START = datetime(2026, 3, 2, tzinfo=UTC)
MAPPING = {
    "prefixes": {"ex": "http://example.org/"},
    "time": {"column": "time"},
    "mappings": {
        "sensor": {"s": "ex:$(sensor)", "po": [["a", "ex:Sensor"], ["ex:sees", "$(value)", "xsd:decimal"]]}
    },
}
_PEAK = """
import sys, pantarhei as pr
from bench.memory import peak_megabytes
from bench.tables import MAPPING
for abox in pr.read_records(sys.argv[1], MAPPING):
    pass
print(peak_megabytes())
"""


def measure(quick: bool) -> Iterator[Figure]:
    """Yield the figures of CSV and Parquet."""
    height, rounds = (100_000, 2) if quick else (500_000, 5)
    ontology = pr.load_ontology(ROOT / "ontologies" / "sensors.ttl")
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = _write(Path(folder), "readings", height)
        _check(csv, height)
        for path, read, at_most in ((csv, pd.read_csv, 2.0), (parquet, pd.read_parquet, 1.0)):
            ways: dict[str, Callable[[], object]] = {
                "to terms": lambda path=path: sum(
                    len(abox.triples) for abox in pr.read_records(path, MAPPING)
                ),  # type: ignore[misc]
                "to ids": lambda path=path: _to_ids(ontology, path, height),  # type: ignore[misc]
                "pandas": lambda path=path, read=read: len(read(path)),  # type: ignore[misc]
            }
            samples: dict[str, list[float]] = {way: [] for way in ways}
            for _ in range(rounds):
                for way, work in ways.items():
                    samples[way].append(cpu_seconds(work) / height * 1e6)
            workload = f"tables, {height:,} rows, {path.suffix[1:]}"
            for way, each in samples.items():
                yield figure(workload, way, each, "µs a row", at_most if way == "to ids" else None)
        long, _ = _write(Path(folder), "long", 4 * height)
        peaks = [_peak(path) for path in (csv, long)]
        yield figure("tables, memory, csv", f"{height:,} rows", peaks[:1], "MB")
        yield figure("tables, memory, csv", f"{4 * height:,} rows", peaks[1:], "MB", at_most=1.2 * peaks[0])
    yield from _records(20_000 if quick else 100_000, rounds)


def _records(height: int, rounds: int) -> Iterator[Figure]:
    """Compare JSON messages read one by one, in batches and as a table; all must give equal triples."""
    values = np.random.default_rng(SEED).integers(1_000, 40_000, height).tolist()
    lines = [
        f'{{"time": "{START + row * timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}", "sensor": "s{row % SENSORS}", '
        f'"value": {value / 1000}}}'.encode()
        for row, value in enumerate(values)
    ]
    records = [json.loads(line) for line in lines]
    table = b"\n".join(lines)
    expected = list(pr.read_records(io.BytesIO(table), MAPPING, format="jsonl"))
    check("records", [pr.Mapping.load(MAPPING).abox(line) for line in lines], expected)
    samples: dict[str, list[float]] = {}
    for _ in range(rounds):
        mapping = pr.Mapping.load(MAPPING)  # without terms cached in an earlier round
        for way, work in (
            ("text, one by one", lambda m=mapping: [m.abox(line) for line in lines]),  # type: ignore[misc]
            ("as a table", lambda: list(pr.read_records(io.BytesIO(table), MAPPING, format="jsonl"))),
        ):
            samples.setdefault(way, []).append(cpu_seconds(work) / height * 1e6)
        for way, given in (("text, in batches", lines), ("dictionaries, in batches", records)):
            mapping = pr.Mapping.load(MAPPING)
            batches = [given[begin : begin + 100] for begin in range(0, height, 100)]
            seconds = cpu_seconds(lambda m=mapping, b=batches: [m.aboxes(each) for each in b])  # type: ignore[misc]
            samples.setdefault(way, []).append(seconds / height * 1e6)
    for way, each in samples.items():
        at_most = {"text, one by one": 30.0, "text, in batches": 20.0}.get(way)
        yield figure(f"records, {height:,}", way, each, "µs a record", at_most)


def _write(folder: Path, name: str, height: int) -> tuple[Path, Path]:
    """Write a table as CSV and as Parquet."""
    values = np.random.default_rng(SEED).integers(100, 400, height)
    path = folder / f"{name}.csv"
    with path.open("w") as file:
        file.write("time,sensor,value\n")
        for row, value in enumerate(values.tolist()):
            at = START + row // SENSORS * timedelta(minutes=1)
            file.write(f"{at:%Y-%m-%dT%H:%M:%SZ},s{row % SENSORS},{value / 10}\n")
    table = pyarrow.csv.read_csv(path)
    pyarrow.parquet.write_table(table, path.with_suffix(".parquet"))
    return path, path.with_suffix(".parquet")


def _check(path: Path, height: int) -> None:
    """Check that the rows read are the rows written."""
    frame = pd.read_csv(path, dtype=str)
    for source in (path, path.with_suffix(".parquet")):
        values: list[float] = []
        sensors: list[str] = []
        times: list[datetime] = []
        for abox in pr.read_records(source, MAPPING):
            values += [float(triple[2]) for triple in abox.triples[1::2]]
            sensors += [str(triple[0]).rpartition("/")[2] for triple in abox.triples[1::2]]
            times.append(abox.at)  # type: ignore[arg-type]
        check(f"{source.name}: values", values, frame["value"].astype(float).tolist())
        check(f"{source.name}: sensors", sensors, frame["sensor"].tolist())
        first = [datetime.fromisoformat(text) for text in frame["time"].unique()]
        check(f"{source.name}: times", times, first)
        check(f"{source.name}: rows", len(values), height)


def _to_ids(ontology: pr.Ontology, path: Path, height: int) -> None:
    vocabulary = pr.Foundation.of(ontology).vocabulary
    found = sum(
        len(encode_abox(vocabulary, abox.triples, "").facts) for abox in pr.read_records(path, MAPPING)
    )
    check(f"{path.name}: facts", found, 2 * height)


def _peak(path: Path) -> float:
    done = subprocess.run(
        [sys.executable, "-c", _PEAK, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return float(done.stdout)
