"""All that registered queries are asked of: each content is followed as long as a query looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rdflib import URIRef

from pantarhei.encoding.numbers import Symbols
from pantarhei.materialize.model import WindowModel
from pantarhei.model.term import Triple
from pantarhei.query.algebra.nodes import Place
from pantarhei.query.incremental.contents import (
    ConclusionContent,
    Conclusions,
    ConstantContent,
    Content,
    JoinedContent,
    WindowView,
)
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.present import Present
from pantarhei.query.sparql import CONCLUSIONS_GRAPH
from pantarhei.window.sliding import Window


class NamedWindows(NamedTuple):
    """The windows that a query is asked of by the names of graphs.

    Args:
        windows: by these names; None for the reasoner's.
        always: what the default graph always has; None where it is a window.
        static: graphs with names that always have the same triples.
    """

    windows: Mapping[URIRef, Window | None]
    always: tuple[Triple, ...] | None
    static: Mapping[URIRef, tuple[Triple, ...]] = MappingProxyType({})


class AllContents:
    """The contents that are followed.

    Args:
        window: the reasoner's; where no time passes, any.
        conclusions: those of temporal rules, None where there are none.
    """

    def __init__(
        self, journal: Journal, window: Window, model: WindowModel, conclusions: Conclusions | None
    ) -> None:
        self._journal, self._conclusions = journal, conclusions
        self.whole = Content(journal, window, model)
        # by the window of queries, None for the reasoner's, and whether conclusions are joined to it
        self._made: dict[tuple[Window | None, bool], Content] = {(None, False): self.whole}
        self._concluded: ConclusionContent | None = None
        self._named: dict[URIRef, Content] = {}  # those of `_made` that are graphs with names
        self._static: dict[URIRef, Content] = {}

    def __iter__(self) -> Iterator[Content]:
        """All that may change; the conclusions first, which others look at."""
        made = self._made.values()
        return iter(made) if self._concluded is None else iter((self._concluded, *made))

    @property
    def windows(self) -> Mapping[Content, Window]:
        """Those of queries that have windows of their own."""
        return {content: window for (window, _), content in self._made.items() if window is not None}

    def of(self, window: Window | None, needed: Symbols, present: Present) -> Content:
        """What a query is asked of by default.

        Args:
            window: its own, None for the reasoner's.
            needed: the classes and properties whose facts it looks at, None for all.
        """
        joins = self._conclusions is not None and self._conclusions.are_joined_for(needed)
        found = self._made.get((window, joins))
        if found is None:
            found = self.whole
            if window is not None:
                found = WindowView(self._journal, window, *present[:3])
            if joins:
                found = JoinedContent(found, self.concluded, present.model)
            self._made[window, joins] = found
        return found

    def asked(
        self, window: Window | None, named: NamedWindows | None, needed: Symbols, present: Present
    ) -> tuple[Content, Mapping[URIRef | None, Content]]:
        """What a query is asked of: by default, and its windows by the names of the graphs that they are.

        The default graph has the name None, if it is a window. No other query has names that this one has. To
        windows with names no conclusions are joined.
        """
        windows: dict[URIRef | None, Content] = {}
        if named is None or named.always is None:
            content = windows[None] = self.of(window, needed, present)
        else:
            vocabulary = self.whole.model.vocabulary
            content = ConstantContent(self._journal, self.whole.window, vocabulary, named.always)
        for name, own in () if named is None else named.windows.items():
            assert name not in self._named, "each query has names of its own"
            self._named[name] = windows[name] = self.of(own, frozenset(), present)
        for name, triples in () if named is None else named.static.items():
            vocabulary = self.whole.model.vocabulary
            self._static[name] = ConstantContent(self._journal, self.whole.window, vocabulary, triples)
        return content, windows

    @property
    def concluded(self) -> ConclusionContent:
        """The conclusions, followed from now on; there are rules."""
        if self._concluded is None:
            given, vocabulary = self._conclusions, self.whole.model.vocabulary
            assert given is not None, "there are rules"
            self._concluded = ConclusionContent(self._journal, self.whole.window, vocabulary, given.facts())
        return self._concluded

    def named(self, name: Place) -> Content | None:
        """The content that a graph is, None for one that is none."""
        if self._conclusions is not None and name == CONCLUSIONS_GRAPH:
            return self.concluded
        return self._named.get(name, self._static.get(name)) if isinstance(name, URIRef) else None

    def begin_step(self) -> Iterable[Content]:
        """A step has been made: let the conclusions be what they are after it; gives all contents."""
        if self._conclusions is None:
            return self._made.values()
        changed = self._conclusions.take_facts()
        if self._concluded is not None:
            self._concluded.go_on(changed)
        return self

    def keep(self, windows: Iterable[tuple[URIRef | None, Content]], needs_conclusions: bool) -> None:
        """Drop all contents except these and the window model.

        Args:
            windows: the windows of queries, with the names of their graphs.
            needs_conclusions: whether a query names the graph of conclusions.
        """
        windows = list(windows)
        used, names = {self.whole, *(content for _, content in windows)}, {name for name, _ in windows}
        self._made = {key: content for key, content in self._made.items() if content in used}
        self._named = {name: content for name, content in self._named.items() if name in names}
        if not needs_conclusions and not any(is_joined for _, is_joined in self._made):
            self._concluded = None
