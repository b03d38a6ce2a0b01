"""Reports of a registered text, by the oracle's windows and answers, and by `pr.register`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from datetime import timedelta

from rdflib import Literal, URIRef

import pantarhei as pr
from oracle.answers import Answers, answers
from oracle.answers.result import AnswerRow
from oracle.continuous import CountedWindow, Policy, SlidingWindow, dstream, istream, reports
from oracle.window import INFINITY, newest
from oracle.window_repair import fold
from pantarhei.model.rule import Rule
from pantarhei.model.term import Triple
from pantarhei.model.time import TimeKind, TimePoint, ticks_of, time_of
from pantarhei.query.languages import StreamText, read_stream_text
from pantarhei.query.languages.stream_text import (
    CountWindow,
    Everything,
    NewestTimestamp,
    PastWindow,
    StreamWindow,
)
from pantarhei.window.sliding import Window
from plain_sparql import plain_sparql

Reports = list[tuple[TimePoint, Counter[AnswerRow]]]
Since = Mapping[Triple, int | float]  # facts that hold, with the time since when they do

# The shortest step of each kind of time, and a range that includes all times.
_SHORTEST = {TimeKind.INTEGER: 1, TimeKind.FLOAT: 1e-9, TimeKind.DATETIME: timedelta(microseconds=1)}
_ALL = {TimeKind.INTEGER: 2**40, TimeKind.FLOAT: 2.0**30, TimeKind.DATETIME: timedelta(days=365_000)}
_NOTHING = {TimeKind.INTEGER: 0, TimeKind.FLOAT: 0, TimeKind.DATETIME: timedelta(0)}


def oracle_reports(
    text: str,
    streams: Mapping[str, Iterable[tuple[TimePoint, Iterable[Triple]]]],
    kind: TimeKind,
    static: Mapping[str, Iterable[Triple]] | None = None,
    background: Iterable[Triple] = (),
    since: TimePoint = 0,
    until: TimePoint | None = None,
    rules: Iterable[Rule] = (),
) -> Reports:
    """Return the reports of a text in one of the stream languages, each a bag of rows of its answer stream.

    Args:
        streams: by their IRIs.
        static: graphs, by their names.
        background: facts that are always in the default graph.
        since: the time of registration.
        until: the time reached at the end.
        rules: rules and constraints by which the graph of each window, but not a graph merged by FROM, is
            closed and repaired.
    """
    made, rules = read_stream_text(text), tuple(rules)
    sparql = plain_sparql(made)
    windows = [_defined(window, made, kind, since) for window in made.windows]
    graphs = {URIRef(name): list(triples) for name, triples in (static or {}).items()}
    merged = [name for name in made.query.default_graphs or () if name in graphs]
    asks_times = "timestamp" in sparql

    def rows(*contents: frozenset[Triple]) -> Iterable[AnswerRow]:
        default = list(background)
        named = dict(graphs)
        for window, content in zip(made.windows, contents, strict=True):
            named[window.name] = list(content)
            if window.is_default:
                default += content
        return _rows(answers(sparql, default, named))

    def holding(*contents: frozenset[Triple]) -> Hashable:
        default = {*background, *(triple for name in merged for triple in graphs[name])}
        named = []
        for window, content in zip(made.windows, contents, strict=True):
            if window.is_default:
                default |= content
            else:
                named.append(content)
        return frozenset(default), *named

    def closed(contents: Iterable[frozenset[tuple[Triple, int]]]) -> dict[URIRef | None, Since]:
        default: set[tuple[Triple, int]] = set()
        found: dict[URIRef | None, Since] = {}
        for window, content in zip(made.windows, contents, strict=True):
            found[window.name] = _newest(rules, content, ())
            if window.is_default:
                default |= content
        return {**found, None: _newest(rules, default, background)}

    def rows_with_times(*contents: frozenset[tuple[Triple, int]]) -> Iterable[AnswerRow]:
        always = {name: dict.fromkeys(triples, INFINITY) for name, triples in graphs.items()}
        found = {**always, **closed(contents)}
        times = {
            name: {triple: Literal(time_of(at, kind)) for triple, at in of.items() if at != INFINITY}
            for name, of in found.items()
        }
        default = found.pop(None)
        return _rows(answers(sparql, default, found, times=times))

    def holding_with_times(*contents: frozenset[tuple[Triple, int]]) -> Hashable:
        found, inside = closed(contents), {window.name for window in made.windows if window.is_default}
        return tuple(
            frozenset(of.items() if asks_times else of) for name, of in found.items() if name not in inside
        )

    has_times = bool(rules) or asks_times
    if has_times:
        streams = {
            name: [(at, {(triple, ticks_of(at, kind)) for triple in triples}) for at, triples in stream]
            for name, stream in streams.items()
        }

    conditions = tuple(each for each in made.on if each in ("close", "change", "non-empty"))
    periods = [each for each in made.on if each not in conditions]
    policy = Policy(conditions, periods[0] if periods else None, made.tick)
    found = reports(
        {URIRef(name): list(stream) for name, stream in streams.items()},
        windows,
        rows_with_times if has_times else rows,
        policy,
        kind,
        until,
        holding_with_times if has_times else holding,
    )
    return {"rstream": found, "istream": istream(found), "dstream": dstream(found)}[made.emit]


def _newest(
    rules: Iterable[Rule], content: Iterable[tuple[Triple, int]], background: Iterable[Triple]
) -> Since:
    """Return the facts that follow from timed assertions, with their settled timestamps."""
    aboxes: dict[int, set[Triple]] = {}
    for triple, at in content:
        aboxes.setdefault(at, set()).add(triple)
    steps = fold(rules, sorted(aboxes.items()), None, tuple(background))
    kept: dict[int, set[Triple]] = {}
    for at, triple in steps[-1] if steps else ():
        kept.setdefault(at, set()).add(triple)
    return newest(rules, kept, tuple(background))


def _defined(
    window: StreamWindow, made: StreamText, kind: TimeKind, since: TimePoint
) -> SlidingWindow | CountedWindow:
    whole = since if made.whole_windows else None
    shortest, nothing = _SHORTEST[kind], _NOTHING[kind]
    match window.extent:
        case Window() as w:
            return SlidingWindow(w.range, w.slide or shortest, w.origin, w.closed, whole, window.stream)
        case PastWindow(w, ago):
            return SlidingWindow(w.range, w.slide or shortest, w.origin, w.closed, whole, window.stream, ago)
        case NewestTimestamp():
            return SlidingWindow(nothing, shortest, closed="both", of=window.stream)
        case Everything():
            return SlidingWindow(_ALL[kind], shortest, closed="both", of=window.stream)
        case CountWindow(size, step, what):
            return CountedWindow(size, step, what == "triples", window.stream, made.whole_windows)


def _rows(found: Answers) -> Iterable[AnswerRow]:
    if found.form == "SELECT":
        return found.rows_in_order
    return [()] if found.ask else found.triples


def engine_reports(
    text: str,
    streams: Mapping[str, Iterable[tuple[TimePoint, Iterable[Triple]]]],
    static: Mapping[str, Iterable[Triple]] | None = None,
    since: TimePoint = 0,
    until: TimePoint | None = None,
    ontology: pr.Ontology | None = None,
) -> Reports:
    """Return the reports of the registered query."""
    query = pr.register(text, ontology, streams, static, since=since, until=until)
    return [(at, added or removed) for at, added, removed in query.run()]


def without_empty(found: Reports) -> Reports:
    """Return the reports with rows: running queries do not report empty changes."""
    return [(at, rows) for at, rows in found if rows]
