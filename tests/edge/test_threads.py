"""Threads: several ask one ontology at once; one pushes to a reasoner at which others look."""

import copy
import pickle
import threading

import pytest
from rdflib import RDF, RDFS, Graph, Namespace, Variable

import threads
from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.model.rule import Atom, Rule
from pantarhei.ontology.ontology import load_ontology
from threads import run

EX = Namespace("http://example.org/")
CLASSES = 30
QUESTIONS = [(i, j) for i in range(0, CLASSES, 4) for j in range(0, CLASSES, 5)]


def chain_of_classes():
    """C0 ⊑ C1 ⊑ …, with an instance of each fifth and a property that makes names equal."""
    graph = Graph().parse(
        data="""
        @prefix : <http://example.org/> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
        :p a owl:ObjectProperty , owl:FunctionalProperty . :a :p :b , :c .
        """,
        format="turtle",
    )
    for i in range(CLASSES - 1):
        graph.add((EX[f"C{i}"], RDFS.subClassOf, EX[f"C{i + 1}"]))
    for i in range(0, CLASSES, 5):
        graph.add((EX[f"i{i}"], RDF.type, EX[f"C{i}"]))
    return load_ontology(graph)


def ask(ontology, i, j):
    """Whether C_i ⊑ C_j, also where the predicate asked about beside it is new."""
    question = [(EX[f"C{i}"], RDFS.subClassOf, EX[f"C{j}"])]
    if (i + j) % 3 == 0:
        question.append((EX[f"new{i}x{j}"], RDFS.subClassOf, EX[f"new{i}x{j}"]))
    return ontology.entails(question)


@pytest.fixture
def quick_switches():
    with threads.quick_switches():
        yield


@pytest.mark.timeout(60)
def test_threads_that_ask_at_once_get_right_answers(quick_switches):
    ontology = chain_of_classes()
    answers = [{} for _ in range(4)]

    def work(k):
        for i, j in QUESTIONS[k::2] + QUESTIONS[: 10 * k]:
            answers[k][i, j] = ask(ontology, i, j)

    assert run([lambda k=k: work(k) for k in range(4)]) == []
    wrong = {(i, j) for found in answers for (i, j), answer in found.items() if answer is not (i <= j)}
    assert wrong == set()
    assert sum(map(len, answers)) > len(QUESTIONS)
    assert ontology._closure._assumptions == []


@pytest.mark.timeout(60)
def test_questions_and_the_schema_do_not_meet(quick_switches):
    ontology = chain_of_classes()
    expected = chain_of_classes().schema
    schemas, wrong = [], []

    def look():
        schemas.append(ontology.schema)

    def question():
        wrong.extend((i, j) for i, j in QUESTIONS[::3] if ask(ontology, i, j) is not (i <= j))

    assert run([look, question, look, question]) == []
    assert wrong == []
    assert schemas == [expected, expected]


@pytest.mark.timeout(60)
def test_reports_are_made_while_others_ask(quick_switches):
    ontology = chain_of_classes()
    expected = str(chain_of_classes().report())
    reports = []
    works = [lambda: reports.append(str(ontology.report())), lambda: ask(ontology, 0, 5)] * 2
    assert run(works) == []
    assert reports == [expected, expected]


@pytest.mark.parametrize("duplicate", [lambda o: pickle.loads(pickle.dumps(o)), copy.copy, copy.deepcopy])
def test_a_copy_of_an_ontology_that_was_asked_answers(duplicate):
    ontology = chain_of_classes()
    assert ontology.schema.superclasses
    assert ask(ontology, 3, 7)
    again = duplicate(ontology)
    assert again == ontology
    assert again.schema == ontology.schema
    for asked in (again, ontology):
        assert ask(asked, 3, 7)
        assert not ask(asked, 7, 3)
    assert again._lock is not ontology._lock


@pytest.mark.timeout(60)
def test_an_ontology_pickles_while_it_is_asked(quick_switches):
    ontology = chain_of_classes()
    copies = []

    def question():
        for i, j in QUESTIONS[::4]:
            ask(ontology, i, j)

    def pack():
        copies.extend(pickle.loads(pickle.dumps(ontology)) for _ in range(5))

    assert run([question, pack, question]) == []
    assert all(each == ontology for each in copies)
    assert ask(copies[-1], 3, 7)
    assert not ask(copies[-1], 7, 3)


def test_an_error_in_a_question_lets_the_next_thread_ask():
    ontology = chain_of_classes()

    def fail():
        with pytest.raises(ValueError):
            ontology.entails([(EX.a, RDFS.subClassOf, "no term")])

    run([fail])
    answers = []
    assert run([lambda: answers.append(ask(ontology, 1, 2))]) == []
    assert answers == [True]


# -- a reasoner ----

x, y = Variable("x"), Variable("y")
RULES = [
    Rule("cax-sco", (Atom(EX.Hot, (x,)),), Atom(EX.Warm, (x,))),
    Rule("prp-inv1", (Atom(EX.inRoom, (x, y)),), Atom(EX.holds, (y, x))),
    Rule("cax-dw", (Atom(EX.Hot, (x,)), Atom(EX.Cold, (x,))), None),
]


@pytest.mark.timeout(60)
def test_looking_while_another_thread_pushes():
    """Each look sees one state or the next, never something between."""
    reasoner = StreamReasoner(Ontology.from_rules(RULES), Window(3))
    done, errors, looked = threading.Event(), [], 0

    def look():
        nonlocal looked
        try:
            while not done.is_set():
                hot = set(reasoner.graph.subjects(RDF.type, EX.Hot))
                for room in list(reasoner.graph.objects(None, EX.inRoom))[:3]:
                    list(reasoner.graph.objects(room, EX.holds))
                facts = reasoner.materialization()
                assert {s for s, _, o in facts if o == EX.Hot} == {s for s, _, o in facts if o == EX.Warm}
                assert reasoner.assertions() is not None and len(reasoner.graph) >= 0 and hot is not None
                looked += 1
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for at in range(60):
            kinds = [EX.Hot if (at + i) % 3 else EX.Cold for i in range(200)]
            abox = [(EX[f"s{at * 50 + i}"], RDF.type, kind) for i, kind in enumerate(kinds)]
            abox += [(EX[f"s{at * 50 + i}"], EX.inRoom, EX[f"r{i % 7}"]) for i in range(200)]
            reasoner.push(at, abox)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert not errors
    assert looked
    reasoner._held.model.kernel.check_invariants()
