"""Queries registered with a reasoner over short data: their rows as short texts, step by step."""

from __future__ import annotations

from collections import Counter

from rdflib import Graph

from oracle_answers import PREFIXES, triples
from pantarhei import StreamReasoner, Window, load_ontology
from pantarhei.query.continuous_query import ContinuousQuery
from signed_bags import text_of

DECLARED = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


class RegisteredQueries:
    """Incrementally maintained queries; the data of a step expire with the next step."""

    def __init__(self, *patterns: str) -> None:
        self.reasoner = StreamReasoner(load_ontology(Graph()), Window(range=0))
        self.queries = [self.register(f"SELECT * {{ {pattern} }}") for pattern in patterns]
        self.now = 0

    def register(self, text: str) -> ContinuousQuery:
        """Register a query that can use the prefixes of `oracle_answers`."""
        return self.reasoner.register(DECLARED + text)

    def push(self, data: str) -> list[dict[str, int]]:
        """Return the rows of all queries after a step, checked against one-shot queries."""
        self.now += 1
        self.reasoner.push(self.now, triples(data))
        rows = []
        for query in self.queries:
            rows.append({" ".join(map(text_of, row)): n for row, n in dict(query.answers).items()})
            result = self.reasoner.query(query.text)
            asked = Counter([()] * bool(result) if query.form == "ASK" else map(tuple, result))
            assert query.is_closed or dict(query.answers) == asked, query.text
        return rows
