"""Mapping of table rows to timestamped triples, by a small declarative mapping in YARRRML's terms."""
