"""Groups of rows that come and go: what registered aggregates do for each row, and for each group.

A total says what the numbers of a group add up to. It is a tuple of how many errors, integers, decimals,
xsd:floats and xsd:doubles there are, and of what they add up to exactly, as xsd:floats and as xsd:doubles;
its parts have names in query/incremental/totals.py.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *

_ERRORS = 0  # where these stand in a total
_INTEGERS = 1
_DECIMALS = 2
_FLOATS = 3
_DOUBLES = 4
_EXACT = 5
_DOUBLED = 10
_UP = 11
_DOWN = 12
_NAN = 13

UNITS = 1 << 1074
"""How many of the smallest xsd:double above 0 make 1."""


def picked(rows, places: list):
    """Of each row what stands at these places, `NONE` where a place is below 0."""
    found: list = []
    row: tuple
    part: list
    for row in rows:
        part = []
        for place in places:
            part.append(row[place] if place >= 0 else NONE)
        found.append(tuple(part))
    return found


def weighed(groups: list, weights: list):
    """How many rows more each group has."""
    found: dict = {}
    i: cython.Py_ssize_t
    for i in range(len(groups)):
        before = found.get(groups[i])
        found[groups[i]] = weights[i] if before is None else before + weights[i]
    return found


def by_group(groups: list, items: list, weights: list):
    """What came to each group and went: items, each with how many copies."""
    found: dict = {}
    own: list
    i: cython.Py_ssize_t
    for i in range(len(groups)):
        known = found.get(groups[i])
        if known is None:
            own = found[groups[i]] = []
        else:
            own = known
        own.append((items[i], weights[i]))
    return found


def sum_up(kept: dict, parts: dict, addends, nothing: tuple, fma, entries: list, absent):
    """Add to the totals of groups what came to them, and take from them what went.

    Args:
        kept: the totals by group.
        parts: what `by_group` gives; an item begins with the number of a term.
        addends: what the term of a number adds to a total: places, each with the amount.
        nothing: the total of no numbers.
        fma: the product of two numbers plus a third, for amounts that are no integers.
        entries, absent: as `say` takes them.
    """
    total: list
    for group, items in parts.items():
        before = kept.get(group)
        total = list(nothing if before is None else before)
        for item, weight in items:
            for place, amount in addends[item[0]]:
                if type(amount) is int:
                    total[place] = total[place] + (amount if weight == 1 else weight * amount)
                else:
                    total[place] = fma(amount, weight, total[place])
        entries.append((kept, group, absent if before is None else before))
        kept[group] = tuple(total)


def count_values(of: dict, parts: dict, only_terms, entries: list, absent):
    """Count the different items of groups; gives by group those that are new (1) or there no more (-1).

    Args:
        of: the items of each group, with how many copies there are.
        parts: what `by_group` gives.
        only_terms: items that begin with `NONE` do not count.
        entries, absent: as `say` takes them.
    """
    found: dict = {}
    bag: dict
    before: dict
    changed: list
    for group, items in parts.items():
        known = of.get(group)
        if known is None:
            entries.append((of, group, absent))
            bag = of[group] = {}
        else:
            bag = known
        before = {}
        for item, weight in items:
            if only_terms and item[0] == NONE:
                continue
            copies = bag.get(item)
            before.setdefault(item, copies is not None)
            entries.append((bag, item, absent if copies is None else copies))
            copies = weight if copies is None else copies + weight
            if copies:
                bag[item] = copies
            else:
                bag.pop(item, None)
        changed = []
        for item, was in before.items():
            if (item in bag) != was:
                changed.append((item, -1 if was else 1))
        if changed:
            found[group] = changed
    return found


def result_of(total: tuple, is_average):
    """What tells the sum or average of a total from those of others, None where that is not simple.

    It is the result itself where that is an xsd:double other than 0; else what an exact one is computed from.
    """
    if total[_ERRORS]:
        return None
    if not total[_DOUBLES]:
        if total[_FLOATS]:
            return None
        size = total[_INTEGERS] + total[_DECIMALS] if is_average else 0
        return total[_EXACT], size, total[_DECIMALS] > 0
    if total[_UP] or total[_DOWN] or total[_NAN]:
        return None
    try:
        result = total[_DOUBLED] / UNITS
    except OverflowError:
        return None
    if is_average:
        result = result / (total[_INTEGERS] + total[_DECIMALS] + total[_FLOATS] + total[_DOUBLES])
    return result or None  # 0 and -0 are equal, and are two terms


def numbers_of(groups: list, kept: dict, nothing: tuple, is_average, known: dict, number):
    """The numbers of the terms that the totals of groups come to.

    Args:
        kept, nothing: as `sum_up` takes them.
        known: the numbers of some results, by what `result_of` gives.
        number: gives the number of another one, told its total and what tells it from others.
    """
    found: list = []
    for group in groups:
        total = kept.get(group)
        if total is None:
            total = nothing
        result = result_of(total, is_average)
        there = None if result is None else known.get(result)
        found.append(number(total, result) if there is None else there)
    return found


def say(groups: list, columns: list, said: dict, entries: list, absent):
    """Let groups have rows that end with what columns say of them; gives the change.

    Args:
        said: the rows of groups.
        entries: takes down what stood in a dictionary before: `(dictionary, key, value)`.
        absent: the value of what was not there.
    """
    made: dict = {}
    row: list
    i: cython.Py_ssize_t
    for i in range(len(groups)):
        group = groups[i]
        row = list(group)
        for column in columns:
            row.append(column[i])
        now = tuple(row)
        old = said.get(group)
        if old is not None:
            if now == old:
                continue
            made[old] = -1
        entries.append((said, group, absent if old is None else old))
        said[group] = now
        made[now] = 1
    return made
