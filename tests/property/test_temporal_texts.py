"""Random temporal rules are accepted, and read back from their text."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

import pantarhei as pr
from lars_programs import FRAGMENTS, random_case
from pantarhei.temporal.rules import TemporalRules


@given(st.sampled_from(list(FRAGMENTS.values())), st.integers(0, 2**32))
@settings(deadline=None)
def test_rules_read_back_from_their_text(parts, seed):
    case = random_case(random.Random(seed), parts)
    rules = TemporalRules(case.rules, case.remembered)
    assert pr.load_rules(str(rules)) == rules
