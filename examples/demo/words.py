"""Names, times and lines in the format of the demo."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import cast

from rdflib import BNode, Literal, URIRef, Variable
from rich.console import Console, RenderableType
from rich.padding import Padding

import pantarhei as pr

Term = URIRef | BNode | Literal
Triple = tuple[Term, Term, Term]
TimePoint = int | float | datetime
Assertion = tuple[TimePoint, Triple]


def short(term: Term | Variable) -> str:
    """Return the last part of an IRI, and other terms as written."""
    return term.replace("#", "/").rpartition("/")[2] if isinstance(term, URIRef) else str(term)


def title(console: Console, number: int, title: str) -> None:
    console.print()
    console.rule(f"[bold]{number}  {title}", align="left", style="cyan")


def indented(line: RenderableType) -> Padding:
    return Padding(line, (0, 0, 0, 2))


class Wording:
    """Names with the labels of an ontology."""

    def __init__(self, ontology: pr.Ontology) -> None:
        self._labels = ontology.labels

    def name(self, term: Term | Variable) -> str:
        return (self._labels.get(term) if isinstance(term, URIRef) else None) or short(term)


def answers(reasoner: pr.StreamReasoner, query: str) -> list[tuple[Term, ...]]:
    """Return the answers of a SELECT query."""
    return [
        cast(tuple[Term, ...], tuple(row)) for row in cast(Iterable[Iterable[object]], reasoner.query(query))
    ]


def clock(at: TimePoint) -> str:
    return f"{at:%H:%M:%S}".removesuffix(":00") if isinstance(at, datetime) else str(at)
