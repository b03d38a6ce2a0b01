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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.renaming import Renaming, UsedTerms
from pantarhei.encoding.tables import Tables
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.books import Arrival, Books
from pantarhei.engine.consumer import Consumers
from pantarhei.interpretation.foundation import Common
from pantarhei.materialize.model import WindowModel
from pantarhei.window.log import Entry, Log

# So many entries may be added to a vocabulary in any case; an entry takes some hundred bytes.
FLOOR = 32_768
# A stored fact costs a fraction of what a fresh term does: there may be one such for so many of those.
FACTS_A_TERM = 4
# Small ABoxes are renamed so many facts at a time.
BATCH = 4096


def most_entries(vocabulary: Vocabulary, stored: int) -> int:
    """How many entries a vocabulary just collected may come to have where so many facts are stored."""
    return vocabulary.size + max(vocabulary.size // 2, FLOOR, stored // FACTS_A_TERM)


@dataclass(frozen=True, slots=True)
class Compact:
    """A reasoner's state with the terms that it uses alone.

    Args:
        renaming: their new numbers, which the model is to take over.
        tables: those of the vocabulary.
        books, forms: what is stored, in the new numbers.
        stored: how many facts are stored, each entry of the log counted for some more.
    """

    renaming: Renaming
    tables: Tables
    books: Books
    forms: GivenForms
    stored: int


def compact(
    vocabulary: Vocabulary,
    common: Common,
    books: Books,
    forms: GivenForms,
    model: WindowModel,
    consumers: Consumers,
) -> Compact:
    """The state without the terms that it does not use; nothing is changed.

    Repairs in the books keep the lexicon of their time. Costs the stored facts, as columns, a step of Python
    for each entry of the log, and one or two for each term that is used or known.
    """
    used = UsedTerms(*vocabulary.counts)
    used.add_first(*common)
    model.mark_terms(used)
    stored = len(model)
    for batch in _batches(books.log):
        facts = np.concatenate([part for entry in batch for part in (entry.facts, entry.cut)])
        used.add(facts)
        for entry in batch:
            used.add_forms(entry.forms)
        stored += len(facts) + FACTS_A_TERM * len(batch)
    consumers.used_terms(used)
    used.add_forms(forms.known)
    renaming = used.renaming()
    return Compact(
        renaming,
        vocabulary.tables.renamed(renaming),
        _books(books, renaming),
        forms.renamed(renaming),
        stored,
    )


def _books(books: Books, renaming: Renaming) -> Books:
    log = Log.of(_entries(books.log, renaming), books.log.timeline.first_level)
    return replace(books, log=log, arrival=_arrival(books.arrival, log.newest))


def _entries(log: Log, renaming: Renaming) -> Iterator[Entry]:
    for batch in _batches(log):
        facts = renaming.parts([entry.facts for entry in batch])
        cuts = renaming.parts([entry.cut for entry in batch])
        for entry, asserted, cut in zip(batch, facts, cuts, strict=True):
            forms = renaming.forms(entry.forms)
            yield Entry(entry.level, entry.at, entry.ticks, asserted, cut, forms)


def _arrival(arrival: Arrival | None, newest: Entry | None) -> Arrival | None:
    """How to undo the newest entry; one that has left the window is not undone any more."""
    if arrival is None or newest is None:
        return None
    return arrival._replace(facts=newest.facts, cut=newest.cut)


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """The entries in their order, several small ones together."""
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        weight = len(entry.facts) + len(entry.cut)
        if batch and size + weight > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(entry)
        size += weight
    if batch:
        yield batch
