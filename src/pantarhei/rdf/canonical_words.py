"""Which words are terms written as pyoxigraph writes them.

Ordinary IRIs are told from their bytes, all words of a block together; ordinary literals and blank nodes by a
pattern, each once; the rest is read and written by pyoxigraph and compared.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import compress
from string import ascii_letters, digits

import numpy as np
import pyoxigraph as ox

from pantarhei.rdf.term_reader import MOST_CACHED
from pantarhei.rdf.word_columns import Flags, Places, WordColumn

_IRI = r"<https?://[A-Za-z0-9.-]+(?:/[A-Za-z0-9._~/-]*)?(?:#[A-Za-z0-9._~/-]*)?>"
_XSD = r"<http://www\.w3\.org/2001/XMLSchema#(?!string>)[a-zA-Z]+>"
_ORDINARY = re.compile(rf'{_IRI}|"[ !#-\[\]-~]*"(?:\^\^{_XSD}|@[a-z]{{2}})?|_:[A-Za-z][A-Za-z0-9]*')
_SCHEMES = b"<http://", b"<https://"


def _table(characters: str) -> Flags:
    flags = np.zeros(256, np.bool_)
    flags[np.frombuffer(characters.encode(), np.uint8)] = True
    return flags


_IN_HOST = _table(ascii_letters + digits)
_MARK = ~_table(ascii_letters + digits + "-._~/")


class CanonicalTerms:
    """Tells canonical terms; remembers those that it has found by other means than their bytes."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def among(self, words: WordColumn, texts: Sequence[str]) -> Flags:
        """Which words, whose texts these are, are canonical; false for none that is not, at least."""
        flags = are_ordinary_iris(words)
        others = np.flatnonzero(~flags & (words.lengths > 1))  # a full stop is none
        if len(others):
            unsure = [texts[place] for place in others.tolist()]
            known = self._find(set(unsure))
            flags[others] = [text in known for text in unsure]
        return flags

    def _find(self, texts: set[str]) -> set[str]:
        """At least those of `texts` that are canonical, and no others that are not."""
        new = texts - self._known
        if new:
            found = canonical_of(new)
            if len(self._known) >= MOST_CACHED:
                self._known = (texts & self._known) | found
            else:
                self._known |= found
        return self._known


def are_ordinary_iris(words: WordColumn) -> Flags:
    """Which words are IRIs of http or https with a host and ordinary characters.

    Such a one has four marks, of which the second is the scheme's colon, or five, then the third is a number
    sign; the last is the newline behind it.
    """
    text, begins, ends = words.text, words.bounds[:-1], words.bounds[1:]
    marks = np.flatnonzero(_MARK[text])
    first = np.searchsorted(marks, begins)
    counts = np.diff(first, append=len(marks))
    are: Flags = (counts == 4) | (counts == 5)
    are &= words.lengths > len(_SCHEMES[1])
    places = np.flatnonzero(are)
    begins, ends = begins[places], ends[places]
    fits = _begin(words, begins) & (text[ends - 2] == ord(">"))
    fits &= (counts[places] == 4) | (text[marks[first[places] + 2]] == ord("#"))
    are[places] = fits
    return are


def _begin(words: WordColumn, begins: Places) -> Flags:
    """Whether what begins there is one of the schemes, with the beginning of a host behind it."""
    found = np.zeros(len(begins), np.bool_)
    for scheme in _SCHEMES:
        fits = _IN_HOST[words.text[begins + len(scheme)]]
        for place, byte in enumerate(scheme):
            fits &= words.text[begins + place] == byte
        found |= fits
    return found


def canonical_of(texts: Collection[str]) -> set[str]:
    """Those that are a term of RDF 1.1 exactly as pyoxigraph writes it."""
    unusual = [text for text in texts if not _ORDINARY.fullmatch(text)]
    # triple terms are none, and nested deep they would exhaust the parser's stack
    whole = [text for text in unusual if text and "<<" not in text]
    if not _are_written(whole):
        whole = list(compress(whole, (_are_written([text]) for text in whole)))
    return (set(texts) - set(unusual)) | set(whole)


def _are_written(texts: Sequence[str]) -> bool:
    document = "".join(f"<urn:x> <urn:x> {text} <urn:x> .\n" for text in texts)
    try:
        quads = list(ox.parse(document.encode(), ox.RdfFormat.N_QUADS))
    except SyntaxError:
        return False
    return len(quads) == len(texts) and all(map(_is_written, quads, texts))


def _is_written(quad: ox.Quad, text: str) -> bool:
    term = quad.object
    return str(term) == text and not (isinstance(term, ox.Literal) and term.direction is not None)
