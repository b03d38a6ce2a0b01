"""Standalone Spark cluster on 127.0.0.1: one Master and some Workers, each a child process of the test."""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
SPARK_CLASS = SPARK_HOME / "bin" / "spark-class"
SECONDS = 90

T = TypeVar("T")


class Daemon(NamedTuple):
    """Master or Worker process with its log file."""

    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """Kill the process at once, with its executors."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class StandaloneCluster(NamedTuple):
    master_url: str
    master: Daemon
    workers: list[Daemon]
    directory: Path

    def work_directory(self, worker: int) -> Path:
        """Return the working directory of the executors of this worker, counted from 0."""
        return self.directory / f"worker-{worker}"


@contextmanager
def standalone_cluster(directory: Path, workers: int = 2) -> Iterator[StandaloneCluster]:
    """Run a cluster of `workers` with one core each, all registered; kill it at the end."""
    started: list[Daemon] = []
    try:
        master = _start("Master", [], directory)
        started.append(master)
        url = wait_for(lambda: re.search(r"Starting Spark master at (spark://\S+)", _text(master)), master)[1]
        for number in range(workers):
            options = [
                "--cores",
                "1",
                "--memory",
                "1g",
                "--work-dir",
                str(directory / f"worker-{number}"),
                url,
            ]
            started.append(_start("Worker", options, directory, f"worker-{number}"))
        wait_for(lambda: _text(master).count("Registering worker") >= workers, master)
        yield StandaloneCluster(url, master, started[1:], directory)
    finally:
        for daemon in started:
            daemon.kill()


def wait_for(condition: Callable[[], T], *logs: Daemon) -> T:
    """Wait until `condition` returns a true value and return it; after a timeout, fail with the ends of the
    logs.
    """
    deadline = time.monotonic() + SECONDS
    while not (given := condition()):
        ends = "\n".join(_text(daemon)[-3000:] for daemon in logs)
        assert time.monotonic() < deadline, f"waited {SECONDS} s for {condition}\n{ends}"
        time.sleep(0.1)
    return given


def _start(kind: str, options: list[str], directory: Path, name: str = "master") -> Daemon:
    log = directory / f"{name}.log"
    environment = {
        **os.environ,
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(directory / "local"),
        "SPARK_DAEMON_MEMORY": "200m",
        "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [
                SPARK_CLASS,
                f"org.apache.spark.deploy.{kind.lower()}.{kind}",
                *("--host", "127.0.0.1", "--port", "0", "--webui-port", "0"),
                *options,
            ],
            env=environment,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a process group that includes its executors
        )
    return Daemon(process, log)


def _text(daemon: Daemon) -> str:
    return daemon.log.read_text(errors="replace")
