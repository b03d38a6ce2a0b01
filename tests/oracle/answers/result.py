"""Answers of a query, and comparison with the answers of another engine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from rdflib import BNode

from oracle.answers.terms import ntriples, plain
from pantarhei.model.term import Term, Triple

AnswerRow = tuple[Term | None, ...]
_Row = TypeVar("_Row", bound=tuple[object, ...])

_CREATED = BNode("made")  # placeholder of all blank nodes that are not in the data


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers of a query.

    Args:
        form: "SELECT", "ASK", "CONSTRUCT" or "DESCRIBE".
        variables: the names of SELECT's columns, in order.
        solutions: SELECT's rows before OFFSET and LIMIT, in an order that ORDER BY allows, each with its
            rank: rows of one rank can be in any order. Without ORDER BY all have rank 0.
        offset: the number of skipped rows.
        limit: the maximum number of rows, None for all.
        triples: the result of CONSTRUCT and DESCRIBE.
        ask: the result of ASK.
        is_determined: true if the standard allows only these answers: there are no random numbers, and no
            LIMIT over an ambiguous order, except SELECT's own.
        known: the blank nodes of the data; others are created by the query, with arbitrary names.
    """

    form: str
    variables: tuple[str, ...] = ()
    solutions: tuple[tuple[AnswerRow, int], ...] = ()
    offset: int = 0
    limit: int | None = None
    triples: frozenset[Triple] = frozenset()
    ask: bool | None = None
    is_determined: bool = True
    known: frozenset[BNode] = frozenset()

    @property
    def rows(self) -> Counter[AnswerRow]:
        """SELECT's rows; if LIMIT allows a choice, one of the possible bags."""
        return Counter(row for row, _ in self._slice())

    @property
    def rows_in_order(self) -> list[AnswerRow]:
        """SELECT's rows in an order that ORDER BY allows."""
        return [row for row, _ in self._slice()]

    def _slice(self) -> Sequence[tuple[AnswerRow, int]]:
        return self.solutions[self.offset :][: self.limit]


def agrees(
    answers: Answers, variables: Sequence[str], rows_in_order: Iterable[Sequence[Term | None]]
) -> bool:
    """True if the rows are correct answers: in an order that ORDER BY allows, and any possible rows of the
    right number if LIMIT allows a choice. Blank nodes created by the query can have any name.

    Args:
        variables: the names of SELECT's columns, in order; empty for the other forms.
        rows_in_order: SELECT's rows; the triples of CONSTRUCT and DESCRIBE; for ASK, `()` if it is true.
    """
    return difference(answers, variables, rows_in_order) is None


def difference(
    answers: Answers, variables: Sequence[str], rows_in_order: Iterable[Sequence[Term | None]]
) -> str | None:
    """Describe why rows are not correct answers (see `agrees`); None if they are correct."""
    rows = [tuple(None if term is None else plain(term) for term in row) for row in rows_in_order]
    if answers.form == "ASK":
        return None if bool(rows) == answers.ask else f"ASK is {answers.ask}"
    if answers.form != "SELECT":
        return _difference_of_triples(answers, rows)
    if tuple(map(str, variables)) != answers.variables:
        return f"the columns are {', '.join(answers.variables)}, not {', '.join(variables)}"
    return _difference_of_rows(answers, rows) if answers.is_determined else None


def _difference_of_triples(answers: Answers, rows: Iterable[AnswerRow]) -> str | None:
    if not answers.is_determined:
        return None
    expected, given = (_identify_by_neighbours(triples, answers) for triples in (answers.triples, rows))
    return None if expected == given else _listing(Counter(expected), Counter(given))


_ROUNDS = 8  # sufficient for the chains of blank nodes in the tests' templates


def _identify_by_neighbours(triples: Iterable[AnswerRow], answers: Answers) -> frozenset[tuple[str, ...]]:
    """Return the triples as texts in which created blank nodes are identified by their neighbours.

    Two blank nodes with equal triples are merged: the repeated triples add no information.
    """
    given = [tuple(term for term in triple if term is not None) for triple in triples]
    names = {term: "" for triple in given for term in triple if _is_created(term, answers)}
    for _ in range(_ROUNDS):
        around: dict[Term, set[str]] = {node: set() for node in names}
        for triple in given:
            for node in names.keys() & set(triple):
                around[node].add(
                    " ".join("this" if term == node else names.get(term, ntriples(term)) for term in triple)
                )
        names = {
            node: sha256("\n".join(sorted(texts)).encode()).hexdigest() for node, texts in around.items()
        }
    return frozenset(tuple(names.get(term, ntriples(term)) for term in triple) for triple in given)


def _is_created(term: Term | None, answers: Answers) -> bool:
    return isinstance(term, BNode) and term not in answers.known


def _difference_of_rows(answers: Answers, rows: Sequence[AnswerRow]) -> str | None:
    """Describe the difference, or return None if each row has the rank of its position and occurs at most as
    often as in the answers.
    """
    ranks = [rank for _, rank in answers._slice()]
    expected = Counter((_unnamed(row, answers), rank) for row, rank in answers.solutions)
    given = [_unnamed(row, answers) for row in rows]
    used = Counter(zip(given, ranks, strict=False))
    if len(given) == len(ranks) and used <= expected:
        return None
    return _listing(Counter(_unnamed(row, answers) for row, _ in answers._slice()), Counter(given))


def _unnamed(row: AnswerRow, answers: Answers) -> AnswerRow:
    return tuple(_CREATED if _is_created(term, answers) else term for term in row)


def _listing(expected: Counter[_Row], given: Counter[_Row]) -> str:
    if expected == given:
        return "the same, in an order that ORDER BY does not allow"
    lines = [f"missing {count} x {row}" for row, count in (expected - given).items()]
    lines += [f"too many {count} x {row}" for row, count in (given - expected).items()]
    return "\n".join(lines)
