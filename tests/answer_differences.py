"""Comparison of the answers of registered queries with those of the definition."""

from collections import Counter

from oracle.answers.terms import plain
from random_queries import PREFIXES

HEAD = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


def differences_ignoring_order(expected, now):
    """Describe the errors in answers whose duplicates are adjacent, whatever order ORDER BY requires for
    single rows.

    Rows whose rank is completely inside OFFSET and LIMIT must be present; of other ranks any rows may be.
    """
    end = len(expected.solutions) if expected.limit is None else expected.offset + expected.limit
    inside = expected.solutions[expected.offset : end]
    outside = [*expected.solutions[: expected.offset], *expected.solutions[end:]]
    open_ranks = {rank for _, rank in outside}
    sure = Counter(row for row, rank in inside if rank not in open_ranks)
    any_of_these = Counter(row for row, rank in expected.solutions if rank in open_ranks)
    given = Counter({tuple(None if t is None else plain(t) for t in row): n for row, n in now.items()})
    if given.total() == len(inside) and sure <= given and given - sure <= any_of_these:
        return None
    return f"sure {sure - given}, given {given - sure - any_of_these}"
