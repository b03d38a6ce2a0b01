"""Rows of a shard, and its changes, as tests write them."""

import pyarrow as pa

from pantarhei.rdf.ntriples import write_term
from pantarhei.spark.shards.router import CLOCK
from pantarhei.spark.shards.shard import ROWS, ShardChange, unpack_table

NO_ROWS = ROWS.empty_table()


def rows(timed):
    """Return the rows of pairs of a tick and a triple."""
    if not timed:
        return NO_ROWS
    ticks, *terms = zip(*((at, *map(write_term, triple)) for at, triple in timed), strict=True)
    texts = (pa.array(column, pa.string()).dictionary_encode() for column in terms)
    return pa.table([pa.array(ticks, pa.int64()), *texts], schema=ROWS)


def normalized(timed):
    """Return a batch of a normalized DataFrame with integer times."""
    ticks, *terms = zip(*((at, *map(write_term, triple)) for at, triple in timed), strict=True)
    names = ["timestamp", "subject", "predicate", "object"]
    return pa.record_batch([pa.array(ticks, pa.int64()), *map(pa.array, terms)], names)


def changes_in(table):
    """Return the rows of a table of changes."""
    at, *terms, change = (column.to_pylist() for column in table.columns)
    rows = zip(*terms, strict=True) if terms else [()] * len(at)
    return [ShardChange(*each) for each in zip(at, rows, change, strict=True)]


def processed(shard, given, closed):
    """Return the changes that rows make in a shard."""
    return changes_in(shard.process(given, closed).table())


def routed_rows(router, batches):
    """Yield what a router sends, without the event time, which may be beyond Python's datetimes."""
    for batch in router.route(batches):
        yield from batch.drop_columns(["event"]).to_pylist()


def routed(router, batches):
    """Return the rows that a router sends to each shard."""
    found = {}
    for row in routed_rows(router, batches):
        if row["shard"] != CLOCK:
            found.setdefault(row["shard"], []).append(unpack_table(row["rows"]))
    return {shard: pa.concat_tables(parts) for shard, parts in found.items()}
