"""Rows of tables as triples with times, as a small declarative mapping in YARRRML's words says."""
