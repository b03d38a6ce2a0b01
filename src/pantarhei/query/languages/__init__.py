"""Texts of C-SPARQL, RSP-QL and CQELS in, registrations of continuous queries out."""

from pantarhei.query.languages.reading import read_stream_text
from pantarhei.query.languages.stream_text import StreamText

__all__ = ["StreamText", "read_stream_text"]
