"""Reader of registrations of continuous queries in C-SPARQL, RSP-QL, CQELS and SPARQL.

A WINDOW or STREAM block becomes a `Graph` of the algebra with the name of its window.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import pairwise
from typing import Final, NamedTuple, cast

from lark import Token, Tree
from rdflib import URIRef

from pantarhei.errors import TimestampError, check_type
from pantarhei.model.time import Duration, parse_length
from pantarhei.query.continuous_query import Condition, Emit, Tick
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Everything,
    Extent,
    Language,
    NewestTimestamp,
    PastWindow,
    StreamText,
    StreamWindow,
)
from pantarhei.query.syntax.expressions import NameScope
from pantarhei.query.syntax.grammar import ParseTree, Part, QueryText, all_subtrees, parse, subtrees, tokens
from pantarhei.query.syntax.queries import WindowGraphs, query_of_tree
from pantarhei.window.sliding import Window

Length = int | float | timedelta

_CONDITIONS: Final[dict[str, Condition]] = {
    "WINDOW_CLOSE": "close",
    "CONTENT_CHANGE": "change",
    "NON_EMPTY_CONTENT": "non-empty",
}
_TICKS: Final[dict[str, Tick]] = {"TIME_DRIVEN": "timestamp", "BATCH_DRIVEN": "abox"}


@dataclass(frozen=True, slots=True)
class Bounds:
    """Bounds of a window as declared in the text.

    Args:
        part: parse tree of the brackets.
        extent: content of the window; a `Window` without a slide if no step is declared.
        on: conditions of REPORT; None without REPORT.
        tick: TICK; None without TICK.
    """

    part: ParseTree
    extent: Extent
    on: tuple[Condition | Duration, ...] | None
    tick: Tick | None

    @property
    def _window(self) -> Window | None:
        """The window over time, None for other extents."""
        window = self.extent.window if isinstance(self.extent, PastWindow) else self.extent
        return window if isinstance(window, Window) else None

    @property
    def lacks_step(self) -> bool:
        """True if the window is a window over time without a step."""
        return self._window is not None and self._window.slide is None

    @property
    def lengths(self) -> list[Duration]:
        """All durations: the range of a window over time, and the periods of REPORT."""
        periods: list[Duration] = [each for each in self.on or () if not isinstance(each, str)]
        return periods if self._window is None else [self._window.range, *periods]

    def with_step(self, step: Length, text: QueryText) -> Bounds:
        """Return the bounds with this step, if they lack one.

        Raises:
            QueryTextError: one of step and range is a number, and the other a duration.
        """
        match self.extent:
            case Window(slide=None) as window:
                check_kinds(self.part, window.range, step, text)
                return replace(self, extent=replace(window, slide=step))
            case PastWindow(Window(slide=None) as window, ago):
                check_kinds(self.part, window.range, step, text)
                return replace(self, extent=PastWindow(replace(window, slide=step), ago))
        return self


def check_kinds(part: Part, one: object, other: object, text: QueryText) -> None:
    """Check that two lengths are both numbers or both durations.

    Raises:
        QueryTextError: one is a number, and the other a duration.
    """
    if isinstance(one, timedelta) is not isinstance(other, timedelta):
        raise text.error(part, "a number and a duration cannot be combined", "two numbers, or two durations")


class BoundsReader:
    """Reads the bounds of windows.

    Args:
        text: the query.
        tumbles: whether the default step of a count window is its size; otherwise it is 1.
    """

    def __init__(self, text: QueryText, tumbles: bool = False) -> None:
        self._text, self._tumbles = text, tumbles

    def read(self, part: ParseTree) -> Bounds:
        """Read a `bounds` tree.

        Raises:
            QueryTextError: the bounds are invalid.
        """
        what, *policies = (child for child in part.children if isinstance(child, Tree))
        reports = (policy for policy in policies if policy.data == "report")
        on = [condition for report in reports for condition in self._conditions(report)]
        ticks = [self._tick(policy) for policy in policies if policy.data == "tick"]
        if len(set(ticks)) > 1:
            raise self._text.error(part, "the window has two different TICK clauses", "one")
        return Bounds(part, self._extent(what), tuple(dict.fromkeys(on)) or None, ticks[0] if ticks else None)

    def _extent(self, part: ParseTree) -> Extent:
        match part.data:
            case "range":
                length, *steps = subtrees(part, "length")
                return self._window(part, self.positive(length, "a range"), steps)
            case "triple_count":
                return self._count(part, CountWindow(1, 1, "triples"))
            case "abox_count":
                return self._count(part, CountWindow(1, 1, "aboxes"))
            case "past":
                return self._read_past(part)
        return Everything()

    def _window(self, part: ParseTree, length: Length, steps: Sequence[ParseTree]) -> Window:
        slide = length if subtrees(part, "tumbling") else None
        for step in steps:
            slide = self.positive(step, "a step")
            check_kinds(step, length, slide, self._text)
        try:
            return Window(length, slide, closed="right")
        except TimestampError as error:
            raise self._text.error(part, f"{error.given} is invalid", error.expected) from None

    def _count(self, part: ParseTree, window: CountWindow) -> CountWindow:
        numbers = tokens(part, "NUMBER")
        size, *steps = map(self._elements, numbers)
        step = steps[0] if steps else size if self._tumbles or subtrees(part, "tumbling") else 1
        if step > size:
            problem = f"a step of {step} skips elements between windows of {size}"
            raise self._text.error(numbers[-1], problem, f"{size} at most")
        return replace(window, size=size, step=step)

    def _elements(self, token: Token) -> int:
        if not token.isdigit() or len(token) > _MAX_DIGITS or not int(token):
            expected = f"a whole number above 0, below 10^{_MAX_DIGITS}"
            raise self._text.error(token, f"{token} is not a valid number of elements", expected)
        return int(token)

    def _read_past(self, part: ParseTree) -> Extent:
        steps = subtrees(part, "length")
        start, *ends = map(self._ago, subtrees(part, "instant"))
        if start is None and not ends:
            if steps or subtrees(part, "tumbling"):
                raise self._text.error(part, "a window NOW cannot have a step", "NOW alone")
            return NewestTimestamp()
        ago = ends[0] if ends else None
        if start is not None and ago is not None:
            check_kinds(part, start, ago, self._text)
        length = _distance(start, ago)
        if length is None:
            problem = "the window ends before it begins"
            raise self._text.error(part, problem, "FROM the older TO the newer instant")
        window = self._window(part, length, steps)
        return window if ago is None else PastWindow(window, ago)

    def _ago(self, instant: ParseTree) -> Length | None:
        """Return the distance of an instant from now; None for now itself."""
        for length in subtrees(instant, "length"):
            return self.length(length) or None
        return None

    def _conditions(self, policy: ParseTree) -> list[Condition | Duration]:
        """Return the conditions of a REPORT; a length is the period of the word before it."""
        found: list[Condition | Duration] = []
        for child, following in pairwise([*policy.children, None]):
            if not isinstance(child, Token):
                continue
            name = child.upper().removeprefix("ON_")
            period = following if isinstance(following, Tree) else None
            if (name == "PERIODIC") is (period is None):
                problem = "PERIODIC has no period" if period is None else f"{child} has a period"
                expected = "a length after PERIODIC, and only there"
                raise self._text.error(child, problem, expected)
            found.append(_CONDITIONS[name] if period is None else self.positive(period, "a period"))
        return found

    def _tick(self, policy: ParseTree) -> Tick:
        (name,) = tokens(policy)
        if name.upper() not in _TICKS:
            problem = "TUPLE_DRIVEN is not supported, since ABoxes are inserted as a whole"
            raise self._text.error(name, problem, "TIME_DRIVEN or BATCH_DRIVEN")
        return _TICKS[name.upper()]

    def positive(self, part: ParseTree, what: str) -> Length:
        """Read a `length` tree.

        Raises:
            QueryTextError: the length is malformed, or 0.
        """
        length = self.length(part)
        if not length:
            raise self._text.error(part, f"{what} of {self._text.of(part)}", f"{what} above 0")
        return length

    def length(self, part: ParseTree) -> Length:
        """Read a `length` tree: a number, or a duration.

        Raises:
            QueryTextError: the length is malformed.
        """
        written = "".join(tokens(part))
        try:
            return parse_length(written.upper() if written[0] in "pP" else written.lower())
        except TimestampError as error:
            raise self._text.error(part, f"{error.given} is invalid", error.expected) from None


def _distance(start: Length | None, end: Length | None) -> Length | None:
    """Return the distance between two instants, given by their distances from now; None if the first is not
    the older one.
    """
    match start, end:
        case _, None:
            return start
        case timedelta(), timedelta():
            return start - end if start > end else None
        case int() | float(), int() | float():
            return start - end if start > end else None
    return None


_MAX_DIGITS = 18


class _Defaults(NamedTuple):
    """Options of a language that apply if a text does not set them."""

    emit: Emit
    on: tuple[Condition, ...]
    tick: Tick


_DEFAULTS: Final[dict[Language, _Defaults]] = {
    "C-SPARQL": _Defaults("rstream", ("close", "non-empty"), "timestamp"),
    "RSP-QL": _Defaults("rstream", ("close",), "timestamp"),
    "CQELS": _Defaults("istream", ("change", "non-empty"), "timestamp"),
    "SPARQL": _Defaults("delta", ("change",), "abox"),
}
_LANGUAGE_OF: Final[dict[str, Language]] = {
    "stream": "C-SPARQL",
    "named_stream": "C-SPARQL",
    "window": "RSP-QL",
    "window_as": "RSP-QL",
    "default_window": "RSP-QL",
    "window_block": "RSP-QL",
    "stream_head": "CQELS",
}


def read_stream_text(
    text: str, prefixes: Mapping[str, str] | None = None, base: str | None = None
) -> StreamText:
    """Read a registration in C-SPARQL, RSP-QL, CQELS or plain SPARQL.

    Args:
        prefixes: prefixes that the text can use without declaring them.
        base: base of relative IRIs.

    Raises:
        QueryTextError: the text is malformed, mixes languages, has an invalid window, or is refused by
        `read_query`.
        OptionError: the argument is not a text.

    >>> made = read_stream_text("SELECT ?x FROM STREAM <urn:s> [RANGE 10s STEP 1s] { ?x a <urn:C> }")
    >>> made.language, made.emit, made.on
    ('C-SPARQL', 'rstream', ('close', 'non-empty'))
    >>> made.windows[0].extent.slide
    datetime.timedelta(seconds=1)
    """
    check_type("query", text, str, "a text in C-SPARQL, RSP-QL, CQELS or SPARQL")
    source = QueryText(text)
    tree = parse(source)
    return _StreamTextReader(source, tree, NameScope(source, tree, prefixes or {}, base)).stream_text()


@dataclass(frozen=True, slots=True)
class _Declared:
    """Declaration of a window.

    Args:
        part: parse tree of the declaration.
        name: declared name of the window; None if it has none.
        stream: IRI of the stream.
        bounds: bounds of the window.
    """

    part: ParseTree
    name: URIRef | None
    stream: URIRef
    bounds: Bounds


class _StreamTextReader:
    """Reader of one registration."""

    def __init__(self, text: QueryText, tree: ParseTree, names: NameScope) -> None:
        self._text, self._tree, self._names = text, tree, names
        self._parts = all_subtrees(tree, *_LANGUAGE_OF)
        self._language = self._one_language()
        self._register = subtrees(tree, "register")
        self._bounds = BoundsReader(text, tumbles=self._language == "C-SPARQL")

    def stream_text(self) -> StreamText:
        defaults = _DEFAULTS[self._language]
        declared = [self._declared(part) for part in self._parts if part.data != "window_block"]
        on, tick = self._policy([each.bounds for each in declared])
        on, every = on or defaults.on, self._every()
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
        distinct = tuple(dict.fromkeys(windows))
        graphs = WindowGraphs(
            tuple(window.name for window in distinct if window.is_default),
            tuple(window.name for window in distinct if not window.is_default),
            {id(each.part): window.name for each, window in zip(declared, windows, strict=True)},
        )
        return StreamText(
            text=self._text.written,
            language=self._language,
            query=query_of_tree(self._tree, self._names, graphs),
            name=self._name(),
            emit=self._emit() or defaults.emit,
            on=on,
            tick=tick or defaults.tick,
            whole_windows=self._language == "RSP-QL" and "close" in on,
            windows=distinct,
            entailment=self._regime(),
        )

    def _one_language(self) -> Language:
        """Return the language of the windows.

        Raises:
            QueryTextError: the windows are in two languages.
        """
        languages = [_LANGUAGE_OF[str(part.data)] for part in self._parts]
        for part, language in zip(self._parts, languages, strict=True):
            if language != languages[0]:
                problem = f"this is a clause of {language}, but the clauses before it are {languages[0]}"
                raise self._text.error(part, problem, "one language")
        return languages[0] if languages else "SPARQL"

    # -- REGISTER ----------------------------------------------------------------------------------------

    def _name(self) -> str | None:
        for register in self._register:
            for token in tokens(register, "NAME", "IRI", "PNAME_LN", "PNAME_NS"):
                return str(token) if token.type == "NAME" else str(self._names.iri(token))
        return None

    def _emit(self) -> Emit | None:
        """Return the kind of answer stream that REGISTER, SELECT or CONSTRUCT names."""
        parts = [
            part for part in self._tree.children if isinstance(part, Tree)
        ]  # REGISTER, and the query form
        forms = [token for part in parts for token in tokens(part, "FORM", "OPERATOR")]
        streams = [form for form in forms if form.upper() not in ("QUERY", "STREAM")]
        if len({stream.upper() for stream in streams}) > 1:
            problem = f"the query has two streams of answers, {streams[0].upper()} and {streams[1].upper()}"
            raise self._text.error(streams[1], problem, "one")
        return cast(Emit, streams[0].lower()) if streams else None

    def _every(self) -> Length | None:
        """Return the period of COMPUTED EVERY."""
        for part in self._register_clauses("every"):
            return self._bounds.positive(subtrees(part, "length")[0], "a period")
        return None

    def _regime(self) -> URIRef | None:
        for part in self._register_clauses("regime"):
            return self._names.iri(part.children[0])
        return None

    def _register_clauses(self, kind: str) -> list[ParseTree]:
        return [part for register in self._register for part in subtrees(register, kind)]

    # -- windows -----------------------------------------------------------------------------------------

    def _declared(self, part: ParseTree) -> _Declared:
        for token in tokens(part, "VAR"):
            raise self._text.error(token, f"the stream is given as the variable {token}", "its IRI")
        iris = [self._names.iri(token) for token in tokens(part, "IRI", "PNAME_LN", "PNAME_NS")]
        name, stream = None, iris[-1]
        match str(part.data):
            case "window":
                name = iris[0]
            case "window_as":
                stream, name = iris
            case "named_stream":
                name = stream
        return _Declared(part, name, stream, self._bounds.read(*subtrees(part, "bounds")))

    def _policy(
        self, all_bounds: Sequence[Bounds]
    ) -> tuple[tuple[Condition | Duration, ...] | None, Tick | None]:
        """Return REPORT and TICK, which must be equal in all windows."""
        for one, other in pairwise(all_bounds):
            if (one.on, one.tick) != (other.on, other.tick):
                problem = "the query's windows report or tick in different ways"
                raise self._text.error(other.part, problem, "equal REPORT and TICK clauses in all windows")
        return (all_bounds[0].on, all_bounds[0].tick) if all_bounds else (None, None)

    def _check_lengths(self, declared: Sequence[_Declared], every: Length | None) -> None:
        """Check that the lengths of windows and periods are all numbers, or all durations."""
        lengths = [(each.bounds.part, length) for each in declared for length in each.bounds.lengths]
        lengths += [(part, every) for part in self._register_clauses("every") if every is not None]
        for (_, one), (part, other) in pairwise(lengths):
            check_kinds(part, one, other, self._text)

    def _check_periods(self, *kinds: str) -> None:
        """Check that all clauses of these kinds have the same period."""
        periods = [length for part in all_subtrees(self._tree, *kinds) for length in subtrees(part, "length")]
        for one, other in pairwise(periods):
            if self._bounds.length(one) != self._bounds.length(other):
                given = f"the query has two periods, {self._text.of(one)} and {self._text.of(other)}"
                raise self._text.error(other, given, "one period, by COMPUTED EVERY or by PERIODIC")

    def _with_step(self, declared: _Declared, every: Length | None) -> _Declared:
        if not declared.bounds.lacks_step:
            return declared
        if every is None:
            problem = "the window reports when it closes, but it has no step"
            raise self._text.error(declared.bounds.part, problem, "RANGE … STEP …, or TUMBLING")
        return replace(declared, bounds=declared.bounds.with_step(every, self._text))

    def _check_closing(self, declared: Sequence[_Declared]) -> None:
        """Check that each window can close."""
        for each in declared:
            if isinstance(each.bounds.extent, Everything | NewestTimestamp):
                problem = "the window never closes, but the query reports when windows close"
                expected = "a range and a step, or REPORT ON_CONTENT_CHANGE"
                raise self._text.error(each.bounds.part, problem, expected)

    def _windows(self, declared: Sequence[_Declared]) -> list[StreamWindow]:
        """Return the window of each declaration; STREAM blocks with the same stream and extent share one."""
        made: list[StreamWindow] = []
        graphs = all_subtrees(self._tree, "static", "static_named")
        static = {self._names.iri(part.children[-1]) for part in graphs}
        shared: dict[object, StreamWindow] = {}
        for each in declared:
            if each.name is not None and each.name in {window.name for window in made}:
                raise self._text.error(each.part, f"<{each.name}> is declared twice", "another name")
            if each.name in static:
                problem = f"the window has the name of the static graph <{each.name}>"
                raise self._text.error(each.part, problem, "another name")
            is_block = each.part.data == "stream_head"
            key = (each.stream, each.bounds.extent) if is_block else len(made)
            name = each.name or URIRef(f"urn:pantarhei:window:{len(shared) + 1}")
            is_default = each.name is None and not is_block
            window = StreamWindow(name, each.stream, each.bounds.extent, is_default)
            made.append(shared.setdefault(key, window))
        return made

    def _check_blocks(self, names: Sequence[URIRef]) -> None:
        """Check that each WINDOW block names a declared window."""
        known = " or ".join(f"<{name}>" for name in names) or "FROM NAMED WINDOW … ON … first"
        for block in self._parts:
            if block.data == "window_block":
                part = block.children[1]
                assert isinstance(part, Token)
                if part.type == "VAR":
                    raise self._text.error(part, f"the window is given as the variable {part}", known)
                if self._names.iri(part) not in names:
                    raise self._text.error(part, f"the window {self._text.of(part)} is not declared", known)
