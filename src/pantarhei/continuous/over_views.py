"""A query of windows over one stream: kept up to date, by a reasoner of its own that holds all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pantarhei.continuous.asked_of_streams import AskedOfStreams
from pantarhei.continuous.views import Views
from pantarhei.engine.update import WindowUpdate
from pantarhei.model.term import Triple
from pantarhei.ontology import Ontology
from pantarhei.query.answer_reports import AnswerChange, AnswerRow
from pantarhei.query.continuous import QueryStats
from pantarhei.reasoner import StreamReasoner
from pantarhei.window.sliding import Window

if TYPE_CHECKING:
    from pantarhei.continuous.elements import Element
    from pantarhei.model.time import TimePoint


class OverViews:
    """Answers a query whose windows are views of a reasoner's.

    Args:
        asked: what the text asks for.
        views: the same, over these windows.

    Raises:
        InconsistentOntologyError: what always holds contradicts the ontology.
    """

    def __init__(self, asked: AskedOfStreams, views: Views, name: str, ontology: Ontology) -> None:
        self.name, self.text, self.query = name, asked.made.text, asked.query
        self._asked = asked
        self._reasoner = StreamReasoner(ontology, views.holding, views.background)
        always = () if views.default is not None else closed_under(asked.always, ontology)
        registrar, named = self._reasoner._registering(), views.by_name(always)
        self._kept = registrar.keep(name, self.text, views.query, views.default, asked.policy, named)

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
        return self._kept._answering.count()

    def rows(self) -> Counter[AnswerRow]:
        return self._kept._answering.rows()

    def plan(self) -> str:
        windows = self._asked.windows_told
        how = "one window" if len(windows) == 1 else "windows that are views of one"
        return "\n".join([f"Kept up to date over {how}", *windows, self._kept.plan()])

    def stats(self) -> QueryStats:
        return self._kept.stats()

    def close(self) -> None:
        self._kept.close()


def closed_under(triples: Iterable[Triple], ontology: Ontology) -> tuple[Triple, ...]:
    """Return the triples that follow from these without a stream."""
    return tuple(StreamReasoner(ontology, Window(0), tuple(triples)).materialization())
