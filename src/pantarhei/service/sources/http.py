"""HTTP source: its messages are handed to the writer by `Writer.push`, in the thread of each request."""

from __future__ import annotations

from typing import Any

from pantarhei.errors import UnknownTopicError
from pantarhei.model.message_text import did_you_mean
from pantarhei.service.config import HTTPSource
from pantarhei.service.decoding import topic_pattern
from pantarhei.service.sources.source import Inbox, SourceStatus


class HTTPMessages:
    """Messages of `POST /push/{topic}`; has no thread."""

    def __init__(self, name: str, section: HTTPSource) -> None:
        self.name, self._section, self.status = name, section, SourceStatus()

    def check(self) -> None:
        """Do nothing: `serve --check` tests the address of the server."""

    def start(self, inbox: Inbox, position: Any) -> None:
        """Accept messages."""
        self.status.connected = True

    def check_topic(self, topic: str) -> None:
        """Count a message, if its topic has a mapping.

        Raises:
            UnknownTopicError: it has none.
        """
        known = tuple(self._section.http)
        if not any(topic_pattern(each).fullmatch(topic) for each in known):
            raise UnknownTopicError(topic, known, did_you_mean(topic, known))
        self.status.messages += 1

    def stop(self) -> None:
        """Stop to accept messages."""
        self.status.connected = False

    def close(self) -> None:
        """Do nothing: there is no connection."""
