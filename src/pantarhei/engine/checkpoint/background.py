"""The background that a reasoner was given beside its ontology, as a part of its checkpoints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from rdflib import Graph

from pantarhei.engine.checkpoint.container import Column, Contents, narrow
from pantarhei.engine.checkpoint.term_columns import columns_of_terms, read_terms
from pantarhei.errors import PantarheiError
from pantarhei.language.term import Term, Triple, check_triple, in_order
from pantarhei.ontology import Ontology
from pantarhei.rdf.triple_table import triples_of
from pantarhei.rules.translation.fingerprint import fingerprint_of_triples

if TYPE_CHECKING:
    import pyarrow as pa

_PLACES = ("subject", "predicate", "object")


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
        table = np.array(rows, np.uint32).reshape(-1, 3)
        return {
            **{f"background.{place}": narrow(table[:, i]) for i, place in enumerate(_PLACES)},
            **columns_of_terms("background", list(numbers)),
        }

    @classmethod
    def read(cls, contents: Contents) -> GivenBackground:
        """The background of a checkpoint.

        Raises:
            CheckpointError: it is none.
        """
        terms = read_terms(contents, "background")
        size = len(contents.column("background.subject"))
        columns = [contents.indices(f"background.{place}", len(terms), size).tolist() for place in _PLACES]
        try:
            return cls(
                tuple(check_triple((terms[s], terms[p], terms[o])) for s, p, o in zip(*columns, strict=True))
            )
        except PantarheiError as error:
            raise contents.broken(str(error)) from error
