"""Keys by which a stream can be sharded, so that each shard reasons alone."""
