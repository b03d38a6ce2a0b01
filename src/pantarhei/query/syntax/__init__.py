"""SPARQL texts in, algebra out: one grammar, and readers of its parse trees."""

from pantarhei.query.syntax.queries import read_query

__all__ = ["read_query"]
