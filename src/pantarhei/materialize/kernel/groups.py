"""Groups of rows that come and go: what registered aggregates do for each row, and for each group.

Sums of the numbers of groups that come and go: what registered SUM and AVG do for each row.

A total says what the numbers of a group add up to: what is added when a number comes is taken away when it
goes. It is whole, or a triple while all numbers are alike: integers of few digits, or xsd:doubles that are
multiples of `UNIT`. A triple says where a whole total counts such numbers, how many there are, and what they
add up to, as integers or in multiples of `UNIT`. A whole total is a tuple of how many errors, integers,
decimals, xsd:floats and xsd:doubles there are, and of what they add up to exactly, as xsd:floats and as
xsd:doubles; its parts have names in query/incremental/totals.py.

An addend says what a term adds to a total: where numbers like it are counted if it is like others, else
0; what it adds to a triple; and what it adds to a whole total, pairs of a place and an amount.

A result is what tells the sum or average of a total from those of others: an xsd:double by itself, what is
exact by what it is computed from.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *


def picked(rows, places: list):
    """Of each row what stands at these places, `NONE` where a place is below 0."""
    found: list = []
    row: tuple
    part: list
    if len(places) == 1 and places[0] >= 0:
        place: cython.Py_ssize_t = places[0]
        for row in rows:
            found.append(row[place : place + 1])  # noqa: PERF401 (this loop is one of C)
        return found
    for row in rows:
        part = []
        for each in places:
            part.append(row[each] if each >= 0 else NONE)
        found.append(tuple(part))
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


def count_rows(sizes: dict, parts: dict, entries: list, absent):
    """Count the rows of groups; gives the groups that have none now.

    Args:
        sizes: how many rows each group has that has any.
        parts: what `by_group` gives.
        entries, absent: as `say` takes them.
    """
    left: list = []
    own: list
    for group, own in parts.items():
        before = sizes.get(group)
        size = 0 if before is None else before
        for _, weight in own:
            size = size + weight
        if not size:
            left.append(group)
        if size == (0 if before is None else before):
            continue
        entries.append((sizes, group, absent if before is None else before))
        if size:
            sizes[group] = size
        else:
            del sizes[group]
    return left


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


def say(groups: list, columns: list, places: list, said: dict, entries: list, absent):
    """Let groups have rows of what they are and what columns say of them; gives the change.

    Args:
        places: where in these together stands what a row has, below 0 for nowhere.
        said: the rows of groups.
        entries: takes down what stood in a dictionary before: `(dictionary, key, value)`.
        absent: the value of what was not there.
    """
    made: dict = {}
    group: tuple
    row: list
    i: cython.Py_ssize_t
    at: cython.Py_ssize_t
    for i in range(len(groups)):
        group = groups[i]
        row = []
        for place in places:
            at = place
            if at < 0:
                row.append(NONE)
            elif at < len(group):
                row.append(group[at])
            else:
                row.append(columns[at - len(group)][i])
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


_ERRORS = 0  # where these stand in a whole total
_INTEGERS = 1
_DECIMALS = 2
_FLOATS = 3
_DOUBLES = 4
_EXACT = 5
_SINGLES = 6
_DOUBLED = 10
_UP = 11
_DOWN = 12
_NAN = 13
_TINY = 15
_BITS = 112
_MOST = 10**15  # a sum of integers and decimals below it has few digits before the point

UNIT = 2.0**-_BITS
"""Most xsd:doubles are multiples of it, and sums of multiples fit into few words."""

NOTHING = (_INTEGERS, 0, 0)
"""The total of no numbers."""


def sum_up(kept: dict, parts: dict, addends, fma, entries: list, absent):
    """Add to the totals of groups what came to them, and take from them what went.

    Args:
        kept: the totals by group; `NOTHING` of those that are not there.
        parts: what `groups.by_group` gives; an item begins with the number of a term.
        addends: those of terms, by their numbers.
        fma: the product of two numbers plus a third, exactly, where one of them is no integer.
        entries, absent: as `groups.say` takes them.
    """
    for group, items in parts.items():
        before = kept.get(group)
        total = NOTHING if before is None else before
        after = alike_after(total, items, addends) if len(total) == 3 else None
        if after is None:
            after = mixed_after(whole_total(total), items, addends, fma)
        entries.append((kept, group, absent if before is None else before))
        kept[group] = after


def alike_after(before: tuple, items, addends):
    """A total of numbers that are alike after further ones have come and gone; None where not all are.

    Where none is left it is `NOTHING`: the sum of no numbers is an integer.
    """
    kind, count, amount = before
    more: tuple
    for item, weight in items:
        more = addends[item[0]]
        alike = more[0]
        if alike != kind or not alike:
            if count or not alike:
                return None
            kind = alike
        count = count + weight
        amount = amount + (more[1] if weight == 1 else weight * more[1])
    return (kind, count, amount) if count else NOTHING


def mixed_after(before: tuple, items, addends, fma):
    """A whole total after further numbers have come and gone."""
    total: list = list(before)
    more: tuple
    for item, weight in items:
        more = addends[item[0]]
        for place, amount in more[2]:
            if type(amount) is int and type(total[place]) is int:
                total[place] = total[place] + (amount if weight == 1 else weight * amount)
            else:
                total[place] = fma(amount, weight, total[place])
    return tuple(total)


def whole_total(total: tuple):
    """A total as a whole one."""
    if len(total) > 3:
        return total
    kind, count, amount = total
    found: list = [0] * 16
    found[kind] = count
    if kind == _DOUBLES:
        found[_DOUBLED] = amount
    else:
        found[_EXACT] = amount
        found[_SINGLES] = found[_DOUBLED] = amount << _BITS
    return tuple(found)


def result_of(total: tuple, is_average):
    """The result of a total, None where that is not simple: it is no number, or one of many digits. What
    comes to 0 as xsd:double is not simple, since 0 and -0 are equal, and are two terms.
    """
    if len(total) == 3:
        return result_of_alike(total, is_average)
    if total[_ERRORS]:
        return None
    if not total[_DOUBLES]:
        exact = total[_EXACT]
        if total[_FLOATS] or not -_MOST < exact < _MOST:
            return None
        size = total[_INTEGERS] + total[_DECIMALS] if is_average else 0
        return exact, size, total[_DECIMALS] > 0
    if total[_UP] or total[_DOWN] or total[_NAN] or total[_TINY]:
        return None
    size = total[_INTEGERS] + total[_DECIMALS] + total[_FLOATS] + total[_DOUBLES]
    return doubled(total[_DOUBLED], size if is_average else 1)


def result_of_alike(total: tuple, is_average):
    """The result of a total of numbers that are alike."""
    kind, count, amount = total
    if kind == _DOUBLES:
        return doubled(amount, count if is_average else 1)
    return (amount, count if is_average else 0, False) if -_MOST < amount < _MOST else None


def doubled(multiples, size):
    """The xsd:double of so many multiples of `UNIT`, divided; None for 0, and where it is too large."""
    try:
        return (float(multiples) * UNIT / size) or None
    except OverflowError:
        return None


def numbers_of(groups: list, kept: dict, is_average, known: dict, number, numbers):
    """The numbers of the terms that the totals of groups come to.

    Args:
        kept: as `sum_up` takes them.
        known: the numbers of some results.
        number: gives the number for a total without a simple result.
        numbers: gives those of other results, told these.
    """
    found: list = []
    results: list = []
    places: list = []
    i: cython.Py_ssize_t
    for i in range(len(groups)):
        total = kept.get(groups[i])
        if total is None:
            total = NOTHING
        result = result_of(total, is_average)
        if result is None:
            found.append(number(total))
            continue
        there = known.get(result)
        found.append(there)
        if there is None:
            results.append(result)
            places.append(i)
    if results:
        for place, there in zip(places, numbers(results), strict=True):
            found[place] = there
    return found
