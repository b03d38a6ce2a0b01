"""Which tests stay together where two processes share them (`make test`): Spark's, else those of a file.

Which random cases they have, and what tests of several files ask for.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

ON_SPARK = "tests/edge/spark/"

settings.register_profile("the same each time", derandomize=True)
if os.environ.get("HYPOTHESIS_PROFILE") != "long":
    settings.load_profile("the same each time")


def group_of(test: str) -> str:
    """What stays in one process with the test of that id: Spark's tests share a session."""
    return ON_SPARK if test.startswith(ON_SPARK) else test.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spark's tests come first, since they take longest."""
    items.sort(key=lambda item: group_of(item.nodeid) != ON_SPARK)


def pytest_collection_finish() -> None:
    """The tests stay to the end: no collection of garbage looks through them, as it would again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

        def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
            """Tests of these groups that are not done. Groups are done in order, so only the last ones count:
            xdist itself looks through all of them after each test.
            """
            pending = 0
            for tests in reversed(workload.values()):
                left = list(tests.values()).count(False)
                if not left:
                    break
                pending += left
            return pending

    return ByGroup(config, log)


@pytest.fixture(scope="module")
def quiet() -> Iterator[None]:
    """No log: rdflib tells of every literal that its own classes cannot read."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
