"""What binds the variables of a rule, and in which order its tests are made."""

import pickle

import pytest
from rdflib import Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.temporal_rule import Formula, TemporalAtom, TemporalRule, builtin_text
from pantarhei.temporal.safety import check_safety, stratify, with_ordered_tests
from pantarhei.temporal.text.rules_text import read_rules

EX = Namespace("http://example.org/")
PREFIXES = {"": str(EX)}


@pytest.mark.parametrize(
    ("written", "ordered"),
    [
        ("K > 4, K = N + 1", "K = N + 1, K > 4"),
        ("K = M + 1, M = N + 1, K > 2", "M = N + 1, K = M + 1, K > 2"),
        ("N > 4, K = N + 1, K < 9", "N > 4, K = N + 1, K < 9"),
        ("N < K, N > 4, K = N + 1", "N > 4, K = N + 1, N < K"),
        ("N > 4", "N > 4"),
    ],
)
def test_each_test_stands_behind_the_computations_of_what_it_looks_at(written, ordered):
    (rule,) = pr.load_rules(f"a(X) :- level(X, N), {written}.", prefixes=PREFIXES).rules
    assert ", ".join(map(builtin_text, with_ordered_tests(rule).tests)) == ordered


@pytest.mark.parametrize("tests", ["K > 4, K = M + 1, M = N + 1", "M = N + 1, K = M + 1, K > 4"])
@pytest.mark.parametrize(("level", "holds"), [(2, False), (3, True)])
def test_the_order_in_which_tests_are_written_makes_no_difference(tests, level, holds):
    rules = pr.load_rules(f"a(X, K) :- level(X, N), not off(X), {tests}.", prefixes=PREFIXES)
    reasoner = pr.StreamReasoner(pr.load_ontology(Graph()), pr.Window(range=0), temporal=rules)
    reasoner.push(0, [(EX.v, EX.level, Literal(level))])
    assert reasoner.conclusions() == ({(EX.v, EX.a, Literal(level + 2))} if holds else set())


def read(text):
    (rule,) = read_rules(text, PREFIXES).rules
    return rule


@pytest.mark.parametrize(
    "text",
    [
        "a(X) :- b(X).",
        "a(X) at T :- b(X) at T in [3].",
        "a(X) :- b(X) always in [3], not c(X), X < 5.",
        "a(X) :- b(X) at least 3 times in [3].",
        "a(R) :- b(X), R = S * 2, S = X + 1.",
        "a(X) :- b(T), c(X) at T.",
        "a(X) :- c(X) at 5.",
        "a(X) :- b(T) at T in [3], c(X) at T.",
        "a(U) :- b(T), c(X) at T, U = X + 1, d(Y) at U, not e(Y).",
        "a at T+1 :- b at T in [3].",
        "a :- b, not c.",
        "a.",
    ],
)
def test_what_positive_atoms_and_computations_bind_is_bound(text):
    check_safety(read(text))


@pytest.mark.parametrize(
    ("text", "column", "said"),
    [
        ("a(X).", 3, "X in the head is not bound; expected an atom of the body with this variable"),
        ("a(X) :- b(Y).", 3, "X in the head is not bound"),
        ("a at T :- b.", 6, "T in the head is not bound"),
        ("a :- b, not c(X).", 15, "X in not c(X) is not bound"),
        ("a :- b, not c at T.", 18, "T in not c at T is not bound"),
        ("a :- b, X < 5.", 9, "X in X < 5 is not bound"),
        ("a(X, Y) :- b(X).", 6, "Y in the head is not bound"),
        ("a(X) :- b, X = Y.", 3, "X in the head is not bound"),
        ("a(X) :- b, not c(X), X != 5.", 3, "X in the head is not bound"),
        ("a :- b(X), X = Y * 2.", 16, "Y in X = Y * 2 is not bound"),
        ("a(X) :- X = Y + 1, Y = X - 1.", 3, "X in the head is not bound"),
        ("a at T :- b at T+1.", 11, "the time _1 of "),
        ("a(?x) :- b.", 3, "?x in the head is not bound"),
        (
            "a :- b at T.",
            11,
            "the time T of b at T is not bounded; expected a window, as in b at T in [10]",
        ),
        ("a(T) :- b(T) at T.", 11, "the time T of "),
        ("a :- b at T, c at T.", 11, "the time T of b at T is not bounded"),
        ("a :- b(X) at T, T = X + 1.", 14, "the time T of b(X) at T is not bounded"),
        ("a :- b at T, not c(T).", 11, "the time T of "),
    ],
)
def test_what_nothing_binds_is_refused_where_it_stands(text, column, said):
    with pytest.raises(pr.TemporalRuleError) as told:
        check_safety(read(text))
    assert said in str(told.value)
    assert (told.value.line, told.value.column, told.value.source_line) == (1, column, text)


@pytest.mark.parametrize(
    ("denied", "instead"),
    [
        ("c(X, Y) in [3]", "the rule some(X) :- c(X, Y) in [3]. and the condition not some(X)"),
        ("c(Z, Y)", "the rule some :- c(Z, Y). and the condition not some"),
    ],
)
def test_where_none_at_all_may_be_meant_it_is_said_how(denied, instead):
    with pytest.raises(pr.TemporalRuleError) as told:
        check_safety(read(f"a(X) :- b(X), not {denied}."))
    assert told.value.expected.endswith(f"; to require that there is no such fact, add {instead}")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("a(X) :-\n b(X),\n  Y < 5.", 3, 3),
        ("a(X) :-\n b(X),\n 3 < 5 + Y.", 3, 10),
        ("a(X) :-\n b(X),\n Z = X * Y - 1.", 3, 10),
        ("a(X) :-\n b(X),\n COMP(<,X,Y).", 3, 11),
        ("a(X) :-\n b(X),\n not\n c(Y).", 4, 4),
        ("a(X,\n  % Y, as it is called here\n  Y) :- b(X).", 3, 3),
        ("a(X) at\n  T :- b(X).", 2, 3),
        ("% Y\n\na(X,\n  Y) :-\n  b(X).", 4, 3),
        ("a(X) :- b(X),\n not c(X,\n   ?Y)\n in [3].", 3, 4),
    ],
)
def test_a_condition_is_refused_on_its_own_line(text, line, column):
    with pytest.raises(pr.TemporalRuleError, match="is not bound") as told:
        check_safety(read(text))
    assert (told.value.line, told.value.column) == (line, column)


def read_strata(text):
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
    found = stratify(read_strata(text))
    assert (
        " ".join(f"{predicate.removeprefix(EX)}{number}" for predicate, number in found.items()) == expected
    )


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (
            "a :- not a.",
            1,
            "a depends on its own absence: a ← not a; expected negation only of predicates that do not",
        ),
        ("a :- b.\nb :- c, not d in [3].\nd :- e. e :- b.", 2, "b ← not d in [3] ← e ← b"),
        ("a :- a always in [3].", 1, "a depends on itself at all ticks of a window: a ← a always in [3]"),
        ("a :- b always in [3].\nb :- a.", 1, "a ← b always in [3] ← a"),
        (
            "a :- a at least 2 times in [3].",
            1,
            "a depends on how often it holds itself: a ← a at least",
        ),
        ("a at T+1 :- not a at T, b(T).", 1, "a ← not a at T"),
    ],
)
def test_what_rests_on_its_own_absence_is_refused_and_the_circle_named(text, line, said):
    with pytest.raises(pr.TemporalRuleError) as told:
        stratify(read_strata(text))
    assert said in str(told.value)
    assert told.value.line == line
    assert "pantarhei.AnswerStreams" in told.value.expected and "--models" in told.value.expected
    assert pickle.loads(pickle.dumps(told.value)).args == told.value.args


def test_names_of_a_circle_that_look_alike_are_told_apart():
    one, other = (Formula(TemporalAtom(Namespace(f"urn:{n}#").Alarm)) for n in "xy")
    negated = Formula(other.atom, is_negated=True)
    with pytest.raises(pr.TemporalRuleError, match="<urn:x#Alarm> ← not <urn:y#Alarm> ← <urn:x#Alarm>"):
        stratify([TemporalRule(one, (negated,)), TemporalRule(other, (one,))])


def test_of_a_long_circle_the_ends_are_shown():
    rules = read_strata("".join(f"p{n} :- p{n + 1}. " for n in range(50)) + "p50 :- not p0.")
    with pytest.raises(pr.TemporalRuleError, match=r"p50 ← not p0 ← p1 ← .* ← … ← p50; expected"):
        stratify(rules)


def test_a_long_chain_costs_linear_time():
    rules = read_strata("".join(f"p{n} :- p{n + 1}. " for n in range(5000)))
    assert set(stratify(rules).values()) == {0}
