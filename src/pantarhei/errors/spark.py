"""Spark cannot be started or reached."""

from __future__ import annotations

from collections.abc import Sequence

from pantarhei.errors.base import PantarheiError


class SparkError(PantarheiError):
    """Spark cannot be started or reached."""


class JavaNotFoundError(SparkError):
    """There is no Java on which Spark could run.

    Args:
        found: what was looked at, and why it does not do, one sentence each.
        needed: the lowest version that does.
    """

    def __init__(self, found: Sequence[str], needed: int) -> None:
        super().__init__(tuple(found), needed)
        self.found, self.needed = tuple(found), needed

    def __str__(self) -> str:
        lines = "".join(f"\n    {sentence}" for sentence in self.found)
        return (
            f"Spark needs Java {self.needed} or newer:{lines}\n"
            f"install it (on Debian: apt install openjdk-{self.needed}-jre-headless) or point JAVA_HOME to "
            "it; without a system Java, pip install 'pantarhei[java]'"
        )


class MasterUnreachableError(SparkError):
    """No cluster answers at the address of the master.

    Args:
        master: the address, as given.
        reasons: why, one sentence for each host tried.
    """

    def __init__(self, master: str, reasons: Sequence[str]) -> None:
        super().__init__(master, tuple(reasons))
        self.master, self.reasons = master, tuple(reasons)

    def __str__(self) -> str:
        lines = "".join(f"\n    {reason}" for reason in self.reasons)
        return (
            f"no Spark master answers at {self.master}:{lines}\n"
            'start the cluster or correct the address; master="local[*]" needs no cluster'
        )
