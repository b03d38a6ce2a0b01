"""Context of an evaluation: the graphs, external bindings, and notes taken during it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from rdflib import URIRef, Variable

from oracle.answers.graph import Graph
from pantarhei.model.term import Term

Row = Mapping[Variable, Term]


@dataclass(slots=True)
class Notes:
    """Properties of the answers that are recorded during an evaluation."""

    is_determined: bool = True


@dataclass(frozen=True, slots=True)
class Context:
    """Inputs of an evaluation apart from the pattern.

    Args:
        graph: the active graph.
        named: the named graphs.
        now: the value of NOW.
        base: the base of relative IRIs.
        fixed: variables bound by the caller, in every scope.
        given: `fixed`, and the row for which an EXISTS is evaluated; each occurrence of such a variable is
            replaced by its term.
    """

    graph: Graph
    named: Mapping[URIRef, Graph]
    now: datetime
    base: str
    fixed: Row
    given: Row
    notes: Notes = field(default_factory=Notes)
