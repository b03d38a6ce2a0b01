"""How much memory a process came to hold."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_megabytes() -> float:
    """The largest resident size of this process, in megabytes.

    On Linux by what is told of its memory as it is now: `ru_maxrss` begins with the size of the process that
    started this one.
    """
    if _STATUS.exists():
        sizes = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return int(sizes["VmHWM"].split()[0]) * 1024 / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 1e6 if sys.platform == "darwin" else peak * 1024 / 1e6
