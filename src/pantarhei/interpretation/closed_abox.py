"""ABoxes in a reasoner's numbers, with what follows from them where that is known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from rdflib import Graph, Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.numbers import FIRST_LITERAL, Integers
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.errors import InvalidTripleError
from pantarhei.interpretation.foundation import Common
from pantarhei.language.term import Triple

if TYPE_CHECKING:
    import pyarrow as pa

    ABox: TypeAlias = Graph | Iterable[Triple] | pa.Table

from pantarhei.interpretation.interpretation import Interpretation


class ClosedABox(NamedTuple):
    """An ABox in a reasoner's numbers, with what follows from it if that is known (`finished`).

    `facts` has what is asserted, then what is derived.
    """

    facts: Integers
    asserted: Encoded
    finished: bool = True

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
    forms: dict[tuple[int, ...], Literal] = {}
    for fact in map(tuple, asserted.tolist() if encoded.forms else ()):
        if fact in encoded.forms:
            forms[fact] = encoded.forms[fact]
            forms.setdefault(fact[1:], encoded.forms[fact])
    return ClosedABox(np.concatenate([asserted, encoded.facts[derived]]), Encoded(asserted, forms))


def encode(interpretation: Interpretation, vocabulary: Vocabulary, common: Common, scope: str) -> ClosedABox:
    """The facts of an interpretation in the numbers of `vocabulary`.

    Blank nodes belong to the message that `scope` names. Costs a look-up for each of its terms.

    Raises:
        InvalidTripleError: one of its terms is none.
    """
    terms, facts = interpretation.terms, interpretation.facts.copy()
    symbols = [vocabulary.numbers_of(terms.classes, "class", scope)]
    symbols.append(vocabulary.numbers_of(terms.properties, "predicate", scope))
    _replace(facts[:, 0], common.symbols, np.concatenate(symbols))
    names = vocabulary.numbers_of(terms.names, "subject", scope)
    _replace(facts[:, 1], common.names, names)
    objects = facts[:, 2]
    is_name = (objects >= 0) & (objects < FIRST_LITERAL)
    is_literal = objects >= FIRST_LITERAL
    values = objects[is_literal]
    _replace(values, FIRST_LITERAL + common.literals, vocabulary.numbers_of(terms.literals, "object", scope))
    ends = objects[is_name]
    _replace(ends, common.names, names)
    objects[is_name], objects[is_literal] = ends, values
    varied = np.flatnonzero(is_literal)[values < 0]
    forms = vocabulary.take_forms(facts, varied, interpretation.asserted)
    return ClosedABox(facts, Encoded(facts[: interpretation.asserted], forms))


def _replace(column: Integers, common: int, numbers: Integers) -> None:
    """Put `numbers[i]` in place of `common + i`."""
    own = column >= common
    column[own] = numbers[column[own] - common]
