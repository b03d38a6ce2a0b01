"""Queries over the window: live graphs and datasets, SPARQL, and answers as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pantarhei.query.answers import MAX_BYTES, QueryResult
from pantarhei.query.graph_names import ONTOLOGY_GRAPH, SCHEMA_GRAPH, timestamp_graph
from pantarhei.query.window_store import TripleSource, WindowStore

if TYPE_CHECKING:
    from pantarhei.query.planner import run_query

__all__ = [
    "MAX_BYTES",
    "ONTOLOGY_GRAPH",
    "SCHEMA_GRAPH",
    "QueryResult",
    "TripleSource",
    "WindowStore",
    "run_query",
    "timestamp_graph",
]


def __getattr__(name: str) -> Any:
    if name == "run_query":  # loaded at first use, to keep start-up short
        from pantarhei.query.planner import run_query

        return run_query
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
