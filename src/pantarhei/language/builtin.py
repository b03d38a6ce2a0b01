"""Built-ins of SWRL: comparisons of literals and computations on them."""

from __future__ import annotations

from rdflib import URIRef

SWRLB = "http://www.w3.org/2003/11/swrlb#"

COMPARISONS = frozenset(
    URIRef(SWRLB + name)
    for name in (
        "equal",
        "notEqual",
        "lessThan",
        "lessThanOrEqual",
        "greaterThan",
        "greaterThanOrEqual",
    )
)
COMPUTATIONS = frozenset(
    URIRef(SWRLB + name)
    for name in (
        "add",
        "subtract",
        "multiply",
        "divide",
        "integerDivide",
        "mod",
        "pow",
        "unaryMinus",
        "unaryPlus",
        "abs",
        "ceiling",
        "floor",
        "round",
        "roundHalfToEven",
    )
)
