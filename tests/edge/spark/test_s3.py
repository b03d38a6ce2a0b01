"""Streams whose output and checkpoint are in S3: Hadoop's connector, and a server that stands for Amazon's.

`make test-s3` installs both; the connector is that of Hadoop 3.3.1, from the package sagemaker-pyspark.
"""

import os
import re
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

import crashing_stream
from crashing_stream import BATCHES, rows_of_batch
from spark_streams import Folder

INSTALLED = os.environ.get("PANTARHEI_S3")
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(INSTALLED is None, reason="connector and server are installed by make test-s3 only"),
]


@pytest.fixture(scope="module")
def server():
    """URL of the server, which has the bucket `pantarhei`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        env={**os.environ, "PYTHONPATH": f"{INSTALLED}/moto"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            try:
                fetch(f"{url}/pantarhei", "PUT")
                break
            except urllib.error.URLError:
                continue
        assert process.poll() is None
        yield url
    finally:
        process.kill()
        process.wait()


def fetch(url, method="GET"):
    """Send a request with a signature, which the server needs but does not verify."""
    scope = "Credential=any/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=any"
    headers = {"Authorization": f"AWS4-HMAC-SHA256 {scope}"}
    request = urllib.request.Request(url, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read()


def follow(server, folder, point, where):
    """Run the stream in a process of its own; return the process."""
    jars = sorted(map(str, Path(INSTALLED).glob("*.jar")))
    settings = {
        "endpoint": server,
        "access.key": "any",
        "secret.key": "any",
        "path.style.access": "true",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        # Hadoop 3.3 reads numbers where the defaults of newer versions have units.
        "threads.keepalivetime": "60",
        "connection.establish.timeout": "5000",
        "connection.timeout": "200000",
        "multipart.purge.age": "86400",
    }
    confs = " ".join(f"--conf spark.hadoop.fs.s3a.{name}={value}" for name, value in settings.items())
    of_jars = f"--driver-class-path {':'.join(jars)} --jars {','.join(jars)}"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SPARK_")}
    return subprocess.run(
        [sys.executable, crashing_stream.__file__, folder, point, where],
        env={**environment, "PYSPARK_SUBMIT_ARGS": f"{of_jars} {confs} pyspark-shell"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
    )


def rows_in(server, prefix):
    """Return the rows of each file below a prefix, by its name."""
    query = urllib.parse.urlencode({"list-type": 2, "prefix": prefix})
    keys = re.findall("<Key>(.*?)</Key>", fetch(f"{server}/pantarhei?{query}").decode())
    files = {key.rpartition("/")[2]: fetch(f"{server}/pantarhei/{key}") for key in keys}
    tables = {name: pa.BufferReader(data) for name, data in files.items() if name}
    return {name: pa.parquet.read_table(data).to_pylist() for name, data in tables.items()}


def test_a_stream_that_was_killed_twice_resumes_exactly_once_from_s3(server, tmp_path):
    incoming = Folder(tmp_path / "in")
    for number in range(BATCHES):
        incoming.write(rows_of_batch(number))
    ended = follow(server, tmp_path, "never", str(tmp_path))
    assert ended.returncode == 0, ended.stderr[-3000:]
    expected = {
        path.name: pa.parquet.read_table(path).to_pylist() for path in (tmp_path / "out").glob("*.parquet")
    }
    assert len(expected) > 5
    for point in ("before-checkpoint", "after-checkpoint"):
        ended = follow(server, tmp_path, point, "s3a://pantarhei/streams")
        assert ended.returncode == -signal.SIGKILL, ended.stderr[-3000:]
        assert len(rows_in(server, "streams/out/")) < len(expected)
    ended = follow(server, tmp_path, "never", "s3a://pantarhei/streams")
    assert ended.returncode == 0, ended.stderr[-3000:]
    assert rows_in(server, "streams/out/") == expected


def test_a_bucket_that_does_not_exist_is_named(server, tmp_path):
    Folder(tmp_path / "in").write(rows_of_batch(0))
    ended = follow(server, tmp_path, "never", "s3a://no-such-bucket/streams")
    last = ended.stderr.strip().splitlines()[-1]
    assert (
        "FileSystemError: s3a://no-such-bucket/streams/out: it does not exist (The specified bucket" in last
    )
    assert last.endswith("correct the URI, or create the bucket or container first")
