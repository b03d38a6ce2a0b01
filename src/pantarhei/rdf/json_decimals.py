"""Decimals that are numbers in JSON-LD."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

import pyoxigraph as ox

_DECIMAL: Final = ox.NamedNode("http://www.w3.org/2001/XMLSchema#decimal")
_AS_DOUBLE = re.compile(r"-?\d\.\d+E-?\d{1,3}")


def with_decimals(quad: ox.Quad) -> ox.Quad:
    """The same statement with a decimal that a number of JSON became written as decimals are.

    JSON-LD writes numbers with a fraction as doubles are written, whatever their datatype: of 12.5 as
    `xsd:decimal` it makes `"1.25E1"^^xsd:decimal`, which has no value.

    >>> a, b = ox.NamedNode("urn:a"), ox.NamedNode("urn:b")
    >>> print(with_decimals(ox.Quad(a, b, ox.Literal("1.25E1", datatype=_DECIMAL))).object)
    "12.5"^^<http://www.w3.org/2001/XMLSchema#decimal>
    """
    value = quad.object
    if not (isinstance(value, ox.Literal) and value.datatype == _DECIMAL):
        return quad
    found = _AS_DOUBLE.fullmatch(value.value)
    if found is None:
        return quad
    number = ox.Literal(f"{Decimal(found[0]):f}", datatype=_DECIMAL)
    return ox.Quad(quad.subject, quad.predicate, number, quad.graph_name)
