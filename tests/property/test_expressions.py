"""Expressions, aggregates and orders by column are what the reference says row by row."""

import os
from datetime import UTC, datetime
from random import Random

import numpy as np
import pytest
from rdflib import XSD, BNode, Literal, Variable

from expressions import NOW, context, table_of, term
from oracle.answers import algebra
from oracle.answers.aggregates import aggregate_values
from oracle.answers.comparing import order_key
from oracle.answers.context import Context as ReferenceContext
from oracle.answers.expressions import Expressions
from oracle.answers.graph import Graph
from oracle.answers.terms import ExpressionError, plain
from pantarhei.model.term import Term
from pantarhei.query.algebra.nodes import Aggregate, Call, Expression, OrderKey
from pantarhei.query.expressions import aggregate, compute, least, order, truth
from pantarhei.query.solutions import SolutionTable

CASES = int(os.environ.get("EXPRESSION_CASES", "150"))
X, Y, Z = VARIABLES = Variable("x"), Variable("y"), Variable("z")

NUMBERS = """
    1 01 +2 -3 0 9007199254740993 9007199254740992 100000000000000000000 "3"^^xsd:byte "300"^^xsd:byte
    "x"^^xsd:integer 1.0 1.50 0.1 -2.5 2.5 123456789012345.678 0.1000000000000000000000000001 16777217
    123456789012345678901234567890.5 .5 1. 1e0 0.1e0 -0.0e0 "INF"^^xsd:double "-INF"^^xsd:double 2.5e3
    "NaN"^^xsd:double 1e308 "1"^^xsd:float "0.1"^^xsd:float "16777217"^^xsd:float "INF"^^xsd:float
"""
TIMES = """
    "2020-01-01T00:00:00Z"^^xsd:dateTime "2020-01-01T01:00:00+01:00"^^xsd:dateTime
    "2019-12-31T24:00:00Z"^^xsd:dateTime "2020-06-01T12:30:15.25-05:00"^^xsd:dateTime
    "-0044-03-15T12:00:00"^^xsd:dateTime "2020-03-01T00:00:00.1234567Z"^^xsd:dateTime
    "2020-02-30T00:00:00Z"^^xsd:dateTime "2020-01-01T00:00:00Z"^^xsd:dateTimeStamp
    "2020-01-01T10:00:00"^^xsd:dateTime "2020-01-03T00:00:00"^^xsd:dateTime "2020-01-01"^^xsd:date
    "2020-01-31+02:00"^^xsd:date "10:00:00"^^xsd:time "23:30:00Z"^^xsd:time "P1D"^^xsd:dayTimeDuration
    "PT24H"^^xsd:duration "P1M"^^xsd:yearMonthDuration "-PT90M"^^xsd:dayTimeDuration "P1Y2M"^^xsd:duration
"""
TEXTS = """
    "a" "b" "" "ab" "abc" "a"@en "a"@EN "ab"@en "b"@fr ""@en "a"^^xsd:token "true" "12" "1e5" "en" "*" "i"
    "a+" "(b)" "[" "b*" "$1" "x$1" "2020-01-01T00:00:00Z" "2020-01-01" "PT1H"
"""
OTHERS = """
    true false "1"^^xsd:boolean "no"^^xsd:boolean "a"^^<urn:t> "b"^^<urn:t> "a"^^<urn:u> <urn:i> <urn:j>
    _:b1 _:b2
    "a"^^xsd:anyURI "b"^^xsd:anyURI "0a"^^xsd:hexBinary "0A"^^xsd:hexBinary
    "1/2"^^<http://www.w3.org/2002/07/owl#rational> 0.5
"""
TERMS = [plain(term(text)) for text in (NUMBERS + TIMES + TEXTS + OTHERS).split()] + [Literal(" 7 ")]

CASTS = "integer decimal float double boolean string dateTime"
OF_ONE = """
    ! neg ABS CEIL FLOOR ROUND ISIRI ISBLANK ISLITERAL ISNUMERIC STR LANG DATATYPE IRI STRLEN UCASE LCASE MD5
    SHA1 ENCODE_FOR_URI YEAR MONTH DAY HOURS MINUTES SECONDS TIMEZONE TZ COALESCE CONCAT NOW
"""
OF_TWO = """
    = != < > <= >= + - * / = < + - && || SAMETERM STRSTARTS STRENDS CONTAINS STRBEFORE STRAFTER LANGMATCHES
    CONCAT STRDT STRLANG REGEX COALESCE
"""
OF_THREE = "IF SUBSTR REPLACE REGEX IN COALESCE &&"
FUNCTIONS = {
    1: OF_ONE.split() + [str(XSD[name]) for name in CASTS.split()],
    2: OF_TWO.split(),
    3: OF_THREE.split(),
}
REFERENCE_NAMES = {
    "neg": "negative",
    "SAMETERM": "sameTerm",
    "ISIRI": "isIRI",
    "ISBLANK": "isBLANK",
    "ISLITERAL": "isLITERAL",
    "ISNUMERIC": "isNUMERIC",
}


def _random_expression(random: Random, depth: int) -> Expression:
    if not depth or (depth < 3 and random.random() < 0.35):
        constants = [term for term in TERMS if not isinstance(term, BNode)]
        return random.choice(VARIABLES) if random.random() < 0.7 else random.choice(constants)
    arity = random.choice([1, 2, 2, 3])
    name = random.choice(FUNCTIONS[arity])
    if name == "NOW":
        return Call(name, ())
    return Call(name, tuple(_random_expression(random, depth - 1) for _ in range(arity)))


def _of_reference(expression: Expression) -> algebra.Expression:
    if isinstance(expression, Call):
        name = REFERENCE_NAMES.get(expression.function, expression.function)
        return algebra.Call(name, tuple(map(_of_reference, expression.arguments)))
    assert not isinstance(expression, BNode)
    return expression


def _form(given: Term | None) -> object:
    """What is shown of a term; the case of a language is not."""
    if not isinstance(given, Literal):
        return given
    return str(given), given.datatype, given.language and given.language.lower()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_each_row_has_the_value_that_the_definition_gives(depth: int) -> None:
    for seed in range(CASES):
        random = Random(10 * seed + depth)
        pool = random.sample(TERMS, random.choice([3, 8, len(TERMS)]))
        solutions = [
            {v: random.choice(pool) for v in VARIABLES if random.random() < 0.95}
            for _ in range(random.choice([1, 3, 8, 40]))
        ]
        expression = _random_expression(random, depth)
        here = context()
        columns = {v: here.terms.ids_of([row.get(v) for row in solutions]) for v in VARIABLES}
        rows = SolutionTable(columns, len(solutions))
        found = here.terms.terms(compute(expression, rows, here))
        truths = truth(expression, rows, here).tolist()
        where = ReferenceContext(Graph(()), {}, datetime.fromisoformat(NOW).astimezone(UTC), None, {}, {})
        for solution, value, holds in zip(solutions, found, truths, strict=True):
            definition = Expressions(solution, where, lambda *_: False)
            wanted = definition.value_or_none(_of_reference(expression))
            assert _form(value) == _form(wanted), (seed, expression, solution)
            expected = {None: -1, True: 1, False: 0}[definition._truth(_of_reference(expression))]
            assert holds == expected, (seed, expression, solution)


@pytest.mark.parametrize("texts", [NUMBERS, TIMES + OTHERS, NUMBERS + TIMES + TEXTS + OTHERS])
def test_groups_and_orders_are_those_of_the_definition(texts: str) -> None:
    terms = [plain(term(text)) for text in texts.split()]
    wanted = [
        Aggregate(function, X, is_distinct, "|", Variable("found"))
        for function in ("COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT")
        for is_distinct in (False, True)
    ]
    for seed in range(CASES):
        random = Random(seed)
        pool = random.sample(terms, random.choice([2, 5, 12]))
        size, count = random.choice([0, 1, 4, 12]), random.choice([1, 2, 4])
        values = [random.choice(pool) if random.random() < 0.97 else None for _ in range(size)]
        groups = np.array([random.randrange(count) for _ in range(size)], np.intp)
        here = context()
        rows = table_of(values, here)
        for each, column in zip(wanted, aggregate(wanted, rows, groups, count, here), strict=True):
            for group, found in enumerate(here.terms.terms(column)):
                members = [v for v, g in zip(values, groups.tolist(), strict=True) if g == group]
                expected = _aggregate_of_reference(each, members)
                assert _form(found) == _form(expected), (seed, each, members)
        _check_order(values, rows, random)


def _aggregate_of_reference(each: Aggregate, members: list[Term | None]) -> Term | None:
    try:
        return aggregate_values(algebra.Aggregate(each.function, X, each.distinct, each.separator), members)
    except ExpressionError:
        return None


def _check_order(values: list[Term | None], rows: SolutionTable, random: Random) -> None:
    here = context()
    rows = table_of(values, here)
    descending = random.random() < 0.5
    found = order([OrderKey(X, descending)], rows, here).tolist()
    places = sorted(range(len(values)), key=lambda place: order_key(values[place]), reverse=descending)
    assert found == places  # sorting is stable, reversed or not
    most = random.randrange(len(values) + 2)
    assert least([OrderKey(X, descending)], rows, here, most).tolist() == places[:most]
