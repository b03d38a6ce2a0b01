"""Reader of query forms, groups and solution modifiers: parse tree to algebra (SPARQL 1.1, sections 16 and
18.2.4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from lark import Token, Tree
from rdflib import URIRef, Variable

from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.solutions import NO_LIMITS, QueryLimits
from pantarhei.query.syntax.expressions import NameScope, QueryExpressionReader, Written, variable
from pantarhei.query.syntax.grammar import ParseTree, Part, QueryText, parse, stream_word, subtrees, tokens
from pantarhei.query.syntax.patterns import (
    PatternReader,
    join,
    trees,
    triples_of,
    with_exists,
    written_variables,
)


def read_query(
    text: str,
    prefixes: Mapping[str, str] | None = None,
    base: str | None = None,
    limits: QueryLimits = NO_LIMITS,
) -> algebra.Query:
    """Read a SPARQL query.

    Args:
        prefixes: prefixes that the query can use without declaring them.
        base: base of relative IRIs.
        limits: limits of the text's length and of the reading time.

    Raises:
        QueryTextError: the query is malformed, has SERVICE, an unknown prefix or function, an unpaired
        surrogate, or a clause of a stream language; or is nested too deeply.
        QueryError: the query is empty, or an update.
        QueryLengthError, QueryTimeoutError: the query exceeds a limit.
    """
    source = QueryText(text)
    tree = parse(source, are_streams_known=False, limits=limits)
    return query_of_tree(tree, NameScope(source, tree, prefixes or {}, base))


class WindowGraphs(NamedTuple):
    """Windows of a registration as graphs of the query's dataset.

    Args:
        default: names of the windows in the default graph.
        named: names of the other windows.
        of_blocks: window name of each STREAM block, by the `id` of the parse tree of its head.
    """

    default: tuple[URIRef, ...]
    named: tuple[URIRef, ...]
    of_blocks: Mapping[int, URIRef]


def query_of_tree(tree: ParseTree, names: NameScope, windows: WindowGraphs | None = None) -> algebra.Query:
    """Convert a parse tree to algebra.

    Args:
        windows: windows of a registration; None for plain SPARQL, in which clauses of stream languages are
            errors.

    Raises:
        QueryTextError: as for `read_query`.
    """
    try:
        return _QueryReader(names, windows).query(tree)
    except RecursionError:
        raise names.error(trees(tree)[-1], "the query is nested too deeply") from None


Selection = tuple[Part, Variable, algebra.Expression | None]
"""Selected column: its part of the text, its variable, and its expression, if there is one."""


class _QueryReader:
    """Reader of one query."""

    def __init__(self, names: NameScope, windows: WindowGraphs | None) -> None:
        self._names, self._windows = names, windows
        of_blocks = None if windows is None else windows.of_blocks
        self._patterns = PatternReader(names, self._subselect, of_blocks)

    def query(self, tree: ParseTree) -> algebra.Query:
        names, (*_, body) = self._names, trees(tree)
        if self._windows is None:
            self._refuse_stream_words(tree, body)
        default, named = self._dataset(subtrees(body, "dataset")[0])
        described: tuple[algebra.PatternTerm, ...] = ()
        template: tuple[algebra.TriplePattern, ...] = ()
        groups, templates = subtrees(body, "group"), subtrees(body, "template")
        if body.data == "select":
            node = self._select(body)
        else:
            if body.data == "construct_where":
                where = self._patterns.block(templates[0])
            else:
                where = self._patterns.group(groups[0]) if groups else algebra.UNIT
            node = self._with_modifiers(where, body)
        if templates:
            template = self._template(templates[0])
        if body.data == "describe":
            parts = subtrees(body, "described")[0].children
            described = tuple(map(self._variable_or_term, parts)) or written_variables(node.variables)
        form = str(body.data).removesuffix("_where").upper()
        variables = node.variables if form == "SELECT" else ()
        prefixes = tuple(names.prefixes.items())
        return algebra.Query(form, node, variables, template, described, default, named, names.base, prefixes)

    def _refuse_stream_words(self, tree: ParseTree, body: ParseTree) -> None:
        """Raise an error for the first keyword of a stream language outside groups."""
        for part in (*subtrees(tree, "register"), body, *trees(subtrees(body, "dataset")[0])):
            for word in tokens(part, "REGISTER", "OPERATOR", "STREAM", "WINDOW", "GRAPH"):
                raise stream_word(self._names.text, word)

    def _dataset(self, clauses: ParseTree) -> tuple[tuple[URIRef, ...] | None, tuple[URIRef, ...] | None]:
        default = tuple(self._names.iri(part.children[-1]) for part in subtrees(clauses, "static"))
        named = tuple(self._names.iri(part.children[-1]) for part in subtrees(clauses, "static_named"))
        if not (default or named):
            return None, None
        if self._windows is None:
            return default, named
        return (*default, *self._windows.default), (*named, *self._windows.named)

    def _template(self, part: ParseTree) -> tuple[algebra.TriplePattern, ...]:
        """Read the template of a CONSTRUCT; its blank nodes stay blank nodes."""
        triples = [triple for block in trees(part) for triple in triples_of(block)]
        for _, verb, _ in triples:
            if isinstance(verb, Tree):
                raise self._names.error(verb, "a path in a template", "a property or a variable")
        return tuple(algebra.TriplePattern(*map(self._variable_or_term, triple)) for triple in triples)

    def _variable_or_term(self, part: Written) -> algebra.PatternTerm:
        if isinstance(part, Token) and part.type == "VAR":
            return variable(part)
        return self._names.term(part)

    # -- SELECT ------------------------------------------------------------------------------------

    def _select(self, body: ParseTree) -> algebra.Node:
        """Read a SELECT, nested or not; returns its rows."""
        return self._with_modifiers(self._patterns.group(subtrees(body, "group")[0]), body)

    def _subselect(self, body: ParseTree) -> algebra.Node:
        """Read a nested SELECT; only its columns are in scope outside."""
        with self._names.nested():
            node = self._select(body)
        for selected in node.variables:
            self._names.bind(selected)
        return node

    def _with_modifiers(self, node: algebra.Node, body: ParseTree) -> algebra.Node:
        """Apply grouping, expressions, ORDER BY, projection and LIMIT to the rows of a pattern."""
        reader = self._patterns.expressions(has_aggregates=True)
        in_scope = set(node.variables)
        projections, modifiers = subtrees(body, "projection"), trees(body)[-1]
        clauses = {str(clause.data): clause for clause in trees(modifiers)}
        selected = [self._selection(part, reader) for each in projections for part in each.children]
        exists_in_select = reader.take_exists()
        having = [reader.read(part) for part in _children(clauses.get("having"))]
        exists_in_having = reader.take_exists()
        order = [_order_key(part, reader) for part in _children(clauses.get("order_by"))]
        exists_in_order = reader.take_exists()
        aggregates = reader.aggregates or []
        if "group_by" in clauses or aggregates:
            if projections and not selected:
                raise self._names.error(body, "SELECT * cannot be grouped; name the variables")
            node = with_exists(node, reader.exists_in_aggregates)
            keys = None
            if "group_by" in clauses:
                node, keys = self._with_keys(node, clauses["group_by"])
            self._check_grouped(selected, keys or (), aggregates)
            node, having, order = self._grouped(node, keys, selected, having, order, aggregates)
        node = with_exists(node, exists_in_having)
        aliases = {name: expression for _, name, expression in selected if expression is not None}
        for condition in having:
            node = algebra.Filter(node, algebra.replaced(condition, aliases))
        if "values" in clauses:
            node = join(node, self._patterns.values(clauses["values"]))
        node = with_exists(node, exists_in_select)
        for part, name, expression in selected:
            if expression is None:
                continue
            if name in in_scope or name in node.variables:
                problem = f"SELECT ( … AS ?{name}) assigns ?{name}, which has a value already"
                raise self._names.error(part, f"{problem}; choose another name")
            node = algebra.Extend(node, name, expression)
        if order:
            node = algebra.OrderBy(with_exists(node, exists_in_order), tuple(order))
        if projections:
            given = [self._names.bind(name) for _, name, _ in selected]
            chosen = given or self._names.in_order(written_variables(node.variables))
            node = algebra.Project(node, tuple(dict.fromkeys(chosen)))
        if any(word.upper() == "DISTINCT" for word in tokens(body, "MODIFIER")):
            node = algebra.Distinct(node)
        return self._sliced(node, clauses["slice"]) if "slice" in clauses else node

    def _selection(self, part: Part, reader: QueryExpressionReader) -> Selection:
        if isinstance(part, Token):
            return part, variable(part), None
        written, name = part.children
        return part, variable(name), reader.read(written)

    def _with_keys(self, node: algebra.Node, group_by: ParseTree) -> tuple[algebra.Node, list[Variable]]:
        """Read GROUP BY; returns the node with a column for each key, and the keys."""
        keys: list[Variable] = []
        reader = self._patterns.expressions()
        for part in group_by.children:
            written, *names = part.children if isinstance(part, Tree) and part.data == "key" else (part,)
            expression = reader.read(written)
            if names:
                key = variable(names[0])
            else:
                key = expression if isinstance(expression, Variable) else self._names.fresh("key")
            if expression != key:
                node = algebra.Extend(with_exists(node, reader.take_exists()), key, expression)
            keys.append(key)
        return node, keys

    def _check_grouped(
        self, selected: list[Selection], keys: Iterable[Variable], aggregates: list[algebra.Aggregate]
    ) -> None:
        """Raise an error if SELECT uses a variable that is neither a group key nor aggregated."""
        known = {*keys, *(aggregate.variable for aggregate in aggregates)}
        for part, name, expression in selected:
            used = frozenset((name,)) if expression is None else algebra.variables_of(expression)
            lost = [each for each in used if each not in known and not algebra.is_hidden(each)]
            if lost:
                problem = f"?{min(lost)} is selected, but it is neither a group key nor aggregated"
                advice = f"write GROUP BY ?{min(lost)}, or SAMPLE(?{min(lost)})"
                raise self._names.error(part, f"{problem}; {advice}")
            known.add(name)

    def _grouped(
        self,
        node: algebra.Node,
        keys: list[Variable] | None,
        selected: list[Selection],
        having: list[algebra.Expression],
        order: list[algebra.OrderKey],
        aggregates: list[algebra.Aggregate],
    ) -> tuple[algebra.Node, list[algebra.Expression], list[algebra.OrderKey]]:
        """Return the grouped node, HAVING and ORDER BY. A variable in HAVING or ORDER BY that is not a group
        key is replaced by a SAMPLE of it.
        """
        names = (name for _, name, _ in selected)
        known = {*(keys or ()), *(aggregate.variable for aggregate in aggregates), *names}
        inside = set(node.variables)
        samples = {
            v: algebra.Aggregate("SAMPLE", v, False, " ", self._names.fresh("aggregate"))
            for condition in (*having, *(key.expression for key in order))
            for v in algebra.variables_of(condition)
            if v not in known and v in inside
        }
        sample_of = {v: sample.variable for v, sample in samples.items()}
        distinct = None if keys is None else tuple(dict.fromkeys(keys))
        grouped = algebra.Group(node, distinct, (*aggregates, *samples.values()))
        return (
            grouped,
            [algebra.replaced(condition, sample_of) for condition in having],
            [algebra.OrderKey(algebra.replaced(key.expression, sample_of), key.descending) for key in order],
        )

    def _sliced(self, node: algebra.Node, part: ParseTree) -> algebra.Node:
        limit, offset = None, 0
        for clause in trees(part):
            (digits,) = tokens(clause)
            if len(digits) > _MAX_DIGITS:
                expected = f"{_MAX_DIGITS} digits at most"
                raise self._names.error(digits, f"a number of {len(digits)} digits", expected)
            if clause.data == "limit":
                limit = int(digits)
            else:
                offset = int(digits)
        return algebra.Slice(node, offset, limit)


_MAX_DIGITS = 18


def _children(part: ParseTree | None) -> list[Part]:
    return [] if part is None else part.children


def _order_key(part: Part, reader: QueryExpressionReader) -> algebra.OrderKey:
    if isinstance(part, Tree) and part.data == "ordered":
        direction, written = part.children
        return algebra.OrderKey(reader.read(written), str(direction).upper() == "DESC")
    return algebra.OrderKey(reader.read(part), False)
