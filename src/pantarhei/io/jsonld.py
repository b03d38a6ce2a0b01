"""JSON-LD streams: graphs with their times in one document or many, or documents that have one time each."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox

from pantarhei.errors import MalformedInputError
from pantarhei.io.abox import Triples
from pantarhei.io.datasets import DatasetMessages
from pantarhei.io.graph_times import TimeReading
from pantarhei.io.messages import Skip, TripleMessages
from pantarhei.model.time import TimePoint
from pantarhei.rdf.json_contexts import Contexts
from pantarhei.rdf.json_documents import documents, read_document
from pantarhei.rdf.message_log import Message
from pantarhei.rdf.ngsi_ld import timed_graphs
from pantarhei.rdf.statements import ByteFeed, Statement


class JSONLDMessages:
    """Reads the messages of one file; one pass.

    A document with named graphs is a stream of these; any other is a message as those of logs are.

    Args:
        source: what errors call the file.
        time: where the times are, as `read_stream` takes it.
        base: what relative IRIs begin with; None refuses them.
        skip: takes what is left out; None to raise.
        reading: how times are read; `on_cut` is called once a message.
        contexts: contexts that documents name by their IRIs.
    """

    def __init__(
        self,
        source: str,
        time: str,
        base: str | None,
        skip: Skip | None,
        reading: TimeReading,
        contexts: Contexts | None = None,
    ) -> None:
        self._source, self._time, self._base, self._skip, self._reading = source, time, base, skip, reading
        self._contexts = contexts or Contexts()
        self._alone = DatasetMessages(source, time, skip, reading)

    def read(self, feed: ByteFeed) -> Iterator[tuple[TimePoint, Triples]]:
        """The messages in file order with their times.

        Raises:
            InputError: a document, a time or a graph is not as it should be, and nothing takes what is
                skipped.
        """
        for line, text in documents(feed, self._source, self._skip):
            statements = self._statements(line, text)
            if statements is None:
                continue
            if any(not isinstance(quad.graph_name, ox.DefaultGraph) for _, quad in statements):
                yield from self._graphs(statements)
            else:
                yield from self._alone.read([Message(line, statements)])

    def read_entities(self, feed: ByteFeed) -> Iterator[tuple[TimePoint, Triples]]:
        """Yield the attributes of NGSI-LD entities in the order of documents, each with its `observedAt`.

        Raises:
            InputError: as `read`.
        """
        for line, text in documents(feed, self._source, self._skip):
            for graph in timed_graphs(text, self._reading.zone):
                if isinstance(graph, bytes):
                    yield from self._graphs(self._statements(line, graph) or [])
                elif self._skip is None:
                    raise MalformedInputError(self._source, line, str(graph))
                else:
                    self._skip(line, str(graph), text[:1000].decode(errors="replace"))

    def _statements(self, line: int, text: bytes) -> list[Statement] | None:
        return read_document(line, text, self._source, self._base, self._skip, self._contexts)

    def _graphs(self, statements: list[Statement]) -> Iterator[tuple[TimePoint, Triples]]:
        """The graphs of a document; those of the next may have the same names."""
        graphs = TripleMessages(self._source, self._time, self._skip, self._reading, self._alone.ordinal)
        yield from graphs.read(iter(statements))
        self._alone.ordinal = graphs.ordinal
