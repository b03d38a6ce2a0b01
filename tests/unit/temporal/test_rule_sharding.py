"""Which temporal rules shards evaluate as one reasoner does."""

import pickle

import pytest

from pantarhei import Ontology, StreamReasoner, Window, load_rules
from pantarhei.errors import NotKeyLocalRuleError, TemporalRuleError
from pantarhei.model.rule import Rule
from pantarhei.rules.translation.demand import Theory
from pantarhei.temporal.rule_sharding import check_key_local, check_needs_no_order
from pantarhei.temporal.rules import with_ontology
from strategies import EX, A, B, C, R, S, a, b, is_a, member, related, x, y

IN = EX.inBuilding
RULES = [
    Rule("told", (related(R, x, y),), related(S, y, x)),
    Rule("somewhere", (related(R, x, y), related(EX.lost, x, y)), is_a(B, y)),
]
BACKGROUND = [(a, IN, EX.h), (b, IN, EX.h), member(C, a), member(EX.Sensor, a)]
ONTOLOGY = Ontology.from_rules(RULES, BACKGROUND)
REPORT = ONTOLOGY.sharding_report([A, B, C, R, EX.lost, EX.alarm, EX.told, EX.on], keys=["subject", IN])


def rules_of(text, **options):
    return load_rules(f"{text}\n", prefixes={"": str(EX)}, **options)


def check(text, key="subject", **options):
    theory = Theory.of((*ONTOLOGY.rules, *ONTOLOGY.constraints), unique_names=True)
    check_key_local(with_ontology(rules_of(text, **options), theory, ONTOLOGY.predicates), REPORT, key)


@pytest.mark.parametrize(
    "text",
    [
        "alarm(X) :- :A(X) always in [3], not asserted :A(X) in [5].",
        "alarm(X) :- :R(X, Y) at T in [3], :A(X) at least 2 times in [9], T > 3.",
        "alarm(X) :- :A(X), not :C(X) in [2].",  # C is in the background too, but at X
        "alarm(X) :- :A(X), :inBuilding(X, H), :Sensor(X), :inBuilding(Z, H).",
        "alarm(X) :- :A(X).\ntold(X, Y) :- alarm(X) always in [3], :R(X, Y), not :A(X).",
        "told(X, Y) :- :S(Y, X), :R(X, Y).",  # told of both ends, so at X as well
        "alarm(:a) :- :A(:a), :R(:a, X).",
        "remember alarm.\nalarm(X) :- :A(X).\nalarm(X) :- alarm(X) in [1], not asserted :B(X).",
        "alarm(X) at T2 :- asserted :A(X) at T in [3], T2 = T + 2.",
        "on :- :A(X).\nalarm(X) :- :A(X).",
        ":R(X, 3) :- :A(X) always in [2].",  # and S(3, X), by the ontology
        "told(Y, X, 3) :- :R(X, Y).\nalarm(X) :- told(Y, X, Z) in [3], not :A(X).",
        "late(T, X) :- :A(X) at T in [3].\nalarm(X) :- late(T, X) always in [2], not :A(X).",
    ],
)
def test_what_is_of_one_key_is_accepted(text):
    check(text)


def test_by_a_property_names_of_one_value_are_one_key():
    text = "alarm(H) :- :A(X), :R(Y, X), not :A(H), :inBuilding(X, H), :inBuilding(Y, H)."
    check(text, IN)
    with pytest.raises(NotKeyLocalRuleError, match=r"A\(X\) is in the shard of X; R\(Y, X\) is in"):
        check(text)
    with pytest.raises(NotKeyLocalRuleError, match=r"shard of inBuilding\(X\); A\(X2\) is in"):
        check("alarm(X) :- :A(X), :A(X2), :inBuilding(X, H).", IN)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("alarm(X) :- :A(X), :R(Y, X).", r"alarm\(X\) :- A\(X\), R\(Y, X\)\. joins several sha"),
        ("alarm(X) :- :A(X), :R(X, Y), not :A(Y) in [3].", r"not A\(Y\) in \[3\] is in the shard of Y"),
        ("alarm(X) :- :A(X), :B(X).", r"B\(X\) may be in any shard"),
        (":R(Y, X) :- :R(X, Y), :A(Y).\n:R(X, X) :- asserted :R(X, Y).", "several shards"),
        ("on :- :A(X).\nalarm(X) :- :A(X), on.", "on may be in any shard"),
        ("on :- :A(X).\nalarm(:a) :- on.", "on may be in any shard"),
        ("told(Y, X, 3) :- :R(X, Y).\nalarm(Y) :- told(Y, X, Z), :A(Y).", r"A\(Y\) is in the shard of Y"),
        ("late(T) :- :A(X) at T in [3].\nalarm(X) :- :A(X), late(T).", r"late\(T\) may be in any shard"),
        ("alarm(Y) :- :R(X, Y).\ntold(X, X) :- alarm(X) always in [2].", "may be in any shard"),
        ("alarm(X) :- :Sensor(X), not asserted :A(X) in [3].", "so each shard would conclude it from"),
        ("alarm(X) :- :C(X).", "so each shard would conclude it from"),
        ("alarm(X) :- :Sensor(X).", "may hold without any row of the stream"),
        ("alarm(:a).", "may hold without any row of the stream"),
        ("alarm(X) :- :A(X), :C(X) always in [2].", "depends on the ticks of the background"),
        ("alarm(X) :- :A(X), :Sensor(X) at T in [2].", "depends on the ticks of the background"),
        ("alarm(X) :- :A(X), :Sensor(X) at least 2 times in [2].", "depends on the ticks of the background"),
        ("alarm(X) :- asserted :A(X) at least 2 times in [5 #].", r"in \[5 #\] counts assertions"),
        ("alarm(X) at 0 :- :A(X).\ntold(X, X) :- :A(X), alarm(X) at 0.", "reads conclusions at all ticks"),
    ],
)  # fmt: skip
def test_what_looks_into_several_shards_is_refused_with_the_rule_and_what_breaks_it(text, problem):
    with pytest.raises(NotKeyLocalRuleError, match=problem) as refused:
        check(text)
    error = refused.value
    assert isinstance(error, TemporalRuleError)
    assert str(error).startswith("temporal rule refused on Spark, line ")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("alarm(X) :- :A(X).\non(X) :- asserted alarm(X), not :B(X) in [3].".replace(":B", ":C"), "subject"),
        ("told(X, Y) :- :R(X, Y) always in [2].", "subject"),
        ("told(Y, X) :- :R(X, Y), :inBuilding(X, H), :inBuilding(Y, H).", IN),
        ("alarm(H) :- :A(X), :inBuilding(X, H).", IN),
    ],
)
def test_with_feedback_a_shard_asserts_what_belongs_to_it(text, key):
    check(text, key, feedback=True)


@pytest.mark.parametrize(
    ("text", "key", "problem"),
    [
        (
            "told(Y, X) :- :R(X, Y).",
            "subject",
            r"told\(Y, X\) is asserted by the shard that .* to the shard of Y",
        ),
        (
            "alarm(:b) :- :A(X).",
            "subject",
            r"alarm\(b\) is asserted by the shard that .* belongs to the shard of b",
        ),
        (
            "told(Y, X) :- :R(X, Y).",
            IN,
            r"belongs to the shard of inBuilding\(Y\); expected a head whose subject",
        ),
        (
            ":inBuilding(X, Y) :- :R(X, Y).",
            IN,
            r"sharded by inBuilding must not assert inBuilding",
        ),
        ("unknown(X) :- :A(X).", "subject", r"must not assert unknown; expected unknown in streaming=\[…\]"),
    ],
)
def test_with_feedback_what_belongs_to_another_shard_is_refused(text, key, problem):
    with pytest.raises(NotKeyLocalRuleError, match=problem) as refused:
        check(text, key, feedback=True)
    assert (refused.value.line, refused.value.column) == (1, 1)


def test_conclusions_at_all_ticks_need_a_start():
    check("alarm(X) at 0 :- :A(X).\ntold(X, X) :- :A(X), alarm(X) at 0.", start=0)


def test_conclusions_at_all_ticks_depend_on_when_a_shard_begins():
    concluded = []
    for at in (0, 5):
        rules = rules_of("alarm(X) at 0 :- :A(X).\ntold(X, X) :- :A(X), alarm(X) at 0.")
        reasoner = StreamReasoner(ONTOLOGY, Window(1), temporal=rules)
        reasoner.push(at, [])
        reasoner.push(5, [member(A, b)])
        concluded.append(len(reasoner.atoms()))
    assert concluded == [1, 0]


def test_rules_that_need_an_order_are_refused_without_shards_too():
    check_needs_no_order(rules_of("alarm(X) :- :A(X), :R(Y, X)."))
    with pytest.raises(NotKeyLocalRuleError, match="a window of ticks or of time"):
        check_needs_no_order(rules_of("alarm(X) :- :A(X) in [1], :A(X) in [2 #]."))
