"""Forms of literals, by fact, and by subject and value."""

import numpy as np
from rdflib import XSD, Literal

from pantarhei.encoding.forms import NO_FORMS, Forms
from pantarhei.encoding.numbers import NONE

ZERO_ONE, PLUS = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("01", "+1"))
VALUE = 1 << 30


def facts(*given):
    return np.array([(0, who, VALUE) for who in given], np.int32)


def test_the_form_given_first_counts():
    only_second = Forms.given(facts(1, 1, 2), {1: PLUS, 2: ZERO_ONE})
    assert only_second == Forms({(0, 2, VALUE): ZERO_ONE}, {(2, VALUE): ZERO_ONE})
    assert Forms.given(facts(1, 1), {0: PLUS, 1: ZERO_ONE}) == Forms(
        {(0, 1, VALUE): PLUS}, {(1, VALUE): PLUS}
    )
    assert Forms.given(facts(1), {}) is NO_FORMS


def test_there_are_forms_or_there_are_none():
    assert not NO_FORMS and len(NO_FORMS) == 0
    assert Forms({(0, 1, VALUE): PLUS}) and Forms({}, {(1, VALUE): PLUS})


def test_forms_come_back_from_their_rows():
    forms = Forms({(0, 1, VALUE): PLUS}, {(1, VALUE): PLUS, (2, VALUE): ZERO_ONE})
    rows = list(forms.rows())
    assert [fact for fact, _ in rows] == [(0, 1, VALUE), (NONE, 1, VALUE), (NONE, 2, VALUE)]
    assert Forms.of_rows(rows) == forms
