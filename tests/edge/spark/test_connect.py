"""Spark Connect: equal results, and errors that say what to do, on a server of its own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import on_connect
from on_connect import changes, results


@pytest.mark.long
@pytest.mark.timeout(600)
def test_spark_connect_has_the_results_of_a_session_in_this_process(spark, tmp_path):
    pytest.importorskip("grpc", reason="Spark Connect needs the packages of pyspark[connect]")
    path = tmp_path / "found.json"
    done = subprocess.run(
        [sys.executable, on_connect.__file__, path], capture_output=True, text=True, timeout=500, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(path.read_text())
    assert found["results"] == json.loads(json.dumps(results(spark)))
    assert found["changes"] == changes(spark) != []
    assert found["results"]["counts"] == {"facts": 15, "conflicting": 0, "skipped": 1}

    assert "use Spark Connect, first make a session with SparkSession.builder.remote" in found["before"]
    assert found["is active"] is True
    for name in ("stream", "sharded"):
        assert found[name].startswith("OptionError: df=<streaming DataFrame of Spark Connect> is invalid")
        assert "spark-submit" in found[name] and "shard_stream" in found[name]
    assert "expected at most 100 bytes, which Spark Connect sends in one message" in found["large"]
    assert "omit this option, or stop the session first" in found["master"]
    assert "expected '" in found["conf"]
