"""Numbers with their nouns."""

from __future__ import annotations


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun; `many` where the plural is not made with `s`, or `es` behind an `x`.

    >>> counted(1, "ABox"), counted(2_000, "ABox"), counted(0, "fact"), counted(2, "property", "properties")
    ('1 ABox', '2,000 ABoxes', '0 facts', '2 properties')
    """
    many = many or one + ("es" if one.endswith("x") else "s")
    return f"{number:,} {one if number == 1 else many}"
