"""RDF message logs: N-Triples, N-Quads, Turtle or TriG with delimiters between messages.

RDF Messages (draft of the W3C community group RDF Stream Processing): a log begins with `VERSION
"1.2-messages"`. `MESSAGE` or `@message .` between two statements ends one message and begins the next.
Messages may be empty, except after the last delimiter, where statements are needed for a further message.
Prefixes and the base apply to later messages too; the label of a blank node is local to its message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from typing import Any, ClassVar, Final, NamedTuple, cast

import pyoxigraph as ox
from rdflib import BNode, Graph, URIRef
from rdflib.graph import DATASET_DEFAULT_GRAPH_ID
from rdflib.parser import InputSource, Parser

from pantarhei.errors import MalformedInputError, OptionError
from pantarhei.rdf.decompression import DecompressedFile, Readable
from pantarhei.rdf.ntriples import TermReader, nodes_of_message, to_rdflib
from pantarhei.rdf.parse import parser_errors, refuse_deep_nesting
from pantarhei.rdf.statements import ByteFeed, Skip, Statement, line_blocks, parse_lines

ANNOUNCEMENT: Final = 'VERSION "1.2-messages"'
SYNTAXES: Final = {
    "ntriples": ox.RdfFormat.N_TRIPLES,
    "nquads": ox.RdfFormat.N_QUADS,
    "turtle": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
}
_KNOWN = re.compile(rb"(?:\s+|#[^\n]*\n|@?(?:prefix|base)\b[^\n]*\n)*", re.IGNORECASE)
_BEGIN = re.compile(rb"""@?version\s+(?:"[^"\n]*-messages"|'[^'\n]*-messages')""", re.IGNORECASE)
_DIRECTIVES = (b"version", b"prefix", b"base")

_VERSION_LINE = re.compile(rb"\s*@?version\s[^\n]*\n?", re.IGNORECASE)
_DELIMITER_LINE = re.compile(rb"\s*(?:message|@message\s*\.)\s*(?:#[^\n]*\n?)?", re.IGNORECASE)

_WORTH_A_LOOK = re.compile(rb"message|\"\"\"|'''", re.IGNORECASE)
_TOKENS = re.compile(
    rb"""
    (?P<delimiter> (?<![^\s.}]) (?: message(?![^\s#<@]) | @message\s*\. ) )
    | (?P<undotted> (?<![^\s.}]) @message\b )
    | (?P<long> \"\"\" | ''' )
    | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*' | <[^<>"{}|^`\\\s]*> | \#[^\n]*
    | [^\s<>"'\#]+ | .
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ENDS = {quote: re.compile(rb"(?:[^\\]|\\.)*?" + quote, re.DOTALL) for quote in (b'"""', b"'''")}


def is_log(first: bytes) -> bool | None:
    r"""Return True if a document with this start is a message log; None if more bytes are needed.

    >>> is_log(b'# belts\nVERSION "1.2-messages"\n'), is_log(b"<urn:a> <urn:b>"), is_log(b"VERS")
    (True, False, None)
    """
    rest = _KNOWN.sub(b"", first, count=1)
    if _BEGIN.match(rest):
        return True
    word = rest.lower().removeprefix(b"@")
    may_go_on = rest.startswith((b"#", b"@")) or any(
        each.startswith(word) or word.startswith(each) for each in _DIRECTIVES
    )
    return None if may_go_on and b"\n" not in rest else False


class LogMessage(NamedTuple):
    """Message of a log, with the number of its first line."""

    line: int
    statements: list[Statement]


def read_log(
    feed: ByteFeed, source: str, syntax: str, base: str | None = None, skip: Skip | None = None
) -> Iterator[LogMessage]:
    """Yield the messages of a log, each as soon as its delimiter or the end of the file has been read.

    Args:
        source: name of the file in errors.
        syntax: a key of `SYNTAXES`.
        base: base of relative IRIs until the log declares another.
        skip: called with malformed lines of N-Triples and N-Quads, and with malformed messages of other
            syntaxes.

    Raises:
        MalformedInputError: the input is malformed, and `skip` is None.
    """
    blocks = line_blocks(feed, source, skip=skip)
    if syntax in ("ntriples", "nquads"):
        return _by_lines(blocks, source, SYNTAXES[syntax], skip)
    return _TurtleLog(source, syntax, base, skip).read(blocks)


def _by_lines(
    blocks: Iterator[tuple[int, bytes]], source: str, syntax: ox.RdfFormat, skip: Skip | None
) -> Iterator[LogMessage]:
    begin = 1
    statements: list[Statement] = []
    line = 0
    for first, block in blocks:
        held: list[bytes] = []
        held_from = first
        for line, text in enumerate(BytesIO(block), first):
            is_delimiter = _DELIMITER_LINE.fullmatch(text) is not None
            if is_delimiter or _VERSION_LINE.fullmatch(text):
                statements += _parsed_lines(held_from, held, source, skip, syntax)
                held, held_from = [], line + 1
            else:
                held.append(text)
            if is_delimiter:
                yield LogMessage(begin, statements)
                begin, statements = line + 1, []
        statements += _parsed_lines(held_from, held, source, skip, syntax)
    if statements:
        yield LogMessage(begin, statements)


def _parsed_lines(
    first: int, lines: list[bytes], source: str, skip: Skip | None, syntax: ox.RdfFormat
) -> Iterator[Statement]:
    if lines:
        yield from parse_lines(first, b"".join(lines), source, skip, syntax)


_NEARLY_DELIMITER = re.compile(rb"\s*(@?messages?\b|-{3}|#{3}|={3})", re.IGNORECASE)
_GRAPH = re.compile(rb"\s*(GRAPH\b|\{)", re.IGNORECASE)


class _TurtleLog:
    """Reader of a log in Turtle or TriG. It keeps the prefixes and the base for later messages."""

    def __init__(self, source: str, syntax: str, base: str | None, skip: Skip | None) -> None:
        self._source, self._syntax, self._base, self._skip = source, syntax, base, skip
        self._prefixes: dict[str, str] = {}
        self._open: bytes | None = None  # quotation mark of an unfinished multi-line string

    def read(self, blocks: Iterator[tuple[int, bytes]]) -> Iterator[LogMessage]:
        """Yield the messages in blocks of whole lines."""
        held: list[bytes] = []
        begin = 1
        for first, block in blocks:
            for line, text in enumerate(BytesIO(block), first):
                start = 0
                for before, behind in self._delimiters(text, line):
                    held.append(text[start:before])
                    yield from self._message(begin, b"".join(held))
                    held, begin, start = [], line, behind
                held.append(text[start:])
        last = b"".join(held)
        if last.strip():
            yield from self._message(begin, last, is_last=True)

    def _delimiters(self, text: bytes, line: int) -> Iterator[tuple[int, int]]:
        """Yield the start and end of each delimiter in a line."""
        if self._open is None and not _WORTH_A_LOOK.search(text):
            return
        at = 0
        while at < len(text):
            if self._open is not None:
                end = _ENDS[self._open].match(text, at)
                if end is None:
                    return
                self._open, at = None, end.end()
                continue
            token = _TOKENS.match(text, at)
            if token is None:  # a newline
                return
            if token.lastgroup == "undotted":
                raise MalformedInputError(
                    self._source, line, "@message must be followed by a dot: @message ."
                )
            if token.lastgroup == "delimiter":
                yield token.span()
            elif token.lastgroup == "long":
                self._open = token[0]
            at = token.end()

    def _advice(self, line: list[bytes]) -> str:
        """Return a hint for a malformed line; empty if there is none."""
        if line and _NEARLY_DELIMITER.match(line[0]):
            return "; messages are separated by MESSAGE alone, or @message with a dot"
        if line and self._syntax == "turtle" and _GRAPH.match(line[0]):
            return "; named graphs need TriG: a file .trig, or format trig"
        return ""

    def _message(self, line: int, text: bytes, is_last: bool = False) -> Iterator[LogMessage]:
        """Yield the message with this text, unless it is malformed and skipped, or empty and the last one."""
        declared = "".join(f"@prefix {name}: <{iri}> . " for name, iri in self._prefixes.items())
        try:
            with parser_errors(self._source):
                refuse_deep_nesting(text, self._syntax, self._source)
                parser = ox.parse(declared.encode() + text, SYNTAXES[self._syntax], base_iri=self._base)
                quads = list(parser)
        except MalformedInputError as error:
            place = line if error.line is None else line + error.line - 1
            reason = error.reason
            if not is_last and error.line is not None and error.line > text.count(b"\n"):
                reason += "; the message ends here, since MESSAGE follows"
            elif error.line is not None:
                reason += self._advice(text.splitlines()[error.line - 1 : error.line])
            if self._skip is None:
                raise MalformedInputError(self._source, place, reason) from None
            self._skip(place, reason, text[:1000].decode(errors="replace"))
            return
        self._prefixes, self._base = parser.prefixes, parser.base_iri
        statements = [Statement(line, quad) for quad in quads]
        if statements or not is_last:
            yield LogMessage(line, statements)


class MessageLogParser(Parser):
    """rdflib parser of message logs in TriG, of which Turtle and N-Triples are subsets.

    `graph.parse("log.ttl", format="turtle-messages")` adds the statements of all messages to one graph or
    dataset. rdflib finds the parsers through the entry points of this package.
    """

    syntax: ClassVar[str] = "trig"

    def parse(self, source: InputSource, sink: Graph, **options: Any) -> None:
        """Add the statements of all messages to `sink`.

        Raises:
            OptionError: the file is not a message log, or has named graphs and `sink` is not a dataset.
            MalformedInputError: a message is malformed. The statements of earlier messages have been added.
        """
        name = source.getSystemId() or source.getPublicId() or "<stream>"
        feed = ByteFeed(DecompressedFile(cast(Readable, source.getByteStream()), name))
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
    """rdflib parser of message logs in Turtle."""

    syntax = "turtle"


class NTriplesMessages(MessageLogParser):
    """rdflib parser of message logs in N-Triples."""

    syntax = "ntriples"


class NQuadsMessages(MessageLogParser):
    """rdflib parser of message logs in N-Quads."""

    syntax = "nquads"
