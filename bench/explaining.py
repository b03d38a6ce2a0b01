"""The building at full size, asked why and why not: what an answer costs, and what a push costs beside it.

Each answer is looked at before its time counts: a proof has the fact's timestamp, and rests on what was
asserted; with what is named as missing a fact follows in a reasoner that holds the same window.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from rdflib import RDF

import pantarhei as pr
from bench.building import WINDOW, Building
from bench.measuring import SEED, Figure, check, cpu_seconds, figure, ratios
from pantarhei.model.term import Triple

_TRIED = 10  # so many answers of why_not are tried out


class Asked:
    """A reasoner after the building's stream, and what it is asked."""

    def __init__(self, building: Building, count: int) -> None:
        self.reasoner, self.building = building.reasoner(), building
        for at, triples in building.parsed():
            self.reasoner.push(at, triples)
        self.holds = self.reasoner.materialization()
        given = self.reasoner.background | {triple for _, triple in self.reasoner.assertions()}
        chance = random.Random(SEED)
        self.derived = chance.sample(sorted(self.holds - given), count)
        self.absent = [*self._absent(chance, count)]

    def _absent(self, chance: random.Random, count: int) -> Iterator[Triple]:
        """Classes that things of the same kind are in, and these are not."""
        rooms: dict[Any, set[Any]] = {}
        for subject, predicate, object_ in self.holds:
            if predicate == RDF.type:
                rooms.setdefault(subject, set()).add(object_)
        subjects, met = sorted(rooms), set[Triple]()
        while len(met) < count:
            one, other = chance.sample(subjects, 2)
            for class_ in sorted(rooms[other] - rooms[one])[:1] if rooms[one] & rooms[other] else ():
                triple = (one, RDF.type, class_)
                if triple not in met and len(met) < count:
                    met.add(triple)
                    yield triple

    def check(self) -> None:
        """Look at some answers of each kind."""
        asserted = self.reasoner.assertions()
        at = {time: self.reasoner.interpretation(time) for time in self.reasoner.timestamps}
        for triple in self.derived:
            proof = self.reasoner.explain(triple)
            check("what is proved", (proof.triple, proof.complete), (triple, True))
            check("assertions behind it", proof.supports <= asserted, True)
            check("its timestamp", proof.timestamp is None or triple in at[proof.timestamp], True)
        for triple in self.absent[:_TRIED]:
            for way in self.reasoner.why_not(triple).ways[:1]:
                self._try(triple, way)
        check("what holds afterwards", self.reasoner.materialization() == self.holds, True)

    def _try(self, triple: Triple, way: pr.Abduction) -> None:
        """Add what is missing to a reasoner with the same window, which repairs nothing."""
        fresh = pr.StreamReasoner(
            self.building.ontology, WINDOW, background=self.building.background, repair="off"
        )
        kept: dict[Any, list[Triple]] = {time: [] for time in self.reasoner.timestamps}
        for time, asserted in self.reasoner.assertions():
            kept[time].append(asserted)
        kept[self.reasoner.timestamps[-1]] += way.triples
        for time, triples in kept.items():
            fresh.push(time, triples)
        check("what is missing is enough", triple in fresh.materialization(), True)


def measure(quick: bool) -> Iterator[Figure]:
    """Milliseconds an answer, and what a push costs with a history beside one without."""
    building = Building(2_000 if quick else 20_000)
    asked = Asked(building, 30 if quick else 300)
    asked.check()
    workload, reasoner = "the building asked", asked.reasoner
    for way, ask, triples, most in (
        ("explain", reasoner.explain, asked.derived, 5.0),
        ("why_not", reasoner.why_not, asked.absent, 20.0),
    ):
        times = [1e3 * min(cpu_seconds(partial(ask, each)) for _ in range(3)) for each in triples]
        yield figure(workload, f"{way}, median", times, "ms", at_most=most)
        yield figure(workload, f"{way}, 99 of 100", [float(np.percentile(times, 99))], "ms", at_most=most)
        yield figure(workload, f"{way}, slowest", [max(times)], "ms")
    samples: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(3 if quick else 7):
        for remembers in samples:
            samples[remembers].append(_pushed(building, remembers))
    yield figure(workload, "a push with history : without", ratios(samples[True], samples[False]), "times")


def _pushed(building: Building, remembers: bool) -> float:
    """CPU seconds of the stream's pushes."""
    history = pr.History() if remembers else pr.History(steps=0)
    reasoner = pr.StreamReasoner(building.ontology, WINDOW, background=building.background, history=history)
    aboxes = building.parsed()
    return cpu_seconds(lambda: [reasoner.push(at, triples) for at, triples in aboxes])
