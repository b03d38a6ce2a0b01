"""Key-local queries: queries whose answers over a stream are the union of their answers over all shards.

One window holds the data D. Shard k holds D_k: the background, the assertions with key k, and their
consequences. A query is *key-local* if its rows over D are the bag union of its rows over all D_k. This
property is derived bottom-up through the algebra. A node is

- *local at* a key, which is a variable bound by each row or a constant, if for each k the rows of the node
  over D in which the key has the value k are its rows over D_k in which the key has the value k;
- *divided* if it has no other rows over D_k;
- *background* if it has equal rows over D and over each D_k.

A query is key-local if its rows are divided. Patterns of facts that may be in any shard, or in two shards,
are not local at any key.

The reports of the shards can be united too if all shards report at common times: on each change, or when a
window closes. If a query reports only inserts or only deletes, a row must not be inserted in one shard while
it is deleted in another; so its rows must be local at a key.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from typing import NamedTuple, cast

from rdflib import RDF, Variable

from pantarhei.encoding.numbers import Symbol
from pantarhei.errors import NotKeyLocalQueryError, OptionError
from pantarhei.model.rule import Predicate
from pantarhei.model.term import short
from pantarhei.query.algebra import nodes as algebra
from pantarhei.query.algebra.analysis import expressions_of
from pantarhei.query.continuous_query import PLAIN, ReportPolicy
from pantarhei.rules.sharding.key_flow import KeyClasses
from pantarhei.rules.sharding.key_map import SUBJECT, Key
from pantarhei.rules.sharding.sharding_report import ShardingReport
from pantarhei.rules.translation.demand import TYPE


def check_key_local(
    query: algebra.Query,
    report: ShardingReport,
    key: Key,
    policy: ReportPolicy = PLAIN,
    name: str | None = None,
) -> None:
    """Check that a query is key-local, by a sufficient condition. The cost is linear in the size of the
    query.

    Args:
        report: report of a program that is key-local for `key`.
        policy: report policy of the query.
        name: name of the query among several; None for a single query.

    Raises:
        NotKeyLocalQueryError: the query joins or compares facts of two shards; has answers without facts of
        the stream; is not a SELECT; has ORDER BY, LIMIT, OFFSET, GRAPH or FROM; calls NOW or a volatile
        function; or reports only inserts or only deletes of rows that are not local at a key.
        OptionError: the times of its reports depend on other shards, or on single ABoxes.
    """
    _check_report_times(policy, name)
    _LocalityCheck(report, key, name).check(query, needs_keys=policy.emit in ("istream", "dstream"))


def key_columns(query: algebra.Query, report: ShardingReport, key: Key) -> tuple[int, ...]:
    """Return the columns of a query's rows whose terms have the key of the row's shard; none if no column is
    known to have it. The query has passed `check_key_local`.
    """
    keys = _LocalityCheck(report, key, None).rows(query.node).keys
    return tuple(place for place, variable in enumerate(query.variables) if variable in keys)


def _check_report_times(policy: ReportPolicy, name: str | None) -> None:
    """Check that all shards report at common times."""
    if policy.closes:
        unknown = "change" if policy.emit == "rstream" else "non-empty"
        is_known = unknown not in policy.conditions
        expected = (
            f"conditions without {unknown!r} with shard_by and emit={policy.emit!r}, since this condition "
            "depends on all shards"
        )
    else:
        is_known = policy.is_plain
        expected = (
            'on="close", or on="change" with emit="delta", since with shard_by the shards have no other '
            "common times"
        )
    if not is_known:
        option = "on" if name is None else f"queries[{name!r}]"
        raise OptionError(option, f"(on={policy.on!r}, emit={policy.emit!r})", expected)


class _Locality(NamedTuple):
    """Locality of the rows of a node, as defined in the module's docstring.

    Args:
        keys: variables and constants at which the node is local.
    """

    keys: frozenset[Hashable]
    is_divided: bool = False
    is_background: bool = False


class _LocalityCheck:
    """Derivation of the locality of a query for one key."""

    def __init__(self, report: ShardingReport, key: Key, name: str | None) -> None:
        self._report, self._key, self._name = report, key, name
        self._places, self._keys = report.places[key], report.maps[key]

    def check(self, query: algebra.Query, needs_keys: bool) -> None:
        """Check a query; raises the errors of `check_key_local`."""
        if query.form != "SELECT":
            raise self._error(
                f"{query.form} has one answer for all shards; use SELECT, whose answers are rows"
            )
        if query.has_dataset_clause:
            raise self._error("FROM reads named graphs, but shards contain only the materialization")
        for expression in (each for node in algebra.nodes_of(query.node) for each in expressions_of(node)):
            calls = (part for part in algebra.parts_of(expression) if isinstance(part, algebra.Call))
            called = {call.function for call in calls}
            if "NOW" in called or algebra.is_volatile(expression):
                raise self._error("NOW, RAND, UUID, STRUUID and BNODE have different values in each shard")
        rows = self.rows(query.node)
        if needs_keys and not rows.keys:
            hint = f"select {self._key_description} too"
            raise self._error(f"one shard may insert a row that another shard deletes; {hint}")
        if not rows.is_divided:
            raise self._error("some answers need no fact of the stream, so each shard would repeat them")

    def rows(self, node: algebra.Node) -> _Locality:
        """Return the locality of a node's rows."""
        match node:
            case algebra.BGP(patterns):
                return self._matches(node, patterns)
            case algebra.NegatedSet(subject, object_):
                return self._matches(node, (algebra.TriplePattern(subject, Variable("#predicate"), object_),))
            case algebra.Values():
                return _background(node)
            case algebra.Closure():
                return self._path(node)
            case algebra.Join(left, right):
                return self._join_locality(node, self.rows(left), self.rows(right))
            case algebra.Union(left, right):
                one, other = self.rows(left), self.rows(right)
                is_background = one.is_background and other.is_background
                return _Locality(one.keys & other.keys, one.is_divided and other.is_divided, is_background)
            case algebra.LeftJoin(left, right):
                rows = self._combined(self.rows(left), right, "OPTIONAL")
                for _, pattern in node.exists:
                    rows = self._combined(rows, pattern, "EXISTS")
                return rows
            case algebra.Minus(left, right):
                return self._combined(self.rows(left), right, "MINUS")
            case algebra.Exists(left, right):
                return self._combined(self.rows(left), right, "EXISTS")
            case algebra.Filter(child) | algebra.Extend(child):
                return self.rows(child)
            case algebra.Project(child, names):
                rows = self.rows(child)
                return rows._replace(keys=_among(rows.keys, names))
            case algebra.Distinct(child):
                rows = self.rows(child)
                if not (rows.keys or rows.is_background):
                    hint = f"select {self._key_description} too"
                    raise self._error(f"DISTINCT compares rows of several shards; {hint}")
                return rows
            case algebra.Group(child, names):
                return self._group_locality(node, self.rows(child), names)
            case algebra.OrderBy() | algebra.Slice():
                raise self._error("ORDER BY, LIMIT and OFFSET need the answers of all shards")
            case algebra.Graph():
                raise self._error("GRAPH reads named graphs, but shards contain only the materialization")
        raise AssertionError(node)

    def _matches(self, node: algebra.Node, patterns: Sequence[algebra.TriplePattern]) -> _Locality:
        """Return the locality of a basic graph pattern. All its triple patterns that match facts of the
        stream must share a key.
        """
        links = ((p.subject, p.object) for p in patterns if _symbol(p) in self._places.keeping)
        classes = KeyClasses(self._keys, links)
        shared: frozenset[Hashable] | None = None
        certain: frozenset[Hashable] = frozenset()
        is_divided = False
        for pattern in patterns:
            positions = self._positions(pattern)
            if positions is None:
                continue
            keys = classes.keyed(pattern, (pattern.subject, pattern.object)).at(positions)
            shared = keys if shared is None else shared & keys
            if not shared:
                text = " ".join(map(short, pattern.terms))
                raise self._error(f"facts that match {text} may be in {'another' if keys else 'any'} shard")
            if self._streams_alone(pattern):
                is_divided = True
                certain |= keys
        if shared is None:
            return _background(node)
        return _Locality(classes.members(shared | certain), is_divided)

    def _path(self, node: algebra.Closure) -> _Locality:
        steps = self.rows(node.step)
        if not steps.is_background:
            raise self._error("a path of any length may have steps in several shards")
        if node.is_reflexive and isinstance(node.subject, Variable) and isinstance(node.object, Variable):
            raise self._error("a path of length zero relates each term of all shards to itself; use +")
        return _background(node)

    def _join_locality(self, node: algebra.Node, left: _Locality, right: _Locality) -> _Locality:
        if left.is_background:
            return _background(node) if right.is_background else right
        if right.is_background:
            return left
        shared = self._shared(left, right, "a join")
        keys = shared.union(*(each.keys for each in (left, right) if each.is_divided))
        return _Locality(keys, left.is_divided or right.is_divided)

    def _combined(self, rows: _Locality, pattern: algebra.Node, written: str) -> _Locality:
        """Return the locality of rows that are extended or tested by the matches of another pattern.

        Args:
            written: keyword that joins the two patterns, for errors.
        """
        other = self.rows(pattern)
        if other.is_background:
            return rows
        shared = self._shared(rows, other, written)
        return _Locality(rows.keys if rows.is_divided else shared, rows.is_divided)

    def _shared(self, one: _Locality, other: _Locality, written: str) -> frozenset[Hashable]:
        shared = one.keys & other.keys
        if not shared:
            raise self._error(f"{written} matches rows of different shards; share {self._key_description}")
        return shared

    def _group_locality(
        self, node: algebra.Group, rows: _Locality, names: Collection[Variable] | None
    ) -> _Locality:
        if rows.is_background:
            return _background(node)
        keys = _among(rows.keys, names or ())
        if names is None or not keys:
            raise self._error(f"a group has rows of several shards; group by {self._key_description}")
        return rows._replace(keys=keys)

    # -- argument positions ------------------------------------------------------------------------

    def _positions(self, pattern: algebra.TriplePattern) -> frozenset[int] | None:
        """Return the argument positions that have the shard's key in each matching fact of the stream; None
        if no fact of the stream matches.
        """
        symbol = _symbol(pattern)
        if symbol is not None:
            return self._report.positions(self._key, symbol)
        of_class = pattern.predicate == RDF.type
        positions = self._places.positions.items()
        each = [found for s, found in positions if s.arity == 1 or s == TYPE or not of_class]
        return frozenset.intersection(*each) if each else None

    def _streams_alone(self, pattern: algebra.TriplePattern) -> bool:
        """Return whether only facts of the stream match, and none of the background."""
        symbol, given = _symbol(pattern), self._places.given
        if symbol is not None:
            return symbol not in given
        return not any(each.arity == 1 or pattern.predicate != RDF.type for each in given)

    @property
    def _key_description(self) -> str:
        """Description of the key for errors."""
        return "the subject" if self._key == SUBJECT else f"the subject or its {self._keys.name}"

    def _error(self, obstacle: str) -> NotKeyLocalQueryError:
        return NotKeyLocalQueryError(str(self._key), obstacle, self._name)


def _background(node: algebra.Node) -> _Locality:
    return _Locality(frozenset(node.certain), is_background=True)


def _among(keys: frozenset[Hashable], names: Collection[Variable]) -> frozenset[Hashable]:
    """Return the keys that are constants, or variables among `names`."""
    return frozenset(key for key in keys if not isinstance(key, Variable) or key in names)


def _symbol(pattern: algebra.TriplePattern) -> Symbol | None:
    """Return the predicate of the facts that match a triple pattern; None for any predicate."""
    name, arity = (pattern.object, 1) if pattern.predicate == RDF.type else (pattern.predicate, 2)
    return None if isinstance(name, Variable) else Symbol(cast(Predicate, name), arity)
