"""Plans matched to columns, by themselves."""

import weakref

from pantarhei.materialize.bulk.plans import ColumnMatcher


def test_a_matcher_and_its_columns_go_with_their_last_user():
    """No cycle of references keeps them until garbage is collected: columns of a large load are large."""
    matcher = ColumnMatcher({}, None, 0, 1)
    seen = weakref.ref(matcher)
    del matcher
    assert seen() is None
