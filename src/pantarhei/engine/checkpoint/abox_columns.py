"""Background and waiting ABoxes of a reasoner as columns of a checkpoint.

A waiting ABox is stored as triples, as it was given. A table is stored as the texts of its cells, which are
N-Triples, since its blank nodes are local to it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from rdflib import Graph, Literal

from pantarhei.engine.checkpoint.container import Column, Contents, lengths, narrow
from pantarhei.engine.checkpoint.fact_columns import (
    TimesWriter,
    columns_of_terms,
    columns_of_triples,
    mark_of,
    read_terms,
)
from pantarhei.model.term import Term, Triple, check_triple, in_order
from pantarhei.model.time import TimeKind, TimePoint, ticks_of
from pantarhei.ontology.ontology import Ontology
from pantarhei.rdf.triple_table import NAMES, is_table, triples_of
from pantarhei.rules.translation.canonical_rule import fingerprint_of_triples
from pantarhei.window.watermark import Timed, Waiting

if TYPE_CHECKING:
    import pyarrow as pa

    from pantarhei.encoding.encode import ABox


@dataclass(frozen=True)
class GivenBackground:
    """Background triples that are not in the ontology. Immutable; its columns are created once."""

    triples: tuple[Triple, ...] = ()

    @classmethod
    def beside(cls, ontology: Ontology, given: Graph | Iterable[Triple] | pa.Table | None) -> GivenBackground:
        """Return the given triples without the triples of the ontology.

        Raises:
            InvalidTripleError: an item is not a triple.
        """
        triples = dict.fromkeys(map(check_triple, triples_of(given)))
        return cls(tuple(triple for triple in triples if triple not in ontology.background))

    @cached_property
    def fingerprint(self) -> str:
        """Fingerprint of the triples."""
        return fingerprint_of_triples(self.triples)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The triples in sorted order, as columns."""
        numbers: dict[Term, int] = {}
        rows = [[numbers.setdefault(term, len(numbers)) for term in t] for t in in_order(self.triples)]
        return columns_of_triples("background", np.array(rows, np.int32).reshape(-1, 3), list(numbers))


_Cells = tuple[Term, Term, Term]


def columns_of_waiting(
    waiting: Waiting[ABox], times: TimesWriter
) -> tuple[dict[str, Column], dict[str, Any]]:
    """Return the columns of the waiting ABoxes, and their part of the header.

    Their timestamps are added to `times`. Costs one Python step for each term.
    """
    items = [*waiting, *waiting.unproven]
    parts = [list(_cells(each.item)) for each in items]
    terms: dict[tuple[str, str], tuple[int, Term]] = {}
    numbers = [
        terms.setdefault((mark_of(term), str(term)), (len(terms), term))[0]
        for term in chain.from_iterable(chain.from_iterable(parts))
    ]
    columns = {
        "waiting.time": narrow(np.array([times.number(each.at) for each in items], np.uint32)),
        "waiting.table": narrow(np.array([is_table(each.item) for each in items], np.uint32)),
        "waiting.triples": lengths(parts),
        "waiting.cell": narrow(np.array(numbers, np.uint32)),
        **columns_of_terms("waiting", [term for _, term in terms.values()]),
    }
    kind = None if waiting.kind is None else waiting.kind.name
    return columns, {"kind": kind, "newest": waiting.newest, "unproven": len(waiting.unproven)}


def _cells(abox: ABox) -> Iterable[_Cells]:
    """Return the triples of an ABox; the cells of a table become plain literals."""
    if not is_table(abox):
        return cast("Iterable[_Cells]", abox)
    columns = [map(Literal, abox.column(name).to_pylist()) for name in NAMES]
    return zip(*columns, strict=True)


def read_waiting(contents: Contents, header: dict[str, Any], times: list[TimePoint]) -> Waiting[ABox]:
    """Read the waiting ABoxes. `times` has the timestamps of the checkpoint."""
    if header.get("kind") is None:
        return Waiting()
    kind, newest, unproven = TimeKind[header["kind"]], header["newest"], header["unproven"]
    terms = read_terms(contents, "waiting")
    cells = [terms[number] for number in contents.column("waiting.cell").tolist()]
    triples = list(zip(*[iter(cells)] * 3, strict=True))
    tables = contents.column("waiting.table")
    if tables.max(initial=0) > 1:
        raise contents.broken("a waiting ABox is neither triples nor a table")
    parts = zip(contents.split("waiting.triples", triples), tables.astype(bool).tolist(), strict=True)
    aboxes = [_abox(*part) for part in parts]
    given = [times[place] for place in contents.column("waiting.time").tolist()]
    items = [Timed(ticks_of(at, kind), at, abox) for at, abox in zip(given, aboxes, strict=True)]
    if not (newest is None or type(newest) is int) or not 0 <= unproven <= len(items):
        raise contents.broken("the waiting ABoxes are inconsistent")
    in_line = len(items) - unproven
    if in_line and newest is None:
        raise contents.broken("ABoxes wait without a newest time")
    return Waiting.of(kind, newest, items[:in_line], items[in_line:])


def _abox(triples: list[_Cells], is_table: bool) -> ABox:
    if not is_table:
        return tuple(map(check_triple, triples))
    import pyarrow as pa

    columns = zip(*triples, strict=True) if triples else ((), (), ())
    return pa.table(
        {name: pa.array(map(str, column), pa.string()) for name, column in zip(NAMES, columns, strict=True)}
    )
