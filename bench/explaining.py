"""Full-size building: cost of `explain` and `why_not`, and cost of a push with and without history.

Answers are checked before their time counts: a proof has the fact's timestamp and rests on assertions of the
stream; adding an abduction to a reasoner with the same window derives the absent fact.
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

_TRIED = 10  # number of answers of why_not that are checked


class ExplanationTasks:
    """Reasoner after the building's stream, with the facts and absent facts to explain."""

    def __init__(self, building: Building, count: int) -> None:
        self.reasoner, self.building = building.reasoner(), building
        for at, triples in building.parsed():
            self.reasoner.push(at, triples)
        self.holds = self.reasoner.materialization()
        given = self.reasoner.background | {triple for _, triple in self.reasoner.assertions()}
        generator = random.Random(SEED)
        self.derived = generator.sample(sorted(self.holds - given), count)
        self.absent = [*self._absent_memberships(generator, count)]

    def _absent_memberships(self, generator: random.Random, count: int) -> Iterator[Triple]:
        """Yield absent memberships: classes of other individuals of the same kind."""
        rooms: dict[Any, set[Any]] = {}
        for subject, predicate, object_ in self.holds:
            if predicate == RDF.type:
                rooms.setdefault(subject, set()).add(object_)
        subjects, met = sorted(rooms), set[Triple]()
        while len(met) < count:
            one, other = generator.sample(subjects, 2)
            for class_ in sorted(rooms[other] - rooms[one])[:1] if rooms[one] & rooms[other] else ():
                triple = (one, RDF.type, class_)
                if triple not in met and len(met) < count:
                    met.add(triple)
                    yield triple

    def check(self) -> None:
        """Check some answers of each kind."""
        asserted = self.reasoner.assertions()
        at = {time: self.reasoner.interpretation(time) for time in self.reasoner.timestamps}
        for triple in self.derived:
            proof = self.reasoner.explain(triple)
            check("what is proved", (proof.triple, proof.complete), (triple, True))
            check("assertions behind it", proof.supports <= asserted, True)
            check("its timestamp", proof.timestamp is None or triple in at[proof.timestamp], True)
        for triple in self.absent[:_TRIED]:
            for way in self.reasoner.why_not(triple).ways[:1]:
                self._check_abduction(triple, way)
        check("what holds afterwards", self.reasoner.materialization() == self.holds, True)

    def _check_abduction(self, triple: Triple, way: pr.Abduction) -> None:
        """Add the missing facts to a reasoner with the same window and without repair, and check that the
        fact follows.
        """
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
    """Yield milliseconds per answer, and the cost of a push with a history relative to one without."""
    building = Building(2_000 if quick else 20_000)
    tasks = ExplanationTasks(building, 30 if quick else 300)
    tasks.check()
    workload, reasoner = "the building asked", tasks.reasoner
    for way, ask, triples, most in (
        ("explain", reasoner.explain, tasks.derived, 5.0),
        ("why_not", reasoner.why_not, tasks.absent, 20.0),
    ):
        times = [1e3 * min(cpu_seconds(partial(ask, each)) for _ in range(3)) for each in triples]
        yield figure(workload, f"{way}, median", times, "ms", at_most=most)
        yield figure(workload, f"{way}, 99 of 100", [float(np.percentile(times, 99))], "ms", at_most=most)
        yield figure(workload, f"{way}, slowest", [max(times)], "ms")
    samples: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(3 if quick else 7):
        for remembers in samples:
            samples[remembers].append(_push_seconds(building, remembers))
    yield figure(workload, "a push with history : without", ratios(samples[True], samples[False]), "times")


def _push_seconds(building: Building, remembers: bool) -> float:
    """Return the CPU seconds of the stream's pushes."""
    history = pr.History() if remembers else pr.History(steps=0)
    reasoner = pr.StreamReasoner(building.ontology, WINDOW, background=building.background, history=history)
    aboxes = building.parsed()
    return cpu_seconds(lambda: [reasoner.push(at, triples) for at, triples in aboxes])
