"""Answers are brought up to date when somebody looks, or when much waits: each time to what they are."""

import pytest
from rdflib import RDF, Graph, Literal, URIRef

import pantarhei as pr
from interrupting import interrupted
from pantarhei import StreamReasoner, Window
from pantarhei.query.continuous import BYTES_A_ROW
from pantarhei.query.incremental import audiences

EX = "http://example.org/"
ALL = f"PREFIX : <{EX}> SELECT ?x ?v {{ ?x a :A ; :v ?v }}"
ONE = f"PREFIX : <{EX}> SELECT ?x {{ ?x :in :NAME }}"


def of(name, value=1):
    one = URIRef(EX + name)
    return [(one, RDF.type, URIRef(EX + "A")), (one, URIRef(EX + "v"), Literal(value))]


@pytest.fixture
def reasoner():
    return StreamReasoner(pr.load_ontology(Graph()), Window(range=2))


def kept(query):
    """What it holds of its answers, without looking at them."""
    return len(query._answering.registered.reported)


def names(query):
    return sorted(str(row[0]).removeprefix(EX) for row in query.answers)


def test_changes_wait_until_somebody_looks(reasoner):
    query = reasoner.register(ALL)
    for at in range(4):
        reasoner.push(at, of(f"x{at}"))
    assert kept(query) == 0
    assert len(query.answers) == 3 and kept(query) == 3
    assert names(query) == ["x1", "x2", "x3"]


def test_many_rows_do_not_wait(reasoner):
    query = reasoner.register(ALL)
    reasoner.push(0, [fact for i in range(audiences._FEW + 1) for fact in of(f"x{i}")])
    assert kept(query) == audiences._FEW + 1
    waiting = reasoner._registrar._registry.reporting.rows_waiting
    reasoner.push(1, of("y"))
    assert (waiting, reasoner._registrar._registry.reporting.rows_waiting) == (0, 1)


def test_rows_that_wait_are_counted_as_held(reasoner):
    reasoner.register(ALL)
    before = reasoner._registrar._registry.bytes_used
    reasoner.push(0, [fact for i in range(100) for fact in of(f"x{i}")])
    waiting = reasoner._registrar._registry.bytes_used
    assert waiting >= before + 100 * BYTES_A_ROW
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, [fact for i in range(100) for fact in of(f"y{i}")])
        assert reasoner._registrar._registry.bytes_used >= waiting + 100 * BYTES_A_ROW
        raise ZeroDivisionError
    assert reasoner._registrar._registry.bytes_used == waiting


def test_who_shares_a_plan_is_brought_up_to_date_whoever_looks(reasoner):
    queries = [reasoner.register(ONE.replace("NAME", name)) for name in ("lab", "hall", "lab")]
    for at, name in enumerate(("lab", "hall", "lab")):
        reasoner.push(at, [(URIRef(f"{EX}x{at}"), URIRef(EX + "in"), URIRef(EX + name))])
    assert [kept(query) for query in queries] == [0, 0, 0]
    assert names(queries[1]) == ["x1"]
    assert [kept(query) for query in queries] == [2, 1, 2]
    assert names(queries[0]) == names(queries[2]) == ["x0", "x2"]


@pytest.mark.parametrize("looks", [False, True])
def test_what_is_undone_was_never_there_whether_or_not_somebody_looked(reasoner, looks):
    query = reasoner.register(ALL)
    reasoner.push(0, of("x"))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, of("y"))
        assert not looks or names(query) == ["x", "y"]
        reasoner.push(2, of("z"))
        raise ZeroDivisionError
    reasoner.push(1, of("w"))
    assert names(query) == ["w", "x"]


def test_one_that_is_registered_or_closed_later_finds_all_up_to_date(reasoner):
    first = reasoner.register(ALL)
    reasoner.push(0, of("x"))
    second = reasoner.register(ALL)
    reasoner.push(1, of("y"))
    first.close()
    reasoner.push(2, of("z"))
    assert (names(first), names(second)) == (["x", "y"], ["x", "y", "z"])


def test_a_query_closed_inside_a_block_keeps_its_answers_though_the_block_is_undone(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(ALL)
    reasoner.push(0, of("x"))
    with pytest.raises(ZeroDivisionError), reasoner.all_or_nothing(each_step=True):
        reasoner.push(1, of("y"))
        query.close()
        raise ZeroDivisionError
    assert (names(query), names(other)) == (["x", "y"], ["x"])


def test_a_closed_query_keeps_its_answers_when_terms_are_forgotten(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(ALL)
    for at in range(5):
        reasoner.push(at, of(f"x{at}", at / 3))
    query.close()
    before = dict(query.answers)
    reasoner._held.most_entries = 0
    for at in range(5, 9):
        reasoner.push(at, of(f"y{at}", at / 3))
    assert dict(query.answers) == before != {}
    assert names(other) == ["y6", "y7", "y8"]


def test_answers_are_those_that_they_are_wherever_looking_at_them_was_interrupted(reasoner):
    query, nth, going = reasoner.register(ALL), 0, True
    while going:
        nth += 1
        reasoner.push(nth, of(f"x{nth}"))
        going = interrupted(
            lambda: len(query.answers), nth, lambda file: file == audiences.__file__ or "journal" in file
        )
        assert names(query) == sorted(f"x{at}" for at in range(max(1, nth - 2), nth + 1))
    assert nth > 10
