"""Nodes made anew with other nodes below them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pantarhei.query.algebra.nodes import Closure, Join, LeftJoin, Mark, Minus, Node, Union

Pass = Callable[[Node], Node]


def with_children(node: Node, change: Pass) -> Node:
    """The node with each of its children changed."""
    if isinstance(node, LeftJoin):
        marks = tuple((variable, change(pattern)) for variable, pattern in node.marks)
        return replace(node, left=change(node.left), right=change(node.right), marks=marks)
    if isinstance(node, Join | Union | Minus | Mark):
        return replace(node, left=change(node.left), right=change(node.right))
    if isinstance(node, Closure):
        return replace(node, step=change(node.step))
    if node.children:
        return replace(node, child=change(node.children[0]))  # type: ignore[call-arg]
    return node
