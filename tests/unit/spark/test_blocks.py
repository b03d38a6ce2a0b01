"""Interpretations as rows of a table, and back."""

import pyarrow as pa
import pytest
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import DoubleType, LongType, TimestampType
from rdflib import BNode, Literal

from pantarhei import Ontology
from pantarhei.errors import InvalidRowError
from pantarhei.interpretation.foundation import Foundation
from pantarhei.interpretation.materializer import ABoxMaterializer
from pantarhei.interpretation.writing import Texts
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind, ticks_of, time_of
from pantarhei.spark.blocks import (
    BlockWriter,
    SkippedWriter,
    TimedInterpretation,
    block_schema,
    pack,
    read_blocks,
    read_skipped,
    unpack,
)
from pantarhei.spark.worker import SkippedRows
from spark_streams import aboxes_of, rows_of
from strategies import EX, A, B, R, is_a, member, x

KINDS = {TimeKind.INTEGER: LongType(), TimeKind.FLOAT: DoubleType(), TimeKind.DATETIME: TimestampType()}
ABOXES = [[member(A, EX.a), (EX.a, R, Literal("text"))], [(BNode("n"), R, EX.b)], []]


@pytest.fixture(scope="module")
def foundation():
    return Foundation.of(Ontology.from_rules([Rule("sub", (is_a(A, x),), is_a(B, x))]))


@pytest.fixture(scope="module")
def made(foundation):
    """The interpretations of the ABoxes that assert something."""
    worker = ABoxMaterializer(foundation)
    return [worker.materialize(abox) for abox in aboxes_of(rows_of(enumerate(ABOXES))).values()]


def timed(made, kind):
    times = [time_of(ticks, kind) for ticks in range(len(made))]
    return [TimedInterpretation(ticks_of(at, kind), at, each) for at, each in zip(times, made, strict=True)]


def contents(found):
    return [
        (
            one.ticks,
            one.at,
            one.made.facts.tolist(),
            one.made.asserted,
            one.made.terms,
            one.made.contradictory,
        )
        for one in found
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_come_back_oldest_first_with_their_times(made, kind):
    write = BlockWriter(to_arrow_schema(block_schema(KINDS[kind]), timezone="UTC"))
    given = timed(made, kind)
    tables = [write(pa.scalar(one.at), one.made, None) for one in given]
    assert contents(read_blocks(pa.concat_tables(tables[::-1]), kind)) == contents(given)


def test_what_was_left_out_comes_back_with_examples(made):
    schema = to_arrow_schema(block_schema(LongType()))
    error = InvalidRowError(("timestamp=null",), "timestamp", "it is null")
    tables = [SkippedWriter(schema)(SkippedRows(count, [error])) for count in (2, 3)]
    tables.append(BlockWriter(schema)(pa.scalar(1), made[0], None))
    found = read_skipped(pa.concat_tables(tables))
    assert found.count == 5 and list(map(str, found.examples)) == [str(error)] * 2


@pytest.mark.parametrize("kind", [TimeKind.INTEGER, TimeKind.FLOAT])
def test_what_was_packed_is_closed_anew(foundation, made, kind):
    given = timed(made, kind)
    found = list(unpack(pack(given, Texts(foundation)), kind, ABoxMaterializer(foundation)))
    assert [(one.ticks, one.at) for one in found] == [(one.ticks, one.at) for one in given]
    assert [(len(one.made.facts), one.made.asserted) for one in found] == [
        (len(one.made.facts), one.made.asserted) for one in given
    ]


def test_a_scope_is_a_timestamps_own(made):
    scopes = {TimedInterpretation(ticks, ticks, made[0]).scope for ticks in (-1, 0, 1)}
    assert len(scopes) == 3
