"""What steps did is logged once nothing keeps them from being done."""

import logging

import pytest
from rdflib import RDF

from class_counts import ClassCounts
from pantarhei import MemoryLimitError, Ontology, StreamReasoner, Window
from pantarhei.model.rule import Rule
from strategies import EX, A, B, C, is_a, x

RULES = [Rule("cax-sco", (is_a(A, x),), is_a(B, x)), Rule("cax-dw", (is_a(B, x), is_a(C, x)), None)]


def reasoner(**limits):
    return StreamReasoner(Ontology.from_rules(RULES), Window(1000), [(EX.o, RDF.type, A)], **limits)


def a(name, kind="A"):
    return EX[name], RDF.type, EX[kind]


def test_dropping_is_told_once_and_again_whenever_it_has_doubled(caplog):
    tested = reasoner(max_facts=10, on_limit="drop")
    with caplog.at_level(logging.WARNING, "pantarhei.limits"):
        for at in range(40):
            tested.push(at, [a(f"x{at}")])
    assert tested.stats().dropped_early == 36
    assert [record.args[-1] for record in caplog.records] == [1, 2, 4, 8, 16, 32]
    first = "at 4, 1 of the window's timestamps (0) left early, to keep max_facts=10; 1 so far"
    assert caplog.messages[0] == first


def test_no_repair_is_told_of_where_a_push_is_refused(caplog):
    tested = reasoner(max_facts=10, on_limit="drop")
    tested.push(1, [a("x")])
    with caplog.at_level(logging.INFO, "pantarhei.repair"), pytest.raises(MemoryLimitError):
        tested.push(2, [a("x", "C"), *(a(f"y{i}") for i in range(2000)), a("z"), a("z", "C")])
    assert not caplog.records
    with caplog.at_level(logging.INFO, "pantarhei.repair"):
        update = tested.push(2, [a("x", "C")])
    assert caplog.messages == [f"at 2: {update.repair.summary()}"]
    assert update.repair.summary() == "1 conflict, 1 assertion removed"
    with caplog.at_level(logging.DEBUG, "pantarhei.repair"):
        update = tested.push(3, [a("x")])
    _, *conflicts = str(update.repair).splitlines()
    assert caplog.messages[1:] == [
        f"at 3: {update.repair.summary()}",
        *(f"at 3: {each.strip()}" for each in conflicts),
    ]
    assert conflicts and not any("\n" in message for message in caplog.messages)


def test_no_repair_is_told_of_where_a_consumer_fails(caplog):
    class Failing(ClassCounts):
        def apply(self, changes, model):
            raise ZeroDivisionError

    tested = reasoner()
    tested.push(1, [a("x")])
    tested._held.attach("failing", Failing())
    with caplog.at_level(logging.INFO, "pantarhei.repair"), pytest.raises(ZeroDivisionError):
        tested.push(2, [a("x", "C")])
    assert not caplog.records and tested.timestamps == (1,)
