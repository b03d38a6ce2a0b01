"""Masters: where Spark runs, by the name that Spark gives it."""

from __future__ import annotations

import os
import re
import socket

from pantarhei.errors import MasterUnreachableError, OptionError

SECONDS = 5.0
"""How long a master may take to accept a connection."""


def is_local(master: str) -> bool:
    """Whether driver and workers are on this machine.

    >>> [is_local(master) for master in ("local", "local[*]", "local-cluster[2,1,512]", "spark://127.0.0.1:7077")]
    [True, True, True, False]
    """
    return re.match(r"local($|\[|-cluster\[)", master) is not None


def cores(master: str) -> int:
    """How many tasks run at once on a local `master`.

    >>> cores("local"), cores("local[3]"), cores("local[4,2]"), cores("local-cluster[2,3,512]")
    (1, 3, 4, 6)
    """
    match = re.fullmatch(r"local(-cluster)?\[\s*(\d+|\*)\s*(?:,\s*(\d+))?.*\]", master)
    if match is None:
        return 1
    first = _processors() if match[2] == "*" else int(match[2])
    return first * int(match[3]) if match[1] and match[3] else first


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def require_known(master: str) -> None:
    """Refuse what is no master in any of the ways in which Spark writes them.

    Raises:
        OptionError: it is none; Spark would say so in a hundred lines.
    """
    if master and re.fullmatch(r"local(-cluster)?(\[.*\])?|yarn|[a-z0-9+.-]+://.+", master) is None:
        raise OptionError("master", repr(master), "local[2], local[*], spark://host:7077, yarn or k8s://…")


def require_reachable(master: str) -> None:
    """Nothing if some host of a `spark://` master accepts a connection, or if it is a master of another kind.

    Spark itself would try for a minute and then speak of a stopped context.

    Raises:
        MasterUnreachableError: none does, within five seconds each.
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
        with socket.create_connection((host.strip("[]"), int(port)), timeout=SECONDS):
            return None
    except OSError as error:
        return str(error.strerror or error)
