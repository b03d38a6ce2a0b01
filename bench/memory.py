"""Memory of a process."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_megabytes() -> float:
    """Return the largest resident size of this process, in megabytes.

    On Linux it is read from /proc, since `ru_maxrss` begins with the size of the parent process.
    """
    if _STATUS.exists():
        return _megabytes("VmHWM")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6


def resident_megabytes() -> float:
    """Return the present resident size of this process, in megabytes; 0 if the system does not report it."""
    return _megabytes("VmRSS") if _STATUS.exists() else 0.0


def _megabytes(name: str) -> float:
    sizes = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
    return int(sizes[name].split()[0]) * 1024 / 1e6
