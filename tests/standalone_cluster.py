"""A standalone Spark cluster on 127.0.0.1: one Master and some Workers, each a process of the test's own."""

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
    """A Master or Worker: its process, and where it writes its log."""

    process: subprocess.Popen[bytes]
    log: Path

    def kill(self) -> None:
        """Kill it at once, with the executors that it has started."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


class StandaloneCluster(NamedTuple):
    master_url: str
    master: Daemon
    workers: list[Daemon]
    directory: Path

    def work_directory(self, worker: int) -> Path:
        """Where the executors of this worker, counted from 0, run."""
        return self.directory / f"worker-{worker}"


@contextmanager
def standalone_cluster(directory: Path, workers: int = 2) -> Iterator[StandaloneCluster]:
    """A cluster of `workers` with one core each, all of them registered; killed at the end."""
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
    """What `condition` gives as soon as that is true; fails with the ends of the logs after a while."""
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
            start_new_session=True,  # a group of its own, which its executors join
        )
    return Daemon(process, log)


def _text(daemon: Daemon) -> str:
    return daemon.log.read_text(errors="replace")
