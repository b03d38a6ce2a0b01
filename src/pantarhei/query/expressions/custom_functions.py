"""Functions that are registered with rdflib by their IRIs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rdflib import BNode, Literal, URIRef
from rdflib.plugins.sparql import operators
from rdflib.plugins.sparql.parserutils import Expr
from rdflib.plugins.sparql.sparql import FrozenBindings, QueryContext

from pantarhei.model.term import Term
from pantarhei.query.expressions.casts import CASTS
from pantarhei.query.expressions.values import ExpressionError


def is_known_function(iri: str) -> bool:
    """Whether a query may call a function of this IRI: a cast, or one registered with rdflib."""
    return str(iri) in CASTS or URIRef(iri) in operators._CUSTOM_FUNCTIONS


def custom_function(iri: str) -> Callable[..., Term]:
    """The function registered with rdflib under an IRI; an error where it is gone, or results in no term."""

    def call(*arguments: Term) -> Term:
        function, raw = operators._CUSTOM_FUNCTIONS.get(URIRef(iri), (None, False))
        if function is None:
            raise ExpressionError
        result = _raw(function, iri, arguments) if raw else function(*arguments)  # type: ignore[arg-type]
        if not isinstance(result, URIRef | BNode | Literal):
            raise ExpressionError
        return result

    return call


def _raw(function: Callable[..., Any], iri: str, arguments: tuple[Term, ...]) -> object:
    """What a function says that is asked as rdflib's evaluator would."""
    expression = Expr("Function", function, iri=URIRef(iri), expr=list(arguments), distinct=[])
    return function(expression, FrozenBindings(QueryContext()))
