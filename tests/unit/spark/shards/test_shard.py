"""One shard without Spark: what it takes in and gives back, when it wakes, and how it is saved."""

import pickle
import random
from collections import Counter
from dataclasses import replace
from itertools import product

import pyarrow as pa
import pytest
from rdflib import BNode

from pantarhei import Ontology, StreamReasoner, Window, load_rules
from pantarhei.engine.options import Options
from pantarhei.errors import CheckpointMismatchError
from pantarhei.model.rule import Rule
from pantarhei.model.time import TimeKind
from pantarhei.query.continuous_query import Registration
from pantarhei.rdf.ntriples import parse_term, write_term
from pantarhei.rules.sharding.routing import Routing
from pantarhei.spark.shards.router import Router
from pantarhei.spark.shards.shard import Shard, ShardSetup, SharedValue
from shard_rows import NO_ROWS, normalized, processed
from shard_rows import routed as routed_rows
from shard_rows import rows as rows_of
from strategies import (
    CLASSES,
    DISJOINT_CLASSES,
    EX,
    INDIVIDUALS,
    INTERSECTION,
    SUBCLASS,
    A,
    B,
    R,
    S,
    a,
    b,
    is_a,
    member,
    related,
    x,
    y,
)

IN = EX.inBuilding
THREE = Window(3)


def setup(
    rules=(), window=THREE, key="subject", shards=4, holds=False, background=(), query=None, names=("x",)
):
    ontology = Ontology.from_rules(rules, background)
    report = ontology.sharding_report(keys=[key])
    assert report.allows(key)
    made = ShardSetup(ontology, Options(window), TimeKind.INTEGER, key, shards, report, holds)
    return made if query is None else replace(made, query=query, names=names)


def shard(*args, **options):
    made = setup(*args, **options)
    return Shard(made, made.reasoner())


def rows(*timed):
    return rows_of(timed)


def changes(found):
    return [
        (each.ticks, parse_term(each.terms[0]), parse_term(each.terms[2]).split("/")[-1], each.change)
        for each in found
    ]


def test_rows_of_one_call_enter_in_order_of_time_and_leave_when_time_has_passed():
    one = shard([Rule("cax-sco", (is_a(A, x),), is_a(B, x))])
    assert sorted(changes(processed(one, rows((2, member(B, b)), (1, member(A, a))), None))) == [
        (1, a, "A", 1),
        (1, a, "B", 1),
        (2, b, "B", 1),
    ]
    #   at: 1 [------] 4       closed: 5 is the first time at which 1 is outside
    assert one.next_timer == 5
    assert processed(one, NO_ROWS, 4) == []
    assert sorted(changes(processed(one, NO_ROWS, 5))) == [(5, a, "A", -1), (5, a, "B", -1)]
    assert one.next_timer == 6
    assert changes(processed(one, NO_ROWS, 60)) == [(6, b, "B", -1)]  # when it left
    assert one.next_timer is None


@pytest.mark.parametrize(
    ("window", "at", "leaves"),
    [
        (Window(3), 1, 5),
        (Window(0), 1, 2),
        (Window(10, slide=10), 1, 11),
        (Window(10, slide=5, origin=2), 1, 8),
        (Window(10, slide=5, closed="right"), 5, 11),
        (Window(5, slide=5, closed="right"), 1, 6),
    ],
)
def test_a_shard_is_looked_at_when_its_oldest_timestamp_leaves(window, at, leaves):
    one = shard(window=window)
    processed(one, rows((at, member(A, a))), None)
    assert one.next_timer == leaves
    assert processed(one, NO_ROWS, leaves - 1) == []
    assert changes(processed(one, NO_ROWS, leaves)) == [(leaves, a, "A", -1)]


TEMPORAL = load_rules(
    "quiet(X) :- :A(X) in [9], not asserted :A(X) in [4].\non :- :B(X) at 12 in [20].",
    prefixes={"": str(EX)},
)


def concluding(**options):
    return replace(setup(**options), temporal=TEMPORAL, names=("predicate", "argument1"))


def test_a_shard_is_looked_at_when_rules_conclude_something_else_and_tells_it_with_its_time():
    made = concluding()
    one = Shard(made, made.reasoner())
    quiet = (f"<{EX}quiet>", a.n3())
    assert processed(one, rows((1, member(A, a))), None) == []
    looks, found = [], []
    while (look := one.next_timer) is not None:
        looks.append(look)
        found += processed(one, NO_ROWS, look)
    #  at:  1 . . 4    of the window: until 4    quiet: asserted at 1 until 5, a state at 4 until 13
    assert found == [(6, quiet, 1), (14, quiet, -1)]
    assert len(looks) <= 4
    jumping = Shard(made, made.reasoner())
    processed(jumping, rows((1, member(A, a))), None)
    assert processed(jumping, NO_ROWS, 60) == found  # as if it had been looked at
    assert jumping.next_timer is None
    assert processed(jumping, rows((59, member(A, a))), None) == [(59, (None, None), 0)]  # late


def test_a_shard_goes_on_with_the_same_rules_only():
    made = concluding()
    one = Shard(made, made.reasoner())
    processed(one, rows((1, member(A, a))), None)
    restored = Shard.restore(made, one.saved())
    assert [each.ticks for each in processed(restored, NO_ROWS, 60)] == [6, 14]
    with pytest.raises(CheckpointMismatchError, match="temporal rules"):
        Shard.restore(setup(), one.saved())


def test_late_rows_come_back_and_change_nothing():
    one = shard()
    processed(one, rows((5, member(A, a))), None)
    assert changes(processed(one, rows((4, member(A, b)), (5, member(B, b))), None)) == [
        (4, b, "A", 0),
        (5, b, "B", 1),
    ]
    assert changes(processed(one, rows((6, member(A, b))), 7)) == [(6, b, "A", 0)]


def test_held_rows_wait_until_nothing_can_come_before_them():
    one = shard(holds=True)
    assert processed(one, rows((3, member(A, a)), (1, member(A, b))), None) == []
    assert one.next_timer == 2
    assert changes(processed(one, rows((2, member(B, b))), 2)) == [(1, b, "A", 1)]
    assert changes(processed(one, NO_ROWS, 4)) == [(2, b, "B", 1), (3, a, "A", 1)]


def test_a_timestamps_blank_nodes_have_the_same_names_in_each_shard():
    found = [processed(shard(), rows((7, member(A, BNode("n"))), (7, member(A, a))), None) for _ in range(2)]
    assert set(found[0]) == set(found[1])
    assert "_:t7-n" in {each.terms[0] for each in found[0]}


def test_a_restored_shard_goes_on_as_if_nothing_had_been():
    rules = [*INTERSECTION, *SUBCLASS[:3], *DISJOINT_CLASSES]
    choose = random.Random(3)
    made = setup(rules, holds=True)
    whole, restored = Shard(made, made.reasoner()), Shard(made, made.reasoner())
    removed = 0
    for at in range(40):
        some = [(at + choose.randrange(2), member(choose.choice(CLASSES), choose.choice(INDIVIDUALS)))]
        restored = Shard.restore(made, restored.saved())
        expected = processed(whole, rows(*some), at or None)
        removed += sum(each.change == -1 for each in expected)
        assert sorted(processed(restored, rows(*some), at or None)) == sorted(expected)
        assert restored.next_timer == whole.next_timer
    assert removed > 20


NUMBER, TEXT = pa.field("extra", pa.int64()), pa.field("extra", pa.string())
HEADERS = pa.field("headers", pa.list_(pa.struct([("key", pa.string()), ("value", pa.binary())])))
CARRIED = [(), (NUMBER,), (TEXT,), (HEADERS, NUMBER), (TEXT, HEADERS), (NUMBER, HEADERS)]


def test_held_rows_keep_the_carried_columns_that_a_later_run_has_with_equal_types():
    values = {NUMBER: 5, TEXT: "x", HEADERS: [{"key": "k", "value": b"v"}]}
    for before, after in product(CARRIED, CARRIED):
        first, later = (replace(setup(holds=True), carried=pa.schema(each)) for each in (before, after))
        given = rows((7, member(A, a)))
        for field in before:
            given = given.append_column(field, pa.array([values[field]], field.type))
        one = Shard(first, first.reasoner())
        processed(one, given, None)
        restored = Shard.restore(later, one.saved())
        (held,) = restored.held.to_pylist()
        assert {name: held[name] for name in later.carried.names} == {
            field.name: values[field] if field in before else None for field in after
        }
        assert changes(processed(restored, later.rows.empty_table(), 9)) == [(7, a, "A", 1)]


def test_a_shard_is_not_restored_for_another_window_key_or_number_of_shards():
    saved = shard().saved()
    asking = setup(query="SELECT ?x { ?x a ?c }")
    for other in (setup(window=Window(4)), setup(shards=5), setup(rules=[SUBCLASS[0]]), asking):
        with pytest.raises(CheckpointMismatchError):
            Shard.restore(other, saved)


RULES = [
    Rule("joined", (is_a(A, x), related(IN, x, y)), is_a(B, y)),
    Rule("not both", (is_a(B, y), related(IN, x, y), is_a(EX.C, x)), None),
    Rule("told", (related(R, x, y),), related(S, y, x)),
]
PLACES = [(name, IN, EX[f"building{number % 2}"]) for number, name in enumerate((*INDIVIDUALS, EX.d, EX.e))]


QUERIES = {
    "SELECT ?x ?y { ?x a :B . ?z :inBuilding ?x OPTIONAL { ?z :R ?y } }": ("x", "y"),
    "SELECT ?h (COUNT(?x) AS ?many) { ?x a :A ; :inBuilding ?h } GROUP BY ?h": ("h", "many"),
    "SELECT ?x { ?x a :C FILTER NOT EXISTS { ?x :R ?y } }": ("x",),
    "SELECT DISTINCT ?h { ?x :R ?y ; :inBuilding ?h }": ("h",),
}


def routed(made, last, seed):
    """A model and shards that get the same rows, at each time the model's update and the shards' changes."""
    router = Router(Routing.of(made.report, IN), made.shards)
    shards = [Shard(made, made.reasoner()) for _ in range(made.shards)]
    one, choose = StreamReasoner(made.ontology, Window(3)), random.Random(seed)
    for at in range(1, last):
        who = [choose.choice((*INDIVIDUALS, EX.d, EX.e, EX.unknown)) for _ in range(4)]
        abox = [member(choose.choice((A, EX.C)), name) for name in who[:2]] + [(who[2], R, who[3])]
        update = one.push(at, abox)
        parts = routed_rows(router, [normalized([(at, triple) for triple in abox])])
        found = []
        for number, each in enumerate(shards):
            found += processed(each, parts.get(number, NO_ROWS), at)
            if made.query is not None:
                shards[number] = Shard.restore(made, each.saved())
        yield one, update, found


def test_routed_rows_make_shards_that_hold_what_one_model_holds():
    made = setup(RULES, key=IN, shards=3, background=PLACES)
    always, sums, cut = made.reasoner().materialization(), {}, 0
    for one, update, found in routed(made, 60, seed=5):
        cut += len(update.repair.removed)
        for change in found:
            fact = tuple(map(parse_term, change.terms))
            sums[fact] = sums.get(fact, 0) + change.change
        assert {fact for fact, total in sums.items() if total > 0} == one.materialization() - always
    assert cut > 10


@pytest.mark.parametrize("query", QUERIES)
def test_the_changes_of_answers_add_up_to_what_one_model_answers_at_each_time(query):
    query, names = f"PREFIX : <{EX}> {query}", QUERIES[query]
    made = setup(RULES, key=IN, shards=3, background=PLACES, query=query, names=names)
    sums, met = Counter(), 0
    for one, _, found in routed(made, 25, seed=6):
        for change in found:
            sums[change.terms] += change.change
        answers = one.query(query).rows
        texts = (tuple(None if term is None else write_term(term) for term in row) for row in answers)
        assert +sums == sums and +sums == Counter(texts)
        met += len(answers)
    assert met > 10 and len(sums) > 1


def test_of_late_rows_a_shard_that_is_asked_tells_how_many_they_are():
    one = shard(query=f"SELECT ?x ?y {{ ?x a <{A}> OPTIONAL {{ ?x <{R}> ?y }} }}", names=("x", "y"))
    assert processed(one, rows((5, member(A, a))), None) == [(5, (a.n3(), None), 1)]
    assert processed(one, rows((4, member(A, b)), (5, (a, R, b))), None) == [
        (4, (None, None), 0),
        (5, (a.n3(), None), -1),
        (5, (a.n3(), b.n3()), 1),
    ]
    assert processed(one, NO_ROWS, 9) == [(9, (a.n3(), b.n3()), -1)]


def asking(**queries):
    """A setup with registered queries of one variable each."""
    ontology = Ontology.from_rules([])
    report = ontology.sharding_report(keys=["subject"])
    options, names = Options(Window(5)), ("query", "value1", "value2")
    return ShardSetup(
        ontology, options, TimeKind.INTEGER, "subject", 4, report, False, queries=queries, names=names
    )


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

    assert told(processed(one, rows((1, member(A, a))), None)) == [
        (1, "now", "a", 1),
        (1, "short", "a", 1),
    ]
    #  at: 1 2 | 3 4 | 5 6 |     closed: (0, 2] has a, (2, 4] has nothing
    assert one.next_timer == 3  # the first tick after (0, 2], and the first at which `short` loses a
    assert told(processed(one, NO_ROWS, 2)) == []
    assert told(processed(one, NO_ROWS, 3)) == [(3, "short", "a", -1), (2, "closed", "a", 1)]
    assert one.next_timer == 5  # what `closed` has reported has gone, and is not reported again
    assert told(processed(one, NO_ROWS, 5)) == []
    assert one.next_timer == 7
    assert told(processed(one, NO_ROWS, 60)) == [(7, "now", "a", -1)]
    assert one.next_timer is None
    assert told(processed(one, rows((7, member(A, a))), 60)) == [
        (7, name, None, 0) for name in ("now", "short", "closed")
    ]


def test_windows_that_close_to_the_left_and_skip_times_are_looked_at_when_they_have_closed():
    hourly = Registration(MEMBERS, Window(2, 4, closed="left"), "close")
    made = asking(hourly=hourly)
    one = Shard(made, made.reasoner())
    assert processed(one, rows((1, member(A, b))), None) == []
    assert one.next_timer == 7  # [2, 4) does not hold it, the reasoner does until 6
    processed(one, rows((2, member(A, a))), None)
    assert one.next_timer == 4
    assert processed(one, NO_ROWS, 4) == [(4, ("hourly", a.n3(), None), 1)]
    assert one.next_timer == 7
    found = [change for look in (7, 8) for change in processed(one, NO_ROWS, look)]
    assert found == [(8, ("hourly", a.n3(), None), -1)] and one.next_timer is None


def test_what_is_pending_in_a_shard_is_saved_with_it_and_other_queries_are_refused():
    closes = Registration(MEMBERS, EVERY_TWO, "close")
    made = asking(closed=closes)
    one = Shard(made, made.reasoner())
    processed(one, rows((1, member(A, a))), None)
    again = Shard.restore(made, one.saved())
    assert again.next_timer == one.next_timer == 3
    assert processed(again, NO_ROWS, 3) == processed(one, NO_ROWS, 3) == [(2, ("closed", a.n3(), None), 1)]
    for other in (
        asking(closed=closes._replace(emit="istream")),
        asking(another=closes),
        asking(closed=closes, another=closes),
    ):
        with pytest.raises(CheckpointMismatchError, match="queries"):
            Shard.restore(other, one.saved())
    more = {"b": closes, "a": Registration(MEMBERS)}
    saved = Shard(asking(**more), asking(**more).reasoner()).saved()
    Shard.restore(asking(**dict(sorted(more.items()))), saved)  # in any order


def test_a_shipped_value_is_unpickled_once_in_a_process():
    shipped = SharedValue(Ontology.from_rules([]))
    copies = [pickle.loads(pickle.dumps(shipped)) for _ in range(2)]
    assert copies[0].value is copies[1].value
    assert SharedValue(copies[0].value).name != shipped.name
