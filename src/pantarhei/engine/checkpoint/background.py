"""The background that a reasoner was given beside its ontology, as a part of its checkpoints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rdflib import Graph

from pantarhei.engine.checkpoint.container import Column
from pantarhei.engine.checkpoint.terms import columns_of_triples
from pantarhei.model.term import Term, Triple, check_triple, in_order
from pantarhei.ontology import Ontology
from pantarhei.rdf.triple_table import triples_of
from pantarhei.rules.translation.fingerprint import fingerprint_of_triples

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class GivenBackground:
    """Triples beside the ontology's own. It never changes: its columns are made once."""

    triples: tuple[Triple, ...] = ()

    @classmethod
    def beside(cls, ontology: Ontology, given: Graph | Iterable[Triple] | pa.Table | None) -> GivenBackground:
        """What was given, without what the ontology has anyway.

        Raises:
            InvalidTripleError: something given is no triple.
        """
        triples = dict.fromkeys(map(check_triple, triples_of(given)))
        return cls(tuple(triple for triple in triples if triple not in ontology.background))

    @cached_property
    def fingerprint(self) -> str:
        """Which triples they are."""
        return fingerprint_of_triples(self.triples)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The triples in order, as columns."""
        numbers: dict[Term, int] = {}
        rows = [[numbers.setdefault(term, len(numbers)) for term in t] for t in in_order(self.triples)]
        return columns_of_triples("background", np.array(rows, np.int32).reshape(-1, 3), list(numbers))
