"""Smallest consumer: the number of members of each class, maintained by changes alone."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np

from pantarhei.encoding.numbers import NO_FACTS, net_changes
from pantarhei.engine.consumer import known_bytes
from pantarhei.window.log import among


class ClassCounts:
    """Counts by class number; every `period` ticks they are reported."""

    needed_symbols, needs_levels, receives_each_step = None, False, False

    def __init__(self, period=None):
        self.period = period
        self.counts, self.reports, self.seen = {}, (), []
        self.steps = 0

    bytes_used = property(lambda self: 100 * len(self.counts))

    def due(self, after, until):
        if self.period is None:
            return None
        following = (after // self.period + 1) * self.period
        return following if following <= until else None

    def before(self, step, model):
        self.reports = (*self.reports, (step.now, sum(self.counts.values())))
        assert self.counts == counted(model)

    def apply(self, changes, model):
        counts = Counter(self.counts)
        signed = net_changes(changes.fact_changes)
        assert len(np.unique(signed[:, :3], axis=0)) == len(signed) and (abs(signed[:, 3]) == 1).all()
        for predicate, _, object_, sign in signed.tolist():
            if object_ < 0:
                counts[predicate] += sign
        self.counts = {predicate: count for predicate, count in counts.items() if count}
        self.steps += 1
        self.seen.append(changes)
        assert self.counts == counted(model)

    def mark(self):
        return self.counts, self.reports

    def back(self, mark):
        self.counts, self.reports = mark

    def used_terms(self, used):
        for predicate in self.counts:
            used.symbols[predicate] = 1

    def renamed(self, renaming):
        self.counts = {int(renaming.symbols[predicate]): count for predicate, count in self.counts.items()}

    def rebuilt(self, model, saved):
        self.counts = counted(model)
        self.reports = () if saved is None else tuple(map(tuple, json.loads(saved)))

    def saved(self):
        return known_bytes(json.dumps(self.reports).encode())


def counted(model):
    """Count the members of each class in a model, from all its facts."""
    facts = model.facts()
    classes = facts[facts[:, 2] < 0, 0]
    return dict(zip(*(part.tolist() for part in np.unique(classes, return_counts=True)), strict=True))


def survivors(entries):
    """Return the assertions that the repair of their own timestamp kept, in order."""
    return np.concatenate([NO_FACTS, *(each.facts[~among(each.cut, each.facts)] for each in entries)])
