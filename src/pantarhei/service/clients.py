"""Clients of brokers, databases and servers: their addresses and errors."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from urllib.parse import urlsplit

from pantarhei.errors import ConnectionFailedError, PantarheiError

LOG = logging.getLogger("pantarhei.service")
PATIENCE = 10.0
"""Seconds to wait for an answer of a broker, database or server."""
PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds between the first attempts to repeat what has failed, and between later ones."""


def address_of(url: str, ports: Mapping[str, int]) -> tuple[str, int] | None:
    """Return host and port of a URL; None if it is invalid.

    Args:
        ports: the permitted schemes with their default ports.

    >>> address_of("mqtt://broker", {"mqtt": 1883}), address_of("http://broker", {"mqtt": 1883})
    (('broker', 1883), None)
    """
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ports or not parts.hostname:
        return None
    return parts.hostname, port or ports[parts.scheme]


@contextmanager
def reaching(name: str, address: str, secret: str | None = None) -> Iterator[None]:
    """Convert the errors of a client to `ConnectionFailedError`.

    Args:
        name: the source or sink.
        secret: a text that is not shown.
    """
    try:
        yield
    except PantarheiError:
        raise
    except Exception as error:
        text = text_of(getattr(error, "strerror", None) or error, secret)
        raise ConnectionFailedError(name, address, text) from error


def text_of(error: object, secret: str | None = None) -> str:
    """Return the text of an error on one line of bounded length, without a secret; without the name of the
    source or sink, which its reader shows beside it.
    """
    if isinstance(error, ConnectionFailedError):
        error = f"{error.address} cannot be reached: {error.problem}"
    given = error.args[0] if isinstance(error, Exception) and error.args else error
    text = given.str() if hasattr(given, "str") else str(error)  # the first one is an error of Kafka
    shown = " ".join((text or repr(error)).split())
    return (shown.replace(secret, "***") if secret else shown)[:500]
