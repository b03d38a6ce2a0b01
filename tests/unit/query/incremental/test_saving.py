"""What a checkpoint keeps of registered queries comes back as it was."""

from datetime import UTC, datetime, timedelta

import pytest

from pantarhei import Window
from pantarhei.query.incremental.reports import PLAIN, Policy
from pantarhei.query.incremental.saving import SavedQuery, from_bytes, to_bytes

WINDOWS = [
    None,
    Window(3),
    Window(2.5, 1.5, 0.5, "right"),
    Window("PT5M", "PT1M", datetime(2026, 1, 2, 3, tzinfo=UTC), "left"),
    Window(timedelta(minutes=5), timedelta(seconds=30)),
]
POLICIES = [PLAIN, Policy.of(("close", "non-empty"), "rstream"), Policy.of(("change", "PT1M"), "istream")]


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("policy", POLICIES)
def test_queries_come_back_as_they_were(window, policy):
    rows = None if policy.is_plain else [['"a\\u00e4"@de', None, 2], ["<urn:x>", "_:b", 1]]
    moved = [["<urn:x>", "<urn:p>", '"1"^^<http://www.w3.org/2001/XMLSchema#byte>', -1]]
    query = SavedQuery("q", "ASK {}", policy, window, 7, rows, moved)
    (found,) = from_bytes(to_bytes([query]))
    assert (found.name, found.text, found.policy, found.window) == ("q", "ASK {}", policy, window)
    assert (found.closed, found.moved) == (7, moved)
    assert (found.rows is None) if rows is None else sorted(found.rows, key=str) == sorted(rows, key=str)


def test_the_same_queries_are_the_same_bytes_whatever_the_order_of_rows():
    one, other = (
        SavedQuery("q", "ASK {}", POLICIES[1], None, None, rows, [])
        for rows in ([["<urn:a>", 1], ["<urn:b>", 2]], [["<urn:b>", 2], ["<urn:a>", 1]])
    )
    assert to_bytes([one]) == to_bytes([other])
