"""Grouping of tests that share a process (`make test` runs two): the Spark tests, and the tests of each file.

It also selects the profile of random cases and defines shared fixtures.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

ON_SPARK = "tests/edge/spark/"

settings.register_profile(
    "the same each time", derandomize=True, max_examples=100 if "HYPOTHESIS_PROFILE" in os.environ else 40
)
if os.environ.get("HYPOTHESIS_PROFILE") != "long":
    settings.load_profile("the same each time")


def group_of(test: str) -> str:
    """Return the group of a test id: the Spark tests share a session, other tests are grouped by file."""
    return ON_SPARK if test.startswith(ON_SPARK) else test.partition("::")[0]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the Spark tests first, since they take longest."""
    items.sort(key=lambda item: group_of(item.nodeid) != ON_SPARK)


def pytest_collection_finish() -> None:
    """Freeze the collected tests, so that garbage collections do not traverse them repeatedly."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

        def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
            """Count the unfinished tests of these groups. Groups are finished in order, so only the last ones
            are counted; xdist counts all of them after each test.
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
    """Disable the log: rdflib warns about every literal that it cannot convert."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)
