"""Single operators of registered queries, with signed rows as short texts for input and output.

A row is its terms, separated by blanks: `a` is the name `:a`, `1` and `01` are integers, `"x"` is a string,
`-` is unbound. A change is several rows with their weights.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rdflib import XSD, Literal, URIRef, Variable

from oracle_answers import triples
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Node, Values
from pantarhei.query.expressions import Context, LiteralValues
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.operator import Bag, Operator, Row, SharedState
from pantarhei.query.incremental.persistent_terms import PersistentTermIds
from pantarhei.query.solutions import NO_LIMITS
from pantarhei.rdf.ntriples import write_term
from pantarhei.rules.compilation.program import compile_

Change = Mapping[str, int]


class Bench:
    """Feeds operators and records their output."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary(compile_([]))
        self.journal = Journal()
        self.terms = PersistentTermIds(self.vocabulary, self.journal)
        literals = LiteralValues(self.vocabulary.lexicon.literals)
        self.shared = SharedState(
            self.journal, self.terms, Context(self.terms, NO_LIMITS, literals, Literal("now"))
        )

    def input(self, names: str, certain: bool = True) -> Operator:
        """Return an input operator with these variables, whose rows the test supplies.

        Args:
            certain: true if each row binds all of them.
        """
        return Operator(rows_with(names, certain), self.shared)

    def row(self, text: str) -> Row:
        """Encode a row."""
        return tuple(NONE if part == "-" else self.terms.id_of(term(part)) for part in text.split())

    def bag(self, rows: Change) -> Bag:
        """Encode a change."""
        return {self.row(text): weight for text, weight in rows.items()}

    def shown(self, bag: Mapping[Row, int]) -> dict[str, int]:
        """Write a change as text."""
        return {
            " ".join("-" if n == NONE else text_of(self.terms.term(n)) for n in row): weight
            for row, weight in bag.items()
        }

    def change(self, operator: Operator, *changes: Change) -> dict[str, int]:
        """Return an operator's output for changes of its inputs.

        The change is applied, undone and applied again, after the operator's caches have been cleared.
        """
        given = [self.bag(change) for change in changes]
        operator.clear_caches()
        mark = self.journal.savepoint()
        first = self.shown(operator.change(*given))
        self.journal.restore(mark)
        operator.clear_caches()
        again = self.shown(operator.change(*given))
        assert first == again
        operator.renumber(lambda row: row)
        return first

    def rows(self, operator: Operator) -> list[dict[str, int]]:
        """Return the rows of an operator's state, bag by bag."""
        return [self.shown(bag) for bag in operator.bags]


def rows_with(names: str, certain: bool = True) -> Node:
    """Return a node whose rows have these variables."""
    variables = tuple(map(Variable, names.split()))
    return Values(variables, () if certain else ((None,) * len(variables),))


def term(text: str) -> Term:
    """Parse a short text to a term."""
    ((_, _, object_),) = triples(f":s :p {f':{text}' if text[0].isalpha() else text} .")
    return object_


def text_of(term: Term) -> str:
    """Write a term as a short text."""
    if isinstance(term, URIRef):
        return term.removeprefix("urn:")
    if isinstance(term, Literal) and term.datatype in (XSD.integer, XSD.decimal, XSD.double):
        return str(term)
    return write_term(term)


def summed(changes: Iterable[Change]) -> dict[str, int]:
    """Return the sum of changes."""
    total: dict[str, int] = {}
    for change in changes:
        for row, weight in change.items():
            total[row] = total.get(row, 0) + weight
    return {row: weight for row, weight in total.items() if weight}
