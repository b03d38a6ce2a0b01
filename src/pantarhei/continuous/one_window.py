"""A query of one window over one stream: kept up to date, by a reasoner of its own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import QueryWindowError
from pantarhei.language.time import TimeKind
from pantarhei.ontology import Ontology
from pantarhei.query.algebra.nodes import Query
from pantarhei.query.continuous import AnswerChange, AnswerRow, QueryStats
from pantarhei.reasoner import StreamReasoner
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei.continuous.elements import Element
    from pantarhei.language.time import TimePoint


class OneWindow:
    """Answers a query whose one window is a view of a reasoner's.

    Args:
        asked: what the text asks for.
        query: the query over the window as its default graph.
    """

    def __init__(self, asked: AskedOfStreams, query: Query, name: str, ontology: Ontology) -> None:
        (graph,) = asked.windows
        window = graph.extent
        assert isinstance(window, Window), "others are no views"
        self.name, self.text, self.query = name, asked.made.text, asked.query
        always = asked.always if graph.is_default else ()  # of a named window the default graph is another
        self._reasoner = StreamReasoner(ontology, holding(window), always)
        registrar = self._reasoner._registering()
        self._kept = registrar.keep(name, asked.made.text, query, window, asked.policy)

    def take(self, element: Element) -> AnswerChange | None:
        """A stream brings something."""
        return self._change(self._reasoner.push(element.at, element.abox))

    def pass_(self, at: TimePoint) -> AnswerChange | None:
        """Time comes to `at`, and nothing arrives."""
        return self._change(self._reasoner.advance(at))

    def _change(self, update: WindowUpdate) -> AnswerChange | None:
        change: AnswerChange | None = update.answers.get(self._kept)
        return change

    def count(self) -> int:
        return len(self._kept.answers)

    def rows(self) -> Counter[AnswerRow]:
        return Counter(dict(self._kept.answers))

    def plan(self) -> str:
        return f"Kept up to date over one window\n{self._kept.plan()}"

    def stats(self) -> QueryStats:
        return self._kept.stats()

    def close(self) -> None:
        self._kept.close()


def holding(window: Window) -> Window:
    """A window of a reasoner that holds what the window of a query does: that itself, if it can."""
    try:
        window.check_holds_all(window.kind or TimeKind.INTEGER)
    except QueryWindowError:
        return Window(window.range)
    return window
