"""Changes of answers and of conclusions as rows of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from pantarhei.model.term import Term
from pantarhei.query.answer_reports import AnswerChange, AnswerReport
from pantarhei.rdf.ntriples import write_term
from pantarhei.temporal.conclusions import Turn
from pantarhei.temporal.rules import TemporalRules

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


def conclusion_columns(rules: TemporalRules) -> tuple[str, ...]:
    """`predicate` and `argument1` onwards, as many as any conclusion has."""
    most = max((len(rule.head.atom.arguments) for rule in rules.rules), default=0)
    return ("predicate", *(f"argument{place}" for place in range(1, most + 1)))


def turned_rows(turn: Turn, width: int) -> Iterator[tuple[TextRow, int]]:
    """The conclusions of a tick, those that went with -1, then those that came with 1, in the order of texts.

    Args:
        turn: what the tick brought.
        width: how many columns `conclusion_columns` gives.
    """
    for atoms, change in ((turn.removed, -1), (turn.added, 1)):
        terms = (cast("Iterable[Term]", (atom.predicate, *atom.arguments)) for atom in atoms)  # no variables
        for row in sorted(tuple(map(write_term, each)) for each in terms):
            yield (*row, *[None] * (width - len(row))), change
