"""Comparable digests of sets of triples: their number, and a checksum that does not depend on their order.

Terms are texts in N-Triples syntax. The checksum is the sum of a hash of each triple, so that millions of
triples are compared without sorting or storing them.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdflib import OWL, RDF, RDFS

Hashes = npt.NDArray[np.uint64]
TYPE = RDF.type.n3()
_SAME = OWL.sameAs.n3()
_EVERYTHING = (OWL.Thing.n3(), RDFS.Resource.n3())
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


class TripleDigest(NamedTuple):
    """Number of distinct triples, and their checksum."""

    count: int
    checksum: int


def hashes(texts: Sequence[str]) -> Hashes:
    """Return a hash of each text, equal in every process."""
    hashed: Hashes = pd.util.hash_array(np.array(texts, object), categorize=False)
    return hashed


def triple_digest(
    subjects: Hashes, predicates: Hashes, objects: Hashes, individuals: str | None = None
) -> TripleDigest:
    """Return the digest of triples, given by the hashes of their terms. The triples must be distinct.

    Args:
        individuals: a JSON file of names; only triples with one of them as subject count.
    """
    if individuals is not None:
        about = np.isin(subjects, hashes(json.loads(Path(individuals).read_text())))
        subjects, predicates, objects = subjects[about], predicates[about], objects[about]
    mixed = np.zeros(len(subjects), np.uint64)
    for column, factor in zip((subjects, predicates, objects), _FACTORS, strict=True):
        mixed = _mix(mixed + column * np.uint64(factor))
    return TripleDigest(len(mixed), int(mixed.sum(dtype=np.uint64)))


def _mix(numbers: Hashes) -> Hashes:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def individuals_digest(
    triples: Iterable[tuple[str, str, str]], individuals: Sequence[str]
) -> tuple[TripleDigest, dict[str, int]]:
    """Return the digest of the triples on individuals, and the number of omitted triples of each trivial
    kind.

    Trivial triples hold for every term (`x a owl:Thing`, `x a rdfs:Resource`, `x owl:sameAs x`), or state
    membership in the node of a class expression (`x a _:b`), which our rules do not materialize. Triples with
    other subjects, those of the schema, are omitted. Terms are numbered in order of appearance, so that
    millions fit into memory.
    """
    numbers: dict[str, int] = {}
    codes = array("q")
    for triple in triples:
        codes.extend([numbers.setdefault(text, len(numbers)) for text in triple])
    rows = np.unique(np.array(codes, np.int64).reshape(-1, 3), axis=0)
    texts = list(numbers)
    subjects, predicates, objects = rows.T
    is_type = predicates == numbers.get(TYPE, -1)
    named = np.zeros(len(texts) + 1, bool)
    named[[numbers[name] for name in individuals if name in numbers]] = True
    blank = np.array([text.startswith("_:") for text in texts], bool)
    everything = [numbers[text] for text in _EVERYTHING if text in numbers]
    about = named[subjects]
    kinds = {
        "schema": ~about,
        "owl:Thing and rdfs:Resource": about & is_type & np.isin(objects, everything),
        "class expressions": about & is_type & blank[objects],
        "reflexive sameAs": about & (predicates == numbers.get(_SAME, -1)) & (subjects == objects),
    }
    kept = rows[~np.logical_or.reduce(list(kinds.values()))]
    hashed = hashes(texts)
    surplus = {kind: int(mask.sum()) for kind, mask in kinds.items()}
    return triple_digest(*(hashed[column] for column in kept.T)), {
        kind: n for kind, n in surplus.items() if n
    }
