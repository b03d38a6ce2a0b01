"""The forms in which literals were given: of facts that came, went, and of what is derived from them."""

import numpy as np
from rdflib import XSD, Literal, Variable

from interrupting import interrupted
from pantarhei.encoding.given_forms import GivenForms
from pantarhei.encoding.numbers import NO_FORMS, Encoded
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.model.rule import Atom, Rule
from pantarhei.rules.compilation.program import compile_
from strategies import EX

x, y = Variable("x"), Variable("y")
PROGRAM = compile_([Rule("prp-spo1", (Atom(EX.V, (x, y)),), Atom(EX.W, (x, y)))])
ONE, OTHER = (Literal(text, datatype=XSD.integer, normalize=False) for text in ("1", "01"))
NOTHING = Encoded(np.empty((0, 3), np.int32), NO_FORMS)


def signed(encoded, sign):
    return np.insert(encoded.facts, 3, sign, axis=1)


def given():
    """(a vocabulary that knows both forms, `EX.a EX.V "01"` in it)."""
    vocabulary = Vocabulary(PROGRAM)
    vocabulary.encode([(EX.b, EX.V, ONE)])
    return vocabulary, vocabulary.encode([(EX.a, EX.V, OTHER)])


def test_a_form_comes_with_its_fact_and_goes_with_it():
    vocabulary, encoded = given()
    forms = GivenForms(vocabulary)
    change = forms.change(signed(encoded, 1), encoded)
    assert list(change.inserted.values()) == [OTHER] and not forms.facts  # nothing is changed before `after`
    forms = forms.after(change)
    gone = forms.change(signed(encoded, -1), NOTHING)
    assert (gone.deleted, gone.inserted) == (change.inserted, {})
    assert not forms.after(gone).facts


def test_what_is_derived_has_the_form_of_the_assertion():
    vocabulary, encoded = given()
    derived = vocabulary.encode([(EX.a, EX.W, ONE)])
    changes = np.concatenate([signed(encoded, 1), signed(derived, 1)])
    came = GivenForms(vocabulary).change(changes, encoded).inserted
    assert came[tuple(derived.facts[0].tolist())] == OTHER


def test_a_copy_goes_its_own_way():
    vocabulary, encoded = given()
    forms = GivenForms(vocabulary)
    other = forms.copy()
    assert other.after(other.change(signed(encoded, 1), encoded)).facts
    assert not forms.facts


def test_a_change_that_is_broken_off_anywhere_is_made_at_the_next_look():
    vocabulary, _ = given()
    came = vocabulary.encode([(EX[f"x{i}"], EX.V, OTHER) for i in range(70)])
    went = signed(vocabulary.encode([(EX[f"x{i}"], EX.V, OTHER) for i in range(69)]), -1)
    nth, going = 0, True
    while going:
        nth += 1
        forms = GivenForms(vocabulary)
        forms = forms.after(forms.change(signed(came, 1), came))
        forms = forms.after(forms.change(went, NOTHING))
        going = interrupted(lambda: forms.facts, nth, GivenForms.change.__code__.co_filename.__eq__)  # noqa: B023
        last = tuple(came.facts[-1].tolist())
        assert (forms.facts, forms.pairs) == ({last: OTHER}, {last[1:]: OTHER})
