"""Facts by the numbers of a vocabulary, as columns with numbers of their own and the terms that these mean.

Only terms that the facts use are written. They keep their order, so that of each value the form that was met
first is met first again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Integers, Symbol
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.container import Column, Contents, narrow
from pantarhei.engine.checkpoint.term_columns import columns_of_terms, read_terms
from pantarhei.language.term import Term

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
    vocabulary: Vocabulary, facts: Integers, values: Integers, forms: Sequence[Literal]
) -> dict[str, Column]:
    """The columns of `facts`, shape (n, 3), and of the terms in them.

    Costs their number and the size of the vocabulary, with one step of Python a term.

    Args:
        facts: rows as the vocabulary numbers them, some of them `NO_PREDICATE, subject, value`.
        values: literals whose first forms are to be kept too.
        forms: further literals, in this order.
    """
    predicates, subjects, objects = np.ascontiguousarray(facts.T)
    with_literal = np.flatnonzero(objects >= FIRST_LITERAL)
    with_name = np.flatnonzero((objects >= 0) & (objects < FIRST_LITERAL))
    their_literals, their_names = objects[with_literal] - FIRST_LITERAL, objects[with_name]
    symbols = Used.ascending(len(vocabulary.symbols), [predicates[predicates >= 0]])
    names = Used.ascending(len(vocabulary.names), [subjects, their_names])
    literals = Used.ascending(len(vocabulary.literals), [their_literals, values - FIRST_LITERAL])
    whats = np.zeros(len(facts), np.int32)
    whats[with_name] = 1 + names.places[their_names]
    whats[with_literal] = 1 + len(names.numbers) + literals.places[their_literals]
    which = np.append(1 + symbols.places, 0)[predicates]  # NO_PREDICATE, -1, finds the last
    met = [vocabulary.symbols[number] for number in symbols.numbers.tolist()]
    terms: list[Term] = [vocabulary.names[number] for number in names.numbers.tolist()]
    terms += [vocabulary.literals[number] for number in literals.numbers.tolist()]
    return {
        "facts.predicate": narrow(which),
        "facts.subject": narrow(names.places[subjects] if len(subjects) else subjects),
        "facts.object": narrow(whats),
        "symbols.arity": narrow(np.array([symbol.arity for symbol in met], np.uint8)),
        **columns_of_terms("symbols", [symbol.name for symbol in met]),
        **columns_of_terms("terms", terms),
        **columns_of_terms("forms", forms),
    }


class ReadFacts(NamedTuple):
    """Facts as a vocabulary numbers them, and the further literals that were written beside them."""

    facts: Integers
    forms: list[Literal]


def read_facts(contents: Contents, vocabulary: Vocabulary) -> ReadFacts:
    """The facts of a checkpoint, their terms numbered by `vocabulary`.

    Raises:
        CheckpointError: they are no facts.
    """
    symbols = _read_symbols(contents)
    terms, forms = read_terms(contents, "terms"), read_terms(contents, "forms")
    literals = [term for term in terms if isinstance(term, Literal)]
    names = len(terms) - len(literals)
    if any(isinstance(term, Literal) for term in terms[:names]):
        raise contents.broken("a literal stands among the names")
    which = contents.indices("facts.predicate", len(symbols) + 1)
    who = contents.indices("facts.subject", max(names, 1), len(which))
    what = contents.indices("facts.object", len(terms) + 1, len(which))
    arities = np.array([0, *(symbol.arity for symbol in symbols)], np.int64)[which]
    if (len(who) and not names) or np.any((arities == 1) != (what == 0)):
        raise contents.broken("a fact has another number of terms than its predicate")
    numbers = [vocabulary.number_symbol(symbol) for symbol in symbols]
    terms_numbers = np.array([NONE, *map(vocabulary.number, terms)], np.int32)
    found = [form for form in forms if isinstance(form, Literal)]
    if len(found) < len(forms):
        raise contents.broken("a form is no literal")
    for form in found:
        vocabulary.number(form)
    columns = np.array([NO_PREDICATE, *numbers], np.int32)[which], terms_numbers[1:][who] if len(who) else who
    facts = np.stack([*columns, terms_numbers[what]], axis=1).astype(np.int32)
    return ReadFacts(np.ascontiguousarray(facts), found)


def _read_symbols(contents: Contents) -> list[Symbol]:
    names = read_terms(contents, "symbols")
    arities = contents.indices("symbols.arity", 3, len(names)).tolist()
    symbols = [
        Symbol(name, arity)
        for name, arity in zip(names, arities, strict=True)
        if isinstance(name, URIRef | BNode) and arity
    ]
    if len(symbols) < len(names):
        raise contents.broken("a predicate is neither class nor property")
    return symbols
