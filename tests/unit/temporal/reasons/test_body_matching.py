"""Bodies of rules at the present tick: what their variables stand for, and what is met."""

import pytest
from rdflib import Literal, Variable

from lars_programs import always, atom, no, now, some
from pantarhei.proofs.step import EvidenceBasis
from pantarhei.temporal.reasons.body_matching import Evidence, TickAtom
from pantarhei.temporal.reasons.occurrence_intervals import TickRun
from proof_contexts import EX, a, proof_context, reasoner_after

V = Variable


class Asked:
    """The bodies of rules after some ticks, with names for numbers."""

    def __init__(self, text, *pushed, **options):
        self.testimony = proof_context(reasoner_after(text, *pushed, **options))
        self.bodies = self.testimony._matcher()

    def bound(self, binding):
        """What variables stand for, by their names, those of computations left out."""
        terms = {str(name): self.testimony.vocabulary.term(number) for name, number in binding.items()}
        return {
            name: term.toPython() if isinstance(term, Literal) else term.rpartition("/")[2]
            for name, term in terms.items()
            if name[0] != "_"
        }

    def atom(self, name, *arguments, tick=None):
        number, given = self.testimony.vocabulary.number, a(name, *arguments)
        now = self.testimony.data.tick if tick is None else tick
        return TickAtom(given.predicate, tuple(map(number, given.arguments)), now)

    def instances(self, name, *arguments, **options):
        return list(self.bodies.concluding(self.atom(name, *arguments, **options)))

    def bindings(self, name, *arguments, **options):
        return [self.bound(each.binding) for each in self.instances(name, *arguments, **options)]


def test_an_instance_has_terms_for_all_variables_and_evidence_in_the_order_of_the_body():
    asked = Asked("near(X) :- :on(X, Y), not :Cold(Y), asserted :Hot(Y) in [5].", "Hot(w)", "on(v,w)")
    (found,) = asked.instances("near")
    assert asked.bound(found.binding) == {"X": "v", "Y": "w"}
    assert [str(each.formula.atom.predicate.rpartition("/")[2]) for each in found.evidence] == [
        *("on", "Cold", "Hot"),
    ]
    on, cold, hot = found.evidence
    assert (on.ticks, cold.ticks, hot.ticks) == ([1], [], [0])
    assert (hot.first, hot.last) == (-4, 1)  # five ticks back


def test_what_is_negated_and_so_keeps_a_body_from_holding():
    text = "near(X) :- :on(X, Y), not :Cold(Y) in [1]."
    assert Asked(text, "Cold(w)", "on(v,w) on(v,u)").bindings("near") == [{"X": "v", "Y": "u"}]


def test_ways_with_the_newest_ticks_come_first():
    text = "near(X) :- asserted :on(X, Y) in [9]."
    assert [each["Y"] for each in Asked(text, "on(v,b)", "on(v,c)", "on(v,a)").bindings("near")] == [
        *("a", "c", "b"),
    ]
    # at one tick in the order of the names, however they are numbered
    assert [each["Y"] for each in Asked(text, "on(v,b) on(v,a)").bindings("near")] == ["a", "b"]


def test_a_head_that_names_a_tick_is_looked_for_at_that_tick_alone():
    asked = Asked("alarm(X) at T2 :- asserted :Hot(X) at T in [5], T2 = T + 1.", "", "Hot", "")
    assert asked.bindings("alarm", tick=2) == [{"X": "v", "T": 1, "T2": 2}]
    assert asked.bindings("alarm", tick=1) == []
    assert Asked("alarm(X) :- :Hot(X).", "Hot").bindings("alarm", tick=0) == [{"X": "v"}]
    assert Asked("alarm(X) :- :Hot(X) in [3].", "Hot", "").bindings("alarm", tick=0) == []


@pytest.mark.parametrize(
    ("head", "atom", "binding"),
    [
        ("p(X, Y)", ("p", "v", "w"), {"X": "v", "Y": "w"}),
        ("p(X, X)", ("p", "v", "v"), {"X": "v"}),
        ("p(X, X)", ("p", "v", "w"), None),
        ("p(X, :w)", ("p", "v", "w"), {"X": "v"}),
        ("p(X, :u)", ("p", "v", "w"), None),
        ("p(X, 3)", ("p", "v", Literal(3)), {"X": "v"}),
        ("p(X)", ("p", "v", "w"), None),
        ("q(X, X)", ("p", "v", "v"), None),
    ],
)
def test_a_head_concludes_what_it_can_be_matched_to(head, atom, binding):
    asked = Asked(f"{head} :- :Hot(X), :on(X, Y).", "")
    (clause,) = asked.bodies.clauses
    found = asked.bodies.unified(clause.rule, asked.atom(*atom))
    assert (None if found is None else asked.bound(found)) == binding


def test_the_formula_with_the_fewest_open_variables_is_looked_at_first():
    asked = Asked("p(X) :- :on(Y, Z), :on(X, Y), :Hot(X).", "")
    formulas = list(asked.bodies.clauses[0].rule.body)
    first, rest = asked.bodies.select(formulas, {V("X"): 0})
    assert (first, rest) == (formulas[2], formulas[:2])
    assert asked.bodies.select(rest, {V("X"): 0})[0] == formulas[1]


def test_of_what_is_not_met_the_terms_that_were_so_most_often_are_told():
    text = "alarm(X) :- asserted :on(X, Y) at least 3 times in [9]."
    asked = Asked(text, "on(v,a)", "on(v,b)", "on(v,b) on(v,a)", "on(v,a)", "")
    (formula,) = asked.bodies.clauses[0].rule.body
    v = asked.testimony.vocabulary.number(EX.v)
    most = asked.bodies.closest(formula, {V("X"): v})
    assert most.ticks == [0, 2, 3]
    assert asked.bound({V("Y"): most.arguments[1]}) == {"Y": "a"}
    nobody = asked.bodies.closest(formula, {V("X"): asked.testimony.vocabulary.number(EX.nobody)})
    assert nobody.ticks == [] and not nobody.is_met


@pytest.mark.parametrize(
    ("tests", "bound", "failed"),
    [
        ("M = N + 1, M > 3", {"M": 4}, None),
        ("K > 4, K = M + 1, M = N + 1", {"M": 4, "K": 5}, None),  # in whatever order they stand
        ("M = N + 1, M > 4, M < 0", {"M": 4}, "greaterThan"),  # the first that fails
        ("N + 1 = N + 2", {}, "add"),
    ],
)
def test_tests_compute_what_others_compare(tests, bound, failed):
    asked = Asked(f"alarm(X) :- :level(X, N), {tests}.", "level(v,3)")
    (clause,) = asked.bodies.clauses
    number = asked.testimony.vocabulary.number
    given = {V("X"): number(EX.v), V("N"): number(Literal(3))}
    working = dict(given)
    found = asked.bodies.failed(clause, working)
    assert (None if found is None else found.name.rpartition("#")[2]) == failed
    assert bound.items() <= asked.bound(working).items()
    assert asked.bound(given) == {"X": "v", "N": 3}  # what was bound before stays as it was


@pytest.mark.parametrize(
    ("time", "tick"), [(Literal(4), 2), (Literal(3), None), (Literal("4"), None), (EX.v, None)]
)
def test_a_tick_is_told_by_the_time_at_which_it_ends(time, tick):
    asked = Asked("alarm(X) :- :Hot(X) at T in [5].", "Hot", "", range=2, slide=2)
    assert asked.bodies.tick_of(asked.testimony.vocabulary.number(time)) == tick
    assert tick is None or asked.bodies._time(tick) == asked.testimony.vocabulary.number(time)


A = atom("a", "X")


# ticks:    1   2   3   4   5   6
# given         |===|       |
# drawn                 |       |
def evidence(formula, given=((2, 3), (5, 5)), drawn=(4, 6), first=1, last=6):
    runs = tuple(TickRun(*ends, EvidenceBasis.HELD) for ends in given)
    return Evidence(formula, (7,), first, last, runs, drawn)


def at(tick):
    return TickAtom(A.predicate, (7,), tick)


@pytest.mark.parametrize(
    ("formula", "first", "lacking", "is_met"),
    [
        (some(A, 5), 1, 0, True),
        (some(A, 5, times=3), 1, 0, True),
        (some(A, 5, times=4), 1, 1, True),
        (some(A, 5, times=6), 1, 3, False),
        (always(A, 4), 2, 2, True),
        (always(A, 5), 1, 3, False),
    ],
)
def test_what_is_lacking_may_be_concluded(formula, first, lacking, is_met):
    met = evidence(formula, first=first)
    assert (met.lacking, met.is_met, met.is_open) == (lacking, is_met, lacking > 0)


def test_what_is_negated_rests_on_no_conclusion():
    assert not evidence(no(some(A, 5, times=9))).is_open
    assert evidence(no(some(A, 5, times=9))).ticks == [2, 3, 4, 5, 6]


def test_the_newest_ticks_are_enough_where_they_are_counted():
    assert evidence(some(A, 5)).sufficient(()) == (TickRun(5, 5, EvidenceBasis.HELD),)
    assert evidence(some(A, 5)).sufficient([at(6)]) == (at(6),)
    assert evidence(some(A, 5, times=3)).sufficient([at(4)]) == (
        TickRun(3, 3, EvidenceBasis.HELD), at(4), TickRun(5, 5, EvidenceBasis.HELD),
    )  # fmt: skip


def test_all_ticks_are_told_of_what_is_always_so():
    told = evidence(always(A, 4), first=2).sufficient([at(6), at(4)])
    assert told == (TickRun(2, 3, EvidenceBasis.HELD), at(4), TickRun(5, 5, EvidenceBasis.HELD), at(6))
    assert evidence(now(A), given=(), drawn=(6,), first=6).sufficient([at(6)]) == (at(6),)
