"""Spark data sources of streams: files in N-Quads and TriG, and Redis Streams."""
