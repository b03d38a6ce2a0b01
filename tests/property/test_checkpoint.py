"""A reasoner that was saved and restored goes on like the one that was not, whatever came before and comes
after.
"""

from collections import Counter

from hypothesis import given, reject, settings
from rdflib import Literal

from counts import cases
from pantarhei import InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.values.value import value_of
from scenes import scenes, steps, table
from worlds import interpretations, windows

STEPS = Counter()


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
        known = {value_of(t[2]) for at in self.steady.timestamps for t in self.pushed.get(at, [])}
        self.forgotten |= self.met - known - {value_of(t[2]) for t in self.steady.materialization()}
        self.saves += 1
        self.compare()

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
