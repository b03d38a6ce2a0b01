"""Lexicon: terms by number; and all tables of a vocabulary."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt
from rdflib import BNode, Literal, URIRef

from pantarhei.encoding.numbers import FIRST_LITERAL, NO_FORMS, NONE, FactForms, Integers, Renaming, Symbol
from pantarhei.model.term import RDF_TYPE, Place, Term, Triple
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.triple_table import TermColumn, TripleColumns


class LiteralSet:
    """Set of literals by number, with a vectorised membership test.

    `has_members` is true, and the set is true, once a literal has been added.
    """

    def __init__(self, flags: npt.NDArray[np.bool_] | None = None) -> None:
        self._flags = np.zeros(64, np.bool_) if flags is None else flags
        self.has_members = bool(self._flags.any())

    def add(self, number: int) -> None:
        place = number - FIRST_LITERAL
        if place >= len(self._flags):
            longer = np.zeros(2 * place + 64, np.bool_)
            longer[: len(self._flags)] = self._flags
            self._flags = longer
        self.has_members = True
        self._flags[place] = True

    def discard(self, number: int) -> None:
        if self.has_members and number in self:
            self._flags[number - FIRST_LITERAL] = False

    def __contains__(self, number: int) -> bool:
        place = number - FIRST_LITERAL
        return 0 <= place < len(self._flags) and bool(self._flags[place])

    def __bool__(self) -> bool:
        return self.has_members

    @property
    def bytes_used(self) -> int:
        """Return the bytes of the flags."""
        return self._flags.nbytes

    def among(self, numbers: npt.NDArray[np.signedinteger]) -> npt.NDArray[np.bool_]:
        """Return a mask of the `numbers` that are in the set. Costs time linear in `numbers`."""
        places = numbers.astype(np.int64) - FIRST_LITERAL
        inside = (places >= 0) & (places < len(self._flags))
        inside[inside] = self._flags[places[inside]]
        return inside

    def kept(self, places: npt.NDArray[np.intp]) -> LiteralSet:
        """Return the set restricted to the literals at `places`, renumbered in that order."""
        among = np.zeros(len(places), np.bool_)
        known = places < len(self._flags)
        among[known] = self._flags[places[known]]
        return LiteralSet(among)


class NameTable(Sequence[Term]):
    """Names by number. They are stored as keys (plain strings), and converted to terms on access."""

    __slots__ = ("keys",)

    def __init__(self, keys: list[str]) -> None:
        self.keys = keys

    @overload
    def __getitem__(self, number: int) -> Term: ...

    @overload
    def __getitem__(self, number: slice) -> list[Term]: ...

    def __getitem__(self, number: int | slice) -> Term | list[Term]:
        if isinstance(number, slice):
            return [_name_of(key) for key in self.keys[number]]
        return self.term(number)

    def __len__(self) -> int:
        return len(self.keys)

    def term(self, number: int) -> Term:
        """Return the name of a number."""
        return _name_of(self.keys[number])


def key_of(name: Term) -> str:
    """Return the key of a name: a plain string in N-Triples syntax, which is cheap to hash.

    >>> key_of(URIRef("urn:a")), key_of(BNode("a"))
    ('<urn:a>', '_:a')
    """
    is_blank = type(name) is not URIRef and isinstance(
        name, BNode
    )  # isinstance with rdflib's classes is slower
    return "".join(("_:", name) if is_blank else ("<", name, ">"))


def keys_of_iris(names: Sequence[URIRef]) -> list[str]:
    """Return the keys of IRIs, at half the cost of `key_of`.

    >>> keys_of_iris([URIRef("urn:a"), URIRef("urn:b")])
    ['<urn:a>', '<urn:b>']
    """
    keys = ">\n<".join(("", *names, ""))[2:-2].split("\n")
    return keys if len(keys) == len(names) else list(map(key_of, names))  # otherwise a name has a line break


def _name_of(key: str) -> Term:
    """Return the name of a key. Skips the validation of `URIRef`."""
    return BNode(key[2:]) if key[0] == "_" else str.__new__(URIRef, key[1:-1])


def _names_of(keys: Sequence[str]) -> Iterable[Term]:
    """Return the names of keys. If all are IRIs this is faster."""
    joined = "\n".join(keys)
    texts = joined[1:-1].split(">\n<")
    are_iris = joined.startswith("<") and len(texts) == len(keys) == joined.count("\n") + 1
    return map(str.__new__, repeat(URIRef), texts) if are_iris else map(_name_of, keys)


_FIRST_OWN = 1 << 40
"""First number of the literals that have another form than the first one of their value."""

_FEW = 8
"""Fewer facts than this are decoded one by one, which costs less."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """Symbols and terms by number, the read-only side of a vocabulary.

    A lexicon only grows, except that an interrupted step is rolled back. A vocabulary that renumbers its
    terms creates a new lexicon, so that the old lexicon still decodes old numbers.

    Args:
        symbols: classes and properties.
        names: names.
        literals: the first form of each value; their numbers start at `FIRST_LITERAL`.
        varied: literals whose values were seen in several forms.
    """

    symbols: list[Symbol]
    names: NameTable
    literals: list[Literal]
    varied: LiteralSet

    def term(self, number: int) -> Term:
        """Return the term of a number."""
        if number >= FIRST_LITERAL:
            return self.literals[number - FIRST_LITERAL]
        return _name_of(self.names.keys[number])

    def decode(
        self, facts: Integers | Sequence[Sequence[int]], forms: FactForms = NO_FORMS.by_fact
    ) -> Iterator[Triple]:
        """Return the triples of facts, in order. Literals have the forms of `forms`, else the first forms."""
        if isinstance(facts, np.ndarray) and not forms and len(facts) >= _FEW:
            return self._decode_columns(*facts.T.tolist()[:3])
        return self._decode_rows(facts.tolist() if isinstance(facts, np.ndarray) else facts, forms)

    def columns(self, facts: Integers, forms: FactForms = NO_FORMS.by_fact) -> TripleColumns:
        """Return the triples of facts as columns of text, in order; each distinct term is written once."""
        predicates, subjects, objects = facts.T.astype(np.int64)
        is_class = objects == NONE
        of_class = ~predicates  # the numbers of terms are not negative
        values = np.where(is_class, of_class, objects)
        own: list[Literal] = []
        for row in np.flatnonzero(self.varied.among(objects)).tolist() if forms else ():
            if (form := forms.get((int(predicates[row]), int(subjects[row]), int(objects[row])))) is not None:
                values[row] = _FIRST_OWN + len(own)
                own.append(form)

        def term(number: int) -> Term:
            if number < 0:
                return self.symbols[~number].name
            return own[number - _FIRST_OWN] if number >= _FIRST_OWN else self.term(number)

        properties = np.where(is_class, NONE, predicates)
        return TripleColumns(
            _written(subjects, self.term),
            _written(properties, lambda number: RDF_TYPE if number == NONE else self.symbols[number].name),
            _written(values, term),
        )

    def _decode_columns(
        self, predicates: list[int], subjects: list[int], objects: list[int]
    ) -> Iterator[Triple]:
        """Decode facts by column; has the result of `decode` without `forms`."""
        named = {number: self.symbols[number].name for number in set(predicates)}
        numbers = set(subjects).union(objects)
        has_classes = NONE in numbers
        numbers.discard(NONE)
        terms = self._terms(numbers)
        if not has_classes:
            return zip(
                map(terms.__getitem__, subjects),
                map(named.__getitem__, predicates),
                map(terms.__getitem__, objects),
                strict=True,
            )
        return (
            (terms[subject], RDF_TYPE, named[predicate])
            if object_ == NONE
            else (terms[subject], named[predicate], terms[object_])
            for predicate, subject, object_ in zip(predicates, subjects, objects, strict=True)
        )

    def _terms(self, numbers: set[int]) -> dict[int, Term]:
        """Return the terms of these numbers, by number."""
        names = list(numbers)
        if max(names) >= FIRST_LITERAL:
            names = [number for number in names if number < FIRST_LITERAL]
        keys = list(map(self.names.keys.__getitem__, names))
        terms = dict(zip(names, _names_of(keys), strict=True))
        if len(terms) < len(numbers):
            terms.update((number, self.term(number)) for number in numbers if number >= FIRST_LITERAL)
        return terms

    def _decode_rows(self, rows: Iterable[Sequence[int]], forms: FactForms) -> Iterator[Triple]:
        symbols = self.symbols
        known: dict[int, Term] = {}
        for predicate, subject, object_ in rows:
            symbol, who = symbols[predicate], known.get(subject) or self._cached_term(subject, known)
            if object_ == NONE:
                yield who, RDF_TYPE, symbol.name
                continue
            what = known.get(object_) or self._cached_term(object_, known)
            if forms and object_ in self.varied:
                form = forms.get((predicate, subject, object_))
                what = what if form is None else form
            yield who, symbol.name, what

    def _cached_term(self, number: int, known: dict[int, Term]) -> Term:
        """Return the term of a number, from `known` if it is there."""
        term = known[number] = self.term(number)
        return term


def _written(numbers: npt.NDArray[np.int64], term: Callable[[int], Term]) -> TermColumn:
    """Return the column of numbered terms in N-Triples syntax."""
    found, codes = np.unique(numbers, return_inverse=True)
    distinct = np.empty(len(found), object)
    distinct[:] = [write_term(term(number)) for number in found.tolist()]
    return TermColumn(codes.astype(np.int32), distinct)


class Tables(NamedTuple):
    """All tables of a vocabulary, which are replaced together.

    Args:
        lexicon: terms by number.
        classes, properties, name_numbers: numbers by the keys of names.
        value_numbers: numbers by the values of literals.
        literal_numbers: numbers by literal; `~i` refers to `variants[i]`.
        variants: literals that are not the first forms of their values, with the numbers of their values.
        ill_typed: the ill-typed literals.
        memberships: for each literal the bits of the data ranges that contain it, `width` bytes.
        texts: for each position in a triple, numbers by the texts of terms that occurred repeatedly.
        fulfilled: reserved numbers whose values have been asserted.
    """

    lexicon: Lexicon
    classes: dict[str, int]
    properties: dict[str, int]
    name_numbers: dict[str, int]
    value_numbers: dict[Hashable, int]
    literal_numbers: dict[Literal, int]
    variants: list[tuple[int, Literal]]
    ill_typed: LiteralSet
    memberships: npt.NDArray[np.uint8]
    width: int
    texts: dict[Place, dict[str, int]]
    fulfilled: list[int]

    @classmethod
    def empty(cls) -> Tables:
        """Return empty tables."""
        lexicon = Lexicon([], NameTable([]), [], LiteralSet())
        texts: dict[Place, dict[str, int]] = {place: {} for place in Place}
        return cls(lexicon, {}, {}, {}, {}, {}, [], LiteralSet(), np.zeros(0, np.uint8), 0, texts, [])

    def renamed(self, renaming: Renaming) -> Tables:
        """Return the tables reduced to the terms that `renaming` keeps, with new numbers. The original is
        unchanged.

        A kept value keeps its first form. Its other forms are dropped, but it stays in `varied`. Costs O(1)
        for each entry.
        """
        old, symbols, names = self.lexicon, renaming.symbols.tolist(), renaming.names.tolist()
        literals, kept_literals = renaming.literals.tolist(), renaming.kept_literals
        everything = renaming.keeps_symbols  # the usual case: their tables are reused
        lexicon = Lexicon(
            old.symbols
            if everything
            else [old.symbols[number] for number in np.flatnonzero(renaming.symbols != NONE).tolist()],
            NameTable(list(map(old.names.keys.__getitem__, np.flatnonzero(renaming.names != NONE).tolist()))),
            list(map(old.literals.__getitem__, kept_literals.tolist())),
            old.varied.kept(kept_literals),
        )
        return Tables(
            lexicon,
            self.classes if everything else _kept(self.classes, symbols),
            self.properties if everything else _kept(self.properties, symbols),
            self._kept_names(lexicon.names.keys, names),
            {
                value: new
                for value, number in self.value_numbers.items()
                if (new := literals[number - FIRST_LITERAL]) != NONE
            },
            {
                literal: FIRST_LITERAL + place
                for place, literal in enumerate(lexicon.literals)
                if literal in self.literal_numbers  # otherwise its number is reserved
            },
            [],
            self.ill_typed.kept(kept_literals),
            self._kept_memberships(kept_literals),
            self.width,
            {place: _kept_texts(place, known, names, literals) for place, known in self.texts.items()},
            [],
        )

    def _kept_names(self, keys: list[str], names: Sequence[int]) -> dict[str, int]:
        """Return the numbers of the kept names, by key.

        Costs time linear in the kept names; in all names if two names share a number.

        Args:
            keys: keys of the kept names.
            names: the new number of each name.
        """
        if len(self.name_numbers) == len(self.lexicon.names.keys):
            return dict(zip(keys, range(len(keys)), strict=True))
        return _kept(self.name_numbers, names)

    def _kept_memberships(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """Return the data range bits of the literals at `places`, with spare capacity."""
        width = self.width
        kept = np.zeros(max(64, 2 * len(places)) * width, np.uint8)
        if width and len(places):
            bits = self.memberships[: len(self.lexicon.literals) * width].reshape(-1, width)
            kept[: len(places) * width] = bits[places].ravel()
        return kept


def _kept(known: dict[str, int], numbers: Sequence[int]) -> dict[str, int]:
    """Return the entries whose numbers are kept, with the new numbers in `numbers`."""
    return {key: new for key, old in known.items() if (new := numbers[old]) != NONE}


def _kept_texts(
    place: Place, known: dict[str, int], names: Sequence[int], literals: Sequence[int]
) -> dict[str, int]:
    """Return the cached texts whose terms are kept, with new numbers.

    None for symbols, which are looked up often anyway, and if there would be more texts than terms.
    """
    if not place.is_of_individuals:
        return {}
    kept = {
        text: new
        for text, old in known.items()
        if old >= 0 and (new := names[old] if old < FIRST_LITERAL else literals[old - FIRST_LITERAL]) != NONE
    }
    return kept if len(kept) <= len(set(kept.values())) + 64 else {}
