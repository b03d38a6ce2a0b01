"""Registered queries in shards: what is accepted is reported by the shards together as by one reasoner.

Batches of rows come to shards as Spark brings them: those that no rows reach are woken when they asked to be.
"""

import math
import random
from collections import Counter, defaultdict
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

import pantarhei as pr
from counts import cases, of_many
from oracle.canonical_literals import canonical_term
from pantarhei.engine.options import Options
from pantarhei.errors import CheckpointSplitError, NotKeyLocalQueryError, OptionError
from pantarhei.model.rule import Different, Rule
from pantarhei.model.time import TimeKind
from pantarhei.query.continuous_query import Registration, ReportPolicy
from pantarhei.query.key_local import check_key_local, key_columns
from pantarhei.query.syntax import read_query
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.collectors import changed_rows, register_queries
from pantarhei.spark.shards.router import Router
from pantarhei.spark.shards.shard import ShardSetup
from resharding import resharded
from shard_rows import normalized
from sharded_spark import NOTHING, SimulatedStream
from strategies import EX, INDIVIDUALS, LITERALS, A, B, C, D, R, S, V, is_a, member, related, x, y, z

SEEDS = st.integers(0, 1 << 30)
COUNTS = Counter()
IN = EX.inBuilding
NAMES = (*INDIVIDUALS, EX.d, EX.e)
BACKGROUND = [(name, IN, EX[f"house{place % 2}"]) for place, name in enumerate(NAMES)]
OF_SUBJECTS = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("both", (is_a(A, x), is_a(C, x)), is_a(D, x)),
    Rule("apart", (is_a(B, x), is_a(C, x)), None),
    Rule("one value", (related(V, x, y), related(V, x, z)), None, (Different(y, z),)),
    Rule("told", (related(R, x, y),), related(S, y, x)),
]
OF_HOUSES = [
    Rule("housed", (is_a(A, x), related(IN, x, y)), is_a(EX.Used, y)),
    Rule("closed", (is_a(EX.Used, y), related(IN, x, y), is_a(C, x)), None),
    Rule("follows", (is_a(A, x), related(R, x, y), is_a(C, y)), is_a(D, x)),
    Rule("apart from", (is_a(A, x), related(R, x, y), is_a(B, y)), None),
]
TEXTS = [
    "SELECT ?x { ?x a :B }",
    "SELECT ?c { ?x a ?c }",
    "SELECT ?v { ?x :V ?v }",
    "SELECT ?x ?v { ?x a :A OPTIONAL { ?x :V ?v } }",
    "SELECT ?x ?y { ?y :S ?x }",
    "SELECT DISTINCT ?x { ?x :R ?y }",
    "SELECT ?x { ?x a :B FILTER NOT EXISTS { ?x :R ?y } }",
    "SELECT ?x (COUNT(*) AS ?many) (MAX(?v) AS ?most) { ?x :V ?v } GROUP BY ?x",
    "SELECT ?h (COUNT(?x) AS ?many) { ?x a :A ; :inBuilding ?h } GROUP BY ?h",
    "SELECT ?h ?v { ?x a :B ; :inBuilding ?h . ?other :inBuilding ?h ; :V ?v }",
    "SELECT ?h { ?h a :Used }",
    "SELECT ?x ?z { ?x :R ?z . ?z a :C }",
    "SELECT ?x ?z { ?x a :A OPTIONAL { ?x :R ?z . ?z a :B } }",
    "SELECT ?z (COUNT(*) AS ?many) { ?x a :A ; :R ?z . ?z a ?c } GROUP BY ?z",
    "SELECT ?many { { SELECT ?x (COUNT(*) AS ?many) { ?x a ?c } GROUP BY ?x } }",
]
ON = [*["change", "close"] * 3, ("close", "change"), ("close", "non-empty"), ("close", 4), "non-empty", 2]
EMIT = ["delta", "delta", "istream", "dstream", "rstream"]


def registration(rnd):
    """A query, mostly of a window of its own."""
    slide = rnd.choice((None, 1, 2, 3, 5))
    window = pr.Window(
        rnd.randint(1, 5), slide, rnd.randint(0, 3), closed=rnd.choice(("both", "right", "left"))
    )
    text = f"PREFIX : <{EX}> {rnd.choice(TEXTS)}"
    return Registration(text, rnd.choice((window, window, None)), rnd.choice(ON), rnd.choice(EMIT))


def triple(rnd):
    name = rnd.choice(NAMES)
    if rnd.random() < 0.5:
        return member(rnd.choice((A, A, B, C)), name)
    return (name, R, rnd.choice(NAMES)) if rnd.random() < 0.4 else (name, V, rnd.choice(LITERALS))


class Sharded:
    """A stream that is sharded, queries of it that are accepted, and one reasoner that has them too."""

    def __init__(self, rnd, may_divide=False):
        self.rnd, self.key = rnd, rnd.choice(("subject", IN))
        hot_keys = {EX.house0: "subject"} if may_divide and self.key == IN and rnd.random() < 0.4 else {}
        of_key = rnd.sample(OF_HOUSES, 1) if self.key == IN and not hot_keys else []
        self.ontology = pr.Ontology.from_rules(rnd.sample(OF_SUBJECTS, 2) + of_key, BACKGROUND)
        self.report = self.ontology.sharding_report(keys=[self.key, *hot_keys.values()], colocated=[R])
        self.routing = Routing.of(self.report, self.key, hot_keys)
        slide = rnd.choice((1, 1, 2))
        self.options = Options(pr.Window(rnd.randint(5, 8), slide, closed=rnd.choice(("both", "right"))))
        self.queries = {}
        self.whole = pr.StreamReasoner.with_options(self.ontology, self.options)
        for name in ("one", "two", "three"):
            self.ask(name, registration(rnd))
        self.holds = rnd.random() < 0.3
        self.setup = ShardSetup(
            self.ontology,
            self.options,
            TimeKind.INTEGER,
            self.key,
            3,
            self.report,
            self.holds,
            queries=self.queries,
            names=("query", "value1", "value2", "value3"),
            hot_keys=hot_keys,
        )

    def ask(self, name, given):
        """Have a query, if shards can answer it."""
        COUNTS["queries"] += 1
        try:
            policy = ReportPolicy.of(given.on, given.emit)
            for key in self.routing.keys:
                check_key_local(read_query(given.text), self.report, key, policy, name)
        except (NotKeyLocalQueryError, OptionError) as error:
            COUNTS[f"refused, {type(error).__name__}"] += 1
            return
        try:
            register_queries(self.whole, {**self.queries, name: given})
        except OptionError:  # the reasoner's window is too short, or the query's never closes
            return
        self.queries[name] = given
        COUNTS["accepted"] += 1
        COUNTS["accepted, of a window that closes"] += policy.closes
        COUNTS["accepted, of divided shards"] += len(self.routing.keys) > 1
        COUNTS["accepted, of a promise"] += "?z a" in given.text

    def triple(self):
        """A fact that keeps the promises."""
        while self.routing.refusal(*(drawn := triple(self.rnd))) is not None:
            pass
        return drawn


class Reports:
    """What was reported of each query: rows by the time of the report, with how often they came or went."""

    def __init__(self):
        self.told = defaultdict(Counter)

    def note(self, update):
        """Have what a step of one reasoner reported."""
        for query, change in update.answers.items():
            for report in change.reports:
                for row, copies in changed_rows(report):
                    self.add(query.name, report.at, (*row, *[None] * (3 - len(row))), copies)

    def add(self, name, at, row, copies):
        """Have a row. Of the forms of a value that one timestamp writes, each may show its own."""
        self.told[name][at, tuple(text and canonical_term(parse_term(text)) for text in row)] += copies

    def of(self, name, given, until=math.inf):
        """What has to be the same: of windows that close each report, else what all add up to."""
        told = {key: copies for key, copies in self.told[name].items() if key[0] <= until}
        if not ReportPolicy.of(given.on, given.emit).closes:
            summed = Counter()
            for (_, row), copies in told.items():
                summed[row] += copies
            told = summed
        return {row: copies for row, copies in told.items() if copies}


def check_shards(seed):
    rnd = random.Random(seed)
    made = Sharded(rnd, may_divide=True)
    if not made.queries:
        return
    stream = SimulatedStream(made.setup, rnd, lateness=2 if made.holds else 0)
    told, expected = Reports(), Reports()
    at, waiting, has_begun = rnd.randint(1, 5), [], False
    now, closed = at, None

    def spark(timed):
        complete = stream.complete_until
        for _, (ticks, (name, *row), change) in stream.batch(normalized(timed) if timed else NOTHING):
            assert change and (complete is None or ticks > complete), (seed, name)
            told.add(name, ticks, row, change)

    for _ in range(rnd.randint(3, 8)):
        batch = []
        for _ in range(rnd.randint(1, 3)):
            batch += [(at, made.triple()) for _ in range(rnd.choice((1, 1, 2, 5)))]
            at += rnd.choice((0, 1, 1, 1, 2, 4, 9))
        newest = batch[-1][0]
        spark(batch if not made.holds else rnd.sample(batch, len(batch)))
        waiting += batch
        closed = newest if not made.holds else newest - 2 if closed is None else max(newest - 2, closed)
        at = max(at, newest)
        if rnd.random() < 0.5:
            spark([])  # Spark runs a batch without rows when there are none
        else:
            continue
        aboxes = defaultdict(list)
        for tick, fact in waiting:
            if not made.holds or tick < closed:
                aboxes[tick].append(fact)
        waiting = [(tick, fact) for tick, fact in waiting if made.holds and tick >= closed]
        for tick in range(now, closed + 1):
            if tick in aboxes:
                expected.note(made.whole.push(tick, aboxes[tick]))
                has_begun = True
            elif has_begun:
                expected.note(made.whole.advance(tick))
        COUNTS["steps"] += 1
        COUNTS["steps with shards"] += stream.shards > 1
        assert stream.complete_until == closed - 1
        times = range(now - 1, closed)
        now = closed
        for (name, asked), until in product(made.queries.items(), times):
            wanted = expected.of(name, asked, until)
            found = told.of(name, asked, until)
            assert found == wanted, (seed, name, until, asked, made.options, made.key, made.holds)
            COUNTS["rows"] += len(wanted)
            if ReportPolicy.of(asked.on, asked.emit).closes:
                COUNTS["rows of windows that closed"] += len(wanted)


@settings(max_examples=cases(15, 300, long=6_000), deadline=None)
@given(seed=SEEDS)
def test_shards_report_together_what_one_reasoner_does(seed):
    check_shards(seed)


def check_split_shards(seed):
    """Shards that all advance to each time, and whose number changes."""
    rnd = random.Random(seed)
    made = Sharded(rnd)
    read = {name: read_query(given.text) for name, given in made.queries.items()}
    columns = {name: key_columns(query, made.report, made.key) for name, query in read.items()}
    shards, told, expected, at, has_begun = {}, Reports(), Reports(), rnd.randint(1, 5), False
    router = Router(Routing.of(made.report, made.key), 3)
    for _ in range(rnd.randint(4, 12)):
        at += rnd.choice((0, 1, 1, 1, 2, 4, 9))
        abox = [made.triple() for _ in range(rnd.choice((0, 1, 1, 2, 5)))]
        parts = defaultdict(list)
        for fact in abox:
            parts[router.shard_of(fact[0])].append(fact)
        for number in parts.keys() - shards.keys():
            shards[number] = made.setup.reasoner()
            register_queries(shards[number], made.queries)
        has_begun = has_begun or bool(abox)
        if has_begun:
            expected.note(made.whole.push(at, abox) if abox else made.whole.advance(at))
        for number, shard in shards.items():
            told.note(shard.push(at, parts[number]) if number in parts else shard.advance(at))
        for name, asked in made.queries.items():
            assert told.of(name, asked) == expected.of(name, asked), (
                seed,
                name,
                asked,
                made.options,
                made.key,
            )
        if rnd.random() < 0.5:
            router = Router(Routing.of(made.report, made.key), rnd.randint(1, 4))
            try:
                shards = resharded(made.ontology, shards.values(), router.shard_of, key_columns=columns)
            except CheckpointSplitError as error:
                (name,) = (name for name in made.queries if repr(name) in str(error))
                assert not columns[name] and not ReportPolicy.of(*made.queries[name][2:]).is_plain
                COUNTS["not split"] += 1
                return
            COUNTS["splits"] += 1
            for shard in shards.values():
                register_queries(shard, made.queries)


@settings(max_examples=cases(3, 200, long=4_000), deadline=None)
@given(seed=SEEDS)
def test_split_and_merged_shards_report_together_what_one_reasoner_does(seed):
    check_split_shards(seed)


@of_many
def test_the_queries_are_accepted_often_enough_and_report():
    COUNTS.clear()
    for seed in range(300):
        check_shards(seed)
    assert COUNTS["accepted"] >= COUNTS["queries"] / 6
    assert COUNTS["refused, NotKeyLocalQueryError"] >= 50 and COUNTS["refused, OptionError"] >= 50
    assert COUNTS["accepted, of a window that closes"] >= 50
    assert COUNTS["accepted, of divided shards"] >= 20 and COUNTS["accepted, of a promise"] >= 20
    assert COUNTS["steps with shards"] >= COUNTS["steps"] / 3
    assert COUNTS["rows"] >= 2_000 and COUNTS["rows of windows that closed"] >= 1_000
