"""Spark sessions: one's own, started fast, or the user's, left as it is.

What is set for a start falls in three: what every session gets (`EVERYWHERE`), what one on this machine gets
besides (`local_settings`), and what Java is started with. All of it yields to what the user says in `conf`,
in a `spark-defaults.conf`, or on the command line of `spark-submit`.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import NoneType

from py4j.protocol import Py4JError, Py4JJavaError  # type: ignore[import-untyped]
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from pyspark.sql.utils import is_remote

from pantarhei.errors import MasterUnreachableError, OptionError, SparkError, check_type
from pantarhei.spark.launch import check_master, check_reachable, cores, has_spark_file, is_local, java_home

EVERYWHERE: Mapping[str, str] = {
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    # the only one with which transformWithState works
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
}

# Short jobs spend their time in Java compiling Spark. One quick compiler and one plain collector take half of
# that away. Rows by the million do better with the slow compiler too; docs/spark.md says how to have it.
JAVA_OPTIONS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOGGING = Path(__file__).with_name("log4j2.properties")

# How Spark writes a stream's own checkpoint. The one that it takes by itself starts programs of the system to
# look for links, some ten of them a batch. Both put a file in its place by renaming it.
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
"""Settings that Java takes when it starts, and at no other time."""

_starting = threading.RLock()


def session(
    master: str | None = None, *, app_name: str = "pantarhei", conf: Mapping[str, str] | None = None
) -> SparkSession:
    """The active Spark session if there is one, otherwise a new one on `master`.

    An active session is the user's and is returned as it is, whichever thread made it. If its master or
    settings are not those asked for here, that is an error and nothing is changed; its name is not compared.

    A new one on this machine (`local[...]`) logs errors only, has no UI and no progress bar, listens on
    127.0.0.1, and shuffles into as many Spark partitions as it has cores. Its workers run the driver's
    Python. On a cluster they run what `spark.pyspark.python` or PYSPARK_PYTHON names, otherwise the same path
    as here.

    Starting takes some five seconds, and the first job as long again, while Java loads Spark; in a process
    that has had a session before, a quarter of a second. The environment variables that this needs are put
    back afterwards.

    Args:
        master: where to run: `local[2]`, `local[*]`, `spark://host:7077`, `yarn`. None takes the active
            session's, or what `spark-submit` was given, or `local[*]`.
        app_name: the name of a new session.
        conf: Spark settings, over those that are made here.

    Raises:
        OptionError: the active session has another master or other settings; Spark has no master of that
            kind; or Spark Connect was asked for.
        JavaNotFoundError: there is no Java 17 or newer.
        MasterUnreachableError: nothing accepts connections at the address of a `spark://` master, which is
            found out before anything is started, within five seconds a host; or what does is no Spark master,
            after a minute. A cluster without workers is no error: the session starts and its jobs wait, as
            Spark's log says.
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
    """The session that this process has going, in whichever thread it was made; None without one.

    One whose Java side has stopped by itself, as when its cluster is gone, goes no longer: it is put away.
    """
    if is_remote():
        return SparkSession.getActiveSession()
    context = SparkContext._active_spark_context
    if context is None:
        return None
    if context._jsc.sc().isStopped():
        context.stop()
        return None
    # Without settings, getOrCreate gives the one there is as it is. A thread's active session can be another:
    # the copy, say, that a stream makes for its batches.
    return SparkSession.builder.getOrCreate()


def _require(active: SparkSession, settings: Mapping[str, str]) -> None:
    for key, asked in settings.items():
        has = _setting(active, key)
        if key != "spark.app.name" and not _same(asked, has):
            raise OptionError(
                "master" if key == "spark.master" else f"conf[{key!r}]",
                repr(asked),
                f"{'no such setting' if has is None else repr(has)}, as in the active session, which stays "
                "as it is; leave this out, or stop that session first",
            )


def _setting(active: SparkSession, key: str) -> str | None:
    if key in LAUNCH_ONLY and not is_remote():
        return SparkConf().get(key)  # Spark adds to these what it needs itself
    try:
        return active.conf.get(key)
    except PySparkException:  # neither set nor with a default
        return None


def _same(asked: str, has: str | None) -> bool:
    return has is not None and (asked == has or asked.lower() == has.lower() in ("true", "false"))


def _start(settings: dict[str, str]) -> SparkSession:
    _refuse_connect(settings)
    if "PYSPARK_GATEWAY_PORT" not in os.environ:  # else spark-submit has started Java, and knows the master
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
    """Versions of Spark have the class in one of two places; where it is in neither, all stays as it is."""
    for name in _WITHOUT_PROGRAMS:
        try:
            spark._jvm.java.lang.Class.forName(name)  # type: ignore[union-attr]
        except Py4JJavaError:
            continue
        spark.conf.set(_FILE_MANAGER, name)
        return


def _require_registered(context: SparkContext) -> None:
    """A context that no master took up is made all the same, and stops itself a little later."""
    master = context.master or ""
    if master.startswith("spark://") and context.applicationId.startswith("spark-application-"):
        context.stop()
        raise MasterUnreachableError(
            master, ["it accepts connections and does not answer as a Spark master does"]
        )


def _refuse_connect(settings: Mapping[str, str]) -> None:
    given = settings.get("spark.remote") or os.environ.get("SPARK_REMOTE") or settings.get("spark.master", "")
    if given.startswith("sc:") or "spark.remote" in settings or "SPARK_REMOTE" in os.environ or is_remote():
        raise OptionError(
            "master",
            repr(given),
            "no Spark Connect, in conf, in SPARK_REMOTE or in SPARK_CONNECT_MODE: make such a session first, "
            "with SparkSession.builder.remote(...)",
        )


def _launch_environment(settings: Mapping[str, str], environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that have to be set while Spark starts."""
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
    """What Java is started with. It keeps this for every later session, so no more than it needs."""
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
    conf = SparkConf()  # what spark-submit and spark-defaults.conf say
    _require_launched(settings, conf)
    conf.set("spark.ui.showConsoleProgress", "false")  # Spark's start script always says true
    for key, value in settings.items():
        conf.set(key, value)
    conf.setIfMissing("spark.master", "local[*]")
    for key, value in {**EVERYWHERE, **local_settings(conf.get("spark.master") or "")}.items():
        conf.setIfMissing(key, value)
    return conf


def local_settings(master: str) -> Mapping[str, str]:
    """What a session on this machine gets besides; nothing for one elsewhere."""
    if not is_local(master):
        return {}
    return {
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": str(cores(master)),
    }


def _require_launched(settings: Mapping[str, str], launched: SparkConf) -> None:
    """An earlier session's Java, which goes on, cannot take settings of a start any more."""
    for key in LAUNCH_ONLY:
        if key in settings and launched.get(key) != settings[key]:
            raise OptionError(
                f"conf[{key!r}]",
                repr(settings[key]),
                f"{launched.get(key)!r}, with which this process has started Java; ask for it in a new one",
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
"""What Spark raises in the driver when a job, a worker or Java fails."""

_TRACEBACK = "Traceback (most recent call last)"
_RAISED = re.compile(
    r"^((?:\w+\.)*)(\w+)(?:: (.*))?$", re.MULTILINE
)  # other lines of a traceback are indented
_OWN = "pantarhei.errors."
_RAISED_BY_US = re.compile(r"^pantarhei\.errors\.\w+: (.+)$", re.MULTILINE)
_CALLED = "An error occurred while calling"


def raised_error(failure: Exception) -> SparkError | None:
    """What a worker raised on purpose, None if the failure is another."""
    found = _RAISED_BY_US.findall(str(failure))
    return SparkError(found[-1]) if found else None


def spark_error(failure: Exception) -> SparkError:
    """The failure as an error of one line: what a worker raised last, or the first that Spark says.

    An error of this package is what it says; of others the name is said as well.

    >>> text = f"{_TRACEBACK}:\\n  File x.py\\npantarhei.errors.MalformedInputError: a.nq, line 2: no quad\\n"
    >>> str(spark_error(PySparkException(text)))
    'a.nq, line 2: no quad'
    >>> str(spark_error(PySparkException("[JOB_ABORTED] Job aborted.\\n  at org.apache.spark …")))
    'Spark failed: [JOB_ABORTED] Job aborted.'
    """
    text = str(failure).partition("JVM stacktrace:")[0]
    _, traceback, raised = text.rpartition(_TRACEBACK)
    found = list(_RAISED.finditer(raised)) if traceback else []
    if found:
        module, name, said = found[-1].groups(default="")
        return SparkError(said if module == _OWN else f"a worker failed: {name}: {said}".rstrip(": "))
    lines = (line.strip(" :") for line in text.splitlines())
    first = next((line for line in lines if line and not line.startswith(_CALLED)), type(failure).__name__)
    return SparkError(f"Spark failed: {first}")


_STANDARD_ERROR = 2


@contextmanager
def temporary_session(master: str) -> Iterator[SparkSession]:
    """A session on `master`, stopped at the end if it was started here; its failures as `SparkError`.

    Raises:
        KeyboardInterrupt: it was interrupted.
        JavaNotFoundError, MasterUnreachableError: as `session`.
        SparkError: Spark does not start, or fails.
    """
    is_ours = active_session() is None
    with _interrupts_put_back():
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
    """Whether a job failed because Ctrl-C cancelled it, which is what Spark then speaks of."""
    while failure is not None and not isinstance(failure, KeyboardInterrupt):
        failure = failure.__context__
    return failure is not None


def _started(master: str) -> SparkSession:
    """A new session. On this machine what Java says on standard error is kept from the terminal: all that
    matters of it comes back as an exception. That of a cluster is shown, since it may say why nothing moves.

    Raises:
        SparkError: Java does not start; has the last that it said.
    """
    if not is_local(master):
        return session(master)
    with tempfile.TemporaryFile() as said:
        try:
            with _redirected(said.fileno()):
                return session(master)
        except FAILURES as failure:
            said.seek(0)
            lines = said.read().decode(errors="replace").split("\n")
            last = next((line.strip() for line in reversed(lines) if line.strip()), str(failure))
            raise SparkError(f"Spark does not start: {last}") from failure


@contextmanager
def _redirected(to: int) -> Iterator[None]:
    """Standard error goes elsewhere, also that of processes started meanwhile, as long as they live."""
    kept = os.dup(_STANDARD_ERROR)
    try:
        os.dup2(to, _STANDARD_ERROR)
        yield
    finally:
        os.dup2(kept, _STANDARD_ERROR)
        os.close(kept)


@contextmanager
def _interrupts_put_back() -> Iterator[None]:
    """Spark takes Ctrl-C over, and its handler does not survive Spark."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
