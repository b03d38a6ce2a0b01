"""Functions that are drawn once a row."""

import numpy as np
from rdflib import BNode, Literal, URIRef, Variable

from expressions import X, context, table_of, term
from pantarhei.query.algebra.expressions import Call
from pantarhei.query.expressions import compute, truth
from pantarhei.query.solutions import Table


def test_every_row_has_its_own() -> None:
    given = context()
    rows = table_of([term("1")] * 5, given)
    for name, sort in (("RAND", Literal), ("UUID", URIRef), ("STRUUID", Literal), ("BNODE", BNode)):
        found = given.terms.terms(compute(Call(name, ()), rows, given))
        assert len(set(found)) == 5
        assert all(isinstance(each, sort) for each in found)
    assert truth(Call("<", (Call("RAND", ()), term("1"))), rows, given).tolist() == [1] * 5


def test_one_text_is_one_blank_node_in_a_row_and_others_in_other_rows() -> None:
    given = context()
    rows = table_of([term('"a"'), term('"a"'), term('"b"'), term("1"), None], given)
    first = compute(Call("BNODE", (X,)), rows, given)
    more = rows.with_column(Variable("y"), first)
    again = compute(Call("BNODE", (Call("CONCAT", (X, term('""'))),)), more, given)
    assert first.tolist() == again.tolist()
    assert len(set(first[:3].tolist())) == 3
    assert first[3:].tolist() == [-1, -1]


def test_other_rows_have_other_blank_nodes_for_the_same_text() -> None:
    given = context()
    one, other = table_of([term('"a"')], given), table_of([term('"a"')], given)
    found = [compute(Call("BNODE", (X,)), rows, given)[0] for rows in (one, other)]
    assert found[0] != found[1]


def test_a_row_without_columns_has_one_of_its_own() -> None:
    given = context()
    assert len(compute(Call("BNODE", (term('"a"'),)), Table({}, 1), given)) == 1
    assert compute(Call("UUID", ()), Table({}, 0), given).tolist() == np.empty(0).tolist()
