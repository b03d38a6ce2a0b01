"""Reasoning over a DataFrame, streaming or not, with the window on the driver.

Executors materialize the ABoxes; the driver joins them across timestamps and repairs contradictions.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery
from rdflib import Graph, URIRef

from pantarhei.engine.checkpoint import Json
from pantarhei.engine.intake import check_ahead
from pantarhei.engine.options import Options
from pantarhei.engine.update import WindowUpdate
from pantarhei.errors import ExcludedOptionError, MissingOptionError, OptionError, check_choice, check_type
from pantarhei.materialize.model import Keep
from pantarhei.model.term import Term, Triple
from pantarhei.model.time import Duration, TimeKind, TimePoint, seconds_of, time_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.owl.graph_files import GraphFiles
from pantarhei.query.continuous_query import Registration
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.conflict import Budget
from pantarhei.repair.cut import Method
from pantarhei.rules.sharding.key_map import Key
from pantarhei.spark.collectors import (
    Collector,
    RegisteredAnswers,
    collector_of,
    register_queries,
    registrations,
)
from pantarhei.spark.dead_letters import DeadLetters, StreamLetters
from pantarhei.spark.driver import CheckpointFolder, Driver, LateABox, checkpoint_folder
from pantarhei.spark.file_system import Folder, folder_at
from pantarhei.spark.frame import COLUMNS, check_driver, check_frame, kind_of
from pantarhei.spark.frame_mapping import MappingSource, to_triples
from pantarhei.spark.materialize import DataFrameMaterializer, by_timestamp
from pantarhei.spark.progress import BatchReport
from pantarhei.spark.results import (
    STREAM,
    ColumnTypes,
    FileOutput,
    Outlet,
    OutputFormat,
    Results,
    Sink,
    Sinks,
)
from pantarhei.spark.results import outlets as outlets_of
from pantarhei.spark.running_query import BatchFunction, QueryRun, ReasoningQuery, start_query
from pantarhei.spark.shards.reshard import ShardLayout, saved_layouts
from pantarhei.spark.shards.sharded_query import run_sharded
from pantarhei.spark.shards.sharded_stream import (
    QueryOptions,
    ShardingOptions,
    plan_shards,
    shard_history,
    shard_setup,
)
from pantarhei.spark.worker import (
    ON_ERROR,
    OnError,
    SkippedRows,
    TimedInterpretation,
    log_skipped,
    read_blocks,
    read_skipped,
)
from pantarhei.temporal.rule_sharding import check_needs_no_order
from pantarhei.temporal.rules import TemporalRules
from pantarhei.values.by_value import Numbers
from pantarhei.window.retention import NO_LIMITS, History, Limits
from pantarhei.window.sliding import Window, step_to

ROWS_A_FILE = 1 << 17


def run(
    reasoner: StreamReasoner,
    df: DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    mapping: MappingSource | None = None,
    on_error: OnError = "raise",
    on_skipped: Callable[[SkippedRows], object] | None = None,
    query: str | None = None,
    output: str | Path | None = None,
    output_format: OutputFormat = "parquet",
    types: Mapping[str, str] | None = None,
    clustered: bool | None = None,
    spark_partitions: int | None = None,
) -> Iterator[WindowUpdate]:
    """Push the ABoxes of a DataFrame in time order, and yield the update of each, as `StreamReasoner.run`.

    The ABoxes are sorted by time first, so that none is late. Spark's work ends before the first update. The
    driver then holds all interpretations at once: 12 bytes per fact, and the terms that its foundation does
    not have. Spark's setting `spark.driver.maxResultSize` must permit this size.

    Args:
        reasoner: the reasoner; it may have received ABoxes before, up to the first timestamp of the
            DataFrame.
        df: a DataFrame with columns as for `materialize_aboxes`.
        columns, mapping, on_error, clustered, spark_partitions: as for `materialize_aboxes`.
        on_skipped: called with the skipped rows; by default they are logged.
        query, output, output_format, types: as for `reason_stream`. Result rows are written while updates are
            consumed, about `ROWS_A_FILE` rows per file, and the rest at the end, or when the caller stops or
            an update fails.

    Raises:
        OptionError: the DataFrame streams, or an option has an invalid value; while updates are consumed: a
            term is of another kind than `types` states.
        QueryError: the query is malformed or refused.
        MappingError: the mapping cannot be read, or does not fit the columns.
        NotKeyLocalRuleError: a temporal rule has a window of the last assertions, but rows have no order.
        InvalidRowError: a row is not a timestamped triple, and `on_error` is "raise".
        LateABoxError: the first timestamp is older than the reasoner's time.
        FileSystemError: the file system of `output` cannot be used.

    >>> import pantarhei as pr
    >>> from pantarhei.spark import register
    >>> register(spark)
    >>> df = spark.read.format("pantarhei").load("examples/pedals/stream.trig")
    >>> reasoner = pr.StreamReasoner(pr.load_ontology("ontologies/pedals.ttl"), pr.Window(range=2))
    >>> [(update.at, len(update.repair.removed)) for update in run(reasoner, df)]
    [(0, 0), (1, 0), (3, 1), (4, 0)]
    """
    check_choice("on_error", on_error, ON_ERROR)
    check_type("reasoner", reasoner, StreamReasoner, "a StreamReasoner, before the DataFrame")
    if reasoner.temporal is not None:
        check_needs_no_order(reasoner.temporal)
    check_frame(df, False, "one that does not stream; use pantarhei.spark.reason_stream for this DataFrame")
    given = to_triples(df, columns, mapping)
    kind = kind_of(given)
    place = None if output is None else folder_at("output", output, df.sparkSession)
    results = _results(reasoner, kind, query, place, output_format, ColumnTypes.of(types))
    materializer = DataFrameMaterializer.to_blocks(given, reasoner.foundation, skips=True)
    made = materializer.of_frame(given, clustered, spark_partitions)

    def updates() -> Iterator[WindowUpdate]:
        blocks = made.toArrow()
        skipped = read_skipped(blocks)
        if skipped.count and on_error == "raise":
            raise skipped.examples[0]
        if skipped.count:
            (on_skipped or log_skipped)(skipped)
        yield from pushed(reasoner, read_blocks(blocks, kind), results, df.sparkSession)

    return updates()


def pushed(
    reasoner: StreamReasoner,
    blocks: Iterable[TimedInterpretation],
    results: Results | None,
    spark: SparkSession,
) -> Iterator[WindowUpdate]:
    """Push interpretations, and yield the update of each.

    Result rows are delivered when enough are collected, and at the end, also if the caller stops or an update
    fails.
    """
    try:
        for timed in blocks:
            update = reasoner.push_materialized(timed.at, timed.interpretation, scope=timed.scope)
            if results is not None:
                results.note(update)
                results.deliver_if(ROWS_A_FILE, spark)
            yield update
    finally:
        if results is not None:
            results.deliver(spark)


def _results(
    reasoner: StreamReasoner,
    kind: TimeKind,
    query: str | None,
    output: Folder | None,
    output_format: OutputFormat,
    types: ColumnTypes,
) -> Results | None:
    """Return the results to be delivered; None if `output` is None.

    Raises:
        OptionError: `query` or `types` is given without an output, or the folder has files of another stream.
    """
    if output is None:
        for name, given in (("query", query), ("types", types.kinds or None)):
            if given is not None:
                reason = "Results are written only with an output; without one, query the reasoner."
                raise ExcludedOptionError(name, repr(given)[:200], reason)
        return None
    files = FileOutput(output, output_format)
    files.refuse_if_used()
    results = Results({STREAM: collector_of(kind, reasoner, query)}, {STREAM: Outlet(files, None)}, types)
    results.begin(0)
    return results


if TYPE_CHECKING:
    OnUpdate = Callable[[WindowUpdate, StreamReasoner], object]


def reason_stream(
    df: DataFrame,
    ontology: Ontology,
    window: Window,
    *,
    background: Graph | Iterable[Triple] | GraphFiles | None = None,
    repair: Method = "exact",
    keep: Keep = "newest",
    unique_names: bool = True,
    numbers: Numbers = "by_datatype",
    budget: Budget | None = None,
    columns: Mapping[str, str] | None = None,
    mapping: MappingSource | None = None,
    allowed_lateness: Duration | None = None,
    on_error: OnError = "raise",
    dead_letters: Sink | str | Path | None = None,
    carry: Sequence[str] | None = None,
    on_update: OnUpdate | None = None,
    on_late: Callable[[LateABox], object] | None = None,
    query: str | None = None,
    queries: Mapping[str, str | Registration] | None = None,
    sink: Sinks | None = None,
    output: str | Path | None = None,
    output_format: OutputFormat = "parquet",
    types: Mapping[str, str] | None = None,
    checkpoint: str | Path | None = None,
    trigger: Mapping[str, object] | None = None,
    spark_partitions: int | None = None,
    query_name: str | None = None,
    shard_by: Key | None = None,
    shards: int | None = None,
    streaming: Iterable[URIRef] | None = None,
    colocated: Iterable[URIRef] = (),
    hot_keys: Mapping[Term, Key] | None = None,
    idle_timeout: Duration | None = None,
    limits: Limits = NO_LIMITS,
    history: History | None = None,
    temporal: TemporalRules | None = None,
    max_ahead: Duration | None = None,
    clock: Callable[[], TimePoint] | None = None,
    on_ahead: Callable[[LateABox], object] | None = None,
    on_batch: Callable[[BatchReport], object] | None = None,
) -> ReasoningQuery:
    """Maintain a repaired window over a streaming DataFrame, in the driver process.

    Executors materialize the ABoxes of each micro-batch. The driver joins them with the window, timestamp by
    timestamp, repairs contradictions, and delivers results. The rows of a timestamp may be in several
    batches: rows that arrive while it is the newest timestamp are added to its ABox. An ABox is late if its
    timestamp is older, by more than `allowed_lateness`, than the newest timestamp of earlier batches; the
    order within a batch does not matter.

    With a `checkpoint`, a batch is applied exactly once, also after a crash: window and batch number are
    saved together, and the files of `output` are replaced. `sink`, `on_update` and `on_late` may receive a
    batch again if it was not saved; sinks can identify it by its number.

    Args:
        df: a streaming DataFrame with columns as for `materialize_aboxes`.
        ontology, window, background, repair, keep, unique_names, numbers, budget: options of
            `StreamReasoner`.
        columns, mapping, on_error: as for `materialize_aboxes`.
        dead_letters: receives rows that are not pushed, as DataFrames `(kind, reason, timestamp, subject,
            predicate, object)` followed by the columns of `carry`: a folder, with a file for each batch that
            has such rows, or a function of a DataFrame and the batch's number. `kind` is "invalid" (with
            `on_error="skip"`), "late" or "ahead". A row that does not fit a `mapping` has nulls, and its text
            in `reason`. Only batches with such rows are read a second time.
        carry: names of columns of `df`, such as `["topic", "partition", "offset"]`, for dead letters.
        allowed_lateness: duration (`"5m"`) by which ABoxes may be out of order between batches, and for which
            they are held back.
        on_update: called with the update of each ABox and the reasoner.
        on_late: called with each late ABox; their number is in `counts`.
        query: a SPARQL query, evaluated after each ABox. Without a query, the results are the changes of the
            materialization, or of the conclusions of `temporal` rules.
        queries: registered queries by name, instead of `query`. The results of a query are the changes that
            it reports; its first report has all its answers. A query in the checkpoint continues from there,
            and is closed if it is no longer given.
        sink: function that is called once per batch with a DataFrame of results and the batch's number; for
            several queries, a mapping from their names to such functions.
        output: a folder that receives one file for each batch with results; with `queries`, a subfolder for
            each query. A path that the driver has mounted, or a URI that Spark can write (`s3a://…`).
        output_format: "parquet", "ndjson" or "csv".
        types: by name of a result column (a variable, or `subject` and so on), the kind of its terms, as for
            `typed`; files and sinks receive values in these columns. A term of another kind ends the query.
        checkpoint: a folder, a path or URI as for `output`. If it contains a stream, the stream is resumed:
            the options of `StreamReasoner`, and the registrations and column types of queries
            that it already had, must be unchanged; all other options, including `limits` and `history`, may
            change.
        trigger: keyword arguments of `DataStreamWriter.trigger`, such as `{"availableNow": True}` or
            `{"processingTime": "1 second"}`; by default a batch begins when the previous one has ended.
        spark_partitions: the number of tasks that materialize the ABoxes of a batch; by default one per core.
        query_name: Spark's name of the query.
        shard_by: the key of shards, "subject" or a property of the background. Each shard then has a window
            model of its own, on the executors instead of the driver; rules and queries must be key-local
            (`Ontology.sharding_report`). `sink` and `output` receive the changes described at `shard_stream`,
            of the materialization, of the answers to `query` or of the conclusions of `temporal` rules; each
            of `queries` has the results that it has without shards. `on_update`, `on_late`, `max_ahead`,
            `clock`, `on_ahead` and `spark_partitions` are refused.
        shards, streaming, colocated, hot_keys: as for `shard_stream`. If `shards` or `hot_keys` differ from
            those with which the stream was started last, its shards are divided anew first, as by `reshard`.
        idle_timeout: duration (`"30s"`) without rows after which shards push the rows that they hold back for
            `allowed_lateness`. Older rows are late afterwards. Spark's query is replaced for this.
        limits: limits of the window's size, and the reaction to an excess; they apply to each shard of a
            sharded stream.
        history: as for `StreamReasoner`; for a sharded stream as for `shard_stream`.
        temporal: temporal rules from `load_rules`. Windows of the last assertions are refused, since the rows
            of a timestamp have no order. Queries match conclusions in the graph `urn:pantarhei:conclusions`.
        max_ahead, clock: as for `StreamReasoner.run`; the ABoxes of a batch are pushed in time order.
        on_ahead: called with each ABox that is too far ahead; their number is in `counts`.
        on_batch: called with the report of each batch after its results are delivered and saved, at most once
            for each. It is also logged at level INFO.

    Returns:
        The handle of the running query, which gives access to the window unless the stream is sharded.

    Raises:
        OptionError: an option has an invalid value, or differs from the checkpoint; or the DataFrame is
            from a session of Spark Connect.
        MappingError: the mapping cannot be read, or does not fit the columns.
        NotKeyLocalError: the union of the shards' models would differ from the model of one reasoner.
        NotKeyLocalQueryError: the union of the shards' answers would differ from the answers of one window.
        CheckpointError: the checkpoint is damaged, or a part of it is missing.
        FileSystemError: the file system of `output` or `checkpoint` cannot be used.
        CheckpointMismatchError: the checkpoint belongs to another ontology or background.
        TimestampError: window or lateness are of another kind than the timestamps.
        QueryError: the query is malformed or refused.
        NotKeyLocalRuleError: conclusions on Spark would differ from those of one reasoner.
        TemporalRuleError: a rule does not fit the window.
        InvalidRowError: from `await_termination`: a row is not a timestamped triple.
        MemoryLimitError: from `await_termination`: an ABox exceeds the limits.

    >>> import pantarhei as pr
    >>> from pantarhei.spark import reason_stream, register
    >>> register(spark)
    >>> rows = spark.readStream.format("pantarhei").load("examples/pedals")
    >>> pedals, once = pr.load_ontology("ontologies/pedals.ttl"), {"availableNow": True}
    >>> query = reason_stream(rows, pedals, pr.Window(range=2), trigger=once)
    >>> _ = query.await_termination()
    >>> query.counts.aboxes, query.counts.cut
    (4, 1)
    """
    check_frame(df, True, "one that streams; use pantarhei.spark.run for this DataFrame")
    check_driver(df)
    check_choice("on_error", on_error, ON_ERROR)
    given = to_triples(df, columns, mapping, "carry")
    search = Budget() if budget is None else budget
    kept = (History() if history is None else history) if shard_by is None else shard_history(history)
    options = Options(window, repair, keep, unique_names, search, limits, history=kept, numbers=numbers)
    registered, chosen = registrations(queries, query), ColumnTypes.of(types)
    written = None if output is None else folder_at("output", output, df.sparkSession)
    letters = DeadLetters.of(dead_letters, carry, output_format, df, kind_of(given), written)
    if letters is not None and letters.names:
        given = to_triples(df, columns, mapping, "carry", letters.names)
    outlets = outlets_of(registered, sink, written, output_format)
    if shard_by is not None:
        _refuse_where_sharded(
            on_update=on_update,
            on_late=on_late,
            max_ahead=max_ahead,
            clock=clock,
            on_ahead=on_ahead,
            spark_partitions=spark_partitions,
        )
        layouts = saved_layouts(checkpoint, df.sparkSession)
        seconds = () if layouts is None else layouts.second_keys
        sharding = ShardingOptions(shard_by, shards, streaming, colocated, hot_keys, seconds)
        queried = QueryOptions(query, registered)
        setup = shard_setup(
            given, ontology, options, background, sharding, allowed_lateness, queried, temporal
        )
        idle = None if idle_timeout is None else seconds_of(idle_timeout)
        types_of = chosen.of_columns(setup.columns) if chosen.kinds else {}
        setup = replace(setup, types=types_of, on_error=on_error)
        letter = None
        if letters is not None:
            letter = letters.arrow
            setup = replace(setup, carried=pa.schema([letter.field(name) for name in letters.names]))
        plan = partial(
            plan_shards,
            given,
            allowed_lateness=allowed_lateness,
            letters=letter,
            forwards_warnings=True,
        )
        asked = ShardLayout.of(shards, hot_keys)
        return run_sharded(
            df.sparkSession,
            plan,
            setup,
            asked,
            layouts,
            outlets,
            chosen,
            checkpoint,
            trigger,
            query_name,
            letters,
            on_batch,
            idle,
        )
    if any((shards, streaming is not None, tuple(colocated), hot_keys, idle_timeout)):
        reason = "shards, streaming, colocated, hot_keys and idle_timeout need a key of the shards."
        raise MissingOptionError("shard_by", '"subject"', reason)
    check_ahead(max_ahead, clock=clock, on_ahead=on_ahead)
    kind = kind_of(given)
    step_to(window, None, time_of(0, kind))  # raises if window and timestamps are of different kinds
    temporary = tempfile.TemporaryDirectory(prefix="pantarhei-") if checkpoint is None else None
    kept_in = temporary.name if temporary else checkpoint or ""
    progress = CheckpointFolder(checkpoint_folder(kept_in, df.sparkSession))
    if temporal is not None:
        check_type("temporal", temporal, TemporalRules, "TemporalRules from load_rules(text)")
        check_needs_no_order(temporal)
    reasoner = _reasoner(ontology, background, options, temporal, progress, kind)
    restored, new = set(reasoner.queries), register_queries(reasoner, registered)
    results = Results(_collectors(kind, reasoner, query, registered), outlets, chosen)

    def on_each(update: WindowUpdate) -> None:
        results.note(update)
        if on_update is not None:
            on_update(update, reasoner)

    before = cast("Mapping[str, Mapping[str, str]]", reasoner.note.get("types", {}))
    results.check_types(before, str(progress.folder))
    entries = cast("dict[str, Json]", {"types": results.types})
    driver = Driver(
        reasoner, kind, allowed_lateness, on_error, on_each, on_late, entries, max_ahead, clock, on_ahead
    )
    progress.check(driver.batch)
    begins = not progress.exists
    for name, (files, _) in outlets.items():
        if files is not None and (begins or name in new):
            files.refuse_if_used()
    if letters is not None and begins:
        letters.refuse_if_used()
    rejected = None if letters is None else StreamLetters(letters, driver)
    if begins or set(reasoner.queries) != restored:
        progress.save(reasoner, driver.note)
    batches = BatchFunction(
        _BatchProcessor(
            given, driver, results, progress, temporary is None, spark_partitions, on_batch, rejected
        ),
        temporary,
    )
    place = progress.spark.uri

    def start(trigger: Mapping[str, object] | None) -> StreamingQuery:
        return start_query(given, batches, place, trigger, query_name)

    return ReasoningQuery(QueryRun(start, trigger), batches, driver)


def _collectors(
    kind: TimeKind, reasoner: StreamReasoner, query: str | None, registered: Mapping[str, Registration]
) -> dict[str, Collector]:
    if not registered:
        return {STREAM: collector_of(kind, reasoner, query)}
    kept, window = reasoner.queries, reasoner.window
    return {name: RegisteredAnswers(kind, kept[name], given, window) for name, given in registered.items()}


def _refuse_where_sharded(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            reason = "With shard_by the driver has no window."
            raise ExcludedOptionError(name, repr(value), reason)


def _reasoner(
    ontology: Ontology,
    background: Graph | Iterable[Triple] | GraphFiles | None,
    options: Options,
    temporal: TemporalRules | None,
    progress: CheckpointFolder,
    kind: TimeKind,
) -> StreamReasoner:
    """Return a new reasoner, or restore the reasoner of the checkpoint.

    Raises:
        OptionError: the checkpoint has another window, other options or other rules.
    """
    if not progress.exists:
        return StreamReasoner.with_options(ontology, options, background, temporal)
    reasoner = progress.restore(
        lambda source: StreamReasoner.restore(
            source,
            ontology,
            background=background or (),
            limits=options.limits,
            history=options.history,
        )
    )
    for name in (field.name for field in fields(Options)):
        registered, saved = getattr(options, name), getattr(reasoner.options, name)
        if registered != saved and not (name == "window" and options.window.is_as(reasoner.window, kind)):
            expected = f"{saved!r}, with which the stream in {progress.folder} began"
            raise OptionError(name, repr(registered), expected)
    if temporal != reasoner.temporal:
        expected = f"the rules with which the stream in {progress.folder} began:\n{reasoner.temporal}"
        raise OptionError("temporal", str(temporal), expected)
    return reasoner


class _BatchProcessor:
    """Function of micro-batches: materializes their ABoxes on executors, and pushes them on the driver.

    Args:
        given: the streaming DataFrame, normalized, followed by columns for dead letters.
        saves: whether to save a checkpoint after each batch.
        on_batch: called with the report of each batch.
        letters: the dead letters; None for none.
    """

    def __init__(
        self,
        given: DataFrame,
        driver: Driver,
        results: Results,
        progress: CheckpointFolder,
        saves: bool,
        spark_partitions: int | None,
        on_batch: Callable[[BatchReport], object] | None,
        letters: StreamLetters | None,
    ) -> None:
        self._materializer = DataFrameMaterializer.to_blocks(given, driver.reasoner.foundation, skips=True)
        self._driver, self._results, self._progress = driver, results, progress
        self._saves, self._spark_partitions, self._on_batch = saves, spark_partitions, on_batch
        self._letters = letters

    def __call__(self, rows: DataFrame, batch: int) -> None:
        if batch <= self._driver.batch:
            return  # the batch was saved, but Spark could not commit it
        needed = rows if self._letters is None else rows.select(*COLUMNS)
        together = by_timestamp(needed, None, self._spark_partitions)
        blocks = self._materializer.apply(together).toArrow()
        self._results.begin(batch)
        skipped = self._driver.counts.skipped
        self._driver.apply(batch, blocks, lambda: self._deliver(rows, batch, skipped))
        if self._on_batch is not None and self._driver.report is not None:
            self._on_batch(self._driver.report)

    def _deliver(self, rows: DataFrame, batch: int, skipped: int) -> None:
        """Deliver the results, then save the state, so that the results of a saved batch have been
        delivered.

        Args:
            skipped: number of rows skipped before the batch.
        """
        self._results.deliver(rows.sparkSession)
        if self._letters is not None:
            self._letters.deliver(rows, batch, self._driver.counts.skipped - skipped, self._driver)
        if self._saves:
            self._progress.save(self._driver.reasoner, self._driver.note)
