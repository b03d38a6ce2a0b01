"""Windows beyond one process: a reasoner for each shard of a stream, on the executors."""
