"""The assertions of a graph: a change is made when someone looks, again where that was broken off."""

import numpy as np
import pytest
from rdflib import XSD, Literal

from pantarhei.encoding.encoded import Encoded
from pantarhei.encoding.forms import NO_FORMS, Forms
from pantarhei.encoding.numbers import NO_FACTS, as_tuples
from pantarhei.encoding.renaming import UsedTerms
from pantarhei.engine.assertions import Assertions, Net, facts_of, keys_of

A, B, C = (0, 1, 2), (0, 2, 3), (1, 2, -1)
ONE = Literal("01", datatype=XSD.integer, normalize=False)


def facts(*given):
    return np.array(given, np.int32).reshape(-1, 3)


def encoded(*given, forms=None):
    return Encoded(facts(*given), NO_FORMS if forms is None else Forms(forms))


def asserting(*given):
    books = Assertions()
    return books.after(books.net(encoded(*given), encoded()), True)


def test_a_fact_and_its_key_lead_to_each_other():
    assert as_tuples(facts_of(keys_of(facts(A, B, C)))) == [A, B, C]
    assert len(facts_of([])) == len(keys_of(NO_FACTS)) == 0
    assert {type(key) for key in keys_of(facts(A))} == {bytes}


def test_what_is_deleted_and_inserted_is_asserted_afterwards():
    net = asserting(A).net(encoded(A, B), encoded(A, B))
    assert (as_tuples(facts_of(net.came)), net.went) == ([B], [])
    assert (net.already_asserted, net.not_asserted) == (0, 1)


def test_what_is_in_vain_is_counted_each_fact_once():
    net = asserting(A).net(encoded(A, A, B), encoded(C, C))
    assert (net.already_asserted, net.not_asserted) == (1, 1)
    assert as_tuples(facts_of(net.came)) == [B]


def test_facts_stand_in_the_order_in_which_they_came():
    books = asserting(C, A, B)
    assert as_tuples(books.facts) == [C, A, B]
    books = books.after(books.net(encoded(), encoded(A)), True)
    assert as_tuples(books.facts) == [C, B]
    assert (books.step, books.now, len(books.log.timeline)) == (2, 2, 0)


def test_the_form_of_what_was_asserted_already_stays():
    books = asserting(A)
    net = books.net(encoded(A, B, forms={A: ONE, B: ONE}), encoded())
    assert net.forms == {B: ONE}
    books = books.after(net, True)
    assert books.forms == {B: ONE}
    assert books.after(books.net(encoded(), encoded(B)), True).forms == {}


def test_a_change_that_was_broken_off_is_made_at_the_next_look():
    class Broken(dict):
        def update(self, *others):
            if self.breaks:
                self.breaks = False
                raise MemoryError
            super().update(*others)

    keys = Broken(dict.fromkeys(keys_of(facts(A))))
    keys.breaks = True
    books = Assertions(1, True, keys, {}, Net(keys_of(facts(B)), keys_of(facts(A))))
    with pytest.raises(MemoryError):
        books.facts  # noqa: B018
    assert as_tuples(books.facts) == [B]


def test_a_copy_is_on_its_own():
    books = asserting(A)
    copy = books.copy()
    after = books.after(books.net(encoded(B), encoded(A)), True)
    assert (as_tuples(after.facts), as_tuples(copy.facts)) == ([B], [A])


def test_terms_are_noted_and_renamed():
    books = asserting(B)
    used = UsedTerms(2, 4, 0)
    assert books.used_terms(used) == 1
    assert (used.symbols.tolist(), used.names.tolist()) == ([1, 0], [0, 0, 1, 1])
    assert as_tuples(books.renamed(used.renaming()).facts) == [(0, 0, 1)]
