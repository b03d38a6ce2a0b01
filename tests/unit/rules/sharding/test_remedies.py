"""Options under which keys become usable."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pantarhei import Ontology
from pantarhei.model.rule import Rule
from pantarhei.rules.sharding import remedies
from pantarhei.rules.sharding.obstacle import Remedy
from pantarhei.rules.sharding.remedies import least
from strategies import EX, A, B, R, S, a, b, c, is_a, related, x, y, z

IN, NEAR = EX.inBuilding, EX.near
PLACES = [(a, IN, EX.h1), (b, IN, EX.h1), (c, IN, EX.h2)]
ACROSS = Rule("across", (is_a(A, x), related(R, x, y), is_a(B, y)), None)
TRANSITIVE = Rule("transitive", (related(S, x, y), related(S, y, z)), related(S, x, z))


def found(rules, background=PLACES, **options):
    return Ontology.from_rules(rules).sharding_report(background=background, **options).remedies


def test_a_promise_is_proposed_for_each_property_that_needs_one():
    other = Rule("other", (related(EX.P, x, y),), is_a(A, x))
    of = found([ACROSS, TRANSITIVE, other], streaming=[A, B, R, S, EX.P])
    assert of[IN][0] == Remedy(IN, colocated=(R, S))
    assert str(of[IN][0]) == (
        "usable with colocated=[R, S], if streamed facts of R, S connect only names with equal inBuilding"
    )


def test_a_property_that_need_not_stream_is_proposed_as_background():
    assert found([TRANSITIVE])["subject"] == (Remedy("subject", not_streaming=(S,)),)
    # in the background R would still join A and B of two subjects
    assert found([ACROSS])["subject"] == ()


def test_a_new_key_is_proposed_where_no_key_can_be_mended():
    assert found([ACROSS], background=()) == {"subject": (Remedy(None, colocated=(R,)),)}
    joined = Rule("joined", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), None)
    (remedy,) = found([joined], background=[(a, NEAR, b), (a, NEAR, c)])["subject"]
    assert remedy == Remedy(None, linking=(NEAR,))
    nearby = "by another key: a background property that is equal for names connected by"
    assert str(remedy) == f"usable {nearby} near"
    both = Remedy(None, colocated=(R,), linking=(NEAR,))
    assert str(both) == f"usable with colocated=[R] {nearby} these or by near"


def test_names_without_a_link_have_no_remedy():
    assert found([Rule("apart", (is_a(A, a), is_a(B, c)), None)]) == {"subject": (), IN: ()}


def test_a_large_program_is_not_searched(monkeypatch):
    monkeypatch.setattr(remedies, "_MOST_RULES", 3)
    assert found([ACROSS, TRANSITIVE])[IN] == ()


@given(st.sets(st.integers(0, 9)), st.integers(10, 20))
def test_the_least_list_is_found(needed, many):
    assert least(list(range(many)), lambda kept: needed <= set(kept)) == sorted(needed)


@pytest.mark.parametrize("many", [10, 1_000])
def test_a_small_result_needs_few_analyses(many):
    calls = []
    least(list(range(many)), lambda kept: bool(calls.append(1)) or 7 in kept)
    assert len(calls) <= 2 * many.bit_length() + 2
