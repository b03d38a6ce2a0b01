import pickle
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from rdflib import URIRef

from pantarhei.engine.update import TripleDelta
from pantarhei.language.delta import Delta

changes = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-2, 2)), max_size=8)


@given(changes)
def test_no_weight_is_zero(given):
    assert 0 not in Delta.of(given).weights.values()


@given(changes, changes)
def test_a_delta_is_the_sum_of_its_changes_in_any_order(one, other):
    assert Delta.of([*one, *other]) == Delta.of([*other, *one])
    assert Delta.of([*one, *other]) == Delta.of(
        [*Delta.of(one).weights.items(), *Delta.of(other).weights.items()]
    )
    total = Counter()
    for fact, weight in one:
        total[fact] += weight
    assert dict(Delta.of(one).weights) == {fact: weight for fact, weight in total.items() if weight}


@given(changes)
def test_a_change_and_its_reverse_are_nothing(given):
    assert Delta.of([*given, *((fact, -weight) for fact, weight in given)]) == Delta.of([])


def triple(name):
    return (URIRef("urn:" + name), URIRef("urn:p"), URIRef("urn:o"))


def test_a_delta_of_triples_is_made_once_when_looked_at():
    made = []

    def make():
        made.append(1)
        return Delta.of([(triple("a"), 1), (triple("b"), -1), (triple("c"), 1), (triple("c"), -1)])

    delta = TripleDelta(make)
    assert not made
    assert delta.added == {triple("a")} and delta.removed == {triple("b")}
    assert repr(delta) == "TripleDelta(+1 -1)"
    assert made == [1]


def test_a_delta_of_triples_pickles_unlooked_at():
    added = pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), 1)])))
    assert pickle.loads(added).added == {triple("a")}
    assert pickle.loads(pickle.dumps(TripleDelta(lambda: Delta.of([(triple("a"), -1)])))).removed == {
        triple("a")
    }
