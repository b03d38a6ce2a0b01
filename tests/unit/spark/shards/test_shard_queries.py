"""The registered queries of a shard: what they report, when it wakes for them, and how they are saved."""

import pyarrow as pa
import pytest

from pantarhei import Ontology, Window
from pantarhei.engine.options import Options
from pantarhei.errors import CheckpointMismatchError
from pantarhei.model.time import TimeKind
from pantarhei.query.registration import Registration
from pantarhei.rdf.ntriples import write_term
from pantarhei.spark.shards.setup import ShardSetup
from pantarhei.spark.shards.shard import NO_ROWS, ROWS, Shard
from strategies import A, a, b, member


def asking(**queries):
    """A setup with registered queries of one variable each."""
    ontology = Ontology.from_rules([])
    report = ontology.sharding_report(keys=["subject"])
    options, names = Options(Window(5)), ("query", "value1", "value2")
    return ShardSetup(
        ontology, options, TimeKind.INTEGER, "subject", 4, report, False, queries=queries, names=names
    )


def rows(*timed):
    columns = zip(*((at, *map(write_term, triple)) for at, triple in timed), strict=True)
    return pa.table(dict(zip(ROWS.names, map(list, columns), strict=True)), ROWS)


MEMBERS = f"SELECT ?x {{ ?x a <{A}> }}"
EVERY_TWO = Window(2, 2, closed="right")


def test_each_query_reports_under_its_name_when_it_is_to_and_time_that_passes_is_enough():
    closes = Registration(MEMBERS, EVERY_TWO, "close", "rstream")
    made = asking(now=Registration(MEMBERS), short=Registration(MEMBERS, Window(1)), closed=closes)
    one = Shard(made, made.reasoner())

    def told(found):
        assert all(each.terms[2] is None for each in found)
        return [
            (each.ticks, each.terms[0], each.terms[1] and each.terms[1][-2], each.change) for each in found
        ]

    assert told(one.take_in(rows((1, member(A, a))), None)) == [(1, "now", "a", 1), (1, "short", "a", 1)]
    #  at: 1 2 | 3 4 | 5 6 |     closed: (0, 2] has a, (2, 4] has nothing
    assert one.next_look == 3  # the first tick after (0, 2], and the first at which `short` loses a
    assert told(one.take_in(NO_ROWS, 2)) == []
    assert told(one.take_in(NO_ROWS, 3)) == [(3, "short", "a", -1), (2, "closed", "a", 1)]
    assert one.next_look == 5  # what `closed` has reported has gone, and is not reported again
    assert told(one.take_in(NO_ROWS, 5)) == []
    assert one.next_look == 7
    assert told(one.take_in(NO_ROWS, 60)) == [(60, "now", "a", -1)]
    assert one.next_look is None
    assert told(one.take_in(rows((7, member(A, a))), 60)) == [
        (7, name, None, 0) for name in ("now", "short", "closed")
    ]


def test_windows_that_close_to_the_left_and_skip_times_are_looked_at_when_they_have_closed():
    hourly = Registration(MEMBERS, Window(2, 4, closed="left"), "close")
    made = asking(hourly=hourly)
    one = Shard(made, made.reasoner())
    assert one.take_in(rows((1, member(A, b))), None) == []
    assert one.next_look == 7  # [2, 4) does not hold it, the reasoner does until 6
    one.take_in(rows((2, member(A, a))), None)
    assert one.next_look == 4
    assert one.take_in(NO_ROWS, 4) == [(4, ("hourly", a.n3(), None), 1)]
    assert one.next_look == 7
    found = [change for look in (7, 8) for change in one.take_in(NO_ROWS, look)]
    assert found == [(8, ("hourly", a.n3(), None), -1)] and one.next_look is None


def test_what_is_pending_in_a_shard_is_saved_with_it_and_other_queries_are_refused():
    closes = Registration(MEMBERS, EVERY_TWO, "close")
    made = asking(closed=closes)
    one = Shard(made, made.reasoner())
    one.take_in(rows((1, member(A, a))), None)
    again = Shard.restore(made, one.save())
    assert again.next_look == one.next_look == 3
    assert again.take_in(NO_ROWS, 3) == one.take_in(NO_ROWS, 3) == [(2, ("closed", a.n3(), None), 1)]
    for other in (
        asking(closed=closes._replace(emit="istream")),
        asking(another=closes),
        asking(closed=closes, another=closes),
    ):
        with pytest.raises(CheckpointMismatchError, match="queries"):
            Shard.restore(other, one.save())
    more = {"b": closes, "a": Registration(MEMBERS)}
    saved = Shard(asking(**more), asking(**more).reasoner()).save()
    Shard.restore(asking(**dict(sorted(more.items()))), saved)  # in any order
