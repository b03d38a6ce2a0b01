"""Sharded streams: a stream split by key over executors, with a reasoner for each shard.

If all joins of the ontology's rules are between facts with equal keys (`Ontology.sharding_report`), the union
of the shards' models equals the model of one reasoner. Rows are routed by the key of their subject; each
shard has the whole background.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType, TimestampType
from rdflib import Graph, URIRef

from pantarhei.engine.options import Options
from pantarhei.errors import ExcludedOptionError, OptionError, check_choice, check_type
from pantarhei.materialize.model import Keep
from pantarhei.model.term import Term, Triple, check_triple
from pantarhei.model.time import Duration, TimeKind, duration_ticks, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.query.answers import check_distinct_names
from pantarhei.query.continuous_query import Registration, ReportPolicy
from pantarhei.rdf.triple_table import triples_of
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Method
from pantarhei.rules.sharding.key_map import SUBJECT, Key
from pantarhei.rules.sharding.routing import Routing
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.rules.translation.demand import Theory
from pantarhei.spark.collectors import conclusion_columns, registrations
from pantarhei.spark.dead_letters import carried_names, check_carried, letter_schema
from pantarhei.spark.frame import COLUMNS, check_frame, kind_of
from pantarhei.spark.frame_mapping import MappingSource, to_triples
from pantarhei.spark.sessions import default_tasks, is_connect, members_of
from pantarhei.spark.shards.processor import (
    PACKED,
    ShardProcessor,
    ShardWarnings,
    columns_of,
    unpack_changes,
)
from pantarhei.spark.shards.router import CLOCK, ROUTED, Router
from pantarhei.spark.shards.shard import Shard, ShardCounts, ShardSetup, SharedValue, unpack_table
from pantarhei.spark.versions import schema_to_arrow
from pantarhei.spark.worker import ON_ERROR, OnError
from pantarhei.spark.worker_errors import sends_errors
from pantarhei.temporal.rule_sharding import check_key_local as check_rules
from pantarhei.temporal.rules import TemporalRules, with_ontology
from pantarhei.values.by_value import Numbers
from pantarhei.window.retention import NO_LIMITS, History, Limits
from pantarhei.window.sliding import Window, step_to

if TYPE_CHECKING:
    from pantarhei.owl.graph_files import GraphFiles

    Background = Graph | Iterable[Triple] | GraphFiles

_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKS_DB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


class ShardingOptions(NamedTuple):
    """Options of `shard_stream` on the shards of a stream.

    Args:
        second_keys: further keys to be analysed, by which shards were divided before.
    """

    shard_by: Key = SUBJECT
    shards: int | None = None
    streaming: Iterable[URIRef] | None = None
    colocated: Iterable[URIRef] = ()
    hot_keys: Mapping[Term, Key] | None = None
    second_keys: Iterable[Key] = ()


class QueryOptions(NamedTuple):
    """Queries of the shards: one query, or registered queries by name; none by default."""

    query: str | None = None
    queries: Mapping[str, Registration] = MappingProxyType({})


class ShardedStream(NamedTuple):
    """Plan of a sharded stream.

    Args:
        packed: the streaming DataFrame of the outcomes of shards, with the columns `PACKED`.
        shipped: the setup of the shards.
        warned: the warnings sent by shards; None if workers log them.
    """

    packed: DataFrame
    shipped: SharedValue[ShardSetup]
    warned: ShardWarnings | None

    def changes(self, packed: DataFrame, letters: StructType | None = None) -> DataFrame:
        """Return the changes in a DataFrame of outcomes.

        Args:
            letters: the columns of dead letters, if these are to be among the changes.
        """
        setup = self.shipped.value
        schema = changes_schema(setup.names, setup.kind)
        if letters is None:
            return packed.select("shard", "changes").mapInArrow(Unpacker(setup.names, setup.kind), schema)
        both = StructType([*schema, *(letters[name] for name in ("kind", "reason", *carried_names(letters)))])
        unpack = UnpackerWithLetters(setup.names, setup.kind, schema_to_arrow(both))
        return packed.select("shard", "changes", "letters").mapInArrow(unpack, both)


def shard_stream(
    df: DataFrame,
    ontology: Ontology,
    window: Window,
    *,
    shard_by: Key = SUBJECT,
    shards: int | None = None,
    background: Background | None = None,
    streaming: Iterable[URIRef] | None = None,
    colocated: Iterable[URIRef] = (),
    hot_keys: Mapping[Term, Key] | None = None,
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
    on_error: OnError = "raise",
    carry: Sequence[str] | None = None,
) -> DataFrame:
    """Reason over a stream in shards, on the executors.

    The result is a streaming DataFrame of the changes of the repaired materialization, of a query's answers,
    or of the conclusions of temporal rules. Write it in output mode append.

    Without a query and rules, the columns are `(shard, at, subject, predicate, object, change)`: at time `at`
    the fact was inserted into (1) or deleted from (-1) the model of the shard. A fact holds while the sum of
    its changes over all shards is positive, since several shards may hold it. Consequences of the background
    alone are not included. A late row is returned with change 0, and has no other effect.

    With a `query`, the columns are `(shard, at, …, change)`, with a column for each variable: at time `at`
    the multiplicity of the answer in the shard changed by `change`. The sum over all shards is the
    multiplicity of the answer in one window. Terms are in N-Triples syntax, null for unbound variables; a
    late row yields a row of nulls with change 0. Each shard evaluates the query on its own facts, so a query
    is refused unless all its joins, groups and comparisons are between facts with equal keys. For the key
    `"subject"` this means: all patterns of streamed facts, also in OPTIONAL, MINUS and EXISTS, have the same
    subject; GROUP BY and DISTINCT include it in their columns; background facts may be joined freely, but
    each answer needs a streamed fact. ORDER BY, LIMIT, OFFSET, aggregates without GROUP BY, forms other than
    SELECT, GRAPH, FROM, NOW, and volatile functions (such as RAND) are refused.

    With `queries`, the columns are `(shard, at, query, value1, …, change)`: the name of a query, and the
    values of its variables in order, padded to the query with the most variables. `at` is the time of the
    report; for the report of a closed window its end. A query reports when its window closes, or its inserted
    and deleted answers at each step. If it reports only inserted or only deleted answers (`istream`,
    `dstream`), each answer must determine its shard. The sum of the shards' reports of a closed window is the
    report of one window.

    With `temporal` rules, the columns are `(shard, at, predicate, argument1, …, change)`: at time `at` the
    conclusion was inserted (1) or deleted (-1) in the shard. Each shard evaluates the rules on its own facts,
    so a rule is refused unless all streamed facts in its body, including negated ones, have equal keys, and
    one of them cannot be a background fact. Also refused are: windows of the last assertions; `always`, `at`
    and counts of background facts; `at` without a window of conclusions, unless the rules have a `start`.
    Background facts of a class or property that rules conclude are reported with the first row that a shard
    receives.

    The rows of a timestamp are one ABox, whose blank nodes are local to it. Time is Spark's event time, the
    newest timestamp of earlier batches. Without `allowed_lateness`, rows are processed at once, and rows that
    are older than earlier batches are late. With it, rows are held back until they are older than the newest
    timestamp by this duration, and ABoxes are pushed whole and in order. A fact that leaves the window is
    deleted with the time at which it leaves, in the batch whose watermark has passed this time. So the
    changes up to a time before the watermark are complete; Spark's observed metrics of each batch
    (`pantarhei`) have this time as `complete_until`.

    A batch writes the parts of a shard's state that it changes. The memory of a shard is a model of its own,
    including the background. The budget of an exact repair applies to each component of conflicts, as in one
    reasoner. A query can be resumed from its Spark checkpoint with equal ontology, background, window, key,
    number of shards, query and rules; `reason_stream` can resume with another number of shards.

    Args:
        df: a streaming DataFrame with columns as for `materialize_aboxes`; the timestamps are not floats.
        ontology: an ontology from `load_ontology`.
        window: the window, of the same kind as the timestamps.
        shard_by: the key: `"subject"`, or a property of the background, whose value is the key of a subject.
        shards: the number of shards; by default twice the cores, at most `spark.sql.shuffle.partitions`.
        background: further facts that hold at every time.
        streaming: the classes and properties that the stream asserts, as for `sharding_report`.
        colocated: properties whose streamed facts connect only names of the same shard, by the user's
            promise. Each row is checked: a row that breaks the promise is invalid.
        hot_keys: for values of `shard_by` with too many rows, a second key that divides their shards, such as
            `{EX.tower: "subject"}`. Rules and queries must be key-local for both keys.
        repair, keep, unique_names, numbers, budget: options of `StreamReasoner`.
        allowed_lateness: duration (`"5m"`) by which rows may be out of order.
        limits: limits of each shard's window, and the reaction to an excess; a resumed query may have others.
        query: a SPARQL query, evaluated by each shard after each of its steps.
        queries: registered queries by name, as for `reason_stream`, instead of `query`.
        history: the part of the past that each shard keeps, which increases its state; by default nothing. It
            must not have a sink.
        temporal: temporal rules of each shard, instead of a query.
        mapping: mapping of a table with other columns to triples, as for `melt`.
        on_error: "raise" to end the query with the error of the first row that is not a timestamped triple or
            not for the stream; "skip" to return such rows with change 0, and with the columns `kind`
            ("invalid" or "late") and `reason`, which are null for changes.
        carry: names of columns of `df`, such as `["topic", "partition", "offset"]`, which invalid and late
            rows are returned with. The columns `kind` and `reason` are then returned too.

    Raises:
        QueryError: the query is malformed or refused.
        NotKeyLocalRuleError: the union of the shards' conclusions would differ from those of one reasoner.
        TemporalRuleError: a rule does not fit the window.
        NotKeyLocalQueryError: the union of the shards' answers would differ from the answers of one window.
        NotKeyLocalError: the union of the shards' models would differ from the model of one reasoner.
        InconsistentOntologyError: ontology and background contradict each other.
        MappingError: the mapping cannot be read, or does not fit the columns.
        OptionError: a column is missing or has a wrong type, the DataFrame has a watermark, the state store
            is not RocksDB, or an option has an invalid value.
        TimestampError: window and timestamps are of different kinds.
        BackgroundOnlyError: in the running query: the stream must not assert a row.
        InvalidRowError: in the running query: a row is not a timestamped triple, or breaks the promise of
            `colocated`.
        MemoryLimitError: in the running query: an ABox exceeds the limits of a shard.

    >>> import pantarhei as pr
    >>> from pantarhei.spark import register
    >>> register(spark)
    >>> rows = spark.readStream.format("pantarhei").load("examples/pedals")
    >>> ontology, window = pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2)
    >>> shard_stream(rows, ontology, window, shard_by="subject").columns  # write it in output mode append
    ['shard', 'at', 'subject', 'predicate', 'object', 'change']
    """
    search = Budget() if budget is None else budget
    options = Options(
        window, repair, keep, unique_names, search, limits, history=shard_history(history), numbers=numbers
    )
    sharding = ShardingOptions(shard_by, shards, streaming, colocated, hot_keys)
    check_frame(df, True, "a streaming DataFrame, such as one from spark.readStream")
    check_choice("on_error", on_error, ON_ERROR)
    given = to_triples(df, None, mapping, "carry")
    letters = None
    if on_error == "skip" or carry is not None:
        letters = letter_schema(carry, df, _kind_of(given))
        given = to_triples(df, None, mapping, "carry", carried_names(letters))
    queried = QueryOptions(query, registrations(queries, query))
    setup = shard_setup(given, ontology, options, background, sharding, allowed_lateness, queried, temporal)
    if letters is None:
        stream = plan_shards(given, setup, allowed_lateness)
        return stream.changes(stream.packed)
    others = carried_names(letters)
    check_carried(others, ("shard", "at", *setup.names, "change"))
    arrow = schema_to_arrow(letters)
    setup = replace(setup, on_error=on_error, carried=pa.schema([arrow.field(name) for name in others]))
    stream = plan_shards(given, setup, allowed_lateness, arrow)
    return stream.changes(stream.packed, letters)


def shard_history(history: History | None) -> History:
    """Return the history of each shard; empty by default, since it is written with each change of the state.

    Raises:
        OptionError: the history has a sink, which the processes of the shards cannot share.
    """
    if history is not None and history.sink is not None:
        reason = "With shard_by a history cannot have a sink, since each shard has its own history."
        raise ExcludedOptionError("history", "History(sink=…)", reason)
    return History(steps=0) if history is None else history


def shard_setup(
    df: DataFrame,
    ontology: Ontology,
    options: Options,
    background: Background | None,
    sharding: ShardingOptions,
    allowed_lateness: Duration | None,
    queried: QueryOptions,
    temporal: TemporalRules | None = None,
) -> ShardSetup:
    """Validate the options of a sharded stream, and build its setup. Raises the errors of `shard_stream`.

    Args:
        options: the options of each shard's reasoner.
    """
    kind = _kind_of(df)
    session = df.sparkSession
    _check_state_store(session)
    _check_no_watermark(df)
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
        hot_keys=dict(sharding.hot_keys or {}),
    )
    if queried.query is not None:
        setup = _with_query(setup, queried.query)
    if queried.queries:
        setup = _with_queries(setup, queried.queries)
    if temporal is not None:
        setup = _with_rules(setup, temporal)
    Shard(setup, setup.reasoner())  # raises errors of queries and rules
    return setup


def _ticks_late(allowed_lateness: Duration | None, kind: TimeKind) -> int:
    nothing = 0 if kind is TimeKind.INTEGER else "PT0S"
    return duration_ticks(nothing if allowed_lateness is None else allowed_lateness, kind)


def _with_query(setup: ShardSetup, query: str) -> ShardSetup:
    """Add a query to the setup, after checking that its answers are the union of the shards' answers."""
    names = _variables(setup, Registration(query))
    check_distinct_names(names, ("shard", "at", "change"), ignores_case=True)
    return replace(setup, query=query, names=names)


def _with_queries(setup: ShardSetup, queries: Mapping[str, Registration]) -> ShardSetup:
    """Add registered queries to the setup, after checking that their answers are unions of the shards'
    answers.
    """
    variables = {name: _variables(setup, given, name) for name, given in queries.items()}
    most = max(map(len, variables.values()))
    names = ("query", *(f"value{place}" for place in range(1, most + 1)))
    return replace(setup, queries=queries, variables=variables, names=names)


def _variables(setup: ShardSetup, given: Registration, name: str | None = None) -> tuple[str, ...]:
    """Check that a query is key-local; return its variables in order."""
    from pantarhei.query.key_local import check_key_local
    from pantarhei.query.planner import QueryPlanner  # rdflib's parser takes long to load

    prefixes = {prefix: str(namespace) for prefix, namespace in setup.ontology.graph.namespaces()}
    query = QueryPlanner(prefixes).prepare(given.text).query
    for key in setup.routing.keys:
        check_key_local(query, setup.report, key, ReportPolicy.of(given.on, given.emit), name)
    return tuple(map(str, query.variables))


def _with_rules(setup: ShardSetup, rules: TemporalRules) -> ShardSetup:
    """Add temporal rules to the setup, after checking that their conclusions are unions of the shards'
    ones.
    """
    check_type("temporal", rules, TemporalRules, "TemporalRules from load_rules(text)")
    if setup.has_queries:
        reason = (
            "With shard_by a query does not match the conclusions of temporal rules: derive the answers by a "
            "rule, or omit shard_by."
        )
        raise ExcludedOptionError("query", "…", reason)
    ontology = setup.ontology
    theory = Theory.of((*ontology.rules, *ontology.constraints), setup.options.unique_names)
    for key in setup.routing.keys:
        check_rules(with_ontology(rules, theory, ontology.predicates), setup.report, key)
    return replace(setup, temporal=rules, names=conclusion_columns(rules))


METRICS = "pantarhei"
"""Name of the observed metrics of each batch, in Spark's progress."""


def changes_schema(names: Iterable[str], kind: TimeKind) -> StructType:
    """Return the schema of the changes of shards, with times."""
    schema = columns_of(names)
    if kind is TimeKind.DATETIME:
        schema["at"].dataType = TimestampType()
    return schema


@dataclass(frozen=True, slots=True)
class Unpacker:
    """Function for `mapInArrow` that unpacks the changes of shards.

    Args:
        names: the columns of terms.
        kind: the kind of timestamps.
    """

    names: tuple[str, ...]
    kind: TimeKind

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from self.table(batch).to_batches(max_chunksize=_ROWS_A_BATCH)

    def table(self, packed: pa.Table | pa.RecordBatch) -> pa.Table:
        """Return the changes in packed outcomes, with the columns of `changes_schema`."""
        changes = unpack_changes(packed, self.names)
        if self.kind is TimeKind.DATETIME:
            changes = changes.set_column(1, "at", changes["at"].cast(pa.timestamp("us", "UTC")))
        return changes


@dataclass(frozen=True, slots=True)
class UnpackerWithLetters:
    """Function for `mapInArrow` that unpacks changes and dead letters of shards, each as rows.

    Args:
        names, kind: as for `Unpacker`.
        schema: the columns of changes, then those of dead letters that changes do not have.
    """

    names: tuple[str, ...]
    kind: TimeKind
    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            changes = Unpacker(self.names, self.kind).table(batch)
            # A late row is a dead letter, and not also a change of 0.
            yield from self._with_columns(changes.filter(pc.not_equal(changes["change"], 0)))
            for shard, packed in zip(batch["shard"].to_pylist(), batch["letters"].to_pylist(), strict=True):
                if packed is not None:
                    yield from self._letters(shard, unpack_table(packed))

    def _letters(self, shard: int, letters: pa.Table) -> Iterator[pa.RecordBatch]:
        known = None if shard == CLOCK else shard
        named = {
            "shard": pa.repeat(pa.scalar(known, pa.int32()), len(letters)),
            "at": letters["timestamp"],
            "change": pa.repeat(pa.scalar(0, pa.int32()), len(letters)),
        }
        terms = COLUMNS[1:] if self.names == COLUMNS[1:] else ()
        others = [name for name in letters.column_names if name not in COLUMNS]
        yield from self._with_columns(
            pa.table({**named, **{name: letters[name] for name in (*terms, *others)}})
        )

    def _with_columns(self, table: pa.Table) -> Iterator[pa.RecordBatch]:
        """Yield the rows with all columns; those that the table lacks are null."""
        columns = [
            table[field.name].cast(field.type)
            if field.name in table.column_names
            else pa.nulls(len(table), field.type)
            for field in self.schema
        ]
        yield from pa.table(columns, schema=self.schema).to_batches(max_chunksize=_ROWS_A_BATCH)


_ROWS_A_BATCH = 50_000


def _metrics(kind: TimeKind) -> Iterator[Column]:
    """Yield the observed metrics of a batch."""
    for name in ("rows", "facts", *ShardCounts._fields):
        yield F.coalesce(F.sum(name), F.lit(0)).alias(name)
    last = F.max("closed") - 1
    yield (F.timestamp_micros(last) if kind is TimeKind.DATETIME else last).alias("complete_until")
    yield F.max_by("shard", "rows").alias("hottest_shard")
    yield F.max_by("hot_key", "hot_rows").alias("hottest_key")


def plan_shards(
    df: DataFrame,
    setup: ShardSetup,
    allowed_lateness: Duration | None,
    letters: pa.Schema | None = None,
    forwards_warnings: bool = False,
) -> ShardedStream:
    """Build Spark's plan of a sharded stream.

    Spark's watermark is in whole milliseconds. Each tick is mapped to one millisecond of event time, so that
    all shards decide exactly which rows are late. Times that event time cannot represent are refused by the
    router. The column of event time is dropped before the shards, since Spark itself would drop late rows by
    it.

    Args:
        df: the normalized DataFrame, with the carried columns.
        letters: the schema of rows that are handed out with their errors; None to count them only.
        forwards_warnings: whether the warnings of shards are sent to the driver; otherwise workers log them.
    """
    lateness = _ticks_late(allowed_lateness, setup.kind)
    warned = ShardWarnings(df.sparkSession.sparkContext) if forwards_warnings else None
    shipped = SharedValue(setup)
    router = SharedValue(Router(setup.routing, setup.shards, setup.on_error, letters))

    @sends_errors
    def route(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return router.value.route(batches)

    routed = df.mapInArrow(route, ROUTED).withWatermark("event", f"{lateness} milliseconds")
    packed = (
        routed.drop("event")
        .groupBy("shard")
        .transformWithStateInPandas(
            ShardProcessor(shipped, letters, None if warned is None else warned.given),
            PACKED,
            "Append",
            "EventTime",
        )
    )
    return ShardedStream(packed.observe(METRICS, *_metrics(setup.kind)), shipped, warned)


def _kind_of(df: DataFrame) -> TimeKind:
    kind = kind_of(df)
    if kind is TimeKind.FLOAT:
        raise OptionError("df", df.schema.simpleString(), "a column timestamp of type timestamp or long")
    return kind


def _check_state_store(session: SparkSession) -> None:
    given = session.conf.get(_PROVIDER, "")
    if given != _ROCKS_DB:
        raise OptionError(
            _PROVIDER,
            str(given),
            f'{_ROCKS_DB}; set it before the query: spark.conf.set("{_PROVIDER}", "{_ROCKS_DB}")',
        )


def _check_no_watermark(df: DataFrame) -> None:
    """Refuse a DataFrame with a watermark, since Spark permits only one, and that of the shards has other
    units.
    """
    if is_connect(df.sparkSession):
        return  # the plan is on the server
    plans = [df._jdf.queryExecution().analyzed()]
    while plans:
        plan = plans.pop()
        if plan.nodeName() == "EventTimeWatermark":
            expected = "a DataFrame without withWatermark: allowed_lateness= sets the watermark of the shards"
            raise OptionError("df", "<DataFrame with a watermark>", expected)
        plans += members_of(plan.children())


def check_shards(shards: object) -> None:
    """Check a number of shards.

    Raises:
        OptionError: it is not a whole number from 1 on.
    """
    if not isinstance(shards, int) or isinstance(shards, bool) or shards < 1:
        raise OptionError("shards", repr(shards), "a whole number from 1 on")


def _number_of_shards(shards: int | None, session: SparkSession) -> int:
    if shards is None:
        partitions = int(session.conf.get("spark.sql.shuffle.partitions", "200") or 200)
        tasks = default_tasks(session)
        return max(1, partitions if tasks is None else min(partitions, 2 * tasks))
    check_shards(shards)
    return shards


def _key_local(
    ontology: Ontology, sharding: ShardingOptions, unique_names: bool, numbers: Numbers
) -> ShardingReport:
    shard_by = sharding.shard_by
    if shard_by != SUBJECT and not isinstance(shard_by, URIRef):
        raise OptionError("shard_by", repr(shard_by), "'subject' or the IRI (URIRef) of a property")
    hot_keys = sharding.hot_keys
    seconds = hot_keys.values() if isinstance(hot_keys, Mapping) else ()
    keys = dict.fromkeys((shard_by, *seconds, *sharding.second_keys))
    report = ontology.sharding_report(
        sharding.streaming, None, unique_names, keys, numbers, sharding.colocated
    )
    Routing.of(report, shard_by, hot_keys)  # raises the errors of keys
    return report
