"""A window past one process: a stream sharded over executors, each shard with a reasoner of its own.

Where the ontology's joins stay inside a key (`Ontology.sharding_report`), the shards hold together what one
model holds. Rows are routed by the key of their subject, the background is in every shard.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, LongType, StringType, TimestampType
from rdflib import Graph, URIRef

from pantarhei.engine.options import Options
from pantarhei.errors import NotKeyLocalError, OptionError, check_type
from pantarhei.materialize.model import Keep
from pantarhei.model.term import Triple, check_triple
from pantarhei.model.time import Duration, TimeKind, duration_ticks, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.answers import refuse_taken
from pantarhei.query.continuous_query import Registration, ReportPolicy
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Method
from pantarhei.rules.sharding.sharding_report import SUBJECT, Key, ShardingReport
from pantarhei.rules.translation.demand import Theory
from pantarhei.spark.collectors import conclusion_columns, registrations
from pantarhei.spark.frame import COLUMNS, check_frame
from pantarhei.spark.frame_mapping import MappingSource, to_triples
from pantarhei.spark.shards.processor import (
    FIRST_TICK,
    LAST_TICK,
    ROUTED,
    WATERMARK_OFFSET,
    Router,
    ShardProcessor,
    ShardWarnings,
    columns_of,
)
from pantarhei.spark.shards.shard import Shard, ShardSetup, SharedValue
from pantarhei.temporal.rule_sharding import check_key_local as check_rules
from pantarhei.temporal.rules import TemporalRules, with_ontology
from pantarhei.values.by_value import Numbers
from pantarhei.window.retention import NO_LIMITS, History, Limits
from pantarhei.window.sliding import Window, step_to

if TYPE_CHECKING:
    Background = Graph | Iterable[Triple]

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
_KINDS: dict[DataType, TimeKind] = {LongType(): TimeKind.INTEGER, TimestampType(): TimeKind.DATETIME}


class ShardingOptions(NamedTuple):
    """How a stream is sharded, as `shard_stream` takes it."""

    shard_by: Key = SUBJECT
    shards: int | None = None
    streaming: Iterable[URIRef] | None = None


class QueryOptions(NamedTuple):
    """What is asked of shards: one query, or several by name; nothing by default."""

    query: str | None = None
    queries: Mapping[str, Registration] = MappingProxyType({})


class ShardedStream(NamedTuple):
    """A stream that is sharded: the changes that its shards report, how it is, and what shards warn of."""

    changes: DataFrame
    shipped: SharedValue[ShardSetup]
    warned: ShardWarnings | None


def shard_stream(
    df: DataFrame,
    ontology: Ontology,
    window: Window,
    *,
    shard_by: Key = SUBJECT,
    shards: int | None = None,
    background: Background | None = None,
    streaming: Iterable[URIRef] | None = None,
    repair: Method = "exact",
    keep: Keep = "newest",
    unique_names: bool = True,
    numbers: Numbers = "by_datatype",
    budget: Budget | None = None,
    allowed_lateness: Duration | None = None,
    limits: Limits = NO_LIMITS,
    query: str | None = None,
    queries: Mapping[str, str | Registration] | None = None,
    history: History | None = None,
    temporal: TemporalRules | None = None,
    mapping: MappingSource | None = None,
) -> DataFrame:
    """The changes of the repaired materialization of a stream, of a query's answers, or of what rules
    conclude, computed by shards.

    The answer is a streaming DataFrame `(shard, at, subject, predicate, object, change)`: at the time `at`
    the shard gained (1) or lost (-1) the fact. A fact holds while its changes add up to more than nothing,
    for several shards may hold it. What follows from the background alone is not in it. A row that came too
    late is given back with change 0; it has no effect. Write it in mode append.

    With a `query` the columns are `(shard, at, …, change)`, one for each variable: at the time `at` the shard
    gave the answer `change` times more than before, or fewer where that is negative. The changes of all
    shards add up to how often one window would give the answer. Terms are in N-Triples syntax, unbound ones
    null; of a row that came too late there is a row of nulls with change 0. Each shard answers alone, so a
    query is refused unless all that it joins, groups or compares is of one key. By `"subject"` that means:
    all patterns of streamed facts, also those in OPTIONAL, MINUS and EXISTS, have one subject; GROUP BY and
    DISTINCT have it among their columns; what is background may be joined freely, but each answer needs some
    streamed fact. ORDER BY, LIMIT, OFFSET, aggregates without GROUP BY, forms other than SELECT, GRAPH, FROM,
    NOW, and functions that draw (such as RAND) are refused.

    With `queries` the columns are `(shard, at, query, value1, …, change)`: the name of a query, and the
    values of its variables in their order, as many columns as any query has variables. `at` is when the query
    reported; of a window that closed, its end. A query reports when its window closes, or else, with each
    step, what came and went. Where it says only what came, or only what went (`istream`, `dstream`), its rows
    have to tell their shard. What shards report of a window that closed adds up to what one window would.

    With `temporal` rules the columns are `(shard, at, predicate, argument1, …, change)`: at the time `at` the
    conclusion came (1) or went (-1) in the shard. Each shard concludes alone, so a rule is refused unless all
    that streams in its body is of one key, what is negated too, and some of it comes from the stream alone.
    Refused as well: windows of the last assertions; `always`, `at` and counts of what the background says;
    `at` without a window of conclusions, unless the rules have a `start`. What the background says of a class
    or property that rules conclude comes with the first row that reaches a shard.

    A timestamp's rows are one ABox, whose blank nodes are its own. Time is Spark's event time: the newest
    timestamp of the batches before. Without `allowed_lateness` rows count at once, and those older than the
    batches before are late. With it, rows wait until time has passed them by so much, and ABoxes enter whole
    and in order; time is then what is known to be complete, and what has left the window by then is gone,
    where one reasoner would notice with the next ABox. Shards that no rows reach notice with the next batch
    that time has passed.

    The state of a shard is written in each batch that reaches it, and costs the assertions of its window;
    memory is one model with the background a shard. The budget of an exact repair holds for each group of
    entangled assertions, as in one reasoner. A query goes on from its Spark checkpoint with the same
    ontology, background, window, key, number of shards, query and rules.

    Args:
        df: a streaming DataFrame with the columns `timestamp` (a timestamp, or a long for streams of
            integers) and `subject`, `predicate`, `object` in N-Triples syntax; others are left out.
        ontology: what was loaded with `load_ontology`.
        window: of the timestamps' kind.
        shard_by: `"subject"`, or a property of the background whose value is the shard of a name.
        shards: how many. If None, twice the cores, and not more than `spark.sql.shuffle.partitions`.
        background: further facts that hold at every time.
        streaming: the classes and properties that the stream asserts, as `sharding_report` takes it.
        repair, keep, unique_names, numbers, budget: as `StreamReasoner` takes them.
        allowed_lateness: how far rows may come out of order.
        limits: how much each shard may hold, and what then; they may be others when the query goes on.
        query: a SPARQL query, answered by each shard after each of its steps.
        queries: instead of `query`, registered queries by name, as `reason_stream` takes them.
        history: how much each shard remembers of what has left its window, at the cost of its state; by
            default nothing. It has no sink.
        temporal: rules by which each shard concludes; instead of `query`.
        mapping: how triples are made of the rows of a table that has other columns, as `melt` takes it.

    Raises:
        QueryError: the query is malformed or refused.
        NotKeyLocalRuleError: shards would not conclude what one reasoner does.
        TemporalRuleError: a rule does not fit the window.
        NotKeyLocalQueryError: shards would not answer it as one window does.
        NotKeyLocalError: shards would not hold what one model holds.
        InconsistentOntologyError: ontology and background contradict each other.
        MappingError: the mapping cannot be read, or does not fit the columns.
        OptionError: the columns are others, the state store is not RocksDB, or an option has no such value.
        TimestampError: the window is of another kind than the timestamps.
        In the running query: `BackgroundOnlyError` for a row that the stream must not assert,
        `InvalidTripleError` and `TimestampError` for a row that is no triple or has no time,
        `MemoryLimitError` for an ABox with which a shard would hold too much.
    """
    search = Budget() if budget is None else budget
    options = Options(
        window, repair, keep, unique_names, search, limits, history=shard_history(history), numbers=numbers
    )
    sharding = ShardingOptions(shard_by, shards, streaming)
    given = df if mapping is None else to_triples(df, None, mapping, "raise")
    asked = QueryOptions(query, registrations(queries, query))
    setup = shard_setup(given, ontology, options, background, sharding, allowed_lateness, asked, temporal)
    return plan_shards(given, setup, allowed_lateness).changes


def shard_history(history: History | None) -> History:
    """What each shard remembers: nothing unless told, for it is written whenever the shard's state is.

    Raises:
        OptionError: it has a sink, which would be in many processes.
    """
    if history is not None and history.sink is not None:
        raise OptionError(
            "history", "one with a sink", "one without, with shard_by: shards have no common sink"
        )
    return History(steps=0) if history is None else history


def shard_setup(
    df: DataFrame,
    ontology: Ontology,
    options: Options,
    background: Background | None,
    sharding: ShardingOptions,
    allowed_lateness: Duration | None,
    asked: QueryOptions,
    temporal: TemporalRules | None = None,
) -> ShardSetup:
    """What shards are, as `shard_stream` takes it, with its errors; `options` are those of each shard."""
    kind = _kind_of(df)
    session = df.sparkSession
    _check_state_store(session)
    step_to(options.window, None, time_of(0, kind))
    _ticks_late(allowed_lateness, kind)
    joined, facts = ontology.with_background(background)
    always = map(check_triple, triples_of(facts))
    whole = replace(joined, background=joined.background.union(always))
    setup = ShardSetup(
        whole,
        options,
        kind,
        sharding.shard_by,
        _number_of_shards(sharding.shards, session),
        _key_local(whole, sharding, options.unique_names, options.numbers),
        allowed_lateness is not None,
    )
    if asked.query is not None:
        setup = _asking_one(setup, asked.query)
    if asked.queries:
        setup = _asking(setup, asked.queries)
    if temporal is not None:
        setup = _concluding(setup, temporal)
    Shard(setup, setup.reasoner())  # raises what there is to raise
    return setup


def _ticks_late(allowed_lateness: Duration | None, kind: TimeKind) -> int:
    nothing = 0 if kind is TimeKind.INTEGER else "PT0S"
    return duration_ticks(nothing if allowed_lateness is None else allowed_lateness, kind)


def _asking_one(setup: ShardSetup, query: str) -> ShardSetup:
    """The setup with a query that shards answer as one window does."""
    names = _variables(setup, Registration(query))
    refuse_taken(names, ("shard", "at", "change"), ignores_case=True)
    return replace(setup, query=query, names=names)


def _asking(setup: ShardSetup, queries: Mapping[str, Registration]) -> ShardSetup:
    """The setup with registered queries that shards answer as one window does."""
    variables = {name: _variables(setup, given, name) for name, given in queries.items()}
    most = max(map(len, variables.values()))
    names = ("query", *(f"value{place}" for place in range(1, most + 1)))
    return replace(setup, queries=queries, variables=variables, names=names)


def _variables(setup: ShardSetup, given: Registration, name: str | None = None) -> tuple[str, ...]:
    """The variables of a query that shards answer as one window does, in order."""
    from pantarhei.query.key_local import check_key_local
    from pantarhei.query.planner import Questions  # rdflib's parser takes long to load

    prefixes = {prefix: str(namespace) for prefix, namespace in setup.ontology.graph.namespaces()}
    query = Questions(prefixes).prepared(given.text).query
    check_key_local(query, setup.report, setup.key, ReportPolicy.of(given.on, given.emit), name)
    return tuple(map(str, query.variables))


def _concluding(setup: ShardSetup, rules: TemporalRules) -> ShardSetup:
    """The setup with rules by which shards conclude what one reasoner does."""
    check_type("temporal", rules, TemporalRules, "TemporalRules, as load_rules(text) gives them")
    if setup.has_queries:
        expected = (
            "one of them, since queries of shards see no conclusions: let a rule conclude what the query "
            "asks, or leave out shard_by"
        )
        raise OptionError("temporal", "(rules, with a query and shard_by)", expected)
    ontology = setup.ontology
    theory = Theory.of((*ontology.rules, *ontology.constraints), setup.options.unique_names)
    check_rules(with_ontology(rules, theory, ontology.predicates), setup.report, setup.key)
    return replace(setup, temporal=rules, names=conclusion_columns(rules))


def plan_shards(
    df: DataFrame, setup: ShardSetup, allowed_lateness: Duration | None, tells: bool = False
) -> ShardedStream:
    """The plan. The column that carries the watermark is left out again, for Spark drops late rows by it.

    Spark's watermark is in whole milliseconds. Each tick is one millisecond of event time, so that shards
    agree to the tick on what is late. Times that event time cannot hold are refused where rows are routed.

    Args:
        tells: whether what shards warn of is brought to the driver; workers log it otherwise.
    """
    lateness = _ticks_late(allowed_lateness, setup.kind)
    warned = ShardWarnings(df.sparkSession.sparkContext) if tells else None
    shipped, router = SharedValue(setup), SharedValue(Router(setup.report, setup.key, setup.shards))
    of_dates = setup.kind is TimeKind.DATETIME
    ticks: Column = F.unix_micros("timestamp") if of_dates else F.col("timestamp")
    within = F.least(F.greatest(ticks, F.lit(FIRST_TICK)), F.lit(LAST_TICK))
    timed = df.select(*COLUMNS).withColumn("event", F.timestamp_millis(within + WATERMARK_OFFSET))
    timed = timed.withWatermark("event", f"{lateness} milliseconds")

    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return router.value.route(batches)

    routed = timed.select(ticks.alias("ticks"), *COLUMNS[1:]).mapInArrow(route, ROUTED)
    changes = routed.groupBy("shard").transformWithStateInPandas(
        ShardProcessor(shipped, None if warned is None else warned.given),
        columns_of(setup.names),
        "Append",
        "EventTime",
    )
    timed = changes.withColumn("at", F.timestamp_micros("at")) if of_dates else changes
    return ShardedStream(timed, shipped, warned)


def _kind_of(df: DataFrame) -> TimeKind:
    check_frame(df, True, "one that streams, such as spark.readStream gives")
    types = {field.name: field.dataType for field in df.schema.fields}
    kind = _KINDS.get(types.get("timestamp", StringType()))
    if kind is None or any(types.get(name) != StringType() for name in COLUMNS[1:]):
        expected = "timestamp (timestamp or long), subject, predicate and object (string)"
        raise OptionError("df", df.schema.simpleString(), expected)
    return kind


def _check_state_store(session: SparkSession) -> None:
    given = session.conf.get(_PROVIDER, "")
    if given != _ROCKS_DB:
        raise OptionError(
            _PROVIDER,
            str(given),
            f'{_ROCKS_DB}; set it before the query: spark.conf.set("{_PROVIDER}", "{_ROCKS_DB}")',
        )


def _number_of_shards(shards: int | None, session: SparkSession) -> int:
    if shards is None:
        partitions = int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
        return max(1, min(partitions, 2 * session.sparkContext.defaultParallelism))
    if not isinstance(shards, int) or isinstance(shards, bool) or shards < 1:
        raise OptionError("shards", repr(shards), "a whole number from 1 on")
    return shards


def _key_local(
    ontology: Ontology, sharding: ShardingOptions, unique_names: bool, numbers: Numbers
) -> ShardingReport:
    shard_by = sharding.shard_by
    if shard_by != SUBJECT and not isinstance(shard_by, URIRef):
        raise OptionError("shard_by", repr(shard_by), "'subject' or the IRI (URIRef) of a property")
    report = ontology.sharding_report(sharding.streaming, None, unique_names, [shard_by], numbers)
    if not report.allows(shard_by):
        raise NotKeyLocalError(str(shard_by), report.about(shard_by))
    return report
