"""Which tests stay together where two processes share them (`make test`)."""

import pytest


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What needs the Spark session is one group, begun first since it takes long; else each file is one."""

    def on_spark(item: pytest.Item) -> bool:
        return "spark" in getattr(item, "fixturenames", ())

    items.sort(key=on_spark, reverse=True)
    for item in items:
        item.add_marker(pytest.mark.xdist_group("spark" if on_spark(item) else item.path.stem))
