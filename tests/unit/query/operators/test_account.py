"""What the nodes of a query came to, taken down."""

from answered import pattern
from pantarhei.query.operators.account import Account


def test_rows_of_a_node_that_is_evaluated_in_parts_are_added_up():
    account, node = Account(), pattern("?x :p ?y")
    assert account.rows(node) is None
    account.note(node, 2)
    account.note(node, 3)
    assert account.rows(node) == 5


def test_equal_nodes_in_two_places_are_told_apart():
    account, one, other = Account(), pattern("?x :p ?y"), pattern("?x :p ?y")
    account.note(one, 2)
    assert one == other and account.rows(other) is None


def test_the_steps_of_the_first_part_are_kept():
    account, node = Account(), pattern("?x :p ?y")
    assert list(account.steps(node)) == []
    (triple,) = node.patterns
    account.note_steps(node, [(triple, 2.0, 3)])
    account.note_steps(node, [(triple, 9.0, 9)])
    assert list(account.steps(node)) == [(triple, 2.0, 3)]
