"""Groups of rows that come and go: what registered aggregates do for each row, and for each group.

A total says what the numbers of a group add up to. It is a tuple of how many errors, integers, decimals,
xsd:floats and xsd:doubles there are, and of what they add up to exactly, as xsd:floats and as xsd:doubles;
its parts have names in query/incremental/totals.py. A result is what tells the sum or average of a total from
those of others: an xsd:double by itself, what is exact by what it is computed from.
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
_TINY = 15

UNIT = 2.0**-112
"""Most xsd:doubles are multiples of it, and sums of multiples fit into few words."""


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
    """The result of a total, None where that is not simple; what comes to 0 as xsd:double is not, since 0 and
    -0 are equal, and are two terms.
    """
    if total[_ERRORS]:
        return None
    if not total[_DOUBLES]:
        if total[_FLOATS]:
            return None
        size = total[_INTEGERS] + total[_DECIMALS] if is_average else 0
        return total[_EXACT], size, total[_DECIMALS] > 0
    if total[_UP] or total[_DOWN] or total[_NAN] or total[_TINY]:
        return None
    try:
        result = float(total[_DOUBLED]) * UNIT
    except OverflowError:
        return None
    if is_average:
        result = result / (total[_INTEGERS] + total[_DECIMALS] + total[_FLOATS] + total[_DOUBLES])
    return result or None


def numbers_of(groups: list, kept: dict, nothing: tuple, is_average, known: dict, number, numbers):
    """The numbers of the terms that the totals of groups come to.

    Args:
        kept, nothing: as `sum_up` takes them.
        known: the numbers of some results.
        number: gives the number of another result, told its total and the result.
        numbers: gives those of other xsd:doubles, told these.
    """
    found: list = []
    doubles: list = []
    places: list = []
    i: cython.Py_ssize_t
    for i in range(len(groups)):
        total = kept.get(groups[i])
        if total is None:
            total = nothing
        result = result_of(total, is_average)
        there = None if result is None else known.get(result)
        if there is not None:
            found.append(there)
        elif type(result) is float:
            found.append(NONE)
            doubles.append(result)
            places.append(i)
        else:
            found.append(number(total, result))
    if doubles:
        for place, there in zip(places, numbers(doubles), strict=True):
            found[place] = there
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
