"""Registered queries of a stream that is fed batch by batch: their rows add up, whatever the batches are."""

from collections import Counter, defaultdict
from random import Random

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType

from counts import seeds
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.query.continuous_query import Registration
from pantarhei.spark.collectors import RegisteredAnswers, register_queries, text_row
from pantarhei.spark.driver import Driver
from pantarhei.spark.results import Outlet, Results
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import BlockTableWriter, block_schema
from strategies import EX, INDIVIDUALS, A, B, C, R, is_a, member, related, x, y

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
    Rule("along", (is_a(A, x), related(R, x, y)), is_a(A, y)),
]
ONTOLOGY = Ontology.from_rules(RULES)
SCHEMA = schema_to_arrow(block_schema(LongType()))
LAST = 14
PLAIN = {
    "members": f"SELECT ?x {{ ?x a <{B}> }}",
    "many": f"SELECT ?c (COUNT(*) AS ?many) {{ ?x a ?c . ?x <{R}> ?y }} GROUP BY ?c",
    "copies": f"SELECT ?x {{ {{ ?x a <{A}> }} UNION {{ ?x a <{B}> }} OPTIONAL {{ ?x <{R}> ?y }} }}",
    "none": f"ASK {{ ?x a <{C}> }}",
    "pairs": f"CONSTRUCT {{ ?y <{R}> ?x }} {{ ?x a <{B}> ; <{R}> ?y }}",
}
ASKED = {name: Registration(text) for name, text in PLAIN.items()} | {
    "recent": Registration(PLAIN["members"], Window(2)),
    "closed": Registration(PLAIN["members"], Window(3, 3, closed="right"), "close"),
    "whole": Registration(PLAIN["members"], Window(2, 2, closed="left"), ("close", "non-empty"), "rstream"),
}


class Failed(Exception):
    """A batch that is to be applied again."""


class Stream:
    """A driver with registered queries, and the rows of the batches that it has delivered."""

    def __init__(self, reasoner=None, rows=None, asked=ASKED):
        self.reasoner = reasoner or StreamReasoner(ONTOLOGY, Window(5))
        self.rows = defaultdict(list) if rows is None else rows
        register_queries(self.reasoner, asked)
        self.collectors = {
            name: RegisteredAnswers(
                TimeKind.INTEGER, self.reasoner.queries[name], given, self.reasoner.window
            )
            for name, given in asked.items()
        }
        outlet = Outlet(None, print)
        self.results = Results(self.collectors, dict.fromkeys(asked, outlet))
        self.expected = {}
        self.driver = Driver(self.reasoner, TimeKind.INTEGER, None, "raise", self.see, None)
        self.told = Counter()
        for name, query in self.reasoner.queries.items():
            query.subscribe(lambda change, name=name: self.told.update([name]))

    def see(self, update):
        self.results.note(update)
        self.expected[update.at] = {name: answers(self.reasoner, text) for name, text in PLAIN.items()}

    def apply(self, number, aboxes, fails=False):
        def deliver():
            if fails:
                raise Failed

        worker, write = ABoxMaterializer(self.reasoner.foundation), BlockTableWriter(SCHEMA)
        blocks = [write(pa.scalar(at, pa.int64()), worker.materialize(abox), None) for at, abox in aboxes]
        self.results.begin(number)
        self.driver.apply(number, pa.concat_tables([SCHEMA.empty_table(), *map(as_table, blocks)]), deliver)
        for name, collector in self.collectors.items():
            self.rows[name] += [tuple(row.values()) for row in collector.table().to_pylist()]

    def restarted(self, asked=ASKED):
        saved = self.reasoner.snapshot(self.driver.note)
        again = Stream(StreamReasoner.restore(saved, ONTOLOGY), self.rows, asked)
        again.expected, again.told = self.expected, self.told
        return again


def as_table(block):
    return block if isinstance(block, pa.Table) else pa.Table.from_batches([block])


def answers(reasoner, text):
    """The rows of a query evaluated anew, as texts; of ASK the empty row while it is true."""
    result = reasoner.query(text)
    if result.type == "ASK":
        return Counter([()] if result.askAnswer else [])
    if result.type == "CONSTRUCT":
        return Counter(map(text_row, result.graph))
    return Counter(map(text_row, result.rows))


def random_aboxes(seed):
    random = Random(seed)

    def fact():
        if random.random() < 0.4:
            return (random.choice(INDIVIDUALS), R, random.choice(INDIVIDUALS))
        return member(random.choice((A, B, C)), random.choice(INDIVIDUALS))

    times = sorted(random.choice(range(1, LAST)) for _ in range(LAST))  # some come in parts
    return [(at, [fact() for _ in range(random.randrange(4))]) for at in times]


def followed(aboxes, seed, batches):
    """What came of a stream that was cut into so many batches; some fail first, then it goes on elsewhere."""
    random, stream = Random(seed), Stream()
    cuts = sorted(random.choice(range(len(aboxes) + 1)) for _ in range(batches - 1))
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, len(aboxes)], strict=True)):
        if random.random() < 0.3:
            told, rows = Counter(stream.told), dict(stream.rows)
            with pytest.raises(Failed):
                stream.apply(number, aboxes[start:end], fails=True)
            assert (stream.told, stream.rows) == (told, rows)
        if random.random() < 0.4:
            stream = stream.restarted()
        stream.apply(number, aboxes[start:end])
    return stream


def by_time(rows):
    """The changes of each time and window: parts of an ABox in one batch and in two come to the same."""
    found = Counter()
    for _, *row, change in rows:
        found[tuple(row)] += change
    return {row: change for row, change in found.items() if change}


def totals(rows, at):
    """The changes until a time, added up."""
    found = Counter()
    for _, when, _, _, *row, change in rows:
        if when <= at:
            found[tuple(row)] += change
    return found


@pytest.mark.parametrize("seed", seeds(1, 8))
def test_changes_add_up_to_the_answers_after_each_abox_however_the_stream_is_cut(seed):
    aboxes = random_aboxes(seed)
    one, *others = (followed(aboxes, seed + batches, batches) for batches in (1, 2, 5, 9, len(aboxes)))
    for stream in (one, *others):
        assert stream.expected.keys() == {at for at, _ in aboxes}
        for at, expected in stream.expected.items():
            for name in PLAIN:
                assert totals(stream.rows[name], at) == expected[name], (name, at)
        assert stream.driver.counts.cut and stream.told["members"]
        for name in ASKED:
            assert by_time(stream.rows[name]) == by_time(one.rows[name]), name


def test_a_query_that_comes_later_begins_with_its_answers_at_the_first_abox_after_that():
    #   batch      0    1     2       3       4
    #   at        1, 2  none  none    3       4
    #   members                *       the query begins before batch 1
    first = Stream(asked={"none": ASKED["none"]})
    first.apply(0, [(1, [member(A, EX.a), member(A, EX.b)]), (2, [member(C, EX.b), member(B, EX.c)])])
    asked = {"members": ASKED["members"], "recent": ASKED["recent"]}
    stream = first.restarted(asked)
    assert set(stream.reasoner.queries) == set(asked) and not stream.reasoner.queries["members"].answers
    stream.apply(1, [])
    stream = stream.restarted(asked)  # what was not told yet is in the checkpoint
    stream.apply(2, [])
    batch = 3, [(3, [member(B, EX.d), member(C, EX.c)])]
    with pytest.raises(Failed):
        stream.apply(*batch, fails=True)
    stream.apply(*batch)
    stream.apply(4, [(4, [member(C, EX.d)])])
    a, d = EX.a.n3(), EX.d.n3()
    assert stream.rows["members"] == [(3, 3, -2, 3, a, 1), (3, 3, -2, 3, d, 1), (4, 4, -1, 4, d, -1)]
    assert stream.rows["recent"] == [
        (3, 3, 1, 3, a, 1),
        (3, 3, 1, 3, d, 1),
        (4, 4, 2, 4, a, -1),
        (4, 4, 2, 4, d, -1),
    ]
    assert dict(stream.reasoner.queries["members"].answers) == {(EX.a,): 1}
