"""What a step's reports say of each query is made when somebody looks, and stays that of its step."""

import pickle

import pytest
from rdflib import RDF, Graph, URIRef

import pantarhei as pr
from pantarhei import InvalidTripleError, StreamReasoner, Window
from pantarhei.query.answer_reports import AnswerChange

EX = "http://example.org/"
ALL = f"PREFIX : <{EX}> SELECT ?x {{ ?x a :A }}"
OTHERS = ALL.replace(":A", ":B")


def a(name, class_="A"):
    return (URIRef(EX + name), RDF.type, URIRef(EX + class_))


@pytest.fixture
def reasoner():
    data = f"@prefix : <{EX}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . :A a owl:Class ."
    return StreamReasoner(pr.load_ontology(Graph().parse(data=data)), Window(range=2))


@pytest.fixture
def made(monkeypatch):
    """Of which queries changes have been made."""
    known, make = [], AnswerChange.of
    monkeypatch.setattr(AnswerChange, "of", lambda *given: (known.append(given[0]), make(*given))[1])
    return known


def rows(counter):
    return sorted(str(row[0]).removeprefix(EX) for row in counter.elements())


def test_nothing_is_made_of_a_step_at_which_nobody_looks(reasoner, made):
    query = reasoner.register(ALL)
    updates = [reasoner.push(at, [a(f"x{at}")]) for at in (1, 2, 3)]
    assert made == []
    assert len(updates[1].answers) == 1 and made == [2]
    assert updates[1].answers[query] is updates[1].answers["query-1"] and made == [2]


def test_who_follows_a_query_hears_of_it_without_looking_at_the_update(reasoner):
    heard = []
    reasoner.register(ALL).subscribe(lambda change: heard.append(rows(change.added)))
    reasoner.register(OTHERS)
    reasoner.push(1, [a("x"), a("y", "B")])
    reasoner.push(2, [a("z", "B")])
    assert heard == [["x"]]


def test_what_is_looked_at_late_is_that_of_its_step(reasoner):
    query, other = reasoner.register(ALL), reasoner.register(OTHERS, "other")
    first = reasoner.push(1, [a("x"), a("y", "B")])
    saved = pickle.dumps(first.answers)
    for at in range(2, 9):
        reasoner.push(at, [a(f"x{at}"), a(f"y{at}", "B")])
    other.close()
    again = reasoner.register(ALL, "other")
    with pytest.raises(InvalidTripleError), reasoner.all_or_nothing():
        reasoner.push(9, [a("z")])
        reasoner.push(10, 7)
    for answers in (first.answers, pickle.loads(saved)):
        assert len(answers) == 2 and rows(answers[query].added) == ["x"]
        assert rows(answers["other"].added) == ["y"] and not answers["other"].removed
    assert list(first.answers) == [query, other] and again not in list(first.answers)


def test_an_update_of_a_block_that_fails_keeps_what_it_said(reasoner):
    query = reasoner.register(ALL)
    with pytest.raises(InvalidTripleError), reasoner.all_or_nothing(each_step=True):
        update = reasoner.push(1, [a("x")])
        reasoner.push(2, 7)
    assert rows(update.answers[query].added) == ["x"] and not query.answers
    assert rows(reasoner.push(1, [a("y")]).answers[query].added) == ["y"]


def test_a_step_that_fails_says_nothing_in_the_block_that_goes_on(reasoner):
    query, closing = reasoner.register(ALL), reasoner.register(OTHERS, on="close", window=Window(2, slide=1))
    with reasoner.all_or_nothing():
        reasoner.push(1, [a("x"), a("y", "B")])
        with pytest.raises(InvalidTripleError):
            reasoner.push(2, 7)
        last = reasoner.push(2, [a("z")])
    assert rows(last.answers[query].added) == ["x", "z"]
    assert [report.at for report in last.answers[closing].reports] == [1]


def test_a_query_closed_inside_a_block_is_not_in_what_the_block_says(reasoner):
    query, other = reasoner.register(ALL, on="close", window=Window(2, slide=1)), reasoner.register(OTHERS)
    with reasoner.all_or_nothing():
        reasoner.push(1, [a("x"), a("y", "B")])
        reasoner.push(2, [a("z")])
        query.close()
        last = reasoner.push(3, [a("y", "B")])
    assert list(last.answers) == [other]
