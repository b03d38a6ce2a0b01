"""Message logs for rdflib: `graph.parse("log.ttl", format="turtle-messages")`, and so for the other syntaxes.

All messages are read into one graph or dataset; a blank node's label is known in its message alone. rdflib
finds the parsers by the entry points of this package.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast

import pyoxigraph as ox
from rdflib import BNode, Graph, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.parser import InputSource, Parser

from pantarhei.errors import OptionError
from pantarhei.rdf.blank_nodes import nodes_of_message
from pantarhei.rdf.message_log import ANNOUNCEMENT, is_log, read_log
from pantarhei.rdf.ntriples import to_rdflib
from pantarhei.rdf.statements import ByteFeed, Readable
from pantarhei.rdf.term_reader import TermReader
from pantarhei.rdf.unpacking import Unpacking


class MessageLogParser(Parser):
    """Reads a message log in TriG, which Turtle and N-Triples are too."""

    syntax: ClassVar[str] = "trig"

    def parse(self, source: InputSource, sink: Graph, **options: Any) -> None:
        """Add what all messages say.

        Raises:
            OptionError: the file is no message log, or has named graphs and the graph can hold none.
            MalformedInputError: a message is malformed; those before it have been added.
        """
        name = source.getSystemId() or source.getPublicId() or "<stream>"
        feed = ByteFeed(Unpacking(cast(Readable, source.getByteStream()), name))
        if not feed.look_ahead(is_log):
            raise OptionError("format", f"{self.syntax}-messages", f"a file that begins with {ANNOUNCEMENT}")
        terms = TermReader()
        graphs: dict[object, Graph] = {ox.DefaultGraph(): sink}
        for ordinal, message in enumerate(read_log(feed, name, self.syntax, source.getPublicId() or None)):
            nodes = nodes_of_message(name, "", ordinal)
            for _, quad in message.statements:
                if quad.graph_name not in graphs:
                    graphs[quad.graph_name] = self._graph(sink, quad.graph_name)
                graphs[quad.graph_name].add(terms.triple(quad, nodes))

    def _graph(self, sink: Graph, name: object) -> Graph:
        if sink.identifier != DATASET_DEFAULT_GRAPH_ID:
            raise OptionError("graph", repr(sink), f"an rdflib.Dataset, since there is a graph {name} in it")
        return Graph(sink.store, cast(URIRef | BNode, to_rdflib(name)))


class TurtleMessages(MessageLogParser):
    """Reads a message log in Turtle."""

    syntax = "turtle"


class NTriplesMessages(MessageLogParser):
    """Reads a message log in N-Triples."""

    syntax = "ntriples"


class NQuadsMessages(MessageLogParser):
    """Reads a message log in N-Quads."""

    syntax = "nquads"
