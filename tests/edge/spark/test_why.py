"""Why and why not, asked of a query that runs on Spark: what one reasoner says, also after a restart."""

import threading
import time

import pytest

from pantarhei import History, Ontology, OptionError, StreamReasoner, Window
from pantarhei.errors import EntailedError, InvalidTripleError, NotEntailedError, SparkError, TimestampError
from pantarhei.model.rule import Different, Rule
from pantarhei.spark import reason_stream
from spark_streams import NOW, SCHEMA, Folder, rows_of
from strategies import EX, A, B, C, D, R, S, is_a, member, related, x, y, z

IN, NEAR = EX.inBuilding, EX.near
ROOMS = [EX[f"room{number}"] for number in range(8)]
BUILDINGS = [EX[f"building{number}"] for number in range(4)]
BACKGROUND = [
    *((room, IN, BUILDINGS[number % 4]) for number, room in enumerate(ROOMS)),
    *((ROOMS[number], NEAR, ROOMS[number + 4]) for number in range(4)),
]
ALARMED, CLEAR = EX.Alarmed, EX.Clear
RULES = [
    Rule("alarm", (is_a(A, x), related(NEAR, x, y), is_a(B, y)), is_a(C, x)),
    Rule("alarmed", (is_a(C, x), related(IN, x, y)), is_a(ALARMED, y)),
    Rule("cleared", (is_a(D, x), related(IN, x, y)), is_a(CLEAR, y)),
    Rule("not both", (is_a(ALARMED, x), is_a(CLEAR, x)), None),
    Rule("one value", (related(R, x, y), related(R, x, z)), None, (Different(y, z),)),
    Rule("told", (related(R, x, y),), related(S, y, x)),
    Rule("known", (related(R, x, y),), is_a(EX.Known, y)),
]
ONTOLOGY = Ontology.from_rules(RULES)
STREAM = [
    (1, [member(A, ROOMS[0]), (ROOMS[0], R, EX.low), member(A, ROOMS[1])]),
    (2, [member(B, ROOMS[4]), (ROOMS[5], R, EX.low)]),
    (3, [(ROOMS[0], R, EX.high), member(B, ROOMS[5])]),
    (4, [member(D, ROOMS[1]), (ROOMS[4], R, EX.low)]),
]
LATER = [(5, [member(B, ROOMS[5]), member(A, ROOMS[2])]), (6, [member(A, ROOMS[3]), (ROOMS[1], R, EX.high)])]
SHARDED = {"shard_by": IN, "shards": 3, "sink": lambda rows, batch: rows.collect()}


def follow(spark, folder, sharded=False, ends=True, **options):
    """The query over the files of a folder."""
    options = {**(SHARDED if sharded else {}), **({"trigger": NOW} if ends else {}), **options}
    query = reason_stream(folder.stream(spark, SCHEMA), ONTOLOGY, Window(4), background=BACKGROUND, **options)
    if ends:
        query.await_termination()
    return query


def one_reasoner(stream, **options):
    """A reasoner that has seen all of a stream."""
    reasoner = StreamReasoner(ONTOLOGY, Window(4), BACKGROUND, **options)
    for at, abox in stream:
        reasoner.push(at, abox)
    return reasoner


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "in")
    for at, abox in STREAM:
        made.write(rows_of([(at, abox)]))
    return made


ABSENT = [
    member(ALARMED, BUILDINGS[1]),
    member(ALARMED, BUILDINGS[2]),
    (EX.high, S, ROOMS[5]),
    member(A, EX.attic),
]


def told(asked, facts):
    """What is said of some facts, of some that do not hold, and of all, as texts."""
    texts = [str(asked.explain(fact)) for fact in facts]
    texts += [str(proof) for fact in facts[:2] for proof in asked.explain(fact, all=True)]
    return [*texts, *(str(asked.why_not(triple)) for triple in ABSENT), str(asked.quality())]


def chosen(reasoner):
    """Some of the facts that follow from a stream."""
    return sorted(reasoner.materialization() - one_reasoner([]).materialization())[::8]


@pytest.mark.parametrize("sharded", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_query_says_what_one_reasoner_says_and_the_same_after_a_restart(spark, tmp_path, folder, sharded):
    options = {"sharded": sharded, "checkpoint": tmp_path / "state", "history": History(steps=9)}
    one = one_reasoner(STREAM)
    expected = told(one, chosen(one))
    assert told(follow(spark, folder, **options), chosen(one)) == expected
    assert told(follow(spark, folder, **options), chosen(one)) == expected  # gone on with, and nothing came
    for at, abox in LATER:
        folder.write(rows_of([(at, abox)]))
        one.push(at, abox)
    assert told(follow(spark, folder, **options), chosen(one)) == told(one, chosen(one))


@pytest.mark.long
def test_shards_that_each_hold_a_fact_give_the_best_proof_of_all_and_every_support(spark, folder):
    query, one, known = follow(spark, folder, sharded=True), one_reasoner(STREAM), member(EX.Known, EX.low)
    assert query.explain(known) == one.explain(known)
    assert query.explain(known).timestamp == 4
    proofs = query.explain(known, all=True)
    assert [proof.timestamp for proof in proofs] == [4, 2]  # of two buildings
    assert {proof.supports for proof in proofs} == {proof.supports for proof in one.explain(known, all=True)}


@pytest.mark.long
def test_what_contradicts_in_all_shards_is_told_where_nothing_is_repaired(spark, folder):
    folder.write(rows_of([(4, [(ROOMS[5], R, EX.high), (ROOMS[2], R, EX.low), (ROOMS[2], R, EX.high)])]))
    query = follow(spark, folder, sharded=True, repair="off")
    one = one_reasoner(STREAM, repair="off")
    one.push(4, [(ROOMS[5], R, EX.high), (ROOMS[2], R, EX.low), (ROOMS[2], R, EX.high)])
    assert sorted(map(str, query.conflicts())) == sorted(map(str, one.conflicts()))
    assert len(query.conflicts()) > 2
    assert query.conflicts()[0].proofs


@pytest.mark.long
def test_before_the_first_batch_is_saved_shards_know_the_background_alone(spark, tmp_path):
    stream, said = Folder(tmp_path / "in"), []

    def sink(rows, batch):
        rows.collect()
        said.append((query.quality().at, query.conflicts()))

    query = follow(spark, stream, sharded=True, ends=False, sink=sink)
    try:
        inside = (ROOMS[0], IN, BUILDINGS[0])
        assert query.explain(inside).background == {inside}
        with pytest.raises(NotEntailedError, match="does not hold: why_not"):
            query.explain(member(A, ROOMS[0]))
        stream.write(rows_of(STREAM))
        query.process_all_available()
        assert said[0] == (None, ())
        assert query.explain(member(A, ROOMS[0])).timestamp == 1
    finally:
        query.stop()


@pytest.mark.parametrize("sharded", [False, pytest.param(True, marks=pytest.mark.long)])
def test_a_question_that_has_no_answer_is_an_error_of_the_reasoner(spark, folder, sharded):
    query = follow(spark, folder, sharded=sharded)
    for triple, options, error in (
        (member(A, ROOMS[3]), {}, NotEntailedError),
        (member(EX.Unheard, EX.nobody), {}, NotEntailedError),
        (member(EX.Known, EX.nobody), {}, NotEntailedError),
        (member(B, ROOMS[4]), {"limit": 0}, OptionError),
        (member(B, ROOMS[4]), {"at": 99}, TimestampError),
        ("no triple", {}, InvalidTripleError),
    ):
        with pytest.raises(error):
            query.explain(triple, **options)
    with pytest.raises(EntailedError):
        query.why_not(member(EX.Known, EX.low))
    with pytest.raises(EntailedError):
        query.why_not(member(B, ROOMS[4]))


def test_threads_ask_while_batches_come(spark, tmp_path):
    stream, answers, failures = Folder(tmp_path / "in"), set(), []
    stream.write(rows_of(STREAM[:2]))
    query = follow(spark, stream, ends=False)
    query.process_all_available()
    ended = threading.Event()

    def ask():
        try:
            while not ended.is_set():
                answers.add(str(query.explain(member(EX.Known, EX.low))))
                query.why_not(member(ALARMED, BUILDINGS[2]))
                query.quality()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    expected = str(one_reasoner(STREAM).explain(member(EX.Known, EX.low)))
    try:
        for at, abox in [*STREAM[2:], *LATER]:
            stream.write(rows_of([(at, abox)]))
            query.process_all_available()
            if at == STREAM[-1][0]:  # before more comes, the threads may need a while to ask
                wait_until(lambda: expected in answers or failures)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
        query.stop()
    assert not failures
    assert expected in answers


def wait_until(holds, seconds=60):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)


def test_within_a_batch_the_window_is_told_of_as_it_is_then(spark, tmp_path):
    stream, said, triple = Folder(tmp_path / "in"), [], (EX.high, S, ROOMS[0])
    stream.write(rows_of(STREAM))

    def on_update(update, reasoner):
        said.append(str(reasoner.why_not(triple) if update.at < 3 else reasoner.explain(triple)))

    query = follow(spark, stream, on_update=on_update)
    expected = [one_reasoner(STREAM[:2]).why_not(triple), one_reasoner(STREAM).explain(triple)]
    assert said[1::2] == list(map(str, expected))
    assert str(query.explain(triple)) == said[-1]


@pytest.mark.long
def test_a_job_that_fails_is_one_error_of_one_line(spark, tmp_path, folder):
    query = follow(spark, folder, sharded=True, checkpoint=tmp_path / "state")
    for file in (tmp_path / "state" / "state").rglob("*.zip"):
        file.unlink()
    with pytest.raises(SparkError) as failure:
        query.explain(member(B, ROOMS[4]))
    assert "\n" not in str(failure.value)


def test_a_history_with_a_sink_is_refused_with_shards(spark, folder):
    with pytest.raises(OptionError, match="history"):
        follow(spark, folder, sharded=True, history=History(sink=print))
