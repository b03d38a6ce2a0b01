"""Facts as columns, with the terms that they use and no others."""

import numpy as np
import pytest
from rdflib import XSD, Literal

from checkpoints import COLUMNS, ODD, with_column
from pantarhei import StreamReasoner
from pantarhei.encoding.numbers import FIRST_LITERAL, NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.engine.checkpoint.container import pack, unpack
from pantarhei.engine.checkpoint.facts import NO_PREDICATE, Used, columns_of_facts, read_facts
from pantarhei.engine.checkpoint.terms import columns_of_terms
from pantarhei.errors import CheckpointError
from pantarhei.rules.compilation.program import compile_
from strategies import EX, A, B, R, V, a, b, c, member

NO_VALUES = np.empty(0, np.int32)


def vocabulary():
    return Vocabulary(compile_([]))


def back(columns):
    """Facts and forms from columns, by a vocabulary of their own, with that."""
    fresh = vocabulary()
    return *read_facts(unpack(pack({}, columns), "here"), fresh), fresh


def test_facts_mean_the_same_in_the_numbers_of_another_vocabulary():
    known = vocabulary()
    triples = [member(B, c), (a, R, b), (b, V, Literal(7)), member(A, a), (a, R, b)]
    known.encode([member(EX.unused, EX.nobody), (EX.nobody, EX.none, Literal("unused"))])
    facts = known.encode(triples).facts
    found, forms, fresh = back(columns_of_facts(known, facts, NO_VALUES, []))
    assert list(fresh.decode(found)) == triples and forms == []
    assert set(fresh.names) == {a, b, c} and fresh.literals == [Literal(7)]
    assert {symbol.name for symbol in fresh.symbols} == {A, B, R, V}


def test_the_form_of_a_value_that_was_met_first_is_met_first_again():
    one, other = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("01", "1"))
    known = vocabulary()
    facts = known.encode([(a, V, one), (b, V, other)]).facts
    found, forms, fresh = back(columns_of_facts(known, facts, NO_VALUES, [other]))
    assert fresh.literals == [one] and forms == [other]
    assert found[:, 2].tolist() == [FIRST_LITERAL, FIRST_LITERAL]


def test_a_value_is_kept_that_no_fact_has_and_a_row_may_have_no_predicate():
    known = vocabulary()
    known.encode([(a, V, Literal(1)), (a, V, Literal(2)), (a, V, Literal(3))])
    rows = np.array([(NO_PREDICATE, 0, FIRST_LITERAL)], np.int32)
    found, _, fresh = back(columns_of_facts(known, rows, np.array([FIRST_LITERAL + 2], np.int32), []))
    assert found.tolist() == rows.tolist()
    assert fresh.literals == [Literal(1), Literal(3)] and fresh.symbols == []


def test_used_numbers_are_given_places_in_ascending_order_or_as_they_appear():
    numbers = np.array([5, 2, 5, 9, 2], np.int32)
    for used, order in ((Used.ascending(10, [numbers]), [2, 5, 9]), (Used.appearing(10, numbers), [5, 2, 9])):
        assert used.numbers.tolist() == order
        assert used.places[order].tolist() == [0, 1, 2]
        assert used.among("abcdefghij") == ["abcdefghij"[number] for number in order]


def test_a_predicate_with_one_term_here_and_two_there_is_refused():
    objects = COLUMNS["facts.object"].copy()
    objects[np.flatnonzero(objects)[0]] = 0
    with pytest.raises(CheckpointError, match="another number of terms"):
        StreamReasoner.restore(with_column("facts.object", objects), ODD)


@pytest.mark.parametrize("terms", [[Literal(1), a, Literal(2)], [V, Literal(1), Literal(2)]])
def test_a_literal_as_a_predicate_or_a_subject_is_refused(terms):
    known = vocabulary()
    columns = columns_of_facts(known, known.encode([(a, V, Literal(1))]).facts, NO_VALUES, [])
    with pytest.raises(CheckpointError, match="a literal stands where it may not"):
        back({**columns, **columns_of_terms("facts", terms)})


def test_a_class_has_no_object():
    known = vocabulary()
    facts = known.encode([member(A, a)]).facts
    assert facts[0, 2] == NONE
    assert columns_of_facts(known, facts, NO_VALUES, [])["facts.object"].tolist() == [0]
