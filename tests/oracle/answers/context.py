"""Where a pattern is evaluated: the graphs, what is given from outside, and what is drawn meanwhile."""

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
    """What an evaluation says about its answers beside them."""

    is_determined: bool = True


@dataclass(frozen=True, slots=True)
class Context:
    """What the meaning of a pattern depends on.

    Args:
        graph: the active graph.
        named: the named graphs.
        now: the time that NOW gives.
        base: what relative IRIs are resolved against.
        fixed: variables that the caller has given a value; they have it everywhere.
        given: these, and those of the row for which an EXISTS is evaluated; a variable that is given stands
            for its term wherever it occurs.
    """

    graph: Graph
    named: Mapping[URIRef, Graph]
    now: datetime
    base: str
    fixed: Row
    given: Row
    notes: Notes = field(default_factory=Notes)
