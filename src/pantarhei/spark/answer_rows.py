"""Changes of answers as rows of texts."""

from __future__ import annotations

from collections.abc import Iterable

from pantarhei.language.term import Term
from pantarhei.query.continuous import AnswerChange, AnswerReport
from pantarhei.rdf.ntriples import write_term

TextRow = tuple[str | None, ...]
"""The terms of a row in N-Triples syntax, None where there is none."""


def text_row(row: Iterable[Term | None]) -> TextRow:
    """The texts of a row's terms."""
    return tuple(None if term is None else write_term(term) for term in row)


def changed_rows(change: AnswerChange | AnswerReport) -> list[tuple[TextRow, int]]:
    """The rows of which there are more now, or fewer, with how many; in the order of their texts."""
    signed = [(text_row(row), copies) for row, copies in change.added.items()]
    signed += [(text_row(row), -copies) for row, copies in change.removed.items()]
    return sorted(signed, key=lambda each: [text or "" for text in each[0]])
