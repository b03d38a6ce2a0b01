"""What queries are asked of: made for the first of them, shared, and followed no longer than needed."""

import numpy as np
import pytest

from pantarhei import Window
from pantarhei.encoding.numbers import NO_FACTS, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import plain_model
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH, QUALITY_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.query_sources import (
    ConclusionSource,
    ConstantSource,
    JoinedSource,
    WindowViewSource,
)
from pantarhei.query.incremental.window_state import NamedWindows, QuerySources, WindowState
from pantarhei.rules.compilation.program import compile_
from pantarhei.window.log import EMPTY_LOG
from strategies import EX, A, B

CONCLUDED, OTHER, OWN = frozenset({Symbol(A, 1)}), frozenset({Symbol(B, 1)}), Window(1, slide=1)


class Conclusions:
    """Members of A are concluded, and joined to the default graph."""

    def are_joined_for(self, needed):
        return needed is None or not needed.isdisjoint(CONCLUDED)

    def facts(self):
        return NO_FACTS

    def take_facts(self):
        return np.empty((0, 4), np.int32)


@pytest.fixture
def present():
    model = plain_model(NO_FACTS, Vocabulary(compile_([])))
    return WindowState(model, EMPTY_LOG, None, None)


def contents_of(present, conclusions):
    return QuerySources(Journal(), Window(3), present.model, conclusions)


def test_queries_of_one_window_share_a_content(present):
    contents = contents_of(present, None)
    assert contents.default_source(None, None, present) is contents.whole
    own = contents.default_source(OWN, None, present)
    assert isinstance(own, WindowViewSource) and contents.default_source(OWN, OTHER, present) is own
    assert contents.windows == {own: OWN}


def test_only_queries_that_look_at_what_is_concluded_are_asked_of_it_too(present):
    contents = contents_of(present, Conclusions())
    assert contents.default_source(None, OTHER, present) is contents.whole
    assert isinstance(contents.default_source(OWN, OTHER, present), WindowViewSource)
    for window in (None, OWN):
        joined = contents.default_source(window, CONCLUDED, present)
        assert isinstance(joined, JoinedSource) and contents.default_source(window, None, present) is joined
    assert next(map(type, contents)) is ConclusionSource and len(list(contents)) == 5


def test_the_conclusions_are_found_by_their_name_where_there_are_rules(present):
    contents = contents_of(present, Conclusions())
    assert contents.named(CONCLUSIONS_GRAPH) is contents.conclusions
    assert contents.named(QUALITY_GRAPH) is None
    assert contents_of(present, None).named(CONCLUSIONS_GRAPH) is None


def test_windows_may_have_names_and_the_default_graph_be_what_always_holds(present):
    contents = contents_of(present, Conclusions())
    always = ((EX.a, EX.p, EX.b),)
    named = NamedWindows({EX.w: OWN, EX.v: None}, always)
    default, windows = contents.sources_for(None, named, None, present)
    assert isinstance(default, ConstantSource) and default not in list(contents)
    assert [*windows] == [EX.w, EX.v] and isinstance(windows[EX.w], WindowViewSource)
    assert windows[EX.v] is contents.whole  # where the conclusions are not
    assert contents.named(EX.w) is windows[EX.w] and contents.named(EX.u) is None
    contents.keep(windows.items(), needs_conclusions=False)
    assert contents.named(EX.w) is windows[EX.w] and contents.windows == {windows[EX.w]: OWN}
    contents.keep([], needs_conclusions=False)
    assert contents.named(EX.w) is None and not contents.windows


def test_the_default_graph_is_a_window_unless_it_is_said_what_it_always_has(present):
    contents = contents_of(present, None)
    assert contents.sources_for(None, None, None, present) == (contents.whole, {None: contents.whole})
    default, windows = contents.sources_for(OWN, NamedWindows({EX.w: OWN}, None), None, present)
    assert isinstance(default, WindowViewSource) and windows == {None: default, EX.w: default}


def test_what_no_query_looks_at_is_followed_no_more(present):
    contents = contents_of(present, Conclusions())
    joined, _ = contents.default_source(None, None, present), contents.default_source(OWN, None, present)
    contents.keep([(None, joined)], needs_conclusions=False)
    assert list(contents) == [contents.conclusions, contents.whole, joined]
    concluded = contents.conclusions
    contents.keep([(None, contents.whole)], needs_conclusions=True)
    assert list(contents) == [concluded, contents.whole]
    contents.keep([], needs_conclusions=False)
    assert list(contents) == [contents.whole]
