"""Streams in and answers out: files and Python iterables of timestamped ABoxes."""

from pantarhei.streams.abox import TimestampedABox, abox_stream
from pantarhei.streams.read import Skipped, StreamReader, read_stream

__all__ = ["Skipped", "StreamReader", "TimestampedABox", "abox_stream", "read_stream"]
