"""Streams in and answers out: files and Python iterables of timestamped ABoxes."""

from pantarhei.streams.abox import TimestampedABox, abox_stream
from pantarhei.streams.read import StreamReader, read_stream
from pantarhei.streams.reader_counts import Skipped
from pantarhei.streams.record_mapping import Mapping
from pantarhei.streams.records import read_records
from pantarhei.streams.table import read_table
from pantarhei.streams.write import AnswerWriter, open_writer

__all__ = [
    "AnswerWriter",
    "Mapping",
    "Skipped",
    "StreamReader",
    "TimestampedABox",
    "abox_stream",
    "open_writer",
    "read_records",
    "read_stream",
    "read_table",
]
