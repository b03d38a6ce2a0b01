"""Proofs of conclusions as they are written: steps in order, times and terms, nothing told twice."""

from rdflib import RDF, Graph, Literal, Variable

import pantarhei as pr
from pantarhei.model.temporal_rule import Mode, TemporalAtom
from pantarhei.proofs.proof import Proof, ProofStep
from pantarhei.proofs.temporal import Concluded, Condition, Known, Said
from pantarhei.temporal.reasons.evidence import Atom, Evidence
from pantarhei.temporal.reasons.missing import Missing
from pantarhei.temporal.reasons.occasions import Run
from pantarhei.temporal.reasons.writing import Sources, Told, proof_of
from testimonies import EX, a, reasoner_after, what_is_seen

HOT = (EX.v, RDF.type, EX.Hot)
UNKNOWN = Sources(holds=lambda _: None, asserted_at=lambda _, tick: None)


class Written:
    """Proofs over one rule, after two ticks that end at 0 and 2, of what is told in numbers."""

    def __init__(self, text="alarm(X) :- asserted :Hot(X) at least 2 times in [4]."):
        self.seen = what_is_seen(reasoner_after(text, "Hot", "Hot", range=2, slide=2))
        self.words, self.bodies = self.seen._words, self.seen._bodies()
        self.v = self.seen.vocabulary.number(EX.v)

    def atom(self, name, tick=1):
        return Atom(EX[name], (self.v,), tick)

    def instances(self, name):
        return list(self.bodies.concluding(self.atom(name)))

    def told(self, name, *leaves):
        (instance,) = self.instances(name)
        return Told(self.atom(name), instance, leaves)


def test_a_conclusion_comes_last_behind_the_condition_and_what_this_rests_on():
    written = Written()
    told = written.told("alarm", (Run(0, 0, Known.ASSERTED), Run(1, 1, Known.ASSERTED)))
    proof = proof_of([told], written.words, UNKNOWN, complete=True)
    first, second, condition, conclusion = proof.steps
    assert [(step.fact, step.at) for step in (first, second)] == [(HOT, 0), (HOT, 2)]
    assert (condition.fact, condition.premises) == (None, (0, 1))
    assert (condition.temporal.first, condition.temporal.last, condition.temporal.times) == (-6, 2, (0, 2))
    assert condition.temporal.atom == TemporalAtom(EX.Hot, (EX.v,), is_asserted=True)
    assert conclusion.fact == (EX.v, RDF.type, EX.alarm) and conclusion.premises == (2,)
    assert conclusion.temporal == Concluded(a("alarm"), 2, 2, ((Variable("X"), EX.v),))
    assert proof.complete


def test_an_assertion_has_the_time_at_which_it_was_made_where_that_is_known():
    written = Written("alarm(X) :- asserted :Hot(X).")
    sources = Sources(lambda _: None, lambda triple, tick: {(HOT, 1): 1}.get((triple, tick)))
    told = written.told("alarm", (Run(1, 1, Known.ASSERTED),))
    assert [step.at for step in proof_of([told], written.words, sources, True).steps] == [1, None]


def test_what_is_met_at_one_tick_needs_no_condition_and_is_told_once():
    written = Written("alarm(X) :- asserted :Hot(X), :Hot(X).")
    leaf = (Run(1, 1, Known.ASSERTED),)
    proof = proof_of([written.told("alarm", leaf, leaf)], written.words, UNKNOWN, True)
    assert [step.premises for step in proof.steps] == [(), (0, 0)]


def test_what_held_has_the_proof_of_the_window_now_and_its_ticks_before():
    written = Written("alarm(X) :- :Hot(X) in [4].")
    why = Proof((ProofStep((EX.v, RDF.type, EX.Boiling), at=2), ProofStep(HOT, premises=(0,))), True)
    sources = Sources({HOT: why}.get, lambda _, tick: None)
    (instance,) = written.instances("alarm")
    told = Told(written.atom("alarm"), instance, ((Run(0, 1, Known.HELD),),))
    steps = proof_of([told], written.words, sources, True).steps
    before, boiling, hot, condition, _ = steps
    assert before.temporal == Said(a("Hot"), 0, 0, Known.HELD)
    assert (boiling.fact, hot.fact, hot.premises) == ((EX.v, RDF.type, EX.Boiling), HOT, (1,))
    assert condition.premises == (0, 2)
    again = proof_of([told, told], written.words, sources, True).steps
    assert len(again) == len(steps)  # a proof of the window is included once


def test_a_conclusion_that_was_not_looked_into_is_open():
    written = Written()
    (step,) = proof_of([Told(written.atom("alarm"))], written.words, UNKNOWN, complete=False).steps
    assert step.is_open and step.temporal == Concluded(a("alarm"), 2, 2, ())


def test_what_is_negated_has_the_ticks_at_which_it_was_so():
    written = Written("alarm(X) :- :Hot(X), not :Hot(X) always in [8].")
    (instance,) = written.instances("alarm")
    told = Told(written.atom("alarm"), instance, ((Run(1, 1, Known.HELD),), ()))
    steps = proof_of([told], written.words, UNKNOWN, True).steps
    (condition,) = (step.temporal for step in steps if isinstance(step.temporal, Condition))
    assert condition.formula.is_negated and condition.formula.mode is Mode.ALWAYS
    assert (condition.first, condition.last, condition.times) == (-14, 2, (0, 2))


def test_what_is_lacking_has_variables_where_nothing_is_bound():
    written = Written("alarm(X) :- :on(X, Y) at T in [4], Y > 3.")
    (clause,) = written.bodies.clauses
    formula, binding = clause.rule.body[0], {Variable("X"): written.v}
    nothing = Evidence(formula, (written.v, -1), 0, 1, (), ())
    said = written.words.not_concluded(Missing(clause, binding, nothing, 0))
    assert str(said.lacking.formula) == str(
        pr.load_rules("a :- :on(:v, Y) at T in [4].", prefixes={"": str(EX)}).rules[0].body[0]
    )
    assert (said.lacking.first, said.lacking.last, said.lacking.times) == (0, 2, ())
    assert said.bindings == ((Variable("X"), EX.v),)
    (test,) = clause.tests
    assert written.words.not_concluded(Missing(clause, binding, test, 1)).lacking == "Y > 3"


def test_times_of_a_stream_are_told_as_it_writes_them():
    ontology = pr.load_ontology(Graph())
    rules = pr.load_rules("alarm(X) :- :Hot(X) at T in [0].", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=1.0, slide=0.5), temporal=rules)
    reasoner.push(1.5, [HOT])
    seen = what_is_seen(reasoner)
    assert seen._words.time(seen.data.tick) == 1.5
    (instance,) = seen._bodies().concluding(Atom(EX.alarm, (seen.vocabulary.number(EX.v),), seen.data.tick))
    assert seen._words.formula(instance.evidence[0]).time == Literal(1.5)
