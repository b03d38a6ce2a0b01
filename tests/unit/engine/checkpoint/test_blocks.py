"""Checkpoints in blocks: how much a save writes, and what is refused."""

import pickle

import pytest
from rdflib import Literal

from checkpoints import ONTOLOGY, same
from pantarhei import CheckpointError, History, StreamReasoner, Window, load_rules
from pantarhei.engine.checkpoint import BlockWriter, StoredBlocks
from strategies import EX, A, C, V, a, b, member


class Store:
    """A reasoner that is saved in blocks, with the bytes that were written."""

    def __init__(self, reasoner):
        self.reasoner, self.writer = reasoner, BlockWriter()
        self.blocks, self.written, self.most = {}, 0, 0

    def save(self):
        self.head, added, dropped = self.reasoner.changed_blocks(self.writer, {"saved": True})
        self.blocks |= added
        for number in dropped:
            del self.blocks[number]
        self.written += len(self.head) + sum(map(len, added.values()))
        self.most = max(self.most, len(self.blocks))
        return added

    @property
    def stored(self):
        return StoredBlocks(self.head, self.blocks)

    def restored(self):
        return StreamReasoner.restore(self.stored, ONTOLOGY)


def saved(*pushes, **options):
    store = Store(StreamReasoner(ONTOLOGY, Window(3), **options))
    for at, *triples in pushes:
        store.reasoner.push(at, triples)
        store.save()
    return store


def batch(number, size):
    return [(EX[f"car{number}-{place}"], V, Literal(number)) for place in range(size)]


def test_a_save_writes_what_has_changed():
    store, whole = Store(StreamReasoner(ONTOLOGY, Window(150), history=History(0))), 0
    for number in range(500):
        store.reasoner.push(number, batch(number, 20))
        store.save()
        if number % 100 == 99:
            snapshot = store.reasoner.snapshot()
            whole += 100 * len(snapshot)
    alone = StreamReasoner(ONTOLOGY, Window(200))
    alone.push(0, batch(100, 20))
    assert store.written < 4 * 500 * len(alone.snapshot())
    assert store.written < whole / 12
    assert store.most <= 32 + 2 * 8
    assert sum(map(len, store.blocks.values())) < 1.5 * len(snapshot)
    assert same(store.restored(), store.reasoner)


def test_a_further_part_of_the_newest_timestamp_replaces_its_block_only():
    store = saved((1, member(A, a)), (2, member(A, b)))
    store.reasoner.push(2, [member(C, b)])
    (number,) = store.save()
    assert store.restored().assertions() == store.reasoner.assertions()
    assert number == max(store.blocks)
    assert not store.save()


def test_a_writer_goes_on_after_a_restart():
    store = saved((1, member(A, a)), (2, member(A, b)))
    store.reasoner, store.writer = store.restored(), BlockWriter(store.stored)
    assert store.reasoner.note == {"saved": True}
    store.reasoner.push(2, [member(C, b)])
    store.reasoner.push(3, [member(C, a)])
    assert len(store.save()) == 1
    assert same(store.restored(), store.reasoner)


def test_consumers_are_written_when_they_have_changed():
    rules = load_rules("seen(X) :- :A(X) in [3].", prefixes={"": str(EX)})
    store = Store(StreamReasoner(ONTOLOGY, Window(4, 2), temporal=rules, background=[member(A, EX.d)]))
    store.reasoner.register("SELECT ?x { ?x a <http://example.org/B> }", "plain")
    store.reasoner.register("SELECT ?x { ?x a <http://example.org/B> }", "closing", on="close")
    for number, triples in enumerate(([member(A, a)], [member(A, b)], [], [member(C, a)], [])):
        store.reasoner.push(number, triples)
        store.save()
        restored = store.restored()
        assert restored.atoms() == store.reasoner.atoms()
        assert restored.background == store.reasoner.background
        for other in (5, 9):
            steps = [
                each.advance(other) for each in (restored, StreamReasoner.restore(store.stored, ONTOLOGY))
            ]
            assert steps[0].at == steps[1].at
        for name, query in store.reasoner.queries.items():
            again = store.restored().queries[name]
            assert again.answers == query.answers
    assert len(store.save()) == 0


def test_a_missing_or_foreign_block_is_refused():
    store = saved((1, member(A, a)), (2, member(A, b)))
    first = min(store.blocks)
    with pytest.raises(CheckpointError, match=f"block {first} is missing") as caught:
        StoredBlocks(store.head, {}).read()
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    other = saved((1, member(C, a)), (2, member(C, b)))
    with pytest.raises(CheckpointError, match=r"block \d+ belongs to another head"):
        StoredBlocks(store.head, other.blocks).read()
    broken = {number: data[:40] + b"x" + data[41:] for number, data in store.blocks.items()}
    with pytest.raises(CheckpointError, match="its digest does not match"):
        StoredBlocks(store.head, broken).read()
    with pytest.raises(CheckpointError, match="not the head of a checkpoint in blocks"):
        StoredBlocks(store.reasoner.snapshot(), {}).read()


def test_a_part_alone_is_refused():
    store = saved((1, member(A, a)))
    for data in (store.head, *store.blocks.values()):
        with pytest.raises(CheckpointError, match="one part of a checkpoint in blocks; restore all parts"):
            StreamReasoner.restore(data, ONTOLOGY)


def test_blocks_are_not_written_inside_a_block_of_steps():
    store = saved((1, member(A, a)))
    with (
        pytest.raises(CheckpointError, match="inside all_or_nothing"),
        store.reasoner.all_or_nothing(),
    ):
        store.save()
