"""Handing what leaves the history to its sink: after the step, and again where it fails."""

from __future__ import annotations

import logging
from dataclasses import replace
from itertools import chain

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.books import Books, Counters
from pantarhei.explain.records import records_of
from pantarhei.model.messages import counted
from pantarhei.model.time import time_of
from pantarhei.window.history import History

_log = logging.getLogger("pantarhei.history")


class HistoryWriter:
    """Writes what is due; where that fails it warns, first at once and then when there were twice as many."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._failed = self._told = 0

    def write(self, books: Books, vocabulary: Vocabulary, least: int | None = None) -> Books:
        """The books once what is due was handed over; as they were where the sink takes no less than more.

        Where it fails they keep what is due, as much as the history itself may take; what is too much is lost
        and counted.

        Args:
            books: those of the step that was made.
            vocabulary: what their numbers mean.
            least: how many assertions there must be; by default what the sink asks for.
        """
        sink, past, step = self._history.sink, books.past, books.step
        if sink is None or step is None:
            return books
        wanted = getattr(sink, "batch", 1) if least is None else least
        if sum(len(entry.facts) for departure in past.due for entry in departure.entries) < wanted:
            return books
        later = chain((entry for each in past.departures() for entry in each.entries), books.log)
        kind = step.kind
        records = list(
            records_of(past.due, later, books.repair_of, vocabulary, lambda ticks: time_of(ticks, kind))
        )
        try:
            if records:
                sink(records)
        except Exception as error:  # whatever the sink of somebody else may raise: the stream goes on
            return self._kept(books, error)
        self._failed = self._told = 0
        return replace(books, past=past.written(len(past.due)))

    def _kept(self, books: Books, error: Exception) -> Books:
        """The books with what is due still there, and not too much of it."""
        past, lost = books.past, 0
        size = sum(departure.bytes for departure in past.due)
        while size > max(self._history.max_bytes, past.due[-1].bytes):
            size -= past.due[lost].bytes
            lost += 1
        gone = sum(len(departure.entries) for departure in past.due[:lost])
        self._failed += 1
        if gone or self._failed >= 2 * self._told:
            self._told = self._failed
            what = (
                f"; {counted(gone, 'timestamp')} could be kept no longer and went unwritten" if gone else ""
            )
            _log.warning("the history's sink %r failed: %r%s", self._history.sink, error, what)
        counters = books.counters.plus(Counters(unwritten=gone))
        return replace(books, past=past.written(lost), counters=counters)
