"""A query's text as algebra: forms, groups, and solution modifiers (SPARQL 1.1, sections 16 and 18.2.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rdflib import Variable

from pantarhei.errors import QueryError
from pantarhei.model.term import Term
from pantarhei.query.algebra.expressions import Aggregate, Expression, OrderKey, replaced, variables_of
from pantarhei.query.algebra.nodes import (
    UNIT,
    Distinct,
    Extend,
    Filter,
    Group,
    Node,
    OrderBy,
    Place,
    Project,
    Query,
    Slice,
    TriplePattern,
    is_hidden,
)
from pantarhei.query.query_limits import NO_LIMITS, Guard
from pantarhei.query.syntax.expressions import ExpressionReader
from pantarhei.query.syntax.mistakes import parsed
from pantarhei.query.syntax.names import Names, OwnFunction
from pantarhei.query.syntax.parser import without_mark
from pantarhei.query.syntax.paths import joined, plain_predicate
from pantarhei.query.syntax.patterns import PatternReader, marked, shown


def read_query(
    text: str,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    functions: Mapping[str, OwnFunction] | None = None,
    guard: Guard = NO_LIMITS,
) -> Query:
    """Return the algebra of a query.

    Args:
        prefixes: those that it may use without declaring them.
        base: what its relative IRIs are resolved against.
        functions: by their IRIs, those that it may call beside casts and rdflib's.
        guard: the limits of its text and of the time to read it.

    Raises:
        QueryTextError: it is malformed, has SERVICE, or uses a prefix or function that is not known.
        QueryError: it is empty, an update, or nested too deeply, or has half of a character.
        QueryLengthError, QueryTimeoutError: it exceeds a limit.
    """
    text = without_mark(text)
    prologue, tree = parsed(text, guard)
    try:
        names = Names(prologue, prefixes or {}, base, functions, text, tree)
        return _QueryReader(names).query(tree)
    except RecursionError:
        raise QueryError("the query is nested too deeply") from None


class _QueryReader:
    """Reads the parts of one query."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._patterns = PatternReader(names, self._subselect)

    def query(self, tree: Any) -> Query:
        form = tree.name.removesuffix("Query").upper()
        default, named = self._dataset(tree.datasetClause)
        described: tuple[Place, ...] = ()
        template: tuple[TriplePattern, ...] = ()
        if form == "SELECT":
            node = self.select(tree)
        else:
            where = UNIT if tree.where is None else self._patterns.group(tree.where)
            node = self._modified(where, tree, None)
        if form == "CONSTRUCT":
            template = self._template(tree)
        elif form == "DESCRIBE":
            places = [
                part if isinstance(part, Variable) else self._names.iri(part) for part in tree.var or ()
            ]
            described = tuple(places) or shown(node.variables)
        variables = node.variables if form == "SELECT" else ()
        names = self._names
        prefixes = tuple(names.prefixes.items())
        return Query(form, node, variables, template, described, default, named, names.base, prefixes)

    def _dataset(self, clauses: Any) -> tuple[tuple[Term, ...] | None, tuple[Term, ...] | None]:
        if not clauses:
            return None, None
        default = tuple(self._names.iri(clause.default) for clause in clauses if clause.default)
        named = tuple(self._names.iri(clause.named) for clause in clauses if clause.named)
        return default, named

    def _template(self, tree: Any) -> tuple[TriplePattern, ...]:
        """The triples to be made; without a template they are those of the pattern. Blank nodes stay so."""
        blocks = tree.template if tree.template is not None else None
        if blocks is None:
            members = tree.where.part if tree.where is not None and tree.where.name != "SubSelect" else None
            short_form = tree.where is not None and tree.where.name == "FakeGroupGraphPatten"
            blocks = [block for member in members or () for block in member.triples] if short_form else []
        return tuple(
            TriplePattern(*map(self._made_of, block[at : at + 3]))
            for block in blocks
            for at in range(0, len(block), 3)
        )

    def _made_of(self, part: Any) -> Place:
        plain = plain_predicate(part)
        return plain if isinstance(plain, Variable) else self._names.term(plain)

    # -- SELECT ------------------------------------------------------------------------------------

    def select(self, tree: Any) -> Node:
        """The rows of a SELECT, nested or not."""
        return self._modified(self._patterns.group(tree.where), tree, tree.projection or ())

    def _subselect(self, tree: Any) -> Node:
        """The rows of a nested SELECT, of which only the columns are seen outside."""
        with self._names.apart():
            node = self.select(tree)
        for variable in node.variables:
            self._names.met(variable)
        return node

    def _modified(self, node: Node, tree: Any, projection: Sequence[Any] | None) -> Node:
        """The rows of a pattern after groups, expressions, order and slice.

        Args:
            projection: what SELECT names, nothing for `*`; None for the other forms.
        """
        reader = ExpressionReader(self._names, self._patterns.group, aggregates=[])
        in_scope = set(node.variables)
        selected = [
            (part.var or part.evar, None if part.var else reader.read(part.expr)) for part in projection or ()
        ]
        marks_of_select = reader.taken_marks()
        having = [reader.read(condition) for condition in (tree.having.condition if tree.having else ())]
        marks_of_having = reader.taken_marks()
        order = [
            OrderKey(reader.read(part.expr), part.order == "DESC")
            for part in (tree.orderby.condition if tree.orderby else ())
        ]
        marks_of_order = reader.taken_marks()
        aggregates = reader.aggregates or []
        if tree.groupby or aggregates:
            if projection is not None and not projection:
                raise self._names.error(tree, "SELECT * cannot be grouped; name the variables")
            node = marked(node, reader.inner_marks)
            node, selected, having, order = self._grouped(node, tree, selected, having, order, aggregates)
        node = marked(node, marks_of_having)
        aliases = {variable: expression for variable, expression in selected if expression is not None}
        for condition in having:
            node = Filter(node, replaced(condition, aliases))
        if tree.valuesClause:
            node = joined(node, self._patterns.values(tree.valuesClause))
        node = marked(node, marks_of_select)
        for part, (variable, expression) in zip(projection or (), selected, strict=True):
            if expression is None:
                continue
            if variable in in_scope or variable in node.variables:
                problem = f"SELECT ( … AS ?{variable}) where ?{variable} has a value already"
                raise self._names.error(part, f"{problem}; choose another name")
            node = Extend(node, variable, expression)
        if order:
            node = OrderBy(marked(node, marks_of_order), tuple(order))
        if projection is not None:
            given = [self._names.met(variable) for variable, _ in selected]
            chosen = given if projection else self._names.in_order(shown(node.variables))
            node = Project(node, tuple(dict.fromkeys(chosen)))
        if tree.modifier == "DISTINCT":
            node = Distinct(node)
        return _sliced(node, tree.limitoffset)

    def _grouped(
        self,
        node: Node,
        tree: Any,
        selected: list[tuple[Variable, Expression | None]],
        having: list[Expression],
        order: list[OrderKey],
        aggregates: list[Aggregate],
    ) -> tuple[Node, list[tuple[Variable, Expression | None]], list[Expression], list[OrderKey]]:
        """The node grouped; SELECT may name keys only, HAVING and ORDER BY get samples of other variables."""
        keys: list[Variable] | None = None
        if tree.groupby:
            keys, reader = [], self._patterns.expressions()
            for part in tree.groupby.condition:
                is_as = getattr(part, "name", None) == "GroupAs"
                expression = reader.read(part.expr if is_as else part)
                key = (part.var if is_as else None) or (
                    expression if isinstance(expression, Variable) else self._names.fresh("key")
                )
                if expression != key:
                    node = Extend(marked(node, reader.taken_marks()), key, expression)
                keys.append(key)
        known = {*(keys or ()), *(aggregate.variable for aggregate in aggregates)}
        for part, (variable, chosen) in zip(tree.projection or (), selected, strict=True):
            looked_at = frozenset((variable,)) if chosen is None else variables_of(chosen)
            lost = [name for name in looked_at if name not in known and not is_hidden(name)]
            if lost:
                problem = f"?{min(lost)} is selected, and neither grouped by nor aggregated"
                advice = f"write GROUP BY ?{min(lost)}, or SAMPLE(?{min(lost)})"
                raise self._names.error(part, f"{problem}; {advice}")
            known.add(variable)
        inside = set(node.variables)
        samples = {
            v: Aggregate("SAMPLE", v, False, " ", self._names.fresh("aggregate"))
            for condition in (*having, *(key.expression for key in order))
            for v in variables_of(condition)
            if v not in known and v in inside
        }
        instead = {v: sample.variable for v, sample in samples.items()}
        grouped = Group(
            node, None if keys is None else tuple(dict.fromkeys(keys)), (*aggregates, *samples.values())
        )
        return (
            grouped,
            selected,
            [replaced(condition, instead) for condition in having],
            [OrderKey(replaced(key.expression, instead), key.descending) for key in order],
        )


def _sliced(node: Node, part: Any) -> Node:
    if part is None:
        return node
    limit = None if part.limit is None else int(part.limit)
    return Slice(node, 0 if part.offset is None else int(part.offset), limit)
