"""Registered queries are up to date at every step: their answers are those of the definition, and what they
said that came and went adds up to them.

Over windows that slide and are repaired, with timestamps that come in parts, steps that fail and are undone,
blocks, limits by which timestamps leave early, and terms that are forgotten.
"""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from rdflib import RDF, Graph, Literal, URIRef

from answer_differences import HEAD, differences_ignoring_order
from counts import seeds
from oracle.answers import answers, difference
from pantarhei import InvalidTripleError, MemoryLimitError, QueryError, StreamReasoner, Window, load_ontology
from pantarhei.query import ONTOLOGY_GRAPH, SCHEMA_GRAPH, timestamp_graph
from random_queries import ONTOLOGY, PREFIXES, random_dataset, random_query

SEEDS = seeds(2, 25, long=2_000)
STEPS = 12

# Queries that differ in names alone, which share plans.
FAMILIES = [
    HEAD + text
    for text in (
        "SELECT ?x ?y { ?x :s ONE ; :q ?y }",
        "SELECT ?y { ONE :q ?y FILTER(?y > 1) }",
        "SELECT * { ?x :r ONE ; :p ?v . OTHER :t ?x } ORDER BY ?v",
        "SELECT (COUNT(*) AS ?n) (AVG(?v) AS ?a) { ?x :s ONE ; :q ?v }",
        "SELECT ?x (MAX(?v) AS ?m) (COUNT(DISTINCT *) AS ?n) { ONE :s ?x . ?x :q ?v } GROUP BY ?x",
        "SELECT (SUM(?v) + 1 AS ?s) { ?x :s ONE ; :q ?v } HAVING (COUNT(?v) < 3)",
        "SELECT DISTINCT ?v (?v * 2 AS ?w) { ?x :t ONE ; :q ?v }",
        "ASK { ?x :s ONE ; a :B }",
        "ASK { ONE :t OTHER }",
        "CONSTRUCT { ?x :of ONE } WHERE { ?x :s ONE }",
    )
]


pytestmark = pytest.mark.usefixtures("quiet")


class Case:
    """A reasoner with registered queries, one random step after another."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        self.ontology = load_ontology(Graph().parse(data=ONTOLOGY))
        limits = {"max_facts": random.randint(20, 60), "on_limit": "drop"} if random.random() < 0.2 else {}
        keep = random.choice(("newest", "newest", "every"))
        window = random.choice((Window(range=0), Window(range=2), Window(range=4, closed="right")))
        self.reasoner = StreamReasoner(self.ontology, window, keep=keep, **limits)
        self.triples, _ = random_dataset(random, is_plain=random.random() < 0.5)
        self.now, self.summed, self.compared = 0, {}, 0
        self.register(random.randint(1, 3))

    def register(self, count):
        for _ in range(count):
            try:
                query = self.reasoner.register(self.text())
            except QueryError as error:
                assert "regular expression" in str(error) or "is not known" in str(error), error
            else:
                self.summed[query] = Counter(dict(query.answers))

    def text(self):
        return HEAD + random_query(self.random)

    def abox(self):
        random = self.random
        return random.sample(self.triples, random.randint(0, max(1, len(self.triples) // 3)))

    def take(self, update):
        """Add up what an update says."""
        for query in update.answers:
            if query.is_closed:  # within the block
                continue
            change = update.answers[query]
            assert change.added or change.removed
            assert not change.added.keys() & change.removed.keys()
            self.summed[query].update(change.added)
            self.summed[query].subtract(change.removed)
            self.summed[query] = +self.summed[query]

    def step(self):
        kind = self.random.choice(
            ("push", "push", "push", "part", "advance", "fail", "block", "undo", "forget", "restore")
        )
        getattr(self, kind)()
        if self.random.random() < 0.1:
            self.register(1)
        if self.random.random() < 0.05:
            self.close()

    def close(self):
        if self.summed:
            query = self.random.choice(list(self.summed))
            query.close()
            del self.summed[query]

    def push(self):
        self.now += self.random.choice((1, 1, 1, 2, 5))
        self.part()

    def part(self):
        with suppress(MemoryLimitError):
            self.take(self.reasoner.push(self.now, self.abox()))

    def advance(self):
        self.now += self.random.choice((0, 1, 3))
        self.take(self.reasoner.advance(self.now))

    def fail(self):
        bad = [*self.abox(), (Literal(1), RDF.type, URIRef("urn:x:A"))]
        with pytest.raises((InvalidTripleError, MemoryLimitError)):
            self.reasoner.push(self.now + self.random.choice((0, 1)), bad)

    def block(self):
        updates, each_step = [], self.random.random() < 0.5
        try:
            with self.reasoner.all_or_nothing(each_step=each_step):
                for _ in range(self.random.randint(1, 3)):
                    self.now += self.random.choice((0, 1))
                    updates.append(self.reasoner.push(self.now, self.abox()))
                    self.within()
        except MemoryLimitError:
            step = self.reasoner._held.history.step
            self.now = max([0, *self.reasoner.timestamps]) if step is None else step.now
        else:
            for update in updates if each_step else updates[-1:]:
                self.take(update)

    def undo(self):
        wrong = pytest.raises((ZeroDivisionError, MemoryLimitError))
        with wrong, self.reasoner.all_or_nothing(each_step=self.random.random() < 0.7):
            for later in range(self.random.randint(0, 3)):
                self.reasoner.push(self.now + later, self.abox())
                self.within()
            raise ZeroDivisionError

    def within(self):
        """What is done in a block besides steps."""

    def forget(self):
        self.reasoner._held.most_entries = 0
        self.push()

    def restore(self):
        """Go on in another process, as it were: with the same answers, reported already."""
        self.reasoner = StreamReasoner.restore(self.reasoner.snapshot(), self.ontology)
        queries = self.reasoner.queries
        assert queries.keys() == {query.name for query in self.summed}
        self.summed = {queries[query.name]: summed for query, summed in self.summed.items()}

    def check(self):
        reasoner = self.reasoner
        default = reasoner.materialization()
        named = {timestamp_graph(at): reasoner.interpretation(at) for at in reasoner.timestamps}
        named[ONTOLOGY_GRAPH] = list(self.ontology.graph)
        named[SCHEMA_GRAPH] = list(reasoner.dataset.graph(SCHEMA_GRAPH))
        for query, summed in self.summed.items():
            now = Counter(dict(query.answers))
            assert summed == now, f"{query.text}\nsummed {summed}\nanswers {now}"
            expected = answers(query.text, default, named, PREFIXES)
            wrong = difference(expected, [str(v) for v in query.variables], list(now.elements()))
            if wrong is not None and max(now.values(), default=0) > 1:
                wrong = differences_ignoring_order(expected, now)
            assert wrong is None, f"{query.text}\n{wrong}"
            self.compared += 1


class Families(Case):
    """Many queries of a few families, that come and go."""

    def text(self):
        one, other = self.random.choices([":a", ":b", ":c", ":d"], k=2)
        return self.random.choice(FAMILIES).replace("ONE", one).replace("OTHER", other)

    def step(self):
        super().step()
        if self.random.random() < 0.6:
            self.register(self.random.randint(1, 3))
        if self.random.random() < 0.4:
            self.close()

    def within(self):
        if self.random.random() < 0.3:
            self.close()


def run(seed, steps=STEPS, kind=Case):
    case = kind(seed)
    case.check()
    for _ in range(steps):
        case.step()
        case.check()
    return case.compared


@pytest.mark.parametrize("seed", SEEDS)
def test_registered_queries_are_up_to_date_at_every_step(seed):
    assert run(seed) > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_queries_that_differ_in_names_are_up_to_date_whoever_comes_and_goes(seed):
    assert run(seed, kind=Families) > 0
