"""Queries over the window: live graphs and datasets, SPARQL, and answers as tables."""

from pantarhei.query.answers import QueryResult
from pantarhei.query.sparql import ONTOLOGY_GRAPH, run_query, timestamp_graph, window_dataset, window_graph
from pantarhei.query.window_store import TripleSource, WindowStore

__all__ = [
    "ONTOLOGY_GRAPH",
    "QueryResult",
    "TripleSource",
    "WindowStore",
    "run_query",
    "timestamp_graph",
    "window_dataset",
    "window_graph",
]
