"""Reader of group graph patterns and paths: parse tree to algebra (SPARQL 1.1, sections 18.2.2 and 18.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise

from lark import Token, Tree
from rdflib import RDF, BNode, URIRef, Variable

from pantarhei.model.term import Term
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.syntax.expressions import Existence, NameScope, QueryExpressionReader, Written, variable
from pantarhei.query.syntax.grammar import ParseTree, Part, stream_word

Triple = tuple[Written, Written, Written]


class PatternReader:
    """Reader of group graph patterns.

    Args:
        names: scope of the names.
        read_subselect: reads a nested SELECT.
        windows: graph name of each STREAM block, by the `id` of the parse tree of its head; None in plain
            SPARQL.
    """

    def __init__(
        self,
        names: NameScope,
        read_subselect: Callable[[ParseTree], algebra.Node],
        windows: Mapping[int, URIRef] | None = None,
    ) -> None:
        self.names, self._read_subselect, self._windows = names, read_subselect, windows
        self._patterns = 0  # number of basic graph patterns read

    def expressions(self, has_aggregates: bool = False) -> QueryExpressionReader:
        """Return a reader of expressions."""
        reader = QueryExpressionReader(self.names, self.group, has_streams=self._windows is not None)
        reader.aggregates = [] if has_aggregates else None
        return reader

    def group(self, part: ParseTree) -> algebra.Node:
        """Read a pattern in braces.

        Raises:
            QueryTextError: the pattern violates a scoping rule of SPARQL, or has SERVICE.
        """
        members = trees(part)
        if members and members[0].data == "subselect":
            return self._read_subselect(members[0])
        node = self._members(member for member in members if member.data != "filter")
        for member in members:
            if member.data == "filter":
                node = self._filter(node, member)
        return node

    def _members(self, members: Iterable[ParseTree]) -> algebra.Node:
        node: algebra.Node = algebra.UNIT
        self._patterns += 1
        for member in members:
            if member.data != "triples":
                self._patterns += 1
            node = self._with_member(node, member)
        return node

    def _with_member(self, node: algebra.Node, member: ParseTree) -> algebra.Node:
        match member.data:
            case "triples":
                for path in self._triples(member):
                    node = join(node, path)
                return node
            case "optional":
                return self._optional(node, trees(member)[0])
            case "minus":
                with self.names.nested():
                    return algebra.Minus(node, self.group(trees(member)[0]))
            case "union":
                first, *others = trees(member)
                union = self.group(first)
                for branch in others:
                    union = algebra.Union(union, self.group(branch))
                return join(node, union)
            case "graph" | "window_block" | "stream_block":
                return join(node, self._graph(member))
            case "values":
                return join(node, self.values(member))
            case "bind":
                return self._bind(node, member)
        problem = "SERVICE is refused: it would query a server on the network; query local data only"
        raise self.names.error(member, problem)

    def _graph(self, member: ParseTree) -> algebra.Node:
        if member.data != "graph" and self._windows is None:
            raise stream_word(self.names.text, member)
        *_, written, group = member.children
        assert not isinstance(group, Token)
        if isinstance(written, Token):
            name = self.names.pattern_term(written, self._patterns)
        else:
            assert self._windows is not None
            name = self._windows[id(written)]
        return algebra.Graph(self.group(group), name)

    def _optional(self, node: algebra.Node, part: ParseTree) -> algebra.Node:
        """Read OPTIONAL; the filters directly in the optional group become the condition of the LeftJoin."""
        members = trees(part)
        if members and members[0].data == "subselect":
            return algebra.LeftJoin(node, self.group(part))
        right = self._members(member for member in members if member.data != "filter")
        reader = self.expressions()
        conditions = [reader.read(member.children[0]) for member in members if member.data == "filter"]
        return algebra.LeftJoin(node, right, all_of(conditions), reader.take_exists())

    def _filter(self, node: algebra.Node, member: ParseTree) -> algebra.Node:
        reader = self.expressions()
        expression = reader.read(member.children[0])
        exists = reader.take_exists()
        return without_exists(algebra.Filter(with_exists(node, exists), expression), node.variables, exists)

    def _bind(self, node: algebra.Node, member: ParseTree) -> algebra.Node:
        written, token = member.children
        target = variable(token)
        if target in node.variables:
            problem = f"BIND … AS ?{target} assigns ?{target}, which has a value in this group already"
            raise self.names.error(member, f"{problem}; choose another name")
        reader = self.expressions()
        expression = reader.read(written)
        exists = reader.take_exists()
        extended = algebra.Extend(with_exists(node, exists), self.names.bind(target), expression)
        return without_exists(extended, (*node.variables, target), exists)

    def values(self, part: ParseTree) -> algebra.Values:
        """Read VALUES."""
        first, *cells = part.children
        if isinstance(first, Token):
            header: list[Part] = [first]
            rows: list[Sequence[Part]] = [[cell] for cell in cells]
        else:
            header, rows = first.children, [row.children for row in trees(part)[1:]]
        names = tuple(self.names.bind(variable(token)) for token in header)
        if len(set(names)) < len(names):
            raise self.names.error(part, "VALUES names a variable twice")
        for row in rows:
            if len(row) != len(names):
                problem = f"VALUES has {len(names)} variables, but a row has {len(row)} values"
                raise self.names.error(part, problem)
        return algebra.Values(names, tuple(tuple(map(self._value, row)) for row in rows))

    def _value(self, part: Part) -> Term | None:
        return None if isinstance(part, Token) and part.type == "UNDEF" else self.names.term(part)

    # -- triples and paths ---------------------------------------------------------------------------

    def block(self, part: ParseTree) -> algebra.Node:
        """Read the pattern of CONSTRUCT WHERE."""
        return self._members(trees(part))

    def _triples(self, part: ParseTree) -> list[algebra.Node]:
        """Read triples; returns a node for each triple in the order of the text. `join` merges adjacent
        patterns.
        """
        nodes: list[algebra.Node] = []
        for subject, verb, object_ in triples_of(part):
            start = self.names.pattern_term(subject, self._patterns)
            middle = self.names.pattern_term(verb, self._patterns) if is_plain(verb) else None
            end = self.names.pattern_term(object_, self._patterns)
            if middle is None:
                nodes.append(self._path(start, verb, end))
            else:
                nodes.append(algebra.BGP((algebra.TriplePattern(start, middle, end),)))
        return nodes

    def _path(
        self, subject: algebra.PatternTerm, path: Written, object_: algebra.PatternTerm
    ) -> algebra.Node:
        """Return the rows of a path between two ends; they may also bind variables of the path's steps."""
        if isinstance(path, Token | URIRef):
            return algebra.BGP((algebra.TriplePattern(subject, self.names.term(path), object_),))
        assert isinstance(path, Tree)
        parts = path.children
        match path.data:
            case "alternative":
                node = self._path(subject, parts[0], object_)
                for part in parts[1:]:
                    node = algebra.Union(node, self._path(subject, part, object_))
                return node
            case "sequence":
                node, here = algebra.UNIT, subject
                for part in parts:
                    there = object_ if part is parts[-1] else self.names.fresh("step")
                    node, here = join(node, self._path(here, part, there)), there
                return node
            case "inverse":
                return self._path(object_, parts[0], subject)
            case "step":
                *_, inner, repeat = parts
                start, end = self.names.fresh("start"), self.names.fresh("end")
                step = self._path(start, inner, end)
                is_reflexive, repeats = str(repeat) in "*?", str(repeat) in "*+"
                return algebra.Closure(subject, object_, step, start, end, is_reflexive, repeats)
        return self._negated(subject, parts, object_)

    def _negated(
        self, subject: algebra.PatternTerm, parts: Sequence[Part], object_: algebra.PatternTerm
    ) -> algebra.Node:
        backward = {self.names.term(part.children[0]) for part in parts if not isinstance(part, Token)}
        forward = {self.names.term(part) for part in parts if isinstance(part, Token)}
        ahead = algebra.NegatedSet(subject, object_, frozenset(forward))
        back = algebra.NegatedSet(object_, subject, frozenset(backward))
        if not backward:
            return ahead
        return algebra.Union(ahead, back) if forward else back


def trees(part: ParseTree) -> list[ParseTree]:
    """Return the child trees of a part, without its tokens."""
    return [child for child in part.children if not isinstance(child, Token)]


def is_plain(verb: Written) -> bool:
    """Return whether a verb is a variable or a single predicate, not another path."""
    return isinstance(verb, Token | URIRef)


def triples_of(part: ParseTree) -> list[Triple]:
    """Return the triples of a `triples` tree; the triples of collections and blank node property lists follow
    the triple that uses them.
    """
    found: list[Triple] = []
    for subject in trees(part):
        first, *properties = subject.children
        _add_properties(_node(first, found), properties, found)
    return found


def _add_properties(subject: Written, properties: Sequence[Part], found: list[Triple]) -> None:
    for verb, objects in zip(properties[::2], properties[1::2], strict=True):
        assert not isinstance(objects, Token)
        for written in objects.children:
            inner: list[Triple] = []
            found.append((subject, verb, _node(written, inner)))
            found += inner


def _node(part: Part, found: list[Triple]) -> Written:
    """Return the node of a part, and add the triples that the part implies to `found`."""
    if isinstance(part, Token) or part.data not in ("blank", "collection", "anon"):
        return part
    if part.data == "anon":
        return BNode()
    if part.data == "blank":
        node = BNode()
        _add_properties(node, part.children, found)
        return node
    cells: list[Term] = [*(BNode() for _ in part.children), RDF.nil]
    later: list[Triple] = []
    for (cell, rest), written in zip(pairwise(cells), part.children, strict=True):
        found += [(cell, RDF.first, _node(written, later)), (cell, RDF.rest, rest)]
    found += later
    return cells[0]


def join(left: algebra.Node, right: algebra.Node) -> algebra.Node:
    """Join two nodes; adjacent basic graph patterns are merged."""
    if left == algebra.UNIT:
        return right
    if isinstance(left, algebra.BGP) and isinstance(right, algebra.BGP):
        return algebra.BGP(left.patterns + right.patterns)
    if (
        isinstance(right, algebra.BGP)
        and isinstance(left, algebra.Join)
        and isinstance(left.right, algebra.BGP)
    ):
        return algebra.Join(left.left, algebra.BGP(left.right.patterns + right.patterns))
    return algebra.Join(left, right)


def all_of(conditions: Sequence[algebra.Expression]) -> algebra.Expression | None:
    """Return the conjunction of conditions; None if there are none."""
    if len(conditions) > 1:
        return algebra.Call("&&", tuple(conditions))
    return conditions[0] if conditions else None


def with_exists(node: algebra.Node, exists: Sequence[Existence]) -> algebra.Node:
    """Extend a node by a column for each EXISTS."""
    for result, pattern in exists:
        node = algebra.Exists(node, pattern, result)
    return node


def without_exists(
    node: algebra.Node, variables: Sequence[Variable], exists: Sequence[Existence]
) -> algebra.Node:
    """Project away the columns that `with_exists` added."""
    return algebra.Project(node, tuple(variables)) if exists else node


def written_variables(variables: Sequence[Variable]) -> tuple[Variable, ...]:
    """Return the variables that are written in the query, without generated ones."""
    return tuple(variable for variable in variables if not algebra.is_hidden(variable))
