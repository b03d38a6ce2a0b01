"""Facts by the numbers of a vocabulary, as columns with numbers of their own and the terms that these mean.

Only terms that the facts use are written. They keep their order, so that of each value the form that was met
first is met first again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.lexicon import Lexicon
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.container import Column, Contents, lengths, narrow
from pantarhei.engine.checkpoint.terms import columns_of_terms, read_terms
from pantarhei.model.term import Term

_T = TypeVar("_T")

NO_PREDICATE = -1  # in the place of a predicate, for a subject and a value alone


class Used(NamedTuple):
    """The numbers that are used, in some order, and the place of each in that."""

    numbers: npt.NDArray[np.intp]
    places: npt.NDArray[np.integer]

    @classmethod
    def ascending(cls, size: int, parts: Iterable[npt.NDArray[np.integer]]) -> Used:
        """Those of the numbers below `size` that are in `parts`, ascending."""
        flags = np.zeros(size, np.bool_)
        for part in parts:
            flags[part] = True
        return cls(np.flatnonzero(flags), np.cumsum(flags, dtype=np.int32) - 1)

    @classmethod
    def appearing(cls, size: int, numbers: npt.NDArray[np.integer]) -> Used:
        """Those of the numbers below `size` that are in `numbers`, in order of their first appearance."""
        flat = numbers.ravel()
        first = np.full(size, len(flat), np.int64)
        first[flat[::-1]] = np.arange(len(flat))[::-1]  # of several the last one written stays
        used = np.flatnonzero(first < len(flat))
        used = used[np.argsort(first[used])]
        places = np.zeros(size, np.int64)
        places[used] = np.arange(len(used))
        return cls(used, places)

    def among(self, members: Iterable[_T]) -> list[_T]:
        """Those of `members` whose numbers, by their position, are used."""
        given = list(members)
        return [given[number] for number in self.numbers.tolist()]


def columns_of_facts(
    lexicon: Lexicon, facts: Integers, values: Integers, forms: Sequence[Literal]
) -> dict[str, Column]:
    """The columns of `facts`, shape (n, 3), and of the terms in them.

    Costs their number and the size of the lexicon, with one step of Python a term.

    Args:
        facts: rows as the lexicon numbers them, some of them `NO_PREDICATE, subject, value`.
        values: literals whose first forms are to be kept too.
        forms: further literals, in this order.
    """
    predicates, subjects, objects = np.ascontiguousarray(facts.T)
    with_literal = np.flatnonzero(objects >= FIRST_LITERAL)
    with_name = np.flatnonzero((objects >= 0) & (objects < FIRST_LITERAL))
    their_literals, their_names = objects[with_literal] - FIRST_LITERAL, objects[with_name]
    symbols = Used.ascending(len(lexicon.symbols), [predicates[predicates >= 0]])
    names = Used.ascending(len(lexicon.names), [subjects, their_names])
    literals = Used.ascending(len(lexicon.literals), [their_literals, values - FIRST_LITERAL])
    whats = np.zeros(len(facts), np.int32)
    whats[with_name] = 1 + names.places[their_names]
    whats[with_literal] = 1 + len(names.numbers) + literals.places[their_literals]
    terms: list[list[Term]] = [
        [lexicon.symbols[number].name for number in symbols.numbers.tolist()],
        [lexicon.names[number] for number in names.numbers.tolist()],
        [lexicon.literals[number] for number in literals.numbers.tolist()],
        list(forms),
    ]
    return {
        "facts.predicate": narrow(
            np.append(1 + symbols.places, 0)[predicates]
        ),  # NO_PREDICATE finds the last
        "facts.subject": narrow(names.places[subjects] if len(subjects) else subjects),
        "facts.object": narrow(whats),
        "facts.terms": lengths(terms),
        **columns_of_terms("facts", list(chain.from_iterable(terms))),
    }


def read_facts(contents: Contents, vocabulary: Vocabulary) -> tuple[Integers, list[Literal]]:
    """The facts of a checkpoint, their terms numbered by `vocabulary`, and the forms written beside them."""
    terms = read_terms(contents, "facts")
    predicates, names, *values = contents.split("facts.terms", terms)
    literals, forms = ([term for term in part if isinstance(term, Literal)] for part in values)
    if len(predicates) + len(names) + len(literals) + len(forms) < len(terms):
        raise contents.broken("a form is no literal")
    which, who, what = (contents.column(f"facts.{place}") for place in ("predicate", "subject", "object"))
    arities = np.full(len(predicates) + 1, 2)
    arities[which[what == 0]] = 1
    if np.any((arities[which] == 1) != (what == 0)):
        raise contents.broken("a fact has another number of terms than others of its predicate")
    symbols = [
        Symbol(name, arity)
        for name, arity in zip(predicates, arities[1:].tolist(), strict=True)
        if not isinstance(name, Literal)
    ]
    if len(symbols) < len(predicates) or any(isinstance(name, Literal) for name in names):
        raise contents.broken("a literal stands where it may not")
    of_symbols = np.array([NO_PREDICATE, *map(vocabulary.number_symbol, symbols)], np.int32)
    of_terms = np.array([NONE, *map(vocabulary.number, (*names, *literals))], np.int32)
    for form in forms:
        vocabulary.number(form)
    facts = np.column_stack([of_symbols[which], of_terms[1 : 1 + len(names)][who], of_terms[what]])
    return vocabulary.with_types(facts), forms
