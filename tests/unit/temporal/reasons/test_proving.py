"""Why rules conclude something: which rules and ticks are told."""

import pytest
from rdflib import RDF, Graph, Literal, Namespace

import pantarhei as pr
from pantarhei.model.temporal_rule import TemporalAtom
from pantarhei.proofs.kind import StepKind

EX = Namespace("http://example.org/")
NO_AXIOMS = pr.load_ontology(Graph())


def reasoner_after(text, *pushed, range=0, **options):
    """A reasoner with rules, which has been told of classes of v, such as `"Heated Served"`, at 0, 1, …."""
    rules = pr.load_rules(f"{text}\n", prefixes={"": str(EX)})
    reasoner = pr.StreamReasoner(NO_AXIOMS, pr.Window(range=range), temporal=rules, **options)
    for tick, names in enumerate(pushed):
        reasoner.push(tick, [(EX.v, RDF.type, EX[name]) for name in names.split()])
    return reasoner


def a(name, *arguments):
    return TemporalAtom(EX[name], arguments or (EX.v,))


def tree(reasoner, name):
    """The lines of the tree."""
    lines = str(reasoner.explain(a(name))).splitlines()
    return lines[: next(place for place, line in enumerate(lines) if line.startswith("It rests"))]


# at:      0   1   2   3   4
# Heated      x       x       x
def test_the_newest_tick_is_told_of_what_was_so_sometime():
    assert tree(
        reasoner_after("alarm(X) :- asserted :Heated(X) in [3].", "Heated", "", "Heated", ""), "alarm"
    ) == [
        "v is an alarm [1]",
        "└─ because sometime asserted from 0 to 3: v is heated",
        "   └─ because v is heated (asserted at 2)",
    ]


def test_of_the_last_assertions_the_tick_that_a_rule_names_is_told():
    reasoner = reasoner_after(
        "alarm(X) :- asserted :Heated(X) at T in [2 #], T < 2.", "Heated", "Heated", "Heated"
    )
    assert tree(reasoner, "alarm")[1:] == ["└─ because v is heated (asserted at 1)"]


@pytest.mark.parametrize("told", [[], [(EX.v, EX.seen, EX.v)]])  # a property of that name is another
def test_a_conclusion_of_three_arguments_that_is_not_there_is_what_was_not_so(told):
    reasoner = reasoner_after("seen(X, 1, 2) :- :Heated(X). alarm(X) :- :Served(X), not seen(X, 1, 2).")
    reasoner.push(0, [(EX.v, RDF.type, EX.Served), *told])
    assert tree(reasoner, "alarm")[1:] == [
        "├─ because v is served (asserted at 0)",
        "└─ and not at 0: seen(v, 1, 2)",
    ]


def test_what_was_always_so_has_the_ticks_from_first_to_last():
    reasoner = reasoner_after(
        "alarm(X) :- :Heated(X) always in [3].", "Heated", "", "Heated", "Heated", range=1
    )
    assert tree(reasoner, "alarm") == [
        "v is an alarm [1]",
        "└─ because always from 0 to 3: v is heated",
        "   ├─ because v is heated (held from 0 to 2)",
        "   └─ and v is heated (asserted at 3)",
    ]
    events = reasoner_after("alarm(X) :- asserted :Heated(X) always in [1].", "Heated", "Heated")
    assert tree(events, "alarm")[1:] == [
        "└─ because always asserted from 0 to 1: v is heated",
        "   └─ because v is heated (asserted from 0 to 1)",
    ]


def test_what_is_counted_has_as_many_ticks_as_it_needs():
    reasoner = reasoner_after("alarm(X) :- asserted :Heated(X) at least 2 times in [3].", *["Heated"] * 3, "")
    assert tree(reasoner, "alarm")[1:] == [
        "└─ because at least 2 times asserted from 0 to 3: v is heated",
        "   ├─ because v is heated (asserted at 1)",
        "   └─ and v is heated (asserted at 2)",
    ]


def test_a_window_of_assertions_says_since_when_it_reaches():
    reasoner = reasoner_after("alarm(X) :- :Heated(X) in [3 #].", "Heated", "Heated Cooled", "Served", "")
    assert tree(reasoner, "alarm")[1:] == [
        "└─ because sometime among the last 3 assertions, from 1 to 3: v is heated",
        "   └─ because v is heated (asserted at 1)",
    ]


def test_what_is_not_so_has_the_ticks_at_which_it_was_looked_for():
    text = """
        alarm(X) :- :Heated(X), not asserted :Served(X) in [2],
                    not :Heated(X) always in [2], not :Jammed(X)."""
    assert tree(reasoner_after(text, "Heated", "", "", "Heated"), "alarm")[1:] == [
        "├─ because v is heated (asserted at 3)",
        "├─ and never asserted from 1 to 3: v is served",
        "├─ and not always from 1 to 3: v is heated",
        "└─ and not at 3: v is jammed",
    ]


def test_too_few_times_are_named():
    text = "alarm(X) :- :Heated(X), not asserted :Heated(X) at least 3 times in [5]."
    proof = reasoner_after(text, "Heated", "", "Heated").explain(a("alarm"))
    (few,) = [step.temporal for step in proof.steps if step.kind is StepKind.CONDITION]
    assert few.times == (0, 2) and "fewer than 3 times asserted" in str(proof)


def test_a_tick_that_is_named_and_what_else_is_bound_are_told():
    reasoner = reasoner_after(
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
    assert tree(reasoner_after(text, "", "Heated", "Heated"), "alarm") == [
        "v is an alarm [1]",
        "└─ because always from 1 to 2: v is a steam",
        "   ├─ because at 1: v is a steam with T = 1 [2]",
        "   │  └─ because v is heated (asserted at 1)",
        "   └─ and v is a steam with T = 2 [2]",
        "      └─ because v is heated (asserted at 2)",
    ]


def test_what_is_remembered_is_told_with_the_tick_at_which_it_was_concluded():
    text = "remember alarm.\nalarm(X) :- asserted :Heated(X).\nalarm(X) :- alarm(X) in [1], not :Reset(X)."
    assert tree(reasoner_after(text, "Heated", "", ""), "alarm") == [
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
    proof = reasoner_after(text, "Heated", "").explain(a("c"))
    assert all(premise < place for place, step in enumerate(proof.steps) for premise in step.premises)
    assert [step.temporal.atom.predicate[-1] for step in proof.steps if step.rule] == ["b", "a", "c"]


def test_all_gives_a_proof_for_each_rule_instance_that_does_not_rest_on_the_conclusion():
    text = """
        alarm(X) :- :Heated(X). alarm(X) :- :Jammed(X), asserted :Heated(X) in [2].
        twin(X) :- alarm(X). alarm(X) :- twin(X)."""
    reasoner = reasoner_after(text, "Heated", "Heated Jammed")
    proofs = reasoner.explain(a("alarm"), all=True)
    assert {proof.steps[-1].rule.name for proof in proofs} == {"temporal-1", "temporal-2"}
    assert reasoner.explain(a("alarm")) == proofs[0]


def test_atoms_that_are_no_triples_are_explained_too():
    reasoner = reasoner_after("on :- :Heated(X) in [2].\nready :- on, not off.", "Heated")
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
    reasoner = reasoner_after(text, "Heated")
    whole, part = (reasoner.explain(a("a9"), limit=limit) for limit in (11, 4))
    assert whole.complete and len(whole.steps) == 12
    assert not part.complete and part.steps[0].kind is StepKind.UNEXPLORED
    assert "not looked into" in str(part)


def test_what_nothing_concludes_is_no_conclusion():
    reasoner = reasoner_after("alarm(X) :- asserted :Heated(X).", "Heated", "")
    for asked in (a("alarm"), (EX.v, RDF.type, EX.alarm), TemporalAtom(EX.alarm), a("Unknown", EX.v, EX.w)):
        with pytest.raises(pr.NotEntailedError):
            reasoner.explain(asked)
