"""Inbox: a batch is complete after the longest wait of its first message, and bounded in bytes."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from pantarhei.service.batching import Received
from pantarhei.service.message_journal import Message
from pantarhei.service.sources.source import HEAVY, Inbox
from service_tools import wait_until


@pytest.mark.parametrize("count", [1, 3])
def test_messages_that_have_waited_wait_no_longer_for_others(count, monkeypatch):
    waits = []
    inbox, given = Inbox(), [Received(Message("a", "b", b""), received=time.monotonic() - 60)] * count
    for each in given:
        inbox.put(each)
    get = inbox.get
    monkeypatch.setattr(
        inbox, "get", lambda block=True, timeout=None: waits.append(block) or get(block, timeout)
    )
    assert inbox.take(0, 50) == given
    assert not any(waits[1:])


def test_messages_wait_until_the_journal_may_be_flushed_again():
    inbox, now = Inbox(), time.monotonic()
    inbox.put(Received(Message("a", "b", b""), received=now - 60))
    assert len(inbox.take(0, 0.01, now + 0.05)) == 1
    assert time.monotonic() >= now + 0.05


@pytest.mark.parametrize(("size", "fits"), [(1, 10), (HEAVY // 4, 4), (HEAVY, 1), (2 * HEAVY, 1)])
def test_an_inbox_and_its_batches_are_bounded_in_number_and_in_bytes(size, fits):
    inbox, payload = Inbox(10), bytes(size)
    given = Received(Message("a", "b", payload), received=time.monotonic() - 60)
    for _ in range(3):
        for _ in range(fits):
            inbox.put_nowait(given)
        with pytest.raises(queue.Full):
            inbox.put_nowait(given)
        assert len(inbox.take(0, 0)) == fits


def test_a_batch_of_heavy_messages_ends_while_sources_deliver_more():
    inbox, given = Inbox(), Received(Message("a", "b", bytes(HEAVY // 4)), received=time.monotonic() - 60)
    source = threading.Thread(target=lambda: [inbox.put(given) for _ in range(10)])
    source.start()
    wait_until(inbox.full)
    batches = []
    while sum(batches) < 10:
        batches.append(len(inbox.take(5, 0)))
    source.join(5)
    assert max(batches) <= 4
