"""Accounts of the parts of a stream's files."""

import pickle

from pantarhei.errors import MalformedInputError
from pantarhei.io.reader_counts import Skipped
from pantarhei.spark.counted_files import FilesAccount


def account(*times, skips=0, error=None):
    made = FilesAccount(error=error)
    for at, assertions in times:
        made.note(at, int(at), assertions)
    for line in range(skips):
        made.skip(line, "why", "text", 2)
    return made


def test_the_account_of_all_parts_adds_up_and_has_what_came_first():
    errors = [MalformedInputError(name, 1, "why") for name in ("a.nq", "b.nq")]
    parts = [account((1, 5), skips=1), account((1.0, 2), (2, 3), skips=3, error=errors[0])]
    whole = FilesAccount.of([*parts, account((0, 1), error=errors[1])])
    assert {ticks: (repr(given.at), given.assertions) for ticks, given in whole.times.items()} == {
        1: ("1", 7),
        2: ("2", 3),
        0: ("0", 1),
    }
    assert whole.skipped_count == 8
    assert whole.skipped == [Skipped(line, "why", "text") for line in (0, 0, 1, 2)]
    assert whole.error is errors[0]


def test_an_account_keeps_the_first_of_many_skips_and_pickles():
    made = account((1, 1), skips=50, error=MalformedInputError("a.nq", 2, "why"))
    assert (made.skipped_count, len(made.skipped)) == (100, 10)
    again = pickle.loads(pickle.dumps(made))
    assert (again.times, again.skipped, str(again.error)) == (made.times, made.skipped, "a.nq, line 2: why")
