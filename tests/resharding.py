"""Reasoners of shards that are split and merged."""

from collections import defaultdict

from pantarhei import StreamReasoner
from pantarhei.engine.checkpoint.parts import merge, split


def resharded(ontology, shards, part_of, **options):
    """Return the reasoners of other shards by number; `options` are those of `split`."""
    parts = defaultdict(list)
    for shard in shards:
        for number, data in split(shard.snapshot(), ontology, part_of, **options).items():
            parts[number].append(data)
    return {number: StreamReasoner.restore(merge(each, ontology), ontology) for number, each in parts.items()}
