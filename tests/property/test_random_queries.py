"""Random queries are ones: the reference reads and answers each."""

from random import Random

from counts import cases
from oracle.answers import agrees, answers
from random_queries import random_dataset, random_query

QUERIES = cases(30, 150)


def test_random_queries_are_answered_the_same_again():
    forms = set()
    for seed in range(QUERIES):
        random = Random(seed)
        default, named = random_dataset(random)
        text = random_query(random)
        found, again = answers(text, default, named), answers(text, default[::-1], named)
        rows = found.rows_in_order if found.form == "SELECT" else [()] * bool(found.ask)
        assert agrees(again, found.variables, rows if found.form in ("SELECT", "ASK") else found.triples), (
            text
        )
        forms.add(found.form)
    assert forms == {"SELECT", "ASK", "CONSTRUCT", "DESCRIBE"}


def test_a_seed_gives_one_query():
    for seed in range(20):
        one, other = Random(seed), Random(seed)
        assert random_dataset(one) == random_dataset(other)
        assert random_query(one) == random_query(other)
