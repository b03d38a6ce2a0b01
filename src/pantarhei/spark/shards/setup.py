"""What all shards of a stream have in common, and how it gets to the workers."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from pantarhei.engine.options import Options
from pantarhei.model.time import TimeKind
from pantarhei.ontology import Ontology
from pantarhei.query.registration import Registration
from pantarhei.reasoner import StreamReasoner
from pantarhei.rules.sharding.sharding_report import Key, ShardingReport
from pantarhei.temporal.rules import TemporalRules

Value = TypeVar("Value")

# What was unpickled in this process, the newest last; a process serves few streams at a time.
_UNPICKLED: dict[Hashable, object] = {}
_MOST_UNPICKLED = 4


class Shipped(Generic[Value]):
    """A value that each worker process unpickles once, however many tasks bring it.

    `name` is the same in all copies, and different for each value shipped.
    """

    def __init__(self, value: Value) -> None:
        self.name = uuid.uuid4().hex
        self._pickled = pickle.dumps(value)

    @property
    def value(self) -> Value:
        """The value; the same object at each call in a process."""
        found = _UNPICKLED.pop(self.name, None)
        if found is None:
            found = pickle.loads(self._pickled)
            for oldest in list(_UNPICKLED)[: 1 - _MOST_UNPICKLED]:
                del _UNPICKLED[oldest]
        _UNPICKLED[self.name] = found
        return cast(Value, found)


@dataclass(frozen=True)
class ShardSetup:
    """How a stream is sharded and reasoned over.

    Args:
        ontology: with all of the background in it.
        options: of the reasoner of each shard.
        kind: what timestamps are, integers or datetimes.
        key: what shards are made by.
        shards: how many there are.
        report: κ, and what the stream may assert.
        holds: whether ABoxes wait until no more rows can come before them.
        query: what is asked of each shard; None for the changes of what it holds or concludes.
        queries: instead of `query`, what is asked of each shard by several queries, by name.
        variables: those of each of `queries`, in order.
        names: the columns of its answers, of conclusions, or of a fact; of several queries `query`, the name
            of one, and `value1` onwards, the values of its variables.
        temporal: the rules by which each shard concludes.
        types: what the terms of columns are where they are made values later.
    """

    ontology: Ontology
    options: Options
    kind: TimeKind
    key: Key
    shards: int
    report: ShardingReport
    holds: bool
    query: str | None = None
    queries: Mapping[str, Registration] = field(default_factory=dict)
    variables: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    names: tuple[str, ...] = ("subject", "predicate", "object")
    temporal: TemporalRules | None = None
    types: Mapping[str, str] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of terms that come of it; of several queries those of all, each once."""
        if not self.queries:
            return self.names
        return tuple(sorted({name for names in self.variables.values() for name in names}))

    @property
    def asks(self) -> bool:
        """Whether anything is asked of the shards."""
        return self.query is not None or bool(self.queries)

    def reasoner(self) -> StreamReasoner:
        """A reasoner that has seen nothing yet."""
        return StreamReasoner.with_options(self.ontology, self.options, temporal=self.temporal)
