"""Storage of facts against a plain set, through a window model without rules."""

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from pantarhei.encoding.numbers import FIRST_LITERAL, NONE, Renaming, UsedTerms
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.kernel.every import EveryKernel
from pantarhei.materialize.kernel.newest import NewestKernel
from pantarhei.materialize.model import WindowModel
from pantarhei.rules.compilation.program import compile_

PROPERTIES, CLASSES = (0, 1, 17, 40), (2, 3)  # beyond the flags there is room for at first
SYMBOLS = 41
PEOPLE = tuple(range(12))
OBJECTS = (*PEOPLE[:5], FIRST_LITERAL, FIRST_LITERAL + 1)

fact = st.one_of(
    st.tuples(st.sampled_from(PROPERTIES), st.sampled_from(PEOPLE), st.sampled_from(OBJECTS)),
    st.tuples(st.sampled_from(CLASSES), st.sampled_from(PEOPLE), st.just(NONE)),
)
some = st.lists(fact, max_size=25)


def array(facts):
    return np.array(list(facts), np.int32).reshape(-1, 3)


class Storing(RuleBasedStateMachine):
    """Facts are known by what they mean; their predicates have numbers like those of a vocabulary."""

    kernel = NewestKernel

    def __init__(self):
        super().__init__()
        program = compile_([])
        self.model = WindowModel(program, "newest", Vocabulary(program))
        self.model.kernel = type(self).kernel(program.plans, 8)
        self.levels = {}  # fact: newest level
        self.level, self.oldest, self.seen = 0, 0, set()
        self.indexed = set()
        self.symbols = list(range(SYMBOLS))

    def number(self, predicate):
        """The number of a predicate, a new one if it has none any more."""
        if predicate not in self.symbols:
            self.symbols.append(predicate)
        return self.symbols.index(predicate)

    def numbered(self, facts):
        return array((self.number(predicate), *ends) for predicate, *ends in facts)

    def meaning(self, fact):
        predicate, *ends = fact
        return self.symbols[predicate], *ends

    @rule(facts=some)
    def add(self, facts):
        self.level += 1
        self.model.add(self.numbered(facts), self.level)
        self.levels.update(dict.fromkeys(facts, self.level))

    @rule(facts=some)
    def add_more(self, facts):
        self.model.add(self.numbered(facts), self.level)
        self.levels.update(dict.fromkeys(facts, self.level))

    @rule(facts=some)
    def cut(self, facts):
        self.model.cut(self.numbered(facts))
        for each in facts:
            self.levels.pop(each, None)

    @rule(predicate=st.sampled_from(PROPERTIES))
    def cut_a_predicate(self, predicate):
        gone = [each for each in self.levels if each[0] == predicate]
        self.model.cut(self.numbered(gone))
        for each in gone:
            del self.levels[each]

    @rule(count=st.integers(1, 2))
    def slide(self, count):
        self.oldest = min(self.oldest + count, self.level + 1)
        self.model.slide(self.oldest)
        self.level = max(self.level, self.oldest)
        self.levels = {each: at for each, at in self.levels.items() if at >= self.oldest}

    @rule(predicate=st.sampled_from(PROPERTIES), by_subject=st.booleans(), by_object=st.booleans())
    def index(self, predicate, by_subject, by_object):
        """On live data, and more than once."""
        self.model.kernel.store.index(self.number(predicate), by_subject, by_object)
        if by_subject:
            self.indexed.add((predicate, 0))
        if by_object:
            self.indexed.add((predicate, 1))

    @rule(
        names=st.tuples(st.permutations(PEOPLE[:5]), st.permutations(PEOPLE[5:])),
        swap=st.sampled_from((0, 1)),
        gone=st.sets(st.sampled_from(range(SYMBOLS))),
    )
    def rename(self, names, swap, gone):
        """With changes pending, too. Predicates that no fact has may be forgotten, indexed or not."""
        used = {fact[0] for fact in (*self.levels, *self.seen)}
        left = [symbol for symbol in self.symbols if symbol in used or symbol not in gone]
        symbols = [left.index(symbol) if symbol in left else NONE for symbol in self.symbols]
        numbers = [*names[0], *names[1]]
        literals = [FIRST_LITERAL + swap, FIRST_LITERAL + 1 - swap]
        self.model.rename(Renaming(*(np.array(some, np.int32) for some in (symbols, numbers, literals))))
        self.indexed -= {(symbol, chain) for symbol in self.symbols for chain in (0, 1) if symbol not in left}
        self.symbols = left
        new = {NONE: NONE, **dict(enumerate(numbers)), **dict(enumerate(literals, FIRST_LITERAL))}
        self.levels = {(p, new[s], new[o]): level for (p, s, o), level in self.levels.items()}
        self.seen = {(p, new[s], new[o]) for p, s, o in self.seen}

    @rule()
    def terms_in_use_are_marked(self):
        used = UsedTerms(len(self.symbols), len(PEOPLE), 2)
        self.model.mark_terms(used)
        marked = [symbol for symbol, flag in zip(self.symbols, used.symbols, strict=True) if flag]
        assert set(marked) == {predicate for predicate, *_ in self.levels}
        ends = {end for _, *both in self.levels for end in both}
        assert {i for i in PEOPLE if used.names[i]} == ends & set(PEOPLE)
        assert {FIRST_LITERAL + i for i in (0, 1) if used.literals[i]} == ends - set(PEOPLE) - {NONE}

    @rule()
    def changes_lead_from_what_was_to_what_is(self):
        for *changed, sign in self.model.take_changes().tolist():
            fact = self.meaning(changed)
            if sign > 0:
                assert fact not in self.seen
                self.seen.add(fact)
            else:
                self.seen.remove(fact)
        assert self.seen == set(self.levels)

    @invariant()
    def same_facts(self):
        kernel = self.model.kernel
        kernel.check_invariants()
        found = list(map(self.meaning, self.model.facts().tolist()))
        assert len(found) == len(set(found)) == len(self.model)
        assert set(found) == set(self.levels)

    @invariant()
    def same_chains(self):
        for predicate, chain in sorted(self.indexed):
            for who in PEOPLE if chain == 0 else OBJECTS:
                rows = self.model.kernel.store.select(
                    self.number(predicate), *((who, NONE) if chain == 0 else (NONE, who)), chain
                )
                facts = list(map(self.meaning, self.model.facts_of(rows.tolist()).tolist()))
                assert len(facts) == len(set(facts))
                assert set(facts) == {
                    each for each in self.levels if each[0] == predicate and each[1 + chain] == who
                }

    @rule(wanted=fact)
    def look_up(self, wanted):
        row = self.model.kernel.store.row_of(*self.numbered([wanted])[0])
        assert (row >= 0) is (wanted in self.levels)
        if row >= 0:
            assert list(map(self.meaning, self.model.facts_of([row]).tolist())) == [wanted]


class StoringEvery(Storing):
    kernel = EveryKernel


TestNewest = Storing.TestCase
TestEvery = StoringEvery.TestCase
for case in (TestNewest, TestEvery):
    case.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
del case


@pytest.mark.parametrize("kernel", [NewestKernel, EveryKernel])
def test_rows_are_used_again(kernel):
    """A window that slides for long takes the room of a window, not of the stream."""
    program = compile_([])
    model = WindowModel(program, "newest", Vocabulary(program))
    model.kernel = kernel(program.plans, 8)
    sizes = []
    for level in range(300):
        model.add(array((0, 1000 * level + i, i) for i in range(50)), level)
        model.slide(level - 3)
        sizes.append(model.kernel.store.used)
    assert max(sizes) == sizes[10] and len(model) == 200
    model.kernel.check_invariants()


def test_indexing_many_facts_of_few_subjects_and_of_many():
    program = compile_([])
    model = WindowModel(program, "newest", Vocabulary(program))
    hub = [(0, 0, i) for i in range(1, 3000)]
    spread = [(1, i, i % 7) for i in range(3000)]
    model.add(array([*hub, *spread]), 0)
    for predicate in (0, 1):
        model.kernel.store.index(predicate, True, True)
    model.kernel.check_invariants()
    assert len(model.kernel.store.select(0, 0, NONE, 0)) == 2999
    assert len(model.kernel.store.select(1, 5, NONE, 0)) == 1
    assert len(model.kernel.store.select(1, NONE, 5, 1)) == len([i for i in range(3000) if i % 7 == 5])


def test_room_for_more_is_found_in_the_rows_that_are_free():
    program = compile_([])
    kernel = NewestKernel(program.plans, 1024)
    facts = array((0, number, NONE) for number in range(1024))
    kernel.add(facts, np.zeros(1024, np.int32), np.empty(1024, np.int32))
    kernel.cut(facts[:1000])
    kernel.store.take_changes()
    before = kernel.bytes_used()
    kernel.store.reserve(1000)
    assert kernel.bytes_used() == before
    kernel.store.reserve(1001)
    assert kernel.bytes_used() > before
