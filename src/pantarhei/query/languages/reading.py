"""Texts of C-SPARQL, RSP-QL and CQELS as registrations.

What a language says around SPARQL is read by its grammar and then taken out, so that what is left is SPARQL:
`WINDOW <w> {` becomes `GRAPH <w> {`, and `STREAM <s> [NOW] {` becomes `GRAPH` with a name for that window.
Errors of either have the place in the text as it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, NamedTuple, cast

from lark import Token, Tree
from rdflib import URIRef

from pantarhei.errors import QueryError, QueryTextError, check_type
from pantarhei.model.time import Duration
from pantarhei.query.algebra.expressions import TIMESTAMP
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.continuous_query import Condition, Emit, Tick
from pantarhei.query.languages.edits import Edit, Edited
from pantarhei.query.languages.extents import Bounds, check_kinds, not_nothing, read_bounds
from pantarhei.query.languages.grammar import ParseTree, parse
from pantarhei.query.languages.stream_text import (
    Everything,
    Language,
    NewestTimestamp,
    StreamText,
    StreamWindow,
)
from pantarhei.query.languages.written import Length, Part, Written, all_subtrees, span, subtrees, tokens
from pantarhei.query.syntax import read_query
from pantarhei.query.syntax.names import OwnFunction
from pantarhei.query.syntax.parser import without_mark


class _Custom(NamedTuple):
    """What holds in a language where a text does not say it."""

    emit: Emit
    on: tuple[Condition, ...]
    tick: Tick


_CUSTOMS: Final[dict[Language, _Custom]] = {
    "C-SPARQL": _Custom("rstream", ("close", "non-empty"), "timestamp"),
    "RSP-QL": _Custom("rstream", ("close",), "timestamp"),
    "CQELS": _Custom("istream", ("change", "non-empty"), "timestamp"),
    "SPARQL": _Custom("delta", ("change",), "abox"),
}
# Which language has which parts, and which of them are windows.
_LANGUAGE_OF: Final[dict[str, Language]] = {
    "stream": "C-SPARQL",
    "named_stream": "C-SPARQL",
    "window": "RSP-QL",
    "window_as": "RSP-QL",
    "default_window": "RSP-QL",
    "window_block": "RSP-QL",
    "stream_head": "CQELS",
}
_WINDOWS = tuple(kind for kind in _LANGUAGE_OF if kind != "window_block")
_TIMESTAMP_IRI = "http://larkc.eu/csparql/sparql/jena/ext#timestamp"


def read_stream_text(
    text: str, prefixes: Mapping[str, str] | None = None, base: str | None = None
) -> StreamText:
    """What a text in C-SPARQL, RSP-QL, CQELS or plain SPARQL registers.

    Args:
        prefixes: those that it may use without declaring them.
        base: what its relative IRIs are resolved against.

    Raises:
        QueryTextError: it is malformed, mixes languages, has a window that cannot be, or asks for what
            `read_query` refuses.
        OptionError: it is no text.

    >>> made = read_stream_text("SELECT ?x FROM STREAM <urn:s> [RANGE 10s STEP 1s] { ?x a <urn:C> }")
    >>> made.language, made.emit, made.on
    ('C-SPARQL', 'rstream', ('close', 'non-empty'))
    >>> made.windows[0].extent.slide
    datetime.timedelta(seconds=1)
    """
    check_type("query", text, str, "a text in C-SPARQL, RSP-QL, CQELS or SPARQL")
    text = without_mark(text)
    tree = parse(text)
    return _Reader(Written(text, tree, prefixes or {}, base), tree).stream_text(prefixes, base)


@dataclass(frozen=True, slots=True)
class _Declared:
    """A window as it is declared.

    Args:
        part: where.
        name: its own, None where it has none.
        stream: the stream's IRI.
        bounds: what the brackets say.
    """

    part: ParseTree
    name: URIRef | None
    stream: URIRef
    bounds: Bounds


class _Reader:
    """Reads one text."""

    def __init__(self, written: Written, tree: ParseTree) -> None:
        self._written, self._tree = written, tree
        self._language = _language(written, tree)
        self._register = subtrees(tree, "register")

    def stream_text(self, prefixes: Mapping[str, str] | None, base: str | None) -> StreamText:
        custom = _CUSTOMS[self._language]
        declared = list(map(self._declared, all_subtrees(self._tree, *_WINDOWS)))
        on, tick = self._policy([each.bounds for each in declared])
        on, every = on or custom.on, self._every()
        self._check_lengths(declared, every)
        if "close" in on and any(each.bounds.lacks_step for each in declared):
            declared = [self._with_step(each, every) for each in declared]
            self._check_periods("report")
        else:
            self._check_periods("every", "report")
            on = on if every is None else tuple(dict.fromkeys((*on, every)))
        if "close" in on:
            self._check_closing(declared)
        windows = self._windows(declared)
        self._check_blocks([window.name for window in windows])
        sparql = self._sparql(declared, windows)
        query = self._query(sparql, prefixes, base)
        return StreamText(
            text=self._written.text,
            language=self._language,
            sparql=sparql.text,
            query=query,
            name=self._name(),
            emit=self._emit() or custom.emit,
            on=on,
            tick=tick or custom.tick,
            whole_windows=self._language == "RSP-QL" and "close" in on,
            windows=tuple(dict.fromkeys(windows)),
            entailment=self._regime(),
        )

    # -- what is said of the query ---------------------------------------------------------------------

    def _name(self) -> str | None:
        for iri in self._of_register("iri"):
            return str(self._written.iri(iri))
        names = [token for part in self._register for token in tokens(part) if token.type == "NAME"]
        return str(names[0]) if names else None

    def _emit(self) -> Emit | None:
        """The stream of answers that is asked for, by REGISTER or behind SELECT or CONSTRUCT."""
        said = [token for part in (*self._register, self._tree) for token in tokens(part)]
        forms = [token for token in said if token.type in ("FORM", "OPERATOR")]
        streams = [form for form in forms if form.upper() not in ("QUERY", "STREAM")]
        if len({stream.upper() for stream in streams}) > 1:
            problem = f"{streams[0].upper()} is asked for, and {streams[1].upper()}"
            raise self._written.error(streams[1], problem, "one stream of answers")
        return cast(Emit, streams[0].lower()) if streams else None

    def _every(self) -> Length | None:
        """COMPUTED EVERY."""
        for part in self._of_register("every"):
            (length,) = subtrees(part, "length")
            return not_nothing(length, "a period", self._written)
        return None

    def _regime(self) -> URIRef | None:
        for part in self._of_register("regime"):
            return self._written.iri(*subtrees(part, "iri"))
        return None

    def _of_register(self, kind: str) -> list[ParseTree]:
        return [part for register in self._register for part in subtrees(register, kind)]

    # -- windows ---------------------------------------------------------------------------------------

    def _declared(self, part: ParseTree) -> _Declared:
        if variables := [token for token in tokens(part) if token.type == "VAR"]:
            raise self._written.error(variables[0], f"the stream is {variables[0]}", "the IRI of a stream")
        name, stream = None, self._written.iri(subtrees(part, "iri")[-1])
        match str(part.data):
            case "window":
                name = self._written.iri(subtrees(part, "iri")[0])
            case "window_as":
                name, stream = stream, self._written.iri(subtrees(part, "iri")[0])
            case "named_stream":
                name = stream
        (bounds,) = subtrees(part, "bounds")
        tumbles = self._language == "C-SPARQL"
        return _Declared(part, name, stream, read_bounds(bounds, self._written, tumbles))

    def _policy(
        self, all_bounds: Sequence[Bounds]
    ) -> tuple[tuple[Condition | Duration, ...] | None, Tick | None]:
        """REPORT and TICK, which windows must agree in."""
        for one, other in pairwise(all_bounds):
            if (one.on, one.tick) != (other.on, other.tick):
                problem = "the query's windows report or tick in different ways"
                raise self._written.error(other.part, problem, "the same REPORT and TICK in all")
        return (all_bounds[0].on, all_bounds[0].tick) if all_bounds else (None, None)

    def _check_lengths(self, declared: Sequence[_Declared], every: Length | None) -> None:
        """Raises: QueryTextError: some windows and periods are numbers, others durations."""
        lengths = [(each.bounds.part, length) for each in declared for length in each.bounds.lengths]
        lengths += [(part, every) for part in self._of_register("every") if every is not None]
        for (_, one), (part, other) in pairwise(lengths):
            check_kinds(part, one, other, self._written)

    def _check_periods(self, *kinds: str) -> None:
        """Raises: QueryTextError: parts of these kinds say different periods."""
        periods = [length for part in all_subtrees(self._tree, *kinds) for length in subtrees(part, "length")]
        for one, other in pairwise(periods):
            if self._written.length(one) != self._written.length(other):
                given = f"{self._written.of(other)} is a second period, beside {self._written.of(one)}"
                raise self._written.error(other, given, "one period, said by COMPUTED EVERY or by PERIODIC")

    def _with_step(self, declared: _Declared, every: Length | None) -> _Declared:
        if not declared.bounds.lacks_step:
            return declared
        if every is None:
            problem = "the window is to report when it closes, and says no step"
            raise self._written.error(declared.bounds.part, problem, "RANGE … STEP …, or TUMBLING")
        return replace(declared, bounds=declared.bounds.with_step(every, self._written))

    def _check_closing(self, declared: Sequence[_Declared]) -> None:
        """Raises: QueryTextError: a window that is to report when it closes never does."""
        for each in declared:
            if isinstance(each.bounds.extent, Everything | NewestTimestamp):
                problem = "the window never closes, and the query reports when windows close"
                raise self._written.error(
                    each.bounds.part, problem, "a range and a step, or REPORT ON_CONTENT_CHANGE"
                )

    def _windows(self, declared: Sequence[_Declared]) -> list[StreamWindow]:
        """The window of each declaration. Blocks over one stream that say the same share one."""
        made: list[StreamWindow] = []
        static = {self._written.iri(*subtrees(part, "iri")) for part in all_subtrees(self._tree, "static")}
        shared: dict[object, StreamWindow] = {}
        for each in declared:
            if each.name is not None and each.name in {window.name for window in made}:
                raise self._written.error(each.part, f"<{each.name}> is declared twice", "another name")
            if each.name in static:
                raise self._written.error(each.part, f"<{each.name}> is a static graph", "another name")
            is_block = each.part.data == "stream_head"
            key = (each.stream, each.bounds.extent) if is_block else len(made)
            name = each.name or URIRef(f"urn:pantarhei:window:{len(shared) + 1}")
            is_default = each.name is None and not is_block
            window = StreamWindow(name, each.stream, each.bounds.extent, is_default)
            made.append(shared.setdefault(key, window))
        return made

    def _check_blocks(self, names: Sequence[URIRef]) -> None:
        """Raises: QueryTextError: a WINDOW block is about no window that is declared."""
        known = " or ".join(f"<{name}>" for name in names) or "FROM NAMED WINDOW … ON … first"
        for block in all_subtrees(self._tree, "window_block"):
            for part in block.children:
                if isinstance(part, Token) and part.type == "VAR":
                    raise self._written.error(part, f"the window is {part}", known)
                if isinstance(part, Tree) and part.data == "iri" and self._written.iri(part) not in names:
                    problem = f"the window {self._written.of(part)} is not declared"
                    raise self._written.error(part, problem, known)

    # -- SPARQL ----------------------------------------------------------------------------------------

    def _sparql(self, declared: Sequence[_Declared], windows: Sequence[StreamWindow]) -> Edited:
        """What is left of the text, where FROM and FROM NAMED, if it has any, name the windows too."""
        heads = [
            Edit(*span(each.part), f"GRAPH <{window.name}>")
            for each, window in zip(declared, windows, strict=True)
            if each.part.data == "stream_head"
        ]
        named = [f" FROM {'' if window.is_default else 'NAMED '}<{window.name}>" for window in windows]
        graphs = [
            Edit(end, end, "".join(dict.fromkeys(named)))
            for _, end in map(span, all_subtrees(self._tree, "static")[-1:])
        ]
        calls = [Edit(*span(word), f"<{_TIMESTAMP_IRI}>") for word in self._calls_of_timestamp()]
        return Edited.of(self._written.text, [*heads, *graphs, *calls, *self._blanks()])

    def _calls_of_timestamp(self) -> list[Token]:
        """The word `timestamp` where it is called, which SPARQL does not know."""
        return [
            word
            for part in all_subtrees(self._tree, "start", "group", "paren", "column", "template")
            for word, arguments in pairwise(part.children)
            if isinstance(word, Token)
            and word.type == "WORD"
            and word.lower() == "timestamp"
            and isinstance(arguments, Tree)
            and arguments.data in ("paren", "column")
        ]

    def _blanks(self) -> Iterable[Edit]:
        """What is not SPARQL, and has been read."""
        for part in all_subtrees(self._tree, "register", *_WINDOWS):
            if part.data != "stream_head":
                yield Edit(*span(part))
        for token in tokens(self._tree):
            if token.type == "OPERATOR":
                yield Edit(*span(token))
        for part in all_subtrees(self._tree, "static"):
            yield from (Edit(*span(token)) for token in tokens(part) if token.type == "GRAPH")
        for part in all_subtrees(self._tree, "window_block"):
            yield from (Edit(*span(token), "GRAPH") for token in tokens(part) if token.type == "WINDOW")

    def _query(self, sparql: Edited, prefixes: Mapping[str, str] | None, base: str | None) -> Query:
        """The query that is left.

        Raises:
            QueryTextError: it is malformed, at the place in the text as it was given; where that is not
                known, at its first braces.
        """
        timestamp = OwnFunction(TIMESTAMP, ("the subject", "the predicate", "the object of a triple"))
        try:
            return read_query(sparql.text, prefixes, base, {_TIMESTAMP_IRI: timestamp})
        except QueryTextError as error:
            place = sparql.place_before(error.line, error.column)
            raise QueryTextError.at(sparql.given, place, error.problem, error.expected) from None
        except QueryError as error:
            (whole, *_) = (*all_subtrees(self._tree, "group"), self._tree)
            raise self._written.error(whole, str(error).removeprefix("malformed query: ")) from None


def _language(written: Written, tree: ParseTree) -> Language:
    """The language that a text's windows are written in.

    Raises:
        QueryTextError: they are of two.
    """
    parts: list[Part] = list(all_subtrees(tree, *_LANGUAGE_OF))
    languages = [_LANGUAGE_OF[str(part.data)] for part in parts if isinstance(part, Tree)]
    for part, language in zip(parts, languages, strict=True):
        if language != languages[0]:
            problem = f"this is {language}, and what comes before it is {languages[0]}"
            raise written.error(part, problem, "one language")
    return languages[0] if languages else "SPARQL"
