"""Texts in, algebra out: rdflib's parser reads the syntax, the rest of the room says what it means."""

from pantarhei.query.syntax.queries import read_query

__all__ = ["read_query"]
