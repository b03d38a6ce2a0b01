"""Answers of registered queries against those of the definition."""

from collections import Counter

from oracle.answers.terms import plain
from random_queries import PREFIXES

HEAD = "".join(f"PREFIX {prefix}: <{iri}> " for prefix, iri in PREFIXES.items())


def wrong_in_any_order(expected, now):
    """What is wrong with answers whose copies stand together, whatever ORDER BY says of single ones.

    Those whose rank is wholly inside OFFSET and LIMIT must be there; of the others any may.
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
