"""What `StreamReasoner.register` does: queries of a reasoner, told after each of its steps."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pantarhei.engine.update import WindowUpdate
from pantarhei.engine.upkeep import Upkeep
from pantarhei.errors import OptionError, check_type
from pantarhei.language.time import TimePoint
from pantarhei.query.continuous import AnswerChange, AnswerChanges, ContinuousQuery
from pantarhei.query.incremental.registry import Registry
from pantarhei.query.window_door import WindowDoor

_CONSUMER = "queries"


class Registrar:
    """Registers queries with what is kept up.

    Args:
        held: the state of a reasoner.
        door: reads texts of queries, and knows the graphs.
        lock: taken for each step, and for looking at answers.
    """

    def __init__(self, held: Upkeep[Any], door: WindowDoor, lock: threading.RLock) -> None:
        self._held, self._door, self._lock = held, door, lock
        self.queries: dict[str, ContinuousQuery] = {}
        self._registry = Registry(held.model, held.books.log, door.dataset, lambda: held.forms.facts)
        held.attach(_CONSUMER, self._registry)
        self._last: WindowUpdate | None = None
        self._depth = 0
        self._given = 0

    def register(self, text: str, name: str | None) -> ContinuousQuery:
        """Keep the answers of a query up to date."""
        check_type("text", text, str, "a SPARQL query as text")
        check_type("name", name, str | None, "a text, or None")
        if self._depth:
            raise OptionError("register", "a query inside all_or_nothing", "a query before the block begins")
        if name is None:
            self._given += 1
            name = f"query-{self._given}"
        if name in self.queries:
            raise OptionError("name", repr(name), "a name that no other registered query has")
        query = self._door.prepared(text)
        held = self._held
        registered = self._registry.register(name, text, query, held.model, held.books.log, held.books.now)
        handle = ContinuousQuery(
            registered,
            lambda: self._registry.terms.decoder,
            lambda: self._registry.in_order(registered),
            self._locked,
            self._dropped,
        )
        self.queries[name] = handle
        return handle

    def _locked(self, look: Callable[[], Any]) -> Any:
        with self._lock:
            return look()

    def _dropped(self, query: ContinuousQuery) -> None:
        with self._lock:
            self._registry.drop(query._registered)
            del self.queries[query.name]

    # -- steps -------------------------------------------------------------------------------------

    def step(self, work: Callable[[], WindowUpdate]) -> WindowUpdate:
        """Do a step; the update says what it changed in the answers."""
        with self._lock:
            self._registry.watch()
            update = work()
            if self._depth:
                self._last = update = replace(update, answers=AnswerChanges())
                return update
            update = replace(update, answers=self._changes(update.at))
        self._tell(update)
        return update

    @contextmanager
    def block(self) -> Iterator[None]:
        """What is done inside is one step for the queries."""
        with self._lock:
            if not self._depth:
                self._registry.watch()
            self._depth += 1
            try:
                with self._held.whole():
                    yield
            finally:
                self._depth -= 1
                last, self._last = self._last, None if not self._depth else self._last
            if self._depth or last is None:
                return
            assert isinstance(last.answers, AnswerChanges)
            last.answers.fill(self._changes(last.at))
        self._tell(last)

    def _changes(self, at: TimePoint) -> AnswerChanges:
        decoder = self._registry.terms.decoder
        return AnswerChanges(
            (self.queries[registered.name], AnswerChange.of(at, came, went, decoder))
            for registered, (came, went) in self._registry.changes().items()
            if registered.name in self.queries
        )

    def _tell(self, update: WindowUpdate) -> None:
        for query in list(update.answers):
            query.tell(update.answers[query])
