"""What the history says of an older time is what the reasoner held then, whatever came since."""

import random
from contextlib import suppress

import pytest
from rdflib import RDF, Literal

import pantarhei.engine.memory as compaction_module
from counts import seeds
from pantarhei import ForgottenTimeError, History, MemoryLimitError, StreamReasoner, Window
from pantarhei.rdf.ntriples import parse_term
from strategies import EX, V
from worlds import World, canonical

both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def steps_of(world, dice, count):
    """Random (time, facts); facts None for time alone, and further parts of one timestamp. Some names never
    come again.
    """
    now = 0
    for number in range(count):
        now += dice.choice((0, 1, 1, 1, 2, 5))
        fresh = [(EX[f"once{number}"], RDF.type, EX.A), (EX[f"once{number}"], V, Literal(f"{number}"))]
        facts = [*world.facts(dice.choice((1, 3, 8))), *fresh]
        yield now, facts if dice.random() < 0.85 or not now else None


def told(reasoner, log):
    """A log, as triples."""
    decode = reasoner._held.vocabulary.decode
    return [
        (each.at, set(decode(each.facts, each.forms.by_fact)), canonical(decode(each.cut))) for each in log
    ]


def materialized(reasoner, books):
    held = reasoner._held
    model, _ = held._build_from(books, held.growing.program)
    return canonical(held.vocabulary.decode(model.facts()))


def take(reasoner, at, facts):
    return reasoner.advance(at) if facts is None else reasoner.push(at, facts)


class Remembered:
    """A reasoner, and how its window stood after each of its steps."""

    def __init__(self, reasoner):
        self.reasoner, self.stood = reasoner, {}

    def step(self, at, facts):
        take(self.reasoner, at, facts)
        books = self.reasoner._held.history
        books.past.check_invariants()
        self.stood[at] = told(self.reasoner, books.log), canonical(self.reasoner.materialization())

    def check(self, models=True):
        """Each time that the history reaches is told as it was; how many were, and how many were not."""
        reasoner, reached, forgotten = self.reasoner, 0, 0
        for at, (log, facts) in self.stood.items():
            try:
                books = reasoner._held.history_at(at)
            except ForgottenTimeError as error:
                forgotten += 1
                assert not reached, f"the history reaches {at}, and not before it: {error}"
                continue
            reached += 1
            books.log.check_invariants()
            assert told(reasoner, books.log) == log
            if models:
                assert materialized(reasoner, books) == facts
        return reached, forgotten


@both_ways
@pytest.mark.parametrize("seed", seeds(2, 8))
def test_the_log_of_an_older_time_is_the_one_the_reasoner_had_then(monkeypatch, seed, keep):
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 20)
    world, dice = World(seed, constraints=3), random.Random(seed)
    window = Window(dice.choice((3, 6)), dice.choice((None, 2, 3)))
    history, revisions = History(steps=dice.choice((5, 12, 40))), []
    remembered = Remembered(world.reasoner(window, keep=keep, history=history))
    for number, (at, facts) in enumerate(steps_of(world, dice, 120)):
        remembered.step(at, facts)
        revisions.append(remembered.reasoner._held.vocabulary.revision)
        if number in (12, 25, 38):
            snapshot = remembered.reasoner.snapshot()
            remembered.reasoner = StreamReasoner.restore(snapshot, remembered.reasoner.ontology)
        if number % 8 == 7:
            reached, _ = remembered.check()
            assert reached >= 4
    assert remembered.reasoner.stats().repairs
    assert len({*map(id, revisions)}) > 4, "terms were renamed on the way"


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_so_it_is_where_timestamps_leave_early_and_blocks_are_undone(seed):
    world, dice = World(seed, constraints=2), random.Random(seed)
    cap = len(world.reasoner(Window(8)).graph) + 40
    reasoner = world.reasoner(Window(8), max_facts=cap, on_limit="drop")
    remembered, early = Remembered(reasoner), 0
    for at, facts in steps_of(world, dice, 40):
        before = reasoner._held.history
        with suppress(ZeroDivisionError, MemoryLimitError), reasoner.all_or_nothing():
            take(reasoner, at, facts)
            reasoner.advance(at + dice.randrange(9))
            raise ZeroDivisionError
        assert reasoner._held.history.past is before.past
        with suppress(MemoryLimitError):
            remembered.step(at, facts)
    early = reasoner.stats().dropped_early
    reached, forgotten = remembered.check()
    assert early and reached > 10 and not forgotten


@pytest.mark.parametrize("seed", range(4))
def test_a_history_keeps_to_its_bounds_and_gives_way_to_the_window(seed):
    world, dice = World(seed, constraints=2), random.Random(seed)
    free = world.reasoner(Window(6), history=History(steps=0))
    bounded = world.reasoner(Window(6), history=History(steps=1000, max_bytes=5_000))
    needed = 0
    taken = list(steps_of(world, dice, 60))
    for at, facts in taken:
        take(free, at, facts), take(bounded, at, facts)
        needed = max(needed, free.stats().bytes)
        assert bounded._held.history.past.bytes <= 5_000
        assert not free._held.history.past
    limited = world.reasoner(Window(6), max_bytes=2 * needed)
    tight = world.reasoner(Window(6), max_bytes=needed + needed // 50)
    for at, facts in taken:
        for reasoner in (limited, tight):
            take(reasoner, at, facts)
            assert reasoner.stats().bytes <= reasoner.options.limits.max_bytes
    assert limited.stats().remembered > tight.stats().remembered
    assert tight.stats().forgotten_early and not tight.stats().dropped_early


@pytest.mark.parametrize("seed", seeds(2, 6))
def test_records_and_what_is_still_held_are_everything_that_came(monkeypatch, seed):
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 20)
    world, dice = World(seed, constraints=3), random.Random(seed)
    written, fates = [], {}
    history = History(steps=dice.choice((0, 3, 20)), sink=written.extend)
    reasoner, came, removed = world.reasoner(Window(4), history=history), set(), {}
    for number, (at, facts) in enumerate(steps_of(world, dice, 50)):
        update = take(reasoner, at, facts)
        came |= {(at, triple) for triple in canonical(facts or [])}
        if facts is not None:
            removed[at] = {(then, *canonical([triple])) for then, triple in update.repair.removed}
        if number % 20 == 19:
            reasoner = StreamReasoner.restore(reasoner.snapshot(), reasoner.ontology, history=history)
    reasoner.flush_history()
    times = [record.timestamp for record in written]
    assert times == sorted(times)
    for record in written:
        terms = parse_term(record.subject), parse_term(record.predicate), parse_term(record.object)
        one = record.timestamp, *canonical([terms])
        assert one not in fates, "each is written once"
        fates[one] = record.fate
        if record.fate == "cut":
            assert one in removed[record.at] and record.conflicts
        else:
            assert one not in {each for cut in removed.values() for each in cut}
    held = {one for one in came if one[0] in reasoner.timestamps}
    assert set(fates) | held == came and not set(fates) & held
    assert {"cut", "left"} <= set(fates.values())
