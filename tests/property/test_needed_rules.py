"""With `derive="needed"` everything that is asked is answered as with `"all"`, at every step: by registered
queries with all they report, and by what is asked once; and the same assertions are cut.

Over random ontologies, with and without unique names, windows of queries, timestamps in parts, steps that
fail and are undone, blocks, restores, terms that are forgotten, queries that come and go, and ABoxes whose
conclusions were drawn elsewhere. In which form a derived value is shown may depend on what was derived before
(docs/continuous.md): where values come in several forms, queries that tell forms apart are left out.
"""

from collections import Counter
from contextlib import suppress
from random import Random

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import random_ontologies
from answer_differences import HEAD
from counts import seeds
from pantarhei import (
    ContradictionError,
    DynamicGraph,
    GraphUpdate,
    InconsistentOntologyError,
    InvalidTripleError,
    MemoryLimitError,
    QueryError,
    StreamReasoner,
    Window,
    load_ontology,
)
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.values.value import value_of
from random_queries import ONTOLOGY, random_dataset, random_query

SEEDS = seeds(2, 60, long=4_000)
STEPS = 14
QUERIES = (
    "SELECT ?x { ?x a :A }",
    "SELECT ?x { ?x a :B }",
    "SELECT ?x { ?x a :C }",
    "SELECT ?x ?y { ?x :s ?y }",
    "SELECT ?x ?v { ?x :q ?v }",
    "SELECT ?x ?y { ?x :t+ ?y }",
    "SELECT ?x (COUNT(*) AS ?n) { ?x :r ?y OPTIONAL { ?y a :A } } GROUP BY ?x",
    "CONSTRUCT { ?y :seen ?x } WHERE { ?x :s ?y MINUS { ?x a :A } }",
    "ASK { ?x a :B ; :p ?v }",
)
# What the random ontologies call differently.
_RENAMED = {"p": "r", "q": "s", "r": "t", "u": "p", "v": "q"}

pytestmark = pytest.mark.usefixtures("quiet")


def an_ontology(random):
    """A random ontology in the vocabulary of the queries, or theirs."""
    while random.random() < 0.8:
        drawn = random_ontologies.Generator(random.randrange(1 << 30), rules_only=True)
        axioms = [drawn.axiom() for _ in range(random.randint(3, 10))]
        graph = Graph()
        for triple in random_ontologies.graph(axioms):
            graph.add(tuple(map(renamed, triple)))
        with suppress(InconsistentOntologyError):
            return load_ontology(graph)
    return load_ontology(Graph().parse(data=ONTOLOGY))


def renamed(term):
    name = str(term).removeprefix("urn:x/")
    return term if name == str(term) else URIRef(f"urn:x:{_RENAMED.get(name, name)}")


def a_query(random):
    """A random query that draws nothing."""
    while "BNODE" in (text := random_query(random)):
        pass
    return text


def by_value(rows):
    """Rows with their counts, whatever the forms of literals."""
    counted = Counter()
    for row, count in dict(rows).items():
        counted[tuple(None if term is None else value_of(term) for term in row)] += count
    return counted


def values(triples):
    return {tuple(map(value_of, triple)) for triple in triples}


class Pair:
    """Two reasoners that take the same steps: one derives all, the other what is needed."""

    def __init__(self, seed):
        self.random = random = Random(seed)
        keep = random.choice(("newest", "newest", "newest", "every"))
        self.has_levels = keep == "newest"
        window = random.choice((Window(range=0), Window(range=3), Window(range=5, closed="right")))
        self.unique = unique = random.random() < 0.8
        self.is_plain = random.random() < 0.8
        self.triples, _ = random_dataset(random, is_plain=self.is_plain)
        options = {
            "keep": keep,
            "unique_names": unique,
            "repair": random.choice(("exact", "exact", "grounded", "off")),
        }
        self.reasoners = []
        while not self.reasoners:
            self.ontology = an_ontology(random)
            with suppress(InconsistentOntologyError):
                self.reasoners = [
                    StreamReasoner(self.ontology, window, derive=derive, **options)
                    for derive in ("all", "needed")
                ]
        self.materializer = ABoxMaterializer(self.reasoners[0].foundation)
        self.now, self.compared, self.spared = 0, 0, 0
        if random.random() < 0.7:
            self.register()

    def both(self, work):
        """What a step comes to for both, which is the same."""
        done = []
        for reasoner in self.reasoners:
            try:
                done.append(work(reasoner))
            except (InvalidTripleError, ZeroDivisionError) as error:
                done.append(type(error))
        every, needed = done
        assert type(every) is type(needed)
        if hasattr(every, "repair"):
            self.compare(every, needed)

    def compare(self, every, needed):
        assert every.repair.removed == needed.repair.removed
        assert set(every.repair.conflict_sets) == set(needed.repair.conflict_sets)
        assert (every.dropped, every.start, every.end) == (needed.dropped, needed.start, needed.end)
        assert {query.name for query in every.answers} == {query.name for query in needed.answers}
        for query in every.answers:
            one, other = every.answers[query], needed.answers[query.name]
            assert by_value(one.added) == by_value(other.added)
            assert by_value(one.removed) == by_value(other.removed)
            assert [report.at for report in one.reports] == [report.at for report in other.reports]

    def register(self):
        random = self.random
        text = a_query(random) if self.is_plain and random.random() < 0.25 else random.choice(QUERIES)
        options = {}
        if random.random() < 0.4:
            on = {random.choice(("change", "close", "non-empty", 2)) for _ in range(random.randint(1, 2))}
            options["on"] = tuple(sorted(on | {"change"} if on == {2} else on, key=str))
            options["emit"] = random.choice(("delta", "istream", "dstream", "rstream"))
            if self.has_levels and self.reasoners[0].window.range:
                closed = random.choice(("both", "right", "left"))
                options["window"] = Window(random.randint(1, 2), 1, closed=closed)
            elif "close" in options["on"]:
                return
        refused = set()
        for reasoner in self.reasoners:
            try:
                reasoner.register(HEAD + text, **options)
            except QueryError as error:
                refused.add(str(error))
            else:
                refused.add(None)
        assert len(refused) == 1, refused

    def close(self):
        names = sorted(self.reasoners[0].queries)
        if names:
            name = self.random.choice(names)
            for reasoner in self.reasoners:
                reasoner.queries[name].close()

    def step(self):
        kinds = (
            "push",
            "push",
            "push",
            "part",
            "closed",
            "advance",
            "fail",
            "block",
            "undo",
            "forget",
            "restore",
        )
        getattr(self, self.random.choice(kinds))()
        if self.random.random() < 0.25:
            self.register()
        if self.random.random() < 0.15:
            self.close()

    def abox(self):
        return self.random.sample(self.triples, self.random.randint(0, max(1, len(self.triples) // 4)))

    def push(self):
        self.now += self.random.choice((1, 1, 1, 2, 5))
        self.part()

    def part(self):
        abox = self.abox()
        self.both(lambda reasoner: reasoner.push(self.now, abox))

    def closed(self):
        self.now += self.random.choice((0, 1))
        interpretation = self.materializer.materialize(self.abox())
        self.both(lambda reasoner: reasoner.push_materialized(self.now, interpretation))

    def advance(self):
        self.now += self.random.choice((0, 1, 3))
        self.both(lambda reasoner: reasoner.advance(self.now))

    def fail(self):
        bad = [*self.abox(), (Literal(1), RDF.type, URIRef("urn:x:A"))]
        at = self.now + self.random.choice((0, 1))
        self.both(lambda reasoner: reasoner.push(at, bad))

    def block(self):
        steps = [(self.random.choice((0, 1)), self.abox()) for _ in range(self.random.randint(1, 3))]

        def work(reasoner):
            now = self.now
            with reasoner.all_or_nothing():
                for later, abox in steps:
                    now += later
                    update = reasoner.push(now, abox)
                    if self.random.random() < 0.2:
                        len(reasoner.graph)
            return update

        self.both(work)
        self.now += sum(later for later, _ in steps)

    def undo(self):
        aboxes = [self.abox() for _ in range(self.random.randint(0, 2))]

        def work(reasoner):
            with reasoner.all_or_nothing():
                for later, abox in enumerate(aboxes):
                    reasoner.push(self.now + later, abox)
                raise ZeroDivisionError

        self.both(work)

    def forget(self):
        for reasoner in self.reasoners:
            reasoner._held.most_entries = 0
        self.push()

    def restore(self):
        self.reasoners = [
            StreamReasoner.restore(reasoner.snapshot(), self.ontology) for reasoner in self.reasoners
        ]

    def check(self):
        every, needed = self.reasoners
        assert every.queries.keys() == needed.queries.keys()
        assert every.assertions() == needed.assertions()
        for name, query in every.queries.items():
            assert by_value(query.answers) == by_value(needed.queries[name].answers), query.text
            self.compared += 1
        stats = needed.stats()
        self.spared += stats.running < stats.rules
        needed._held.model.kernel.check_invariants()
        if self.random.random() < 0.4:
            self.check_once()

    def check_once(self):
        """What is asked once is answered as well, in any order."""
        every, needed = self.reasoners
        looks = [
            lambda reasoner: values(reasoner.materialization()),
            lambda reasoner: values(reasoner.graph.triples((None, RDF.type, URIRef("urn:x:B")))),
            lambda reasoner: values(reasoner.graph.triples((None, URIRef("urn:x:s"), None))),
            lambda reasoner: len(reasoner.graph),
            *(self.asked(HEAD + text) for text in self.random.sample(QUERIES, 2)),
        ]
        text = a_query(self.random)
        if self.is_plain and "LIMIT" not in text and "OFFSET" not in text:  # which leave answers open
            looks.append(self.asked(HEAD + text))
        if self.has_levels:
            looks.append(lambda reasoner: [values(reasoner.interpretation(at)) for at in reasoner.timestamps])
        for look in self.random.sample(looks, len(looks)):
            assert look(every) == look(needed)

    def asked(self, text):
        def look(reasoner):
            try:
                result = reasoner.query(text)
            except QueryError as error:
                return str(error)
            return by_value(Counter(rows_of(result)))

        return look


def rows_of(result):
    """The answers of a query as rows: triples of CONSTRUCT, and `()` where ASK is answered yes."""
    if result.type == "ASK":
        return [()] * result.askAnswer
    return result.rows if result.type == "SELECT" else result.graph


def run(seed, steps=STEPS):
    pair = Pair(seed)
    pair.check()
    for _ in range(steps):
        pair.step()
        pair.check()
    return pair


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_needed_answers_as_all_that_follows_does(seed):
    run(seed)


def test_there_are_rules_that_do_not_run():
    """So that the comparison is one of different programs."""
    assert sum(run(seed, steps=2).spared for seed in range(5)) >= 5


@pytest.mark.parametrize("seed", SEEDS)
def test_within_limits_what_is_registered_answers_as_what_is_asked_once(seed):
    """Limits count what is derived: timestamps leave at other times than where all is."""
    random = Random(seed)
    pair = Pair(seed)
    limits = {"max_facts": random.randint(15, 50), "on_limit": random.choice(("drop", "drop", "error"))}
    try:
        reasoner = StreamReasoner(pair.ontology, Window(range=4), derive="needed", **limits)
    except (InconsistentOntologyError, MemoryLimitError):
        return
    whole = []
    for at in range(STEPS):
        with suppress(MemoryLimitError):
            if random.random() < 0.3:
                whole.append(reasoner.register(HEAD + random.choice(QUERIES)))
            elif random.random() < 0.3:
                reasoner.register(HEAD + random.choice(QUERIES), window=Window(range=2))
        with suppress(MemoryLimitError):
            reasoner.push(at, pair.abox())
        reasoner._held.model.kernel.check_invariants()
        reasoner.materialization()  # so that all is derived
        for query in whole:
            assert set(by_value(query.answers)) == set(by_value(Counter(rows_of(reasoner.query(query.text)))))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_graph_without_time_answers_and_refuses_as_where_all_is_derived(seed):
    pair = Pair(seed)
    random, on_conflict = pair.random, pair.random.choice(("error", "report"))
    graphs = [
        DynamicGraph(pair.ontology, unique_names=pair.unique, on_conflict=on_conflict, derive=derive)
        for derive in ("all", "needed")
    ]
    for _ in range(STEPS):
        if random.random() < 0.4:
            text = random.choice(QUERIES)
            for graph in graphs:
                graph.register(HEAD + text)
        changes = pair.abox(), pair.abox()
        done = []
        for graph in graphs:
            try:
                done.append(graph.change(*changes))
            except ContradictionError as error:
                done.append(error)
        every, needed = done
        assert type(every) is type(needed)
        assert {each.triples for each in every.conflicts} == {each.triples for each in needed.conflicts}
        if isinstance(every, GraphUpdate):
            assert {query.name for query in every.answers} == {query.name for query in needed.answers}
        for name, query in graphs[0].queries.items():
            assert by_value(query.answers) == by_value(graphs[1].queries[name].answers)
        if random.random() < 0.3:
            assert values(graphs[0].materialization()) == values(graphs[1].materialization())
