"""What all shards of a stream have in common, and how it gets to the workers."""

from __future__ import annotations

import pickle
import uuid
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from pantarhei.engine.options import Options
from pantarhei.language.time import TimeKind
from pantarhei.ontology import Ontology
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
        names: the columns of its answers, of conclusions, or of a fact.
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
    names: tuple[str, ...] = ("subject", "predicate", "object")
    temporal: TemporalRules | None = None
    types: Mapping[str, str] = field(default_factory=dict)

    def reasoner(self) -> StreamReasoner:
        """A reasoner that has seen nothing yet."""
        return StreamReasoner.with_options(self.ontology, self.options, temporal=self.temporal)
