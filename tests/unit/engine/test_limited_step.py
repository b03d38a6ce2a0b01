"""Steps within limits: those that come to too much on the way, and later starts for them."""

import pytest
from rdflib import RDF

from class_counts import ClassCounts, counted
from counts import some
from pantarhei import MemoryLimitError, Ontology, StreamReasoner, Window
from pantarhei.engine.limited_step import LimitedStep
from pantarhei.model.rule import Rule
from strategies import EX, A, B, C, R, is_a, related, x, y, z

RULES = [
    Rule("cax-sco", (is_a(A, x),), is_a(B, x)),
    Rule("cax-dw", (is_a(B, x), is_a(C, x)), None),
    Rule("prp-trp", (related(R, x, y), related(R, y, z)), related(R, x, z)),
]
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def reasoner(**options):
    return StreamReasoner(Ontology.from_rules(RULES), Window(1000), [(EX.o, RDF.type, A)], **options)


def a(name):
    return EX[name], RDF.type, A


@pytest.mark.parametrize("limits", [{"max_facts": 3000}, {"max_bytes": 700_000}])
@pytest.mark.parametrize("on_limit", ["error", "drop"])
def test_an_abox_that_derives_without_measure_is_stopped_on_the_way(limits, on_limit):
    """A chain of 1,000 under a transitive property: half a million facts, were they all derived."""
    tested = reasoner(**limits, on_limit=on_limit)
    for at in range(5):
        tested.push(at, [a(f"x{at}")])
    before = tested.materialization(), tested.assertions(), tested.timestamps
    chain = [(EX[f"c{i}"], EX.R, EX[f"c{i + 1}"]) for i in range(1000)]
    made = []
    whole = LimitedStep._run_limited

    def watching(self, tick, *args):
        made.append(tick.model)
        return whole(self, tick, *args)

    LimitedStep._run_limited = watching
    try:
        with pytest.raises(MemoryLimitError) as caught:
            tested.push(5, chain)
    finally:
        LimitedStep._run_limited = whole
    assert caught.value.alone is (on_limit == "drop")
    assert len(made) == (2 if on_limit == "drop" else 1)
    for model in made:
        assert len(model) <= 3000 * 9 // 8 + 1024 if "max_facts" in limits else model.bytes_used <= 700_000
    assert (tested.materialization(), tested.assertions(), tested.timestamps) == before


def test_where_a_push_is_too_much_on_the_way_a_share_of_the_window_makes_room(monkeypatch):
    monkeypatch.setattr("pantarhei.window.retention.SLACK", 0)
    tested = reasoner(max_facts=100, on_limit="drop")
    for at in range(16):
        tested.push(at, [a(f"x{at}-{i}") for i in range(3)])
    update = tested.push(16, [a(f"y{i}") for i in range(15)])  # 30 facts more, where 12 more are let in
    assert update.dropped_early == tuple(range(5))  # a quarter, an eighth not being enough, and one more
    assert tested.stats().facts == 2 + 11 * 6 + 30


class Timed(ClassCounts):
    """As its base, but the moment that it waits for is part of its state."""

    def __init__(self, period):
        super().__init__(period)
        self.waits_for = period

    def due(self, after, until):
        return self.waits_for if self.waits_for <= until else None

    def before(self, step, model):
        super().before(step, model)
        self.waits_for += self.period

    def mark(self):
        return super().mark(), self.waits_for

    def back(self, mark):
        counts, self.waits_for = mark
        super().back(counts)


def test_consumers_go_back_before_each_attempt(monkeypatch):
    """What they did at the moments on the way, in an attempt that was given up, they do once in the end."""
    monkeypatch.setattr("pantarhei.window.retention.SLACK", 0)
    tested = StreamReasoner(Ontology.from_rules(RULES), Window(6), max_facts=50, on_limit="drop")
    tested._held.attach("timed", consumer := Timed(3))
    for at in range(1, 9):
        tested.push(at, [a(f"x{at}-{i}") for i in range(3)])
    assert tested.push(12, [a(f"y{i}") for i in range(20)]).dropped_early
    assert [at for at, _ in consumer.reports] == [3, 6, 9, 12]
    assert consumer.counts == counted(tested._held.model)


@both_ways
@pytest.mark.parametrize("older", some([20, 200, 600], [20, 200]))
@pytest.mark.parametrize("share", [90, 95, 100])
def test_an_abox_that_takes_nearly_all_bytes_lets_all_that_is_older_leave_and_stays(keep, older, share):
    abox = [a(f"y{i}") for i in range(3000)]
    alone = reasoner(keep=keep)
    alone.push(9, abox)
    most = alone.stats().bytes * 100 // share
    tested = reasoner(keep=keep, max_bytes=most, on_limit="drop")
    for at in range(9):
        tested.push(at, [a(f"x{at}-{i}") for i in range(older)])
    before = tested.materialization()
    update = tested.push(9, abox)
    assert update.delta.added == alone.materialization() - before
    assert update.delta.removed == before - tested.materialization()
    assert tested.stats().bytes <= most
    assert not tested.push(9, []).dropped_early, "it stays within the limit"
    if share == 100:
        assert tested.timestamps == (9,)
        assert tested.materialization() == alone.materialization()


def test_an_abox_that_takes_more_than_all_bytes_is_refused_and_nothing_leaves():
    abox = [a(f"y{i}") for i in range(3000)]
    alone = reasoner()
    alone.push(9, abox)
    tested = reasoner(max_bytes=alone.stats().bytes * 97 // 100, on_limit="drop")
    for at in range(9):
        tested.push(at, [a(f"x{at}-{i}") for i in range(200)])
    before = tested.assertions(), tested.materialization(), tested.stats().dropped_early
    with pytest.raises(MemoryLimitError) as caught:
        tested.push(9, abox)
    assert caught.value.alone and caught.value.needed > caught.value.most
    assert (tested.assertions(), tested.materialization(), tested.stats().dropped_early) == before
