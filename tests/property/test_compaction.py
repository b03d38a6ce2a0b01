"""A reasoner that forgets unused terms at every step equals one that never does, at every step and when what
it told is looked at late.
"""

from collections import Counter
from functools import partial

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from rdflib import RDF, BNode, Literal, URIRef

from counts import cases, seeds
from pantarhei import History, InconsistentOntologyError, Ontology, StreamReasoner, Window
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.values.value import value_of
from scenes import scenes, steps, table
from strategies import EX
from worlds import World, interpretations, windows

SEEN = Counter()


class Twins:
    """A reasoner that never forgets, and one that does before every step and each time it is looked at."""

    def __init__(self, ontology, window, options):
        self.steady, self.compact = (StreamReasoner(ontology, window, **options) for _ in "12")
        self.steady._held.most_entries = 1 << 60
        foundation = Foundation.of(ontology, options.get("background"), options.get("unique_names", True))
        self.ontology, self.worker = ontology, ABoxMaterializer(foundation)
        self.met, self.forgotten, self.late = set(), set(), []
        self.now = 0

    def step(self, gap, triples, how, look=True):
        self.now += gap
        self.forget()
        for literal in (t[2] for t in triples or () if isinstance(t[2], Literal)):
            self.met.add(literal)
        if triples is None:
            updates = [each.advance(self.now) for each in self.each]
        elif how == "materialized":
            made = self.worker.materialize(triples)
            updates = [each.push_materialized(self.now, made) for each in self.each]
        else:
            given = table(triples) if how == "table" else triples
            updates = [each.push(self.now, given) for each in self.each]
        if look:
            self.compare_updates(*updates)
            self.compare()
        else:
            self.late.append(updates)

    @property
    def each(self):
        return self.steady, self.compact

    def forget(self):
        before = self.compact._held.vocabulary.counts
        self.compact._held.most_entries = -1
        self.compact._held.forget_unused()
        self.compact._held.most_entries = -1
        after = self.compact._held.vocabulary.counts
        SEEN["forgotten"] += sum(before) - sum(after)
        SEEN["symbols"] += before[0] - after[0]
        self.compact._held.model.kernel.check_invariants()
        held = self.compact._held
        assert held.growing.program.predicates == tuple(
            held.vocabulary.symbols[: len(held.growing.program.predicates)]
        )
        self.note_forgotten()

    def note_forgotten(self):
        """The values of which the form that was met first may be another one for the two."""
        self.met |= {t[2] for t in self.steady.materialization() if isinstance(t[2], Literal)}
        find = self.compact._held.vocabulary.find
        self.forgotten |= {value_of(literal) for literal in self.met if find(literal) is None}

    def restore(self):
        """Both are saved and go on from that; the bytes differ only by what the first forms were."""
        self.steady, self.compact = (
            StreamReasoner.restore(each.snapshot(), self.ontology) for each in self.each
        )
        self.steady._held.most_entries = 1 << 60
        self.note_forgotten()
        self.compare()

    def compare_updates(self, steady, compact):
        assert (compact.at, compact.start, compact.end) == (steady.at, steady.start, steady.end)
        assert compact.dropped == steady.dropped
        assert self.written(compact.delta.added) == self.written(steady.delta.added)
        assert self.written(compact.delta.removed) == self.written(steady.delta.removed)
        self.compare_repairs(steady.repair, compact.repair)

    def compare_repairs(self, steady, compact):
        assert (compact.at, compact.method) == (steady.at, steady.method)
        assert Counter(compact.conflict_sets) == Counter(steady.conflict_sets)
        assert (compact.removed, compact.undecided) == (steady.removed, steady.undecided)
        SEEN["cut"] += len(compact.removed)

    def compare(self):
        steady, compact = self.each
        assert compact.assertions() == steady.assertions()
        assert compact.timestamps == steady.timestamps
        assert compact.background == steady.background
        assert self.written(compact.materialization()) == self.written(steady.materialization())
        assert self.written(compact.graph) == self.written(steady.graph)
        self.ask(sorted(compact.materialization(), key=str))
        assert len(compact.repairs) == len(steady.repairs)
        if steady.options.keep == "newest":
            found, expected = interpretations(compact), interpretations(steady)
            for at, facts in expected.items():
                assert self.written(found[at]) == self.written(facts)
        compact._held.model.kernel.check_invariants()
        SEEN["steps"] += 1

    def ask(self, triples):
        """Patterns for which facts are indexed by subject or by object, of some predicates each time."""
        for subject, predicate, object_ in triples[self.now % 4 :: 4]:
            for pattern in ((subject, predicate, None), (None, predicate, object_)):
                found, expected = (set(each.graph.triples(pattern)) for each in (self.compact, self.steady))
                assert self.written(found) == self.written(expected)
                assert expected
                SEEN["asked"] += 1

    def end(self):
        """What was not looked at in its time, with terms long forgotten."""
        self.forget()
        for updates in self.late:
            self.compare_updates(*updates)
        for pair in zip(self.steady.repairs, self.compact.repairs, strict=True):
            self.compare_repairs(*pair)
        SEEN["late"] += len(self.late)

    def written(self, triples):
        return set(map(self.form, triples))

    def form(self, triple):
        """The triple; of a value that was forgotten meanwhile, what is derived may have another form."""
        value = value_of(triple[2])
        return (*triple[:2], value) if value in self.forgotten else triple


ways = st.lists(
    st.tuples(
        st.sampled_from(("triples", "table", "materialized")),
        st.booleans(),  # look at once
        st.sampled_from((0, 0, 1, 2)),  # how many facts are also asserted of fresh classes and properties
    ),
    min_size=12,
)


@settings(max_examples=cases(10, 150, long=2_000), deadline=None)
@given(scenes(), windows, steps, ways)
def test_forgetting_is_not_to_be_seen(scene, window, steps, ways):
    rules, background, pool, options = scene
    try:
        twins = Twins(Ontology.from_rules(rules, background), Window(*window), options)
    except InconsistentOntologyError:
        reject()
    for at, ((gap, choice, _, save), (how, look, fresh)) in enumerate(zip(steps, ways, strict=False)):
        if save:
            twins.restore()
        triples = None if choice is None else [pool[i % len(pool)] for i in choice]
        twins.step(gap, triples and [*triples, *map(partial(of_its_own, at % 7), triples[:fresh])], how, look)
    twins.end()
    SEEN[options["keep"]] += 1


def of_its_own(at, triple):
    """The triple with another class or property, of which few ABoxes know; some come again."""
    who, predicate, what = triple
    if predicate == RDF.type:
        return (
            who,
            predicate,
            type(what)(f"{what}-{at}") if isinstance(what, BNode) else URIRef(f"{what}-{at}"),
        )
    return who, URIRef(f"{predicate}-{at}"), what


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("seed", seeds(4, 6))
def test_forgetting_is_not_to_be_seen_in_large_streams_of_fresh_names(seed, keep):
    world = World(seed, constraints=2)
    options = {"background": world.background, "keep": keep, "history": History(steps=2)}
    twins = Twins(Ontology.from_rules(world.rules), Window(4), options)
    for at in range(20):
        fresh = [*map(partial(rename, at), world.facts(25)), *map(partial(of_its_own, at), world.facts(8))]
        twins.step(1, [*world.facts(8), *fresh], "triples", look=at % 3 == 0)
    twins.end()
    known, every = twins.compact._held.vocabulary, twins.steady._held.vocabulary
    assert len(known.names) < len(every.names) / 2
    assert len(known.symbols) < len(every.symbols) / 2


def rename(at, triple):
    """The triple about other individuals, which only this ABox has."""
    who, predicate, what = triple
    if predicate != RDF.type and not isinstance(what, Literal):
        what = EX[f"{what.rsplit('/')[-1]}-{at}"]
    return EX[f"{who.rsplit('/')[-1]}-{at}"], predicate, what


def test_there_was_something_to_forget_and_to_see():
    if not SEEN["steps"]:
        pytest.skip("nothing was compared")
    assert SEEN["forgotten"] > 1000 and SEEN["late"] > 100 and SEEN["cut"] > 50
    assert SEEN["symbols"] > 500 and SEEN["asked"] > 1000
    assert SEEN["newest"] and SEEN["every"]
