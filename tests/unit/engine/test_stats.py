import gc
import json
import pickle
import tracemalloc

import pytest
from rdflib import RDF, Variable

from pantarhei import Limits, MemoryLimitError, Ontology, OptionError, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule
from pantarhei.window.log import Entry, Log
from strategies import EX

x, y, z = Variable("x"), Variable("y"), Variable("z")
RULES = [
    Rule("cax-sco", (Atom(EX.A, (x,)),), Atom(EX.B, (x,))),
    Rule("cax-dw", (Atom(EX.B, (x,)), Atom(EX.C, (x,))), None),
]
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def reasoner(width=3, **options):
    return StreamReasoner(Ontology.from_rules(RULES), Window(width), [(EX.o, RDF.type, EX.A)], **options)


def a(name, kind="A"):
    return EX[name], RDF.type, EX[kind]


@both_ways
def test_stats_count_what_there_is(keep):
    with_window = reasoner(keep=keep)
    assert with_window.stats().facts == 2  # the background's
    with_window.push(1, [a("x"), a("y")])
    with_window.push(2, [a("x"), a("z")])
    stats = with_window.stats()
    assert (stats.facts, stats.assertions, stats.partitions) == (8, 4, 2)
    assert stats.facts == len(with_window.materialization())
    assert (stats.names, stats.literals) == (4, 0)
    assert stats.terms == stats.symbols + 4
    assert (stats.pushes, stats.repairs, stats.cut, stats.late, stats.dropped_early) == (2, 0, 0, 0, 0)
    assert stats.bytes == stats.kernel_bytes + stats.books_bytes + stats.vocabulary_bytes
    assert stats.pops == with_window.work.pops
    with_window.advance(9)
    assert (with_window.stats().facts, with_window.stats().partitions) == (2, 0)


@both_ways
def test_what_is_counted_survives_a_checkpoint(keep):
    first = reasoner(keep=keep)
    first.push(1, [a("x"), a("y")])
    first.push(2, [a("x", "C")])
    assert (first.stats().repairs, first.stats().cut) == (1, 1)
    second = StreamReasoner.restore(first.snapshot(), first.ontology)
    for name in ("facts", "assertions", "partitions", "names", "pushes", "repairs", "cut"):
        assert getattr(second.stats(), name) == getattr(first.stats(), name)


def test_parts_of_one_abox_count_its_repair_once():
    in_parts, at_once = reasoner(), reasoner()
    for each in (in_parts, at_once):
        each.push(1, [a("x"), a("y")])
    in_parts.push(2, [a("x", "C")])
    in_parts.push(2, [a("y", "C")])
    at_once.push(2, [a("x", "C"), a("y", "C")])
    assert in_parts.stats().repairs == at_once.stats().repairs == 1
    assert in_parts.stats().cut == at_once.stats().cut == 2
    assert in_parts.stats().pushes == at_once.stats().pushes + 1


def test_an_error_counts_nothing():
    tested = reasoner()
    tested.push(1, [a("x")])
    before = tested.stats()
    with pytest.raises(RuntimeError), tested.all_or_nothing():
        tested.push(2, [a("x", "C")])
        raise RuntimeError
    after = tested.stats()
    assert (after.pushes, after.repairs, after.cut) == (before.pushes, before.repairs, before.cut)


def test_late_aboxes_that_are_handed_over_are_counted():
    tested, late = reasoner(), []
    stream = [(1, [a("x")]), (9, [a("y")]), (3, [a("z")])]
    list(tested.run(stream, 2, on_late=lambda at, abox: late.append(at)))
    assert late == [3]
    assert tested.stats().late == 1


def test_stats_can_be_logged():
    tested = reasoner()
    tested.push(1, [a("x"), a("y", "C")])
    stats = tested.stats()
    assert json.loads(json.dumps(stats.as_dict())) == stats.as_dict()
    assert stats.as_dict()["bytes"] == stats.bytes
    assert pickle.loads(pickle.dumps(stats)) == stats
    assert "5 facts from 2 assertions at 1 timestamp" in str(stats)


def test_bytes_of_facts_and_books_are_those_that_are_allocated():
    tested = reasoner(width=1000)
    tested.push(0, [a("warm")])
    names = [[a(f"n{at}-{i}") for i in range(1000)] for at in range(1, 30)]
    vocabulary = tested._held.vocabulary
    for abox in names:
        vocabulary.encode(abox)
    before = tested.stats()
    gc.collect()
    tracemalloc.start()
    try:
        for at, abox in enumerate(names, 1):
            tested.push(at, abox)
        gc.collect()
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    after = tested.stats()
    there = after.kernel_bytes + after.books_bytes
    grown = there - before.books_bytes
    assert 0.8 * allocated <= grown <= 1.25 * allocated


# -- limits ----------------------------------------------------------------------------------------


def test_a_fact_that_is_asserted_again_outlives_the_timestamp_that_leaves_early():
    tested = reasoner(width=1000, max_facts=8, on_limit="drop")
    for at in range(10):
        update = tested.push(at, [a("again"), a(f"x{at}")])
    assert update.dropped_early == update.dropped == (7,)
    assert {triple for triple in tested.materialization() if triple[0] == EX.again} == {
        a("again"),
        a("again", "B"),
    }
    assert tested.timestamps == (8, 9)
    assert tested.interpretation(8) == {a("x8"), a("x8", "B")}


def test_a_second_part_finds_the_window_that_the_first_has_left():
    in_parts = reasoner(width=1000, max_facts=8, on_limit="drop")
    at_once = reasoner(width=1000, max_facts=8, on_limit="drop")
    for at in range(3):
        in_parts.push(at, [a(f"x{at}")]), at_once.push(at, [a(f"x{at}")])
    in_parts.push(3, [a("y")])
    in_parts.push(3, [a("x2", "C")])
    at_once.push(3, [a("y"), a("x2", "C")])
    assert in_parts.materialization() == at_once.materialization()
    assert in_parts.assertions() == at_once.assertions()


@pytest.mark.parametrize("options", [{"max_facts": 1}, {"max_bytes": 1000}])
@pytest.mark.parametrize("on_limit", ["error", "drop"])
def test_a_background_beyond_the_limit_is_refused(options, on_limit):
    with pytest.raises(MemoryLimitError) as caught:
        reasoner(**options, on_limit=on_limit)
    assert caught.value.at is None and caught.value.limit == next(iter(options))


def test_other_limits_can_be_set_when_it_goes_on():
    first = reasoner(width=100, max_facts=6)
    first.push(1, [a("x")])
    with pytest.raises(MemoryLimitError):
        first.push(2, [a("y"), a("z")])
    second = StreamReasoner.restore(first.snapshot(), first.ontology, limits=Limits(8))
    assert second.options.limits == Limits(8)
    second.push(2, [a("y"), a("z")])
    assert second.stats().facts == 8
    third = StreamReasoner.restore(second.snapshot(), first.ontology, limits=Limits(6, on_limit="drop"))
    assert third.push(3, []).dropped_early == (1,)
    with pytest.raises(OptionError, match=r"limits=8 .*Limits\(max_facts"):
        StreamReasoner.restore(second.snapshot(), first.ontology, limits=8)


@pytest.fixture
def looked_at(monkeypatch):
    """The levels of the log's entries that were looked at."""
    levels, entries, size = [], Log.__iter__, Entry.bytes.fget

    def counted(log):
        for entry in entries(log):
            levels.append(entry.level)
            yield entry

    monkeypatch.setattr(Log, "__iter__", counted)
    monkeypatch.setattr(Entry, "bytes", property(lambda entry: levels.append(entry.level) or size(entry)))
    return levels


@pytest.mark.parametrize("limits", [{}, {"max_bytes": 10**9}, {"max_bytes": 10**9, "on_limit": "drop"}])
def test_a_push_looks_at_as_many_entries_in_a_long_window_as_in_a_short_one(looked_at, limits):
    counts = []
    for width in (20, 1500):
        tested = reasoner(width=width, **limits)
        for at in range(width + 20):
            looked_at.clear()
            tested.push(at, [a(f"x{at % 7}")])
        counts.append(len(looked_at))
        looked_at.clear()
        tested.stats()
        assert not looked_at
    assert counts[0] == counts[1] <= 10


def test_timestamps_that_leave_early_for_their_bytes_are_looked_at_alone(looked_at):
    tested = reasoner(width=10**6, max_bytes=900_000, on_limit="drop")
    pushes = most = 0
    while not (update := tested.push(pushes, [a(f"x{pushes}")])).dropped_early:
        pushes += 1
        most = max(most, len(looked_at))
        looked_at.clear()
    stayed = len(tested.timestamps)
    assert pushes > 300 and len(update.dropped_early) > 30
    looked_at.clear()
    while not (update := tested.push(pushes, [a(f"x{pushes}")])).dropped_early:
        pushes += 1
        looked_at.clear()
    # marking the terms in use looks at each entry that stays; making the model anew comes later
    assert len(looked_at) < stayed + 6 * len(update.dropped_early) + 20
