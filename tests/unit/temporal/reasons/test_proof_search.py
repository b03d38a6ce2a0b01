"""Proofs of conclusions as they are written: steps in order, times and terms, nothing told twice."""

import json
import pickle

import pytest
from rdflib import RDF, Graph, Literal, Variable

import pantarhei as pr
from pantarhei.model.temporal_rule import Mode, TemporalAtom
from pantarhei.proofs.proof import Proof
from pantarhei.proofs.step import (
    Conclusion,
    EvidenceBasis,
    ObservedInterval,
    ProofStep,
    StepKind,
    TemporalCondition,
)
from pantarhei.temporal.reasons.body_matching import Evidence, TickAtom
from pantarhei.temporal.reasons.occurrence_intervals import TickRun
from pantarhei.temporal.reasons.proof_search import (
    DerivationGraph,
    InputProofs,
    ProofNode,
    UnmetClause,
    proof_of,
)
from proof_contexts import EX, a, proof_context, reasoner_after

HOT = (EX.v, RDF.type, EX.Hot)
UNKNOWN = InputProofs(holds=lambda _: None, asserted_at=lambda _, tick: None)


class Written:
    """Proofs over one rule, after two ticks that end at 0 and 2, of what is told in numbers."""

    def __init__(self, text="alarm(X) :- asserted :Hot(X) at least 2 times in [4]."):
        self.seen = proof_context(reasoner_after(text, "Hot", "Hot", range=2, slide=2))
        self.words, self.bodies = self.seen._decoder, self.seen._matcher()
        self.v = self.seen.vocabulary.number(EX.v)

    def atom(self, name, tick=1):
        return TickAtom(EX[name], (self.v,), tick)

    def instances(self, name):
        return list(self.bodies.concluding(self.atom(name)))

    def told(self, name, *leaves):
        (instance,) = self.instances(name)
        return ProofNode(self.atom(name), instance, leaves)


def test_a_conclusion_comes_last_behind_the_condition_and_what_this_rests_on():
    written = Written()
    told = written.told(
        "alarm", (TickRun(0, 0, EvidenceBasis.ASSERTED), TickRun(1, 1, EvidenceBasis.ASSERTED))
    )
    proof = proof_of([told], written.words, UNKNOWN, complete=True)
    first, second, condition, conclusion = proof.steps
    assert [(step.fact, step.at) for step in (first, second)] == [(HOT, 0), (HOT, 2)]
    assert (condition.fact, condition.premises) == (None, (0, 1))
    assert (condition.temporal.first, condition.temporal.last, condition.temporal.times) == (-6, 2, (0, 2))
    assert condition.temporal.atom == TemporalAtom(EX.Hot, (EX.v,), is_asserted=True)
    assert conclusion.fact == (EX.v, RDF.type, EX.alarm) and conclusion.premises == (2,)
    assert conclusion.temporal == Conclusion(a("alarm"), 2, 2, ((Variable("X"), EX.v),))
    assert proof.complete


def test_an_assertion_has_the_time_at_which_it_was_made_where_that_is_known():
    written = Written("alarm(X) :- asserted :Hot(X).")
    sources = InputProofs(lambda _: None, lambda triple, tick: {(HOT, 1): 1}.get((triple, tick)))
    told = written.told("alarm", (TickRun(1, 1, EvidenceBasis.ASSERTED),))
    assert [step.at for step in proof_of([told], written.words, sources, True).steps] == [1, None]


def test_what_is_met_at_one_tick_needs_no_condition_and_is_told_once():
    written = Written("alarm(X) :- asserted :Hot(X), :Hot(X).")
    leaf = (TickRun(1, 1, EvidenceBasis.ASSERTED),)
    proof = proof_of([written.told("alarm", leaf, leaf)], written.words, UNKNOWN, True)
    assert [step.premises for step in proof.steps] == [(), (0, 0)]


def test_what_held_has_the_proof_of_the_window_now_and_its_ticks_before():
    written = Written("alarm(X) :- :Hot(X) in [4].")
    why = Proof(
        (ProofStep((EX.v, RDF.type, EX.Boiling), at=2), ProofStep(HOT, premises=(0,))),
        True,
    )
    sources = InputProofs({HOT: why}.get, lambda _, tick: None)
    (instance,) = written.instances("alarm")
    told = ProofNode(written.atom("alarm"), instance, ((TickRun(0, 1, EvidenceBasis.HELD),),))
    steps = proof_of([told], written.words, sources, True).steps
    before, boiling, hot, condition, _ = steps
    assert before.temporal == ObservedInterval(a("Hot"), 0, 0, EvidenceBasis.HELD)
    assert (boiling.fact, hot.fact, hot.premises) == (
        (EX.v, RDF.type, EX.Boiling),
        HOT,
        (1,),
    )
    assert condition.premises == (0, 2)
    again = proof_of([told, told], written.words, sources, True).steps
    assert len(again) == len(steps)  # a proof of the window is included once


def test_a_conclusion_that_was_not_looked_into_is_open():
    written = Written()
    (step,) = proof_of([ProofNode(written.atom("alarm"))], written.words, UNKNOWN, complete=False).steps
    assert step.is_open and step.temporal == Conclusion(a("alarm"), 2, 2, ())


def test_what_is_negated_has_the_ticks_at_which_it_was_so():
    written = Written("alarm(X) :- :Hot(X), not :Hot(X) always in [8].")
    (instance,) = written.instances("alarm")
    told = ProofNode(written.atom("alarm"), instance, ((TickRun(1, 1, EvidenceBasis.HELD),), ()))
    steps = proof_of([told], written.words, UNKNOWN, True).steps
    (condition,) = (step.temporal for step in steps if isinstance(step.temporal, TemporalCondition))
    assert condition.formula.is_negated and condition.formula.mode is Mode.ALWAYS
    assert (condition.first, condition.last, condition.times) == (-14, 2, (0, 2))


def test_what_is_lacking_has_variables_where_nothing_is_bound():
    written = Written("alarm(X) :- :on(X, Y) at T in [4], Y > 3.")
    (clause,) = written.bodies.clauses
    formula, binding = clause.rule.body[0], {Variable("X"): written.v}
    nothing = Evidence(formula, (written.v, -1), 0, 1, (), ())
    said = written.words.unmet_rule(UnmetClause(clause, binding, nothing, 0))
    assert str(said.lacking.formula) == str(
        pr.load_rules("a :- :on(:v, Y) at T in [4].", prefixes={"": str(EX)}).rules[0].body[0]
    )
    assert (said.lacking.first, said.lacking.last, said.lacking.times) == (0, 2, ())
    assert said.bindings == ((Variable("X"), EX.v),)
    (test,) = clause.tests
    assert written.words.unmet_rule(UnmetClause(clause, binding, test, 1)).lacking == "Y > 3"


def test_times_of_a_stream_are_told_as_it_writes_them():
    ontology = pr.load_ontology(Graph())
    rules = pr.load_rules("alarm(X) :- :Hot(X) at T in [0].", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(ontology, pr.Window(range=1.0, slide=0.5), temporal=rules)
    reasoner.push(1.5, [HOT])
    seen = proof_context(reasoner)
    assert seen._decoder.time(seen.data.tick) == 1.5
    (instance,) = seen._matcher().concluding(
        TickAtom(EX.alarm, (seen.vocabulary.number(EX.v),), seen.data.tick)
    )
    assert seen._decoder.formula(instance.evidence[0]).time == Literal(1.5)


NO_AXIOMS = pr.load_ontology(Graph())
ALARMED = (EX.v, RDF.type, EX.alarmed)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (":Heated(X) always in [2]", ["always from 1 to 3: v is heated", "it was so at 1, 3"]),
        (
            ":Jammed(X) in [2], :Heated(X)",
            ["sometime from 1 to 3: v is jammed", "it was never so in that time"],
        ),
        (
            "asserted :Heated(X) at least 3 times in [2]",
            ["at least 3 times asserted from 1 to 3: v is heated", "it was so at 1, 3"],
        ),
        (
            ":Heated(X), not :Served(X) in [2]",
            ["never from 1 to 3: v is served", "it was so at 2"],
        ),
        (":Heated(X) at T in [3], T > 4", ["T > 4, where T = 3, X = v"]),
        (":Heated(X), :near(X, Y)", ["at 3: near(v, Y)", "it is not so"]),
    ],
)
def test_the_part_that_is_not_met_is_told_with_what_there_is_of_it(body, told):
    reasoner = after_classes(f"alarmed(X) :- {body}.", "Heated", "Heated", "Served", "Heated")
    absence = reasoner.why_not(ALARMED)
    lines = str(absence).splitlines()
    assert lines[0] == "It does not hold at 3 that v is alarmed."
    assert lines[1].startswith("By alarmed(X) :- ")
    condition, *times = told
    assert lines[2:] == [f"  it would be concluded if {condition}", *(f"  {each}" for each in times)]
    assert json.loads(json.dumps(absence.to_json()))["temporal"][0]["rule"] == "temporal-1"


def test_the_way_that_comes_furthest_is_told():
    text = "alarmed(X) :- asserted :on(X, P), :Heated(P) in [9], :Jammed(P) in [9]."
    reasoner = after_classes(text, "", "")
    reasoner.push(3, [(EX.v, EX.on, EX.a), (EX.v, EX.on, EX.b), (EX.b, RDF.type, EX.Heated)])
    (found,) = reasoner.why_not(ALARMED).temporal
    assert dict(found.bindings)[next(name for name, _ in found.bindings if str(name) == "P")] == EX.b
    assert found.lacking.atom.triple == (EX.b, RDF.type, EX.Jammed)


def test_each_rule_that_concludes_such_facts_is_told_and_no_other():
    text = "alarmed(X) :- :Heated(X).\nalarmed(X) :- :Jammed(X).\nother(X) :- :Jammed(X)."
    reasoner = after_classes(text, "")
    assert [each.rule.name for each in reasoner.why_not(ALARMED).temporal] == ["temporal-1", "temporal-2"]
    assert reasoner.why_not((EX.v, RDF.type, EX.Heated)).temporal == ()


def test_what_is_concluded_is_no_absence_and_its_name_is_known():
    reasoner = after_classes("alarmed(X) :- :Heated(X).", "Heated")
    with pytest.raises(pr.EntailedError):
        reasoner.why_not(ALARMED)
    absence = reasoner.why_not((EX.w, RDF.type, EX.alarmed))
    assert EX.alarmed not in {each.name for each in absence.unknown}


def test_looking_leaves_no_trace():
    reasoner = after_classes("alarmed(X) :- :temp(X, T), T > 100, U = T + 1, U < 7.", "Heated")
    reasoner.push(1, [(EX.v, EX.temp, Literal(120))])
    before = reasoner.stats()
    (found,) = reasoner.why_not(ALARMED).temporal
    assert found.lacking == "U < 7" and reasoner.stats() == before


def test_what_was_so_and_is_not_now_is_told_as_that():
    reasoner = after_classes("alarmed(X) :- asserted :Heated(X), asserted :Jammed(X).", "Heated", "", "")
    lines = str(reasoner.why_not(ALARMED)).splitlines()
    assert lines[2:] == ["  it would be concluded if asserted at 2: v is heated", "  it is not so"]


@pytest.mark.parametrize(
    ("predicate", "arguments", "told"),
    [
        ("alarmed", (EX.v,), "at 1: v is jammed"),
        ("between", (EX.v, EX.a, EX.b), "at 1: b is near v"),
        ("on", (), "at 1: alarmed(X)"),
        ("level", (Literal(7),), "at 1: reads(X, 7)"),
    ],
)
def test_of_an_atom_it_is_told_too(predicate, arguments, told):
    rules = "alarmed(X) :- :Jammed(X). between(X, Y, Z) :- :near(X, Y), :near(Z, X)."
    reasoner = after_classes(f"{rules} on :- alarmed(X). level(N) :- :reads(X, N).", "Heated", "Heated")
    reasoner.push(1, [(EX.v, EX.near, EX.a)])
    absence = reasoner.why_not(TemporalAtom(EX[predicate], arguments))
    assert len(absence.temporal) == 1
    assert f"it would be concluded if {told}" in str(absence)
    assert pickle.loads(pickle.dumps(absence)) == absence
    is_triple = predicate == "alarmed"
    assert (absence.triple is not None, absence.atom is None) == (is_triple, is_triple)
    assert json.loads(json.dumps(absence.to_json())).get("atom") == (None if is_triple else str(absence.atom))


def test_an_atom_that_is_concluded_is_no_absence_and_one_with_variables_is_none():
    reasoner = after_classes("on :- :Heated(X).", "Heated")
    with pytest.raises(pr.EntailedError, match="on"):
        reasoner.why_not(TemporalAtom(EX.on))
    with pytest.raises(pr.InvalidTripleError, match="without variables"):
        reasoner.why_not(TemporalAtom(EX.on, (Variable("X"),)))
    assert "No rule concludes it" in str(reasoner.why_not(TemporalAtom(EX.off)))


TEXT = "alarm(X) :- asserted :Hot(X) in [5]. alarm(X) :- asserted :Jammed(X). told(X, Y, 3) :- :on(X, Y)."


@pytest.mark.parametrize(
    ("atom", "holds"),
    [
        (a("alarm"), True),
        (a("alarm", "w"), False),
        (a("alarm", "never-heard-of"), False),
        (a("told", "v", "w", Literal(3)), True),
        (a("told", "v", "w", Literal(4)), False),
        (a("Hot"), False),  # what is said is not concluded
    ],
)
def test_it_knows_what_rules_conclude_now(atom, holds):
    seen = proof_context(reasoner_after(TEXT, "Hot on(v,w)"))
    assert seen.concludes(atom) is holds
    assert bool(seen.proofs(atom, UNKNOWN, is_all=False, limit=9)) is holds


def test_all_proofs_are_one_for_each_instance():
    seen = proof_context(reasoner_after(TEXT, "Hot", "Hot Jammed"))
    (best,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=9)
    proofs = seen.proofs(a("alarm"), UNKNOWN, is_all=True, limit=9)
    assert best in proofs
    assert sorted(proof.steps[-1].rule.name for proof in proofs) == ["temporal-1", "temporal-2"]


def test_a_proof_that_looks_at_too_many_instances_says_so():
    text = "alarm(X) :- near(X, Y). near(X, Y) :- :on(X, Y)."
    seen = proof_context(reasoner_after(text, "on(v,a) on(v,b) on(v,c)"))
    (whole,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=99)
    (cut_short,) = seen.proofs(a("alarm"), UNKNOWN, is_all=False, limit=2)
    assert whole.complete and not cut_short.complete


def test_what_is_missing_is_told_of_each_rule_that_could_conclude_it():
    seen = proof_context(reasoner_after(TEXT, "Hot"))
    found = seen.unmet(a("alarm", "w"))
    assert [each.rule.name for each in found] == ["temporal-1", "temporal-2"]
    assert [each.lacking.atom.predicate for each in found] == [EX.Hot, EX.Jammed]
    assert seen.unmet(a("Hot")) == ()


def test_what_a_question_names_is_forgotten_with_the_answer():
    reasoner = reasoner_after("alarm(X) :- :level(X, N), M = N + 1, M > 9.", "level(v,3)")
    seen = proof_context(reasoner)
    before = seen.vocabulary.counts
    seen.unmet(a("alarm"))
    seen.concludes(a("alarm", "nobody", Literal(77)))
    seen.proofs(a("alarm", "somebody"), UNKNOWN, is_all=True, limit=9)
    assert seen.vocabulary.counts == before


def test_before_the_first_tick_nothing_has_been_seen():
    assert proof_context(reasoner_after(TEXT)) is None


def after_classes(text, *pushed, range=0, **options):
    """A reasoner with rules, which has been told of classes of v, such as `"Heated Served"`, at 0, 1, …."""
    rules = pr.load_rules(f"{text}\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=range), temporal=rules, **options)
    for tick, names in enumerate(pushed):
        reasoner.push(tick, [(EX.v, RDF.type, EX[name]) for name in names.split()])
    return reasoner


def tree(reasoner, name):
    """The lines of the tree."""
    lines = str(reasoner.explain(a(name))).splitlines()
    return lines[: next(place for place, line in enumerate(lines) if line.startswith("It rests"))]


# at:      0   1   2   3   4
# Heated      x       x       x
def test_the_newest_tick_is_told_of_what_was_so_sometime():
    assert tree(
        after_classes("alarm(X) :- asserted :Heated(X) in [3].", "Heated", "", "Heated", ""),
        "alarm",
    ) == [
        "v is an alarm [1]",
        "└─ because sometime asserted from 0 to 3: v is heated",
        "   └─ because v is heated (asserted at 2)",
    ]


def test_of_the_last_assertions_the_tick_that_a_rule_names_is_told():
    reasoner = after_classes(
        "alarm(X) :- asserted :Heated(X) at T in [2 #], T < 2.", "Heated", "Heated", "Heated"
    )
    assert tree(reasoner, "alarm")[1:] == ["└─ because v is heated (asserted at 1)"]


@pytest.mark.parametrize("told", [[], [(EX.v, EX.seen, EX.v)]])  # a property of that name is another
def test_a_conclusion_of_three_arguments_that_is_not_there_is_what_was_not_so(told):
    reasoner = after_classes("seen(X, 1, 2) :- :Heated(X). alarm(X) :- :Served(X), not seen(X, 1, 2).")
    reasoner.push(0, [(EX.v, RDF.type, EX.Served), *told])
    assert tree(reasoner, "alarm")[1:] == [
        "├─ because v is served (asserted at 0)",
        "└─ and not at 0: seen(v, 1, 2)",
    ]


def test_what_was_always_so_has_the_ticks_from_first_to_last():
    reasoner = after_classes(
        "alarm(X) :- :Heated(X) always in [3].", "Heated", "", "Heated", "Heated", range=1
    )
    assert tree(reasoner, "alarm") == [
        "v is an alarm [1]",
        "└─ because always from 0 to 3: v is heated",
        "   ├─ because v is heated (held from 0 to 2)",
        "   └─ and v is heated (asserted at 3)",
    ]
    events = after_classes("alarm(X) :- asserted :Heated(X) always in [1].", "Heated", "Heated")
    assert tree(events, "alarm")[1:] == [
        "└─ because always asserted from 0 to 1: v is heated",
        "   └─ because v is heated (asserted from 0 to 1)",
    ]


def test_what_is_counted_has_as_many_ticks_as_it_needs():
    reasoner = after_classes("alarm(X) :- asserted :Heated(X) at least 2 times in [3].", *["Heated"] * 3, "")
    assert tree(reasoner, "alarm")[1:] == [
        "└─ because at least 2 times asserted from 0 to 3: v is heated",
        "   ├─ because v is heated (asserted at 1)",
        "   └─ and v is heated (asserted at 2)",
    ]


def test_a_window_of_assertions_says_since_when_it_reaches():
    reasoner = after_classes("alarm(X) :- :Heated(X) in [3 #].", "Heated", "Heated Cooled", "Served", "")
    assert tree(reasoner, "alarm")[1:] == [
        "└─ because sometime among the last 3 assertions, from 1 to 3: v is heated",
        "   └─ because v is heated (asserted at 1)",
    ]


def test_what_is_not_so_has_the_ticks_at_which_it_was_looked_for():
    text = """
        alarm(X) :- :Heated(X), not asserted :Served(X) in [2],
                    not :Heated(X) always in [2], not :Jammed(X)."""
    assert tree(after_classes(text, "Heated", "", "", "Heated"), "alarm")[1:] == [
        "├─ because v is heated (asserted at 3)",
        "├─ and never asserted from 1 to 3: v is served",
        "├─ and not always from 1 to 3: v is heated",
        "└─ and not at 3: v is jammed",
    ]


def test_too_few_times_are_named():
    text = "alarm(X) :- :Heated(X), not asserted :Heated(X) at least 3 times in [5]."
    proof = after_classes(text, "Heated", "", "Heated").explain(a("alarm"))
    (few,) = [step.temporal for step in proof.steps if step.kind is StepKind.CONDITION]
    assert few.times == (0, 2) and "fewer than 3 times asserted" in str(proof)


def test_a_tick_that_is_named_and_what_else_is_bound_are_told():
    reasoner = after_classes(
        "alarm(X) :- asserted :Heated(X) at T in [5], T2 = T + 1, T2 < 3.", "", "Heated", ""
    )
    assert tree(reasoner, "alarm") == [
        "v is an alarm with T = 1, T2 = 2 [1]",
        "└─ because v is heated (asserted at 1)",
    ]


def test_a_conclusion_at_another_tick_says_at_which():
    text = """
        steam(X) at T :- asserted :Heated(X) at T in [2].
        alarm(X) :- steam(X) always in [1]."""
    assert tree(after_classes(text, "", "Heated", "Heated"), "alarm") == [
        "v is an alarm [1]",
        "└─ because always from 1 to 2: v is in class steam",
        "   ├─ because at 1: v is in class steam with T = 1 [2]",
        "   │  └─ because v is heated (asserted at 1)",
        "   └─ and v is in class steam with T = 2 [2]",
        "      └─ because v is heated (asserted at 2)",
    ]


def test_what_is_remembered_is_told_with_the_tick_at_which_it_was_concluded():
    text = "remember alarm.\nalarm(X) :- asserted :Heated(X).\nalarm(X) :- alarm(X) in [1], not :Reset(X)."
    assert tree(after_classes(text, "Heated", "", ""), "alarm") == [
        "v is an alarm [1]",
        "├─ because sometime from 1 to 2: v is an alarm",
        "│  └─ because v is an alarm (concluded at 1)",
        "└─ and not at 2: v is a reset",
    ]


def test_conclusions_that_rest_on_each_other_rest_on_something_else_in_the_end():
    text = """
        b(X) :- a(X). a(X) :- b(X).
        c(X) :- b(X), a(X). a(X) :- c(X) in [2].
        b(X) :- asserted :Heated(X) in [1]."""
    proof = after_classes(text, "Heated", "").explain(a("c"))
    assert all(premise < place for place, step in enumerate(proof.steps) for premise in step.premises)
    assert [step.temporal.atom.predicate[-1] for step in proof.steps if step.rule] == ["b", "a", "c"]


def test_all_gives_a_proof_for_each_rule_instance_that_does_not_rest_on_the_conclusion():
    text = """
        alarm(X) :- :Heated(X). alarm(X) :- :Jammed(X), asserted :Heated(X) in [2].
        twin(X) :- alarm(X). alarm(X) :- twin(X)."""
    reasoner = after_classes(text, "Heated", "Heated Jammed")
    proofs = reasoner.explain(a("alarm"), all=True)
    assert {proof.steps[-1].rule.name for proof in proofs} == {"temporal-1", "temporal-2"}
    assert reasoner.explain(a("alarm")) == proofs[0]


def test_atoms_that_are_no_triples_are_explained_too():
    reasoner = after_classes("on :- :Heated(X) in [2].\nready :- on, not off.", "Heated")
    ready = TemporalAtom(EX.ready)
    assert ready in reasoner.atoms()
    proof = reasoner.explain(ready)
    assert proof.triple is None and str(proof).splitlines()[:3] == [
        "ready [1]",
        "├─ because on with X = v [2]",
        "│  └─ because sometime from -2 to 0: v is heated",
    ]
    assert proof.to_json()["fact"] is None


def test_literals_are_told_as_they_were_compared():
    rules = pr.load_rules("high(S, V) :- asserted :temp(S, V) in [1], V >= 100.\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=0), temporal=rules)
    reasoner.push(0, [(EX.s, EX.temp, Literal(120)), (EX.s, EX.temp, Literal(20))])
    proof = reasoner.explain((EX.s, EX.high, Literal(120)))
    assert proof.supports == {(0, (EX.s, EX.temp, Literal(120)))}


def test_beyond_the_limit_a_conclusion_is_not_looked_into():
    text = (
        "on(X) :- :Heated(X).\n" + "".join(f"a{n + 1}(X) :- a{n}(X).\n" for n in range(9)) + "a0(X) :- on(X)."
    )
    reasoner = after_classes(text, "Heated")
    whole, part = (reasoner.explain(a("a9"), limit=limit) for limit in (11, 4))
    assert whole.complete and len(whole.steps) == 12
    assert not part.complete and part.steps[0].kind is StepKind.UNEXPLORED
    assert "not explored" in str(part)


def test_what_nothing_concludes_is_no_conclusion():
    reasoner = after_classes("alarm(X) :- asserted :Heated(X).", "Heated", "")
    for asked in (a("alarm"), (EX.v, RDF.type, EX.alarm), TemporalAtom(EX.alarm), a("Unknown", EX.v, EX.w)):
        with pytest.raises(pr.NotEntailedError):
            reasoner.explain(asked)


def support_of(needs, links):
    """Nodes by what they need, and for each the nodes it rests on."""
    support = DerivationGraph()
    for needed in needs:
        support.node(needed)
    for node, others in links.items():
        support.add_premises(node, others)
    return support


def test_a_node_holds_after_as_many_as_it_needs_and_before_what_rests_on_it():
    places = support_of([0, 2, 0, 1], {1: [0, 2], 3: [1]}).derivation_order()
    assert sorted(places, key=places.get) == [0, 2, 1, 3]
    assert support_of([0, 2, 1], {1: [0, 2], 2: [1]}).derivation_order() == {0: 0}


def test_what_rests_on_itself_alone_does_not_hold_unless_it_is_supposed():
    support = support_of([1, 1], {0: [1], 1: [0]})
    assert support.derivation_order() == {}
    assert support.derivation_order(supposed=[1]) == {1: 0, 0: 1}


def test_more_than_is_needed_makes_no_difference():
    assert set(support_of([0, 0, 1, 1], {2: [0, 1], 3: [2]}).derivation_order()) == {0, 1, 2, 3}


def test_nothing_rests_on_a_node_that_is_not_to_be_used():
    support = support_of([0, 1, 1], {1: [0], 2: [1]})
    assert set(support.derivation_order(unused=1)) == {0, 1}
