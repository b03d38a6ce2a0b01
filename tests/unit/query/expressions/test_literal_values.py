"""The values of a growing list of terms."""

import numpy as np
from rdflib import BNode, Literal, URIRef

from expressions import literal_of
from pantarhei.query.expressions import kinds
from pantarhei.query.expressions.literal_values import LiteralValues


def test_values_are_read_when_they_are_asked_for_first() -> None:
    class Counting(list[Literal]):
        asked = 0

        def __getitem__(self, place):  # type: ignore[no-untyped-def, override]
            Counting.asked += 1
            return super().__getitem__(place)

    values = LiteralValues(Counting(literal_of(str(n), "integer") for n in range(100)))
    assert values.at(np.array([3, 97, 3])).numbers.tolist() == [3, 97, 3]
    assert values.at(np.array([97])).numbers.tolist() == [97]
    assert Counting.asked == 2


def test_the_list_may_grow() -> None:
    literals = [Literal("a")]
    values = LiteralValues(literals)
    assert values.at(np.array([0])).kinds.tolist() == [kinds.STRING]
    literals += [literal_of(str(n), "decimal") for n in range(1000)]
    assert values.at(np.array([0, 1000])).numbers.tolist() == [1, 999]
    assert values.nbytes > 0


def test_terms_of_all_sorts_stand_side_by_side() -> None:
    terms = [URIRef("urn:a"), BNode("b"), Literal("a", lang="en"), literal_of("1", "byte"), Literal("")]
    found = LiteralValues(terms).at(np.arange(5))
    assert found.kinds.tolist() == [kinds.NAME, kinds.NAME, kinds.LANG_STRING, kinds.INTEGER, kinds.STRING]
    assert LiteralValues(terms).terms_at(np.array([1, 0])) == terms[1::-1]


def test_nothing_is_asked_of_no_places() -> None:
    assert len(LiteralValues([]).at(np.empty(0, np.intp)).kinds) == 0
