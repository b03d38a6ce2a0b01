"""Random hierarchies of classes, with circles and joins: after each step just what follows is there."""

import random

import numpy as np
import pytest
from rdflib import Variable

from counts import seeds
from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.model import WindowModel
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation import program as superclasses_module
from pantarhei.rules.compilation.program import compile_
from strategies import EX

x, y = Variable("x"), Variable("y")
CLASSES, PEOPLE = 9, 3


def is_a(number, who=x):
    return Atom(EX[f"C{number}"], (who,))


class Hierarchy:
    """Inclusions, at random, some joins beside them, and what follows from facts."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        draw = self.random.randrange
        pairs = {(draw(CLASSES), draw(CLASSES)) for _ in range(draw(6, 16))}
        rules = [Rule("cax-sco", (is_a(low),), is_a(high)) for low, high in sorted(pairs) if low != high]
        rules += [
            Rule("cls-int1", (is_a(draw(CLASSES)), is_a(draw(CLASSES))), is_a(draw(CLASSES)))
            for _ in range(draw(3))
        ]
        rules += [
            Rule("cls-svf1", (Atom(EX.p, (x, y)), is_a(draw(CLASSES), y)), is_a(draw(CLASSES)))
            for _ in range(draw(3))
        ]
        self.rules = [rule for rule in dict.fromkeys(rules) if rule.head not in rule.body]
        self.program = compile_(self.rules)
        self.vocabulary = Vocabulary(self.program)
        people = [EX[f"i{i}"] for i in range(PEOPLE)]
        every = [Atom(EX[f"C{c}"], (who,)).ground({}) for c in range(CLASSES) for who in people]
        every += [(one, EX.p, other) for one in people for other in people]
        self.facts = list(map(tuple, self.vocabulary.encode(every).facts.tolist()))
        number = {symbol.name: i for i, symbol in enumerate(self.vocabulary.symbols)}
        self._rules = [
            ([(number[a.predicate], a.arguments) for a in r.body], number[r.head.predicate])
            for r in self.rules
        ]

    def closure(self, facts):
        found = set(facts)
        while True:
            new = set()
            for body, head in self._rules:
                for first in found:
                    if first[0] != body[0][0]:
                        continue
                    if len(body) == 1:
                        new.add((head, first[1], NONE))
                    else:
                        who = first[1] if body[1][1] == (x,) else first[2]
                        if (body[1][0], who, NONE) in found:
                            new.add((head, first[1], NONE))
            if new <= found:
                return found
            found |= new


def array(facts):
    return np.array(list(facts), np.int32).reshape(-1, 3)


@pytest.mark.parametrize("keep", ["newest", "every"])
@pytest.mark.parametrize("most", [3, superclasses_module.MOST_SUPERCLASSES])
@pytest.mark.parametrize("merging", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("seed", seeds(5, 40))
def test_what_follows_is_there_and_nothing_else(seed, merging, most, keep, monkeypatch):
    """Facts that come, come again, come closed already, leave, and are cut."""
    monkeypatch.setattr(superclasses_module, "MOST_SUPERCLASSES", most)
    world = Hierarchy(seed)
    draw = world.random
    model = WindowModel(world.program, keep, world.vocabulary)
    times, width = {}, draw.choice((1, 2, 5))
    for level in range(1, 40):
        model.slide(level - width)
        times = {fact: at for fact, at in times.items() if at >= level - width}
        given = draw.sample(world.facts, draw.randrange(4))
        if draw.random() < merging:
            closed = world.closure(given)
            model.merge(array([*given, *sorted(closed - set(given))]), len(given), level)
        else:
            model.add(array(given), level)
        times.update(dict.fromkeys(given, level))
        if times and draw.random() < 0.4:
            cut = draw.sample(sorted(times), draw.randrange(1, 1 + min(3, len(times))))
            model.cut(array(cut))
            for fact in cut:
                del times[fact]
        if draw.random() < 0.2:
            model.kernel.settle()
        model.kernel.check_invariants()
        assert set(map(tuple, model.facts().tolist())) == world.closure(times)
