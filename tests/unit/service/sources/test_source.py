"""Inbox: a batch is complete after the longest wait of its first message."""

from __future__ import annotations

import time

import pytest

from pantarhei.service.batching import Received
from pantarhei.service.message_journal import Message
from pantarhei.service.sources.source import Inbox


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
