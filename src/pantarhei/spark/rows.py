"""Rows of a DataFrame that are no triples: which they are, and what is wrong with them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from rdflib import BNode, Literal, URIRef

from pantarhei.errors import InvalidRowError, InvalidTripleError
from pantarhei.language.ntriples import parse_term
from pantarhei.language.term import RDF_TYPE
from pantarhei.spark.columns import COLUMNS
from pantarhei.spark.frame import OBJECT, PREDICATE, SUBJECT, TERMS, TIMESTAMP

_TYPE = RDF_TYPE.n3()
_MAY_BE: dict[str, tuple[tuple[type, ...], str]] = {
    SUBJECT: ((URIRef, BNode), "the subject must be an IRI or a blank node"),
    PREDICATE: ((URIRef,), "the predicate must be an IRI"),
    OBJECT: ((URIRef, BNode, Literal), "the object must be a term"),
}


class Problem(NamedTuple):
    """A row that is no timestamped triple.

    Args:
        row: its place in the table.
        column: the first column that is not as it should be.
        reason: what is wrong.
    """

    row: int
    column: str
    reason: str


def problems(table: pa.Table) -> list[Problem]:
    """The rows of a normalized table that are no timestamped triples, in order. Costs a look at each
    different term.
    """
    found: dict[int, Problem] = {}

    def note(rows: npt.NDArray[np.intp], column: str, reason: str) -> None:
        for row in rows.tolist():
            found.setdefault(row, Problem(row, column, reason))

    times = table.column(TIMESTAMP)
    note(np.flatnonzero(np.asarray(times.is_null())), TIMESTAMP, "it is null")
    if pa.types.is_floating(times.type):
        finite = np.asarray(pc.fill_null(pc.is_finite(times), True))
        note(np.flatnonzero(~finite), TIMESTAMP, "it is no finite number")
    for name in TERMS:
        column = table.column(name).combine_chunks()
        note(np.flatnonzero(np.asarray(column.is_null())), name, "it is null")
        encoded = column.dictionary_encode()
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        for code, text in enumerate(encoded.dictionary.to_pylist()):
            if reason := _wrong(text, name):
                note(np.flatnonzero(codes == code), name, reason)
    classes = np.asarray(pc.fill_null(pc.equal(table.column(PREDICATE), _TYPE), False))
    literals = np.asarray(pc.fill_null(pc.starts_with(table.column(OBJECT), '"'), False))
    note(np.flatnonzero(classes & literals), OBJECT, "the object of rdf:type must be a class, not a literal")
    return [found[row] for row in sorted(found)]


def _wrong(text: str, column: str) -> str:
    """What is wrong with a term; nothing if all is well."""
    may_be, expected = _MAY_BE[column]
    try:
        term = parse_term(text)
    except InvalidTripleError as error:
        return error.reason
    return "" if isinstance(term, may_be) else expected


def error_of(table: pa.Table, problem: Problem) -> InvalidRowError:
    """The error that names a row and what is wrong with it."""
    values = table.slice(problem.row, 1).to_pylist()[0]
    row = tuple(f"{name}={_short(values[name])}" for name in COLUMNS)
    return InvalidRowError(row, problem.column, problem.reason)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else "null" if value is None else str(value)
    return text if len(text) <= 200 else text[:200] + "…"


def without(table: pa.Table, found: list[Problem]) -> pa.Table:
    """The table without the rows that have problems."""
    keep = np.ones(len(table), bool)
    keep[[problem.row for problem in found]] = False
    return table.filter(pa.array(keep))
