"""A graph without time: after any change it is what a graph is that is loaded with its assertions at once.

Registered queries have the answers of the definition, and what was said to come and go adds up to them.
"""

from collections import Counter
from contextlib import suppress
from functools import partial
from random import Random

import pytest
from rdflib import RDF, Graph, Literal, URIRef

from answer_differences import HEAD, differences_ignoring_order
from counts import seeds
from interrupting import interrupted
from oracle.answers import answers, difference
from oracle.conflicts import conflict_sets
from oracle.materialization import closure, is_consistent
from pantarhei import (
    ContradictionError,
    DynamicGraph,
    InvalidTripleError,
    Ontology,
    QueryError,
    load_ontology,
)
from pantarhei.query import ONTOLOGY_GRAPH, SCHEMA_GRAPH
from random_queries import ONTOLOGY, PREFIXES, random_dataset, random_query
from worlds import World, canonical

WORLDS, QUERIES = seeds(2, 20, long=300), seeds(2, 30, long=1_000)
BAD = (Literal(1), RDF.type, URIRef("urn:x:A"))


pytestmark = pytest.mark.usefixtures("quiet")


class Changing:
    """A graph and the set of its assertions, one random change after another."""

    def __init__(self, random, graph, some):
        self.random, self.graph, self.some = random, graph, some
        self.asserted, self.seen = set(), graph.materialization()

    def change(self):
        insert, delete = self.some(), self.some()
        delete += self.random.sample(
            sorted(self.asserted, key=repr), min(len(self.asserted), self.random.randint(0, 6))
        )
        before, after = self.asserted, (self.asserted - canonical(delete)) | canonical(insert)
        update = self.graph.change(insert, delete)
        assert update.already_asserted == len(canonical(insert) & before - canonical(delete))
        assert update.not_asserted == len(canonical(delete) - before)
        self.asserted = after
        return self.took(update)

    def took(self, update):
        """What an update says that came and went adds up."""
        assert not update.delta.added & self.seen and update.delta.removed <= self.seen
        self.seen = (self.seen - update.delta.removed) | update.delta.added
        assert self.seen == self.graph.materialization() == set(self.graph.graph)
        assert canonical(self.graph.assertions()) == self.asserted
        assert len(self.graph) == len(self.asserted)
        self.graph._held.model.kernel.check_invariants()
        return update

    def forget(self):
        self.graph._held.most_entries = -1
        self.change()

    def lose(self):
        """The model is made anew from the assertions."""
        self.graph._held.drop_model()
        self.change()

    def fail(self):
        with pytest.raises(InvalidTripleError):
            self.graph.change([*self.some(), BAD], self.some())

    def fail_in_deleting(self):
        with pytest.raises(InvalidTripleError):
            self.graph.change(self.some(), [*self.some(), BAD])

    def undo(self):
        """A block that fails."""
        with pytest.raises((ZeroDivisionError, ContradictionError)), self.graph.all_or_nothing():
            for _ in range(self.random.randint(0, 3)):
                self.graph.change(self.some(), self.some())
            raise ZeroDivisionError

    def interrupt(self):
        """An interrupt at any moment of a change."""
        insert, delete = self.some(), self.some()
        after = (self.asserted - canonical(delete)) | canonical(insert)
        work = partial(self.graph.change, insert, delete)
        with suppress(ContradictionError):
            interrupted(work, self.random.randint(1, 400), lambda file: "/pantarhei/engine/" in file)
        if canonical(self.graph.assertions()) != self.asserted:
            assert canonical(self.graph.assertions()) == after
            self.asserted = after
        now = self.graph.materialization()
        if self.asserted != after:
            assert now == self.seen
        self.seen = now

    def step(self, *kinds):
        getattr(self, self.random.choice(("change",) * 4 + kinds))()


STEPS = ("forget", "lose", "fail", "fail_in_deleting", "undo", "interrupt")


@pytest.mark.parametrize("seed", WORLDS)
def test_after_each_change_what_holds_follows_from_what_is_asserted(seed):
    world = World(seed, 0)
    unique_names = bool(seed % 4)
    graph = DynamicGraph(Ontology.from_rules(world.rules), world.background, unique_names)
    changing = Changing(world.random, graph, lambda: list(world.facts(world.random.randint(0, 12))))
    for _ in range(20):
        changing.step(*STEPS)
        fresh = DynamicGraph(Ontology.from_rules(world.rules), world.background, unique_names)
        fresh.change(changing.asserted)
        assert canonical(graph.materialization()) == canonical(fresh.materialization())
        if unique_names:
            expected = closure(world.rules, changing.asserted | world.background)
            assert canonical(graph.materialization()) == expected


@pytest.mark.parametrize("seed", WORLDS)
def test_changes_that_contradict_are_refused_and_leave_no_trace(seed):
    world = World(seed, 5)
    graph = DynamicGraph(Ontology.from_rules(world.rules), world.background)
    changing = Changing(world.random, graph, lambda: list(world.facts(world.random.randint(0, 2))))
    refused = 0
    for _ in range(40):
        before = graph.assertions(), graph.materialization(), graph.stats().pushes
        try:
            changing.step(*STEPS)
        except ContradictionError as error:
            refused += 1
            assert (graph.assertions(), graph.materialization(), graph.stats().pushes) == before
            graph._held.model.kernel.check_invariants()
            for conflict in error.conflicts:
                assert not is_consistent(
                    conflict.constraints + world.rules, conflict.triples | world.background
                )
        assert is_consistent(world.rules, changing.asserted | world.background)
        assert canonical(graph.materialization()) == closure(
            world.rules, changing.asserted | world.background
        )


@pytest.mark.parametrize("seed", WORLDS)
def test_updates_list_the_conflicts_there_are(seed):
    world = World(seed, 5)
    graph = DynamicGraph(Ontology.from_rules(world.rules), world.background, on_conflict="report")
    changing = Changing(world.random, graph, lambda: list(world.facts(world.random.randint(0, 2))))
    for _ in range(40):
        update = changing.change()
        if len(changing.asserted) > 9:  # the definition looks at all subsets
            fewer = set(world.random.sample(sorted(changing.asserted, key=repr), 4))
            update, changing.asserted = graph.change(delete=changing.asserted - fewer), fewer
            changing.took(update)
        timed = {(0, triple) for triple in changing.asserted}
        found = {frozenset((0, triple) for triple in canonical(c.triples)) for c in update.conflicts}
        assert found == conflict_sets(world.rules, timed, world.background)
        assert len(found) == len(update.conflicts)
        assert update.is_consistent == is_consistent(world.rules, changing.asserted | world.background)
        assert update.is_consistent == (not update.conflicts)


class Asked(Changing):
    """A graph with registered queries."""

    def __init__(self, seed):
        random = Random(seed)
        self.ontology = load_ontology(Graph().parse(data=ONTOLOGY))
        triples, _ = random_dataset(random, is_plain=random.random() < 0.5)
        some = lambda: random.sample(triples, random.randint(0, max(1, len(triples) // 3)))  # noqa: E731
        super().__init__(random, DynamicGraph(self.ontology, on_conflict="report"), some)
        self.summed, self.compared = {}, 0
        self.register(random.randint(1, 3))

    def register(self, count=1):
        for _ in range(count):
            try:
                query = self.graph.register(HEAD + random_query(self.random))
            except QueryError as error:
                assert "regular expression" in str(error) or "is not known" in str(error), error
            else:
                self.summed[query] = Counter(dict(query.answers))

    def took(self, update):
        for query in update.answers:
            change = update.answers[query]
            assert change.added or change.removed
            assert not change.added.keys() & change.removed.keys()
            assert change.at == update.at
            self.summed[query].update(change.added)
            self.summed[query].subtract(change.removed)
            self.summed[query] = +self.summed[query]
        return super().took(update)

    def interrupt(self):
        before = self.graph.stats().pushes
        super().interrupt()
        if self.graph.stats().pushes != before:  # it was done for all that, and its update is lost
            self.summed = {query: Counter(dict(query.answers)) for query in self.summed}

    def check(self):
        default = self.graph.materialization()
        named = {
            ONTOLOGY_GRAPH: list(self.ontology.graph),
            SCHEMA_GRAPH: list(self.graph.dataset.graph(SCHEMA_GRAPH)),
        }
        for query, summed in self.summed.items():
            now = Counter(dict(query.answers))
            assert summed == now, query.text
            expected = answers(query.text, default, named, PREFIXES)
            wrong = difference(expected, [str(v) for v in query.variables], list(now.elements()))
            if wrong is not None and max(now.values(), default=0) > 1:
                wrong = differences_ignoring_order(expected, now)
            assert wrong is None, f"{query.text}\n{wrong}"
            self.compared += 1


@pytest.mark.parametrize("seed", QUERIES)
def test_registered_queries_are_up_to_date_after_each_change(seed):
    asked = Asked(seed)
    asked.check()
    for _ in range(12):
        asked.step(*STEPS, "register")
        asked.check()
    assert asked.compared > 0
