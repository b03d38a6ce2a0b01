"""Translation of parse trees to the algebra, by SPARQL 1.1, section 18.2."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from itertools import count
from typing import cast

from rdflib import BNode, Literal, URIRef, Variable
from rdflib.plugins.sparql.parserutils import CompValue

from oracle.answers import algebra
from oracle.answers.algebra import (
    Aggregate,
    Basic,
    Call,
    Exists,
    Expression,
    Extend,
    Filter,
    Group,
    InGraph,
    Join,
    LeftJoin,
    Minus,
    Node,
    OrderCondition,
    Path,
    Pattern,
    Query,
    Select,
    Table,
    TriplePattern,
    Union,
    visible,
)
from oracle.answers.grouping import Aggregation, has_aggregate
from oracle.answers.syntax import parse
from oracle.answers.terms import plain
from pantarhei.errors import QueryError
from pantarhei.model.term import Term

_FORMS = {
    "SelectQuery": "SELECT",
    "AskQuery": "ASK",
    "ConstructQuery": "CONSTRUCT",
    "DescribeQuery": "DESCRIBE",
}
Tree = CompValue


def translate(text: str, namespaces: Mapping[str, str]) -> Query:
    """Parse `text` and return the query.

    Raises:
        QueryError: the text is malformed, contains SERVICE, or violates a rule of the standard.
    """
    tree, base = parse(text, namespaces)
    clauses = tree.datasetClause or []
    return Query(
        form=_FORMS[tree.name],
        solutions=_select(tree),
        base=base,
        template=_template(tree) if tree.name == "ConstructQuery" else (),
        described=_described(tree) if tree.name == "DescribeQuery" else (),
        default=tuple(clause.default for clause in clauses if clause.default) if clauses else None,
        named=tuple(clause.named for clause in clauses if clause.named) if clauses else None,
    )


def _template(tree: Tree) -> tuple[TriplePattern, ...]:
    if tree.template is not None:
        return tuple(_triples(tree.template))
    if tree.where is not None and tree.where.name == "FakeGroupGraphPatten":
        return tuple(pattern for part in tree.where.part for pattern in _triples(part.triples))
    return ()


def _described(tree: Tree) -> tuple[Variable | URIRef, ...]:
    return tuple(tree.var or visible(_where(tree)))


# -- patterns --------------------------------------------------------------------------------------


def _where(tree: Tree) -> Pattern:
    return Basic() if tree.where is None else _group(tree.where)


def _group(tree: Tree) -> Pattern:
    """Translate a group: its parts joined in the order of the text, with its filters on the whole."""
    if tree.name == "SubSelect":
        return _select(tree)
    found: Pattern = Basic()
    triples: list[TriplePattern] = []
    filters = []
    for part in tree.part or []:
        if part.name == "Filter":
            filters.append(_expression(part.expr))
        elif part.name == "TriplesBlock":
            triples += _triples(part.triples)
        else:
            found, triples = _extended(_with_triples(found, triples), part), []
    return reduce(lambda inner, condition: Filter(condition, inner), filters, _with_triples(found, triples))


def _with_triples(found: Pattern, triples: Sequence[TriplePattern]) -> Pattern:
    return Join(found, Basic(tuple(triples))) if triples else found


def _extended(found: Pattern, part: Tree) -> Pattern:
    """Add one part to a group's pattern."""
    match part.name:
        case "OptionalGraphPattern":
            return _optional(found, _group(part.graph))
        case "MinusGraphPattern":
            return Minus(found, _group(part.graph))
        case "GroupOrUnionGraphPattern":
            return Join(found, reduce(Union, map(_group, part.graph)))
        case "GraphGraphPattern":
            return Join(found, InGraph(part.term, _group(part.graph)))
        case "InlineData":
            return Join(found, _table(part))
        case "Bind":
            return _bound(found, part.var, _expression(part.expr))
        case "ServiceGraphPattern":
            raise QueryError("SERVICE is refused: it would ask a server on the network")
    raise AssertionError(part.name)


def _optional(found: Pattern, inner: Pattern) -> Pattern:
    """OPTIONAL: the filters of the inner group apply to the join of both sides."""
    conditions: list[Expression] = []
    while isinstance(inner, Filter):
        conditions.append(inner.condition)
        inner = inner.pattern
    return LeftJoin(found, inner, reduce(_and, conditions) if conditions else None)


def _and(left: Expression, right: Expression) -> Expression:
    return Call("&&", (left, right))


def _bound(found: Pattern, variable: Variable, value: Expression) -> Extend:
    if variable in visible(found):
        raise QueryError(f"?{variable} is assigned a value, and has one already")
    return Extend(found, ((variable, value),))


def _table(tree: Tree) -> Table:
    variables = tuple(tree.var or ())
    values = (value if isinstance(value, list) else [value] for value in tree.value or ())
    rows = tuple(tuple(None if each == "UNDEF" else plain(each) for each in row) for row in values)
    for row in rows:
        if len(row) != len(variables):
            raise QueryError(f"VALUES has {len(variables)} variables, and a row of {len(row)} values")
    return Table(variables, rows)


def _triples(blocks: Sequence[Sequence[object]]) -> Iterator[TriplePattern]:
    places = iter([place for block in blocks for place in block])
    for subject, predicate, object_ in zip(places, places, places, strict=True):
        yield TriplePattern(_node(subject), _verb(predicate), _node(object_))


def _node(part: object) -> Node:
    """Translate a subject or object; blank nodes become variables with reserved names."""
    if isinstance(part, BNode):
        return Variable(f"_:{part}")
    return part if isinstance(part, Variable) else plain(cast(Term, part))


def _verb(part: object) -> Variable | Path:
    return part if isinstance(part, Variable) else _path(part)


def _path(part: object) -> Path:
    if not isinstance(part, CompValue):
        assert isinstance(part, URIRef)
        return part
    match part.name:
        case "PathAlternative":
            return reduce(algebra.Alternative, map(_path, part.part))
        case "PathSequence":
            return reduce(algebra.Sequence, map(_path, part.part))
        case "PathEltOrInverse":
            return algebra.Inverse(_path(part.part))
        case "PathElt":
            path = _path(part.part)
            return path if part.mod is None else algebra.Repeated(path, part.mod in "?*", part.mod in "*+")
        case "PathNegatedPropertySet":
            return _negated(part.part or [])
    raise QueryError(f"{part.name} is no path of SPARQL 1.1")


def _negated(parts: Sequence[object]) -> Path:
    """`!(p|^q)`: any forward step except p, or any backward step except q; without `^` forward steps only."""
    backwards = frozenset(part.part for part in parts if isinstance(part, CompValue))
    forwards = frozenset(part for part in parts if isinstance(part, URIRef))
    against = algebra.Inverse(algebra.Negated(backwards))
    if not backwards:
        return algebra.Negated(forwards)
    return algebra.Alternative(algebra.Negated(forwards), against) if forwards else against


# -- expressions -----------------------------------------------------------------------------------

_FOLDED = {"ConditionalOrExpression": "||", "ConditionalAndExpression": "&&"}
_UNARY = {"UnaryNot": "!", "UnaryPlus": "positive", "UnaryMinus": "negative"}


def _expression(tree: object) -> Expression:
    if not isinstance(tree, CompValue):
        return cast(Expression, tree if isinstance(tree, Variable) else plain(cast(Term, tree)))
    name = str(tree.name)
    if name in _FOLDED:
        operands = map(_expression, [tree.expr, *(tree.other or [])])
        return reduce(lambda left, right: Call(_FOLDED[name], (left, right)), operands)
    if name in ("AdditiveExpression", "MultiplicativeExpression"):
        result = _expression(tree.expr)
        for operator, other in zip(tree.op or [], tree.other or [], strict=True):
            result = Call(str(operator), (result, _expression(other)))
        return result
    if name == "RelationalExpression":
        return _relation(tree)
    if name in _UNARY:
        return Call(_UNARY[name], (_expression(tree.expr),))
    if name.startswith("Aggregate_"):
        return _aggregate(tree)
    return _function(tree)


def _relation(tree: Tree) -> Expression:
    left = _expression(tree.expr)
    if tree.op is None:
        return left
    if tree.op in ("IN", "NOT IN"):
        return Call(str(tree.op), (left, *map(_expression, _listed(tree.other))))
    return Call(str(tree.op), (left, _expression(tree.other)))


def _listed(part: object) -> list[object]:
    """Return the members of a list; rdflib's parser represents the empty list as rdf:nil."""
    return part if isinstance(part, list) else []


def _aggregate(tree: Tree) -> Aggregate:
    name = tree.name.removeprefix("Aggregate_")
    argument = None if tree.vars == "*" and not isinstance(tree.vars, Literal) else _expression(tree.vars)
    separator = " " if tree.separator is None else str(tree.separator)
    name = "GROUP_CONCAT" if name == "GroupConcat" else name.upper()
    return Aggregate(name, argument, tree.distinct == "DISTINCT", separator)


def _function(tree: Tree) -> Expression:
    name = tree.name.removeprefix("Builtin_")
    if name in ("EXISTS", "NOTEXISTS"):
        exists = Exists(_group(tree.graph))
        return exists if name == "EXISTS" else Call("!", (exists,))
    if name == "Function":
        return Call(str(tree.iri), tuple(map(_expression, tree.expr or [])))
    if name in ("CONCAT", "COALESCE"):
        return Call(name, tuple(map(_expression, _listed(tree.arg))))
    return Call(name, tuple(map(_expression, tree.values())))


# -- SELECT ----------------------------------------------------------------------------------------


def _select(tree: Tree) -> Select:
    """Translate a query or a nested SELECT (section 18.2.4 and 18.2.5)."""
    pattern = _where(tree)
    chosen = [(each.evar or each.var, each.expr) for each in tree.projection or []]
    assigned = [(variable, _expression(expr)) for variable, expr in chosen if expr is not None]
    having = [_expression(condition) for condition in (tree.having.condition if tree.having else [])]
    order = [
        OrderCondition(_expression(each.expr), each.order == "DESC")
        for each in (tree.orderby.condition if tree.orderby else [])
    ]
    expressions = [*(e for _, e in assigned), *having, *(condition.expression for condition in order)]
    if tree.groupby or any(map(has_aggregate, expressions)):
        if tree.name in ("SelectQuery", "SubSelect") and not chosen:
            raise QueryError("SELECT * cannot be grouped; name what is selected")
        pattern, assigned, order = _grouped(tree, pattern, assigned, having, order)
    else:
        pattern = reduce(lambda inner, condition: Filter(condition, inner), having, pattern)
    if tree.valuesClause is not None:
        pattern = Join(pattern, _table(tree.valuesClause))
    variables = [variable for variable, _ in chosen] or visible(pattern)
    for variable, value in assigned:
        pattern = _bound(pattern, variable, value)
    slice_ = tree.limitoffset
    return Select(
        _merge_assignments(pattern, len(assigned)),
        tuple(dict.fromkeys(variables)),
        tuple(order),
        tree.modifier == "DISTINCT",
        0 if slice_ is None or slice_.offset is None else int(slice_.offset),
        None if slice_ is None or slice_.limit is None else int(slice_.limit),
    )


def _merge_assignments(pattern: Pattern, depth: int) -> Pattern:
    """Merge the `depth` outermost assignments, so that one solution evaluates them together."""
    assignments: tuple[tuple[Variable, Expression], ...] = ()
    for _ in range(depth):
        assert isinstance(pattern, Extend)
        assignments, pattern = pattern.assignments + assignments, pattern.pattern
    return Extend(pattern, assignments) if assignments else pattern


_Assignments = list[tuple[Variable, Expression]]


def _grouped(
    tree: Tree,
    pattern: Pattern,
    assigned: _Assignments,
    having: Sequence[Expression],
    order: Sequence[OrderCondition],
) -> tuple[Pattern, _Assignments, list[OrderCondition]]:
    """Translate a SELECT with groups: return its pattern, expressions and ORDER BY, with aggregates as
    variables.
    """
    keys: list[Variable] = []
    numbers = count()
    for condition in tree.groupby.condition if tree.groupby else []:
        if not isinstance(condition, Variable):
            is_named = isinstance(condition, CompValue) and condition.name == "GroupAs"
            value = _expression(condition.expr if is_named else condition)
            condition = (is_named and condition.var) or Variable(f"_:key{next(numbers)}")
            pattern = _bound(pattern, condition, value)
        keys.append(condition)
    aggregation = Aggregation(keys)
    conditions = [aggregation.without_aggregates(condition) for condition in having]
    result: _Assignments = []
    for variable, value in assigned:
        aggregation.check(value)
        result.append((variable, aggregation.without_aggregates(value)))
        aggregation.add_grouped_variable(variable)
    for each in tree.projection or []:
        aggregation.check(each.var or each.evar)
    ordered = [OrderCondition(aggregation.without_aggregates(c.expression), c.is_descending) for c in order]
    group: Pattern = Group(pattern, tuple(keys), aggregation.aggregates())
    return reduce(lambda inner, condition: Filter(condition, inner), conditions, group), result, ordered
