"""ABoxes in a reasoner's numbers, with what follows from them where that is known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.forms import Forms
from pantarhei.encoding.numbers import FIRST_LITERAL, Integers, as_tuples
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.foundation import Common
from pantarhei.interpretation.interpretation import Interpretation
from pantarhei.model.term import Place

if TYPE_CHECKING:
    import pyarrow as pa


class ClosedABox(NamedTuple):
    """An ABox in a reasoner's numbers, with what follows from it if that is known (`finished`).

    `facts` has what is asserted, then what is derived.
    """

    facts: Integers
    asserted: Encoded
    finished: bool = True

    def without(self, predicates: Sequence[int]) -> ClosedABox:
        """The same without what is derived of some predicates."""
        stays = ~np.isin(self.facts[:, 0], np.array(predicates, np.int32))
        stays[: len(self.asserted.facts)] = True
        return self._replace(facts=self.facts[stays])

    @classmethod
    def together(cls, parts: Sequence[ClosedABox]) -> ClosedABox:
        """The ABox of one part or several; what follows from several together is not known."""
        if len(parts) == 1:
            return parts[0]
        asserted = Encoded.together([part.asserted for part in parts])
        return cls(asserted.facts, asserted, finished=False)


def split(table: pa.Table, encoded: Encoded) -> ClosedABox:
    """The facts of a table with a column `derived`.

    Raises:
        InvalidTripleError: it has none, or one that does not hold a boolean in each row.
    """
    names = table.schema.names
    column = table.column(names.index("derived")) if names.count("derived") == 1 else None
    if column is None or str(column.type) != "bool" or column.null_count:
        given = f"a table with columns {', '.join(names)}"
        raise InvalidTripleError(given, "exactly one column derived of booleans is expected, without nulls")
    derived = np.asarray(column)
    asserted = encoded.facts[~derived]
    known = encoded.forms.by_fact
    rows = enumerate(as_tuples(asserted) if known else ())
    forms = Forms.given(asserted, {row: known[fact] for row, fact in rows if fact in known})
    return ClosedABox(np.concatenate([asserted, encoded.facts[derived]]), Encoded(asserted, forms))


def encode(interpretation: Interpretation, vocabulary: Vocabulary, common: Common, scope: str) -> ClosedABox:
    """The facts of an interpretation in the numbers of `vocabulary`.

    Blank nodes belong to the message that `scope` names. Costs a look-up for each of its terms.

    Raises:
        InvalidTripleError: one of its terms is none.
    """
    terms, facts = interpretation.terms, interpretation.facts.copy()
    classes, _ = vocabulary.numbers_of(terms.classes, Place.CLASS, scope)
    properties, _ = vocabulary.numbers_of(terms.properties, Place.PREDICATE, scope)
    names, _ = vocabulary.numbers_of(terms.names, Place.SUBJECT, scope)
    literals, written = vocabulary.numbers_of(terms.literals, Place.OBJECT, scope)
    _replace(facts[:, 0], common.symbols, np.concatenate([classes, properties]))
    _replace(facts[:, 1], common.names, names)
    objects = facts[:, 2]
    is_name = (objects >= 0) & (objects < FIRST_LITERAL)
    is_literal = objects >= FIRST_LITERAL
    ends, values = objects[is_name], objects[is_literal]
    asserted, first = facts[: interpretation.asserted], FIRST_LITERAL + common.literals
    rows = zip(np.flatnonzero(is_literal[: len(asserted)]), (values - first).tolist(), strict=False)
    given = {int(row): written[place] for row, place in rows if place in written} if written else {}
    _replace(ends, common.names, names)
    _replace(values, first, literals)
    objects[is_name], objects[is_literal] = ends, values
    return ClosedABox(facts, Encoded(asserted, Forms.given(asserted, given)))


def _replace(column: Integers, common: int, numbers: Integers) -> None:
    """Put `numbers[i]` in place of `common + i`."""
    own = column >= common
    column[own] = numbers[column[own] - common]
