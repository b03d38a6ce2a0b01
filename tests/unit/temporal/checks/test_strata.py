"""Which conclusions are there before which."""

import pickle

import pytest
from rdflib import Namespace

import pantarhei as pr
from lars_programs import EX
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule
from pantarhei.temporal.checks.strata import strata
from pantarhei.temporal.text.reading import read_rules

PREFIXES = {"": str(EX)}


def read(text):
    return read_rules(text, PREFIXES).rules


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a :- b.", "a0"),
        ("b :- a. c :- b in [3].", "b0 c0"),
        ("c :- not b. b :- a.", "b0 c1"),
        ("c :- b always in [3]. b :- a.", "b0 c1"),
        ("c :- b at least 2 times in [3]. b :- a.", "b0 c1"),
        ("c :- not a. b :- a.", "c0 b0"),
        ("d :- not c. c :- not b, e. b :- a. e :- c.", "b0 c1 e1 d2"),
        ("a :- b. b :- a in [3]. a :- a at T in [5], c(T).", "a0 b0"),
        ("a :- not asserted a.", "a0"),
        ("a :- asserted a always in [3].", "a0"),
        ("d :- b, not c. d :- e. c :- not b. b :- x. e :- d.", "b0 c1 d2 e2"),
    ],
)
def test_a_stratum_is_above_what_must_be_known_before(text, expected):
    found = strata(read(text))
    assert (
        " ".join(f"{predicate.removeprefix(EX)}{number}" for predicate, number in found.items()) == expected
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a :- not a.", 1, "a rests on its own absence: a ← not a; expected negation only of what"),
        ("a :- b.\nb :- c, not d in [3].\nd :- e. e :- b.", 2, "b ← not d in [3] ← e ← b"),
        ("a :- a always in [3].", 1, "a rests on itself at all ticks of a window: a ← a always in [3]"),
        ("a :- b always in [3].\nb :- a.", 1, "a ← b always in [3] ← a"),
        (
            "a :- a at least 2 times in [3].",
            1,
            "a rests on how often it holds itself: a ← a at least",
        ),
        ("a at T+1 :- not a at T, b(T).", 1, "a ← not a at T"),
    ],
)
def test_what_rests_on_its_own_absence_is_refused_and_the_circle_named(text, line, said):
    with pytest.raises(pr.TemporalRuleError) as told:
        strata(read(text))
    assert said in str(told.value)
    assert told.value.line == line
    assert "pantarhei.AnswerStreams" in told.value.expected and "--models" in told.value.expected
    assert pickle.loads(pickle.dumps(told.value)).args == told.value.args


def test_names_of_a_circle_that_look_alike_are_told_apart():
    one, other = (Formula(TemporalAtom(Namespace(f"urn:{n}#").Alarm)) for n in "xy")
    negated = Formula(other.atom, is_negated=True)
    with pytest.raises(pr.TemporalRuleError, match="<urn:x#Alarm> ← not <urn:y#Alarm> ← <urn:x#Alarm>"):
        strata([TemporalRule(one, (negated,)), TemporalRule(other, (one,))])


def test_of_a_long_circle_the_ends_are_shown():
    rules = read("".join(f"p{n} :- p{n + 1}. " for n in range(50)) + "p50 :- not p0.")
    with pytest.raises(pr.TemporalRuleError, match=r"p50 ← not p0 ← p1 ← .* ← … ← p50; expected"):
        strata(rules)


def test_a_long_chain_costs_linear_time():
    rules = read("".join(f"p{n} :- p{n + 1}. " for n in range(5000)))
    assert set(strata(rules).values()) == {0}
