"""The terms that nothing uses any more are forgotten: a copying collection of a reasoner's state.

Used are the terms of the foundation, the constants of the rules among them (what a theory demands later
brings no others), the classes and properties that the program in force has numbers for, and those of the
facts and forms in model and books. They get new numbers, the rest is gone, so that an endless stream of fresh
names, values, classes and properties takes the room of what is stored.

It is done where the entries of the vocabulary have become half as many again: the cost is that of what is
stored, shared among half as many fresh terms. Nothing is changed before all is made, and what was made is
taken over as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.encoding.tables import Tables
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.consumer import Consumers
from pantarhei.engine.ground import GroundT
from pantarhei.interpretation.foundation import Common
from pantarhei.materialize.model import WindowModel

# So many entries may be added to a vocabulary in any case; an entry takes some hundred bytes.
FLOOR = 32_768
# A stored fact costs a fraction of what a fresh term does: there may be one such for so many of those.
FACTS_A_TERM = 4


def most_entries(vocabulary: Vocabulary, stored: int) -> int:
    """How many entries a vocabulary just collected may come to have where so many facts are stored."""
    return vocabulary.size + max(vocabulary.size // 2, FLOOR, stored // FACTS_A_TERM)


@dataclass(frozen=True, slots=True)
class Compact(Generic[GroundT]):
    """A reasoner's state with the terms that it uses alone.

    Args:
        renaming: their new numbers, which the model is to take over.
        tables: those of the vocabulary.
        books, forms: what is stored, in the new numbers.
        stored: how many facts are stored, each entry of the log counted for some more.
        forgets_nothing: whether all terms are used, so that everything is as it was.
    """

    renaming: Renaming
    tables: Tables
    books: GroundT
    forms: GivenForms
    stored: int
    forgets_nothing: bool = False


def compact(
    vocabulary: Vocabulary,
    common: Common,
    books: GroundT,
    forms: GivenForms,
    model: WindowModel,
    consumers: Consumers,
) -> Compact[GroundT]:
    """The state without the terms that it does not use; nothing is changed.

    Costs the stored facts, as columns, and a step of Python for each ABox; where something is forgotten, one
    or two for each term that is used or known.
    """
    used = UsedTerms(*vocabulary.counts)
    used.add_first(*common)
    model.mark_terms(used)
    stored = len(model) + books.used_terms(used)
    consumers.used_terms(used)
    used.add_forms(forms.known)
    renaming = used.renaming()
    has_only_terms = vocabulary.size == sum(vocabulary.counts)
    if renaming.keeps_all and has_only_terms:
        return Compact(renaming, vocabulary.tables, books, forms, stored, forgets_nothing=True)
    return Compact(
        renaming,
        vocabulary.tables.renamed(renaming),
        books.renamed(renaming),
        forms.renamed(renaming),
        stored,
    )
