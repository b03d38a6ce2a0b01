"""Streams in and answers out: files and Python iterables of timestamped ABoxes."""

from pantarhei.io.abox import TimestampedABox, abox_stream
from pantarhei.io.read import StreamReader, read_stream
from pantarhei.io.reader_counts import Skipped
from pantarhei.io.record_mapping import Mapping
from pantarhei.io.records import read_records
from pantarhei.io.table import read_table
from pantarhei.io.write import AnswerWriter, open_writer

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
