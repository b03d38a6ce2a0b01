"""Which keys a stream can be sharded by, so that each shard reasons alone."""
