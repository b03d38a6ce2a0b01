"""Streams whose process is killed in the middle of a batch go on as if nothing had been.

ABoxes wait for the watermark meanwhile, and the ontology's blank node has another label in each process."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pyarrow.parquet
import pytest
from rdflib import BNode

import crashing_shards
import crashing_stream
from crashing_stream import BATCHES, rows_of_batch
from pantarhei import StreamReasoner
from spark_streams import SCHEMES, Folder, state_of
from strategies import EX, A, B, D

pytestmark = pytest.mark.long
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"


def output(folder, name="out"):
    files = sorted((folder / name).glob("[!.]*"))
    rows = [tuple(row.values()) for file in files for row in pyarrow.parquet.read_table(file).to_pylist()]
    assert len(rows) == len(set(rows))
    return rows


def end_of(spark, folder, scheme=None):
    """(state, counts, output, dead letters) once all files are read."""
    query = crashing_stream.follow(spark, folder, scheme)
    query.await_termination()
    assert query.batch == BATCHES - 1
    state, reasoner = state_of(query.reasoner), query.reasoner
    background = StreamReasoner(reasoner.ontology, reasoner.window).materialization()  # its blank node is new
    assert background <= state["materialization"]
    state["why"] = why(reasoner)
    state |= {"materialization": state["materialization"] - background}
    return state, query.counts, output(folder), output(folder, "dead")


def why(reasoner):
    """What is said of facts and absences, where no blank node of the background has to do with them."""
    proofs = map(reasoner.explain, sorted(reasoner.materialization()))
    named = [p for p in proofs if not any(isinstance(term, BNode) for step in p.steps for term in step.fact)]
    assert any(proof.supports and proof.rules for proof in named)
    absence = reasoner.why_not((EX.tank1, EX.feeds, EX.tank0))
    return [*map(str, named), str(absence), str(reasoner.quality())]


@pytest.fixture(scope="module")
def uninterrupted(spark, tmp_path_factory):
    """The folder, and where an undisturbed stream ends."""
    folder = tmp_path_factory.mktemp("stream")
    files = Folder(folder / "in")
    for number in range(BATCHES):
        files.write(rows_of_batch(number))
    end = end_of(spark, folder)
    assert end[1].cut > 3 and end[1].late_aboxes == BATCHES - 1 == len(end[3])
    assert end[0]["timestamps"][-1] == BATCHES - 3  # what is on the watermark waits, and the newest
    return folder, end


def killed(module, folder, point, spark_folder, *more):
    """Run `module` in a process of its own, which kills itself in batch 4, not committed then."""
    ended = subprocess.run(
        [sys.executable, module.__file__, folder, point, *more],
        env={key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr.decode()[-3000:]
    assert (spark_folder / "offsets" / "4").exists() and not (spark_folder / "commits" / "4").exists()


POINTS = ["before-output", "before-letters", "before-checkpoint", "after-checkpoint"]


@pytest.mark.parametrize(
    ("point", "scheme"),
    [(point, None) for point in POINTS] + list(zip(POINTS[2:] * 2, SCHEMES, strict=True)),
)
def test_a_stream_that_was_killed_goes_on_and_ends_like_one_that_was_not(
    spark, uninterrupted, tmp_path, point, scheme
):
    folder, expected = uninterrupted
    shutil.copytree(folder / "in", tmp_path / "in")  # keeps the files' times, which order the batches
    more = [] if scheme is None else [scheme]
    killed(crashing_stream, tmp_path, point, tmp_path / "a checkpoint" / "spark", *more)
    written = (tmp_path / "out" / "batch-0000000004.parquet").exists()
    assert written == (point != "before-output")
    assert end_of(spark, tmp_path, scheme) == expected


@pytest.mark.parametrize("point", ["before-checkpoint", "after-checkpoint"])
def test_registered_queries_of_a_stream_that_was_killed_report_each_batch_once(
    spark, uninterrupted, tmp_path, point
):
    rows = []
    for name in ("whole", "broken"):
        shutil.copytree(uninterrupted[0] / "in", tmp_path / name / "in")
        if name == "broken":
            killed(
                crashing_stream, tmp_path / name, point, tmp_path / name / "a checkpoint" / "spark", "queries"
            )
            assert (tmp_path / name / "out" / "open" / "batch-0000000004.parquet").exists()
        crashing_stream.follow(spark, tmp_path / name, queries=crashing_stream.QUERIES).await_termination()
        files = (tmp_path / name / "out" / query for query in crashing_stream.QUERIES)
        rows.append([pyarrow.parquet.read_table(folder).to_pylist() for folder in files])
    assert rows[0] == rows[1] and all(rows[0])
    assert {row["change"] for row in rows[0][0]} == {1, -1}


@pytest.fixture(scope="module")
def sharded(spark, tmp_path_factory):
    """The folder, and what an undisturbed sharded stream gives, batch by batch."""
    folder = tmp_path_factory.mktemp("sharded")
    files = Folder(folder / "in")
    for number in range(BATCHES):
        names = [EX[f"valve{(number + step) % 4}"].n3() for step in range(3)]
        classes = (A, B, D if number % 3 else A)
        files.write([(number, name, TYPE, class_.n3()) for name, class_ in zip(names, classes, strict=True)])
    crashing_shards.follow(spark, folder, crashing_shards.to_files(folder))
    changes = delivered(folder)
    assert {change for rows in changes.values() for *_, change in rows} == {-1, 1}
    assert len({shard for rows in changes.values() for shard, *_ in rows}) > 1
    return folder, changes


def delivered(folder):
    return {int(file.stem): json.loads(file.read_text()) for file in (folder / "out").iterdir()}


@pytest.mark.parametrize("point", ["before-output", "after-output"])
def test_a_sharded_stream_that_was_killed_goes_on_and_gives_what_one_that_was_not_gives(
    spark, sharded, tmp_path, point
):
    folder, expected = sharded
    shutil.copytree(folder / "in", tmp_path / "in")
    killed(crashing_shards, tmp_path, point, tmp_path / "spark")
    assert len(delivered(tmp_path)) == 4 + (point == "after-output")
    crashing_shards.follow(spark, tmp_path, crashing_shards.to_files(tmp_path))
    assert delivered(tmp_path) == expected
