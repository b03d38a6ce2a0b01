"""Encoding of ABoxes (graphs, triples, columns or tables) as facts with the numbers of a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from rdflib import Graph, Literal

from pantarhei.encoding.numbers import NO_FORMS, NONE, Encoded, Forms, Integers
from pantarhei.encoding.vocabulary import NumberedTerms, Vocabulary
from pantarhei.model.term import RDF_TYPE, Place, Triple
from pantarhei.rdf.ntriples import parse_term
from pantarhei.rdf.triple_table import (
    ColumnarTriples,
    TermColumn,
    TripleColumns,
    columns_of,
    is_table,
    triples_of_abox,
)

if TYPE_CHECKING:
    import pyarrow as pa

    ABox: TypeAlias = Graph | Iterable[Triple] | pa.Table

_LookUp = Callable[[list[str], Place], NumberedTerms]
_NumbersOf = Callable[[TermColumn, Place], NumberedTerms]
_TYPE = f"<{RDF_TYPE}>"


def prefix_of_push(number: int, part: int) -> str:
    """Return the prefix for the labels of blank nodes in a part of a push. Parts are counted from 0."""
    return f"m{number}.{part}-" if part else f"m{number}-"


def encode_abox(vocabulary: Vocabulary, abox: ABox, scope: str) -> Encoded:
    """Encode a graph, triples, or an Arrow table with N-Triples columns `subject`, `predicate` and `object`.

    The facts are in the order of the triples. Blank nodes of a table are local to it: their labels get the
    prefix `scope`; those of other inputs keep their labels. A table costs one dictionary lookup for each
    distinct term; the rest is vectorised.

    Raises:
        InvalidTripleError: an item is not a triple; a column is missing, or a cell is null or not a term.
    """
    if is_table(abox):
        return _encode_columns(
            columns_of(abox),
            partial(_by_text, partial(vocabulary.numbers_of, scope=scope)),
            vocabulary.has_class_variables,
        )
    if isinstance(abox, ColumnarTriples):
        return Encoded.together(
            [
                _encode_columns(part, partial(_canonical, vocabulary), vocabulary.has_class_variables)
                if isinstance(part, TripleColumns)
                else vocabulary.encode(part)
                for part in abox.parts
            ]
        )
    if isinstance(abox, Iterator):
        abox = list(abox)  # an iterable may call the reasoner, which could renumber terms meanwhile
    return vocabulary.encode(triples_of_abox(cast("Iterable[Triple]", abox)))


def encode_parts(vocabulary: Vocabulary, table: pa.Table, bounds: Sequence[int], scope: str) -> list[Encoded]:
    """Encode the parts `table[bounds[i]:bounds[i + 1]]`, each like `encode_abox`.

    Each distinct term is looked up once for all parts.

    Raises:
        InvalidTripleError: as for `encode_abox`.
    """
    first, places = bounds[0], pairwise(bound - bounds[0] for bound in bounds)
    columns = columns_of(table.slice(first, bounds[-1] - first))
    look_up = partial(_by_text, partial(vocabulary.numbers_of, scope=scope))
    facts, given = _facts_and_forms(columns, look_up, vocabulary.has_class_variables)
    if not given:
        return [Encoded(facts[start:end], NO_FORMS) for start, end in places]
    rows, parts = np.array(sorted(given)), list[Encoded]()
    for start, end in places:
        here = rows[slice(*np.searchsorted(rows, (start, end)))].tolist()
        of_part = facts[start:end]
        parts.append(Encoded(of_part, Forms.given(of_part, {row - start: given[row] for row in here})))
    return parts


def _encode_columns(columns: TripleColumns, numbers_of: _NumbersOf, has_class_variables: bool) -> Encoded:
    facts, given = _facts_and_forms(columns, numbers_of, has_class_variables)
    return Encoded(facts, Forms.given(facts, given))


def _facts_and_forms(
    columns: TripleColumns, numbers_of: _NumbersOf, has_class_variables: bool
) -> tuple[Integers, dict[int, Literal]]:
    """Return the facts, and by row index the literal forms that differ from the first forms of their values.

    Args:
        columns: the columns of the triples.
        numbers_of: returns the numbers and forms of a column.
        has_class_variables: classes are encoded as names, as objects of the property rdf:type.
    """
    subjects, predicates, objects = columns.subject, columns.predicate.occurring(), columns.object
    types = np.fromiter(map(_is_type, predicates.distinct), bool, len(predicates.distinct))
    is_class = types[predicates.codes] if len(types) else np.zeros(0, bool)
    facts = np.empty((len(subjects.codes), 3), np.int32)
    facts[is_class, 2] = NONE
    entries: tuple[tuple[int, Place, slice | npt.NDArray[np.bool_], TermColumn], ...] = (
        (1, Place.SUBJECT, slice(None), subjects),
        (0, Place.PREDICATE, slice(None) if has_class_variables else ~is_class, predicates),
        (2 if has_class_variables else 0, Place.CLASS, is_class, objects),
        (2, Place.OBJECT, ~is_class, objects),
    )
    for at, place, rows, column in entries:
        facts[rows, at], forms = numbers_of(TermColumn(column.codes[rows], column.distinct), place)
    if not forms:  # of the objects, the last column
        return facts, {}
    places = np.flatnonzero(~is_class)
    return facts, {int(places[row]): form for row, form in forms.items()}


def _by_text(look_up: _LookUp, column: TermColumn, place: Place) -> NumberedTerms:
    """Return the numbers of a column, and the literal forms by row index. Each distinct term is looked up
    once.
    """
    occurring = column.occurring()
    numbers, forms = look_up(occurring.distinct.tolist(), place)
    if not forms:
        return NumberedTerms(numbers[occurring.codes], {})
    rows = np.flatnonzero(np.isin(occurring.codes, list(forms)))
    codes = occurring.codes[rows].tolist()
    return NumberedTerms(
        numbers[occurring.codes], {row: forms[code] for row, code in zip(rows.tolist(), codes, strict=True)}
    )


def _canonical(vocabulary: Vocabulary, column: TermColumn, place: Place) -> NumberedTerms:
    """Return the numbers of a column of canonical terms. Terms of earlier parts of the columns are cached."""
    if place is Place.PREDICATE:  # few, with columns of their own
        return _by_text(vocabulary.canonical_numbers, column, place)
    look_up = partial(vocabulary.canonical_numbers, place=place)
    return NumberedTerms(*vocabulary.columns.numbers_of(column, place, vocabulary.revision, look_up))


def _is_type(text: str) -> bool:
    """Return true if a term in N-Triples syntax is rdf:type."""
    return text == _TYPE or ("\\" in text and parse_term(text) == RDF_TYPE)
