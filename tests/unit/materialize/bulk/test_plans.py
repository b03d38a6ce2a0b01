"""Bodies matched by column, against all combinations of facts."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import XSD, Literal, Variable

from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.materialize.bulk.columns import columns_of
from pantarhei.materialize.bulk.evaluation import BulkProgram
from pantarhei.materialize.bulk.plans import ColumnMatcher, Frame
from pantarhei.model.data_range import Datatype
from pantarhei.model.rule import Builtin, Different, Member, Rule
from pantarhei.rules.compilation.program import compile_
from pantarhei.values.scalar_functions import SWRLB
from strategies import A, R, S, V, a, b, c, is_a, member, related, x, y, z

BODIES = {
    "a look-up": (related(R, x, y), is_a(A, y)),
    "a walk": (related(R, x, y), related(S, y, z)),
    "a walk back": (related(R, x, y), related(S, z, y)),
    "a cycle": (related(R, x, y), related(S, y, x)),
    "one term twice": (related(R, x, x), is_a(A, x)),
    "a constant": (related(R, x, a), related(S, x, y)),
}
TRIPLES = [*product((a, b, c), (R, S), (a, b, c)), *(member(A, who) for who in (a, b, c))]
facts = st.lists(
    st.tuples(st.sampled_from(TRIPLES), st.integers(0, 2)), max_size=14, unique_by=lambda f: f[0]
)


def substituted(atom, binding):
    subject, *rest = (binding.get(argument, argument) for argument in atom.arguments)
    return (subject, atom.predicate, *rest) if rest else member(atom.predicate, subject)


def matches(body, levels):
    """(what x, y, z are, the lowest level) of each match, by trying all."""
    variables = sorted({v for atom in body for v in atom.arguments if isinstance(v, Variable)})
    for terms in product((a, b, c), repeat=len(variables)):
        found = [substituted(atom, dict(zip(variables, terms, strict=True))) for atom in body]
        if all(fact in levels for fact in found):
            yield terms, min(levels[fact] for fact in found)


def frames(rule, triples, most_rows=1 << 20):
    """The matches with the facts of the first atom as given: head, frame and vocabulary."""
    program = compile_([rule])
    vocabulary = Vocabulary(program)
    rows = vocabulary.encode([triple for triple, _ in triples]).facts
    columns = columns_of(rows, np.array([level for _, level in triples], np.int32))
    matcher = ColumnMatcher(columns, vocabulary, program.plans.membership_bytes, most_rows)
    predicate = vocabulary.find_property(rule.body[0].predicate)
    if predicate in columns:
        plan = BulkProgram(program.plans).plans_of(predicate)[0]
        for frame in matcher.matches(plan, columns[predicate]):
            yield plan.head, frame, vocabulary


def matched(rule, triples, most_rows=1 << 20):
    """(the head's terms, the lowest level) of each match."""
    for (_, *arguments), frame, vocabulary in frames(rule, triples, most_rows):
        ends = [frame.column(argument).tolist() for argument in arguments]
        for *terms, level in zip(*ends, frame.levels.tolist(), strict=True):
            yield tuple(map(vocabulary.term, terms)), level


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@settings(max_examples=30, deadline=None)
@given(facts, st.sampled_from([1, 1 << 20]))
def test_each_match_is_found_once_at_its_lowest_level_however_small_frames_are(body, triples, most_rows):
    variables = sorted({v for atom in body for v in atom.arguments if isinstance(v, Variable)})
    first, last = variables[0], variables[-1]
    expected = [((t[0], t[-1]), level) for t, level in matches(body, dict(triples))]
    found = list(matched(Rule("r", body, related(V, first, last)), triples, most_rows))
    assert sorted(found) == sorted(expected)


def test_a_frame_that_would_grow_beyond_the_limit_is_taken_in_parts():
    walk = Rule("r", BODIES["a walk"], related(V, x, z))
    triples = [*(((who, R, b), 0) for who in (a, b, c)), *(((b, S, what), 0) for what in (a, b, c))]
    assert [len(frame.levels) for _, frame, _ in frames(walk, triples)] == [9]
    assert [len(frame.levels) for _, frame, _ in frames(walk, triples, 3)] == [3, 3, 3]
    assert sorted(len(frame.levels) for _, frame, _ in frames(walk, triples, 6)) == [3, 6]


def related_to(*values):
    return [((a, V, Literal(value)), 0) for value in values]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"different": (Different(x, a),)}, []),
        ({"tests": (Member(y, Datatype(XSD.integer)),)}, [1, 5]),
        ({"tests": (Member(y, Datatype(XSD.integer), inside=False),)}, ["x"]),
        ({"tests": (Builtin(SWRLB.lessThan, (y, Literal(3))),)}, [1]),
    ],
)
def test_conditions_leave_the_matches_that_meet_them(condition, expected):
    rule = Rule("r", (related(V, x, y),), related(R, x, y), **condition)
    found = matched(rule, [*related_to(1, 5, "x"), ((a, V, b), 0)])
    literals = [end.toPython() for (_, end), _ in found if isinstance(end, Literal)]
    assert sorted(literals, key=str) == expected


def test_what_is_computed_is_bound():
    rule = Rule("r", (related(V, x, y),), related(R, x, z), tests=(Builtin(SWRLB.add, (z, y, Literal(1))),))
    assert {end.toPython() for (_, end), _ in matched(rule, related_to(1, 5))} == {2, 6}


def test_a_frame_is_its_halves_and_forgets_what_nothing_needs():
    frame = Frame(
        {0: np.arange(5, dtype=np.int32), 1: np.arange(5, 10, dtype=np.int32)}, np.zeros(5, np.int32)
    )
    assert [n for half in frame.halves() for n in half.slots[1].tolist()] == [5, 6, 7, 8, 9]
    assert set(frame.only(frozenset({1})).slots) == {1}
    assert frame.column(-2 - 7).tolist() == [7] * 5 and frame.column(-1).tolist() == [-1] * 5
