"""Answers of a query: rdflib's `Result`, and tables of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from rdflib import XSD, BNode, Graph, Literal, URIRef, Variable
from rdflib.query import Result

from pantarhei.language.counted import counted
from pantarhei.language.shown import told_apart
from pantarhei.language.term import Term, Triple, in_order, short
from pantarhei.rdf.ntriples import write_term
from pantarhei.rdf.pickling import exactly

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class QueryResult(Result):
    """The answers of one query at one state of the window, complete; iterates as rdflib's results do.

    Iterating gives rows for SELECT, triples for CONSTRUCT and DESCRIBE, one bool for ASK.
    """

    @classmethod
    def of(cls, evaluated: Mapping[str, Any]) -> QueryResult:
        """The result that rdflib's evaluation describes; bindings that are still to come are computed now."""
        result = cls(evaluated["type_"])
        result.vars = evaluated.get("vars_")
        bindings = evaluated.get("bindings")
        if bindings is not None:
            # plain: rdflib's own would keep the evaluation's context, and with it the window's model, alive
            result.bindings = [dict(binding) for binding in bindings]
        result.askAnswer = evaluated.get("askAnswer")
        result.graph = evaluated.get("graph")
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        triples = None if self.graph is None else tuple(self.graph)
        return exactly(_restored, self.type, self.vars, self.bindings, self.askAnswer, triples)

    def __repr__(self) -> str:
        if self.type == "ASK":
            return f"QueryResult(ASK: {self.askAnswer})"
        if self.type != "SELECT":
            return f"QueryResult({self.type}: {counted(len(self), 'triple')})"
        variables = "".join(f" ?{variable}" for variable in self.vars or ())
        return f"QueryResult(SELECT{variables}: {counted(len(self), 'row')})"

    def __str__(self) -> str:
        """The first of the answers as a table for people; `serialize` and `to_pandas` have all."""
        columns = self.columns()
        count = max(map(len, columns.values()), default=0)
        return told_apart(lambda: "\n".join(_table(columns, count)))

    def columns(self) -> dict[str, list[Term | None]]:
        """The answers by variable; `subject`, `predicate`, `object` for graphs; `answer` for ASK."""
        if self.type == "ASK":
            return {"answer": [Literal(bool(self.askAnswer))]}
        if self.type == "SELECT":
            rows = [row for row in self.bindings if row]
            return {str(v): [cast("Term | None", row.get(v)) for row in rows] for v in self.vars or ()}
        triples = in_order(cast("Iterable[Triple]", self.graph or ()))
        return {name: [t[i] for t in triples] for i, name in enumerate(("subject", "predicate", "object"))}

    def to_arrow(self) -> pa.Table:
        """The answers as a `pyarrow.Table`, one column a variable, unbound as null.

        A column has values of a plain type where all its terms agree, and the field's metadata `terms` says
        which:

        - `name`: IRIs as they are, blank nodes as `_:label`.
        - `string`: strings without a language.
        - `integer` (int64), `number` (float64: decimals, floats, or a mixture with integers), `boolean`,
          `time` (timestamps in UTC, where each has a zone).
        - `n-triples`: all else, mixtures included, each term as N-Triples writes it.
        """
        import pyarrow as pa

        types = {
            "integer": pa.int64(),
            "number": pa.float64(),
            "boolean": pa.bool_(),
            "time": pa.timestamp("us", tz="UTC"),
        }
        fields, arrays = [], []
        for name, terms in self.columns().items():
            kind = _kind_of(terms)
            fields.append(pa.field(name, types.get(kind, pa.string()), metadata={"terms": kind}))
            arrays.append(pa.array([None if t is None else _plain(t, kind) for t in terms], fields[-1].type))
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def to_pandas(self) -> pd.DataFrame:
        """The answers as a `pandas.DataFrame`, typed as in `to_arrow`; integers with gaps are `Int64`."""
        import pandas as pd

        table = self.to_arrow()
        frame: pd.DataFrame = table.to_pandas()
        for field, column in zip(table.schema, table.columns, strict=True):
            if field.metadata[b"terms"] == b"integer" and column.null_count:
                frame[field.name] = pd.array(column.to_pylist(), dtype="Int64")
        return frame


_MOST_SHOWN = 20


def _table(columns: Mapping[str, Sequence[Term | None]], count: int) -> Iterator[str]:
    """The columns with a header, each as wide as it needs to be, and how many of their rows are left out."""
    shown = [[name, *map(_for_people, terms[:_MOST_SHOWN])] for name, terms in columns.items()]
    widths = [max(map(len, texts)) for texts in shown]
    for row in zip(*shown, strict=True):
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
    if not count:
        yield "no answers"
    elif count > _MOST_SHOWN:
        yield f"… and {count - _MOST_SHOWN:,} more"


def _for_people(term: Term | None) -> str:
    if term is None:
        return ""
    return str(term) if isinstance(term, Literal) else short(term)


_INT64 = range(-(2**63), 2**63)


def _kind_of(terms: Sequence[Term | None]) -> str:
    """What all terms of a column are, unbound ones aside."""
    kinds = {_kind_of_term(term) for term in terms if term is not None}
    if kinds == {"integer", "number"}:
        return "number"
    if not kinds:
        return "string"
    return kinds.pop() if len(kinds) == 1 else "n-triples"


def _kind_of_term(term: Term) -> str:
    if isinstance(term, URIRef | BNode):
        return "name"
    if term.language is None and term.datatype in (None, XSD.string):
        return "string"
    match term.value:
        case bool():
            return "boolean"
        case int() as number if number in _INT64:
            return "integer"
        case float() | Decimal():
            return "number"
        case datetime() as at if at.tzinfo is not None:
            return "time"
    return "n-triples"


def _plain(term: Term, kind: str) -> object:
    if kind == "name":
        return f"_:{term}" if isinstance(term, BNode) else str(term)
    if kind == "string":
        return str(term)
    if kind == "n-triples":
        return write_term(term)
    value: object = cast(Literal, term).value
    return float(cast(float, value)) if kind == "number" else value


def _restored(
    kind: str,
    variables: list[Variable] | None,
    bindings: list[dict[Variable, Term]],
    answer: bool | None,
    triples: tuple[Triple, ...] | None,
) -> QueryResult:
    """What `QueryResult` pickles as; rdflib's own restoring looks at attributes before they are there."""
    graph = None
    if triples is not None:
        graph = Graph()
        for triple in triples:
            graph.add(triple)
    parts = {"type_": kind, "vars_": variables, "askAnswer": answer, "graph": graph}
    return QueryResult.of(parts if kind != "SELECT" else {**parts, "bindings": bindings})
