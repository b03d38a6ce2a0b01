"""Groups of rows that come and go: what registered aggregates do for each row, and for each group."""

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
