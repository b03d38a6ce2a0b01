"""Columns that share their distinct terms: each is looked up once, as long as numbers mean what they do."""

import pickle

import numpy as np
from rdflib import XSD, Literal

from pantarhei.encoding.numbered_columns import NumberedColumns
from pantarhei.model.term import Place
from pantarhei.rdf.triple_table import TermColumn

TEXTS = np.array(["<urn:c>", "<urn:a>", "<urn:b>", '"01"'], object)
FORM = Literal("01", datatype=XSD.integer, normalize=False)


class LookUp:
    """Numbers texts in the order in which they come, and notes what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, texts):
        numbers = np.arange(len(self.asked), len(self.asked) + len(texts), dtype=np.int32)
        self.asked += texts
        return numbers, {texts.index('"01"'): FORM} if '"01"' in texts else {}


def column(*codes, texts=TEXTS):
    return TermColumn(np.array(codes, np.int32), texts)


def test_a_term_is_looked_up_where_it_comes_first_and_not_again():
    columns, look_up = NumberedColumns(), LookUp()
    first, _ = columns.numbers_of(column(2, 1, 2), Place.SUBJECT, 1, look_up)
    second, _ = columns.numbers_of(column(1, 0, 2), Place.SUBJECT, 1, look_up)
    assert (first.tolist(), second.tolist()) == ([0, 1, 0], [1, 2, 0])
    assert look_up.asked == ["<urn:b>", "<urn:a>", "<urn:c>"]


def test_a_form_is_told_of_each_row_that_has_it():
    columns, look_up = NumberedColumns(), LookUp()
    assert columns.numbers_of(column(3, 1, 3), Place.OBJECT, 1, look_up)[1] == {0: FORM, 2: FORM}
    assert columns.numbers_of(column(1, 3), Place.OBJECT, 1, look_up)[1] == {1: FORM}
    assert columns.numbers_of(column(1), Place.OBJECT, 1, look_up)[1] == {}


def test_places_and_other_columns_are_apart_and_a_revision_ends_all():
    columns, look_up = NumberedColumns(), LookUp()
    for place, revision, texts in (
        (Place.SUBJECT, 1, TEXTS),
        (Place.OBJECT, 1, TEXTS),
        (Place.OBJECT, 1, TEXTS.copy()),
        (Place.OBJECT, 2, TEXTS),
    ):
        columns.numbers_of(column(1, texts=texts), place, revision, look_up)
    assert look_up.asked == ["<urn:a>"] * 4


def test_only_the_newest_columns_are_kept_and_none_in_another_process():
    columns, look_up = NumberedColumns(), LookUp()
    held = [TEXTS.copy() for _ in range(20)]
    for _ in range(2):
        for texts in held:
            columns.numbers_of(column(1, texts=texts), Place.SUBJECT, 1, look_up)
    assert len(look_up.asked) == 40
    columns.numbers_of(column(1, texts=held[-1]), Place.SUBJECT, 1, look_up)
    assert len(look_up.asked) == 40
    assert pickle.loads(pickle.dumps(columns))._known == {}
