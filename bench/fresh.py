"""Fresh processes, with all modules there as bytecode, as after a first run.

Where Python may not keep it (`PYTHONDONTWRITEBYTECODE`), each start compiles the modules that changed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def fresh(code: str) -> Iterator[Callable[[], str]]:
    """A function that runs `code` in a new process, and returns what it prints; it has run once before."""
    with TemporaryDirectory() as bytecode:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run() -> str:
            command = [sys.executable, "-c", code]
            return subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
            ).stdout

        run()
        yield run
