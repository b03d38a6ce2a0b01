"""Client for queries to the shards of a stream, in their state after the last complete batch.

The window of a shard is in Spark's state. Executors restore it from there and evaluate the query, while the
stream continues.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Literal, TypeVar, cast, overload
from urllib.parse import quote

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from pantarhei.engine.diagnostics import Unexpected
from pantarhei.errors import CheckpointError, NotEntailedError, PantarheiError, TimestampError
from pantarhei.explain.absence import Absence
from pantarhei.explain.explainer import LIMIT, WAYS
from pantarhei.explain.merge_shards import merge_absences, merge_proofs, merge_quality
from pantarhei.model.term import Triple, check_triple
from pantarhei.model.time import TimePoint
from pantarhei.proofs.proof import Proof
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.reasoner import StreamReasoner
from pantarhei.repair.quality import Quality
from pantarhei.repair.result import Conflict, ConflictList
from pantarhei.spark.sessions import FAILURES, spark_error
from pantarhei.spark.shards.processor import BLOCKS, STATE
from pantarhei.spark.shards.router import Router
from pantarhei.spark.shards.shard import SavedShard, Shard, ShardSetup, SharedValue

T = TypeVar("T")
Question = Callable[[StreamReasoner], T]  # query to the reasoner of one shard

_ANSWERS = pa.schema([("shard", pa.int32()), ("answer", pa.binary())])


class ShardClient:
    """Explanations and reports across all shards, like those of `StreamReasoner` for one window.

    Each call runs a Spark job that reads the state of all shards, and restores the window models of the
    relevant ones: for an explanation only one shard, if the key of the triple determines it. Until a batch
    has been saved, all shards are in their initial state.

    Args:
        session: the session that runs the jobs.
        shipped: the sharding of the stream.
        checkpoint: Spark's checkpoint folder, as a URI.
    """

    def __init__(self, session: SparkSession, shipped: SharedValue[ShardSetup], checkpoint: str) -> None:
        self._session, self._shipped, self._checkpoint = session, shipped, checkpoint
        setup = shipped.value
        self._router = Router(setup.routing, setup.shards)

    @overload
    def explain(
        self, triple: Triple, at: TimePoint | None = None, all: Literal[False] = False, limit: int = LIMIT
    ) -> Proof: ...
    @overload
    def explain(
        self, triple: Triple, at: TimePoint | None = None, *, all: Literal[True], limit: int = LIMIT
    ) -> tuple[Proof, ...]: ...
    def explain(
        self, triple: Triple, at: TimePoint | None = None, all: bool = False, limit: int = LIMIT
    ) -> Proof | tuple[Proof, ...]:
        """Explain why a triple holds, by the proof of a shard in which it holds."""
        texts = _texts(triple)

        def every(reasoner: StreamReasoner) -> tuple[Proof, ...]:
            return reasoner.explain(_read(texts), at, all=True, limit=limit)

        def best(reasoner: StreamReasoner) -> tuple[Proof, ...]:
            return (reasoner.explain(_read(texts), at, limit=limit),)

        shards = self._router.shards_with(triple)
        proofs = merge_proofs(self._answers_of(every if all else best, shards).values())
        return proofs if all else proofs[0]

    def why_not(self, triple: Triple, at: TimePoint | None = None, limit: int = WAYS) -> Absence:
        """Explain why a triple holds in no shard; all shards are restored, since each has only its own
        facts.
        """
        texts, shards = _texts(triple), range(self._router.shards)
        found = self._answers_of(lambda reasoner: reasoner.why_not(_read(texts), at, limit), shards)
        return merge_absences(found, lambda shard, missing: self._router.shard_of(missing[0]) == shard, limit)

    def quality(self) -> Quality:
        """Assess the quality of the assertions of all shards."""
        return merge_quality(self._of_all(StreamReasoner.quality))

    def conflicts(self) -> ConflictList[Conflict]:
        """Return the conflict sets of all shards, shard by shard."""
        found = list(self._of_all(StreamReasoner.conflicts))
        return ConflictList.of([one for each in found for one in each], all(each.complete for each in found))

    def unexpected(self) -> Unexpected:
        """Return the suspicious assertions of all shards."""
        ontology = self._shipped.value.ontology
        rules = (*ontology.rules, *ontology.constraints)
        return Unexpected.together(self._of_all(StreamReasoner.unexpected), rules)

    def _answers_of(self, question: Question[T], shards: Sequence[int]) -> dict[int, T]:
        """Return the answers of some shards, without those in which the triple does not (or does) hold.

        Raises:
            PantarheiError: no shard has an answer, or a shard failed for another reason.
        """
        answers, passed = dict[int, T](), list[PantarheiError]()
        found = self._answers(question, shards)
        if len(found) < len(shards):  # the other shards have received no rows, and all have the same answer
            untouched = next(shard for shard in shards if shard not in found)
            found[untouched] = _answer(question, lambda: self._untouched)
        for shard, answer in found.items():
            if not isinstance(answer, PantarheiError):
                answers[shard] = answer
            elif isinstance(answer, NotEntailedError | TimestampError):  # another shard may have an answer
                passed.append(answer)
            else:
                raise answer
        if not answers:
            raise _of_all_shards(passed[0])
        return answers

    def _of_all(self, question: Question[T]) -> list[T]:
        """Return the answers of all shards that have received rows.

        Raises:
            PantarheiError: a shard failed.
        """
        found = list(self._answers(question, range(self._router.shards)).values())
        for answer in found:
            if isinstance(answer, PantarheiError):
                raise answer
        return cast("list[T]", found)

    @cached_property
    def _untouched(self) -> Shard:
        """Shard in its initial state, which has received no rows."""
        return Shard(self._shipped.value, self._shipped.value.reasoner())

    # Jobs

    def _answers(self, question: Question[T], shards: Sequence[int]) -> dict[int, T | PantarheiError]:
        """Return the answers or errors of those of the given shards that have received rows."""
        shipped = self._shipped

        def answers(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for shard, saved in saved_shards(batch):
                    answer = _answer(question, partial(Shard.restore, shipped.value, saved))
                    yield pa.record_batch([[shard], [pickle.dumps(answer)]], _ANSWERS)

        try:
            states = self.states()
            if states is None:
                return {}
            chosen = states.where(F.col("shard").isin(*shards))
            rows = chosen.mapInArrow(answers, from_arrow_schema(_ANSWERS)).collect()
        except FAILURES as failure:
            raise spark_error(failure) from failure
        return {shard: pickle.loads(answer) for shard, answer in sorted(map(tuple, rows))}

    def states(self) -> DataFrame | None:
        """Return the saved shards in Spark's state after the last batch; None before the first batch.

        Raises:
            CheckpointError: the path has characters that Spark's reader of states does not support.
        """
        if quote(self._checkpoint, safe="/:@!$&'()*+,;=~") != self._checkpoint:  # Spark would encode it twice
            reason = "Spark reads states only at paths without spaces and other characters that URIs encode"
            raise CheckpointError(self._checkpoint, f"{reason}; move the folder")
        stores = self._session.read.format("state-metadata").load(self._checkpoint)
        ours = stores.where(
            F.col("operatorProperties").contains(f'"stateName":"{STATE}"') & (F.col("maxBatchId") >= 0)
        )
        numbers = [row.operatorId for row in ours.select("operatorId").distinct().collect()]
        if not numbers:
            return None
        reader = self._session.read.format("statestore").option("operatorId", max(numbers))
        heads, blocks = (
            reader.option("stateVarName", name).load(self._checkpoint) for name in (STATE, BLOCKS)
        )
        block = F.struct("user_map_key.block", "user_map_value.bytes")
        of_shards = blocks.groupBy("key.shard").agg(F.collect_list(block).alias("blocks"))
        return heads.select("key.shard", "value.head", "value.held").join(of_shards, "shard", "left")


def saved_shards(batch: pa.RecordBatch) -> Iterator[tuple[int, SavedShard]]:
    """Yield the shards in a batch of `ShardClient.states`, with their numbers."""
    for row in batch.to_pylist():
        blocks = {each["block"]: each["bytes"] for each in row["blocks"] or ()}
        yield row["shard"], SavedShard(row["head"], blocks, row["held"])


def _answer(question: Question[T], made: Callable[[], Shard]) -> T | PantarheiError:
    """Evaluate a query on a shard; return its answer, or the error that it raised."""
    try:
        return question(made().reasoner)
    except PantarheiError as error:
        return error


def _texts(triple: Triple) -> tuple[str, ...]:
    """Convert a triple to N-Triples texts, which unlike rdflib's terms are unchanged by pickling."""
    return tuple(map(write_term, check_triple(triple)))


def _read(texts: tuple[str, ...]) -> Triple:
    return check_triple(tuple(map(parse_term, texts)))


def _of_all_shards(error: PantarheiError) -> PantarheiError:
    """Return a shard's error without its unknown names, since other shards may know them."""
    if isinstance(error, NotEntailedError):
        return NotEntailedError(error.statement, error.at, error.reason, lost=error.lost)
    return error
