"""SWRL, temporal rules and SPARQL compute alike: by term, by column, by compiled row, in sums kept up."""

from datetime import UTC, datetime
from random import Random

import pytest
from rdflib import XSD, Graph, Literal, Namespace, Variable

import pantarhei as pr
from counts import cases
from expressions import NOW, context
from oracle.answers import algebra
from oracle.answers.aggregates import aggregate_values
from oracle.answers.context import Context as ReferenceContext
from oracle.answers.expressions import Expressions
from oracle.answers.graph import Graph as ReferenceGraph
from oracle.answers.terms import ExpressionError
from pantarhei.materialize.kernel.groups import NOTHING, update_totals
from pantarhei.model.temporal_rule import RELATIONS
from pantarhei.query.algebra.nodes import Aggregate, Call
from pantarhei.query.expressions import aggregate
from pantarhei.query.expressions import compute as compute_columns
from pantarhei.query.expressions.aggregates import sum_literal
from pantarhei.query.incremental.row_expressions import RowExpression
from pantarhei.query.incremental.totals import Total, addend_of
from pantarhei.query.solutions import SolutionTable
from pantarhei.values.numeric import EXACT
from pantarhei.values.scalar_functions import COMPARISONS, SWRLB, compute, holds, is_true
from pantarhei.values.value import value_of
from signed_bags import Bench

pytestmark = pytest.mark.usefixtures("quiet")

X, Y = Variable("x"), Variable("y")
SIGNS = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}
OF_ONE = {
    "abs": "ABS",
    "ceiling": "CEIL",
    "floor": "FLOOR",
    "round": "ROUND",
    "unaryMinus": "neg",
    "unaryPlus": "+",
}
REFERENCE_NAMES = {"neg": "negative"}


def typed(text: str, datatype: str) -> Literal:
    return Literal(text, datatype=XSD[datatype], normalize=False)


def random_number(random: Random) -> Literal:
    digits = random.choice((1, 1, 2, 3, 8, 15, 16, 17, 18, 27, 28, 29, 30, 60, 400))
    whole = random.randint(-(10**digits), 10**digits)
    kind = random.random()
    if kind < 0.25:
        return typed(
            str(whole), random.choice(("integer", "integer", "integer", "long" if digits < 19 else "integer"))
        )
    if kind < 0.6:
        behind = random.choice((0, 1, 1, 2, 5, 20, 27, 28, 29, 400))
        text = f"{whole}.{''.join(random.choices('0123456789', k=behind))}"
        return typed(text.rstrip(".") if random.random() < 0.5 else text, "decimal")
    if kind < 0.7:
        return typed(
            random.choice(("0.5", "2.5", "-2.5", "-0.5", "0.0", "-0", "1e0", "7")).replace("e0", ""),
            "decimal",
        )
    datatype = random.choice(("double", "float"))
    special = ("NaN", "INF", "-INF", "-0.0", "0", "5e-324", "1e-45", "1.7976931348623157e308", "3.4028235e38")
    if random.random() < 0.4:
        return typed(random.choice((*special, "0.5", "-2.5", "16777217", "1e400")), datatype)
    return typed(repr(random.choice((1.0, 1e-300, 1e300, 1e38, 1e-38)) * random.uniform(-10, 10)), datatype)


def form(term: object) -> object:
    """The value and the text of a result."""
    return None if term is None else (value_of(term), str(term))


def agreed(name: str, sign: str, rows: list[tuple[Literal, ...]]) -> None:
    """Compute by all ways for some rows of operands, and compare."""
    variables = (X, Y)[: len(rows[0])]
    rule = [compute(SWRLB[name], *row) for row in rows]
    here = context()
    columns = {v: here.terms.ids_of([row[place] for row in rows]) for place, v in enumerate(variables)}
    expression = Call(sign, variables)
    by_column = here.terms.terms(compute_columns(expression, SolutionTable(columns, len(rows)), here))
    bench = Bench()
    numbered = [tuple(map(bench.terms.id_of, row)) for row in rows]
    one_by_one = RowExpression(expression, variables, bench.shared).ids(numbered)
    by_row = [None if number < 0 else bench.terms.term(number) for number in one_by_one]
    for place, row in enumerate(rows):
        defined = reference(sign, row)
        found = [rule[place], by_column[place], by_row[place], defined]
        assert len(set(map(form, found))) == 1, (name, row, found)


def reference(sign: str, row: tuple[Literal, ...]) -> object:
    where = ReferenceContext(
        ReferenceGraph(()), {}, datetime.fromisoformat(NOW).astimezone(UTC), None, {}, {}
    )
    name = REFERENCE_NAMES.get(sign, "positive" if sign == "+" and len(row) == 1 else sign)
    return Expressions({}, where, lambda *_: False).value_or_none(algebra.Call(name, row))


@pytest.mark.parametrize("ten", range(cases(4, 20, 400)))
def test_an_operator_has_one_result_wherever_it_is_computed(ten: int) -> None:
    random = Random(ten)
    for name, sign in SIGNS.items():
        agreed(name, sign, [(random_number(random), random_number(random)) for _ in range(10)])
    for name, sign in OF_ONE.items():
        agreed(name, sign, [(random_number(random),) for _ in range(10)])


@pytest.mark.parametrize("ten", range(cases(4, 20, 400)))
def test_numbers_are_compared_alike_everywhere(ten: int) -> None:
    random = Random(ten)
    rows = [(random_number(random), random_number(random)) for _ in range(10)]
    rows += [(one, typed(str(one), random.choice(("float", "double")))) for one, _ in rows]
    rows = [row for row in rows if value_of(row[1])[0] != "ill-typed"]
    here = context()
    columns = {v: here.terms.ids_of([row[place] for row in rows]) for place, v in enumerate((X, Y))}
    for name, sign in RELATIONS.items():
        assert SWRLB[name] in COMPARISONS
        ids = compute_columns(Call(sign, (X, Y)), SolutionTable(columns, len(rows)), here)
        for row, found in zip(rows, here.terms.terms(ids), strict=True):
            expected = holds(SWRLB[name], *row)
            assert is_true(SWRLB[name], *row) == expected
            told = str(expected).lower()
            assert [str(found), str(reference(sign, row))] == [told] * 2, (name, row)


@pytest.mark.parametrize("ten", range(cases(4, 20, 400)))
def test_sums_and_averages_are_the_same_asked_once_and_kept_up(ten: int) -> None:
    random = Random(ten)
    for _ in range(10):
        terms = [random_number(random) for _ in range(random.randint(0, 4))]
        if random.random() < 0.5:
            terms = [each for each in terms if each.datatype not in (XSD.double, XSD.float)]
        here = context()
        table = SolutionTable({X: here.terms.ids_of(terms)}, len(terms))
        addends = dict(enumerate(map(addend_of, terms)))
        kept = {(): NOTHING}
        update_totals(kept, {(): [((place,), 1) for place in addends]}, addends, EXACT.fma, [], None)
        total = Total.of(kept[()])
        for name, numbers in (("SUM", total.sum), ("AVG", total.average)):
            try:
                wanted = aggregate_values(algebra.Aggregate(name, X), terms)
            except ExpressionError:
                wanted = None
            made = Aggregate(name, X, False, "", Variable("found"))
            (ids,) = aggregate([made], table, table.columns[X] * 0, 1, here)
            found = here.terms.terms(ids)
            assert form(found[0]) == form(sum_literal(numbers)) == form(wanted), (name, terms)


def test_remainders_and_whole_quotients_are_exact() -> None:
    random = Random(0)
    for _ in range(cases(100, 1000, 20_000)):
        one, other = random_number(random), random_number(random)
        whole, rest = (compute(SWRLB[name], one, other) for name in ("integerDivide", "mod"))
        if whole is None or {one.datatype, other.datatype} & {XSD.double, XSD.float}:
            continue
        product = compute(SWRLB.multiply, whole, other)
        again = None if product is None or rest is None else compute(SWRLB.add, product, rest)
        if again is not None and max(len(each) for each in (one, other, whole, rest)) < 28:
            assert value_of(again) == value_of(one), (one, other)


E = Namespace("http://example.org/")
MADE = {f"made{place}": sign for place, sign in enumerate("+-*/")}
RULES = [
    f":{name}(X, R) :- asserted :v(X, A) in [0], :w(X, B), R = A {sign} B." for name, sign in MADE.items()
]
NAMES = "PREFIX : <http://example.org/>"


@pytest.mark.parametrize("seed", range(cases(5, 20, 200)))
def test_what_a_rule_computes_meets_what_a_query_computes(seed: int) -> None:
    random = Random(seed)
    temporal = pr.load_rules("@prefix : <http://example.org/> .\n" + "\n".join(RULES))
    reasoner = pr.StreamReasoner(
        pr.load_ontology(Graph()), pr.Window(range=5), temporal=temporal, conclusions="default"
    )
    filters = {
        name: f"{NAMES} SELECT ?x {{ ?x :v ?a ; :w ?b ; :{name} ?r FILTER(?r = ?a {sign} ?b) }}"
        for name, sign in MADE.items()
    }
    registered = {name: reasoner.register(text) for name, text in filters.items()}
    things = [E[f"x{place}"] for place in range(8)]
    triples = [(x, E[name], random_number(random)) for x in things for name in "vw"]
    reasoner.push(1, triples)
    for name, sign in MADE.items():
        inner = f"SELECT ?x (?a {sign} ?b AS ?r) {{ ?x :v ?a ; :w ?b }}"
        joined = reasoner.query(f"{NAMES} SELECT ?x {{ {{ {inner} }} ?x :{name} ?r }}")
        concluded = dict(reasoner.query(f"{NAMES} SELECT ?x ?r {{ ?x :{name} ?r }}").rows)
        numbers = {(x,) for x, result in concluded.items() if str(result) != "NaN"}
        assert {row.x for row in joined} == set(concluded), (name, triples)
        assert set(reasoner.query(filters[name]).rows) == numbers, (name, triples)
        assert set(registered[name].answers) == numbers, (name, triples)
