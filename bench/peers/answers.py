"""Sets of triples by what they have in common: how many, and a checksum that does not depend on their order.

Terms are texts in N-Triples syntax. The checksum adds up a hash of each triple, so that millions are compared
without sorting or storing them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdflib import OWL, RDF, RDFS

Hashes = npt.NDArray[np.uint64]
TYPE = RDF.type.n3()
_EVERYTHING = (OWL.Thing.n3(), RDFS.Resource.n3())
_FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)


class Found(NamedTuple):
    """How many distinct triples, and their checksum."""

    count: int
    checksum: int


def hashes(texts: Sequence[str]) -> Hashes:
    """A hash of each text, the same in every process."""
    hashed: Hashes = pd.util.hash_array(np.array(texts, object), categorize=False)
    return hashed


def found(subjects: Hashes, predicates: Hashes, objects: Hashes, individuals: str | None = None) -> Found:
    """What triples have in common, given by the hashes of their terms. They must be distinct.

    Args:
        individuals: a JSON file of names; only triples with these as subjects count.
    """
    if individuals is not None:
        about = np.isin(subjects, hashes(json.loads(Path(individuals).read_text())))
        subjects, predicates, objects = subjects[about], predicates[about], objects[about]
    mixed = np.zeros(len(subjects), np.uint64)
    for column, factor in zip((subjects, predicates, objects), _FACTORS, strict=True):
        mixed = _mix(mixed + column * np.uint64(factor))
    return Found(len(mixed), int(mixed.sum(dtype=np.uint64)))


def _mix(numbers: Hashes) -> Hashes:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))


def found_in(triples: Iterable[tuple[str, str, str]]) -> Found:
    """What distinct triples of texts have in common."""
    columns = [np.array(column, object) for column in zip(*triples, strict=True)]
    return found(*(_hash_column(column) for column in columns)) if columns else Found(0, 0)


def _hash_column(column: npt.NDArray[np.object_]) -> Hashes:
    codes, distinct = pd.factorize(column)
    return hashes(list(distinct))[codes]


def on_individuals(
    triples: Iterable[tuple[str, str, str]], individuals: set[str]
) -> tuple[list[tuple[str, str, str]], dict[str, int]]:
    """The triples that say something of an individual, and how many of each kind of surplus were left out.

    Surplus is what is true of everything (`x a owl:Thing`, `x a rdfs:Resource`, `x owl:sameAs x`) and what a
    class expression's node is told (`x a _:b`), which our rules see through. Triples on other subjects, the
    schema's, are left out as such.
    """
    same, kept = OWL.sameAs.n3(), []
    surplus = {"owl:Thing and rdfs:Resource": 0, "reflexive sameAs": 0, "class expressions": 0, "schema": 0}
    for triple in set(triples):
        subject, predicate, object_ = triple
        if subject not in individuals:
            surplus["schema"] += 1
        elif predicate == TYPE and object_ in _EVERYTHING:
            surplus["owl:Thing and rdfs:Resource"] += 1
        elif predicate == TYPE and object_.startswith("_:"):
            surplus["class expressions"] += 1
        elif predicate == same and subject == object_:
            surplus["reflexive sameAs"] += 1
        else:
            kept.append(triple)
    return kept, {kind: count for kind, count in surplus.items() if count}
