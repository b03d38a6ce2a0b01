"""Incremental aggregates of registered queries: group sizes, distinct values, and sums.

The *total* of a group is the running sum of its numbers: inserted numbers are added, deleted ones subtracted.
There are two forms:

- A *uniform* total is a triple, used while all numbers are of one kind: integers of few digits, or
  xsd:doubles that are multiples of `UNIT`. It has the index of their count in a mixed total, their count, and
  their sum, as an integer or in multiples of `UNIT`.
- A *mixed* total is a tuple: the counts of errors, integers, decimals, xsd:floats and xsd:doubles; and the
  sums of the numbers exactly, as xsd:floats and as xsd:doubles. query/incremental/totals.py names its parts.

The *addend* of a term is its contribution to a total: the index of its count if it may be in a uniform total,
else 0; its contribution to the sum of a uniform total; and its contributions to a mixed total, pairs of an
index and an amount.

The *result* of a total distinguishes sums and averages that are different terms: it is an xsd:double, or the
operands of an exact sum or average.
"""

from __future__ import annotations

import cython

if not cython.compiled:
    from pantarhei.materialize.kernel.constants import *


def project_rows(rows, places: list):
    """Project rows to these columns; a negative column gives `NONE`."""
    found: list = []
    row: tuple
    part: list
    if len(places) == 1 and places[0] >= 0:
        place: cython.Py_ssize_t = places[0]
        for row in rows:
            found.append(row[place : place + 1])  # noqa: PERF401 (compiled to a C loop)
        return found
    for row in rows:
        part = []
        for each in places:
            part.append(row[each] if each >= 0 else NONE)
        found.append(tuple(part))
    return found


def group_items(groups: list, items: list, weights: list):
    """Group inserted and deleted items: a list of `(item, weight)` for each group."""
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
    """Update the row counts of groups; returns the groups that are empty now.

    Args:
        sizes: row counts of nonempty groups.
        parts: result of `group_items`.
        entries, absent: as for `replace_group_rows`.
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
    """Update the distinct items of groups; returns for each group the items that are new (1) or gone (-1).

    Args:
        of: by group the number of copies of each item.
        parts: result of `group_items`.
        only_terms: ignore items that begin with `NONE`.
        entries, absent: as for `replace_group_rows`.
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


def replace_group_rows(groups: list, columns: list, places: list, group_rows: dict, entries: list, absent):
    """Replace the output rows of groups; returns the delta.

    Args:
        columns: for each aggregate its values, one for each group.
        places: for each column of a row its index among the key of the group followed by the aggregates'
            values; negative for `NONE`.
        group_rows: the rows by group; updated.
        entries: undo log, to which `(dictionary, key, previous value)` is appended.
        absent: stands for the previous value of a missing key.
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
        old = group_rows.get(group)
        if old is not None:
            if now == old:
                continue
            made[old] = -1
        entries.append((group_rows, group, absent if old is None else old))
        group_rows[group] = now
        made[now] = 1
    return made


_ERRORS = 0  # indexes in a mixed total
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
_MOST = 10**15  # sums of integers and decimals below this bound have few digits before the decimal point

UNIT = 2.0**-_BITS
"""Most xsd:doubles are multiples of it, and sums of multiples fit into few words."""

NOTHING = (_INTEGERS, 0, 0)
"""The total of no numbers."""


def update_totals(kept: dict, parts: dict, addends, fma, entries: list, absent):
    """Add the inserted numbers of groups to their totals, and subtract the deleted ones.

    Args:
        kept: totals by group; a missing total is `NOTHING`.
        parts: result of `group_items`; an item begins with the number of a term.
        addends: addends by term number.
        fma: exact fused multiply-add, for factors that are not integers.
        entries, absent: as for `replace_group_rows`.
    """
    for group, items in parts.items():
        before = kept.get(group)
        total = NOTHING if before is None else before
        after = update_uniform(total, items, addends) if len(total) == 3 else None
        if after is None:
            after = update_mixed(mixed_total(total), items, addends, fma)
        entries.append((kept, group, absent if before is None else before))
        kept[group] = after


def update_uniform(before: tuple, items, addends):
    """Return an updated uniform total, None if a number is of another kind.

    Without any numbers, the total becomes `NOTHING`, since the sum of no numbers is an integer.
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


def update_mixed(before: tuple, items, addends, fma):
    """Return an updated mixed total."""
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


def mixed_total(total: tuple):
    """Return a total in its mixed form."""
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
    """Return the result of a total; None if it needs the general arithmetic, because of errors or of many
    digits.

    An xsd:double zero also gives None, since 0 and -0 are equal but different terms.
    """
    if len(total) == 3:
        return result_of_uniform(total, is_average)
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
    return scaled_double(total[_DOUBLED], size if is_average else 1)


def result_of_uniform(total: tuple, is_average):
    """Return the result of a uniform total."""
    kind, count, amount = total
    if kind == _DOUBLES:
        return scaled_double(amount, count if is_average else 1)
    return (amount, count if is_average else 0, False) if -_MOST < amount < _MOST else None


def scaled_double(multiples, size):
    """Return `multiples * UNIT / size` as an xsd:double; None for 0 and on overflow."""
    try:
        return (float(multiples) * UNIT / size) or None
    except OverflowError:
        return None


def result_numbers(groups: list, kept: dict, is_average, known: dict, number, numbers):
    """Return the term numbers of the sums or averages of groups.

    Args:
        kept: totals by group.
        known: term numbers of results seen before.
        number: function that returns the term number of a total for which `result_of` gives None.
        numbers: function that returns the term numbers of new results.
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
