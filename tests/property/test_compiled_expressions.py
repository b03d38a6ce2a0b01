"""What an expression says row by row is what it says by column, whatever the rows bring."""

from random import Random

import pytest
from rdflib import Variable

from counts import seeds
from engine_answers import pattern
from pantarhei.encoding.numbers import NONE
from pantarhei.query.expressions import compute, truth
from pantarhei.query.incremental.operator import table_of
from pantarhei.query.incremental.row_expressions import RowExpression
from random_queries.data import BLANK_NODES, LITERALS, NAMES
from random_queries.expressions import Expressions
from signed_bags import Bench, term

VARIABLES = tuple(map(Variable, "xyz"))
NUMBERS = (
    "0",
    "1",
    "01",
    "-3",
    "1.0",
    "2.50",
    "1e0",
    "-0e0",
    "1e300",
    '"NaN"^^xsd:double',
    '"INF"^^xsd:float',
)
NUMBERS += ('"0.1"^^xsd:float', "0.1", "1e-1", "9007199254740993", f"{'9' * 40}", f"0.{'1' * 30}")
TIMES = (
    '"2020-01-01T00:00:00Z"',
    '"2020-01-01T00:00:00"',
    '"2019-12-31T19:00:00-05:00"',
    '"2020-01-01T09:00:00"',
)
BROUGHT = (*NUMBERS, *(f"{time}^^xsd:dateTime" for time in TIMES), '"2020-01-01"^^xsd:date')
BROUGHT += ('"PT1H"^^xsd:dayTimeDuration', '""', '"a"', '"a"@en', "true", '"maybe"^^xsd:boolean', '"x"^^:own')


pytestmark = pytest.mark.usefixtures("quiet")


def compiled_text(random, depth):
    """An expression of those that are compiled."""
    if depth == 0 or random.random() < 0.1:
        return random.choice(("?x", "?y", "?z", "?w", *NUMBERS[:9], '"a"', "true", "<urn:a>"))
    one, other, third = (compiled_text(random, depth - 1) for _ in range(3))
    operator = random.choice(("=", "!=", "<", ">", "<=", ">=", "&&", "||", *"+-*/"))
    return random.choice(
        (
            f"({one} {operator} {other})",
            f"({one} {operator} {other})",
            f"(!{one})",
            f"(-{one})",
            f"IF({one}, {other}, {third})",
            f"COALESCE({one}, {other})",
            f"({one} IN ({other}, {third}))",
            f"({one} NOT IN ({other}))",
            "BOUND(?x)",
        )
    )


def run(seed):
    """Compares one expression over some rows; whether it was compiled."""
    random, bench = Random(seed), Bench()
    terms = [*map(term, BROUGHT), *LITERALS, *NAMES, *BLANK_NODES]
    numbers = [NONE, *map(bench.terms.id_of, random.sample(terms, random.randint(3, 20)))]
    rows = [tuple(random.choices(numbers, k=len(VARIABLES))) for _ in range(random.randint(1, 20))]
    writer = Expressions(random, ("?x", "?y", "?z"), None, is_plain=False)
    any_kind = random.choice((writer.condition, writer.number, writer.any))
    text = compiled_text(random, 3) if random.random() < 0.7 else any_kind(2)
    expression = pattern(f"BIND({text} AS ?made)").expression
    by_row = RowExpression(expression, VARIABLES, bench.shared)
    table, context = table_of(rows, VARIABLES), bench.shared.context
    said, expected = (
        [None if n == NONE else bench.terms.term(n) for n in ids]
        for ids in (by_row.ids(rows), compute(expression, table, context).tolist())
    )
    assert said == expected, text
    by_row.clear_caches()
    assert by_row.truths(rows) == (truth(expression, table, context) == 1).tolist(), text
    return by_row._truth.compiled is not None


@pytest.mark.parametrize("hundred", seeds(1, 5, long=500))
def test_expressions_say_by_row_what_they_say_by_column(hundred):
    assert sum(map(run, range(100 * hundred, 100 * hundred + 100))) > 30
