"""One thread pushes, others look: each sees one state or the next, never something between."""

import threading

import pytest
from rdflib import RDF, Namespace, Variable

from pantarhei import Ontology, StreamReasoner, Window
from pantarhei.language.rule import Atom, Rule

EX = Namespace("http://example.org/")
x, y = Variable("x"), Variable("y")
RULES = [
    Rule("cax-sco", (Atom(EX.Hot, (x,)),), Atom(EX.Warm, (x,))),
    Rule("prp-inv1", (Atom(EX.inRoom, (x, y)),), Atom(EX.holds, (y, x))),
    Rule("cax-dw", (Atom(EX.Hot, (x,)), Atom(EX.Cold, (x,))), None),
]


@pytest.mark.timeout(60)
def test_looking_while_another_thread_pushes():
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
