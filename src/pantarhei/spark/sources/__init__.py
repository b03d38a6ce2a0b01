"""Streams as Spark data sources: files of N-Quads and TriG, and Redis Streams."""
