"""What a text registers, reported by the definitions: windows of the reference, answers of the reference; and
what `pr.register` reports of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import timedelta

from rdflib import URIRef

import pantarhei as pr
from pantarhei.language.term import Triple
from pantarhei.language.time import TimeKind, TimePoint
from pantarhei.query.languages import Registration, read_registration
from pantarhei.query.languages.registration import Everything, NewestTimestamp, PastWindow, StreamWindow
from pantarhei.reference.answers import Answers, answers
from pantarhei.reference.answers.result import AnswerRow
from pantarhei.reference.continuous import Policy, SlidingWindow, dstream, istream, reports
from pantarhei.window.sliding import Window

Reports = list[tuple[TimePoint, Counter[AnswerRow]]]

# The shortest step of each kind of time, and a range that all times are in.
_SHORTEST = {TimeKind.INTEGER: 1, TimeKind.FLOAT: 1e-9, TimeKind.DATETIME: timedelta(microseconds=1)}
_ALL = {TimeKind.INTEGER: 2**40, TimeKind.FLOAT: 2.0**30, TimeKind.DATETIME: timedelta(days=365_000)}
_NOTHING = {TimeKind.INTEGER: 0, TimeKind.FLOAT: 0, TimeKind.DATETIME: timedelta(0)}


def reported(
    text: str,
    streams: Mapping[str, Iterable[tuple[TimePoint, Iterable[Triple]]]],
    kind: TimeKind,
    static: Mapping[str, Iterable[Triple]] | None = None,
    background: Iterable[Triple] = (),
    since: TimePoint = 0,
    until: TimePoint | None = None,
) -> Reports:
    """The reports of a text in one of the languages, each a bag of rows: those of its stream of answers.

    Args:
        streams: by their IRIs.
        static: graphs, by their names.
        background: what is in the default graph always.
        since: when the query was registered.
        until: time goes on to there in the end.
    """
    made = read_registration(text)
    windows = [_defined(window, made, kind, since) for window in made.windows]
    graphs = {URIRef(name): list(triples) for name, triples in (static or {}).items()}

    def rows(*contents: frozenset[Triple]) -> Iterable[AnswerRow]:
        default = list(background)
        named = dict(graphs)
        for window, content in zip(made.windows, contents, strict=True):
            named[window.name] = list(content)
            if window.is_default:
                default += content
        return _rows(answers(made.sparql, default, named))

    conditions = tuple(each for each in made.on if each in ("close", "change", "non-empty"))
    periods = [each for each in made.on if each not in conditions]
    policy = Policy(conditions, periods[0] if periods else None, made.tick)
    found = reports(
        {URIRef(name): list(stream) for name, stream in streams.items()}, windows, rows, policy, kind, until
    )
    return {"rstream": found, "istream": istream(found), "dstream": dstream(found)}[made.emit]


def _defined(window: StreamWindow, made: Registration, kind: TimeKind, since: TimePoint) -> SlidingWindow:
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
    raise NotImplementedError(f"{window.extent} counts")


def _rows(found: Answers) -> Iterable[AnswerRow]:
    if found.form == "SELECT":
        return found.rows_in_order
    return [()] if found.ask else found.triples


def as_run(
    text: str,
    streams: Mapping[str, Iterable[tuple[TimePoint, Iterable[Triple]]]],
    static: Mapping[str, Iterable[Triple]] | None = None,
    since: TimePoint = 0,
    until: TimePoint | None = None,
) -> Reports:
    """The same by running the query."""
    query = pr.register(text, None, streams, static, since=since, until=until)
    return [(at, added or removed) for at, added, removed in query.run()]


def without_empty(found: Reports) -> Reports:
    """The reports with rows: streams of what came, or of what went, have no others when they are run."""
    return [(at, rows) for at, rows in found if rows]
