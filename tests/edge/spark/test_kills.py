"""Streams whose processes are killed at random moments end like undisturbed ones, row for row.

`PANTARHEI_KILLS` sets the number of kills in each mode, `PANTARHEI_SEED` repeats the choices of a run.
"""

import json
import os
import time
from contextlib import ExitStack

import pytest

from kill_tools import seeded
from killed_stream import MODES, Run, follow, results
from spark_streams import Folder
from standalone_cluster import standalone_cluster, wait_for
from strategies import EX, A, B, D, R

pytestmark = pytest.mark.long
KILLS = int(os.environ.get("PANTARHEI_KILLS", "2"))
TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
FILES = 6 + 3 * KILLS


def rows_of(number, rnd, has_invalid):
    """Return the rows of a batch: some late, and some invalid if these are skipped."""
    rows = []
    for _ in range(8):
        name = EX[f"valve{rnd.randrange(5)}"].n3()
        at = number - (rnd.randint(1, 4) if rnd.random() < 0.2 else 0)
        fact = (TYPE, rnd.choice((A, A, B, B, D)).n3()) if rnd.random() < 0.7 else (R.n3(), EX.other.n3())
        rows.append((at, name, *fact))
    if has_invalid and number % 2:
        rows.append((number, "no term", TYPE, A.n3()))
    return rows


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.timeout(300 + 120 * KILLS)
def test_a_killed_stream_ends_like_an_undisturbed_one(spark, tmp_path, mode):
    rnd, killed = seeded(), tmp_path / "killed"
    write_files(killed, mode, rnd)
    done = kill_until_end(killed, mode, rnd)
    print(json.dumps({"mode": mode, **done}))
    assert results(killed) == undisturbed(spark, tmp_path, mode)


@pytest.mark.timeout(400)
@pytest.mark.parametrize("place", ["standalone", "local-cluster[2,1,1024]"])
def test_a_sharded_stream_goes_on_when_its_cluster_loses_a_worker(spark, tmp_path, place):
    mode, folder = "sharded, late", tmp_path / "killed"
    write_files(folder, mode, seeded())
    with ExitStack() as stack:
        cluster = None
        if place == "standalone":
            (tmp_path / "cluster").mkdir()
            cluster = stack.enter_context(standalone_cluster(tmp_path / "cluster"))
        run = Run(folder, mode, cluster.master_url if cluster else place)
        stack.callback(run.kill)
        wait_for(lambda: run.process.poll() is not None or batches(folder) >= 2)
        assert run.process.poll() is None
        if cluster:
            cluster.workers[0].kill()
        else:
            run.kill(wait_for(lambda: run.children()["executors"])[0])  # not listed at each look
        assert 0 <= batches(folder) < FILES - 2
        assert run.end() == 0, (folder / "log").read_text()[-3000:]
    assert results(folder) == undisturbed(spark, tmp_path, mode)


def write_files(folder, mode, rnd):
    """Write the input of a stream."""
    folder.mkdir()
    files = Folder(folder / "in")
    for number in range(FILES):
        files.write(rows_of(number, rnd, "on_error" in MODES[mode]))


def undisturbed(spark, path, mode):
    """Return the results of an undisturbed stream with the batches of the killed one.

    If Spark ends after it has listed a file and before it has recorded the batch, the file is in the next
    batch.
    """
    whole, given = path / "whole", sorted((path / "killed" / "in").glob("*.json"))
    whole.mkdir()
    files, read = Folder(whole / "in"), 0
    for until in ends_of_batches(path / "killed"):
        if until > read:
            files.write_text("\n".join(file.read_text() for file in given[read:until]), "json")
            read = until
    assert read == len(given) == FILES and files.files > FILES / 2
    (whole / "counts.json").write_text(json.dumps(str(follow(spark, whole, mode))))
    expected = results(whole)
    assert sum(map(len, expected[0].values())) > FILES
    return expected


def kill_until_end(folder, mode, rnd):
    """Kill the stream at random moments, and start it again until it ends; return the kills by kind.

    A kill counts if it hits a batch: some have ended, and not all.
    """
    done = {"driver": 0, "java": 0, "workers": 0, "before the first batch": 0}
    starts = 0
    while sum(done.values()) < KILLS and starts < 3 * KILLS:
        run, before = Run(folder, mode), batches(folder)
        starts += 1
        began = rnd.random() < 0.15  # during the start
        until = time.monotonic() + 120
        while not began and batches(folder) <= before and run.process.poll() is None:
            assert time.monotonic() < until, "no batch ends"
            time.sleep(0.02)
        time.sleep(rnd.uniform(0, 3 if began else 1.5))
        kind = rnd.choice(("driver", "java", "workers"))
        processes = run.children()[kind]
        if run.process.poll() is not None or not processes:
            run.kill()
            continue
        run.kill(rnd.choice(processes))
        done["before the first batch" if began else kind] += 1
        if kind == "workers":  # Spark starts others, and runs the task again or ends
            time.sleep(rnd.uniform(0, 2))
        run.kill()
    assert Run(folder, mode).end() == 0, (folder / "log").read_text()[-3000:]
    return done


def ends_of_batches(folder):
    """Return the number of files that Spark has read by the end of each batch."""
    found = [*folder.glob("checkpoint/offsets/*"), *folder.glob("checkpoint/spark/offsets/*")]
    numbered = sorted((int(each.name), each) for each in found if each.name.isdigit())
    return [json.loads(each.read_text().split("\n")[2])["logOffset"] + 1 for _, each in numbered]


def batches(folder):
    """Return the number of batches that Spark has committed."""
    found = [*folder.glob("checkpoint/commits/*"), *folder.glob("checkpoint/spark/commits/*")]
    return max((int(each.name) for each in found if each.name.isdigit()), default=-1)
