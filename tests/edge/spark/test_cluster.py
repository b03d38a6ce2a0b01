"""A real cluster of two Workers: it loses one in mid-job, and then its Master."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import cluster_job
from standalone_cluster import standalone_cluster, wait_for

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    with standalone_cluster(tmp_path_factory.mktemp("a cluster")) as started:
        yield started


def driver(master: str, directory: Path) -> subprocess.Popen[str]:
    """The job's driver in a process of its own: one process has one Spark."""
    return subprocess.Popen(
        [sys.executable, cluster_job.__file__, master, directory],
        env={key: value for key, value in os.environ.items() if not key.startswith("SPARK_")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def running(directory: Path) -> dict[str, list[str]]:
    """The names of the tasks that have told that they run, by the directory they run in."""
    tasks: dict[str, list[str]] = {}
    for file in (directory / "running").iterdir():
        if file.suffix != ".part":
            tasks.setdefault(file.read_text(), []).append(file.name)
    return tasks


def tasks_on(cluster, worker: int, directory: Path) -> list[str]:
    work = str(cluster.work_directory(worker))
    return [name for where, names in running(directory).items() if where.startswith(work) for name in names]


def test_a_job_that_loses_a_worker_is_complete(cluster, tmp_path):
    (tmp_path / "running").mkdir()
    job = driver(cluster.master_url, tmp_path)
    try:
        wait_for(
            lambda: job.poll() is not None or all(tasks_on(cluster, worker, tmp_path) for worker in (0, 1)),
            cluster.master,
        )
        lost = tasks_on(cluster, 0, tmp_path)
        cluster.workers[0].kill()
        (tmp_path / "go").touch()
        said, _ = job.communicate(timeout=120)
    finally:
        job.kill()
        job.wait()
    assert job.returncode == 0, said
    rows = json.loads((tmp_path / "answer.json").read_text())
    answer = {tuple(row) for row in rows}
    assert len(rows) == len(answer)
    assert answer == cluster_job.expected()
    assert any(derived for *_, derived in answer)

    assert len(lost) == 1
    (partition, _) = lost[0].split("-")
    again = {name.split("-")[0] for name in tasks_on(cluster, 1, tmp_path)}
    assert partition in again
    assert again == {str(number) for number in range(cluster_job.SPARK_PARTITIONS)}


def test_a_stopped_cluster_is_an_error_in_bounded_time(cluster, tmp_path):
    cluster.master.kill()
    job = driver(cluster.master_url, tmp_path)
    try:
        said, _ = job.communicate(timeout=60)
    finally:
        job.kill()
        job.wait()
    assert job.returncode != 0
    assert f"MasterUnreachableError: no Spark master responds at {cluster.master_url}" in said
    assert "Connection refused" in said
    assert "start the cluster" in said
