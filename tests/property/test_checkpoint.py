"""A reasoner that was saved and restored goes on like the one that was not, whatever came before and comes
after.
"""

from collections import Counter

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from rdflib import Literal

from counts import cases
from pantarhei import (
    History,
    InconsistentOntologyError,
    MemoryLimitError,
    Ontology,
    StreamReasoner,
    Window,
)
from pantarhei.engine.checkpoint import BlockWriter, StoredBlocks, blocks
from pantarhei.values.value import value_of
from scenes import scenes, steps, table
from worlds import interpretations, windows

STEPS, COUNTS = Counter(), Counter()


class Twins:
    """A reasoner that goes on, and one that is saved and restored now and then."""

    def __init__(self, ontology, window, options):
        self.steady = StreamReasoner(ontology, window, **options)
        self.ontology, self.restored = ontology, self.steady
        self.pushed, self.met, self.forgotten = {}, set(), set()
        self.now, self.saves = 0, 0

    def step(self, gap, triples, as_table):
        self.now += gap
        if triples is None:
            updates = [each.advance(self.now) for each in self.each()]
        else:
            self.pushed.setdefault(self.now, []).extend(triples)
            self.met |= {value_of(t[2]) for t in triples if isinstance(t[2], Literal)}
            given = table(triples) if as_table else triples
            updates = [each.push(self.now, given) for each in self.each()]
        if self.restored is not self.steady:
            steady, restored = map(self.outcome, updates)
            assert restored == steady
            self.compare()

    def each(self):
        return [self.steady] if self.restored is self.steady else [self.steady, self.restored]

    def save_and_restore(self):
        data = self.restored.snapshot({"now": self.now})
        assert data == self.restored.snapshot({"now": self.now})
        self.restored = StreamReasoner.restore(data, self.ontology)
        assert self.restored.note == {"now": self.now}
        assert self.restored.snapshot(self.restored.note) == data
        self.forget()
        self.saves += 1
        self.compare()

    def forget(self):
        """Note the values that are not in use any more, of which a restored reasoner may show other forms."""
        known = {value_of(t[2]) for at in self.steady.timestamps for t in self.pushed.get(at, [])}
        self.forgotten |= self.met - known - {value_of(t[2]) for t in self.steady.materialization()}

    def compare(self):
        steady, restored = self.steady, self.restored
        assert self.told(restored.assertions()) == self.told(steady.assertions())
        assert self.written(restored.materialization()) == self.written(steady.materialization())
        assert restored.timestamps == steady.timestamps
        assert list(map(self.repair, restored.repairs)) == list(map(self.repair, steady.repairs))
        assert restored.background == steady.background
        restored._held.model.kernel.check_invariants()
        if steady.options.keep == "newest":
            found, expected = interpretations(restored), interpretations(steady)
            assert {at: self.written(f) for at, f in found.items()} == {
                at: self.written(f) for at, f in expected.items()
            }

    def outcome(self, update):
        delta = update.delta
        return (
            (update.at, update.start, update.end, update.dropped),
            self.repair(update.repair),
            (self.written(delta.added), self.written(delta.removed)),
        )

    def repair(self, repair):
        conflicts = Counter(
            (frozenset(self.told(each.assertions)), frozenset(each.constraints)) for each in repair.conflicts
        )
        removed, undecided = self.told(repair.removed), self.told(repair.undecided)
        return repair.at, repair.method, conflicts, removed, undecided, repair.unlisted

    def told(self, assertions):
        return {(at, self.form(triple)) for at, triple in assertions}

    def written(self, triples):
        return set(map(self.form, triples))

    def form(self, triple):
        """The triple; of a value that had left the window when it was saved, the form may be another."""
        value = value_of(triple[2])
        return (*triple[:2], value) if value in self.forgotten else triple


class BlockTwins(Twins):
    """Twins of which one is saved in blocks after each step, and restored from them now and then."""

    def __init__(self, *given):
        super().__init__(*given)
        self.writer, self.head, self.blocks = BlockWriter(), b"", {}
        self.write()

    def step(self, gap, triples, as_table):
        super().step(gap, triples, as_table)
        self.write()

    def write(self):
        head, added, dropped = self.restored.changed_blocks(self.writer, {"now": self.now})
        assert not added.keys() & self.blocks.keys() and set(dropped) <= self.blocks.keys()
        self.blocks |= added
        for number in dropped:
            del self.blocks[number]
        self.head = head
        COUNTS["blocks"] = max(COUNTS["blocks"], len(self.blocks))

    def save_and_restore(self):
        data = self.restored.snapshot({"now": self.now})
        stored = StoredBlocks(self.head, self.blocks)
        found = StreamReasoner.restore(stored, self.ontology)
        assert found.note == {"now": self.now}
        other = StreamReasoner.restore(data, self.ontology)
        assert found.timestamps == other.timestamps
        assert counts(found) == counts(other)
        assert list(map(entry, found._held.history.past.entries())) == list(
            map(entry, other._held.history.past.entries())
        )
        self.restored, self.writer = found, BlockWriter(stored)
        self.forget()
        self.saves += 1
        self.compare()


def counts(reasoner):
    return {name: count for name, count in reasoner.stats()._asdict().items() if "bytes" not in name}


def entry(found):
    return found.level, found.at, found.ticks, len(found.facts), len(found.cut)


@settings(max_examples=cases(5, 80, long=3_000), deadline=None)
@given(
    scenes(),
    windows,
    steps,
    st.sampled_from((History(0), History(0), History(2), History())),
    st.sampled_from((None, None, 9)),
    st.sampled_from((2, 3, 8)),
    st.integers(0, 5),
)
def test_a_reasoner_restored_from_blocks_goes_on_like_the_one_that_was_saved(
    scene, window, steps, history, most, merged, compacted
):
    rules, background, pool, options = scene
    options |= {"history": history, "max_facts": most and most + len(background) * 9, "on_limit": "drop"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "_MERGED", merged)
        patch.setattr(blocks, "_SHARE", 1 if merged < 8 else 4)
        try:
            twins = BlockTwins(Ontology.from_rules(rules, background), Window(*window), options)
        except (InconsistentOntologyError, MemoryLimitError):
            reject()
        for number, (gap, choice, as_table, save) in enumerate(steps):
            if save:
                twins.save_and_restore()
            triples = None if choice is None else [pool[i % len(pool)] for i in choice]
            try:
                twins.step(gap, triples, as_table)
            except MemoryLimitError:
                break
            if number == compacted:
                twins.restored._held._forget_unused()
        twins.write()
        twins.save_and_restore()


@settings(max_examples=cases(8, 60, long=3_000), deadline=None)
@given(scenes(), windows, steps)
def test_a_restored_reasoner_goes_on_like_the_one_that_was_saved(scene, window, steps):
    rules, background, pool, options = scene
    try:
        twins = Twins(Ontology.from_rules(rules, background), Window(*window), options)
    except InconsistentOntologyError:
        reject()
    for gap, choice, as_table, save in steps:
        if save:
            twins.save_and_restore()
        twins.step(gap, None if choice is None else [pool[i % len(pool)] for i in choice], as_table)
    twins.save_and_restore()
    STEPS[options["keep"]] += len(steps)
