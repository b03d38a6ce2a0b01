"""Readers of streams and tables, and writers of answers."""

from pantarhei.io.abox import TimestampedABox, abox_stream
from pantarhei.io.reader import Skipped
from pantarhei.io.records import Mapping, read_records
from pantarhei.io.stream_reader import StreamReader, read_stream
from pantarhei.io.triple_files import read_table
from pantarhei.io.writers import AnswerWriter, open_writer

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
