"""Messages that are RDF datasets with one time each: messages of RDF message logs, and JSON-LD documents.

A message asserts the triples of all its graphs, except the statements of the default graph whose subject is
the name of a graph of the message, such as the time of that graph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyoxigraph as ox

from pantarhei.errors import (
    InvalidTripleError,
    MalformedInputError,
    MissingTimestampError,
    PantarheiError,
    TimestampError,
)
from pantarhei.errors.base import parameter
from pantarhei.io.abox import TripleBuffer, same_kind
from pantarhei.io.graph_messages import (
    AUTO,
    BY_NAME,
    EXACTLY,
    Refusal,
    Skip,
    TimeReading,
    TripleMessages,
    expected_time_in_message,
    other_time,
    parse_time,
    time_in_name,
    time_properties,
)
from pantarhei.model.time import TimeKind, TimePoint, show_time
from pantarhei.rdf.json_documents import Contexts, documents, read_document, timed_graphs
from pantarhei.rdf.message_log import LogMessage
from pantarhei.rdf.ntriples import NumberedNodes, TermReader, nodes_of_message
from pantarhei.rdf.statements import ByteFeed, Statement


class DatasetMessages:
    """Single-pass reader of the dataset messages of one file.

    Args:
        source: the file's name in errors.
        time: the option `time` of `read_stream`.
        skip: called with each invalid statement, which is then skipped; None to raise instead.
        reading: options for parsing times; `on_cut` is called at most once per message.
    """

    def __init__(self, source: str, time: str, skip: Skip | None, reading: TimeReading = EXACTLY) -> None:
        self._source, self._time, self._reading = source, time, reading
        self._refuse = Refusal(source, skip)
        self._properties = {ox.NamedNode(iri) for iri in time_properties(time)}
        self._terms = TermReader()
        self._kind: TimeKind | None = None
        self.ordinal = 0

    def read(self, messages: Iterable[LogMessage]) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        """Yield the time and the triples of each message that is not empty.

        Raises:
            InputError: a message has no time or several times, or a statement is not an RDF 1.1 triple, and
                `skip` is None.
        """
        for line, statements in messages:
            if not statements:
                continue
            nodes = nodes_of_message(self._source, "", self.ordinal)
            self.ordinal += 1
            quads = [quad for _, quad in statements]
            names = (quad.graph_name for quad in quads)
            graphs = {name for name in names if not isinstance(name, ox.DefaultGraph)}
            cut: list[str] = []
            note = None if self._reading.on_cut is None else cut.append
            try:
                at = self._time_of(quads, graphs, line, self._reading._replace(on_cut=note))
                kind = same_kind(at, self._kind)
            except PantarheiError as error:
                self._refuse(error, line, str(quads[0]), len(quads))
                continue
            triples, skipped = TripleBuffer(), 0
            for place, quad in statements:
                if not (isinstance(quad.graph_name, ox.DefaultGraph) and quad.subject in graphs):
                    skipped += not self._add(triples, place, quad, nodes)
            if skipped and not len(triples) and not any(quad.predicate in self._properties for quad in quads):
                continue  # skipped statements do not advance time
            self._kind = kind
            if cut and self._reading.on_cut is not None:
                self._reading.on_cut(cut[0])
            yield at, triples

    def _add(self, triples: TripleBuffer, line: int, quad: ox.Quad, nodes: NumberedNodes) -> bool:
        """Append the triple of a statement; return False if the statement is invalid and was skipped."""
        try:
            triples.append(self._terms.triple(quad, nodes))
        except InvalidTripleError as error:
            self._refuse(error, line, str(quad), 1)
            return False
        return True

    def _time_of(
        self, quads: list[ox.Quad], graphs: set[ox.NamedNode | ox.BlankNode], line: int, reading: TimeReading
    ) -> TimePoint:
        times: set[TimePoint] = set()
        for quad in quads:
            if quad.predicate in self._properties:
                if not isinstance(quad.object, ox.Literal):
                    expected = "a literal, a number or an ISO 8601 time"
                    raise TimestampError(f"{quad.object} as the time of a message", expected)
                times.add(parse_time(quad.object.value, reading))
        if not times and self._time in (AUTO, BY_NAME):
            names = [each.value for each in graphs if isinstance(each, ox.NamedNode)]
            in_names = (time_in_name(name, reading) for name in names)
            times = {at for at in in_names if at is not None}
        if not times:
            where = f"{self._source}, line {line}"
            expected = expected_time_in_message(self._time) + next(filter(None, map(other_time, quads)), "")
            raise MissingTimestampError(where, "", expected)
        if len(times) > 1:
            shown = " and ".join(sorted(map(show_time, times)))
            raise TimestampError(
                f"a message with the times {shown}",
                "one time in a message; keep two messages apart (with MESSAGE in a log, as two documents of "
                f"JSON-LD), or set the option {parameter('time')} to the property of the message's time",
            )
        return times.pop()


class JSONLDMessages:
    """Single-pass reader of the messages of one JSON-LD file.

    A document with named graphs is a stream of graphs; any other document is a dataset message.

    Args:
        source: the file's name in errors.
        time: the option `time` of `read_stream`.
        base: base of relative IRIs; None to refuse relative IRIs.
        skip: called with each invalid document or statement, which is then skipped; None to raise instead.
        reading: options for parsing times; `on_cut` is called at most once per message.
        contexts: JSON-LD contexts by IRI.
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
        self._datasets = DatasetMessages(source, time, skip, reading)

    def read(self, feed: ByteFeed) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        """Yield the time and the triples of each message in file order.

        Raises:
            InputError: a document, a time or a graph is invalid, and `skip` is None.
        """
        for line, text in documents(feed, self._source, self._skip):
            statements = self._statements(line, text)
            if statements is None:
                continue
            if any(not isinstance(quad.graph_name, ox.DefaultGraph) for _, quad in statements):
                yield from self._graphs(statements)
            else:
                yield from self._datasets.read([LogMessage(line, statements)])

    def read_entities(self, feed: ByteFeed) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        """Yield the time (`observedAt`) and the triples of each attribute of the NGSI-LD entities in the
        file.

        Raises:
            InputError: a document, a time or a graph is invalid, and `skip` is None.
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

    def _graphs(self, statements: list[Statement]) -> Iterator[tuple[TimePoint, TripleBuffer]]:
        """Yield the time and triples of each graph of one document; graph names are local to the document."""
        graphs = TripleMessages(self._source, self._time, self._skip, self._reading, self._datasets.ordinal)
        yield from graphs.read(iter(statements))
        self._datasets.ordinal = graphs.ordinal
