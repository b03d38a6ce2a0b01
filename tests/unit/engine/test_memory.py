"""What counts against the limits: model, log, terms and consumers, each once."""

import pytest
from rdflib import RDF

from class_counts import ClassCounts
from pantarhei import Limits, Ontology, StreamReasoner, Window
from pantarhei.encoding.footprint import vocabulary_bytes
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.engine.memory import Memory
from strategies import EX, A


@pytest.fixture
def held():
    reasoner = StreamReasoner(Ontology.from_rules([]), Window(9))
    for at in range(3):
        reasoner.push(at, [(EX[f"x{at}-{i}"], RDF.type, A) for i in range(50)])
    return reasoner._held


def memory(held, **limits):
    return Memory(Limits(**limits), held.vocabulary, held.consumers)


def test_what_is_held_is_what_the_stats_count(held):
    assert memory(held, max_bytes=1).held(held.model, held.books.log) == held.stats().bytes
    assert memory(held, max_facts=1).held(held.model, held.books.log) == 0, "bytes have no limit"


def test_what_is_left_for_the_model_is_all_but_the_rest(held):
    log, most = held.books.log, held.stats().bytes
    assert memory(held, max_bytes=most).left_for_model(log) == held.model.bytes_used
    assert memory(held, max_bytes=1).left_for_model(log) == 0
    assert memory(held, max_facts=1).left_for_model(log) is None


def test_terms_that_are_known_to_be_unused_do_not_count(held):
    used = UsedTerms(*held.vocabulary.counts)
    used.add_first(1, names=74)
    assert used.share == pytest.approx(75 / 151)
    counted = memory(held, max_bytes=1).counting(used)
    assert counted.terms == vocabulary_bytes(held.vocabulary) * 75 // 151


def test_terms_that_a_consumer_holds_are_in_use(held):
    held.attach("counts", ClassCounts())
    used = UsedTerms(*held.vocabulary.counts)
    memory(held).counting(used)
    assert used.share == pytest.approx(1 / 151)


def test_three_quarters_are_not_tight_and_a_byte_more_is(held):
    model, log, now = held.model, held.books.log, held.stats().bytes
    assert memory(held, max_bytes=-(-4 * now // 3)).is_tight(model, log) is False
    assert memory(held, max_bytes=4 * now // 3 - 1).is_tight(model, log) is True
    assert memory(held, max_facts=1).is_tight(model, log) is False


def test_a_limit_is_exceeded_by_facts_or_by_bytes(held):
    model, log, now = held.model, held.books.log, held.stats().bytes
    assert memory(held, max_facts=150, max_bytes=now).exceeded(model, log) is None
    assert memory(held, max_facts=149).exceeded(model, log) == ("max_facts", 149, 150)
    assert memory(held, max_bytes=now - 1).exceeded(model, log) == ("max_bytes", now - 1, now)
