"""Conclusions as what queries are asked of: alone, and with what the window has, each fact once."""

import numpy as np
import pytest

from pantarhei import Window
from pantarhei.encoding.numbers import NO_FACTS, NONE, Symbol, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import plain_model
from pantarhei.query.graph_names import CONCLUSIONS_GRAPH, QUALITY_GRAPH
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.query_sources import (
    ConclusionSource,
    ConstantSource,
    JoinedSource,
    NamedWindows,
    QuerySource,
    QuerySources,
    WindowState,
    WindowViewSource,
)
from pantarhei.rules.compilation.program import compile_
from pantarhei.window.log import EMPTY_LOG, Changes
from strategies import EX, A, B, a, b, c


class Scene:
    """A window that has a and b, and the conclusions b and c."""

    def __init__(self):
        self.journal, vocabulary = Journal(), Vocabulary(compile_([]))
        number = vocabulary.number_symbol(Symbol(A, 1))
        self.of = {name: (number, vocabulary.number(name), NONE) for name in (a, b, c)}
        self.model = plain_model(self.facts(a, b), vocabulary)
        self.conclusions = ConclusionSource(self.journal, Window(0), vocabulary, self.facts(b, c))
        self.whole = QuerySource(self.journal, Window(0), self.model)
        self.joined = JoinedSource(self.whole, self.conclusions, self.model)

    def facts(self, *names):
        return np.array([self.of[name] for name in names], np.int32).reshape(-1, 3)

    def signed(self, came, went):
        rows = [(*self.of[name], 1) for name in came] + [(*self.of[name], -1) for name in went]
        return np.array(rows, np.int32).reshape(-1, 4)

    def step(self, came=(), went=(), concluded=(), withdrawn=()):
        """What changes in the conclusions, and in the joined content, as names with their signs."""
        self.model.add(self.facts(*came), 0)
        self.model.cut(self.facts(*went))
        changes = Changes(self.model.take_changes())
        self.conclusions.update(self.signed(concluded, withdrawn))
        names = {fact: name for name, fact in self.of.items()}
        found = []
        for content in (self.conclusions, self.joined):
            noted = content.advance(changes, self.model, None)
            found.append({names[tuple(fact)]: sign for *fact, sign in noted.tolist()})
        return found

    def held(self, content):
        names = {fact: name for name, fact in self.of.items()}
        return {names[fact] for fact in as_tuples(content.model.facts())}


@pytest.fixture
def scene():
    return Scene()


def test_joined_each_fact_is_there_once(scene):
    assert scene.held(scene.conclusions) == {b, c} and scene.held(scene.joined) == {a, b, c}
    assert scene.conclusions.name == CONCLUSIONS_GRAPH and scene.joined.name is None


def test_what_the_other_has_neither_comes_nor_goes(scene):
    assert scene.step(went=[b]) == [{}, {}]
    assert scene.step(withdrawn=[b, c]) == [{b: -1, c: -1}, {b: -1, c: -1}]
    assert scene.step(came=[c], concluded=[c]) == [{c: 1}, {c: 1}]
    assert scene.step(went=[c, a]) == [{}, {a: -1}]
    assert scene.held(scene.joined) == {c}


def test_a_fact_that_changes_sides_in_one_step_stays(scene):
    assert scene.step(went=[a], concluded=[a]) == [{a: 1}, {}]
    assert scene.step(came=[a], withdrawn=[a]) == [{a: -1}, {}]


def test_going_back_they_are_as_they_were(scene):
    mark = scene.journal.savepoint()
    scene.step(came=[c], withdrawn=[c, b], went=[b])
    scene.journal.restore(mark)
    assert scene.held(scene.conclusions) == {b, c} and scene.held(scene.joined) == {a, b, c}


def test_all_that_it_holds_beside_the_window_model_is_counted(scene):
    assert scene.joined.bytes_used == scene.joined.model.bytes_used > 0
    assert scene.whole.bytes_used == 0


def test_where_other_rules_run_what_the_window_has_then_is_taken_over(scene):
    other = plain_model(scene.facts(), scene.model.vocabulary)
    scene.whole.model = other
    scene.joined.refill(other)
    assert scene.held(scene.joined) == {a, b, c}
    other.program = compile_([])
    scene.joined.refill(other)
    assert scene.held(scene.joined) == {b, c}


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
