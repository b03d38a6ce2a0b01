"""The kinds of terms."""

from pantarhei.query.expressions import kinds


def test_numbers_are_the_kinds_from_the_first_number_on() -> None:
    others = [kinds.NOTHING, kinds.NAME, kinds.ILL_TYPED, kinds.OTHER, kinds.STRING, kinds.LANG_STRING]
    others += [kinds.BOOLEAN, kinds.ZONED, kinds.UNZONED, kinds.TEMPORAL, kinds.KNOWN]
    assert all(kind < kinds.FIRST_NUMBER for kind in others)
    assert all(kind >= kinds.FIRST_NUMBER for kind in kinds.NUMBERS)


def test_types_are_promoted_in_their_order() -> None:
    assert [kinds.PROMOTION[kind] for kind in kinds.TYPES] == [0, 1, 2, 3]
    assert kinds.PROMOTION[kinds.LONG_DECIMAL] == kinds.PROMOTION[kinds.DECIMAL]


def test_tables_say_which_kinds_are_in_a_set() -> None:
    assert kinds.mask_by_kind(kinds.STRING).nonzero()[0].tolist() == [kinds.STRING]
