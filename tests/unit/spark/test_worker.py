"""What an executor does with the rows of a Spark partition, without Spark."""

import pickle
import random

import pyarrow as pa
import pytest
from pyspark.sql.types import DoubleType, LongType, TimestampType
from rdflib import BNode, Literal

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.errors import InvalidRowError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.interpretation import InterpretationTables
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind, ticks_of, time_of
from pantarhei.spark import worker
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import (
    BlockTableWriter,
    MaterializeTask,
    SkippedBlockWriter,
    SkippedRows,
    TimedInterpretation,
    block_schema,
    pack,
    read_blocks,
    read_skipped,
    unpack,
)
from spark_streams import aboxes_of, rows_of, state_of, table_of
from strategies import EX, A, B, C, R, V, is_a, member, related, x, y
from worlds import World

RULES = [
    Rule("sub", (is_a(A, x),), is_a(B, x)),
    Rule("range", (related(R, x, y),), is_a(A, y)),
    Rule("disjoint", (is_a(B, x), is_a(C, x)), None),
]
LITERAL = [Rule("forms", (related(V, x, y),), related(EX.W, x, y))]


class Broadcast:
    def __init__(self, foundation):
        self.value = pickle.dumps(foundation)


def keep(at, made, texts):
    """A writer whose tables are looked into afterwards."""
    table = texts.table(made)
    return table.add_column(0, "timestamp", pa.repeat(at, len(table)))


def report(skipped):
    return pa.table({"skipped": [skipped.count]})


def task_of(rules=RULES, background=(), on_error="raise"):
    foundation = Foundation.of(Ontology.from_rules(rules), background)
    return MaterializeTask(Broadcast(foundation), foundation.digest, keep, on_error, report)


def closed(task, rows, sizes):
    """What a task makes of rows that come in batches of those sizes, by timestamp, and what it left out."""
    batches, table = [], table_of(rows)
    while len(table):
        size = next(sizes)
        batches += table.slice(0, size).combine_chunks().to_batches()
        table = table.slice(size)
    found, skipped = {}, 0
    for batch in task(iter(batches)):
        for row in batch.to_pylist():
            if "skipped" in row:
                skipped += row["skipped"]
            else:
                found.setdefault(row.pop("timestamp"), []).append(tuple(row.values()))
    return found, skipped


def alone(task, rows):
    """The same ABoxes, each closed by a materializer of its own."""
    found = {}
    for at, abox in aboxes_of(rows).items():
        foundation = pickle.loads(task.foundation.value)
        made = ABoxMaterializer(pickle.loads(task.foundation.value)).materialize(abox)
        table = worker.InterpretationTables(foundation).table(made)
        found[at] = list(map(tuple, (row.values() for row in table.to_pylist())))
    return found


@pytest.mark.parametrize("chunk", [1, 7, 100_000])
@pytest.mark.parametrize("rules", [RULES, LITERAL])
def test_however_batches_cut_aboxes_each_is_closed_as_if_it_were_alone(monkeypatch, chunk, rules):
    monkeypatch.setattr(worker, "CHUNK", chunk)
    world, choose = World(3, constraints=2), random.Random(chunk)
    task = task_of(rules)
    counts = [choose.choice((1, 2, 9, 30)) for _ in range(24)]
    rows = rows_of((at, list(dict.fromkeys(world.facts(size)))) for at, size in enumerate(counts, -4))
    if rules is LITERAL:
        forms = ['"1"', '"01"', '"1.0"', '"+1"']
        integer = "^^<http://www.w3.org/2001/XMLSchema#decimal>"
        rows = [(at, s, p, choose.choice(forms) + integer if '"' in o else o) for at, s, p, o in rows]
        rows = list({(at, s, p, o[0]): (at, s, p, o) for at, s, p, o in rows}.values())  # one form a fact
    expected = alone(task, rows)
    for sizes in (iter(lambda: 1, 0), iter(lambda: choose.choice((1, 2, 5, 40)), 0), iter(lambda: 10**6, 0)):
        assert closed(task, rows, sizes) == (expected, 0)


def test_rows_that_are_no_triples_are_left_out_wherever_they_stand_and_counted():
    task = task_of(on_error="skip")
    good = rows_of([(1, [member(A, EX.a)]), (2, [(EX.a, R, EX.b), member(C, EX.b)]), (4, [member(B, EX.c)])])
    bad = [
        (None, *good[0][1:]),
        (1, "a", *good[0][2:]),
        (2, "<urn:a>", "_:p", "<urn:a>"),
        (3, None, None, None),
    ]
    rows = sorted([*good, *bad], key=lambda row: (row[0] is not None, row[0] or 0))
    for size in (1, 3, 100):
        assert closed(task, rows, iter(lambda size=size: size, 0)) == (alone(task, good), 4)
    assert closed(task, bad, iter(lambda: 9, 0)) == ({}, 4)


def test_the_first_row_that_is_no_triple_is_named():
    rows = [(1, "<urn:a>", "<urn:p>", f'"{n}"') for n in range(50)]
    rows[33] = (1, "<urn:a>", "urn:p", '"thirty-three"')
    with pytest.raises(InvalidRowError, match='predicate=urn:p, object="thirty-three"') as raised:
        list(task_of()(iter(table_of(rows).to_batches(max_chunksize=8))))
    assert raised.value.column == "predicate"
    with pytest.raises(InvalidRowError, match=r"column timestamp of the row \(timestamp=nan"):
        list(task_of()(iter(table_of([(float("nan"), *rows[0][1:])]).to_batches())))


def test_no_rows_make_no_interpretations():
    assert closed(task_of(), [], iter(lambda: 1, 0)) == ({}, 0)
    empty = pa.RecordBatch.from_pylist([], table_of([], pa.int64()).schema)
    assert not list(task_of()(iter([empty, empty])))


def test_of_rows_left_out_the_first_few_are_told_and_sums_add_up():
    rows = [(1, f"bad{n}", "<urn:p>", "<urn:a>") for n in range(14)]
    skipped, table = SkippedRows(), table_of(rows)
    skipped.add(table, worker.find_invalid_rows(table))
    both = skipped + skipped
    assert (skipped.count, len(skipped.examples), both.count, len(both.examples)) == (14, 10, 28, 10)
    assert str(skipped).startswith(
        "skipped 14 rows that are not timestamped triples: column subject of the row"
    )
    assert str(skipped).endswith(" …") and "bad9" in str(skipped) and "bad10" not in str(skipped)
    assert pickle.loads(pickle.dumps(skipped)).examples[0].args == skipped.examples[0].args


def test_blank_nodes_of_rows_are_never_the_backgrounds():
    background = [member(A, BNode("b")), (EX.a, R, BNode("m1-b"))]
    ontology = Ontology.from_rules(RULES)
    rows = [(1, "_:b", R.n3(), "_:m"), (1, EX.a.n3(), V.n3(), "_:b")]
    (table,) = aboxes_of(rows).values()
    pushed, merged = (StreamReasoner(ontology, Window(3), background) for _ in "12")
    pushed.push(1, table)
    merged.push_materialized(1, ABoxMaterializer(merged.foundation).materialize(table))
    assert state_of(merged) == state_of(pushed)
    assert member(B, BNode("b")) in merged.materialization()  # the background's own
    subjects = {subject for _, (subject, _, _) in merged.assertions()}
    assert len(subjects) == 2 and BNode("b") not in subjects


KINDS = {TimeKind.INTEGER: LongType(), TimeKind.FLOAT: DoubleType(), TimeKind.DATETIME: TimestampType()}
ABOXES = [[member(A, EX.a), (EX.a, R, Literal("text"))], [(BNode("n"), R, EX.b)], []]


@pytest.fixture(scope="module")
def foundation_of_blocks():
    return Foundation.of(Ontology.from_rules([Rule("sub", (is_a(A, x),), is_a(B, x))]))


@pytest.fixture(scope="module")
def made_of_blocks(foundation_of_blocks):
    """The interpretations of the ABoxes that assert something."""
    worker = ABoxMaterializer(foundation_of_blocks)
    return [worker.materialize(abox) for abox in aboxes_of(rows_of(enumerate(ABOXES))).values()]


def timed(made_of_blocks, kind):
    times = [time_of(ticks, kind) for ticks in range(len(made_of_blocks))]
    return [
        TimedInterpretation(ticks_of(at, kind), at, each)
        for at, each in zip(times, made_of_blocks, strict=True)
    ]


def contents(found):
    return [
        (
            one.ticks,
            one.at,
            one.interpretation.facts.tolist(),
            one.interpretation.asserted,
            one.interpretation.terms,
            one.interpretation.contradictory,
        )
        for one in found
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_come_back_oldest_first_with_their_times(made_of_blocks, kind):
    write = BlockTableWriter(schema_to_arrow(block_schema(KINDS[kind])))
    given = timed(made_of_blocks, kind)
    tables = [write(pa.scalar(one.at), one.interpretation, None) for one in given]
    assert contents(read_blocks(pa.concat_tables(tables[::-1]), kind)) == contents(given)


def test_what_was_left_out_comes_back_with_examples(made_of_blocks):
    schema = schema_to_arrow(block_schema(LongType()))
    error = InvalidRowError(("timestamp=null",), "timestamp", "it is null")
    tables = [SkippedBlockWriter(schema)(SkippedRows(count, [error])) for count in (2, 3)]
    tables.append(BlockTableWriter(schema)(pa.scalar(1), made_of_blocks[0], None))
    found = read_skipped(pa.concat_tables(tables))
    assert found.count == 5 and list(map(str, found.examples)) == [str(error)] * 2


@pytest.mark.parametrize("kind", [TimeKind.INTEGER, TimeKind.FLOAT])
def test_what_was_packed_is_closed_anew(foundation_of_blocks, made_of_blocks, kind):
    given = timed(made_of_blocks, kind)
    found = list(
        unpack(
            pack(given, InterpretationTables(foundation_of_blocks)),
            kind,
            ABoxMaterializer(foundation_of_blocks),
        )
    )
    assert [(one.ticks, one.at) for one in found] == [(one.ticks, one.at) for one in given]
    assert [(len(one.interpretation.facts), one.interpretation.asserted) for one in found] == [
        (len(one.interpretation.facts), one.interpretation.asserted) for one in given
    ]


def test_a_scope_is_a_timestamps_own(made_of_blocks):
    scopes = {TimedInterpretation(ticks, ticks, made_of_blocks[0]).scope for ticks in (-1, 0, 1)}
    assert len(scopes) == 3
