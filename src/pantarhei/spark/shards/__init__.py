"""Sharded streams: each shard of a stream has a reasoner of its own on the executors."""
