"""All that a vocabulary knows of symbols and terms, to be put in place as a whole."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from rdflib import Literal

from pantarhei.encoding.lexicon import Lexicon, LiteralSet, Names
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.renaming import Renaming
from pantarhei.model.term import Place


class Tables(NamedTuple):
    """What numbers mean, and what leads to them.

    Args:
        lexicon: what they mean.
        classes, properties, name_numbers: by the keys of names.
        value_numbers: by the values of literals.
        literal_numbers: by literals; `~i` for what `variants[i]` says.
        variants: the literals that are not the first forms of their values, with their values' numbers.
        ill_typed: the ill-typed literals.
        memberships: bits for the data ranges that each literal is in, `width` bytes a literal.
        texts: by the texts of terms met before, in each place.
        fulfilled: the reserved numbers whose values have come.
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
        """The tables that know nothing yet."""
        lexicon = Lexicon([], Names([]), [], LiteralSet())
        texts: dict[Place, dict[str, int]] = {place: {} for place in Place}
        return cls(lexicon, {}, {}, {}, {}, {}, [], LiteralSet(), np.zeros(0, np.uint8), 0, texts, [])

    def renamed(self, renaming: Renaming) -> Tables:
        """The tables with only what `renaming` keeps, in the new numbers; these stay as they are.

        Of a value that is kept the first form is; that it was met in others is remembered, which ones is not.
        Costs O(1) for each entry.
        """
        old, symbols, names = self.lexicon, renaming.symbols.tolist(), renaming.names.tolist()
        literals, kept_literals = renaming.literals.tolist(), renaming.kept_literals
        everything = renaming.keeps_symbols  # mostly: then nothing of them is made anew
        lexicon = Lexicon(
            old.symbols if everything else [old.symbols[number] for number in renaming.kept_symbols.tolist()],
            Names(list(map(old.names.keys.__getitem__, renaming.kept_names.tolist()))),
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
                if literal in self.literal_numbers  # else its number is reserved
            },
            [],
            self.ill_typed.kept(kept_literals),
            self._kept_memberships(kept_literals),
            self.width,
            {place: _kept_texts(place, known, names, literals) for place, known in self.texts.items()},
            [],
        )

    def _kept_names(self, keys: list[str], names: Sequence[int]) -> dict[str, int]:
        """Return the numbers of the kept names, by key. Costs the kept names; all names where two names have
        one number.

        Args:
            keys: keys of the kept names.
        """
        if len(self.name_numbers) == len(self.lexicon.names.keys):
            return dict(zip(keys, range(len(keys)), strict=True))
        return _kept(self.name_numbers, names)

    def _kept_memberships(self, places: npt.NDArray[np.intp]) -> npt.NDArray[np.uint8]:
        """The bits of the literals at `places`, with room for more."""
        width = self.width
        kept = np.zeros(max(64, 2 * len(places)) * width, np.uint8)
        if width and len(places):
            bits = self.memberships[: len(self.lexicon.literals) * width].reshape(-1, width)
            kept[: len(places) * width] = bits[places].ravel()
        return kept


def _kept(known: dict[str, int], numbers: Sequence[int]) -> dict[str, int]:
    """What is known of those that are kept, with their new `numbers`."""
    return {key: new for key, old in known.items() if (new := numbers[old]) != NONE}


def _kept_texts(
    place: Place, known: dict[str, int], names: Sequence[int], literals: Sequence[int]
) -> dict[str, int]:
    """The texts of terms that are kept, with their new numbers.

    None for symbols, each of which is met often, nor where terms were written in so many ways that the texts
    would be more than the terms.
    """
    if not place.is_of_individuals:
        return {}
    kept = {
        text: new
        for text, old in known.items()
        if old >= 0 and (new := names[old] if old < FIRST_LITERAL else literals[old - FIRST_LITERAL]) != NONE
    }
    return kept if len(kept) <= len(set(kept.values())) + 64 else {}
