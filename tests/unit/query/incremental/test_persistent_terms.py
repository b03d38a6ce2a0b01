"""A term keeps its number from step to step, whoever brings it first, and in whatever form."""

import math
from decimal import Decimal

import numpy as np
import pytest
from rdflib import XSD, Literal, URIRef

from pantarhei.encoding.numbers import NONE
from pantarhei.encoding.vocabulary import Vocabulary
from pantarhei.query.expressions import kinds
from pantarhei.query.incremental.journal import Journal
from pantarhei.query.incremental.persistent_terms import (
    UNSUPPORTED,
    LocalTerms,
    Name,
    PersistentTermIds,
    numeric_of,
    value_key,
)
from pantarhei.query.solutions import LOCAL
from pantarhei.rules.compilation.program import compile_
from pantarhei.values import canonical
from pantarhei.values.numeric import Numeric
from pantarhei.values.value import value_of
from signed_bags import Bench

ONE = Literal("1", datatype=XSD.integer, normalize=False)
PADDED = Literal("01", datatype=XSD.integer, normalize=False)
PAIR = URIRef("urn:s"), URIRef("urn:p")


class Case:
    def __init__(self, numbers="by_datatype"):
        self.vocabulary, self.journal = Vocabulary(compile_([]), numbers), Journal()
        self.terms = PersistentTermIds(self.vocabulary, self.journal)

    def bring(self, literal):
        """An ABox brings a literal; the number of its value."""
        number = int(self.vocabulary.encode([(*PAIR, literal)]).facts[0, 2])
        self.terms.synchronize()
        return number

    def shown(self, number):
        return self.terms.term(int(self.terms.first_forms(np.array([number], np.int64))[0]))


@pytest.fixture
def case():
    return Case()


def test_what_an_abox_brought_first_has_the_number_of_the_vocabulary(case):
    number = case.bring(ONE)
    assert case.terms.id_of(ONE) == number < LOCAL
    assert not case.terms.has_replacements


def test_another_form_has_a_number_of_its_own_and_the_same_value(case):
    number = case.bring(ONE)
    other = case.terms.id_of(PADDED)
    assert other >= LOCAL
    assert case.terms.value(other) == number
    assert case.terms.term(other) == PADDED


@pytest.mark.parametrize("form", [ONE, PADDED])
def test_what_was_computed_first_joins_with_what_comes_later(case, form):
    computed = case.terms.id_of(ONE)
    number = case.bring(form)
    assert computed >= LOCAL
    assert case.terms.value(computed) == number
    assert case.terms.id_of(ONE) == computed  # as before
    assert case.shown(number) == form


def test_a_form_that_was_computed_first_is_shown_by_its_first_number(case):
    computed = case.terms.id_of(ONE)
    number = case.bring(ONE)
    assert case.terms.has_replacements
    assert case.terms.first_form(number) == computed
    assert case.terms.first_forms(np.array([number, 5], np.int64)).tolist() == [computed, 5]


def test_values_of_numbers_are_those_of_the_vocabulary(case):
    name, form = case.terms.id_of(PAIR[0]), case.terms.id_of(ONE)
    values = case.terms.values(np.array([NONE, name, form], np.int64))
    assert values.tolist() == [NONE, name, case.terms.value(form)]


def test_a_simple_literal_and_one_of_xsd_string_are_one_term(case):
    assert case.terms.id_of(Literal("a", datatype=XSD.string)) == case.terms.id_of(Literal("a"))


def test_a_string_is_told_as_before_when_another_brings_it_with_its_datatype_and_when_numbers_change(case):
    number = case.terms.id_of(Literal("a"))
    brought = case.bring(Literal("a", datatype=XSD.string))
    assert case.shown(brought) == Literal("a") and case.terms.value(number) == brought
    renamed = case.terms.renumber({brought: brought}, {number})
    assert case.terms.term(renamed[number]) == case.shown(brought) == Literal("a")
    assert case.terms.id_of(Literal("a", datatype=XSD.string)) == renamed[number]


def test_a_step_that_failed_leaves_the_numbers_of_those_before(case):
    kept = case.terms.id_of(ONE)
    mark, tables = case.journal.savepoint(), case.vocabulary.counts
    number = case.bring(ONE)
    assert case.terms.first_form(number) == kept
    case.journal.restore(mark)
    assert case.terms.first_form(number) is None
    assert case.terms.id_of(ONE) == kept
    assert case.vocabulary.counts >= tables


def test_terms_that_nobody_uses_are_forgotten_when_others_get_new_numbers(case):
    used, unused = case.terms.id_of(ONE), case.terms.id_of(PADDED)
    value = case.terms.value(used)
    numbers = case.terms.renumber({value: value}, {used})
    assert numbers == {NONE: NONE, used: LOCAL}
    assert case.terms.locals == [ONE]
    assert case.terms.term(numbers[used]) == ONE
    assert case.terms.id_of(PADDED) != numbers[used]
    assert unused not in numbers


def test_the_decoder_of_a_time_goes_on_saying_what_numbers_stood_for(case):
    row = (case.terms.id_of(PAIR[0]), NONE, case.terms.id_of(ONE))
    decoder = case.terms.decoder
    case.terms.renumber({row[0]: row[0]}, {row[0]})
    assert decoder.row(row) == (PAIR[0], None, ONE)


def test_a_term_whose_coming_was_undone_keeps_one_number_when_others_are_forgotten(case):
    computed, mark = case.terms.id_of(ONE), case.vocabulary.mark
    number = case.bring(ONE)
    case.vocabulary.roll_back_to(mark)
    case.terms.synchronize()
    numbers = case.terms.renumber({number: number}, {computed})
    assert case.terms.id_of(ONE) == numbers[computed]


HALF = Numeric(kinds.DOUBLE, 0.5)
SHOWN, GIVEN = (Literal(text, datatype=XSD.double, normalize=False) for text in ("5.0E-1", "0.5"))


def test_a_computed_number_takes_no_place_in_the_vocabulary_until_somebody_asks_for_its_value(case):
    known, size = case.vocabulary.counts, case.vocabulary.size
    number = case.terms.id_of_number(HALF)
    assert case.terms.id_of_number(HALF) == number >= LOCAL
    assert case.terms.decoder.row((number,)) == (SHOWN,)
    assert case.vocabulary.counts == known
    assert case.vocabulary.size == size + 1  # so that it is forgotten in time
    value = case.terms.value(number)
    assert case.vocabulary.find(GIVEN) == value
    assert case.vocabulary.size == size + 1
    assert case.terms.id_of_number(HALF) == case.terms.id_of(SHOWN) == number


@pytest.mark.parametrize("form", [SHOWN, GIVEN])
def test_a_computed_number_joins_with_what_comes_later(case, form):
    computed = case.terms.id_of_number(HALF)
    number = case.bring(form)
    assert case.terms.value(computed) == number
    assert case.terms.first_form(number) == (computed if form == SHOWN else None)
    assert case.shown(number) == form


def test_a_term_that_is_given_as_text_is_the_computed_one_and_another_form_has_its_value(case):
    computed = case.terms.id_of_number(HALF)
    other = case.terms.id_of(GIVEN)
    assert case.terms.id_of(SHOWN) == computed != other
    assert case.terms.value(other) == case.terms.value(computed)


@pytest.mark.parametrize("numbers", ["by_datatype", "by_value"])
def test_many_plain_numbers_get_the_numbers_that_each_would_get(numbers):
    case, found = Case(numbers), {}
    known = case.bring(GIVEN)
    decimal = case.terms.id_of_number(Numeric(kinds.DECIMAL, Decimal("0.125")))
    whole = case.terms.id_of_number(Numeric(kinds.INTEGER, 3))
    computed, settled = (case.terms.id_of_number(Numeric(kinds.DOUBLE, each)) for each in (0.25, 0.75))
    case.terms.value(settled)
    plain = [0.25, 0.5, 0.125, 0.75, 0.125, Decimal("0.125"), Decimal(3), 3, 4]
    keyed = [(number, value_key(numeric_of(number))) for number in plain]
    ids = case.terms.ids_of_plain(range(len(plain)), keyed, found)
    assert ids == [computed, ids[1], ids[2], settled, ids[2], decimal, ids[6], whole, ids[8]]
    assert len({*ids}) == 8
    assert found.keys() >= {1, 3}
    assert case.terms.value(ids[1]) == known
    assert case.terms.value(ids[6]) == case.terms.value(whole)
    for number, id_ in zip(plain, ids, strict=True):
        assert id_ == case.terms.id_of_number(numeric_of(number))
    assert case.terms.decoder.row((ids[2],)) == (Literal("1.25E-1", datatype=XSD.double, normalize=False),)


def test_numbers_of_two_types_are_two_terms_of_one_value(case):
    whole, decimal = (case.terms.id_of_number(Numeric(t, 5)) for t in (kinds.INTEGER, kinds.DECIMAL))
    assert list(map(str, map(case.terms.term, (whole, decimal)))) == ["5", "5"]
    assert case.terms.values(np.array([whole, decimal])).tolist() == [case.terms.value(whole)] * 2


def test_what_was_settled_in_a_step_that_failed_has_a_value_afterwards(case):
    computed = case.terms.id_of_number(HALF)
    case.terms.synchronize()
    mark, before = case.journal.savepoint(), case.vocabulary.mark
    case.bring(SHOWN)
    case.journal.restore(mark)
    case.vocabulary.roll_back_to(before)
    assert case.vocabulary.fulfilled == []
    case.bring(ONE)
    assert case.terms.value(computed) == case.vocabulary.find(SHOWN) != case.vocabulary.find(ONE)
    assert case.terms.first_form(case.bring(SHOWN)) == computed


def test_what_was_settled_anywhere_in_steps_that_were_undone_has_a_value_afterwards(case):
    computed = case.terms.id_of_number(HALF)
    case.terms.begin_step()
    mark, before = case.journal.savepoint(), case.vocabulary.mark
    case.bring(SHOWN)
    case.terms.synchronize()  # as at each telling of a step
    other = case.terms.id_of(PADDED)
    case.terms.synchronize()
    case.journal.restore(mark)
    case.vocabulary.roll_back_to(before)
    taken = case.bring(ONE)
    assert case.terms.value(computed) == case.vocabulary.find(SHOWN) != taken
    assert case.terms.value(other) == taken


def test_computed_numbers_that_are_used_stay_unsettled_when_others_get_new_numbers(case):
    unused, used = (case.terms.id_of_number(Numeric(kinds.DOUBLE, number)) for number in (0.25, 0.5))
    assert case.terms.settled_values({used, unused}) == set()
    numbers = case.terms.renumber({}, {used})
    assert numbers == {NONE: NONE, used: LOCAL}
    assert (case.terms.id_of_number(HALF), case.terms.term(LOCAL)) == (LOCAL, SHOWN)
    assert case.terms.id_of_number(Numeric(kinds.DOUBLE, 0.25)) == LOCAL + 1
    assert case.vocabulary.counts[2] == 0


def value(bench, text):
    (number,) = bench.row(text)
    return bench.shared.values[number]


def test_terms_have_the_values_that_operators_look_at():
    bench = Bench()
    assert value(bench, "05") == Numeric(kinds.INTEGER, 5)
    assert value(bench, '"x"') == "x"
    assert value(bench, "b").number == bench.row("b")[0]
    assert isinstance(value(bench, "a"), Name)
    assert value(bench, '"x"@en') is UNSUPPORTED
    assert value(bench, "-") is None


def test_what_is_forgotten_is_read_again():
    bench = Bench()
    value(bench, "5")
    bench.shared.values.clear()
    assert not bench.shared.values
    assert value(bench, "5") == Numeric(kinds.INTEGER, 5)


@pytest.mark.parametrize(
    "number",
    [
        Numeric(kinds.INTEGER, -7),
        Numeric(kinds.DECIMAL, Decimal("2.50")),
        Numeric(kinds.DECIMAL, Decimal("2.00")),
        Numeric(kinds.DOUBLE, 0.1),
    ],
)
def test_the_key_is_that_of_the_literal(number):
    assert value_key(number) == value_of(canonical.number(number))


@pytest.mark.parametrize(
    "number",
    [
        Numeric(kinds.DOUBLE, -0.0),
        Numeric(kinds.DOUBLE, math.inf),
        Numeric(kinds.DOUBLE, math.nan),
        Numeric(kinds.FLOAT, 0.5),
        Numeric(kinds.INTEGER, 10**15),
    ],
)
def test_some_are_better_written_at_once(number):
    assert value_key(number) is None


def test_a_literal_is_made_once_when_it_is_looked_at():
    terms = LocalTerms([Literal("a"), Numeric(kinds.FLOAT, 5), 0.5, Decimal("2.50"), 7])
    types = [kinds.FLOAT, kinds.DOUBLE, kinds.DECIMAL, kinds.INTEGER]
    assert list(map(terms.type_at, range(1, 5))) == types
    assert terms[1] == Literal("5.0E0", datatype=XSD.float, normalize=False)
    assert terms[3] == Literal("2.5", datatype=XSD.decimal)
    assert terms[4] == Literal("7", datatype=XSD.integer)
    assert terms[2] == Literal("5.0E-1", datatype=XSD.double, normalize=False)
    assert terms[1] is terms[1]
    assert terms[0] == Literal("a")
    assert list(map(terms.type_at, range(1, 5))) == types


def test_a_plain_number_is_alike_what_is_of_its_datatype():
    terms = LocalTerms([7, Decimal(7), Literal("7.00", datatype=XSD.decimal)])
    assert [terms.is_alike(place, Decimal(7)) for place in range(3)] == [False, True, True]
