"""Proofs of conclusions: rules, what their bodies rest on, and so on down to what was said.

A conclusion of the present tick may rest on others of it, never on itself: of the rule instances that
conclude it, one is told that takes the fewest steps.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from pantarhei.proofs.proof import Proof
from pantarhei.temporal.reasons.bodies import Bodies
from pantarhei.temporal.reasons.evidence import Atom, Evidence, Instance, Leaf
from pantarhei.temporal.reasons.support import Support
from pantarhei.temporal.reasons.writing import Sources, Told, Words, proof_of


class Way(NamedTuple):
    """An instance that concludes something, as a node of the support.

    Args:
        instance: the instance.
        node: its node.
        evidence: the nodes of the formulas that rest on conclusions.
    """

    instance: Instance
    node: int
    evidence: dict[Evidence, int]


class Reasons:
    """Why rules conclude what they do at the present tick; for one question.

    Args:
        bodies: the rules, over what has been said.
        words: for what is told.
        sources: reasons for what was said.
        limit: how many rule instances are looked at.
    """

    def __init__(self, bodies: Bodies, words: Words, sources: Sources, limit: int) -> None:
        self._bodies, self._words, self._sources, self._limit = bodies, words, sources, limit
        self._support = Support()
        self._atoms: dict[Atom, int] = {}  # with their nodes
        self._ways: dict[Atom, list[Way]] = {}
        self._open: set[int] = set()  # nodes of what was not looked into
        self._complete = True

    def proofs(self, goal: Atom, is_all: bool) -> Iterator[Proof]:
        """The proofs of a conclusion: one that takes the fewest steps, or one for each instance of a rule
        that concludes it without resting on it. None where no rule does.
        """
        self._look_behind(goal, is_all)
        root = self._atoms[goal]
        places = self._support.settled(unused=root)
        ways = self._ways_among(goal, places)
        if not ways:
            places = self._support.settled(self._open - {root}, unused=root)
            ways = self._ways_among(goal, places)
        for way in ways if is_all else ways[:1]:
            told = self._told(goal, way, places)
            yield proof_of(told, self._words, self._sources, self._complete)

    # -- what may be behind it ---------------------------------------------------------------------

    def _look_behind(self, goal: Atom, is_all: bool) -> None:
        """Note what the goal may rest on, as far as the limit goes."""
        self._node(goal)
        waiting, seen = deque([goal]), 0
        while waiting:
            atom = waiting.popleft()
            self._open.discard(self._atoms[atom])
            for instance in self._bodies.concluding(atom):
                if seen >= self._limit:
                    self._complete = False
                    self._open.add(self._atoms[atom])
                    break
                seen += 1
                fresh = self._note(atom, instance)
                if fresh is not None:
                    waiting += fresh
                elif not (is_all and atom == goal):
                    break  # this one rests on what was said alone

    def _note(self, atom: Atom, instance: Instance) -> list[Atom] | None:
        """Note an instance; returns the conclusions it rests on that were not met before, None if it rests on
        none at all.
        """
        lacking = dict.fromkeys(each for each in instance.evidence if each.is_open)
        way = Way(instance, self._support.node(len(lacking)), {})
        self._ways.setdefault(atom, []).append(way)
        self._support.rest(self._atoms[atom], [way.node])
        fresh = []
        for evidence in lacking:
            place = way.evidence[evidence] = self._support.node(evidence.lacking)
            self._support.rest(way.node, [place])
            fresh += [drawn for drawn in evidence.atoms if drawn not in self._atoms]
            self._support.rest(place, [self._node(drawn) for drawn in evidence.atoms])
        return fresh if lacking else None

    def _node(self, atom: Atom) -> int:
        if atom not in self._atoms:
            self._atoms[atom] = self._support.node(1)
            self._open.add(self._atoms[atom])
        return self._atoms[atom]

    # -- what is told ------------------------------------------------------------------------------

    def _ways_among(self, atom: Atom, places: dict[int, int]) -> list[Way]:
        """The ways in which a conclusion holds without what comes after it, the shortest first."""
        last = places.get(self._atoms[atom], len(places))
        ways = [way for way in self._ways.get(atom, ()) if places.get(way.node, last) < last]
        return sorted(ways, key=lambda way: places[way.node])

    def _told(self, goal: Atom, way: Way, places: dict[int, int]) -> Iterator[Told]:
        """What is told of the goal and of each conclusion behind it, of what others rest on first."""
        told: dict[Atom, Told] = {}
        waiting: list[tuple[Atom, Way | None]] = [(goal, way)]
        while waiting:
            atom, chosen = waiting.pop()
            if atom in told:
                continue
            if chosen is None:
                told[atom] = Told(atom)
                continue
            leaves = tuple(self._leaves(each, chosen, places) for each in chosen.instance.evidence)
            told[atom] = Told(atom, chosen.instance, leaves)
            behind = [leaf for part in leaves for leaf in part if isinstance(leaf, Atom)]
            waiting += [(each, next(iter(self._ways_among(each, places)), None)) for each in behind]
        last = told.pop(goal)
        yield from sorted(told.values(), key=lambda each: places[self._atoms[each.atom]])
        yield last

    def _leaves(self, evidence: Evidence, way: Way, places: dict[int, int]) -> tuple[Leaf, ...]:
        """What a formula is said to rest on: conclusions that come before it."""
        if evidence.formula.is_negated:
            return ()
        if evidence not in way.evidence:
            return evidence.enough(())
        last = places[way.evidence[evidence]]
        return evidence.enough(each for each in evidence.atoms if places.get(self._atoms[each], last) < last)
