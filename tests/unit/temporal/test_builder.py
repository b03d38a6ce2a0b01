"""Rules made in Python are those of texts."""

from datetime import timedelta
from decimal import Decimal

import pytest
from rdflib import BNode, Literal, Namespace, URIRef, Variable

import pantarhei as pr
from pantarhei.temporal import TemporalRules, asserted, compare, compute, last, predicate, rule

EX = Namespace("http://example.org/")
V, W, T = map(Variable, "VWT")
ALARM, HOT, SERVED = map(predicate, (EX.alarm, EX.hot, EX.served))


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (
            rule(ALARM(V)).when(HOT(V).always("PT5M"), ~asserted(SERVED(V)).within("PT10M")),
            "alarm(V) :- hot(V) always in [5 min], not asserted served(V) in [10 min].",
        ),
        (rule(ALARM(EX.x)).when(), "alarm(x)."),
        (rule(ALARM(V).at(T)).when(HOT(V).at(T).within(3)), "alarm(V) at T :- hot(V) at T in [3]."),
        (rule(ALARM(V)).when(HOT(V).within(3).at(4)), "alarm(V) :- hot(V) at 4 in [3]."),
        (rule(ALARM(V)).when(HOT(V).within(last(3))), "alarm(V) :- hot(V) in [3 #]."),
        (
            rule(ALARM(V)).when(HOT(V).at_least(3, timedelta(hours=1))),
            "alarm(V) :- hot(V) at least 3 times in [1 h].",
        ),
        (rule(ALARM(V)).when(HOT(V, W), compare(W, ">=", 80)), "alarm(V) :- hot(V, W), W >= 80."),
        (rule(ALARM(W)).when(HOT(V), compute(W, V, "*", Decimal("1.5"))), "alarm(W) :- hot(V), W = V * 1.5."),
        (rule(ALARM(V)).when(HOT(V, "x", True)), 'alarm(V) :- hot(V, "x", "true"^^xsd:boolean).'),
        (rule(ALARM(V)).when(~~HOT(V)), "alarm(V) :- hot(V)."),
    ],
)
def test_a_rule_that_is_made_is_that_of_a_text(made, text):
    assert (made,) == pr.load_rules(f"{text}\n", prefixes={"": str(EX)}).rules


def test_rules_that_are_made_are_checked():
    with pytest.raises(pr.TemporalRuleError, match="temporal rule refused: V in the head is not bound"):
        TemporalRules((rule(ALARM(V)).when(),))


@pytest.mark.parametrize(
    ("make", "option"),
    [
        (lambda: predicate("http://example.org/alarm"), "iri"),
        (lambda: HOT(BNode()), "argument"),
        (lambda: HOT(None), "argument"),
        (lambda: HOT(V).within("five minutes"), "window"),
        (lambda: HOT(V).within(True), "window"),
        (lambda: HOT(V).always(2.5), "window"),
        (lambda: HOT(V).at_least("3", 5), "times"),
        (lambda: last("3"), "assertions"),
        (lambda: compare(V, "~", 3), "relation"),
        (lambda: compute(V, W, "%", 3), "sign"),
        (lambda: rule(EX.alarm), "head"),
        (lambda: rule(ALARM(V)).when(HOT), "condition"),
        (lambda: asserted(EX.alarm), "condition"),
    ],
)
def test_what_is_no_part_of_a_rule_is_told_of(make, option):
    with pytest.raises(pr.OptionError) as told:
        make()
    assert told.value.option == option


def test_rules_may_be_given_in_any_collection():
    made = rule(ALARM(V)).when(HOT(V))
    rules = TemporalRules([made], {EX.alarm})
    assert rules == TemporalRules((made,), frozenset({EX.alarm}))
    assert hash(rules)


def test_a_rule_that_is_not_finished_is_told_of():
    with pytest.raises(pr.OptionError, match="is invalid: expected TemporalRule"):
        TemporalRules([rule(ALARM(V))])


def test_terms_of_rdflib_are_taken_as_they_are():
    assert HOT(EX.x, Literal(5), URIRef("urn:a")).formula.atom.arguments == (
        EX.x,
        Literal(5),
        URIRef("urn:a"),
    )
