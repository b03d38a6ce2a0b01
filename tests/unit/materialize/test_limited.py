"""What the kernel does with a limit, and what it says of room that it does not need."""

import tracemalloc
from contextlib import suppress

import numpy as np
import pytest
from rdflib import Variable

from pantarhei.interpretation.foundation import Foundation
from pantarhei.language.rule import Atom, Rule
from pantarhei.materialize.model import Overfull
from pantarhei.ontology import Ontology
from strategies import EX

x, y, z, u = map(Variable, "xyzu")
TRANSITIVE = Rule("prp-trp", (Atom(EX.R, (x, y)), Atom(EX.R, (y, z))), Atom(EX.R, (x, z)))
both_ways = pytest.mark.parametrize("keep", ["newest", "every"])


def chain(foundation, length, name="c"):
    triples = [(EX[f"{name}{i}"], EX.R, EX[f"{name}{i + 1}"]) for i in range(length)]
    return foundation.vocabulary.encode(triples).facts


@pytest.fixture
def foundation():
    return Foundation.of(Ontology.from_rules([TRANSITIVE]))


@both_ways
def test_a_model_comes_to_as_many_facts_as_it_may_and_no_further(foundation, keep):
    model = foundation.model(keep)
    with model.limited(5050, None):
        model.add(chain(foundation, 100), 0)  # 100 · 101 / 2 facts
    assert len(model) == 5050
    model = foundation.model(keep)
    with pytest.raises(Overfull) as caught, model.limited(5049, None):
        model.add(chain(foundation, 100), 0)
    assert caught.value.facts == 5050
    assert len(model) == 5049


@both_ways
def test_arrays_grow_to_as_many_bytes_as_they_may(foundation, keep):
    model = foundation.model(keep)
    before = model.bytes_used
    with pytest.raises(Overfull) as caught, model.limited(None, 500_000):
        model.add(chain(foundation, 300), 0)
    assert caught.value.bytes > 500_000
    record = 2 * 16 * len(model)  # of changes: it is looked at when the arrays grow
    assert before < model.bytes_used <= 500_000 + record
    assert len(model) * (64 if keep == "newest" else 88) > 250_000  # what room there was has been used


@both_ways
def test_a_limit_ends_with_an_error_too(foundation, keep):
    model = foundation.model(keep)
    with pytest.raises(RuntimeError), model.limited(10, 200_000):
        raise RuntimeError
    model.add(chain(foundation, 60), 0)
    assert len(model) == 1830


@both_ways
def test_outside_the_limits_time_it_is_free(foundation, keep):
    model = foundation.model(keep)
    with model.limited(10, 200_000):
        model.add(chain(foundation, 3), 0)
    model.add(chain(foundation, 60, "d"), 1)
    assert len(model) == 6 + 1830


@both_ways
@pytest.mark.parametrize("kept", [3, 20, 40, 60])
def test_a_model_made_anew_takes_no_more_than_was_said(foundation, keep, kept):
    model = foundation.model(keep)
    model.add(chain(foundation, 120), 0)
    model.add(chain(foundation, kept, "d"), 1)
    model.take_changes()
    model.slide(1)
    model.take_changes()
    said = model.bytes_used - model.spare_bytes
    anew = foundation.model(keep, 1)
    anew.add(chain(foundation, kept, "d"), 1)
    anew.take_changes()
    assert np.array_equal(np.unique(anew.facts(), axis=0), np.unique(model.facts(), axis=0))
    assert anew.bytes_used <= said < model.bytes_used


def test_the_record_of_many_changes_is_given_back(foundation):
    model = foundation.model()
    model.add(chain(foundation, 400), 0)
    full = model.bytes_used
    assert len(model.take_changes()) == 80_200
    assert full - model.bytes_used >= 4 * 80_200


# -- set at a time ---------------------------------------------------------------------------------

RELATED = Rule("pr-related", (Atom(EX.P, (x, y)), Atom(EX.P, (z, y)), Atom(EX.P, (u, y))), Atom(EX.S, (x, z)))


@pytest.fixture
def groups():
    """(foundation, 12,000 facts of which 720,000 follow, each in sixty ways)."""
    foundation = Foundation.of(Ontology.from_rules([RELATED]))
    triples = [(EX[f"n{i}"], EX.P, EX[f"m{i // 60}"]) for i in range(12_000)]
    return foundation, foundation.vocabulary.encode(triples).facts


def test_matches_by_column_take_no_more_memory_than_the_limit_on_top_of_the_model(groups):
    foundation, facts = groups
    model = foundation.model()
    most = 12_000_000
    tracemalloc.start()
    try:
        with pytest.raises(Overfull), model.limited(None, most):
            model.add(facts, 0)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most // 2 < peak < 2 * most


@pytest.mark.parametrize(("most", "by_column"), [(None, True), (20_000_000, True), (8_000_000, False)])
def test_where_matches_by_column_have_no_room_the_kernel_matches(groups, monkeypatch, most, by_column):
    foundation, facts = groups
    used = []
    monkeypatch.setattr("pantarhei.materialize.model.load", lambda *given: used.append(given))
    model = foundation.model()
    with model.limited(10_000_000 if by_column else 20_000, most), suppress(Overfull):
        model.add(facts, 0)
    assert bool(used) is by_column
