"""Where the boxes of a layered picture stand: Sugiyama's method.

Boxes are put into layers, the order within each is that of the means of their neighbours' places, and then
each comes as close to the mean of its neighbours as the others let it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

_ROUNDS = 8
_GAP = 24.0
_LINE_WIDTH = 8.0  # what a line needs between boxes that it passes

Edge = tuple[int, int]
Node = int | tuple[Edge, int]
"""A box, or where an edge passes a layer."""

Links = Mapping[Node, tuple[list[Node], list[Node]]]
"""The neighbours of each node in the layer above and in the one below."""


class Layout(NamedTuple):
    """Where things are.

    Args:
        layer: of each node, from 0 on top.
        middle: of each node, the place of its middle from left to right.
        lines: of each edge the middles that it passes by, one in each layer between its ends.
        width: of all.
    """

    layer: dict[int, int]
    middle: dict[int, float]
    lines: dict[Edge, list[float]]
    width: float


def layout(root: int, edges: Sequence[Edge], widths: Mapping[int, float]) -> Layout:
    """The places of the nodes.

    Args:
        root: the node on top; all are below it.
        edges: from above to below, without circles.
        widths: of the nodes; in the order from left to right that is best where nothing else speaks.
    """
    layer = _layers(root, edges)
    between = {edge: [(edge, row) for row in range(layer[edge[0]] + 1, layer[edge[1]])] for edge in edges}
    wide = dict[Node, float](widths.items())
    rows: list[list[Node]] = [[] for _ in range(max(layer.values()) + 1)]
    for node in widths:
        rows[layer[node]].append(node)
    for points in between.values():
        for point in points:
            wide[point] = _LINE_WIDTH
            rows[point[1]].append(point)
    links: Links = {node: ([], []) for row in rows for node in row}
    for (upper, lower), points in between.items():
        chain: list[Node] = [upper, *points, lower]
        for above, below in pairwise(chain):
            links[below][0].append(above)
            links[above][1].append(below)
    _order(rows, links)
    middle = _places(rows, links, wide)
    left = min(middle[node] - wide[node] / 2 for node in middle)
    middle = {node: place - left for node, place in middle.items()}
    return Layout(
        layer,
        {node: middle[node] for node in layer},
        {edge: [middle[point] for point in points] for edge, points in between.items()},
        max(middle[node] + wide[node] / 2 for node in middle),
    )


def _layers(root: int, edges: Sequence[Edge]) -> dict[int, int]:
    """How many edges lead from the root to each node at most."""
    below: dict[int, list[int]] = {}
    above: Counter[int] = Counter(lower for _, lower in edges)
    for upper, lower in edges:
        below.setdefault(upper, []).append(lower)
    layer, ready = {root: 0}, [root]
    while ready:
        node = ready.pop()
        for lower in below.get(node, ()):
            layer[lower] = max(layer.get(lower, 0), layer[node] + 1)
            above[lower] -= 1
            if not above[lower]:
                ready.append(lower)
    return layer


def _order(rows: list[list[Node]], links: Links) -> None:
    """Sort each row by the means of the neighbours' places, downwards and upwards in turn, downwards last."""
    place = {node: float(index) for row in rows for index, node in enumerate(row)}
    for round_ in range(_ROUNDS + 1):
        side = round_ % 2
        for row in rows if side == 0 else reversed(rows):
            means = {node: _mean([place[other] for other in links[node][side]], place[node]) for node in row}
            row.sort(key=means.__getitem__)
            place.update((node, float(index)) for index, node in enumerate(row))


def _places(rows: Sequence[Sequence[Node]], links: Links, wide: Mapping[Node, float]) -> dict[Node, float]:
    """The middles of the nodes, from rows whose order stands."""
    middle: dict[Node, float] = {}
    for row in rows:
        middle.update(zip(row, _apart(row, [0.0] * len(row), wide), strict=True))
    for round_ in range(_ROUNDS):
        side = 1 - round_ % 2
        for row in rows if side == 0 else reversed(rows):
            wished = [_mean([middle[other] for other in links[node][side]], middle[node]) for node in row]
            middle.update(zip(row, _apart(row, wished, wide), strict=True))
    return middle


def _apart(row: Sequence[Node], wished: Sequence[float], wide: Mapping[Node, float]) -> list[float]:
    """The places closest to those wished for (in least squares) at which nothing overlaps."""
    offsets = [0.0]
    for one, other in pairwise(row):
        offsets.append(offsets[-1] + (wide[one] + wide[other]) / 2 + _GAP)
    pools: list[tuple[float, int]] = []  # the mean of some neighbours that touch, and how many they are
    for wish, offset in zip(wished, offsets, strict=True):
        mean, count = wish - offset, 1
        while pools and pools[-1][0] > mean:
            before, many = pools.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        pools.append((mean, count))
    flat = [mean for mean, count in pools for _ in range(count)]
    return [mean + offset for mean, offset in zip(flat, offsets, strict=True)]


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
