"""The truth tables of SPARQL 1.1, section 17.2."""

import numpy as np

from pantarhei.query.expressions.logic import conjunction, disjunction, negation

LEFT = np.array([1, 1, 1, 0, 0, 0, -1, -1, -1], np.int8)
RIGHT = np.array([1, 0, -1] * 3, np.int8)


def test_a_conjunction_is_false_if_one_is_false_whatever_the_other() -> None:
    assert conjunction(LEFT, RIGHT).tolist() == [1, 0, -1, 0, 0, 0, -1, 0, -1]


def test_a_disjunction_is_true_if_one_is_true_whatever_the_other() -> None:
    assert disjunction(LEFT, RIGHT).tolist() == [1, 1, 1, 1, 0, -1, 1, -1, -1]


def test_the_negation_of_an_error_is_one() -> None:
    assert negation(np.array([1, 0, -1], np.int8)).tolist() == [0, 1, -1]
