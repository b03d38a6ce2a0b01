"""The columns of results, and variables of queries that would take their names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable

from pantarhei.errors import OptionError


def refuse_taken(
    names: Iterable[str], columns: Collection[str], option: str = "query", ignores_case: bool = False
) -> None:
    """Refuse variables that would be columns of one name, with each other or with others.

    Args:
        names: of the variables, without the question mark.
        columns: that the results have of their own.
        option: which has the query.
        ignores_case: whether capital letters do not tell columns apart.

    Raises:
        OptionError: there are such.

    >>> refuse_taken(["who", "Change"], ["at", "change"])
    """
    names = list(names)
    as_column: Callable[[str], str] = str.lower if ignores_case else str
    met = Counter(map(as_column, (*names, *columns)))
    if taken := sorted(name for name in names if met[as_column(name)] > 1):
        expected = (
            "a query with other variables: the results have a column "
            f"{' and a column '.join(dict.fromkeys(map(as_column, taken)))} already; "
            f"rename the variable, as in (?{taken[0]} AS ?other)"
        )
        raise OptionError(option, ", ".join(f"?{name}" for name in taken), expected)
