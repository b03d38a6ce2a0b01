"""Conflicts first read late are those read at once: after compactions, restores, pickling, more pushes."""

import logging
import pickle
import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from rdflib import RDF, Literal

import pantarhei.engine.memory as compaction_module
import pantarhei.engine.step_transaction as books_module
from counts import of_many, seeds, some
from pantarhei import Conflict, History, MemoryLimitError, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Different, Rule
from repaired_streams import stream, world
from strategies import EX, R, is_a, related, x, y, z

pytestmark = [
    pytest.mark.timeout(120),
    pytest.mark.filterwarnings("ignore::pantarhei.UndecidedRepairWarning"),
]
METHODS = ("exact", "exact", "grounded", "algorithm3", "off")
LENGTH = 10  # arrivals of a stream
SEEN = Counter()


def content(repair):
    """Attributes and text of a repair."""
    conflicts = [(each.assertions, each.constraints, str(each)) for each in repair.conflicts]
    assert len(repair.conflicts) == len(conflicts)
    assert list(repair.conflict_sets) == [assertions for assertions, *_ in conflicts]
    assert bool(repair) is bool(repair.removed)
    return repair.at, conflicts, repair.conflicts.complete, repair.removed, repair.undecided, str(repair)


def fresh(number, symbol):
    """Facts with a name of their own, and a class and property of their own every `symbol` times: terms get
    other numbers once these have left.
    """
    who, of = EX[f"once{number}"], number // symbol
    return [(who, EX[f"p{of}"], Literal(number)), (who, RDF.type, EX[f"C{of}"])]


def compact(reasoner):
    reasoner._held.most_entries = -1
    reasoner._held.forget_unused()


class Twins:
    """Two reasoners of one stream: the conflicts of one are read at once, the updates of the other are kept.

    Args:
        dice: draws world, options and stream.
        steps: how many further ABoxes with fresh names follow the stream.
    """

    def __init__(self, dice, steps=0):
        self.world, self.dice = world(dice), dice
        options = {
            "keep": dice.choice(("newest", "every")),
            "repair": dice.choice(METHODS),
            "history": History(steps=dice.choice((0, 5, 1000))),
        }
        window = Window(*dice.choice(((1, 1), (3, 1), (5, 2), (50, 1))))
        self.steady = self.world.reasoner(window, **options)
        self.late = self.world.reasoner(window, **options)
        self.at_once, self.updates = {}, {}
        self.why = f"{window}, {options}, {self.world.rules}, {self.world.background}"
        arrivals = [(each.at, each.facts) for each in stream(dice, self.world.pool, LENGTH)]
        last = arrivals[-1][0]
        symbol = 1 if self.world.unique_names else 300  # equality has rules of its own for each
        self.arrivals = arrivals + [(last + 1 + number, fresh(number, symbol)) for number in range(steps)]

    def run(self, between=lambda twins, at: None):
        for at, facts in self.arrivals:
            for reasoner in (self.steady, self.late):
                update = reasoner.advance(at) if facts is None else reasoner.push(at, facts)
                if reasoner is self.steady:
                    self.at_once[at] = content(update.repair)
                else:
                    self.updates[at] = update
            between(self, at)
        SEEN["steps"] += len(self.arrivals)
        SEEN["conflicts"] += sum(len(conflicts) for _, conflicts, *_ in self.at_once.values())
        return self

    def check(self):
        for at, expected in self.at_once.items():
            assert content(self.updates[at].repair) == expected, self.why
        self.check_repairs(self.late)

    def check_repairs(self, reasoner):
        """The repairs that a reasoner remembers."""
        assert list(map(content, reasoner.repairs)) == [
            self.at_once[each.at] for each in self.steady.repairs
        ], self.why


@pytest.mark.parametrize("seed", seeds(12, 300, 5000))
def test_after_compactions_the_conflicts_are_those_read_at_once(monkeypatch, seed):
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 0)
    revisions = set()

    def forget(twins, at):
        if twins.dice.random() < 0.5:
            compact(twins.late)
            revisions.add(id(twins.late._held.vocabulary.revision))

    Twins(random.Random(seed), 5).run(forget).check()


@pytest.mark.parametrize("seed", seeds(12, 300, 5000))
def test_after_restores_the_repairs_are_those_read_at_once(seed):
    def restore(twins, at):
        if twins.dice.random() < 0.2:
            twins.late = StreamReasoner.restore(twins.late.snapshot(), twins.world.ontology)
            if twins.dice.random() < 0.3:
                twins.check_repairs(twins.late)

    twins = Twins(random.Random(seed), 2).run(restore)
    once = StreamReasoner.restore(twins.late.snapshot(), twins.world.ontology)
    twice = StreamReasoner.restore(once.snapshot(), twins.world.ontology)
    unread = StreamReasoner.restore(twice.snapshot(), twins.world.ontology)
    compact(unread)
    for reasoner in (unread, once, twice):
        twins.check_repairs(reasoner)
    twins.check()
    assert once.repairs == twice.repairs == twins.late.repairs


@pytest.mark.parametrize("seed", seeds(12, 300, 5000))
def test_copies_by_pickle_have_the_conflicts_read_at_once(seed):
    copies = {}

    def copy(twins, at):
        copies[at] = pickle.loads(pickle.dumps(twins.updates[at].repair if at % 2 else twins.updates[at]))

    twins = Twins(random.Random(seed)).run(copy)
    for at, expected in twins.at_once.items():
        repair = copies[at] if at % 2 else copies[at].repair
        assert content(repair) == expected, twins.why
        assert content(pickle.loads(pickle.dumps(repair))) == expected, twins.why
    twins.check()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(6))
def test_a_thousand_pushes_later_the_conflicts_are_those_read_at_once(monkeypatch, seed):
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 100)
    Twins(random.Random(seed), 1000).run().check()


@pytest.mark.parametrize("seed", seeds(2, 30))
def test_in_other_threads_the_conflicts_are_those_read_at_once(monkeypatch, seed):
    """Two threads read while the reasoner goes on and its terms get other numbers."""
    monkeypatch.setattr(compaction_module, "MIN_GROWTH", 50)
    go_on = Event()

    def read(repair):
        go_on.wait(10)
        return content(repair)

    with ThreadPoolExecutor(4) as pool:
        found = {}

        def hand_out(twins, at):
            found[at] = [pool.submit(read, twins.updates[at].repair) for _ in "12"]
            go_on.set()

        twins = Twins(random.Random(seed), 60).run(hand_out)
        for at, expected in twins.at_once.items():
            assert [each.result(60) for each in found[at]] == [expected] * 2, twins.why


@pytest.mark.parametrize("seed", seeds(2, 60))
def test_proofs_read_late_are_those_read_at_once(seed):
    proofs = {}

    def prove(twins, at):
        repair = twins.steady.repairs[-1] if twins.steady.repairs else None
        if repair is not None and repair.at == at:
            proofs[at] = [each.proofs for each in repair.conflicts]
            assert all(len(each.proofs) == len(each.constraints) for each in repair.conflicts)

    twins = Twins(random.Random(seed), 3).run(prove)
    compact(twins.late)
    restored = StreamReasoner.restore(twins.late.snapshot(), twins.world.ontology)
    for reasoner in (twins.late, restored):
        for repair in reasoner.repairs:
            assert [each.proofs for each in repair.conflicts] == proofs[repair.at], twins.why


@of_many
def test_there_were_enough_conflicts():
    if SEEN["steps"] < 1000:
        pytest.skip("the streams were not compared")
    assert SEEN["conflicts"] > SEEN["steps"] / 4


# -- what is kept for it ---------------------------------------------------------------------------

ONE_PLACE = Rule("prp-fp", (related(R, x, y), related(R, x, z)), None, (Different(y, z),))
CHAIN = [Rule("cax-sco", (is_a(EX[f"K{i}"], x),), is_a(EX[f"K{i + 1}"], x)) for i in range(100)]
ONTOLOGY = Ontology.from_rules([ONE_PLACE, *CHAIN, Rule("cax-dw", (is_a(EX.K100, x), is_a(EX.No, x)), None)])


@pytest.mark.parametrize("method", ["exact", "grounded", "algorithm3", "off"])
def test_the_log_has_one_line_of_counts_and_the_conflicts_where_it_is_detailed(monkeypatch, caplog, method):
    reasoner = StreamReasoner(ONTOLOGY, Window(100), repair=method)
    contradicting(reasoner, 0)
    with caplog.at_level(logging.INFO, "pantarhei.repair"), monkeypatch.context() as patch:
        patch.setattr(Conflict, "__str__", lambda conflict: pytest.fail("no conflict is written"))
        contradicting(reasoner, 1)
    removed = 0 if method == "off" else 100
    assert caplog.messages == [f"at 1: 100 conflicts, {removed} assertions removed"]
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "pantarhei.repair"):
        repair = contradicting(reasoner, 2).repair
    _, *conflicts = str(repair).splitlines()
    assert caplog.messages == [f"at 2: {repair.summary()}", *(f"at 2: {line.strip()}" for line in conflicts)]
    assert [record.levelno for record in caplog.records] == [logging.INFO, *[logging.DEBUG] * len(conflicts)]
    assert len(str(repair).splitlines()) == 1 + len(repair.conflicts) > 100
    caplog.clear()
    with caplog.at_level(logging.WARNING, "pantarhei.repair"):
        contradicting(reasoner, 3)
    assert not caplog.messages


def contradicting(reasoner, at, count=100):
    """A step that contradicts the one before it."""
    kind = EX.No if at % 2 else EX.K0
    return reasoner.push(at, [(EX[f"i{number}"], RDF.type, kind) for number in range(count)])


@pytest.mark.parametrize("method", ["exact", "off"])
def test_evidence_counts_among_the_bytes_of_the_books(method):
    reasoner = StreamReasoner(ONTOLOGY, Window(100), repair=method)
    contradicting(reasoner, 0)
    before = reasoner.stats().books_bytes
    repair = contradicting(reasoner, 1).repair
    evidence = repair.case.kept.bytes
    assert evidence > 10_000
    grown = reasoner.stats().books_bytes - before
    assert evidence < grown < evidence + 10_000
    assert reasoner._held.history.log.evidence == evidence
    list(repair.conflicts)
    assert reasoner.stats().books_bytes - before == grown, "reading them takes nothing more of the books"
    restored = StreamReasoner.restore(reasoner.snapshot(), ONTOLOGY)
    assert restored.stats().books_bytes - before > evidence / 2
    reasoner.push(300, [])
    assert reasoner._held.history.log.evidence == 0


def test_evidence_counts_against_max_bytes():
    """Without its evidence a push would do."""
    free = StreamReasoner(ONTOLOGY, Window(100), history=History(steps=0))
    contradicting(free, 0)
    before = free.stats().bytes
    evidence = contradicting(free, 1).repair.case.kept.bytes
    after = free.stats().bytes
    most = after - evidence // 2
    assert before < most
    limited = StreamReasoner(ONTOLOGY, Window(100), history=History(steps=0), max_bytes=most)
    contradicting(limited, 0)
    with pytest.raises(MemoryLimitError):
        contradicting(limited, 1)
    assert limited.timestamps == (0,)


@pytest.mark.parametrize("keep", some(["newest", "every"], ["every"]))
def test_beyond_the_bound_of_a_window_the_oldest_repairs_list_no_conflicts(monkeypatch, keep):
    steady, bounded = (StreamReasoner(ONTOLOGY, Window(1000), keep=keep) for _ in "12")
    contradicting(steady, 0)
    size = max(contradicting(steady, at).repair.case.kept.bytes for at in range(1, 30))
    updates = []
    monkeypatch.setattr(books_module, "MOST_EVIDENCE", 8 * size)
    for at in range(30):
        updates.append(contradicting(bounded, at))
        log = bounded._held.history.log
        log.check_invariants()
        assert log.evidence <= 8 * size
    expected = [content(each) for each in steady.repairs]
    listed = [bool(each.conflicts) for each in bounded.repairs]
    assert listed == sorted(listed) and 4 <= sum(listed) < 9
    for repair, whole in zip(bounded.repairs, expected, strict=True):
        assert repair.conflicts.complete is bool(repair.conflicts)
        assert (repair.at, repair.removed) == (whole[0], whole[3])
        assert not repair.conflicts or content(repair) == whole
    assert [content(update.repair) for update in updates[1:]] == expected, "updates keep theirs"
    restored = StreamReasoner.restore(bounded.snapshot(), ONTOLOGY)
    assert list(map(content, restored.repairs)) == list(map(content, bounded.repairs))
    assert len(contradicting(restored, 30).repair.conflicts) == 100
