"""Variables that would take other columns' names."""

from __future__ import annotations

import pytest

from pantarhei.errors import OptionError
from pantarhei.query.column_names import refuse_taken


def test_a_variable_of_another_columns_name_is_refused_and_told_from_the_rest():
    with pytest.raises(OptionError, match=r"a column at already; .* \(\?at AS \?other\)") as raised:
        refuse_taken(["who", "at"], ["at", "change"], "queries['hot']")
    assert (raised.value.option, raised.value.given) == ("queries['hot']", "?at")


@pytest.mark.parametrize(
    ("names", "columns", "given", "told"),
    [
        (["At"], ["at"], "?At", "a column at already"),
        (["x", "X"], [], "?X, ?x", "a column x already"),
        (["Change", "AT"], ["at", "change"], "?AT, ?Change", "a column at and a column change"),
    ],
)
def test_capital_letters_count_where_they_tell_columns_apart(names, columns, given, told):
    refuse_taken(names, columns)
    with pytest.raises(OptionError, match=told) as raised:
        refuse_taken(names, columns, ignores_case=True)
    assert raised.value.given == given
